"""All kinds of Python values that a traced function can read outside of its arguments: a change of each is seen."""

import collections
import contextlib
import copy
import functools
import operator
import types

import numpy as np
import pytest

import weft as wf

ONE = wf.tensor(1.0)
COUNT = 2.0


def seen(f, change, before, after, *more):
    """Whether a function sees a change at its next call, and a call after that is no other trace."""
    traced = wf.function(f)
    assert traced(ONE, *more).item() == before
    change()
    assert traced(ONE, *more).item() == after
    traced(ONE, *more)
    assert traced.trace_count == 2


class Config:
    k = 2.0

    @classmethod
    def by_class(cls, x):
        return x * cls.k

    def by_type(self, x):
        return x * type(self).k


@pytest.mark.parametrize("f", [lambda x: x * Config.k, lambda x: Config.by_class(x), lambda x: Config().by_type(x)])
def test_class_attributes(f, monkeypatch):
    seen(f, lambda: monkeypatch.setattr(Config, "k", 3.0), 2.0, 3.0)


def test_attributes_of_functions_and_namespaces():
    def helper():
        return None

    helper.k = 2.0
    seen(lambda x: x * helper.k, lambda: setattr(helper, "k", 3.0), 2.0, 3.0)
    space = types.SimpleNamespace(k=2.0)
    seen(lambda x: x * space.k, lambda: setattr(space, "k", 3.0), 2.0, 3.0)


class Items(list):
    pass


class Table(dict):
    pass


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(("make", "change"), [
    (lambda: collections.deque([2.0]), lambda c: c.__setitem__(0, 3.0)),
    (lambda: collections.OrderedDict({0: 2.0}), lambda c: c.__setitem__(0, 3.0)),
    (lambda: collections.defaultdict(float, {0: 2.0}), lambda c: c.__setitem__(0, 3.0)),
    (lambda: Items([2.0]), lambda c: c.__setitem__(0, 3.0)),
    (lambda: Table({0: 2.0}), lambda c: c.__setitem__(0, 3.0)),
    (lambda: bytearray([2]), lambda c: c.__setitem__(0, 3)),
    (lambda: np.array([2.0]), lambda c: c.__setitem__(0, 3.0)),
    (lambda: [collections.deque([2.0])][0], lambda c: c.__setitem__(0, 3.0))])
def test_containers(make, change):
    outer = make()
    seen(lambda x: x * float(outer[0]), lambda: change(outer), 2.0, 3.0)
    nested = [make()]
    seen(lambda x: x * float(nested[0][0]), lambda: change(nested[0]), 2.0, 3.0)


def test_containers_as_arguments():
    items = collections.deque([2.0])
    seen(lambda x, d: x * d[0], lambda: items.__setitem__(0, 3.0), 2.0, 3.0, items)
    flags = {"wide"}
    seen(lambda x, d: x * 2.0 if "wide" in d else x, flags.clear, 2.0, 1.0, flags)


def test_lists_in_named_tuples():
    pair = Pair([2.0], 1)
    seen(lambda x: x * pair[0][0], lambda: pair.a.__setitem__(0, 3.0), 2.0, 3.0)


def test_large_arrays_are_told_by_identity():
    large = np.full(1 << 15, 2.0)
    f = wf.function(lambda x: x * large[0])
    f(ONE)
    large[0] = 3.0
    assert f(ONE).item() == 2.0  # as the guide says
    large = np.full(1 << 15, 4.0)
    assert f(ONE).item() == 4.0


def test_mutable_defaults():
    def f(x, factors=[2.0], *, more={"k": 1.0}):  # noqa: B006
        return x * factors[0] * more["k"]

    seen(f, lambda: f.__defaults__[0].__setitem__(0, 3.0), 2.0, 3.0)
    seen(f, lambda: f.__kwdefaults__["more"].__setitem__("k", 2.0), 3.0, 6.0)


class Box:
    def __init__(self, k):
        self.k = k

    def __add__(self, x):
        return x + self.k

    __radd__ = __add__

    def __iadd__(self, x):
        return x + self.k

    def __neg__(self):
        return -self.k

    def __getitem__(self, i):
        return self.k * i

    def __len__(self):
        return int(self.k)

    def __iter__(self):
        return iter([self.k])

    def __contains__(self, x):
        return x < self.k

    def __bool__(self):
        return self.k > 2.5

    def __float__(self):
        return self.k

    def __lt__(self, other):
        return self.k < other

    def __enter__(self):
        return self.k

    def __exit__(self, *_):
        return None

    def __str__(self):
        return str(self.k)


def _with(x, box):
    with box as k:
        return x * k


def _augmented(x, box):
    box += x
    return box


def _summed(x, box):
    for k in box:
        x = x + k
    return x


@pytest.mark.parametrize("f", [
    lambda x, box: x * (box + 1.0), lambda x, box: 1.0 + box + x, lambda x, box: x * -box, lambda x, box: x * box[1],
    lambda x, box: x * len(box), lambda x, box: x * sum(box), lambda x, box: x * (2.5 in box), lambda x, box: x if box else -x,
    lambda x, box: x * float(box), lambda x, box: x * (box < 2.5), lambda x, box: x * len(f"{box}{1}" * len(box)),
    lambda x, box: x * sum([k for k in box]), lambda x, box: -x if not box else x, _with, _augmented, _summed],
    ids=lambda f: f.__name__ + str(f.__code__.co_firstlineno))
def test_operators_of_a_users_class(f):
    box = Box(2.0)
    traced = wf.function(f)
    for k in (2.0, 3.0):
        box.k = k
        assert traced(ONE, box).item() == f(ONE, box).item()
    assert traced.trace_count == 2


def test_builtins_that_read(monkeypatch):
    box = Box(2.0)
    seen(lambda x: x * getattr(box, "k"), lambda: setattr(box, "k", 3.0), 2.0, 3.0)  # noqa: B009
    seen(lambda x: x * getattr(box, "other", 1.0), lambda: setattr(box, "other", 4.0), 1.0, 4.0)
    seen(lambda x: x * 2.0 if hasattr(box, "third") else x, lambda: setattr(box, "third", 0), 1.0, 2.0)
    seen(lambda x: x * vars(box)["k"], lambda: setattr(box, "k", 2.0), 3.0, 2.0)
    seen(lambda x: x * globals()["COUNT"], lambda: monkeypatch.setitem(globals(), "COUNT", 3.0), 2.0, 3.0)


def matching(x):
    match Hold.box:
        case Box(k=2.0):
            return x * 2.0
        case _:
            return x * 3.0


class Hold:
    box = Box(2.0)


@pytest.mark.parametrize("f", [
    matching, lambda x: x * copy.copy(Hold.box).k, lambda x: x * operator.attrgetter("k")(Hold.box),
    lambda x: sum(map(functools.partial(scaled, x), [Hold.box])), lambda x: x * Hold.box.__dict__["k"]])
def test_reads_by_way_of_others(f, monkeypatch):
    monkeypatch.setattr(Hold, "box", Box(2.0))
    seen(f, lambda: setattr(Hold.box, "k", 3.0), 2.0, 3.0)


def scaled(x, box):
    return x * box.k


def generated(box):
    yield box.k
    yield 1.0


@contextlib.contextmanager
def managed(box):
    yield box.k


def test_generators_and_context_managers():
    box = Box(2.0)
    seen(lambda x: x * sum(generated(box)), lambda: setattr(box, "k", 3.0), 3.0, 4.0)

    def f(x):
        with managed(box) as k:
            return x * k

    seen(f, lambda: setattr(box, "k", 4.0), 3.0, 4.0)
