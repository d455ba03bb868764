"""What a rewritten function keeps: names, cells, defaults, lines, order of evaluation; and what is left as it is."""

import functools
import inspect
import sys
import traceback

import numpy as np
import pytest
from rewrite_toy import Block, Place, Toy, _rewrite, backend, traced

rewrite, why_not = _rewrite.rewrite, _rewrite.why_not


class Account:
    rate = 2.0

    def __init__(self):
        self.__secret = 5.0

    def total(self, x, /, k=1.0, *rest, scale: float = 3.0, **words) -> float:
        """The total."""
        if x > 0:
            return x * k * scale * Account.rate + self.__secret
        return x

    @property
    def secret(self):
        return self.__secret


class Savings(Account):
    def total(self, x, k=1.0):
        if x > 1:
            return super().total(x, k) * 2
        return -x


@pytest.fixture(autouse=True)
def toy():
    with backend.using(Toy()) as made:
        yield made


def test_names_and_attributes():
    def f(x, k=[1], *, scale=2.0):  # noqa: B006
        """Words."""
        return x if x > k[0] else scale

    f.mark = "kept"
    new = rewrite(f)
    assert new is not f and _rewrite.is_rewritten(new)
    for word in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        assert getattr(new, word) == getattr(f, word)
    assert new.__defaults__ is f.__defaults__ and new.__kwdefaults__ is f.__kwdefaults__ and new.mark == "kept"
    assert inspect.signature(new) == inspect.signature(f)
    assert inspect.signature(rewrite(Account.total)) == inspect.signature(Account.total)
    assert inspect.getsource(new) == inspect.getsource(f)
    assert new.__code__.co_qualname == f.__code__.co_qualname and new.__code__.co_firstlineno == f.__code__.co_firstlineno


def test_cells_are_the_same_both_ways():
    k = 1.0

    def f(x):
        nonlocal k
        k = k + 1
        return x * k if x > 0 else x

    new = rewrite(f)
    assert f.__closure__[0] in [cell for cell in new.__closure__ if cell is f.__closure__[0]]
    assert new(2.0) == 4.0 and k == 2.0
    k = 10.0
    assert new(2.0) == 22.0 and k == 11.0


def test_one_rewrite_per_function():
    def f(x):
        return x if x else 1

    assert rewrite(f) is rewrite(f) and rewrite(rewrite(f)) is rewrite(f)
    f.__defaults__ = (3,)
    assert rewrite(f)() == 3


def test_methods_private_names_and_super():
    account, savings = Account(), Savings()
    assert rewrite(account.total)(1.0, scale=2.0) == account.total(1.0, scale=2.0)
    assert rewrite(savings.total)(2.0) == savings.total(2.0)
    found, toy = traced(savings.total, np.float64(2.0))
    assert found == savings.total(2.0) and toy.used.count("cond") == 2


def test_decorators_are_not_applied_again():
    calls = []

    def noted(f):
        calls.append(f.__name__)
        return f

    @noted
    def f(x):
        return x if x > 0 else -x

    rewrite(f)(1)
    assert calls == ["f"]


def test_traceback_shows_the_users_lines():
    def f(x):
        y = 1
        if x > 0:
            for _ in range(2):
                y = y // (x - x)
        return y

    first = f.__code__.co_firstlineno
    with pytest.raises(ZeroDivisionError) as caught:
        rewrite(f)(1)
    frames = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__][1:]
    assert [frame.lineno - first for frame in frames] == [2, 3, 4]
    assert {frame.name for frame in frames} == {"f"} and frames[-1].line == "y = y // (x - x)"


def test_debuggers_see_the_same_lines():
    def f(x, n):
        total = 0
        for i in range(n):
            if i == 1:
                continue
            total += x
        while total > 3:
            total -= 1
        return total

    def lines_of(g):
        seen = []

        def trace(frame, event, _):
            if frame.f_code.co_filename == __file__ and event == "line":
                seen.append(frame.f_lineno)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            g(2, 4)
        finally:
            sys.settrace(before)
        return {line - f.__code__.co_firstlineno for line in seen if line <= f.__code__.co_firstlineno + 8}

    assert lines_of(f) <= lines_of(rewrite(f)) | {4}  # a `continue` is gone: what follows is the other branch


def test_order_of_evaluation():
    seen = []

    def note(x):
        seen.append(x)
        return x

    def f():
        note(1) and note(0) and note(2)
        note(0) or note(3)
        (note(4) if note(5) else note(6))
        assert note(7), note(8)
        note(9) < note(10) < note(3) < note(11)
        note([12])[note(0)] = note(13)
        return [note(k) for k in range(2) if note(k)]

    f()
    expected, seen[:] = list(seen), []
    rewrite(f)()
    assert seen == expected


