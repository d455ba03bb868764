"""Tapes of a million ops: recorded, swept and destroyed without recursion, in little memory that falls on the way."""

import subprocess
import sys
import threading

import pytest

import weft as wf

COUNT = 10**6
BYTES_PER_OP = 160


def chain(x, count):
    y = x
    for _ in range(count):
        y = y * 1.000001
    return y


@pytest.fixture
def small_stack():
    """A thread whose stack would not hold a recursion a million deep (nor a tenth of that)."""
    old = threading.stack_size(256 * 1024)

    def run(f):
        out = []

        def call():
            try:
                out.append((f(), None))
            except BaseException as error:  # handed on to the test
                out.append((None, error))

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        value, error = out[0]
        if error is not None:
            raise error
        return value

    yield run
    threading.stack_size(old)


def bytes_of_value():
    """What the allocator counts for one scalar."""
    before = wf.memory.live()
    kept = wf.tensor(1.0) * 2.0
    size = wf.memory.live() - before
    del kept
    return size


def test_a_million_ops_fit_in_160_bytes_each(small_stack):
    def run():
        value = bytes_of_value()
        x = wf.Variable(1.0)
        start = wf.memory.live()
        y = chain(x, COUNT)
        tape = wf.memory.live() - start
        # A product by a number saves the number, a scalar of its own at most.
        assert tape <= COUNT * (BYTES_PER_OP + value), (tape / COUNT, value)
        y.backward()
        assert abs(x.grad.item() / 1.000001**COUNT - 1) < 0.1  # float32 rounds a million times
        del y
        return wf.memory.live() - start

    assert small_stack(run) < 1e6


@pytest.mark.parametrize("name, f, saved", [
    ("add a number", lambda y, x: y + 1.0, 0),
    ("add a variable", lambda y, x: y + x, 0),
    ("negative", lambda y, x: -y, 0),
    ("tanh", lambda y, x: wf.tanh(y), 1),
    ("multiply by a variable", lambda y, x: y * x, 1),
])
def test_bytes_of_a_record(name, f, saved):
    value, count = bytes_of_value(), 20000
    x = wf.Variable(1.0)
    start, y = wf.memory.live(), x
    for _ in range(count):
        y = f(y, x)
    assert (wf.memory.live() - start) / count <= BYTES_PER_OP + saved * value + 1


def test_an_unused_tape_is_destroyed_without_recursion(small_stack):
    def run():
        x = wf.Variable(1.0)
        start = wf.memory.live()
        y = chain(x, COUNT)
        assert wf.memory.live() - start > COUNT * 32
        del y
        return wf.memory.live() - start

    assert small_stack(run) < 1e6


def test_memory_falls_during_the_sweep():
    x = wf.Variable(1.0)
    live = []

    class Probe(wf.Function):
        @staticmethod
        def forward(ctx, v):
            return v * 1.0

        @staticmethod
        def backward(ctx, g):
            live.append(wf.memory.live())
            return g * 1.0

    y = x * 1.0
    for _ in range(10):
        y = Probe.apply(chain(y, 20000))
    full = wf.memory.live()
    y.backward()
    assert len(live) == 10
    steps = [a - b for a, b in zip(live, live[1:])]
    assert all(step > 20000 * 32 for step in steps), steps  # every stretch is freed before the next is swept
    assert full - live[-1] > 0.8 * (full - live[-1] + live[-1] - wf.memory.live())


def test_large_values_are_freed_during_the_sweep():
    w = wf.Variable(wf.ones((1000,)))
    y = w * 1.0
    for _ in range(200):
        y = wf.tanh(y)
    loss = y.sum()
    del y
    full = wf.memory.live()
    wf.memory.reset_peak()
    loss.backward()
    # Cotangents take the room of what the sweep frees: at most a few values more than the tape itself.
    assert wf.memory.peak() - full < 20 * 4000


def test_a_loop_that_never_calls_backward_does_not_grow():
    w = wf.Variable(wf.ones((64,)))
    x = wf.ones((64,))
    seen = []
    for step in range(3000):
        loss = (wf.tanh(w * x) * w).sum()
        loss.item()
        if step % 1000 == 999:
            seen.append(wf.memory.live())
    assert seen[-1] <= seen[0]


def test_the_process_ends_with_a_long_tape_alive():
    code = ("import weft as wf\nx = wf.Variable(1.0)\ny = x\n"
            "for _ in range(300000): y = y * 1.000001\nprint('end')")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                         env={"PYTHONPATH": wf.__path__[0] + "/.."})
    assert out.returncode == 0 and out.stdout == "end\n", out.stderr
