"""Module: what it holds, its modes, states, hooks, copies of parameters, and how it shows itself."""

import pytest

import weft as wf
from weft import nn


class Net(nn.Module):
    def __init__(self):
        self.first = nn.Linear(4, 3)
        self.more = [nn.Linear(3, 3), {"last": nn.Linear(3, 2)}]
        self.scale = wf.Variable(wf.tensor(2.0), name="scale")
        self.register_buffer("count", wf.tensor(0))

    def forward(self, x):
        x = wf.tanh(self.first(x))
        return self.more[1]["last"](self.more[0](x)) * self.scale


def test_what_is_in_it():
    net = Net()
    names = ["first.weight", "first.bias", "more.0.weight", "more.0.bias", "more.1.last.weight", "more.1.last.bias", "scale"]
    assert [name for name, _ in net.named_parameters()] == names
    assert [name for name, _ in net.named_buffers()] == ["count"]
    assert list(net.state_dict()) == [*names, "count"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "more.0", "more.1.last"]
    assert [name for name, _ in net.named_children()] == ["first", "more.0", "more.1.last"]
    assert len(net.parameters()) == 7 and len(net.modules()) == 4


def test_shared_parameters_are_listed_once():
    net = nn.Sequential([nn.Linear(3, 3), nn.Linear(3, 3)])
    net[1].weight = net[0].weight
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "1.bias"]
    state = net.state_dict()
    assert list(state) == ["0.weight", "0.bias", "1.bias"]
    assert net.load_state_dict({**state, "1.weight": state["0.weight"]})  # others save it under both names
    twice = nn.Sequential([net[0], net[0]])
    assert len(twice.parameters()) == 2


def test_attributes():
    net = Net()
    with pytest.raises(TypeError) as error:
        net.scale = wf.tensor(1.0)
    assert str(error.value).startswith(
        "Net: 'scale' is a Variable, and would be replaced by a tensor; write self.scale.assign(value), or give it a "
        "wf.Variable [Module.attribute]")
    net.scale = wf.Variable(wf.tensor(1.0), trainable=False)
    assert len(net.buffers()) == 1  # it stays a parameter, that is frozen
    net.scale = None
    assert len(net.parameters()) == 6
    with pytest.raises(NotImplementedError, match=r"Module: has no forward; define forward\(self, x\) in the class"):
        nn.Module()(1)


def test_modes():
    net = Net()
    assert net.training and net.eval() is net
    assert not any(module.training for module in net.modules())
    assert all(module.training for module in net.train().modules())
    net.first.freeze()
    assert not net.first.weight.trainable and net.more[0].weight.trainable
    assert len(net.parameters()) == 7 and list(net.state_dict())[0] == "first.weight"
    wf.sum(net(wf.ones((1, 4)))).backward()
    assert net.first.weight.grad is None and net.scale.grad is not None
    assert net.unfreeze().first.weight.trainable
    seen = []
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "Linear", "Linear", "Net"]


def test_to_another_dtype():
    net = Net()
    assert net.to(wf.float64) is net
    assert {v.dtype for v in net.parameters()} == {wf.float64} and net.count.dtype is wf.int64
    assert net(wf.ones((1, 4), dtype=wf.float64)).dtype is wf.float64
    tied = nn.Sequential([nn.Linear(3, 3), nn.Linear(3, 3)])
    tied[1].weight = tied[0].weight
    tied.to("float64")
    assert tied[1].weight is tied[0].weight
    with pytest.raises(TypeError, match=r"to: dtype is weft.int32; parameters are floats, such as wf.float32 \[to.dtype\]"):
        net.to(wf.int32)


def test_loading():
    net, state = Net(), Net().state_dict()
    report = net.load_state_dict(state)
    assert report and (report.missing, report.unexpected, report.mismatched) == ([], [], {})
    assert wf.fingerprint(net.state_dict()) == wf.fingerprint(state)
    before = wf.fingerprint(net.state_dict())
    wrong = {**state, "scale": wf.ones(2), "other": wf.ones(1)}
    del wrong["first.bias"]
    with pytest.raises(ValueError) as error:
        net.load_state_dict(wrong)
    assert str(error.value).startswith(
        "load_state_dict: the state does not fit Net: <6 matched; missing: first.bias; unexpected: other; scale: its shape is "
        "[2], but the module's is []>; with strict=False what matches is loaded [load_state_dict.match]")
    assert wf.fingerprint(net.state_dict()) == before
    report = net.load_state_dict(wrong, strict=False)
    assert len(report.matched) == 6 and report.missing == ["first.bias"] and list(report.mismatched) == ["scale"]
    assert not report
    narrow = {name: v.astype(wf.float64) if "floating" in v.dtype.kind else v for name, v in state.items()}
    assert "its dtype is float64, but the module's is float32" in str(net.load_state_dict(narrow, strict=False).mismatched)
    wide = {name: v.astype(wf.bfloat16) if "floating" in v.dtype.kind else v for name, v in state.items()}
    assert net.load_state_dict(wide)


