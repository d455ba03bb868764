"""Collections and Variables of graphs: they survive text and optimization."""

import numpy as np
import pytest
import weft as wf


@pytest.fixture
def graph():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        w = wf.Variable(2.0, name="w")
        wf.Variable(np.ones((2, 3), np.float32), name="unused", trainable=False)
        loss = wf.identity(wf.sum(x * w), "loss")
        first, second = wf.min(x), wf.max(x)
        g.add_to_collection("losses", loss)
        g.add_to_collection("losses", second)
        g.add_to_collection("my weights", w)
        g.add_to_collection("steps", wf.group(w.assign_add(1.0), name="step"))
        g.add_to_collection("mixed", w)
        g.add_to_collection("mixed", g.operation("step"))
        g.add_to_collection("mixed", loss)
        g.add_to_collection("mixed", first)
    return g


def summary(g):
    """What the collections hold, by names."""
    def shown(item):
        return item.name if isinstance(item, (wf.Operation, wf.Variable)) else g.name_of(item)

    return {name: [shown(item) for item in g.get_collection(name)] for name in ("losses", "my weights", "steps", "mixed")}


def test_collections_and_variables_are_in_the_text(graph):
    text = str(graph)
    assert text.startswith("weft 2\n") and "variable @unused: f32[2, 3] constant" in text
    assert '  collect "my weights" @w\n' in text and '  collect "steps" op %step\n' in text
    again = wf.Graph.parse(text)
    assert str(again) == text and summary(again) == summary(graph)
    assert [v.name for v in again.get_collection("global_variables")] == ["w", "unused"]
    assert [v.name for v in again.get_collection("trainable_variables")] == ["w"]
    loss, second = again.get_collection("losses")
    again.get_collection("my weights")[0].assign(3.0)
    got = wf.Session(again).run([loss, second], {"x": [1.0, 2.0]})
    assert got[0] == 9.0 and got[1] == 2.0
    (step,) = again.get_collection("steps")
    wf.Session(again).run(step)
    assert again.get_collection("global_variables")[0].numpy() == 4.0


def test_unused_variables_are_given_and_checked(graph):
    mine = wf.Variable(np.zeros((2, 3), np.float32), trainable=False)
    again = wf.Graph.parse(str(graph), {"unused": mine})
    assert again.get_collection("global_variables")[1] is mine or again.get_collection("global_variables")[1] == mine
    with pytest.raises(wf.InvalidError, match=r"a Variable is given for @nothing"):
        wf.Graph.parse(str(graph), {"nothing": mine})


def test_a_graph_without_collections_has_the_text_it_had():
    with wf.Graph() as g:
        wf.add(1.0, 2.0)
    assert str(g).startswith("weft 1\n") and 'collect "' not in str(g)


def test_collections_survive_optimization(graph):
    better = graph.optimize()
    assert better.get_collection("my weights")[0].name == "w" and len(better.get_collection("losses")) == 2
    assert [v.name for v in better.get_collection("global_variables")] == ["w", "unused"]
    got = wf.Session(better).run(better.get_collection("losses"), {"x": [1.0, 2.0]})
    assert got[0] == 6.0 and got[1] == 2.0
    part = graph.optimize(["loss"])
    assert len(part.get_collection("results")) == 1 and len(part.get_collection("losses")) == 1  # the rest is no part of it
    assert wf.Session(part).run(part.get_collection("losses"), {"x": [1.0, 2.0]}) == [6.0]
    again = wf.Graph.parse(str(part))
    assert str(again) == str(part) and len(again.get_collection("results")) == 1


def test_other_objects_stay_with_the_graph():
    with wf.Graph() as g:
        g.add_to_collection("settings", {"rate": 0.1})
        with wf.eager():
            g.add_to_collection("settings", wf.ones(2))
    assert g.get_collection("settings")[0] == {"rate": 0.1} and g.get_collection("settings")[1].tolist() == [1.0, 1.0]
    assert 'collect "' not in str(g)


@pytest.mark.parametrize("line, why", [
    ('collect "c" %nothing', "there is no value %nothing above"), ('collect "c" op %nothing', "there is no op %nothing above"),
    ('collect "c" @nothing', "there is no variable @nothing"), ('collect "c" none', "expected a value"),
    ("collect c %a", "expected"), ('collect "c"', "expected"), ('collect "c" %a,', "expected")])
def test_texts_that_do_not_read(line, why):
    text = f"weft 2\n\nfunction @graph(%a: f32[]) -> () {{\n  {line}\n  return\n}}\n"
    with pytest.raises(wf.InvalidError, match=rf"{why}.*\[graph.parse\]"):
        wf.Graph.parse(text)
    with pytest.raises(wf.InvalidError, match=r"this library reads versions 1 to 2"):
        wf.Graph.parse(text.replace("weft 2", "weft 3"))
