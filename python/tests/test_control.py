"""Conditions and loops: values, derivatives, batches, in and out of functions."""

import threading

import numpy as np
import pytest

import weft as wf


def power(x, n):
    """x to the n by a loop, as in the lecture notes."""
    return wf.while_loop(lambda n, r: n > 0, lambda n, r: (n - 1, r * x), (n, wf.ones_like(x)))[1]


@pytest.mark.parametrize("decorate", [lambda f: f, wf.function], ids=["now", "function"])
def test_a_loop_of_unknown_length_differentiates(decorate):
    f = decorate(lambda x, n: wf.sum(power(x, n)))
    x, n = wf.tensor([1.5, -2.0]), wf.tensor(4)
    assert f(x, n).item() == 1.5 ** 4 + 16
    slope = wf.grad(f)
    assert slope(x, n).tolist() == [4 * 1.5 ** 3, -32.0]
    second = wf.grad(lambda x, n: wf.sum(slope(x, n)))
    assert second(x, n).tolist() == [12 * 1.5 ** 2, 48.0]
    value, tangent = wf.jvp(lambda x: f(x, n), (x,), (wf.tensor([1.0, 0.0]),))
    assert tangent.item() == 4 * 1.5 ** 3


def test_long_loops_keep_a_bounded_number_of_bytes():
    x = wf.tensor(np.full(1000, 1.0000001))  # 8 kB a step

    def f(x):
        step = lambda i, r: (i + 1, r * x)
        return wf.sum(wf.while_loop(lambda i, r: i < 3000, step, (0, wf.ones_like(x)), max_saved_bytes=1 << 20)[1])

    slope = wf.grad(f)(x)
    np.testing.assert_allclose(slope.numpy(), 3000 * 1.0000001 ** 2999, rtol=1e-12)


@pytest.mark.parametrize("decorate, steps", [(lambda f: f, 100_000), (wf.function, 1_000_000)], ids=["now", "function"])
def test_a_million_steps_differentiate_in_bounded_memory(decorate, steps):
    """All that a million steps carry is 72 MB; of it, 1 MB is held at any time."""
    x, steps, room = wf.tensor(np.linspace(0.1, 0.9, 16, dtype=np.float32)), wf.tensor(steps), 1 << 20

    def f(x, steps):
        step = lambda i, r: (i + 1, r * 0.999 + x * 0.001)
        return wf.sum(wf.while_loop(lambda i, r: i < steps, step, (wf.tensor(0), wf.zeros_like(x)), max_saved_bytes=room)[1])

    slope = decorate(wf.grad(f))
    before = wf.memory.live()
    wf.memory.reset_peak()
    found = slope(x, steps).numpy()
    assert wf.memory.peak() - before < room
    np.testing.assert_allclose(found, 1.0, rtol=1e-4)  # 0.001 / (1 - 0.999)


def test_the_room_that_is_there_unless_something_is_said():
    """All that these steps carry is 330 MB; 256 MB are enough."""
    x = wf.tensor(np.linspace(0.1, 0.9, 4096, dtype=np.float32))

    def f(x):
        step = lambda i, r: (i + 1, r * 0.999 + x * 0.001)
        return wf.sum(wf.while_loop(lambda i, r: i < 20_000, step, (wf.tensor(0), wf.zeros_like(x)))[1])

    slope = wf.function(wf.grad(f))
    before = wf.memory.live()
    wf.memory.reset_peak()
    found = slope(x).numpy()
    assert 64 << 20 < wf.memory.peak() - before < 256 << 20  # and much of it is used
    np.testing.assert_allclose(found, 1.0, rtol=1e-4)


@pytest.mark.parametrize("loop", [
    lambda seen: wf.while_loop(lambda i: i < 2_000_000, lambda i: (seen(), i + 1)[1], wf.tensor(0)),
    lambda seen: wf.fori_loop(0, 2_000_000, lambda i, r: (seen(), r + i)[1], wf.tensor(0)),
    lambda seen: wf.scan(lambda c, x: (seen(), (c + x, None))[1], wf.tensor(0), wf.arange(2_000_000)),
], ids=["while_loop", "fori_loop", "scan"])
def test_other_threads_go_on_while_a_loop_runs(loop):
    ticks, begun, ends = 0, [], threading.Event()

    def tick():
        nonlocal ticks
        while not ends.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    loop(lambda: begun.append(ticks))
    since = ticks - begun[-1]
    ends.set()
    thread.join()
    assert since > 2


