"""Variables written in place by functions and sessions: what others hold stays as it is, whoever they are."""

import threading

import numpy as np
import pytest

import weft as wf

SIZE = 5000
X = np.linspace(0.5, 1.5, SIZE, dtype=np.float32)


def place_of(v):
    return v.detach().numpy().ctypes.data


def start():
    return wf.Variable(wf.tensor(np.linspace(-1, 1, SIZE, dtype=np.float32)))


def by_hand(v):
    return lambda x: v.assign_sub(x * 0.1)


def by_a_formula(v):
    return lambda x: v.assign(v * 0.9 + wf.tanh(x) * wf.sum(x))


def by_an_optimizer(v):
    optimizer = wf.optim.SGD([v], lr=0.1)
    return lambda x: optimizer.apply_gradients([(x * 2.0, v)])


def stepper(mode, program):
    """What runs the program once, on a NumPy array."""
    def alone(x):
        program(x)

    if mode != "session":
        step = alone if mode == "eager" else wf.function(alone)
        return lambda x: step(wf.tensor(x))
    with wf.Graph() as graph:
        x = wf.placeholder(wf.float32, (SIZE,), name="x")
        train = program(x)
    session = wf.Session(graph)

    def run(value):
        session.run(train, {x: value})
    return run


MODES = ("function", "session")
PROGRAMS = (by_hand, by_a_formula, by_an_optimizer)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
def test_a_step_writes_where_the_value_is(mode, program):
    eager, v = start(), start()
    expected, step = stepper("eager", program(eager)), stepper(mode, program(v))
    expected(X), step(X)
    place = place_of(v)
    for k in range(4):
        expected(X * k), step(X * k)
        assert place_of(v) == place
    assert wf.fingerprint(v) == wf.fingerprint(eager)


HOLDERS = {
    "a tensor": lambda v: v.detach(),
    "a view": lambda v: v.detach()[10:20],
    "an array": lambda v: v.numpy(),
    "a part of an array": lambda v: v.numpy()[::7],
    "DLPack": lambda v: np.from_dlpack(v.detach()),
    "another Variable": lambda v: wf.Variable(v.detach()),
    "what is recorded": lambda v: v * v,
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("holder", HOLDERS)
def test_who_holds_the_value_keeps_it(mode, program, holder):
    v = start()
    step = stepper(mode, program(v))
    step(X), step(X)
    held = HOLDERS[holder](v)
    values = lambda: np.array(held if isinstance(held, np.ndarray) else held.detach().numpy())
    before, whole = values(), np.array(v.numpy())
    step(X)
    assert (values() == before).all()
    assert (v.numpy() != whole).any()
    if holder == "what is recorded":
        wf.sum(held).backward()
        assert np.allclose(v.grad.numpy(), 2 * whole)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
def test_memory_of_others_is_not_written(mode, program):
    array = np.ones(SIZE, dtype=np.float32)
    v = wf.Variable(wf.asarray(array))
    step = stepper(mode, program(v))
    step(X), step(X)
    assert (array == 1.0).all() and (v.numpy() != 1.0).all()


def test_fetched_arrays_stay():
    v = start()
    with wf.Graph() as g:
        old = v.read()
        new = v.assign(old * 2.0)
    session = wf.Session(g)
    fetched = [session.run([old, new]) for _ in range(4)]
    first = np.linspace(-1, 1, SIZE, dtype=np.float32)
    for k, (a, b) in enumerate(fetched):
        assert (a == first * 2 ** k).all() and (b == first * 2 ** (k + 1)).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_step_by_hand_takes_no_second_copy(mode):
    sizes = [(1000, 1000), (1000,), (1000, 1000)]
    variables = [wf.Variable(wf.ones(size) * 0.5) for size in sizes]
    momenta = [wf.Variable(wf.ones(size) * 0.0, trainable=False) for size in sizes]

    def program(x):
        steps = []
        for v, m in zip(variables, momenta):
            steps.append(m.assign(m * 0.9 + v * wf.mean(x)))
            steps.append(v.assign_sub(m * 0.01))
        return wf.group(*steps) if mode == "session" else None

    step = stepper(mode, program)
    step(X), step(X)
    places = [place_of(v) for v in variables + momenta]
    before = wf.memory.live()
    wf.memory.reset_peak()
    step(X)
    assert [place_of(v) for v in variables + momenta] == places
    assert wf.memory.peak() - before < 1_000_000  # of 16 MB


@pytest.mark.parametrize("mode", MODES)
def test_readers_on_other_threads_see_whole_values(mode):
    v = wf.Variable(wf.zeros(SIZE) + 0.0)
    step = stepper(mode, lambda x: v.assign_add(x * 0.0 + 1.0))
    step(X)
    done, broken = threading.Event(), []

    def read():
        while not done.is_set():
            array = v.numpy()
            copy = np.array(array)
            if (copy != copy[0]).any() or (array != copy).any():
                broken.append(copy)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        step(X)
    done.set()
    for thread in threads:
        thread.join()
    assert not broken and v.numpy()[0] == 201.0


def test_sessions_and_functions_that_write_one_variable():
    v = wf.Variable(wf.zeros(SIZE) + 0.0)
    steps = [stepper(mode, lambda x: v.assign_add(x * 0.0 + 1.0)) for mode in MODES]

    def run(step):
        for _ in range(100):
            step(X)

    threads = [threading.Thread(target=run, args=(step,)) for step in steps * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (v.numpy() == 400.0).all()
