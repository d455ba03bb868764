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

# A timer sends the signal: a thread would have to wait for the GIL, which work that does not poll may hold.
INTERRUPT = """
import os, signal, sys, threading, time, weft as wf
signal.signal(signal.SIGALRM, signal.default_int_handler)
path = {path!r}
{setup}
sent = time.monotonic() + .3
signal.setitimer(signal.ITIMER_REAL, .3)
try:
    {work}
    raise SystemExit('not interrupted')
except KeyboardInterrupt:
    late = time.monotonic() - sent
    assert late < 5, late  # 1 s, and as much as a loaded machine adds
"""
CHAIN = "with wf.Graph() as g:\n    x = y = wf.placeholder('float32', (2,), name='x')\n    for i in range(3 * 10**4): y = wf.sin(y) + i\n"
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
    "save": ("x = wf.ones(2 * 10**8)", "for _ in range(9): wf.save(path + '.safetensors', {'x': x})"),
    "wait for a checkpoint": ("m = wf.CheckpointManager(path, asynchronous=True, x=wf.Variable(wf.ones(2 * 10**8)))",
                              "for i in range(9): m.save(i); m.wait()"),
    "tolist of rows": ("x = wf.ones((10**4, 10**3))", "for _ in range(99): x.tolist()"),
    "tensor of a list": ("x = [1.0] * 10**8", "for _ in range(9): wf.tensor(x)"),
    "tensor of rows": ("x = [[1.0] * 1000] * 10**5", "for _ in range(9): wf.asarray(x)"),
    "fingerprint": ("x = wf.rand(3 * 10**8)", "for _ in range(9): wf.fingerprint(x)"),
    "backward": ("x = wf.Variable(1.0); y = x * 1\nfor _ in range(2 * 10**5): y = y * 1.0", "for _ in range(99): y.backward(retain_graph=True)"),
    "parse": (CHAIN + "text = str(g)", "for _ in range(99): wf.Graph.parse(text)"),
    "compile": (CHAIN, "for _ in range(99): wf.Session(g).run(y, {x: [1.0, 2.0]})"),
    "gradients": (CHAIN, "\n    with g: [wf.gradients(y, [x]) for _ in range(99)]"),
    "draw": (CHAIN, "for _ in range(99): g.draw()"),
    "fit": ("m = wf.nn.Sequential(wf.nn.Linear(300, 300), wf.nn.Linear(300, 1)); "
            "m.compile(wf.optim.SGD(m.parameters(), lr=1e-9), 'mse')",
            "m.fit(wf.ones((10**5, 300)), wf.ones((10**5, 1)), epochs=99, verbose=0)"),
    "predict": ("m = wf.nn.Sequential(wf.nn.Linear(300, 300), wf.nn.Linear(300, 1))", "for _ in range(99): m.predict(wf.ones((10**5, 300)))"),
    "cache": ("d = wf.data.Dataset.range(10**9).map(lambda i: i).cache(path)", "for _ in d: pass"),
    "while_loop": ("", "wf.function(lambda: wf.while_loop(lambda i: i < 10**12, lambda i: i + 1, wf.tensor(0)))()"),
}


def chosen(names, count):
    """Others at each commit."""
    here = os.path.dirname(os.path.abspath(__file__))
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=here).stdout.strip() or "0"
    names = list(names)
    first = int(head, 16) % len(names)
    return (names[first:] + names[:first])[:count]


@pytest.mark.parametrize("name", ["svd", "cumulative_sum in a function", *chosen(LONG, 3)])
def test_ctrl_c_ends_what_takes_long(name, tmp_path):
    setup, work = LONG[name]
    run(INTERRUPT.format(setup=setup, work=work, path=str(tmp_path / "x")))  # what was left behind neither delays nor crashes the exit


def test_what_a_handler_raises_is_what_the_caller_gets():
    run("import signal, weft as wf\n"
        "class Timeout(Exception): pass\n"
        "def late(*_): raise Timeout('late')\n"
        "signal.signal(signal.SIGALRM, late)\n"
        "x, y = wf.rand(3 * 10**7), wf.ones((1500, 1500))\n"
        "pass_over = lambda: next(iter(wf.data.Dataset.range(10**12).filter(lambda i: i < 0).prefetch(1)))\n"
        "step = wf.function(lambda y: [y := y @ y for _ in range(400)][-1])\n"
        "again = lambda f, x: [f(x) for _ in range(99)]\n"
        "for work in (lambda: again(wf.linalg.svd, y), lambda: again(wf.sort, x), lambda: again(lambda y: y @ y, y), lambda: step(y), pass_over):\n"
        "    signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "    try: work(); raise SystemExit('not interrupted')\n"
        "    except Timeout as error: assert error.args == ('late',)\n"
        "assert wf.ones(3).sum().item() == 3", timeout=120)


