"""Classes and recursion in traced functions: what is rewritten of them, what is refused, what is told."""

import dataclasses

import pytest
import weft as wf

_seen = []


class Clamped:
    def __init__(self, x, limit):
        if x > limit:
            x = limit
        self.x = x

    @property
    def doubled(self):
        return self.x * 2.0 if self.x > 0.0 else self.x

    def __add__(self, other):
        return other if other > 0.0 else -other


@dataclasses.dataclass
class Noted:
    value: float

    def __post_init__(self):
        _seen.append(self.value)


def halved(x, n):
    return x if n == 0 else halved(x / 2.0 if x > 1.0 else x - 1.0, n - 1)


def factorial(n):
    return n * factorial(n - 1.0) if n > 1.0 else n


@wf.function
def traced_factorial(n):
    return n * traced_factorial(n - 1.0) if n > 1.0 else n


@pytest.mark.parametrize("x", [5.0, 0.5, -1.0])
def test_init_and_properties_branch_on_traced_values(x):
    def f(x):
        return Clamped(x, 2.0).doubled

    assert wf.function(f)(wf.tensor(x)).item() == f(x)


def test_what_is_never_rewritten_is_named():
    def positive(x):
        if x > 0.0:
            yield x

    for f in (lambda x: list(positive(x))[0], lambda x: Clamped(x, 2.0) + x):
        with pytest.raises(wf.WrongTypeError, match="generators, methods behind operators and what a library calls are never rewritten"):
            wf.function(f)(wf.tensor(1.0))


def test_a_dataclass_that_leaves_something_behind_is_told():
    @wf.function
    def f(x):
        if x > 0.0:
            x = x * Noted(2.0).value
        return x

    with pytest.warns(UserWarning, match=r"`_seen` is changed while the function is traced"):
        assert f(wf.tensor(3.0)).item() == 6.0


@pytest.mark.parametrize("x", [5.0, 0.5])
def test_recursion_that_python_ends(x):
    assert wf.function(lambda x: halved(x, 3))(wf.tensor(x)).item() == halved(x, 3)


def test_recursion_that_traced_values_would_end_is_refused():
    with pytest.raises(wf.InvalidError, match=r"`factorial` calls itself under a traced condition without end.*\[function.recursion\]"):
        wf.function(factorial)(wf.tensor(3.0))
    with pytest.raises(wf.InvalidError, match="traced_factorial: calls itself while it is traced"):
        traced_factorial(wf.tensor(3.0))