def test_little_room_gives_the_same_gradient():
    """Segments that are too long for the room go by segments of their own."""
    x = wf.tensor(np.random.default_rng(0).normal(size=8).astype(np.float32))

    def f(x, room):
        step = lambda i, r: (i + 1, wf.sin(r) * x + r * 0.5)
        return wf.sum(wf.while_loop(lambda i, r: i < 333, step, (0, x), max_saved_bytes=room)[1])

    slopes = [wf.grad(f)(x, room).numpy() for room in (1, 400, 10_000, 256 << 20)]
    assert all(np.array_equal(slope, slopes[-1]) for slope in slopes)


def test_vmapped_loops_stop_lane_by_lane():
    x, n = wf.tensor([2.0, 3.0, 0.5]), wf.tensor([1, 3, 0])
    assert wf.vmap(power)(x, n).tolist() == [2.0, 27.0, 1.0]
    assert wf.vmap(wf.grad(power))(x, n).tolist() == [1.0, 27.0, 0.0]
    assert wf.grad(lambda x: wf.sum(wf.vmap(power)(x, n)))(x).tolist() == [1.0, 27.0, 0.0]


def test_vmapped_conditions_run_each_branch_on_its_examples():
    sizes = []

    def f(x):
        return wf.cond(x > 0, lambda: wf.log(x), lambda: x * 2.0)

    x = wf.tensor([1.0, -1.0, 4.0])
    with wf.observe(lambda seen: sizes.append(seen.outputs[0].shape) if seen.op == "log" else None):
        out = wf.vmap(f)(x)
    np.testing.assert_allclose(out.numpy(), [0.0, -2.0, np.log(4.0)], rtol=1e-6)
    assert sizes == [(2,)]
    assert wf.vmap(wf.grad(f))(x).tolist() == [1.0, 2.0, 0.25]


def sizes_of(name, run):
    """How many examples each execution of that op had."""
    sizes = []
    with wf.observe(lambda seen: sizes.append(seen.outputs[0].shape[0]) if seen.op == name else None):
        run()
    return sizes


@pytest.mark.parametrize("decorate", [lambda f: f, wf.function], ids=["now", "function"])
def test_vmapped_control_flow_works_on_the_lanes_that_take_part(decorate):
    def chosen(i, x):
        return wf.switch_case(i, [lambda: wf.sin(x), lambda: wf.cos(x), lambda: wf.exp(x)])

    def looped(n, x):
        return wf.while_loop(lambda k, r: k < n, lambda k, r: (k + 1, wf.tanh(r)), (wf.tensor(0), x))[1]

    x = wf.tensor([0.1, 0.2, 0.3, 0.4])
    switched, loop = decorate(wf.vmap(chosen)), decorate(wf.vmap(looped))
    index, times = wf.tensor([0, 2, 0, 0]), wf.tensor([1, 3, 0, 2])
    assert sizes_of("sin", lambda: switched(index, x)) == [3]
    assert sizes_of("exp", lambda: switched(index, x)) == [1]
    assert sizes_of("cos", lambda: switched(index, x)) == []  # nobody takes it
    assert sizes_of("tanh", lambda: loop(times, x)) == [3, 2, 1]
    expected = [np.tanh(0.1), np.tanh(np.tanh(np.tanh(0.2))), 0.3, np.tanh(np.tanh(0.4))]
    np.testing.assert_allclose(loop(times, x).numpy(), expected, rtol=1e-6)
    slope = decorate(wf.grad(lambda x: wf.sum(wf.vmap(looped)(times, x))))
    assert sizes_of("tanh", lambda: slope(x))[:3] == [3, 2, 1]


