"""What a traced function prints: once for each run and step, in order, whatever is derived from it, and as without a trace."""

import contextlib
import os
import sys
import tempfile

import pytest
import weft as wf


@contextlib.contextmanager
def _stdout():
    """What really arrives at the file of standard output, as a list of lines."""
    lines = []
    with tempfile.TemporaryFile("w+") as file:
        sys.stdout.flush()
        kept, before = os.dup(1), sys.stdout
        os.dup2(file.fileno(), 1)
        sys.stdout = os.fdopen(os.dup(1), "w")
        try:
            yield lines
        finally:
            sys.stdout.close()
            sys.stdout = before
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            lines += file.read().splitlines()


def over_rows(x):
    s = x
    for row in wf.stack([x, x * 2.0, x * 3.0]):
        print(f"row {row:.1f}")
        s = s * row
    return s


def until(x):
    s = x
    while s < 100.0:
        print(f"at {s:.1f}")
        s = s * x
    return s


def nested(x):
    s = x
    for row in wf.stack([x, -x]):
        print("row")
        if row > 0.0:
            print(f"up {s:.1f}")
            s = s * row
        else:
            while s < 20.0:
                print(f"in {s:.1f}")
                s = s + s * x
    print("end")
    return s


def checkpointed(x):
    def inner(y):
        for row in wf.stack([y, y + 1.0]):
            print(f"row {row:.1f}")
            y = y * row
        return y

    return wf.checkpoint(inner)(x) * 2.0


def asserted(x):
    for row in wf.stack([x, x + 1.0]):
        assert row > 0.0, f"{row:.1f}"
        print(f"fine {row:.1f}")
        x = x * row
    return x


def without_results(x):
    if x > 0.0:
        if x > 1.0:
            print("twice")
    for _ in range(wf.tensor(1)):
        if x > 0.0:
            print(f"in a loop {x:.1f}")
    return x * x * x


@wf.function
def _tripled(x):
    print("inside")
    return x * 3.0


def calling(x):
    return wf.checkpoint(lambda x: _tripled(x) * x * x)(x)


EXPECTED = {
    without_results: ["twice", "in a loop 2.0"],
    calling: ["inside"],
    over_rows: ["row 2.0", "row 4.0", "row 6.0"],
    until: ["at 2.0", "at 4.0", "at 8.0", "at 16.0", "at 32.0", "at 64.0"],
    nested: ["row", "up 2.0", "row", "in 4.0", "in 12.0", "end"],
    checkpointed: ["row 2.0", "row 3.0"],
    asserted: ["fine 2.0", "fine 3.0"],
}


def _taped(f):
    def slope(x):
        with wf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return slope


def _in_session(f):
    def run(x):
        with wf.Graph() as g:
            given = wf.placeholder(wf.float32, (), "x")
            out = wf.grad(wf.function(f))(given)
        return wf.Session(g).run(out, {given: x})

    return run


