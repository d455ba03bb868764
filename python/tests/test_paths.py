"""Errors say where: the path of the module that raised, and the path of the leaf of a container argument."""

import pickle

import pytest

import weft as wf
from weft import nn


class Attention(nn.Module):
    def __init__(self):
        self.q_proj = nn.Linear(5, 4)

    def forward(self, x):
        return self.q_proj(x)


class Block(nn.Module):
    def __init__(self):
        self.attention = Attention()

    def forward(self, x):
        return x + self.attention(x)


class Net(nn.Module):
    def __init__(self):
        self.blocks = [nn.Identity(), nn.Identity(), Block()]

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


X = wf.ones((2, 4))
NET = Net()


def error_of(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return caught.value


def in_a_graph(x):
    with wf.Graph():
        NET(wf.placeholder(wf.float32, x.shape))


def fitted(x):
    net = Net()
    net.compile("sgd", "mse")
    net.fit(x, x, verbose=0)


def hooked(x):
    net = Net()
    net.blocks[2].register_forward_hook(lambda module, args, out: None)
    net(x)


@pytest.mark.parametrize("call", [NET, wf.function(NET), wf.function(lambda x: NET(x)), wf.grad(lambda x: NET(x).sum()),
                                  lambda x: wf.vmap(NET)(x[None]), in_a_graph, fitted, hooked],
                         ids=["eager", "function", "in a function", "grad", "vmap", "graph", "fit", "hooks"])
def test_the_module_that_raised_is_noted_once(call):
    error = error_of(call, X)
    assert [note for note in error.__notes__ if "in the module" in note] == ["in the module 'blocks.2.attention.q_proj' (Linear)"]
    assert error.notes == error.__notes__
    assert str(error).startswith("linear: x has 4 features, but weight, of shape [4, 5], takes 5")


def test_paths_go_through_containers_and_begin_at_the_outermost_module():
    assert error_of(nn.Sequential({"body": NET}), X).__notes__[0] == "in the module 'body.blocks.2.attention.q_proj' (Linear)"
    assert error_of(NET.blocks[2], X).__notes__[0] == "in the module 'attention.q_proj' (Linear)"
    assert not any("in the module" in note for note in error_of(nn.Linear(3, 3), X).__notes__)


def test_errors_of_the_users_own_have_the_path_and_those_that_are_handled_have_none():
    class Picky(nn.Module):
        def forward(self, x):
            raise ValueError("not today")

    class Patient(nn.Module):
        def __init__(self):
            self.first, self.second = Picky(), nn.Linear(3, 3)

        def forward(self, x):
            try:
                return self.first(x)
            except ValueError:
                return self.second(x)

    assert error_of(nn.Sequential(nn.Identity(), Picky()), X).__notes__ == ["in the module '1' (Picky)"]
    error = error_of(Patient(), X)
    assert error.__notes__[0] == "in the module 'second' (Linear)"
    assert pickle.loads(pickle.dumps(error)).args == error.args


F = {"a": wf.ones(2)}
N = {"b": wf.tensor([1, 2])}


def first(params, *more):
    return params[0]["a"].sum()


@pytest.mark.parametrize("call, text", [
    (lambda: wf.grad(first)([F, N]), 'grad: params[1]["b"] has dtype int64, which has no derivatives'),
    (lambda: wf.grad(first)([F, {"b": object()}]), 'grad: params[1]["b"] must be a tensor'),
    (lambda: wf.grad(first)([F, F]), 'grad: the output does not depend on params[1]["a"]: no op leads from params[1]["a"] to the output'),
    (lambda: wf.grad(first, argnums=(0, 2))([F], 1.0, [2.0]), "grad: the output does not depend on more[1][0]"),
    (lambda: wf.jacrev(first)([F, N]), 'jacrev: params[1]["b"] has dtype int64'),
    (lambda: wf.jacfwd(lambda x: {"y": x.astype(wf.int32)})(wf.ones(2)), 'jacfwd: output["y"] has dtype int32'),
    (lambda: wf.vjp(lambda x: {"o": x}, wf.ones(3))[1]({"o": wf.ones(2)}), 'vjp: cotangent["o"] has shape [2]'),
    (lambda: wf.jvp(lambda x: x["a"], (F,), ({"a": wf.ones(3)},)), 'jvp: tangents[0]["a"] is f32[3] but primals[0]["a"] is f32[2]'),
    (lambda: wf.vmap(lambda p, q: p["a"] + q)(F, wf.ones((3, 2))), "vmap: q has 3 examples along axis 0 but the batch has 2"),
    (lambda: wf.vmap(lambda p, **more: p)(wf.ones(2), k={"x": wf.ones(3)}), 'vmap: k["x"] has 3 examples'),
    (lambda: wf.vmap(lambda x: [x, x], out_axes=[0, 4])(wf.ones(2)), "vmap: out_axes gives axis 4 for output[1]"),
    (lambda: wf.scan(lambda c, x: ({"s": c["s"] > 0}, x), {"s": wf.zeros(2)}, wf.ones((3, 2))), 'scan: init["s"] is f32[2] before'),
    (lambda: wf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {"x": d["x"][:1]}), (wf.tensor(0), {"x": wf.ones(2)})),
     'while_loop: init[1]["x"] is f32[2] before and f32[1] after the body'),
    (lambda: wf.fori_loop(0, 2, lambda i, c: [c[0], c[1] > 0], [wf.zeros(2), wf.zeros(2)]), "fori_loop: init[1] is f32[2] before"),
    (lambda: wf.map(lambda row: row["a"], {"a": wf.tensor(1.0)}), 'map: xs["a"] has rank 0'),
    (lambda: wf.function(lambda p: wf.cond(p, lambda: {"a": wf.ones(2)}, lambda: {"a": wf.ones(3)}))(wf.tensor(True)),
     'cond: result["a"] is f32[3] of otherwise and f32[2] of then'),
    (lambda: wf.optim.SGD([{"params": [wf.Variable(1.0), wf.Variable(1)], "lr": 0.1}]), 'optim: parameters[0]["params"][1] has dtype int64'),
    (lambda: wf.optim.SGD({"a": [1.0, wf.Variable(1.0)]}), 'SGD: parameters["a"][0] is float; it must be a Variable'),
    (lambda: wf.optim.EMA([wf.Variable(1.0), 2.0]), "EMA: parameters[1] is float"),
    (lambda: wf.optim.SGD([wf.Variable(1.0)]).add_param_group({"params": [1.0]}), 'SGD: group["params"][0] is float'),
])
def test_leaves_are_named_as_the_user_writes_them(call, text):
    assert str(error_of(call)).startswith(text)