def test_scan_is_a_loop():
    xs = wf.tensor(np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32))
    a = wf.tensor([0.5, 0.9, 1.1])

    def by_scan(a, xs):
        last, rows = wf.scan(lambda c, x: (c * a + x, {"y": c * x}), wf.zeros(3), xs)
        return wf.sum(last) + wf.sum(rows["y"])

    def by_hand(a, xs):
        c, total = wf.zeros(3), wf.zeros(())
        rows = []
        for i in range(6):
            rows.append(c * xs[i])
            c = c * a + xs[i]
        return wf.sum(c) + wf.sum(wf.stack(rows))

    assert by_scan(a, xs).item() == by_hand(a, xs).item()
    for i in (0, 1):
        np.testing.assert_allclose(wf.grad(by_scan, argnums=i)(a, xs).numpy(), wf.grad(by_hand, argnums=i)(a, xs).numpy(),
                                   rtol=1e-5)
    np.testing.assert_allclose(wf.hessian(by_scan)(a, xs).numpy(), wf.hessian(by_hand)(a, xs).numpy(), rtol=1e-4, atol=1e-5)
    f = wf.function(by_scan)
    assert f(a, xs).item() == by_scan(a, xs).item()


def test_scan_backwards_and_without_inputs():
    last, rows = wf.scan(lambda c, x: (c + x, c), wf.tensor(0.0), wf.tensor([1.0, 2.0, 4.0]), reverse=True)
    assert last.item() == 7.0 and rows.tolist() == [6.0, 4.0, 0.0]
    last, rows = wf.scan(lambda c, x: (c * 2.0, c), wf.tensor(1.0), length=4)
    assert last.item() == 16.0 and rows.tolist() == [1.0, 2.0, 4.0, 8.0]


def test_loops_write_variables():
    total = wf.Variable(wf.tensor(0.0))

    @wf.function
    def f(xs):
        def step(carry, x):
            total.assign_add(x)
            return carry, total * 1.0
        return wf.scan(step, None, xs)[1]

    assert f(wf.tensor([1.0, 2.0, 3.0])).tolist() == [1.0, 3.0, 6.0]
    assert total.numpy() == 6.0
    assert f(wf.tensor([1.0])).tolist() == [7.0]


def test_branches_write_variables():
    v = wf.Variable(wf.tensor(1.0))

    @wf.function
    def f(x):
        def bump():
            v.assign_add(x)
            return v * 1.0
        return wf.cond(x > 0, bump, lambda: x)

    assert f(wf.tensor(2.0)).item() == 3.0 and v.numpy() == 3.0
    assert f(wf.tensor(-2.0)).item() == -2.0 and v.numpy() == 3.0
    assert f.trace_count == 1


def test_while_loops_write_variables():
    total = wf.Variable(wf.tensor(0.0))

    def f(n):
        def body(i):
            total.assign_add(2.0)
            return i + 1
        return wf.while_loop(lambda i: i < n, body, 0)

    for run in (f, wf.function(f)):
        total.assign(wf.tensor(0.0))
        assert run(wf.tensor(3)).item() == 3 and total.numpy() == 6.0

    def writes(i):
        total.assign_add(1.0)
        return i < 3

    with pytest.raises(wf.InvalidError, match=r"the condition writes a Variable or draws; it may only read.*while_loop.cond"):
        wf.while_loop(writes, lambda i: i + 1, 0)


def test_assignments_cut_history_in_functions_as_they_do_now():
    v = wf.Variable(wf.tensor([1.0, 2.0]))

    def f(x):
        y = v * x
        v.assign_add(x)
        return wf.sum(v * y)

    def in_a_loop(x):
        def step(c, row):
            v.assign(v * row)
            return c + wf.sum(v * x), None
        return wf.scan(step, wf.tensor(0.0), x)[0]

    x = wf.tensor([3.0, 4.0])
    for g, slope in ((f, [4.0, 12.0]), (in_a_loop, [15.0, 30.0])):
        for run in (wf.grad(g), wf.function(wf.grad(g)), wf.grad(wf.function(g))):
            v.assign(wf.tensor([1.0, 2.0]))
            assert run(x).tolist() == slope


def test_branches_differentiate_to_the_same_bits():
    rng = np.random.default_rng(0)
    x = wf.tensor(rng.normal(size=50).astype(np.float32))

    def f(x):
        y = wf.cond(wf.sum(x) > -1e9, lambda: x + wf.sin(x) * x, lambda: x)
        return wf.sum(y * x + wf.exp(x))

    slope = wf.grad(f)(x).numpy()
    assert np.array_equal(slope, wf.grad(wf.function(f))(x).numpy())
    assert np.array_equal(slope, wf.function(wf.grad(f))(x).numpy())
    with wf.Graph() as g:
        place = wf.placeholder(wf.float32, shape=(None,))
        found, = wf.gradients(f(place), [place])
    assert np.array_equal(slope, wf.Session(g).run(found, {place: x}))


