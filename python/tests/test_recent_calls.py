"""Calls like one of the last few run without any Python of ours."""

import numpy as np
import pytest

import weft as wf


class Kind:
    """An argument with a hash and an equality of its own."""

    def __init__(self, power):
        self.power = power

    def __hash__(self):
        return hash(self.power)

    def __eq__(self, other):
        return self.power == other.power


def scaled(x, n):
    return x * n


def raised(x, kind):
    return x ** kind.power


def total(x):
    return wf.sum(x, axis=0)


X, Y = wf.ones((2, 3)), wf.ones((5, 3))
CASES = {
    "sizes": (total, {}, [(X,), (Y,)]),
    "known sizes": (total, {}, [(wf.ones((1, 3)),), (Y,), (wf.ones((0, 3)),)]),
    "dtypes": (total, {}, [(X,), (wf.ones((2, 3), dtype=wf.int64),)]),
    "numbers": (scaled, {}, [(X, 2), (X, 3)]),
    "static numbers": (scaled, {"static_argnums": 1}, [(X, 2), (X, 3)]),
    "static objects": (raised, {"static_argnums": 1}, [(X, Kind(2)), (X, Kind(3))]),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_by_turns(case, monkeypatch):
    f, options, calls = CASES[case]
    traced = wf.function(f, **options)
    want = [f(*args).numpy() for args in calls]
    for _ in range(2):  # a trace, and a call that finds it
        for args in calls:
            traced(*args)
    monkeypatch.setattr(type(traced), "_call", None)  # whoever asks Python now fails
    for _ in range(3):
        for args, expected in zip(calls, want):
            assert np.array_equal(traced(*args).numpy(), expected)


def test_equal_static_objects_are_one_trace():
    traced = wf.function(raised, static_argnums=1)
    for _ in range(3):
        assert traced(2.0 * X, Kind(2)).tolist() == [[4.0] * 3] * 2
    assert traced(2.0 * X, Kind(2.0)).tolist() == [[4.0] * 3] * 2
    assert traced(2.0 * X, Kind(3)).tolist() == [[8.0] * 3] * 2
    assert traced.trace_count == 2


def test_more_kinds_of_calls_than_are_kept():
    traced = wf.function(lambda x: wf.sum(x))
    for _ in range(3):
        for n in range(2, 30):
            assert traced(wf.ones(n)).item() == n
    assert traced.trace_count == 1


def test_a_switch_that_is_turned_on_and_off(monkeypatch):
    class Model:
        training = True

        def __call__(self, x):
            return x * 2.0 if self.training else x

    model = Model()
    traced = wf.function(model)
    for is_on in (True, False) * 2:
        model.training = is_on
        traced(X)
    monkeypatch.setattr(type(traced), "_call", None)
    for is_on in (True, False, True):
        model.training = is_on
        assert traced(X)[0, 0].item() == (2.0 if is_on else 1.0)
