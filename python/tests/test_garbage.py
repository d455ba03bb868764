"""Cycles through objects of the library are seen by Python's garbage collector, and globals of a module end with it."""

import gc
import os
import subprocess
import sys
import time
import weakref

import pytest

import weft as wf

Dataset = wf.data.Dataset


class Owner:
    """Whose method is the function, and who holds what was made with it: a cycle."""

    def f(self, x):
        return x

    def is_even(self, x):
        return x.item() % 2 == 0

    def rows(self, x):
        return Dataset.range(2).map(self.f)

    def elements(self):
        yield from range(3)


CYCLES = {
    "map": lambda o: Dataset.range(4).map(o.f),
    "parallel map": lambda o: Dataset.range(4).map(o.f, num_parallel_calls=2),
    "filter": lambda o: Dataset.range(4).filter(o.is_even),
    "flat_map": lambda o: Dataset.range(4).flat_map(o.rows),
    "interleave": lambda o: Dataset.range(4).interleave(o.rows),
    "bucket_by_length": lambda o: Dataset.range(4).map(lambda i: wf.ones((i.item(),))).bucket_by_length(lambda x: len(o.f(x)), [2], [1, 1]),
    "from_generator": lambda o: Dataset.from_generator(o.elements),
    "steps behind it": lambda o: Dataset.range(4).map(o.f).shuffle(4).batch(2).repeat(2).prefetch(1).cache(),
    "zip": lambda o: Dataset.zip(Dataset.range(4), Dataset.range(4).map(o.f)),
    "concatenate": lambda o: Dataset.range(4).concatenate(Dataset.range(4).map(o.f)),
}


def is_freed(make):
    """Of an object that holds what `make` makes of it."""
    owner = Owner()
    owner.made = make(owner)
    gone = weakref.ref(owner)
    del owner
    for _ in range(50):  # threads of iterators take a moment to end
        gc.collect()
        if gone() is None:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("name", CYCLES)
def test_cycles_through_datasets_are_freed(name):
    assert is_freed(CYCLES[name])
    assert is_freed(lambda o: [list(CYCLES[name](o)), CYCLES[name](o)])


@pytest.mark.parametrize("name", [name for name in CYCLES if name not in ("from_generator", "flat_map", "interleave")])
def test_cycles_through_iterators_are_freed(name):
    assert is_freed(lambda o: iter(CYCLES[name](o)))


def ended_observer(owner):
    out = wf.observe(owner.f)
    out.remove()
    return out


@pytest.mark.parametrize("make", (lambda o: wf.function(lambda x: o.f(x)), ended_observer),
                         ids=("function", "observer"))
def test_cycles_through_functions_and_observers_are_freed(make):
    assert is_freed(make)


def hooked(o):
    w = wf.Variable([1.0, 2.0])
    w.register_hook(lambda g: o.f(g) * 2.0)
    wf.sum(w * 3.0).backward()
    assert w.grad.tolist() == [6.0, 6.0]
    return w


def test_cycles_through_hooks_of_variables_are_freed():
    assert is_freed(hooked)
    assert is_freed(lambda o: wf.nn.Linear(2, 1).weight.register_hook(o.f))


def test_a_hook_stays_while_anything_holds_its_variable():
    """Also where only C++ does: an optimizer, or the record of a loss."""
    calls = []

    class Watched:
        def __init__(self):
            self.w = wf.Variable(1.0)
            self.w.register_hook(self.seen)

        def seen(self, g):
            calls.append(g.item())
            return g * 2.0

    optimizer = wf.optim.SGD([Watched().w], lr=1.0)
    loss = Watched().w * 5.0
    for _ in range(3):
        gc.collect()
    optimizer.minimize(lambda: optimizer.parameters[0] * 3.0)
    loss.backward()
    assert calls == [3.0, 5.0] and optimizer.parameters[0].item() == -5.0


