"""What people of other libraries write by habit: the answer says what to write here."""

import subprocess
import sys

import numpy as np
import pytest

import weft as wf

X = wf.ones((2, 2))


def message(call, *args, **keywords):
    with pytest.raises(Exception) as caught:
        call(*args, **keywords)
    return str(caught.value)


@pytest.mark.parametrize("where, name, hint", [
    (wf, "array", "use wf.tensor(data)"), (wf, "dot", "a @ b"), (wf, "Parameter", "use wf.Variable(value)"),
    (wf, "jit", "there is no compiler yet"), (wf, "moveaxis", "use wf.permute_dims"), (wf, "PRNGKey", "wf.random.Key(seed)"),
    (wf.nn, "Parameter", "use wf.Variable(value)"), (wf.nn, "Linear", "layers do not exist yet"),
    (wf.nn, "Module", "modules do not exist yet"), (wf.random, "PRNGKey", "use wf.random.Key(seed)"),
    (X, "flatten", "use x.reshape(-1)"), (X, "ravel", "use x.reshape(-1)"), (X, "t", "use x.T"),
    (X, "masked_fill", "use wf.where(mask, value, x)"), (X, "moveaxis", "use wf.permute_dims"),
    (X, "add_", "tensors never change: write x = wf.add(x, ...)"), (X, "foo_", "tensors never change"),
    (X, "requires_grad", "only a Variable has it"), (X, "data", "a tensor is its value itself"),
])
def test_names(where, name, hint):
    text = message(getattr, where, name)
    assert f"'{name}'; " in text and hint in text
    assert not hasattr(where, name) and not hasattr(where, "no_such_name")


@pytest.mark.parametrize("call, text", [
    (lambda: wf.ones(3, requires_grad=True),
     "ones: has no argument 'requires_grad'; gradients are taken of Variables: wf.Variable(x) [ones.keyword]"),
    (lambda: wf.add(X, X, out=X), "add: has no argument 'out'; tensors never change: use what the op gives [add.keyword]"),
    (lambda: wf.linspace(0, 1, steps=3), "linspace: has no argument 'steps'; weft calls this num [linspace.keyword]"),
    (lambda: wf.arange(0, 1, steps=3), "arange: has no argument 'steps'; weft calls this step [arange.keyword]"),
    (lambda: wf.random.randint(wf.random.Key(0), minval=0, maxval=3, shape=()),
     "randint: has no argument 'minval'; weft calls this low [randint.keyword]"),
    (lambda: wf.vmap(wf.sin, in_dims=0), "vmap: has no argument 'in_dims'; weft calls this in_axes [vmap.keyword]"),
    (lambda: wf.optim.SGD([wf.Variable(1.0)], learning_rate=0.1),
     "SGD: has no argument 'learning_rate'; weft calls this lr [SGD.keyword]"),
    (lambda: wf.optim.Adam([wf.Variable(1.0)], beta_1=0.1), "Adam: has no argument 'beta_1'; weft calls this betas [Adam.keyword]"),
    (lambda: wf.Variable(1.0, requires_grad=True),
     "Variable: has no argument 'requires_grad'; weft calls this trainable [Variable.keyword]"),
    (lambda: wf.random.normal((3, 4)),
     "normal: argument 'shape' is missing: the shape; draws start with a key, as in wf.random.normal(wf.random.Key(0), ...), "
     "or wf.randn(2, 3) [normal.count]"),
    (lambda: wf.random.uniform(shape=(3, 4)),
     "uniform: argument 'key' is missing; draws start with a key, as in wf.random.uniform(wf.random.Key(0), ...), or "
     "wf.rand(2, 3) [uniform.count]"),
    (lambda: wf.split(wf.ones(4), 2),
     "split: sizes [2] sum to 2, but axis 0 of shape [4] has size 4; they must be equal: sizes are those of all parts, as in "
     "(2, 2) [split.total]"),
])
def test_arguments(call, text):
    assert message(call) == text


def test_requires_grad_makes_a_variable():
    v = wf.tensor([1.0, 2.0], requires_grad=True)
    assert type(v) is wf.Variable and type(wf.tensor([1.0])) is wf.Tensor
    assert v.requires_grad_() is v and "trainable=False" in message(v.requires_grad_, False)