def test_hooks():
    layer, seen = nn.Linear(2, 2), []
    before = layer.register_forward_pre_hook(lambda module, args: (args[0] * 2.0,))
    with layer.register_forward_hook(lambda module, args, out: seen.append(args[0].tolist())):
        doubled = layer(wf.ones((1, 2)))
    before.remove()
    assert seen == [[[2.0, 2.0]]] and layer(wf.ones((1, 2)) * 2.0).tolist() == doubled.tolist()
    layer.register_forward_hook(lambda module, args, out: out * 0.0)
    assert layer(wf.ones((1, 2))).tolist() == [[0.0, 0.0]]


def test_functional_call():
    net, x = Net(), wf.random.normal(wf.random.Key(1), (5, 4))
    values = {name: v.value() for name, v in net.named_parameters()}
    kept = wf.fingerprint(net.state_dict())

    def loss(values, x):
        return wf.sum(nn.functional_call(net, values, x) ** 2)

    by_values = wf.grad(loss)(values, x)
    loss({}, x).backward()
    assert wf.fingerprint(by_values) == wf.fingerprint({name: v.grad.value() for name, v in net.named_parameters()})
    each = wf.vmap(wf.grad(loss), in_axes=(None, 0))(values, x)
    assert each["first.weight"].shape == (5, 3, 4)
    assert wf.max(wf.abs(wf.sum(each["first.weight"], axis=0) - by_values["first.weight"])).item() < 1e-4
    assert wf.fingerprint(wf.function(wf.grad(loss))(values, x)) == wf.fingerprint(by_values)
    _, along = wf.jvp(lambda v: loss(v, x), (values,), (values,))
    assert along.shape == ()
    assert wf.fingerprint(net.state_dict()) == kept and isinstance(net.scale, wf.Variable)
    with pytest.raises(ValueError, match=r"functional_call: Net has no parameter 'scales'; did you mean 'scale'\? \[functional_call.name\]"):
        nn.functional_call(net, {"scales": 1.0}, x)


def test_functional_call_with_buffers():
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    x, kept = wf.random.normal(wf.random.Key(1), (5, 4)), wf.fingerprint(net.state_dict())
    values = {name: value + 0 for name, value in net.state_dict().items()}
    slopes = wf.grad(lambda v: wf.sum(nn.functional_call(net, {**values, **v}, x) ** 2))({"0.weight": values["0.weight"]})
    assert slopes["0.weight"].shape == (3, 4)
    assert wf.fingerprint(net.state_dict()) == kept  # what was given is not written to, nor the module's own


def test_functions_follow_modules():
    class Switching(nn.Module):
        def __init__(self):
            self.layer, self.power = nn.Linear(3, 3), 2

        def forward(self, x):
            x = self.layer(x)
            if wf.sum(x) > 0.0:  # control flow on traced values in a user's module
                x = x * 2.0
            return x ** self.power if self.training else x

    net, x = Switching(), wf.ones((2, 3))
    traced = wf.function(net)
    assert traced(x).tolist() == net(x).tolist()
    net.eval()
    assert traced(x).tolist() == net(x).tolist() and traced.trace_count == 2
    assert "`Switching.training`" in traced.trace_log()[1]
    net.train()
    net.power = 3
    assert traced(x).tolist() == net(x).tolist() and traced.trace_count == 3
    net.layer.weight.assign(wf.zeros((3, 3)))
    assert traced(x).tolist() == net(x).tolist() and traced.trace_count == 3


