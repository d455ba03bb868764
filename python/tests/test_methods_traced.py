"""wf.function on methods: each instance has its own traces, and they are freed with it."""

import copy
import gc
import pickle
import weakref

import pytest

import weft as wf

ONE = wf.tensor(1.0)


class Scaled:
    k = 2.0

    def __init__(self, factor=1.0):
        self.factor = factor

    @wf.function
    def go(self, x):
        return x * self.factor

    @wf.function(static_argnums=(0, 2))
    def power(self, x, n):
        return x * self.factor ** n

    @classmethod
    @wf.function
    def of_class(cls, x):
        return x * cls.k

    @wf.function
    @classmethod
    def class_inside(cls, x):
        return x * cls.k

    @staticmethod
    @wf.function
    def of_none(x):
        return x * 3.0

    @wf.function
    @staticmethod
    def none_inside(x):
        return x * 3.0


class Steeper(Scaled):
    k = 5.0

    @wf.function
    def go(self, x):
        return super().go(x) + 1.0


class Slotted:
    __slots__ = ("factor",)

    @wf.function
    def go(self, x):
        return x * self.factor


def test_instances_come_and_go():
    assert [Scaled(float(i)).go(ONE).item() for i in range(100)] == list(range(100))
    one = Scaled(2.0)
    gone = weakref.ref(one)
    one.go(ONE)
    del one
    gc.collect()
    assert gone() is None


def test_the_log_is_the_instances():
    a, b = Scaled(2.0), Scaled(3.0)
    assert (a.go(ONE).item(), b.go(ONE).item(), a.go(ONE).item()) == (2.0, 3.0, 2.0)
    assert a.go.trace_log() == ["the first call"] and b.go.trace_count == 1 and Scaled.go.trace_count == 0
    a.factor = 4.0
    assert a.go(ONE).item() == 4.0 and a.go.trace_count == 2 and b.go.trace_count == 1
    assert Scaled.go(a, ONE).item() == 4.0 and Scaled.go.trace_count == 1
    assert (a.power(ONE, 2).item(), a.power(ONE, 1).item()) == (16.0, 4.0)


def test_inheritance_and_kinds_of_methods():
    assert Steeper(2.0).go(ONE).item() == 3.0
    for owner in (Scaled, Steeper, Scaled(), Steeper()):
        kind = owner if isinstance(owner, type) else type(owner)
        assert owner.of_class(ONE).item() == owner.class_inside(ONE).item() == kind.k
        assert owner.of_none(ONE).item() == owner.none_inside(ONE).item() == 3.0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_have_traces_of_their_own(copied):
    one = Scaled(2.0)
    one.go(ONE)
    other = copied(one)
    other.factor = 3.0
    assert (one.go(ONE).item(), other.go(ONE).item()) == (2.0, 3.0) and other.go.trace_count == 1


def test_an_instance_without_room():
    one = Slotted()
    one.factor = 2.0
    assert one.go(ONE).item() == 2.0
    one.factor = 3.0
    assert one.go(ONE).item() == 3.0
