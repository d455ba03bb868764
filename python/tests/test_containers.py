"""Modules of modules: what subclasses of them hold, and names, which lead to one thing each."""

import pytest

import weft as wf
from weft import nn


def _with_more(base, *args):
    class Net(base):
        def __init__(self):
            super().__init__(*args)
            self.head = nn.Linear(3, 2)
            self.drop = nn.Dropout(0.5)
            self.scale = wf.Variable(wf.ones(()))
            self.register_buffer("seen", wf.zeros(()))

    return Net()


@pytest.mark.parametrize("base, held, name", (
    (nn.Sequential, [nn.Linear(4, 3)], "0"), (nn.ModuleList, [nn.Linear(4, 3)], "0"), (nn.ModuleDict, {"in": nn.Linear(4, 3)}, "in")))
def test_subclasses_hold_attributes(base, held, name):
    net = _with_more(base, held)
    names = [f"{name}.weight", f"{name}.bias", "head.weight", "head.bias", "scale"]
    assert [name for name, _ in net.named_parameters()] == names
    assert list(net.state_dict()) == [*names, "seen"]
    assert "(head): Linear(3, 2)" in repr(net) and len(net) == 1
    assert not net.eval().drop.training
    other = _with_more(base, type(held)(held))
    assert other.load_state_dict(net.state_dict())
    net.to("float64")
    assert net.head.weight.dtype is wf.float64 and net.scale.dtype is wf.float64


def test_subclasses_of_sequential_are_trained():
    class Net(nn.Sequential):
        def __init__(self):
            super().__init__([nn.Linear(4, 3), wf.tanh])
            self.head = nn.Linear(3, 1)

        def forward(self, x):
            return self.head(super().forward(x))

    net = Net()
    before = net.head.weight.value()
    net.compile("sgd", "mse")
    net.fit(wf.ones((8, 4)), wf.ones((8, 1)), epochs=1, verbose=0)
    assert not wf.all(net.head.weight.value() == before).item()


def test_numbers_of_parts_of_a_model():
    part = nn.Sequential([nn.Linear(2, 2) for _ in range(3)])[1:]
    part.add(nn.Linear(2, 2))
    assert list(part.state_dict()) == [f"{k}.{name}" for k in (1, 2, 3) for name in ("weight", "bias")]
    named = nn.Sequential({"1": nn.Linear(2, 2)})
    named.add(nn.Linear(2, 2))
    assert [name for name, _ in named.named_children()] == ["1", "2"]


def test_names_that_collide_are_refused():
    net = nn.ModuleDict({"a.b": nn.Linear(1, 1), "a": nn.ModuleDict({"b": nn.Linear(1, 1)})})
    for read in (net.state_dict, net.parameters, lambda: net.load_state_dict({})):
        with pytest.raises(wf.InvalidError, match=r"two Variables have the name 'a.b.weight'.*\[Module.name\]"):
            read()


def test_sequential_is_edited_like_a_list():
    net = nn.Sequential([nn.Linear(2, 3), nn.Linear(3, 4)])
    net.insert(1, wf.relu)
    net.extend([wf.tanh, nn.Linear(4, 1)])
    assert net(wf.ones((1, 2))).shape == (1, 1)
    assert [name for name, _ in net.named_children()] == ["0", "2", "4"]
    del net[1]
    assert [name for name, _ in net.named_children()] == ["0", "1", "3"]
    assert net.pop() is not None and len(net) == 3
    del net[1:]
    assert len(net) == 1 and list(net.state_dict()) == ["0.weight", "0.bias"]
    mixed = nn.Sequential({"in": nn.Linear(1, 1), "out": nn.Linear(1, 1)})
    mixed.insert(0, wf.relu)
    assert mixed.pop("in") is not mixed["out"] and [name for name, _ in mixed.named_children()] == ["out"]
    with pytest.raises(wf.WrongTypeError, match=r"\[Sequential.module\]"):
        net.insert(0, 3)


def test_lists_and_dicts_of_modules_are_edited():
    modules = nn.ModuleList([nn.Linear(1, 1)])
    first = modules[0]
    modules += [wf.relu]
    assert isinstance(modules, nn.ModuleList) and modules.pop(0) is first and len(modules) == 1
    named = nn.ModuleDict({"a": wf.relu})
    named.update({"a": wf.tanh, "b": first})
    named.update(nn.ModuleDict({"c": first}))
    named.update([("d", first)])
    assert list(named) == ["a", "b", "c", "d"] and named.pop("b") is first and "b" not in named
    with pytest.raises(wf.WrongTypeError, match=r"\[ModuleDict.module\]"):
        named.update({"e": 3})