def seen_twice(x):
    """Inside and outside of `f`, several uses of one value each: (a + b) + c is not a + (b + c)."""
    return wf.sum(wf.tanh(x) * wf.sin(x) * wf.exp(x)) + wf.sum(x * wf.cos(x))


def same_bits(a, b):
    return a.numpy().tobytes() == b.numpy().tobytes()


NUMBERS = wf.tensor(np.random.default_rng(1).normal(size=64).astype(np.float32))


def test_a_call_goes_on_with_the_sums_of_its_arguments():
    traced = wf.function(seen_twice)
    around = lambda f: lambda x: f(x) + wf.sum(x * wf.sigmoid(x))  # noqa: E731
    twice = lambda f: wf.grad(lambda x: wf.sum(wf.tanh(wf.grad(f)(x))))  # noqa: E731
    thrice = lambda f: wf.grad(lambda x: wf.sum(twice(f)(x) * x))  # noqa: E731
    assert same_bits(wf.grad(around(traced))(NUMBERS), wf.grad(around(seen_twice))(NUMBERS))
    for order in (twice, thrice):
        for f, g in ((traced, seen_twice), (around(traced), around(seen_twice))):
            assert same_bits(order(f)(NUMBERS), order(g)(NUMBERS))
            assert same_bits(wf.function(order(f))(NUMBERS), order(g)(NUMBERS))


def branching(x):
    a = wf.sum(x * wf.tanh(x))
    b = wf.cond(a > 0, lambda y: wf.sum(wf.sin(x) * y * wf.exp(x)), lambda y: wf.sum(y), x)
    return b + wf.sum(wf.cos(x) * x)


def python_branching(x):
    a = wf.sum(x * wf.tanh(x))
    if a > 0:
        b = wf.sum(wf.sin(x) * x * wf.exp(x))
    else:
        b = wf.sum(x)
    return b + wf.sum(wf.cos(x) * x)


def test_a_branch_goes_on_with_the_sums_of_what_it_reads():
    v = wf.Variable(NUMBERS)
    branching(v).backward()
    for f in (branching, python_branching):
        for grad in (wf.grad(f), wf.function(wf.grad(f)), wf.grad(wf.function(f))):
            assert same_bits(grad(NUMBERS), v.grad)
    with wf.Graph() as g:
        place = wf.placeholder(wf.float32, shape=(None,))
        found, = wf.gradients(branching(place), [place])
    assert wf.Session(g).run(found, {place: NUMBERS}).tobytes() == v.grad.numpy().tobytes()
    twice = lambda f: wf.grad(lambda x: wf.sum(wf.tanh(wf.grad(f)(x))))  # noqa: E731
    expected = twice(python_branching)(NUMBERS)
    for f in (branching, python_branching):
        assert same_bits(wf.function(twice(f))(NUMBERS), expected)
        assert same_bits(twice(wf.function(f))(NUMBERS), expected)


def python_rows(w, rows):
    c = wf.zeros(64)
    for row in rows:
        c = wf.tanh(c * w + row * wf.sin(w)) + c
        if wf.sum(c) > 0:
            c = c * wf.cos(w) * w
        else:
            c = c - w * w
    return wf.sum(c * w) + wf.sum(rows[0] * w)


def python_steps(w, rows):
    c, i = rows[0] * 0.5, wf.tensor(0)
    while i < 5:
        c, i = wf.tanh(c * w + wf.sin(w)) + c * w, i + 1
    return wf.sum(c * w) + wf.sum(rows[1] * w)


@pytest.mark.parametrize("f", [python_rows, python_steps])
def test_a_loop_goes_on_with_the_sums_of_what_its_steps_read(f):
    rows = wf.tensor(np.random.default_rng(2).normal(size=(7, 64)).astype(np.float32))
    expected = wf.grad(f)(NUMBERS, rows)
    v = wf.Variable(NUMBERS)
    f(v, rows).backward()
    assert same_bits(v.grad, expected)
    assert same_bits(wf.function(wf.grad(f))(NUMBERS, rows), expected)
    assert same_bits(wf.grad(wf.function(f))(NUMBERS, rows), expected)
    both = wf.stack([NUMBERS, NUMBERS * 0.5])
    batched = wf.vmap(wf.grad(wf.function(f)), (0, None))(both, rows)
    assert same_bits(batched[0], expected)


