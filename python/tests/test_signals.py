"""Signals, forks and the exit of the process, while Weft is at work: each program is a process of its own."""

import os
import subprocess
import sys

import pytest

import weft as wf


def run(code, timeout=60):
    """What a program prints; it must end by itself, in order."""
    out = subprocess.run([sys.executable, "-c", code], timeout=timeout, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(wf.__file__))})
    assert out.returncode == 0, (out.returncode, out.stdout, out.stderr[-2000:])
    return out.stdout


# --- the exit ---

AT_WORK = {
    "iterate": "for e in wf.data.Dataset.range(10**9).map(lambda i: (time.sleep(.001), i)[1], num_parallel_calls=3).prefetch(4): pass",
    "filter": "next(iter(wf.data.Dataset.range(10**12).filter(lambda i: time.sleep(.001)).prefetch(1)))",
    "call": "while True: wf.function(lambda x: x @ x)(x)",
    "op": "while True: x @ x",
    "grad": "while True: wf.grad(lambda x: (time.sleep(.001), (x * x).sum())[1])(x)",
    "vmap": "while True: wf.vmap(lambda x: (time.sleep(.001), x * x)[1])(x)",
    "session": "s = wf.Session(g)\n    while True: s.run(y)",
    "save": "while True: wf.save(path, {'x': x})",
    "svd": "wf.linalg.svd(wf.randn((1500, 1500)))",
    "sort": "wf.sort(wf.rand(3 * 10**7))",
}


@pytest.mark.parametrize("work", AT_WORK)
def test_the_process_exits_while_a_daemon_thread_is_at_work(work, tmp_path):
    run("import threading, time, weft as wf\n"
        f"path = {str(tmp_path / 'x.safetensors')!r}\n"
        "x = wf.ones((64, 64))\n"
        "with wf.Graph() as g: y = x @ x\n"
        f"def work():\n    {AT_WORK[work]}\n"
        "for _ in range(2): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(.3)")


# --- Ctrl-C ---

INTERRUPT = """
import os, signal, sys, threading, time, weft as wf
signal.signal(signal.SIGINT, signal.default_int_handler)
def kill():
    time.sleep(.3); global sent; sent = time.monotonic(); os.kill(os.getpid(), signal.SIGINT)
{setup}
threading.Thread(target=kill).start()
try:
    {work}
    raise SystemExit('not interrupted')
except KeyboardInterrupt:
    late = time.monotonic() - sent
    assert late < 5, late  # 1 s, and as much as a loaded machine adds
"""
LONG = {  # name: (what is there before, what takes some seconds at least)
    "svd": ("x = wf.randn((1800, 1800))", "wf.linalg.svd(x)"),
    "svd of a batch": ("x = wf.randn((3, 1500, 1500))", "wf.linalg.svd(x)"),
    "svd in a function": ("x = wf.randn((1800, 1800)); f = wf.function(wf.linalg.svd)", "f(x)"),
    "eigh": ("x = wf.randn((2500, 2500))", "wf.linalg.eigh(x)"),
    "qr": ("x = wf.randn((3500, 3500))", "wf.linalg.qr(x)"),
    "cumulative_sum": ("x = wf.ones(10**8)", "for _ in range(9): wf.cumulative_sum(x)"),
    "cumulative_sum in a function": ("x = wf.ones(10**8); f = wf.function(lambda x: wf.cumulative_sum(x) + 1)", "for _ in range(9): f(x)"),
    "sort": ("x = wf.rand(5 * 10**7)", "wf.sort(x)"),
    "unique": ("x = wf.rand(5 * 10**7)", "wf.unique_all(x)"),
    "median": ("x = wf.rand(5 * 10**7)", "wf.median(x)"),
    "permutation": ("", "wf.random.permutation(wf.random.Key(0), 10**8)"),
    "segment_min": ("x, i = wf.ones(10**6), wf.arange(10**6)", "for _ in range(99): wf.segment_min(x, i, 10**8)"),
    "fft": ("x = wf.rand(2**25)", "for _ in range(9): wf.fft.rfft(x)"),
    "softmax": ("x = wf.rand((1, 10**8))", "for _ in range(9): wf.nn.softmax(x)"),
    "tolist": ("x = wf.ones(10**7)", "for _ in range(99): x.tolist()"),
    "matmul": ("x = wf.ones((6000, 6000))", "for _ in range(9): x @ x"),
    "skip": ("d = wf.data.Dataset.range(10**12).repeat().skip(10**11)", "next(iter(d))"),
    "filter ahead": ("d = wf.data.Dataset.range(10**12).filter(lambda i: i < 0).prefetch(1)", "next(iter(d))"),
    "shuffle": ("d = wf.data.Dataset.range(10**12).filter(lambda i: True).shuffle(10**8)", "next(iter(d))"),
    "batch": ("d = wf.data.Dataset.range(10**9).map(lambda i: i).batch(10**8)", "next(iter(d))"),
    "while_loop": ("", "wf.function(lambda: wf.while_loop(lambda i: i < 10**12, lambda i: i + 1, [wf.tensor(0)]))()"),
}