def test_a_removed_hook_lets_go_of_its_function():
    w = wf.Variable(1.0)
    for x in (w, w * 2.0):
        owner = Owner()
        handle = x.register_hook(owner.f)
        gone = weakref.ref(owner)
        handle.remove()
        handle.remove()
        del owner
        assert gone() is None

    def once(g):
        handle.remove()
        return g * 10.0

    handle = w.register_hook(once)
    (w * 1.0).backward()
    (w * 1.0).backward()
    assert w.grad.item() == 11.0


def scheduled(o, wrap=lambda optimizer, schedule: schedule):
    optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=1.0)
    schedule = wf.optim.schedules.Schedule(optimizer, lambda t: o.f(1.0 / (t + 1.0)))
    schedule.step()
    assert optimizer.lr == 0.5
    return wrap(optimizer, schedule)


SCHEDULES = {
    "schedule": lambda optimizer, schedule: schedule,
    "factor": lambda optimizer, schedule: schedule.factor,
    "chained": lambda optimizer, schedule: wf.optim.schedules.Chained(optimizer, [schedule]),
    "sequential": lambda optimizer, schedule: wf.optim.schedules.Sequential(optimizer, [schedule, schedule], [2]),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_cycles_through_schedules_are_freed(name):
    assert is_freed(lambda o: scheduled(o, SCHEDULES[name]))


def test_schedules_hold_their_functions():
    optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=1.0)
    factor = wf.optim.schedules.Schedule(wf.optim.SGD([wf.Variable(1.0)], lr=1.0), lambda t: t * 2.0).factor
    chained = wf.optim.schedules.Chained(optimizer, [wf.optim.schedules.Schedule(optimizer, lambda t: 1.0 / (t + 1.0))])
    gc.collect()
    chained.step()
    assert factor(wf.tensor(3.0, dtype=wf.float64)).item() == 6.0 and optimizer.lr == 0.5


def test_optimizers_of_users_are_freed():
    class Plain(wf.optim.Optimizer):
        def update(self, p, g, state, lr, t):
            return p - g * lr, {}

    w = wf.Variable(1.0)
    optimizer = Plain([w], lr=0.5)
    optimizer.minimize(lambda: w * w)
    assert w.item() == 0.0
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


def test_iterators_hold_the_functions_of_their_datasets():
    it = iter(Dataset.range(4).map(lambda i: i * 2).prefetch(1))
    gc.collect()
    assert [x.item() for x in it] == [0, 2, 4, 6]
    nested = iter(Dataset.range(3).flat_map(lambda i: Dataset.range(2).map(lambda k: k * i)))
    gc.collect()
    assert [x.item() for x in nested] == [0, 0, 0, 1, 0, 2]
    with wf.Graph():
        x = Dataset.range(2).map(lambda i: i + 5).make_one_shot_iterator().get_next()
        gc.collect()
        session = wf.Session()
        assert [session.run(x).item() for _ in range(2)] == [5, 6]


@pytest.mark.parametrize("body", (
    "d = wf.data.Dataset.range(100).map(f)",
    "d = wf.data.Dataset.range(100).map(f); [0 for _ in d]",
    "d = wf.data.Dataset.range(100).map(f, num_parallel_calls=2); it = iter(d); next(it)",
    "d = wf.data.Dataset.range(100).filter(f).batch(2); it = iter(d)",
))
def test_globals_of_a_module_end_with_it(body, tmp_path):
    """What is written to an unclosed file is there."""
    code = f"import csv, weft as wf\nlog = csv.writer(open('rows.csv', 'w'))\nlog.writerow([1, 2, 3])\ndef f(x): return x * 2\n{body}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=tmp_path,
                   env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(wf.__file__)))})
    assert (tmp_path / "rows.csv").read_text() == "1,2,3\n"


def test_a_module_whose_parameters_were_listed_is_freed_with_its_last_reference():
    gc.collect()
    gc.disable()
    try:
        model = wf.nn.Sequential(wf.nn.Linear(2, 2), wf.nn.BatchNorm1d(2))
        held = weakref.ref(model)
        model.parameters(), model.buffers(), model.state_dict(), list(model.named_parameters())
        del model
        assert held() is None
    finally:
        gc.enable()
