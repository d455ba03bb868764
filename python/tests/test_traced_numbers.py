"""Numbers of Python that traced branches and loops compute: the same bits, dtypes and types as without a trace."""

import re

import pytest

import weft as wf

DTYPES = [wf.float64, wf.float32, wf.float16, wf.bfloat16]


def traced(x, n):
    """n, as an integer that only a run knows."""
    return wf.sum(wf.zeros_like(x)).astype(wf.int64) + n


def halves(x):
    s = 1.0
    while wf.sum(x) * s > 0.01:
        s = s * 0.1
    return x * s


def chosen(x):
    k = 0.1 if wf.sum(x) > 0 else 0.2
    return x * k + k / 3


def counted(x):
    rate = 0.9
    for i in range(traced(x, 4)):
        rate = rate ** 1.5 / (i + 1)
        x = x * rate
    return x


def over_rows(x):
    s, t = 0.1, 0
    for i, row in enumerate(x):
        s = s / 3 + i * 0.7
        t += 2 * i
        x = x + row * s - t
    return x * s


def with_break(x):
    s, n = 0.3, 0
    for i in range(10):
        if wf.sum(x) * s < 0.01:
            break
        if i % 2 == 0:
            continue
        s = s * 0.7
        n = n + i
    return x * s + n


def nested(x):
    s = 0.1
    for i in range(traced(x, 3)):
        t = s
        for j in range(i + 1):
            t = t * 0.3 + j
        if wf.sum(x) * t > 1:
            s = t - 0.1
        else:
            s = s + t / 7
        x = x * s
    return x


def of_python_rules(x):
    s, n = -7.3, -7
    for _ in range(traced(x, 2)):
        s = s % 2.1 + s // 0.3 - abs(s) ** 0.37
        n = n // 2 + n % 3 - (n / 7 > -1) + (n & 6)
    return x * s - n


def of_integers(x):
    n = 3
    while wf.sum(x) * n < 20:
        n = n * 2 + 1
    return x * n + (n > 5)


def converted(x):
    s = 2.75
    for i in range(traced(x, 3)):
        s = s * 1.3 + float(i) + int(s)
    return x * s


def bounded(x):
    s, n = 0.1, 0
    for i in range(traced(x, 4)):
        s = max(s * 0.3, 0.007)
        n = min(n + i, 3, 7 - i)
    return x * s + n


def widened(x):
    s = 1
    while wf.sum(x) * s > 0.3:
        s = s / 3
    return x * s


def returned_early(x):
    s = 0.1
    for i in range(traced(x, 5)):
        s = s * 0.9
        if wf.sum(x) * s < 0.4:
            return x * s
    return x * s / 3


def of_sizes(x):
    s, n = 0.1, x.shape[0]
    for i in range(traced(x, 3)):
        s = s + 1 / n * i
    return x * s


def scaled(x, s):
    return x * s


def through_a_function(x):
    inner, s = wf.function(scaled), 0.1
    for i in range(traced(x, 3)):
        s = s * 0.7
        x = inner(x, s) + i
    return x


def beside_others(x):
    s = 0.1
    for i in range(traced(x, 3)):
        s = s * 0.3
    return wf.where(x > s, x, s), wf.full((2,), s), wf.tensor([s, 1.0]), wf.tensor(s), wf.exp(s), x.at[0].set(s)


PROGRAMS = [halves, chosen, counted, over_rows, with_break, nested, of_python_rules, of_integers, converted, bounded, widened,
            returned_early, of_sizes, through_a_function, beside_others]


def alike(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, wf.Tensor):
        return isinstance(b, wf.Tensor) and a.dtype is b.dtype and wf.fingerprint(a) == wf.fingerprint(b)
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_bits_are_those_of_python(f, dtype):
    x = wf.tensor([0.3, 0.7, 1.9], dtype=dtype)
    wanted, found = f(x), wf.function(f)(x)
    assert alike(found, wanted), (found, wanted)


@pytest.mark.parametrize("f", [of_integers, with_break], ids=lambda f: f.__name__)
def test_integers_take_the_dtype_of_tensors(f):
    x = wf.tensor([1, 2], dtype=wf.int8)
    wanted, found = f(x), wf.function(f)(x)
    assert alike(found, wanted), (found, wanted)


@pytest.mark.parametrize("dtype", [wf.float64, wf.float16], ids=str)
@pytest.mark.parametrize("f", PROGRAMS[:-1], ids=lambda f: f.__name__)
def test_derivatives_have_the_same_bits(f, dtype):
    x = wf.tensor([0.3, 0.7, 1.9], dtype=dtype)
    wanted = wf.grad(lambda x: wf.sum(f(x)))(x)
    assert alike(wf.grad(wf.function(lambda x: wf.sum(f(x))))(x), wanted)
    assert alike(wf.function(wf.grad(lambda x: wf.sum(f(x))))(x), wanted)


@pytest.mark.parametrize("dtype", [wf.float64, wf.float16], ids=str)
@pytest.mark.parametrize("f", PROGRAMS[:-1], ids=lambda f: f.__name__)
def test_batches_have_the_same_bits(f, dtype):
    xs = wf.tensor([[0.3, 0.7, 1.9], [0.1, 0.01, 0.2], [5.0, 0.5, 3.0]], dtype=dtype)
    wanted = wf.stack([f(x) for x in xs])
    assert alike(wf.vmap(wf.function(f))(xs), wanted)
    assert alike(wf.function(wf.vmap(f))(xs), wanted)