HANDLED = """
import signal, time, weft as wf
class Timeout(Exception): pass
def late(*_): raise Timeout('late')
signal.signal(signal.SIGALRM, late)
x = wf.ones((64, 8))
def model():
    out = wf.nn.Sequential(wf.nn.Linear(8, 8), wf.nn.Linear(8, 1))
    out.compile(wf.optim.SGD(out.parameters(), lr=1e-9), 'mse')
    return out
def for_ever(*args):
    while True: pass
def sleep(*args):
    time.sleep(60)
    return args[0] if args else None
class Callback(wf.callbacks.Callback):
    def on_batch_end(self, *args, **keywords): sleep()
@wf.custom_gradient
def custom(x): return x * 2, sleep
def taped(f):
    w = wf.Variable(wf.ones(3))
    w.register_hook(f)
    (w * 2).sum().backward()
def hooked():
    m = wf.nn.Linear(8, 1)
    m.register_forward_hook(sleep)
    m(x)
def observed():
    with wf.observe(sleep): x + 1
def host(x):
    time.sleep(60)
    return x
{setup}
signal.setitimer(signal.ITIMER_REAL, 0.2)
try: {work}; raise SystemExit('not interrupted')
except Timeout as error: assert error.args == ('late',) and type(error) is Timeout
assert wf.ones(3).sum().item() == 3 and wf.function(lambda x: x + 1)(x).shape == (64, 8)
"""
WITH_USER_CODE = {  # what runs code of the user: an exception of a handler passes through all of it as it is
    "fit": "model().fit(x, wf.ones((64, 1)), epochs=10**6, verbose=0)",
    "fit with a callback": "model().fit(x, wf.ones((64, 1)), epochs=10**6, verbose=0, callbacks=[Callback()])",
    "fit of a mapped dataset": "model().fit(wf.data.Dataset.from_tensor_slices((x, wf.ones((64, 1)))).map(lambda *e: sleep(e)).batch(8), verbose=0)",
    "predict": "[model().predict(x) for _ in range(10**6)]",
    "map": "list(wf.data.Dataset.range(9).map(sleep))",
    "parallel map": "list(wf.data.Dataset.range(9).map(sleep, num_parallel_calls=2).prefetch(2))",
    "filter": "list(wf.data.Dataset.range(9).filter(sleep))",
    "from_generator": "list(wf.data.Dataset.from_generator(lambda: iter(sleep, 0)))",
    "flat_map": "list(wf.data.Dataset.range(9).flat_map(sleep))",
    "trace": "wf.function(sleep)(x)",
    "trace of a loop": "wf.function(for_ever)(x)",
    "trace of a module": "wf.function(hooked)()",
    "grad": "wf.grad(lambda x: sleep(x).sum())(x)",
    "vmap": "wf.vmap(sleep)(x)",
    "custom backward": "wf.grad(lambda x: custom(x).sum())(x)",
    "custom backward in a function": "wf.function(wf.grad(lambda x: custom(x).sum()))(x)",
    "hook": "taped(sleep)",
    "forward hook": "hooked()",
    "observer": "observed()",
    "cond": "wf.cond(True, sleep, sleep, x)",
    "traced cond": "wf.function(lambda x: wf.cond(x.sum() > 0, sleep, sleep, x))(x)",
    "while_loop": "wf.while_loop(lambda i: i < 9, sleep, wf.tensor(0))",
    "scan": "wf.scan(lambda c, x: sleep((c, x)), x[0], x)",
    "checkpoint": "wf.grad(lambda x: wf.checkpoint(sleep)(x).sum())(x)",
}


@pytest.mark.parametrize("name", chosen(WITH_USER_CODE, 8))
def test_what_a_handler_raises_passes_through_user_code(name):
    run(HANDLED.replace("{setup}", "").replace("{work}", WITH_USER_CODE[name]))


# --- forks ---

FORKED = """
import os, signal, sys, threading, time, weft as wf
def in_child(work):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.alarm(30)
        try: work()
        except BaseException as error: print(repr(error), file=sys.stderr, flush=True); os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_children_work_whatever_other_threads_did_at_the_fork(tmp_path):
    """Locks that another thread holds at a fork stay held in the child for ever, unless the fork waits or the child renews them."""
    run(FORKED + f"""