def chosen(names, count):
    """Others at each commit."""
    here = os.path.dirname(os.path.abspath(__file__))
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=here).stdout.strip() or "0"
    names = list(names)
    first = int(head, 16) % len(names)
    return (names[first:] + names[:first])[:count]


@pytest.mark.parametrize("name", ["svd", "cumulative_sum in a function", *chosen(LONG, 3)])
def test_ctrl_c_ends_what_takes_long(name):
    setup, work = LONG[name]
    run(INTERRUPT.format(setup=setup, work=work))  # what was left behind neither delays nor crashes the exit


def test_what_a_handler_raises_is_what_the_caller_gets():
    run("import signal, weft as wf\n"
        "class Timeout(Exception): pass\n"
        "def late(*_): raise Timeout('late')\n"
        "signal.signal(signal.SIGALRM, late)\n"
        "x, y = wf.rand(3 * 10**7), wf.ones((1500, 1500))\n"
        "pass_over = lambda: next(iter(wf.data.Dataset.range(10**12).filter(lambda i: i < 0).prefetch(1)))\n"
        "step = wf.function(lambda y: [y := y @ y for _ in range(400)][-1])\n"
        "for work in (lambda: wf.linalg.svd(y), lambda: wf.sort(x), lambda: [y @ y for _ in range(999)], lambda: step(y), pass_over):\n"
        "    signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "    try: work(); raise SystemExit('not interrupted')\n"
        "    except Timeout as error: assert error.args == ('late',)\n"
        "assert wf.ones(3).sum().item() == 3", timeout=120)


# --- forks ---

FORKED = """
import os, signal, sys, threading, time, weft as wf
def in_child(work):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try: work()
        except BaseException as error: print(repr(error), file=sys.stderr, flush=True); os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_iterators_with_threads_say_what_to_do_in_a_forked_child():
    run(FORKED + """
data = wf.data.Dataset.range(1000).map(lambda i: (time.sleep(.001), i * 2)[1], num_parallel_calls=2).prefetch(2)
it = iter(data)
next(it)
state = it.state_dict()
def work():
    for call in (lambda: next(it), it.state_dict):
        try: call(); raise SystemExit('no error')
        except wf.InvalidError as error:
            assert str(error) == ("data: the iterator has threads of the process that this one was forked from; make another one, by "
                                  "iter(dataset), in the child, or load_state_dict of what state_dict() gave before the fork into it "
                                  "[data.forked]"), error
    assert [x.item() for x in data.take(3)] == [0, 2, 4]
    it.load_state_dict(state)
    assert [next(it).item() for _ in range(3)] == [2, 4, 6]
in_child(work)
assert [next(it).item() for _ in range(3)] == [2, 4, 6]
""")


def test_an_iterator_that_has_not_begun_works_in_a_forked_child():
    run(FORKED + """
it = iter(wf.data.Dataset.range(20).map(lambda i: i * 2, num_parallel_calls=2).prefetch(2))
def work(): assert [x.item() for x in it] == list(range(0, 40, 2))
in_child(work)
work()
""")


def test_a_forked_child_computes_and_trains():
    run(FORKED + """
count, x = wf.Variable(0.0), wf.rand((600, 600))
@wf.function
def step(x):
    count.assign_add(1.0)
    return wf.rand((600, 600)) @ x
def train():
    while True: step(x)
step(x)
threading.Thread(target=train, daemon=True).start()  # holds the turn of the Variable when the process forks
model = wf.nn.Linear(600, 2)
model.compile(wf.optim.SGD(model.parameters(), lr=0.1), 'cross_entropy')
def work():
    assert step(x).shape == (600, 600) and (x @ x).sum().item() > 0
    wf.linalg.svd(x); wf.sort(wf.rand(5 * 10**6))
    model.fit(x, wf.zeros(600, dtype='int64'), verbose=0)
for _ in range(5): in_child(work)
""", timeout=120)


def test_a_save_under_way_is_the_parents(tmp_path):
    run(FORKED + f"""
x = wf.Variable(wf.rand((4000, 4000)))
manager = wf.CheckpointManager({str(tmp_path)!r}, asynchronous=True, x=x)
manager.save(1)
in_child(manager.wait)
manager.wait()
assert manager.steps() == [1] if callable(manager.steps) else manager.steps == [1]
""")