def test_failed_assertion_in_python_and_in_the_graph():
    def f(x):
        assert x > 0, "x must be positive"
        return x

    with pytest.raises(AssertionError, match="^x must be positive$"):
        rewrite(f)(-1)
    with pytest.raises(AssertionError, match="^x must be positive\nat .*test_rewrite_kept.py:"):
        traced(f, np.float64(-1))


def test_graph_prints_in_order_and_only_where_it_runs():
    def f(n):
        print("begin", n)
        while n > 0:
            if n % 2 == 0:
                print("even", n)
            n = n - 1
        print("end")

    _, toy = traced(f, np.int64(4))
    assert toy.printed == ["begin 4\n", "even 4\n", "even 2\n"]  # nothing traced in the last: Python printed it


def test_places_change_where_the_graph_runs():
    def f(x, place):
        if x > 0:
            place.assign_add(x)
        for _ in range(x.astype("int64")):
            place.assign_add(1.0)

    for x, total in ((3.0, 6.0), (-3.0, 0.0)):
        place = Place(0.0)
        traced(f, np.float64(x), place)
        assert place.value == total


def test_without_source_only_a_branch_raises():
    names = {}
    exec("def f(x, flag):\n    if flag:\n        x = x + 1\n    return x if not flag or x > 0 else -x", names)
    f = names["f"]
    assert rewrite(f) is f and why_not(f) == "its source is not found in <string>"
    assert traced(f, np.float64(2), False)[0] == 2.0
    with pytest.raises(TypeError, match="bool of a traced value"):
        traced(f, np.float64(2), True)


def test_do_not_rewrite():
    @_rewrite.do_not_rewrite
    def plain(x):
        return x if x > 0 else -x

    def calls_plain(x):
        return plain(x)

    def nested(x):
        @_rewrite.do_not_rewrite
        def inner(v):
            return v if v > 0 else -v

        return inner(x)

    assert rewrite(plain) is plain and why_not(plain) == "it is marked with do_not_rewrite"
    for f in (plain, calls_plain, nested):
        with pytest.raises(TypeError, match="bool of a traced value"):
            traced(f, np.float64(2))


def test_reasons():
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    def jumps_in_finally(x):
        try:
            return x
        finally:
            return -x  # noqa: B012

    def sees_locals(x):
        return locals()

    assert why_not(generator) == why_not(coroutine) == "it is a generator or a coroutine, whose body runs later and in parts"
    assert why_not(jumps_in_finally) == "a `finally` jumps, which would swallow exceptions"
    assert why_not(sees_locals) == "it calls locals(), which sees the variables of the function itself"
    assert why_not(len) == "it is not a Python function" and why_not(Account.total) is None
    assert rewrite(sees_locals)(1) == {"x": 1} and rewrite(len) is len and rewrite(Account) is Account


def test_libraries_are_left_alone():
    call = _rewrite.call
    for f in (inspect.signature, functools.wraps, np.concatenate, np.stack, pytest.raises, Block, traced, len, np.add):
        assert call(f) is f or call(f).__qualname__.startswith("_with_rewritten_arguments")
    assert rewrite(functools.partial(Account.total, Account()))(2.0) == Account().total(2.0)


def test_lambdas():
    f, g = (lambda x: x if x > 0 else -x), (lambda x: -x if x > 0 else x)
    assert (traced(f, np.float64(2))[0], traced(g, np.float64(2))[0]) == (2.0, -2.0)
    pair = [lambda x: x and 1, lambda x: x and 2]
    assert [rewrite(one)(5) for one in pair] == [1, 2] and [why_not(one) for one in pair] == [None, None]


def test_python_semantics_of_odd_values():
    class Loud:
        def __bool__(self):
            raise RuntimeError("no truth")

    def f(x):
        if x:
            return 1
        return 2

    new = rewrite(f)
    assert [new(x) for x in ([], [0], "", "a", None, {}, 0.0)] == [2, 1, 2, 1, 2, 2, 2]
    with pytest.raises(RuntimeError, match="no truth"):
        new(Loud())


def test_undefined_variables_raise_as_in_python():
    def f(flag):
        if flag:
            y = 1
        return y

    with pytest.raises(NameError):
        rewrite(f)(False)
    assert rewrite(f)(True) == 1


def test_laws_have_a_form():
    for label, law in _rewrite.LAWS.items():
        assert label.islower() and not law.wrong.endswith(".") and not law.right.endswith(".")
    assert len({node for construct in _rewrite.TABLE for node in construct.nodes}) >= 20
