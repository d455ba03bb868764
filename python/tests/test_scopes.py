"""Scopes, devices and lines of operations: by contexts, by modules, of gradients."""

import numpy as np
import pytest
import weft as wf


class Block(wf.nn.Module):
    def __init__(self):
        self.first, self.second = wf.nn.Linear(4, 4), wf.nn.Linear(4, 4)

    def forward(self, x):
        return self.second(wf.relu(self.first(x))) + x


class Net(wf.nn.Module):
    def __init__(self):
        self.blocks = [Block(), Block()]
        self.head = wf.nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def names_of(drawable):
    """The names in a text, constants without those of their ops."""
    return {line.split()[0].lstrip("%") for line in str(drawable).splitlines() if line.startswith("  %")}


def scopes_of(drawable):
    return {name.rpartition("/")[0] for name in names_of(drawable)}


def test_name_scope_and_device_in_a_graph():
    with wf.Graph() as g:
        with wf.name_scope("outer"), wf.device("cpu:1"):
            with wf.name_scope("inner/"):
                y = wf.add(1.0, 2.0)
            wf.identity(y, "named")
        z = wf.add(1.0, 2.0)
    assert g.name_of(y) == "outer/inner/Add" and g.operation("outer/inner/Add").device == "cpu:1"
    assert g.operation("outer/named").device == "cpu:1" and g.name_of(z) == "Add" and g.operation("Add").device == ""
    for picture in (g.draw(engine="weft"), g._shown("dot", depth=-1)):
        assert "on cpu:1" in picture


def test_name_scope_and_device_in_a_function():
    @wf.function
    def f(x):
        with wf.name_scope("layer"), wf.device("cpu:0"):
            if wf.sum(x) > 0:
                x = x * 2.0
            else:
                with wf.name_scope("below"):
                    x = x * 3.0
        return x + 1.0

    assert f(wf.tensor([1.0, 2.0])).tolist() == [3.0, 5.0] and f(wf.tensor([-1.0, -2.0])).tolist() == [-2.0, -5.0]
    graph = f.get_concrete_function(wf.ones(2))
    text = str(graph)
    assert "%layer/Sum" in text and "%below/Multiply" in text and "%Add = add" in text
    assert ' on "cpu:0"' in text


def test_eager_scopes_do_nothing_and_names_are_checked():
    with wf.name_scope("x"), wf.device("cpu"):
        assert (wf.ones(2) + 1).tolist() == [2.0, 2.0]
    for wrong in (3, None, "", "/"):
        with pytest.raises(wf.WrongTypeError, match=r"name_scope: needs a name, but got .*\[name_scope.name\]"):
            wf.name_scope(wrong)
    with pytest.raises(wf.WrongTypeError, match=r"\[device.name\]"):
        wf.device(3)
    with wf.Graph() as g:
        with pytest.raises(KeyError):
            with wf.name_scope("broken"):
                raise KeyError
        y = wf.add(1.0, 2.0)
    assert g.name_of(y) == "Add"


def test_modules_open_scopes():
    net = Net()
    expected = {"blocks/0/first", "blocks/0/second", "blocks/1/first", "blocks/1/second", "head", "blocks/0", "blocks/1"}
    with wf.Graph() as g:
        net(wf.placeholder("f32[n, 4]", name="x"))
    assert expected <= scopes_of(g)
    f = wf.function(net)
    f(wf.ones((2, 4)))
    assert expected - {"blocks/0", "blocks/1"} <= scopes_of(f.get_concrete_function(wf.ones((2, 4))))
    with wf.Graph() as g:  # a layer by itself has no name
        net.head(wf.placeholder("f32[n, 4]", name="x"))
    assert not any(scope.startswith("head") for scope in scopes_of(g))
    with wf.Graph() as g, pytest.raises(wf.Error):
        net(wf.placeholder("f32[n, 5]", name="x"))
    with g:
        net(wf.placeholder("f32[n, 4]", name="y"))
    assert "head" in scopes_of(g)  # what raised left nothing open


def test_gradients_stand_in_the_scopes_of_their_ops():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n, 4]", name="x")
        w = wf.Variable(np.ones((4, 4), np.float32), name="w")
        with wf.name_scope("layer"):
            h = wf.tanh(x @ w)
        with wf.name_scope("loss"):
            loss = wf.sum(wf.square(h))
        before = names_of(g)
        (slope,) = wf.gradients(loss, [w])
        first = names_of(g) - before
        wf.gradients(loss, [w])
        second = names_of(g) - before - first
    assert all(name.startswith("gradients/") for name in first) and all(name.startswith("gradients_1/") for name in second)
    assert {"gradients/layer", "gradients/loss"} <= {name.rpartition("/")[0] for name in first}
    given = np.full((2, 4), 0.1)
    h = np.tanh(given @ np.ones((4, 4)))
    np.testing.assert_allclose(wf.Session(g).run(slope, {x: given}), given.T @ (2 * h * (1 - h * h)), rtol=1e-5)
    picture = g.draw(depth=0, repeats=False, engine="weft")
    assert picture.count("class='folded'") == 5 and ">gradients_1<" in picture  # and the legend's
    picture = g.draw(depth=0, engine="weft")  # the two are equal, and drawn as one
    assert picture.count("class='folded'") == 4 and ">gradients × 2<" in picture and ">gradients_1<" not in picture


def test_reads_of_variables_have_a_line():
    w = wf.Variable(2.0, name="w")
    u = wf.Variable(2.0, name="u")
    with wf.Graph() as g:
        x = wf.placeholder("f32[]", name="x")
        x * w
        u.read()
    lines = {operation.line for operation in g.operations if operation.type == "read_variable"}
    here = test_reads_of_variables_have_a_line.__code__.co_firstlineno
    assert {line.rpartition("/")[2] for line in lines} == {f"test_scopes.py:{here + 5}", f"test_scopes.py:{here + 6}"}


def test_a_training_graph_folds_into_its_scopes():
    net = Net()
    with wf.Graph() as g:
        x = wf.placeholder("f32[n, 4]", name="x")
        loss = wf.mean(wf.square(net(x)))
        wf.gradients(loss, net.parameters())
    names = names_of(g)
    assert len([name for name in names if name.startswith("gradients/blocks/0/first/")]) > 1
    size = int(g.draw(depth=0, engine="weft").split("width='")[1].split("'")[0].split(".")[0])
    assert size < 1500
