"""Graphs and sessions: define first, run later."""

import gc
import threading

import numpy as np
import pytest

import weft as wf
from weft import _graph


def two_layers(n, d, h):
    """The lecture notes' net: placeholders, a loss, gradients."""
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(n, d))
        y = wf.placeholder(wf.float32, shape=(n, d))
        w1 = wf.placeholder(wf.float32, shape=(d, h))
        w2 = wf.placeholder(wf.float32, shape=(h, d))

        hidden = wf.maximum(wf.matmul(x, w1), 0)
        y_pred = wf.matmul(hidden, w2)
        diff = y_pred - y
        loss = wf.mean(wf.sum(diff ** 2, axis=1))

        grad_w1, grad_w2 = wf.gradients(loss, [w1, w2])
    return g, (x, y, w1, w2), (loss, grad_w1, grad_w2)


def test_the_listing_of_the_notes():
    n, d, h = 64, 1000, 100
    g, (x, y, w1, w2), (loss, grad_w1, grad_w2) = two_layers(n, d, h)
    rng = np.random.default_rng(0)
    values = {x: rng.normal(size=(n, d)), w1: rng.normal(size=(d, h)), w2: rng.normal(size=(h, d)),
              y: rng.normal(size=(n, d))}
    with wf.Session(g) as session:
        loss_val, grad_w1_val, grad_w2_val = session.run([loss, grad_w1, grad_w2], feed_dict=values)

    a, b, u, v = (values[p] for p in (x, y, w1, w2))
    hidden = np.maximum(a @ u, 0)
    diff = hidden @ v - b
    expected = np.mean(np.sum(diff ** 2, axis=1))
    g_pred = 2 * diff / n
    g_w2 = hidden.T @ g_pred
    g_w1 = a.T @ ((g_pred @ v.T) * (hidden > 0))
    np.testing.assert_allclose(loss_val, expected, rtol=1e-4)
    np.testing.assert_allclose(grad_w1_val, g_w1, rtol=1e-3, atol=1e-3 * np.abs(g_w1).max())
    np.testing.assert_allclose(grad_w2_val, g_w2, rtol=1e-3, atol=1e-3 * np.abs(g_w2).max())


def test_constants_are_named_after_the_op():
    with wf.Graph() as g:
        wf.add(wf.tensor(3), wf.tensor(5))
    assert [op.name for op in g.operations] == ["Add/x", "Add/y", "Add"]


def test_only_what_is_needed_runs():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        cheap = x + 1.0
        dear = wf.exp(cheap)
    session = wf.Session(g)
    assert session.run(cheap, {x: 1.0}) == 2.0
    ran = session.counters()["operations"]
    assert ran == 2  # the constant and the addition
    session.run([cheap, dear], {x: 1.0})
    assert session.counters()["operations"] == ran + 3


def test_any_value_may_be_fed_by_handle_or_name():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        y = x * 2.0
        z = y + 1.0
    session = wf.Session(g)
    assert session.run(z, {y: [5.0]}).tolist() == [6.0]  # x is not needed then
    assert session.run("Add:0", {"x:0": [1.0, 2.0]}).tolist() == [3.0, 5.0]
    out = session.run({"a": y, "b": [z, "x:0"]}, {"x": [1.0]})
    assert out["a"].tolist() == [2.0] and [v.tolist() for v in out["b"]] == [[3.0], [1.0]]


def test_feeds_that_are_missing_or_wrong_name_the_placeholder():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, 2), name="x")
        y = x * 2.0
    session = wf.Session(g)
    with pytest.raises(wf.InvalidError, match=r"the placeholder x \(f32\[x.0, 2\]\) is needed and not fed.*\n(.*\n)*.*test_graphs"):
        session.run(y)
    with pytest.raises(wf.InvalidError, match=r"x is f32\[x.0, 2\] but f32\[2, 3\] is fed"):
        session.run(y, {x: np.zeros((2, 3))})
    assert session.run(y, {x: np.ones((1, 2))}).tolist() == [[2.0, 2.0]]  # and it goes on


def test_sizes_that_are_assumed_equal_are_checked():
    with wf.Graph() as g:
        a = wf.placeholder(wf.float32, shape=(None,), name="a")
        b = wf.placeholder(wf.float32, shape=(None,), name="b")
        c = a + b
    session = wf.Session(g)
    assert session.run(c, {a: [1.0, 2.0], b: [1.0, 1.0]}).tolist() == [2.0, 3.0]
    with pytest.raises(wf.InvalidError):
        session.run(c, {a: [1.0, 2.0], b: [1.0, 1.0, 1.0]})


def test_variables_in_a_graph():
    v = wf.Variable(wf.tensor(1.0), name="v")
    with wf.Graph() as g:
        doubled = v * 2.0
        step = v.assign(doubled)
        everything = wf.group(step)
    session = wf.Session(g)
    assert session.run(doubled) == 2.0
    assert v.numpy() == 1.0  # nothing was assigned
    assert session.run(everything) is None
    assert v.numpy() == 2.0
    session.run(step)
    assert v.numpy() == 4.0