def sines(x):
    return wf.cond(wf.sum(x) > 0, lambda x: wf.sum(wf.sin(x) * x), lambda x: wf.sum(x * x * x), x)


def rows_and_a_captured_slice(x):
    last, rows = wf.scan(lambda c, r: (wf.tanh(c * r + x[0]), c * c * r), wf.tensor(0.3), x)
    return last + wf.sum(rows * rows)


def steps_that_values_count(x):
    steps = (wf.abs(x[0]) * 4).astype(wf.int64) + 1
    return wf.sum(wf.fori_loop(0, steps, lambda i, c: c * x + i, wf.ones_like(x)))


def loops_in_a_scan(x):
    def step(c, r):
        d = wf.while_loop(lambda z: z < 3.0, lambda z: z * 1.5 + wf.abs(r) + 0.1, wf.abs(c) + 0.1)
        return wf.cond(r > 0, lambda: d * r, lambda: d - r * c), d

    last, rows = wf.scan(step, wf.tensor(0.2), x)
    return last * wf.sum(rows)


@pytest.mark.parametrize("f", [sines, rows_and_a_captured_slice, steps_that_values_count, loops_in_a_scan])
def test_second_derivatives_have_the_same_bits(f):
    x = wf.tensor([0.5, -1.25, 2.0])
    bend = wf.grad(lambda x: wf.sum(wf.grad(f)(x) * wf.tensor([1.0, 2.0, 3.0])))
    for second in (bend, wf.hessian(f), lambda x: wf.jvp(wf.grad(f), (x,), (wf.tensor([1.0, -1.0, 0.5]),))[1]):
        assert np.array_equal(wf.function(second)(x).numpy(), second(x).numpy())


def test_a_branch_that_saves_and_cannot_save_again():
    """What a branch saved leads, in its second derivative, to a loop that nobody knows the length of before."""
    x, y = wf.tensor([0.5, -1.0, 0.3], dtype=wf.float64), wf.tensor([0.1, 0.2, -0.4], dtype=wf.float64)

    def branch(x, y):
        z = wf.fori_loop(0, wf.tensor(2), lambda i, c: c, y)
        return y + wf.mean(wf.cond(wf.sum(z) < 9.0, lambda: wf.tanh(x), lambda: [z * 2.0, x][1]))

    def bend(f):
        slopes = wf.grad(lambda x, y: wf.sum(f(x, y) ** 2.0), (0, 1))
        return np.stack(wf.grad(lambda x, y: sum(wf.sum(slope) for slope in slopes(x, y)), (0, 1))(x, y))

    chosen = lambda x, y: wf.cond(wf.sum(y) < 9.0, lambda: branch(x, y), lambda: y)
    plain = lambda x, y: y + wf.mean(wf.tanh(x))
    np.testing.assert_allclose(bend(chosen), bend(plain), rtol=1e-12)
    np.testing.assert_allclose(bend(wf.function(chosen)), bend(plain), rtol=1e-12)


def test_sizes_that_only_a_run_knows():
    """Gradients of what was joined and taken, and lengths of rows: one graph for all sizes, the bits of eager."""
    def f(x):
        both = wf.concat([x, x * 2.0, wf.take(x, wf.tensor([1, 0, 1]), axis=0)], axis=0)
        return wf.sum(wf.scan(lambda c, row: (c + wf.sum(wf.concat([row, x[0]], axis=0)), None), wf.tensor(0.0), both)[0]
                      * wf.linalg.norm(both, axis=-1))

    with wf.Graph() as g:
        place = wf.placeholder(wf.float32, shape=(None, None))
        y = f(place)
        slope, = wf.gradients(y, [place])
    session, traced = wf.Session(g), wf.function(f)
    for shape in ((3, 4), (5, 2)):
        x = wf.tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))
        value, expected = f(x).numpy(), wf.grad(f)(x).numpy()
        assert [np.array_equal(a, b) for a, b in zip(session.run([y, slope], {place: x}), (value, expected))] == [True, True]
        assert np.array_equal(wf.grad(traced)(x).numpy(), expected) and np.array_equal(traced(x).numpy(), value)
    assert traced.trace_count == 1


