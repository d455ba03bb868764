"""Optimizers, schedules and averages in graphs that are run by sessions."""

import pytest

import weft as wf


def test_the_rate_may_be_a_placeholder():
    with wf.Graph() as g:
        w, rate = wf.Variable(wf.ones(2), name="w"), wf.placeholder(wf.float32, (), name="rate")
        optimizer = wf.optim.SGD([w], lr=0.1)
        loss = wf.sum(w * w)
        before = optimizer.minimize(loss)
        optimizer.lr = rate
        after = optimizer.minimize(loss)
    s = wf.Session(g)
    assert s.run(after, {rate: 0.5}) is None and w.tolist() == [0.0, 0.0] and optimizer.lr == 0.5
    w.assign([1.0, 1.0])
    with pytest.raises(wf.InvalidError, match=r"\[Session.feed\]"):
        s.run(after)
    optimizer.lr = 0.25
    s.run(before)  # was made before the rate was set
    assert w.tolist() == [0.5, 0.5] and optimizer.lr == 0.25


@pytest.mark.parametrize("name", ["lr", "momentum", "weight_decay"])
def test_every_number_may_be_a_value_of_the_graph(name):
    def trained(value):
        w = wf.Variable(wf.tensor([1.0, 2.0]))
        optimizer = wf.optim.SGD([w], lr=0.1, momentum=0.5)
        with wf.Graph() as g:
            x = wf.placeholder(wf.float32, (), "x")
            if value is not None:
                optimizer.param_groups[0][name] = x * 2.0
            step = optimizer.minimize(wf.sum(w * w))
        s = wf.Session(g)
        for _ in range(3):
            s.run(step, {} if value is None else {x: value})
        return w.tolist(), optimizer.param_groups[0][name]

    w = wf.Variable(wf.tensor([1.0, 2.0]))
    optimizer = wf.optim.SGD([w], lr=0.1, momentum=0.5)
    optimizer.param_groups[0][name] = 0.25
    for _ in range(3):
        optimizer.minimize(lambda: wf.sum(w * w))
    assert trained(0.125) == (w.tolist(), 0.25) != trained(None)


def test_a_number_that_is_set_in_a_graph_is_set_by_its_steps():
    w = wf.Variable(1.0)
    optimizer = wf.optim.SGD([w], lr=0.5)
    with wf.Graph() as g:
        optimizer.lr = 0.25
        step = optimizer.minimize(w * w)
    assert optimizer.lr == 0.5
    wf.Session(g).run(step)
    assert w.item() == 0.5 and optimizer.lr == 0.25
    other = wf.Graph()
    with other:
        plain = optimizer.minimize(w * w)
    optimizer.lr = 0.5
    wf.Session(other).run(plain)
    assert w.item() == 0.0 and optimizer.lr == 0.5


def test_minimize_of_a_function_gives_the_operation_in_a_graph():
    w, u = wf.Variable(1.0), wf.Variable(1.0)
    optimizer, inner = wf.optim.SGD([w], lr=0.25), wf.optim.SGD([u], lr=0.25)
    with wf.Graph() as g:
        step = optimizer.minimize(lambda: w * w)
        loss = wf.function(lambda: inner.minimize(lambda: u * u))()  # part of the function: its loss
    assert isinstance(step, wf.Operation) and wf.Session(g).run(step) is None and w.item() == 0.5
    assert wf.Session(g).run(loss) == 1.0 and u.item() == 0.5


def test_averages_and_schedules_give_operations():
    with wf.Graph() as g:
        w = wf.Variable([1.0], name="w")
        optimizer, ema = wf.optim.SGD([w], lr=0.5), wf.optim.EMA([w], 0.5)
        schedule = wf.optim.schedules.Linear(optimizer, 2, start=0.5)
        plateau = wf.optim.schedules.Plateau(wf.optim.SGD([w], lr=1.0), factor=0.5, patience=0)
        metric = wf.placeholder(wf.float32, (), "metric")
        operations = [ema.update(), ema.swap(), schedule.step(), plateau.step(metric)]
        with pytest.raises(wf.InvalidError, match=r"EMA: applied\(\) swaps .*\[EMA.graph\]"), ema.applied():
            pass
    assert all(isinstance(one, wf.Operation) for one in operations)
    update, swap, move, worse = operations
    s = wf.Session(g)
    assert optimizer.lr == 0.25 and schedule.count == 0  # the first rate is there from the beginning
    w.assign([3.0])
    assert s.run(update) is None and ema.averages[0].tolist() == [2.0]
    s.run(swap)
    assert w.tolist() == [2.0] and ema.averages[0].tolist() == [3.0]
    s.run(move)
    assert optimizer.lr == 0.375 and schedule.count == 1
    for _ in range(2):
        s.run(worse, {metric: 1.0})
    assert plateau._optimizer.lr == 0.5


def test_in_functions_they_give_nothing_and_are_part_of_it():
    w = wf.Variable([1.0])
    optimizer, ema = wf.optim.SGD([w], lr=0.5), wf.optim.EMA([w], 0.5)
    schedule = wf.optim.schedules.Exponential(optimizer, 0.5)

    @wf.function
    def train():
        loss = optimizer.minimize(lambda: wf.sum(w * w))
        assert ema.update() is None and schedule.step() is None
        return loss

    train()
    assert w.tolist() == [0.0] and ema.averages[0].tolist() == [0.5] and optimizer.lr == 0.25