@pytest.mark.parametrize("call, text", [
    (lambda: wf.grad(wf.ones(())),
     "grad: f must be a function, but got a tensor; wf.grad(f) transforms a function, and for a loss that is computed already "
     "there is loss.backward() [grad.function]"),
    (lambda: wf.vmap(3), "vmap: f must be a function, but got int [vmap.function]"),
    (lambda: wf.grad(wf.sin, "a"), "grad: argnums must be an integer or a tuple of integers, but got 'a' [grad.argnums]"),
    (lambda: wf.grad(wf.sin, has_aux=True)(1.0),
     "grad: with has_aux=True the function must give a pair, the value and the rest, but it gives Tensor [grad.aux]"),
    (lambda: wf.jvp(wf.sin, X, X),
     "jvp: primals must be a tuple, one for each argument of the function, but got Tensor; write (primal,) for one argument "
     "[jvp.primals]"),
    (lambda: wf.hvp(wf.sum, X, X),
     "hvp: primals must be a tuple, one for each argument of the function, but got Tensor; write (primal,) for one argument "
     "[hvp.primals]"),
    (lambda: wf.vjp(wf.sin, wf.ones(3))[1](wf.ones(4)),
     "vjp: cotangent 0 has shape [4], but the value it goes with has shape [3]; they must be equal [vjp.cotangent]"),
    (lambda: wf.linearize(wf.sin, wf.ones(3))[1](wf.ones(1)),
     "linearize: tangent 0 has shape [1], but the value it goes with has shape [3]; they must be equal [linearize.tangent]"),
    (lambda: wf.vmap(wf.sin, in_axes="a")(X), "vmap: in_axes must be an integer, but got 'a' [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, out_axes=0.5)(X), "vmap: out_axes must be an integer, but got 0.5 [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, axis_size="a")(X), "vmap: axis_size must be an integer, but got 'a' [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, axis_name=3)(X), "vmap: axis_name must be a string, but got 3 [vmap.argument]"),
    (lambda: wf.GradientTape().watch(X),
     "GradientTape: watch before the tape has begun; record with `with wf.GradientTape() as tape:` [GradientTape.with]"),
    (lambda: wf.GradientTape().gradient(X, X),
     "GradientTape: gradient before the tape has begun; record with `with wf.GradientTape() as tape:` [GradientTape.with]"),
])
def test_transformations(call, text):
    assert message(call) == text


def test_a_tape_does_not_nest_in_itself():
    with wf.GradientTape() as tape:
        assert "records already" in message(tape.__enter__)


def test_a_second_backward_says_how():
    v = wf.Variable(1.0)
    y = v * v
    y.backward()
    assert "pass retain_graph=True to that one" in message(y.backward)


@pytest.mark.parametrize("call, text", [
    (lambda v: wf.optim.SGD([v, v]),
     "optim: parameters 0 and 1 are one Variable ('w'), which would be updated twice a step; give each once [optim.twice]"),
    (lambda v: wf.optim.SGD([v], lr="a"), "SGD: lr must be a number, but got 'a' [SGD.argument]"),
    (lambda v: wf.optim.SGD([v], momentum=None), "SGD: momentum must be a number, but got None [SGD.argument]"),
    (lambda v: wf.optim.SGD(v), "SGD: parameters must be a list of Variables, but got Variable; write [v] for one Variable "
     "[SGD.parameters]"),
    (lambda v: wf.optim.Adam(5), "Adam: parameters must be a list of Variables, but got int; write [v] for one Variable "
     "[Adam.parameters]"),
    (lambda v: wf.optim.Adam([v], betas=0.9), "Adam: betas must be a pair of numbers, but got 0.9 [Adam.betas]"),
    (lambda v: wf.optim.Adam([v], betas=("a", 0.9)), "Adam: betas must be a number, but got 'a' [Adam.argument]"),
    (lambda v: wf.optim.SGD([v], momentum=-1), "SGD: momentum is -1.0; it is 0 or more [SGD.momentum]"),
    (lambda v: wf.optim.Adam([v], eps=float("nan")), "Adam: eps is nan; it is 0 or more [Adam.eps]"),
    (lambda v: wf.optim.SGD([wf.Variable(1.0, trainable=False)]).step(),
     "step: parameter 0 has no gradient, because it is not trainable; leave it out of the optimizer [step.gradient]"),
    (lambda v: setattr(wf.optim.SGD([v]), "lr", "x"), "SGD: lr must be a number, but got 'x' [SGD.argument]"),
    (lambda v: setattr(wf.optim.Adam([v]), "lr", -1), "Adam: lr is -1.0; it is 0 or more [Adam.lr]"),
])
def test_optimizers(call, text):
    assert message(call, wf.Variable(1.0, name="w")) == text


def test_optimizers_take_generators_and_trees():
    v, w = wf.Variable(1.0), wf.Variable(2.0)
    assert len(wf.optim.SGD(x for x in (v, w)).parameters) == 2
    assert len(wf.optim.Adam({"a": v, "b": [w]}).parameters) == 2


def test_in_place_operators_of_variables():
    v = place = wf.Variable([4.0, 9.0])
    v += 1.0
    v *= 2
    v -= [2.0, 2.0]
    v /= 4.0
    v **= 2
    assert v is place and v.tolist() == [4.0, 20.25] and type(v) is wf.Variable
    n = place = wf.Variable([5, 7])
    n //= 2
    n <<= 1
    n |= 1
    assert n is place and n.tolist() == [5, 7]
    assert "a Variable keeps its dtype" in message(n.assign_add, 1.5)
    assert "which is no integer" in message(n.assign, [1.5, 2.0])
    v.assign([1, 2])
    assert v.tolist() == [1.0, 2.0]
    assert "a Variable keeps its dtype" in message(n.__itruediv__, 2)
    assert n.tolist() == [5, 7]


def test_dtypes_are_equal_to_their_names():
    assert wf.float32 == "float32" and "float32" == wf.float32 and wf.float32 != "float64" and wf.float32 != "f32"
    assert hash(wf.float32) == hash("float32") and {wf.float32: 1}["float32"] == 1
    assert wf.float32 == wf.float32 and wf.float32 != wf.float64 and wf.float32 != 3 and wf.float32 is not None
    assert np.dtype(wf.float32) == np.float32 and np.zeros(2, dtype=wf.int16).dtype == np.int16
    assert np.dtype("float32") == wf.float32 and wf.float32 == np.dtype("float32")


def test_numpy_divides():
    assert np.true_divide(X, 4).tolist() == [[0.25, 0.25], [0.25, 0.25]] and np.divide(X, X).tolist() == X.tolist()


def test_an_extension_of_other_sources_is_named():
    code = ("import importlib.util, sys\n"
            "sys.path.insert(0, sys.argv[1])\n"
            "import weft._core as core\n"  # the package imports, so take a name away and start again
            "for name in [m for m in sys.modules if m.startswith('weft') and m != 'weft._core']: del sys.modules[name]\n"
            "del core._SGD\n"
            "try:\n    import weft\nexcept ImportError as error:\n    print(error)\n")
    out = subprocess.run([sys.executable, "-c", code, wf.__path__[0] + "/.."], capture_output=True, text=True)
    assert "has no '_SGD': it was built from other sources" in out.stdout, out.stderr