def test_a_variable_is_read_once_until_it_is_written():
    v = wf.Variable(wf.tensor([1.0, 2.0]), name="v")
    with wf.Graph() as g:
        loss = wf.sum(v * v)
        slope, = wf.gradients(loss, [v])  # by the value that the loss was made of
        v.assign_sub(slope)
        after = v.read() * 1.0
    reads = [op for op in g.operations if op.type == "read_variable"]
    assert len(reads) == 2  # before and after
    session = wf.Session(g)
    assert session.run(slope).tolist() == [2.0, 4.0]
    assignment, = (op for op in g.operations if op.type == "assign_variable")
    assert session.run([after, assignment])[0].tolist() == [-1.0, -2.0]


def test_a_read_waits_for_what_it_depends_on():
    v = wf.Variable(wf.tensor(1.0), name="v")
    with wf.Graph() as g:
        before = v.read()
        with g.control_dependencies([before]):
            behind = v.read()
    assert g.name_of(before) != g.name_of(behind)


def test_control_dependencies_run_first():
    v = wf.Variable(wf.tensor(1.0), name="v")
    with wf.Graph() as g:
        step = v.assign(5.0)
        with g.control_dependencies([step]):
            after = wf.identity(wf.tensor(3.0))
    session = wf.Session(g)
    assert session.run(after) == 3.0
    assert v.numpy() == 5.0


def test_scopes_name_nodes():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(2,), name="x")
        with g.name_scope("layer1"):
            with g.name_scope("inner"):
                y = wf.exp(x)
        with g.device("/cpu:1"):
            z = wf.log(x)
    assert g.name_of(y) == "layer1/inner/Exp"
    assert g.operation("Log").device == "/cpu:1"
    assert "test_graphs.py" in g.operation("Log").line
    assert g.name_of(z) == "Log"


def test_an_unknown_name_is_answered_with_a_close_one():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(2,), name="features")
    with pytest.raises(wf.InvalidError, match="did you mean 'features'"):
        wf.Session(g).run("feature:0", {x: [1.0, 2.0]})


def test_a_graph_grows_after_a_run():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        y = x + 1.0
    session = wf.Session(g)
    assert session.run(y, {x: 1.0}) == 2.0
    z = y * 3.0  # outside of the scope: a value of the graph knows where it belongs
    assert session.run(z, {x: 1.0}) == 6.0


def test_sessions_run_from_many_threads():
    g, (x, y, w1, w2), (loss, grad_w1, _) = two_layers(8, 16, 4)
    rng = np.random.default_rng(1)
    feeds = [{x: rng.normal(size=(8, 16)), y: rng.normal(size=(8, 16)), w1: rng.normal(size=(16, 4)),
              w2: rng.normal(size=(4, 16))} for _ in range(8)]
    session = wf.Session(g)
    expected = [session.run([loss, grad_w1], feed) for feed in feeds]
    wrong = []

    def work(i):
        for _ in range(50):
            got = session.run([loss, grad_w1], feeds[i])
            if not all(np.array_equal(a, b) for a, b in zip(got, expected[i])):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_errors_leave_the_session_and_variables_as_they_were():
    v = wf.Variable(wf.tensor([1.0, 2.0]), name="v")
    with wf.Graph() as g:
        i = wf.placeholder(wf.int64, shape=(), name="i")
        taken = wf.take(v, i, axis=0)
        with g.control_dependencies([taken]):
            v.assign(wf.zeros(2))
        last = g.operations[-1]
    session = wf.Session(g)
    with pytest.raises(wf.OutOfRangeError, match="7"):
        session.run(last, {i: 7})
    assert v.numpy().tolist() == [1.0, 2.0]
    session.run(last, {i: 1})
    assert v.numpy().tolist() == [0.0, 0.0]


def test_draws_are_new_in_every_run():
    with wf.Graph() as g:
        x = wf.randn(3)
    session = wf.Session(g)
    wf.seed(4)
    first, second = session.run(x), session.run(x)
    assert not np.array_equal(first, second)
    wf.seed(4)
    assert np.array_equal(first, wf.randn(3).numpy())  # the same bits as now


def test_text_reads_back():
    g, _, _ = two_layers(None, 4, 3)
    assert str(wf.Graph.parse(str(g))) == str(g)


def test_gradients_of_what_does_not_depend():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(2,), name="x")
        z = wf.placeholder(wf.float32, shape=(2,), name="z")
        y = wf.sum(x)
        with pytest.raises(wf.InvalidError, match="no y depends on x 0 .%z."):
            wf.gradients(y, [z])
        zero, = wf.gradients(y, [z], unconnected="zero")
    assert wf.Session(g).run(zero).tolist() == [0.0, 0.0]  # which needs no feed


def test_graph_def_of_the_notes():
    def a():
        return wf.add(wf.tensor(3), wf.tensor(5))

    definition = wf.function(a).get_concrete_function().graph.as_graph_def()
    assert [node.name for node in definition.node][:3] == ["Add/x", "Add/y", "Add"]
    assert definition.node[2].input == ["Add/x", "Add/y"] and "T" in definition.node[2].attr
    assert len(definition.SerializeToString()) > 50


