"""`try` in traced functions: what an op says of sizes, and what a call inside raises, decide for such sizes and values alone."""

import pytest

import weft as wf

RATE = 2.0  # what `guarded` reads

# Each takes a vector of seven.
OPS = {
    "add": lambda x: x + wf.ones(7),
    "reshape": lambda x: x.reshape(7),
    "broadcast_to": lambda x: wf.broadcast_to(x, (3, 7)),
    "stack": lambda x: wf.stack([x, wf.ones(7)]),
    "split": lambda x: wf.split(x, 7)[0],
    "index": lambda x: x[5:6] if x.shape[0] == 7 else x[6],
    "matmul": lambda x: x @ wf.ones((7, 2)),
    "where": lambda x: wf.where(wf.ones(7) > 0, x, 1.0),
    "topk": lambda x: wf.topk(x, 7)[0],
    "scan": lambda x: wf.scan(lambda c, row: (c + row[0] * row[1], c), wf.tensor(0.0), (x, wf.ones(7)))[0],
    "grad": lambda x: wf.grad(lambda x: (x + wf.ones(7)).sum())(x),
}


def handled(op):
    def f(x):
        try:
            return op(x)
        except (ValueError, IndexError):
            return x * 0.0

    return f


@pytest.mark.parametrize("sizes", [(2, 7), (7, 2), (2, 3, 7, 2, 3, 7, 2)], ids=str)
@pytest.mark.parametrize("name", OPS)
def test_sizes_that_do_not_fit_are_taken_by_the_handler_of_the_user(name, sizes):
    eager = handled(OPS[name])
    traced = wf.function(handled(OPS[name]))
    for n in sizes:
        x = wf.arange(n, dtype=wf.float32) + 1.0
        assert wf.fingerprint(traced(x)) == wf.fingerprint(eager(x)), n
    for n in (*sizes, *sizes):
        traced(wf.ones(n))
    assert len(traced.trace_log()) <= 5  # those that fail have two each, at most


@pytest.mark.parametrize("sizes", [(2, 7), (7, 2), (2, 3, 7, 2, 3, 7, 2)], ids=str)
@pytest.mark.parametrize("name", ["add", "reshape"])  # its sizes are decided when it is traced, and when it runs
def test_the_same_of_a_traced_function_inside(name, sizes):
    eager, traced = handled(OPS[name]), wf.function(handled(wf.function(OPS[name])))
    for n in sizes:
        assert wf.fingerprint(traced(wf.ones(n))) == wf.fingerprint(eager(wf.ones(n))), n


def test_sizes_that_the_program_refuses_itself():
    @wf.function
    def inner(x):
        if x.shape[0] > 4:
            raise KeyError("too long")
        return x + 1.0

    @wf.function
    def f(x):
        try:
            return inner(x)
        except KeyError:
            return x * 0.0

    assert [f(wf.ones(n)).tolist() for n in (5, 2, 6, 3)] == [[0.0] * 5, [2.0] * 2, [0.0] * 6, [2.0] * 3]


def test_what_a_call_that_raised_has_read_is_watched():
    global RATE

    @wf.function
    def guarded(x):
        if RATE > 1.0:
            raise ValueError("the rate is too great")
        return x * RATE

    @wf.function
    def f(x):
        try:
            return guarded(x)
        except ValueError:
            return x * 0.0

    before = RATE
    try:
        assert f(wf.ones(2)).tolist() == [0.0, 0.0]
        RATE = 0.5
        assert f(wf.ones(2)).tolist() == [0.5, 0.5]
        assert "`RATE`" in f.trace_log()[1]
    finally:
        RATE = before


def test_what_no_handler_takes_is_raised_as_before():
    f = wf.function(lambda x: x.reshape(7))
    assert f(wf.ones(7)).shape == (7,)
    for _ in range(3):
        with pytest.raises(wf.InvalidError, match=r"reshape: cannot reshape \[2\] with 2 elements to \[7\]"):
            f(wf.ones(2))
    assert len(f.trace_log()) == 1


def test_calls_that_fail_count_for_no_traces():
    inner = wf.function(lambda x: x.reshape(7))
    outer = wf.function(lambda x: inner(x) + 1.0)
    outer(wf.ones(7))
    for _ in range(70):
        with pytest.raises(wf.InvalidError, match=r"\[reshape.count\]"):
            outer(wf.ones(2))
    assert outer.trace_count == 1
    assert outer(wf.ones(7, dtype=wf.float64)).tolist() == [2.0] * 7


def test_what_the_handler_raises_goes_on():
    @wf.function
    def f(x):
        try:
            return x.reshape(7) + 1.0
        except wf.InvalidError:
            raise KeyError("need seven") from None

    f(wf.ones(7))
    for _ in range(2):
        with pytest.raises(KeyError, match="need seven"):
            f(wf.ones(2))


def test_errors_that_have_nothing_to_do_with_sizes_are_of_all_sizes():
    @wf.function
    def inner(x, mode):
        if mode == "fast":
            raise NotImplementedError
        return x + 1.0

    @wf.function
    def outer(x):
        try:
            return inner(x, "fast")
        except NotImplementedError:
            return inner(x, "slow")

    for n in range(2, 20):
        assert outer(wf.ones(n)).tolist() == [2.0] * n
    assert outer.trace_count == 1


def test_too_many_sizes_for_a_handler_are_told_of_as_such():
    f = wf.function(handled(OPS["reshape"]), max_traces=3)
    f(wf.ones(7))
    assert [f(wf.ones(n)).shape for n in (2, 3)] == [(2,), (3,)]
    with pytest.raises(wf.InvalidError, match="was traced 3 times, .* allow more by the option max_traces"):
        f(wf.ones(4))