def test_nested_control_flow():
    def f(x, n):
        def step(i, r):
            return i + 1, wf.cond(wf.sum(r) > 10.0, lambda: r * 0.5, lambda: r * x + wf.scan(
                lambda c, y: (c + y, None), wf.tensor(0.0), r)[0])
        return wf.while_loop(lambda i, r: i < n, step, (wf.tensor(0), wf.ones_like(x)))[1]

    def by_hand(x, n):
        r = wf.ones_like(x)
        for _ in range(int(n)):
            r = r * 0.5 if wf.stop_gradient(wf.sum(r)).item() > 10.0 else r * x + wf.sum(r)
        return r

    x, n = wf.tensor([1.5, 2.0]), wf.tensor(5)
    np.testing.assert_allclose(f(x, n).numpy(), by_hand(x, n).numpy(), rtol=1e-6)
    slope = lambda g: wf.grad(lambda x: wf.sum(g(x, n)))(x).numpy()
    np.testing.assert_allclose(slope(f), slope(by_hand), rtol=1e-5)
    np.testing.assert_allclose(wf.function(f)(x, n).numpy(), by_hand(x, n).numpy(), rtol=1e-6)


def test_switch_map_and_fori():
    branches = [lambda x: x, lambda x: x * 2.0, lambda x: x * 3.0]
    f = wf.function(lambda i, x: wf.switch_case(i, branches, x))
    assert [f(wf.tensor(i), wf.tensor(1.0)).item() for i in (0, 1, 2, 7)] == [1.0, 2.0, 3.0, 3.0]
    assert f.trace_count == 1
    assert wf.map(lambda x: x * x, wf.tensor([1.0, 2.0, 3.0])).tolist() == [1.0, 4.0, 9.0]
    assert wf.fori_loop(0, 5, lambda i, s: s + i, wf.tensor(0)).item() == 10
    assert wf.fori_loop(wf.tensor(0), wf.tensor(5), lambda i, s: s + i, wf.tensor(0)).item() == 10


def test_branches_that_give_nothing(capsys):
    @wf.function
    def f(x):
        if wf.sum(x) > 0:
            print("positive", x)
        if wf.sum(x) > 1:
            y = x  # nobody reads it
        return x * 2.0

    assert f(wf.tensor([3.0])).tolist() == [6.0] and f(wf.tensor([-1.0])).tolist() == [-2.0]
    assert capsys.readouterr().out == "positive tensor([3.], dtype=float32)\n"
    assert f.trace_count == 1


def test_what_is_wrong_is_named():
    f = wf.function(lambda x: wf.cond(x > 0, lambda: x, lambda: wf.stack([x, x])))
    with pytest.raises(wf.WrongTypeError, match=r"branches give values of the same dtype and shape.*\[cond.type\]"):
        f(wf.tensor(1.0))
    with pytest.raises(wf.WrongTypeError, match=r"while_loop: init is i64\[\] before and f32\[\] after the body"):
        wf.while_loop(lambda i: i < 3, lambda i: i + 1.5, 0)
    with pytest.raises(wf.WrongTypeError, match=r"must give the same form"):
        wf.while_loop(lambda i, r: i < 3, lambda i, r: (i,), (0, 1.0))
    with pytest.raises(wf.InvalidError, match=r"give a length \[scan.length\]"):
        wf.scan(lambda c, x: (c, c), wf.tensor(0.0))


