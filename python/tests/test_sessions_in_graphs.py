"""Runs of sessions where graphs, tapes and transformations are open: a run is done at once and outside of all of them."""

import threading

import numpy as np
import pytest

import weft as wf


def test_runs_inside_of_the_open_graph_write_variables():
    with wf.Graph():
        w = wf.Variable(0.0, name="w")
        x = wf.placeholder(wf.float32, (), name="x")
        added, read = w.assign_add(x), w * 1.0
        with wf.Session() as s:
            assert [(s.run(added, {x: 1.0}).item(), s.run(read).item(), s.run(w).item()) for _ in range(3)] == [
                (1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (3.0, 3.0, 3.0)]
            assert s.make_callable(added, [x])(4.0) == 7.0
            s.run(wf.global_variables_initializer())
            assert s.run(w) == 0.0
    assert w.item() == 0.0


def test_a_variable_made_outside_is_written():
    v = wf.Variable(0.0)
    with wf.Graph() as g:
        added = v.assign_add(1.0)
        size = len(g)
        with wf.Session() as s:
            assert [s.run(added).item() for _ in range(3)] == [1.0, 2.0, 3.0]
        assert len(g) == size and v.value().item() == 3.0  # nothing was added to the graph
    assert v.item() == 3.0


@pytest.mark.parametrize("around", ["graph", "two graphs", "tape", "function", "grad", "vmap", "scan", "eager"])
def test_runs_are_outside_of_whatever_is_open(around):
    v = wf.Variable(1.0)
    with wf.Graph() as g:
        twice = v.assign(v * 2.0)
    s = wf.Session(g)
    seen = []

    def run(x=1.0):
        seen.append(s.run([twice, v]))
        return wf.tensor(1.0) * x

    if around == "graph":
        with wf.Graph():
            run()
    elif around == "two graphs":
        with wf.Graph(), wf.Graph():
            run()
    elif around == "tape":
        with wf.GradientTape() as tape:
            y = run() * v
        assert tape.gradient(y, v).item() == 1.0
    elif around == "function":
        wf.function(run)()
    elif around == "grad":
        wf.grad(run)(1.0)
    elif around == "vmap":
        wf.vmap(run)(wf.ones(3))
    elif around == "scan":
        wf.scan(lambda c, x: (c, run(x)), 0.0, wf.ones(3))
    else:
        with wf.Graph(), wf.eager():
            run()
    assert seen[0] == [2.0, 2.0] and v.item() == 2.0 ** len(seen)


def test_branches_and_loops_write_where_the_graph_is_open():
    v, n = wf.Variable(0.0), wf.Variable(0.0)
    with wf.Graph():
        x = wf.placeholder(wf.float32, (), "x")

        def up():
            v.assign_add(1.0)
            return v * 1.0

        def step(carry, one):
            n.assign_add(one)
            return carry + n, n * 1.0

        either = wf.cond(x > 0.0, up, lambda: v - 1.0)
        total, _ = wf.scan(step, 0.0, wf.ones(3))
        called = wf.function(lambda y: n.assign_add(y) * 1.0)(x)
        s = wf.Session()
        assert s.run(either, {x: 1.0}) == 1.0 and s.run(either, {x: -1.0}) == 0.0 and s.run(either, {x: 1.0}) == 2.0
        assert s.run(total) == 6.0 and s.run(n) == 3.0
        assert s.run(called, {x: 4.0}) == 7.0
    assert v.item() == 2.0 and n.item() == 7.0


def test_draws_of_runs_come_from_the_generator_of_the_process():
    with wf.Graph() as g:
        y = wf.rand(3)
    wf.seed(3)
    s = wf.Session(g)
    expected = [s.run(y).tolist() for _ in range(2)]
    wf.seed(3)
    with wf.Graph() as other:
        got = [s.run(y).tolist() for _ in range(2)]
    assert got == expected and expected[0] != expected[1] and len(other) == 0


def test_training_and_saving_where_the_graph_is_open(tmp_path):
    with wf.Graph():
        w = wf.Variable([3.0, -2.0], name="w")
        loss = wf.sum(w * w)
        train = wf.optim.Adam([w], lr=0.1).minimize(loss)
        saver = wf.Saver([w])
        s = wf.Session()
        losses = [s.run([loss, train])[0].item() for _ in range(20)]
        path = saver.save(s, str(tmp_path / "model"), global_step=1)
        kept = s.run(w)
        s.run(train)
        assert not np.array_equal(s.run(w), kept)
        saver.restore(s, path)
        assert np.array_equal(s.run(w), kept)
    assert losses == sorted(losses, reverse=True) and np.array_equal(w.numpy(), kept)


def test_threads_run_while_the_graph_is_open():
    with wf.Graph():
        v = wf.Variable(0.0)
        added = v.assign_add(1.0)
        s = wf.Session()
        threads = [threading.Thread(target=lambda: [s.run(added) for _ in range(50)]) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            s.run(added)
        for thread in threads:
            thread.join()
        assert s.run(v) == 150.0


def test_datasets_map_where_a_graph_is_open():
    v = wf.Variable(2.0)
    data = wf.data.Dataset.from_tensor_slices(wf.tensor([1.0, 2.0])).map(lambda x: x * v)
    with wf.Graph():
        assert [float(x.numpy()) for x in data] == [2.0, 4.0]


def test_a_placeholder_with_a_default_may_be_fed():
    with wf.Graph() as g:
        rate = wf.placeholder_with_default(0.5, shape=(), name="rate")
        weights = wf.placeholder_with_default(wf.tensor([1.0, 2.0]))
        y = wf.identity(wf.sum(weights) * rate, "y")
        chance = wf.sum(wf.random.bernoulli(wf.random.Key(0), rate, (4,)).astype(wf.int32))
        with pytest.raises(wf.InvalidError, match=r"shape is \[None\] but the default has shape \[2\]; .*\[placeholder_with_default.shape\]"):
            wf.placeholder_with_default(wf.ones(2), shape=(None,))
    s = wf.Session(g)
    assert s.run(y) == 1.5 and s.run(y, {rate: 2.0}) == 6.0 and s.run("y", {"rate": 1.0, weights: [2.0, 2.0]}) == 4.0
    assert s.run(chance, {rate: 1.0}) == 4 and s.run(chance, {rate: 0.0}) == 0
    with pytest.raises(wf.InvalidError, match=r"\[bernoulli.p\]"):
        s.run(chance, {rate: 2.0})


def test_a_session_enters_its_graph_and_leaves_it():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None,), "x")
    with wf.Session(g) as s:
        assert wf.get_default_graph() is g and wf.current_graph() is s.graph
        scale = wf.placeholder(wf.float32, (), "scale")
        y = wf.sum(x * scale)
        assert g.name_of(y) == "Sum" and s.run(y, {x: [1.0, 2.0], scale: 2.0}) == 6.0
        again = wf.sum(wf.asarray(s.run(x, {x: [1.0, 3.0]})))  # of a constant, in the graph
        assert g.name_of(again) == "Sum_1" and s.run(again) == 4.0
        with wf.eager():
            assert wf.mean(wf.tensor([1.0, 3.0])).item() == 2.0
    assert wf.current_graph() is None and wf.sum(wf.ones(2)).item() == 2.0
    with pytest.raises(wf.InvalidError, match=r"\[Session.closed\]"):
        s.run(y, {x: [1.0], scale: 1.0})