def test_graphs_are_drawn_and_summed_up(tmp_path):
    g, _, _ = two_layers(None, 4, 3)
    path = tmp_path / "g.svg"
    g.draw(path)
    assert path.read_text().startswith("<svg") and list(tmp_path.iterdir()) == [path]
    assert "digraph" in g.draw(tmp_path / "g.dot")
    assert "matmul" in g.summary()
    assert "<svg" in g._repr_html_()


def test_as_default_ends_with_its_block():
    g = wf.Graph()
    with g.as_default() as inner:
        x = wf.placeholder("f32[2]", name="x")
    assert inner is g and wf.current_graph() is None
    assert (wf.ones(2) + 1).tolist() == [2.0, 2.0]
    with pytest.raises(wf.WrongTypeError, match=r"is part of a graph and has one only in a run; fetch it.*\[tensor.concrete\]"):
        x.numpy()


def test_values_by_names_of_the_users():
    with wf.Graph() as g, g.name_scope("head"):
        x = wf.placeholder("f32[n]", name="x")
        wf.identity(wf.mean(x), name="loss")
    assert wf.Session(g).run("head/loss", {x: [1.0, 3.0]}) == 2.0


def test_gradients_of_variables_outside_of_the_scope():
    with wf.Graph() as g:
        x = wf.placeholder("f32[2]", name="x")
        w = wf.Variable([1.0, 2.0])
        loss = wf.sum(x * w)
    slope, = wf.gradients(loss, [w])
    assert wf.Session(g).run(slope, {x: [3.0, 4.0]}).tolist() == [3.0, 4.0]


def test_a_function_in_a_graph_of_unknown_sizes():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        y = wf.function(lambda x: x * 2)(x)
    assert wf.Session(g).run(y, {x: [1.0, 2.0, 3.0]}).tolist() == [2.0, 4.0, 6.0]


def test_what_cannot_be_drawn_or_fed(tmp_path):
    with wf.Graph() as g:
        with pytest.raises(wf.InvalidError, match=r"a size is -1; None stands for.*\[placeholder.shape\]"):
            wf.placeholder(wf.float32, (-1, 2))
    with pytest.raises(wf.InvalidError, match=r"a drawing is written as .svg, .html, .dot or .gv; .*\[draw.format\]"):
        g.draw(tmp_path / "x.png")
    with pytest.raises(FileNotFoundError, match=r"there is no folder.*\[draw.path\]"):
        g.draw(tmp_path / "none" / "x.svg")


def test_gradients_of_whole_numbers_are_refused():
    with wf.Graph():
        x = wf.placeholder("f32[]")
        with pytest.raises(wf.WrongTypeError, match=r"gradients: y 0 is i32\[\], which has no gradient; .* \[gradients.dtype\]"):
            wf.gradients((x * x).astype(wf.int32), [x])


def test_control_dependencies_are_cleared_by_none():
    with wf.Graph() as g:
        v = wf.Variable(1.0, name="v")
        step = v.assign_add(1.0)
        with wf.control_dependencies([step]):
            after = wf.identity(wf.tensor(5.0))
            with wf.control_dependencies(None):
                free = wf.identity(wf.tensor(6.0))
    s = wf.Session(g)
    assert s.run(free) == 6.0 and v.item() == 1.0
    assert s.run(after) == 5.0 and v.item() == 2.0
    with g, pytest.raises(wf.WrongTypeError, match=r"needs a list of operations and values, .* \[control_dependencies.argument\]"):
        with wf.control_dependencies(step):
            pass
    with g, pytest.raises(wf.WrongTypeError, match=r"identity: name is 3; it is a text \[identity.name\]"):
        wf.identity(wf.tensor(5.0), name=3)


@pytest.mark.parametrize("other", [wf.Graph, wf.eager])
def test_a_scope_that_has_not_begun_ends_no_other(other):
    with pytest.raises(wf.InvalidError, match=rf"{other.__name__}: ends before it has begun"):
        with wf.Graph():
            other().__exit__(None, None, None)
    assert _graph.current_graph() is None
    assert (wf.ones(2) + 1).tolist() == [2, 2]


def test_graphs_may_end_in_any_order():
    first, second = wf.Graph(), wf.Graph()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    y = wf.add(wf.ones(2), 1.0)
    assert len(first) == 0 and second.name_of(y) == "Add"
    del first
    gc.collect()
    second.__exit__(None, None, None)
    assert (wf.ones(2) + 1).tolist() == [2, 2]


def test_a_tape_may_end_after_the_graph_it_began_in():
    with wf.Graph() as g:
        tape = wf.GradientTape()
        tape.__enter__()
    del g
    gc.collect()
    assert (wf.ones(2) + 1).tolist() == [2, 2]
    tape.__exit__(None, None, None)
    assert (wf.ones(2) + 1).tolist() == [2, 2]