@pytest.mark.parametrize("decorate", [lambda f: f, wf.function(max_traces=64)], ids=["now", "function"])
def test_what_may_choose_a_branch(decorate):
    chosen = decorate(lambda p: wf.cond(p, lambda: 1.0, lambda: 2.0))
    for yes, no in [(True, False), (wf.tensor(True), wf.tensor(False)), (wf.tensor(3, dtype=wf.int8), wf.tensor(0))]:
        assert chosen(yes).item() == 1.0 and chosen(no).item() == 2.0
    for number in (0.5, wf.tensor(0.5), wf.tensor(1j)):
        with pytest.raises(wf.WrongTypeError, match=r"^cond: the predicate is of dtype (float|complex)\d+; it must be bool or an "
                                                    r"integer: compare it, as in x != 0 \[cond.predicate\]"):
            chosen(number)
    with pytest.raises(wf.InvalidError, match=r"^cond: the predicate has shape \[1\]; it must be one value, of rank 0: reduce "
                                              r"it with any or all \[cond.predicate\]"):
        chosen(wf.tensor([True]))
    numbered = decorate(lambda i: wf.switch_case(i, [lambda: 1.0, lambda: 2.0]))
    assert numbered(wf.tensor(0, dtype=wf.uint8)).item() == 1.0 and numbered(1).item() == 2.0
    for number in (0.5, wf.tensor(0.5), wf.tensor(True)):
        with pytest.raises(wf.WrongTypeError, match=r"^switch_case: the index is of dtype \w+; it must be an integer: cast it, or "
                                                    r"use cond for a choice of two \[switch_case.index\]"):
            numbered(number)
    with pytest.raises(wf.InvalidError, match=r"^switch_case: the index has shape \[1\]; it must be one number, of rank 0 "
                                              r"\[switch_case.index\]"):
        numbered(wf.tensor([1]))


def test_loops_in_a_session():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        n = wf.placeholder(wf.int64, shape=(), name="n")
        y = wf.sum(power(x, n))
        slope, = wf.gradients(y, [x])
    session = wf.Session(g)
    for k in (0, 1, 5):
        value, d = session.run([y, slope], {x: [2.0, 3.0], n: k})
        assert value == 2.0 ** k + 3.0 ** k
        assert d.tolist() == [k * 2.0 ** (k - 1) if k else 0.0, k * 3.0 ** (k - 1) if k else 0.0]


def test_functions_of_other_conventions_are_told_how_arguments_come():
    one, two = wf.tensor(0), wf.tensor(1.0)
    with pytest.raises(wf.WrongTypeError, match=r"cond does not take what is carried.*a tuple of 2, each of which is an argument; "
                                                r"pass a list for one argument \[while_loop.arguments\]"):
        wf.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1]), (one, two))
    with pytest.raises(wf.WrongTypeError, match=r"no tuple, so it is the only argument; pass a tuple for several"):
        wf.while_loop(lambda i, v: i < 3, lambda i, v: [i + 1, v], [one, two])
    with pytest.raises(wf.WrongTypeError, match=r"cond: has no argument 'true_fn'; its arguments are pred, then, otherwise"):
        wf.cond(True, true_fn=lambda: 1, false_fn=lambda: 2)
    assert wf.while_loop(lambda s: s[0] < 3, lambda s: [s[0] + 1, s[1]], [one, two])[0].item() == 3


def test_a_list_that_is_taken_for_arguments_is_explained():
    with pytest.raises(TypeError, match="not supported between instances of 'list' and 'int'") as raised:
        wf.while_loop(lambda i: i < 3, lambda i: i + 1, [wf.tensor(0)])
    assert raised.value.__notes__ == ["while_loop: init is a list, so cond and body take the list as their only argument; pass a tuple "
                                      "for an argument each"]
    assert [x.item() for x in wf.while_loop(lambda x: x[0] < 3, lambda x: [x[0] + 1], [wf.tensor(0)])] == [3]
    with pytest.raises(TypeError) as raised:
        wf.while_loop(lambda i: i < "3", lambda i: i + 1, wf.tensor(0))
    assert not any("init is a list" in note for note in getattr(raised.value, "__notes__", ()))


def test_functions_of_one_line_are_told_apart():
    both = wf.function(lambda: wf.while_loop(lambda i: i < 7, lambda i: i + 2, wf.tensor(0)))() + wf.cond(True, lambda: 1, lambda: 2)
    assert both.item() == 9


def test_map_and_fori_loop_speak_in_their_own_names():
    x = wf.tensor([1.0, 2.0])
    for call, message in (
            (lambda: wf.fori_loop(0, 3, lambda i, v: (v, v), x),
             "fori_loop: body gives (*, *), but * is carried; it must give the same form [fori_loop.form]"),
            (lambda: wf.fori_loop(0, wf.tensor(2.5), lambda i, v: v, x),
             "fori_loop: the bounds are i64[] and f32[]; they must be integers of rank 0 [fori_loop.bounds]"),
            (lambda: wf.fori_loop(0, 3, lambda i, v: wf.sum(v), x),
             "fori_loop: init is f32[2] before and f32[] after the body; it must keep its dtype and shape: cast or "
             "reshape it [fori_loop.type]"),
            (lambda: wf.map(lambda x: x, wf.tensor(1.0)),
             "map: xs has rank 0 and no rows; go through the rows of a tensor of rank 1 or more [map.rows]"),
            (lambda: wf.map(lambda x: x, ()), "map: there is nothing to go through; give it a tensor [map.rows]"),
            (lambda: wf.map(lambda x: x[0], (wf.ones(2), wf.ones(3))),
             "map: the inputs' numbers of rows must be equal, but are 3 and 2 [map.length]")):
        with pytest.raises(wf.Error) as raised:
            call()
        assert str(raised.value).splitlines()[0] == message