def test_parameters_have_the_names_of_the_module():
    net = nn.Sequential({"net": Net()})
    optimizer = wf.optim.Adam(list(net.parameters()))
    error = error_of(optimizer.step)
    assert str(error).startswith("step: parameter 'net.blocks.2.attention.q_proj.weight' has no gradient; call backward()")
    assert error.message == str(error)[len("step: "):-len(" [step.gradient]")]
    with pytest.raises(wf.InvalidError, match="no gradient for 'net.blocks.2.attention.q_proj.weight': nothing that the tape recorded"):
        optimizer.minimize(lambda: net[0].blocks[2].attention.q_proj.bias.sum())
    v, w = wf.Variable(1.0), wf.Variable(1.0, name="w")
    assert str(error_of(wf.optim.SGD([v, {"x": w}]).step)).startswith("step: parameters[0] has no gradient")
    v.grad = wf.tensor(1.0)
    assert str(error_of(wf.optim.SGD([v, {"x": w}]).step)).startswith('step: parameters[1]["x"] (\'w\') has no gradient')


def test_sources_of_a_tape_are_named():
    v = wf.Variable(1.0)
    with wf.GradientTape() as tape:
        y = v * v
    assert "there is no gradient for sources[\"a\"][1]: " in str(error_of(tape.gradient, y, {"a": [v, wf.ones(2)]}))