import itertools, logging
path = {str(tmp_path)!r}
numbers = itertools.count()
w = wf.Variable(wf.ones((50, 50)))
model = wf.nn.Linear(4, 2)
optimizer = wf.optim.Adam(model.parameters(), lr=1e-3)
with wf.Graph() as g:
    p = wf.placeholder('float32', (None, 4), name='p')
    q = wf.tanh(p) @ wf.ones((4, 4))
session = wf.Session(g)
shared = wf.function(lambda x: wf.sin(x) * w)
data = wf.data.Dataset.range(20).map(lambda i: i * 2, num_parallel_calls=2).prefetch(2)
log = logging.getLogger('x')
def allocate(): [wf.ones(int(n)) for n in (3, 1000, 10**5)]
def compute(): assert (w + 1).shape == (50, 50); wf.linalg.solve(wf.eye(3), wf.ones(3)); wf.fft.rfft(wf.ones(64 + next(numbers) % 9))
def run_session():
    assert session.run(q, {{p: [[1., 2., 3., 4.]] * (1 + next(numbers) % 3)}}).shape[1] == 4
    with wf.Graph() as own:
        n = wf.placeholder('float32', (), name=f'n{{next(numbers)}}')
        y = n + 1
    assert wf.Session(own).run(y, {{n: 1.0}}) == 2
def call(): shared(wf.ones((50, 50)))
def trace(): wf.function(lambda x: x * next(numbers))(wf.ones(3)); wf.vmap(wf.grad(lambda x: (x * x).sum()))(wf.ones((2, 3)))
def read(): assert [x.item() for x in data.take(3)] == [0, 2, 4]
def train():
    (model(wf.ones((3, 4))) ** 2).sum().backward(); optimizer.step(); optimizer.zero_grad()
    w.assign_add(wf.zeros((50, 50)))
    wf.nn.functional_call(model, {{'bias': wf.zeros(2)}}, wf.ones((3, 4)))
def draw_numbers(): wf.randn(3); log.info('x')
all_work = [allocate, compute, run_session, call, trace, read, train, draw_numbers]
def for_ever(work):
    while True: work()
def work():
    for one in all_work: one()
work()
for one in all_work: threading.Thread(target=for_ever, args=(one,), daemon=True).start()
for _ in range(200): in_child(work)
""", timeout=300)


def test_a_functional_call_under_way_is_the_parents():
    run(FORKED + """
class Slow(wf.nn.Module):
    def __init__(self): super().__init__(); self.inner = wf.nn.Linear(4, 2)
    def forward(self, x): begun.set(); time.sleep(2); return self.inner(x)
slow, begun = Slow(), threading.Event()
caller = threading.Thread(target=lambda: wf.nn.functional_call(slow, {'inner.bias': wf.zeros(2)}, wf.ones((3, 4))))
caller.start(); begun.wait()
def work():
    assert isinstance(slow.inner.bias, wf.Variable)
    assert wf.nn.functional_call(slow.inner, {'bias': wf.zeros(2)}, wf.ones((3, 4))).shape == (3, 2)
assert not isinstance(slow.inner.bias, wf.Variable)
in_child(work)
caller.join()
assert isinstance(slow.inner.bias, wf.Variable)
""")


def test_a_signal_handler_may_fork():
    run(FORKED + """
x, y = wf.rand((1500, 1500)), wf.rand(10**7)
def late(*_):
    def work(): assert (x @ x).shape == (1500, 1500); wf.linalg.svd(x[:99, :99]); wf.sort(y[:10**6])
    in_child(work)  # a child that does not return from the handler computes
    if os.fork() == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.alarm(30)  # and one that does learns that its work is lost
        return
    assert os.wait()[1] == 0
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
parent = os.getpid()
for work in (lambda: wf.linalg.svd(x), lambda: wf.sort(wf.concat([y] * 9)), lambda: [x @ x for _ in range(99)]):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try: work(); os._exit(7 if os.getpid() == parent else 0)  # a child that was forked between two products does the rest of them
    except TimeoutError: assert os.getpid() == parent
    except wf.InvalidError as error:
        if os.getpid() == parent: raise
        os._exit(0 if error.law.endswith('.forked') and (x @ x).shape == (1500, 1500) else 8)
""", timeout=120)


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