@pytest.mark.parametrize("step", [
    lambda h, x: (wf.reshape(h * x, (2, 3)), None),  # another name of what was computed
    lambda h, x: (wf.reshape(h * x, (2, 3)), h * x),
    lambda h, x: (lambda y: (wf.reshape(wf.reshape(y, (6,)), (2, 3)), y))(h * x),  # two names
    lambda h, x: (lambda y: (y, wf.reshape(y, (3, 2))))(wf.tanh(h + x)),
    lambda h, x: (lambda y: (y + 1, y[:, 1:]))(h * x),  # a part of it
    lambda h, x: (wf.matrix_transpose(wf.reshape(h * x, (3, 2))), x),
    lambda h, x: (lambda y: (y, wf.sort(wf.reshape(y, (6,)))))(h - x),  # and what is no kernel reads it
])
def test_results_of_steps_that_are_views(step):
    h, xs = wf.reshape(wf.arange(6.0), (2, 3)) + 1, wf.reshape(wf.arange(24.0), (4, 2, 3)) / 7
    looped, rows = h, []
    for i in range(4):
        looped, row = step(looped, xs[i])
        rows.append(row)
    end, stack = wf.function(lambda h, xs: wf.scan(step, h, xs))(h, xs)
    assert wf.array_equal(end, looped)
    if rows[0] is not None:
        assert wf.array_equal(stack, wf.stack(rows))


def test_a_length_is_that_of_the_rows():
    add = lambda c, x: (c + x, c)  # noqa: E731
    assert wf.scan(add, wf.tensor(0.0), wf.ones(3), length=3)[0].item() == 3.0
    with pytest.raises(wf.InvalidError, match=r"scan: length is 5, but there are 3 rows to go through; leave it out \[scan.length\]"):
        wf.scan(add, wf.tensor(0.0), wf.ones(3), length=5)
    with pytest.raises(wf.InvalidError, match=r"scan: length is -1; it is 0 or more \[scan.length\]"):
        wf.scan(lambda c, x: (c, c), wf.tensor(0.0), length=-1)
    f = wf.function(lambda x: wf.scan(add, wf.tensor(0.0), x, length=3)[0])
    assert f(wf.ones(3)).item() == 3.0
    with pytest.raises(wf.InvalidError, match=r"\[scan.length\]"):
        f(wf.ones(4))


def test_a_condition_that_is_no_bool_is_refused():
    with pytest.raises(wf.WrongTypeError, match=r"while_loop: the condition gives i64\[\]; it must give a bool: compare, as in n != 0 "
                                                r"\[while_loop.cond\]"):
        wf.while_loop(lambda n: n, lambda n: n - 1, wf.tensor(3))


def test_keys_are_carried_by_branches_and_loops():
    def drawn(key, n):
        total = wf.zeros(2)
        for _ in range(n):
            key, own = key.split()
            total = total + wf.random.normal(own, (2,))
        return total, key

    def chosen(key, x):
        if x > 0:
            key, _ = key.split()
        else:
            key = key.fold_in(3)
        return key

    def walked(key, x):
        while x < 3.0:
            key = key.fold_in(1)
            x = x + wf.random.uniform(key, ())
        return x, key

    key = wf.random.Key(1)
    for got, want in ((wf.function(drawn)(key, wf.tensor(3)), drawn(key, 3)),
                      (wf.function(walked)(key, wf.tensor(0.0)), walked(key, wf.tensor(0.0)))):
        assert wf.fingerprint(got[0]) == wf.fingerprint(want[0]) and got[1] == want[1]
    for x in (1.0, -1.0):
        assert wf.function(chosen)(key, wf.tensor(x)) == chosen(key, x)