def test_leaving_a_session_by_an_error_leaves_its_graph():
    outer, inner = wf.Graph(), wf.Graph()
    with outer:
        with pytest.raises(ZeroDivisionError):
            with wf.Session(inner) as s:
                assert wf.current_graph() is inner
                1 / 0
        assert wf.current_graph() is outer
        with wf.Session() as own:
            assert own.graph is outer
    assert wf.current_graph() is None
    with pytest.raises(wf.InvalidError, match=r"\[Session.closed\]"):
        s.run([])
    with wf.Session(outer) as a, wf.Session(outer) as b, wf.Session(inner) as c:
        assert wf.current_graph() is inner and a.graph is b.graph
        two = wf.add(1.0, 1.0)
        assert c.run(two) == 2.0 and wf.current_graph() is inner
    assert wf.current_graph() is None


def test_variables_give_what_they_hold_where_a_graph_is_open():
    with wf.Graph() as g:
        v = wf.Variable([1.0, 2.0])
        n = wf.Variable(3.0, dtype=wf.bfloat16)
        added = v.assign_add(wf.ones(2))
    size = len(g)
    with wf.Session(g) as s:
        s.run(added)
        assert v.numpy().tolist() == v.tolist() == [2.0, 3.0] and n.item() == 3.0
        assert len(g) == size  # nothing was read by the graph
        for convert in (float, bool, int):  # numbers that Python computes with, or branches on
            with pytest.raises(wf.WrongTypeError, match=r"\[tensor.concrete\]"):
                convert(n)
        for convert in (lambda: (v * 1.0).numpy(), lambda: wf.sum(v).item(), lambda: v.read().tolist()):
            with pytest.raises(wf.WrongTypeError, match=r"fetch it with session.run\(x\).*\[tensor.concrete\]"):
                convert()


def test_the_default_graph_and_sessions_that_open_theirs():
    with pytest.raises(wf.InvalidError, match=r"get_default_graph: no graph is open here; .*\[get_default_graph.graph\]"):
        wf.get_default_graph()
    g = wf.Graph()
    with wf.Session(graph=g).as_default() as s:
        assert wf.get_default_graph() is g
        v = wf.Variable(1.0)
        added = v.assign_add(2.0)
        assert s.run(added) == 3.0
    assert wf.current_graph() is None and s.run(added) == 5.0 and v.item() == 5.0