class Listed(nn.Module):
    def __init__(self):
        self.all = [wf.Variable(wf.ones(2), trainable=False), wf.Variable(wf.ones(2))]
        self.named = {"a": wf.Variable(wf.ones(2), trainable=False)}


def test_variables_in_lists_are_buffers_where_they_are_not_trainable():
    net = Listed()
    net.all.append(wf.Variable(wf.ones(2), trainable=False))
    for change in (lambda: None, net.freeze, net.unfreeze, lambda: net.to("float64")):
        change()
        assert [name for name, _ in net.named_parameters()] == ["all.1"]
        assert [name for name, _ in net.named_buffers()] == ["all.0", "all.2", "named.a"]
    assert [v.trainable for v in net.all] == [False, True, False]


def test_frozen_variables_in_lists_stay_parameters():
    net = Listed().freeze()
    net.to("float64")
    assert [name for name, _ in net.named_parameters()] == ["all.1"]
    assert net.unfreeze().all[1].trainable


class Twice(nn.Module):
    def __init__(self):
        self.a = nn.Linear(2, 2)
        self.b = self.a

    def forward(self, x):
        return self.b(self.a(x))


def test_names_of_a_module_that_is_held_twice():
    net, x = Twice(), wf.ones((1, 2))
    state = {name: value + 1 for name, value in Twice().state_dict().items()}
    both = {**state, "b.weight": state["a.weight"] * 1, "b.bias": state["a.bias"]}  # as PyTorch saves it
    by_call = nn.functional_call(net, both, x)
    assert net.load_state_dict(both) and wf.all(net(x) == by_call).item()
    assert list(net.state_dict()) == ["a.weight", "a.bias"]
    other = {**both, "b.weight": state["a.weight"] * 2}
    with pytest.raises(wf.InvalidError, match="b.weight: it is the same as a.weight in the module, but not in the state"):
        net.load_state_dict(other)
    assert wf.all(net(x) == by_call).item()
    net.load_state_dict(other, strict=False)
    assert wf.all(net(x) == by_call).item()
    with pytest.raises(wf.InvalidError, match=r"'a.weight' and 'b.weight' are one Variable.*\[functional_call.shared\]"):
        nn.functional_call(net, other, x)
    net.to("float64")
    assert net.a is net.b and net.a.weight.dtype is wf.float64


def test_modules_that_hold_each_other():
    inner, outer = nn.Module(), nn.Module()
    outer.inner, inner.outer, inner.layer = inner, outer, nn.Linear(1, 1)
    assert outer.load_state_dict(outer.state_dict()).matched == ["inner.layer.weight", "inner.layer.bias"]


def test_states_that_are_none():
    with pytest.raises(wf.WrongTypeError, match=r"the state is None; it is what state_dict\(\) gives.*\[load_state_dict.state\]"):
        nn.Linear(1, 1).load_state_dict(None)


def test_devices_are_no_dtypes():
    for name in ("cuda", "cuda:0", "cpu"):
        with pytest.raises(wf.InvalidError, match=rf"to: '{name}' is a device; the only device is the CPU.*\[to.device\]"):
            nn.Linear(1, 1).to(name)
    with pytest.raises(wf.WrongTypeError, match=r"to: dtype is 'flot32'; parameters are floats.*\[to.dtype\]"):
        nn.Linear(1, 1).to("flot32")


def test_what_recurrent_layers_do_not_have():
    with pytest.raises(wf.WrongTypeError, match=r"LSTM: has no argument 'proj_size'; put a wf.nn.Linear behind it.*\[LSTM.keyword\]"):
        nn.LSTM(2, 3, proj_size=2)


def test_modes_of_padding_that_there_are_not():
    with pytest.raises(wf.InvalidError, match=r"padding_mode is 'mirror'; it is 'zeros', 'reflect', 'replicate' or 'circular' \[Conv2d.padding_mode\]"):
        nn.Conv2d(1, 1, 3, padding_mode="mirror")
    with pytest.raises(wf.InvalidError, match=r"'same' with a stride of 1 \[Conv2d.padding\]"):
        nn.Conv2d(1, 1, 3, stride=2, padding="same", padding_mode="reflect")
    last = nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular", data_format="NHWC", key=1)
    first = nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular", key=1)
    x = wf.random.normal(wf.random.Key(0), (2, 4, 5, 2))
    assert wf.allclose(wf.moveaxis(first(wf.moveaxis(x, -1, 1)), 1, -1), last(x))