def test_containers():
    model = nn.Sequential(nn.Linear(4, 8), wf.relu, nn.Linear(8, 2))
    assert len(model) == 3 and [type(m).__name__ for m in model][0] == "Linear"
    assert [name for name, _ in model.named_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert isinstance(model[:2], nn.Sequential) and len(model[:2]) == 2 and model[-1] is model[2]
    named = nn.Sequential({"hidden": nn.Linear(4, 8), "out": nn.Linear(8, 2)})
    assert named["out"].out_features == 2 and next(iter(named.state_dict())) == "hidden.weight"
    with pytest.raises(IndexError, match=r"Sequential: has no module 'in'; it has hidden, out \[Sequential.name\]"):
        named["in"]
    with pytest.raises(TypeError, match=r"Sequential: holds modules and functions, but got 3 \[Sequential.module\]"):
        nn.Sequential([3])
    many = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    many.append(nn.ReLU())
    assert len(many) == 4 and len(many[1:]) == 3 and [name for name, _ in many.named_parameters()][-1] == "2.bias"
    first, tanh = many[0], nn.Tanh()
    many.insert(0, tanh)
    del many[-1]
    assert len(many) == 4 and many[0] is tanh and many[1] is first
    many[0] = nn.Linear(2, 5)
    assert many.state_dict()["0.bias"].shape == (5,)
    model[0], named["out"] = nn.Linear(4, 9), nn.Linear(8, 3)
    assert model.state_dict()["0.bias"].shape == (9,) and named["out"].out_features == 3
    with pytest.raises(TypeError, match=r"ModuleList: holds modules and functions, but got 3 \[ModuleList.module\]"):
        many[0] = 3
    kinds = nn.ModuleDict({"a": nn.Linear(2, 2)})
    kinds["b"] = nn.ReLU()
    kinds["c"] = nn.ReLU()
    del kinds["c"]
    assert list(kinds) == ["a", "b"] and "b" in kinds and list(kinds.state_dict()) == ["a.weight", "a.bias"]


def test_repr_and_summary():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 2, bias=False)))
    assert repr(model) == ("Sequential(\n  (0): Linear(4, 8)\n  (1): ReLU()\n  (2): Sequential(\n"
                           "    (0): Linear(8, 2, bias=False)\n  )\n)")
    model[0].freeze()
    summary = model.summary((3, 4))
    assert summary.parameters == 56 and summary.frozen == 40
    lines = str(summary).splitlines()
    assert lines[3].split() == ["0:", "Linear", "[3,", "8]", "40", "216", "192", "B"]
    conv = nn.Conv2d(4, 6, 3, groups=2, bias=False).summary((1, 4, 5, 5))
    assert conv.operations == 2 * 9 * 9 * 6 * 2
    assert nn.MultiheadAttention(8, 2).summary(*[(5, 1, 8)] * 3).operations > 4 * 5 * 5 * 8
    up = nn.ConvTranspose2d(3, 4, 3, stride=2, bias=False).summary((1, 3, 5, 5))
    assert up.operations == 2 * 5 * 5 * 3 * 9 * 4  # each input goes into 3 x 3 results of 4 channels
    steps = nn.LSTM(4, 8, bias=False).summary((5, 2, 4))
    assert steps.operations > 2 * 5 * 2 * 4 * 8 * (4 + 8)
    lazy, named = nn.Linear(None, 3).summary((2, 4)), nn.Linear(4, 3).summary((2, 4))
    assert (lazy.operations, lazy.bytes, lazy.parameters) == (named.operations, named.bytes, named.parameters)
    assert lines[-1].startswith("56 parameters, 40 of them frozen; ")
    assert model.training and not model._hooks


def test_html():
    model = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.Linear(None, 2)))
    shown = model._repr_html_()
    assert shown.count("<details") == shown.count("</details>") == 2
    assert "<div>0: Linear(4, 8), 40 parameters</div>" in shown and "<div>0: Linear(None, 2)</div>" in shown


def test_summary_says_which_inputs_it_needs():
    class Masked(nn.Module):
        def forward(self, x, mask):
            return x * mask

    class Alone(nn.Module):
        def forward(self, x=None):
            return wf.ones(2)

    for model in (nn.Sequential(nn.Linear(2, 2)), nn.Linear(2, 2), Masked()):
        with pytest.raises(wf.InvalidError) as error:
            model.summary()
        assert str(error.value) == (f"summary: a {type(model).__name__} does not know what it will be called with; give a tensor or a "
                                    "shape, such as model.summary((1, 3, 32, 32)) [summary.input]")
    with pytest.raises(wf.InvalidError) as error:
        Masked().summary((2, 2))
    assert str(error.value) == ("summary: the forward of a Masked takes (x, mask), but 1 input is given; give a tensor or a shape for "
                                "each, such as model.summary((1, 16), (1, 16)) [summary.input]")
    assert "[1, 16]" in str(Masked().summary((1, 16), (1, 16))) and "[2]" in str(Alone().summary())


def test_summary_of_products_in_bfloat16():
    text = str(nn.Linear(2, 3).compute_in(wf.bfloat16).summary((1, 2)))
    assert "[1, 3]" in text and "9 parameters" in text


def test_files_of_layers_do_not_hide_ops():
    ops = [name for module, name, _ in wf._ops.listed() if module == "nn"]
    assert {"linear", "embedding", "dropout"} <= set(ops)
    assert all(type(getattr(nn, name)) is type(wf.tanh) for name in ops)
    assert nn.linear(wf.ones((1, 2)), wf.ones((3, 2))).tolist() == [[2.0, 2.0, 2.0]]


def test_a_module_that_holds_itself_is_printed():
    class Knot(nn.Module):
        def __init__(self):
            self.itself, self.linear = self, nn.Linear(2, 2)

    assert repr(Knot()) == "Knot(\n  (itself): ...\n  (linear): Linear(2, 2)\n)"
    assert repr(nn.Sequential([knot := Knot(), knot])).count("Linear") == 2  # what is there twice is shown twice
    assert "itself: ..." in Knot()._repr_html_()