MODES = {
    "function": wf.function,
    "grad of a function": lambda f: wf.grad(wf.function(f)),
    "function of grad": lambda f: wf.function(wf.grad(f)),
    "function of value_and_grad": lambda f: wf.function(wf.value_and_grad(f)),
    "tape in a function": lambda f: wf.function(_taped(f)),
    "tape around a function": lambda f: _taped(wf.function(f)),
    "second derivative of a function": lambda f: wf.grad(wf.grad(wf.function(f))),
    "function of the second derivative": lambda f: wf.function(wf.grad(wf.grad(f))),
    "grad of a function of grad": lambda f: wf.grad(wf.function(wf.grad(f))),
    "third derivative": lambda f: wf.function(wf.grad(wf.grad(wf.grad(f)))),
    "jvp of a function": lambda f: lambda x: wf.jvp(wf.function(f), (x,), (x,)),
    "function of jvp": lambda f: wf.function(lambda x: wf.jvp(f, (x,), (x,))),
    "jvp of grad": lambda f: lambda x: wf.jvp(wf.grad(wf.function(f)), (x,), (x,)),
    "function in a function": lambda f: wf.grad(wf.function(lambda x: wf.function(f)(x) * 1.0)),
    "session": _in_session,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", EXPECTED, ids=lambda f: f.__name__)
def test_steps_print_once_and_in_order(f, mode):
    g = MODES[mode](f)
    for _ in range(2):
        with _stdout() as lines:
            g(wf.tensor(2.0))
        assert lines == EXPECTED[f]


def test_a_loop_with_few_kept_steps_prints_once():
    def f(x):
        def step(i, s):
            wf._core._print("{:d}\n", [i])
            return i + 1, s * x

        return wf.while_loop(lambda i, s: i < 50, step, (wf.tensor(0), x), max_saved_bytes=64)[1]

    for g in (wf.grad(wf.function(f)), wf.function(wf.grad(f)), wf.grad(f)):
        with _stdout() as lines:
            assert float(g(wf.tensor(1.0))) == 51.0
        assert lines == [str(i) for i in range(50)]


def test_an_assertion_in_a_differentiated_loop_says_it_once():
    with pytest.raises(wf.FailedAssertion) as error:
        wf.grad(wf.function(asserted))(wf.tensor(-0.5))
    assert str(error.value).count("-0.5") == 1


def test_what_a_rule_of_the_users_prints_is_printed_by_its_derivative():
    class Square(wf.Function):
        @staticmethod
        def forward(ctx, x):
            print("forward")
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            print("backward")
            (x,) = ctx.saved_tensors
            return g * 2.0 * x

    @wf.custom_gradient
    def square(x):
        def backward(g):
            print("backward")
            return g * 2.0 * x

        print("forward")
        return x * x, backward

    for squared in (Square.apply, square):
        def f(x):
            for row in wf.stack([x, x]):
                x = squared(row) + x
            return x

        for g in (wf.function(wf.grad(f)), wf.grad(wf.function(f))):
            with _stdout() as lines:
                g(wf.tensor(1.0))
            assert lines == ["forward"] * 2 + ["backward"] * 2


# Ordinary values.

def words(x, n):
    print("begin", n, sep=": ")
    if wf.sum(x) > 0.0:
        print("positive")
    else:
        print("negative")
    while wf.sum(x) < 8.0:
        print("step", end=";")
        x = x * 2.0 + 1.0
    for k in range(2):
        print("python", k)
    print()
    print(*["a", 1], None, 2.5, [n])
    return x


@pytest.mark.parametrize("x", ([1.0, 2.0], [-3.0, 1.0], [9.0, 9.0]), ids=str)
def test_ordinary_values_are_printed_by_each_run_in_their_place(x):
    f = wf.function(words)
    for g in (words, f, f, f):
        with _stdout() as lines:
            g(wf.tensor(x), 3)
        if g is words:
            expected = lines
    assert lines == expected
    with _stdout() as lines:
        f.get_concrete_function(wf.tensor(x), 4)
    assert lines == []  # traced, not run


def test_what_varies_is_printed_as_it_is_then():
    class Model:
        step = 0

    @wf.function
    def f(x):
        print("step", Model.step)
        return x

    with _stdout() as lines:
        for Model.step in range(3):
            f(wf.tensor(1.0))
            f(wf.tensor(1.0))
    assert lines == ["step 0"] * 2 + ["step 1"] * 2 + ["step 2"] * 2


def sizes(x):
    n = x.shape[0]
    print(n, x.shape, [n], {"n": n}, (n,), 2 * n + 1, x.size, x.ndim)
    print(f"{n}|{n:4d}|{n:<4}|{n!s:>4}|{n!s:4}|{x.shape}", "%d|%5d|%s|%s" % (n, n, n, x.shape))
    print("{}|{:>3}|{}".format(n, n, x.shape), str(n), str(x.shape), format(n, "03d"))
    if wf.sum(x) > 0.0:
        print("of", n)
    return x * 2.0


def test_sizes_are_the_numbers_of_the_run():
    f = wf.function(sizes)
    for n in (3, 4, 7):
        printed = []
        for g in (sizes, f):
            with _stdout() as lines:
                g(wf.ones((n, 2)))
            printed.append(lines)
        assert printed[0] == printed[1]
        assert printed[0][0] == f"{n} ({n}, 2) [{n}] {{'n': {n}}} ({n},) {2 * n + 1} {2 * n} 2"
    assert len(f.trace_log()) == 1


def test_sizes_in_other_texts_are_those_of_the_trace():
    @wf.function
    def f(x):
        names = [f"{x.shape[0]}", f"{x.shape}", "%d" % x.shape[0], "{}".format(x.shape), str(x.shape), format(x.shape[0])]
        return x, names

    for n in (3, 4, 3):
        assert f(wf.ones(n))[1] == [str(n), f"({n},)", str(n), f"({n},)", f"({n},)", str(n)]
    assert len(f.trace_log()) == 2