def test_a_number_that_a_function_gives_is_one():
    @wf.function
    def f(x):
        s, n, flag = 1.0, 0, False
        while wf.sum(x) * s > 0.01:
            s, n, flag = s * 0.1, n + 1, not flag
        return s, {"n": n, "flag": flag}, 3, 0.5, x

    s, rest, three, half, _ = f(wf.ones(3))
    assert (type(s), s) == (float, 1.0 * 0.1 * 0.1 * 0.1) and rest == {"n": 3, "flag": True}
    assert type(rest["n"]) is int and type(rest["flag"]) is bool and (three, half) == (3, 0.5)
    assert type(f(wf.ones(3))[0]) is float  # again, by the call that runs no Python

    @wf.function
    def outer(x):
        s, rest, three, _, _ = f(x)
        return x * s + rest["n"] + three

    x = wf.ones(3, dtype=wf.float64)
    assert alike(outer(x), x * s + 3 + 3)
    assert wf.grad(lambda x: wf.sum(x * f(x)[0]))(wf.ones(3)).tolist() == [wf.tensor(s).item()] * 3
    # A batch of numbers are tensors once they leave it.
    assert wf.vmap(lambda x: x * f(x)[0])(wf.ones((2, 3), dtype=wf.float64)).tolist() == [[s] * 3] * 2


def test_they_print_as_python_prints_them(capsys):
    def f(x):
        s = 0.1
        for i in range(traced(x, 3)):
            s = s * 0.1
            print(i, s, i > 1, [i, s], f"{i:3d}|{s:.4f}|{s}|{i!r:>4}", "%d %s" % (i, s))
        print(s, 8 if s > 1 else 7)
        return x * s

    f(wf.ones(2))
    wanted = capsys.readouterr().out
    wf.function(f)(wf.ones(2))
    assert capsys.readouterr().out == wanted and "0 0.010000000000000002 False [0, " in wanted


def test_lists_of_numbers_hold_numbers():
    @wf.function
    def f(x):
        kept, s = [], 0.1
        for i, row in enumerate(x):
            s = s * 0.3
            kept.append((i, s))
        return kept

    s, wanted = 0.1, []
    for i in range(3):
        s = s * 0.3
        wanted.append((i, s))
    assert f(wf.ones((3, 2))) == wanted


@pytest.mark.parametrize("f, words", [
    (lambda n: 1 / n, "number: 1.0 is divided by 0.0; the divisor must not be 0 [number.defined]"),
    (lambda n: 7 % n, "number: 7 is divided by 0; the divisor must not be 0 [number.defined]"),
    (lambda n: (n + 2) ** 70, "needs more than 64 bits, which an integer of a graph has; make one of them a float [number.fits]"),
    (lambda n: (n - 1.0) ** 0.5, "number: -1.0 to the power of 0.5 is no finite float [number.defined]"),
])
def test_what_python_raises_is_raised_by_the_run(f, words):
    @wf.function
    def g(x):
        n = 1
        if wf.sum(x) > 0:
            n = 0
        return f(n) * x if wf.sum(x) > -1 else x

    assert g(-wf.ones(3)).tolist() == [-1.0] * 3
    with pytest.raises(wf.Error, match=re.escape(words)):
        g(wf.ones(3))


def test_what_needs_the_number_itself_says_so():
    import math

    @wf.function
    def f(x):
        s = 0.1
        while wf.sum(x) * s > 1:
            s = s * 0.1
        return x * math.sqrt(s)

    with pytest.raises(wf.Error, match=r"\[tensor.concrete\]"):
        f(wf.ones(3))


def test_kinds_join_as_far_as_a_graph_has_them():
    @wf.function
    def f(x):
        flag = False
        while wf.sum(x) > 3:
            x, flag = x * 0.5, 1
        return flag

    with pytest.raises(wf.WrongTypeError, match=r"`flag` is the Python bool False before .* the Python int 1 .*function.loop_dtype"):
        f(wf.ones(3))


def test_a_float_of_sizes_beside_float64_has_its_derivative():
    x = wf.tensor([0.3, 0.7, 1.9], dtype=wf.float64)
    f = lambda x: wf.sum(x * (1 / x.shape[0]))
    assert alike(wf.function(wf.grad(f))(x), wf.grad(f)(x))  # it was read as a float32


def test_a_dtype_that_does_not_hold_a_number_raises():
    @wf.function
    def f(x):
        n = 1
        while wf.sum(x) * 0 + n < 300:
            n = n * 2
        return n

    @wf.function
    def g(x, y):
        return x * f(y)

    y = wf.ones(2)
    assert g(wf.ones(2, dtype=wf.int16), y).tolist() == [512, 512]
    with pytest.raises(wf.Error, match=r"number: a number is 512, but int8 holds -128 to 127; .*\[number.fits\]"):
        g(wf.ones(2, dtype=wf.int8), y)


def test_loops_are_loops():
    text = str(wf.function(counted).get_concrete_function(wf.ones(3)))
    assert " while(" in text and text.count("number(") == 3  # **, /, and i + 1
