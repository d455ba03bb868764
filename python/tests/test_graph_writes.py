"""Variables written by conditions, loops and calls in a graph: a session does it whenever the op runs, in the order of the graph."""

import numpy as np
import pytest
import weft as wf


def grown(v, x):
    v.assign_add(x)
    return v * 1.0


WAYS = {
    "cond": lambda p, v: wf.cond(p > 0, lambda: v.assign_add(p), lambda: v * 1.0),
    "cond of a function": lambda p, v: wf.cond(p > 0, lambda: wf.function(lambda x: grown(v, x))(p), lambda: p),
    "switch_case": lambda p, v: wf.switch_case(wf.cast(p, wf.int64) - 1, [lambda: v.assign_add(p), lambda: v * 1.0]),
    "while_loop": lambda p, v: wf.while_loop(lambda i, a: i < 1, lambda i, a: (i + 1, grown(v, a)), (wf.tensor(0), p))[1],
    "fori_loop": lambda p, v: wf.fori_loop(0, 1, lambda i, a: grown(v, a), p),
    "scan": lambda p, v: wf.scan(lambda c, x: (grown(v, x * c), c), p, wf.ones(1))[0],
    "map": lambda p, v: wf.map(lambda x: grown(v, x), wf.reshape(p, (1,)))[0],
    "function": lambda p, v: wf.function(lambda x: grown(v, x))(p),
    "function with if": lambda p, v: wf.function(lambda x: grown(v, x) if x > 0 else x)(p),
}


def built(way):
    with wf.Graph() as g:
        p = wf.placeholder(wf.float32, (), name="p")
        v = wf.Variable(wf.tensor(1.0), name="v")
        out = WAYS[way](p, v)
    return g, p, v, out


@pytest.mark.parametrize("way", WAYS)
def test_writes_happen_when_the_op_runs(way):
    g, p, v, out = built(way)
    with g:
        unrelated = p * 3.0
        done = wf.group(out)
        with wf.control_dependencies([out]):
            behind = v * 100.0
        later = v * 10.0
    session = wf.Session(g)
    assert session.run(out, {p: 1.0}) == 2.0 and v.numpy() == 2.0
    session.run(done, {p: 1.0})
    assert v.numpy() == 3.0
    assert session.run(behind, {p: 1.0}) == 400.0 and v.numpy() == 4.0
    assert session.run(unrelated, {p: 1.0}) == 3.0 and v.numpy() == 4.0
    np.testing.assert_array_equal(session.run([out, later], {p: 1.0}), [5.0, 50.0])
    assert session.run(later) == 50.0 and v.numpy() == 5.0


@pytest.mark.parametrize("way", WAYS)
def test_writes_stay_with_texts_and_passes(way):
    g, _, _, out = built(way)
    assert "with_maker=true" in str(g)
    v = wf.Variable(wf.tensor(1.0), name="v")
    read = wf.Graph.parse(str(g), variables={"v": v})
    assert str(read) == str(g)
    assert wf.Session(read).run(g.name_of(out), {"p": 1.0}) == 2.0 and v.numpy() == 2.0
    better = read.optimize([g.name_of(out)])
    assert wf.Session(better).run(better.get_collection("results")[0], {"p": 1.0}) == 3.0 and v.numpy() == 3.0


def test_a_training_step_in_a_graph():
    def trained(losses):
        w = wf.Variable(wf.tensor(1.0), name="w")

        @wf.function
        def step(x):
            loss, slope = wf.value_and_grad(lambda w: (w * x - 1) ** 2)(w)
            w.assign_sub(slope * 0.1)
            return loss

        return losses(step), float(w.numpy())

    def in_graph(step):
        with wf.Graph() as g:
            x = wf.placeholder(wf.float32, ())
            loss = step(x)
        session = wf.Session(g)
        return [float(session.run(loss, {x: 3.0})) for _ in range(3)]

    assert trained(in_graph) == trained(lambda step: [float(step(wf.tensor(3.0))) for _ in range(3)])


def test_gradients_through_an_op_that_writes():
    g, p, v, out = built("cond")
    with g:
        slope, = wf.gradients(wf.cond(p > 0, lambda: grown(v, p) * p, lambda: p), [p])
    assert wf.Session(g).run(slope, {p: 1.0}) == 2.0 and v.numpy() == 2.0  # v has no history


def test_grad_ys():
    with wf.Graph() as g:
        p = wf.placeholder(wf.float32, (None, 3), name="p")
        weight = wf.placeholder(wf.float32, (None, 3), name="weight")
        y = p * p
        doubled, = wf.gradients(y, [p], [np.full((1, 3), 2.0)])  # of its dtype, as vjp and tapes take it
        weighed, = wf.gradients(y, [p], [weight])
        with pytest.raises(wf.InvalidError, match=r"^gradients: there are 2 grad_ys for 1 ys; give one for each \[gradients.count\]"):
            wf.gradients([y], [p], [weight, weight])
        with pytest.raises(wf.WrongTypeError, match=r"grad_y 0 is f32\[3\] but y 0 is .*; they must have one dtype and shape \[gradients.cot"):
            wf.gradients(y, [p], [wf.ones(3)])
    session, ones = wf.Session(g), np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(session.run(doubled, {p: ones}), 4 * ones)
    np.testing.assert_array_equal(session.run(weighed, {p: ones, weight: 3 * ones}), 6 * ones)
    with pytest.raises(wf.InvalidError, match="Session.sizes"):
        session.run(weighed, {p: np.ones((2, 3)), weight: ones})


def test_the_graph_of_a_function():
    f = wf.function(lambda x: x + 1.0)
    with pytest.raises(wf.InvalidError, match=r"there is no graph before the first trace; call it, .* \[function.graph\]"):
        f.graph
    f(wf.tensor([1.0]))
    assert "add" in str(f.graph)
    f(wf.tensor([[1, 2], [3, 4]]))
    f(wf.tensor([1.0]))
    assert str(f.graph) == str(f.get_concrete_function(wf.tensor([[1, 2], [3, 4]])).graph)


def test_messages():
    t = wf.tensor(1.0)
    with pytest.raises(wf.WrongTypeError, match=r"^cond: then must be a function, but got a tensor; .* \[cond.function\]"):
        wf.cond(True, t, t)
    with pytest.raises(wf.WrongTypeError, match=r"^Graph.parse: text must be a string, but got None \[Graph.parse.argument\]"):
        wf.Graph.parse(None)
    with pytest.raises(wf.InvalidError, match=r"^while_loop: max_saved_bytes is -1; .* \[while_loop.max_saved_bytes\]"):
        wf.while_loop(lambda x: x < 3, lambda x: x + 1, t, max_saved_bytes=-1)


def test_a_placeholder_is_added_in_place():
    with wf.Graph() as g:
        v = wf.Variable(wf.zeros(3))
        p = wf.placeholder("float32", (3,))
        v += p
    session = wf.Session(g)
    for _ in range(2):
        session.run(g.operations[-1], {p: [1.0, 2.0, 3.0]})
    assert v.numpy().tolist() == [2, 4, 6]
