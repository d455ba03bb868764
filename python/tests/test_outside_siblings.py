"""What traced functions read through partials, containers of the library, builtins, metaclasses and modules is compared, too."""

import array
import collections
import enum
import functools
import heapq
import math
import operator
import types

import numpy as np
import pytest

import weft as wf

X = wf.ones(1)


class Box:
    """Its `v` is what all its operators read."""

    def __init__(self, v=1.0):
        self.v = v

    def __radd__(self, other):
        return other + self.v

    def __add__(self, other):
        return Box(self.v + other.v)

    def __float__(self):
        return self.v

    def __lt__(self, other):
        return self.v < other.v

    def __gt__(self, other):
        return self.v > other.v

    def __bool__(self):
        return self.v > 2.0

    def __eq__(self, other):
        return isinstance(other, Box) and self.v == other.v

    def __hash__(self):
        return hash(self.v)

    def __index__(self):
        return int(self.v)

    def __str__(self):
        return "a" * int(self.v)

    def __iter__(self):
        return iter([self.v])

    def scaled(self, x):
        return x * self.v


class Meta(type):
    @property
    def rate(cls):
        return cls.stored

    def __len__(cls):
        return int(cls.stored)


def setting(owner, name="v", value=5.0):
    return lambda: setattr(owner, name, value)


def item(owner, key, value=5.0):
    return lambda: owner.__setitem__(key, value)


def _partials():
    box = [1.0]
    bound = functools.partial(lambda k, x: x * k[0], box)
    yield "a list bound in a partial", lambda x: bound(x), item(box, 0)
    rates = {"a": 1.0}
    by_word = functools.partial(lambda x, k: x * k["a"], k=rates)
    yield "a dict bound by a keyword", lambda x: by_word(x), item(rates, "a")
    number = functools.partial(lambda x, k: x * k, k=2.0)
    yield "keywords of a partial", lambda x: number(x), item(number.keywords, "k")
    deep = [1.0]
    nested = functools.partial(functools.partial(lambda a, b, x: x * a[0] * b, deep), 2.0)
    yield "a partial of a partial", lambda x: nested(x), item(deep, 0)
    held = [1.0]

    class Owner:
        def f(self, k, x):
            return x * k[0]

        g = functools.partialmethod(f, held)

    owner = Owner()
    yield "a partialmethod", lambda x: owner.g(x), item(held, 0)
    outer, inner = types.SimpleNamespace(), Box()
    outer.inner = inner
    getter = operator.attrgetter("inner.v")
    yield "attrgetter of a path", lambda x: x * getter(outer), setting(inner)
    scaled, thing = operator.methodcaller("scaled", 1.0), Box()
    yield "methodcaller", lambda x: x * scaled(thing), setting(thing)


def _containers():
    words = collections.UserDict(a=1.0)
    yield "UserDict", lambda x: x * words["a"], item(words, "a")
    got = collections.UserDict(a=1.0)
    yield "UserDict.get", lambda x: x * got.get("a"), item(got, "a")
    has = collections.UserDict(a=1.0)
    yield "in a UserDict", lambda x: x * (2.0 if "b" in has else 1.0), item(has, "b")
    summed = collections.UserDict(a=1.0)
    yield "UserDict.items", lambda x: x * sum(v for _, v in summed.items()), item(summed, "b")
    deep = collections.UserDict(a=[1.0])
    yield "a list in a UserDict", lambda x: x * deep["a"][0], item(deep["a"], 0)
    numbers = collections.UserList([1.0])
    yield "UserList", lambda x: x * numbers[0], item(numbers, 0)
    longer = collections.UserList([1.0])
    yield "len of a UserList", lambda x: x * len(longer), lambda: longer.append(1.0)
    each = collections.UserList([1.0])
    yield "for of a UserList", lambda x: x * sum([v for v in each]), lambda: each.append(4.0)
    text = collections.UserString("a")
    yield "UserString", lambda x: x * len(text), setting(text, "data", "abc")
    ordered = collections.OrderedDict(a=1.0, b=2.0)
    yield "the order of an OrderedDict", lambda x: x * next(iter(ordered.values())), lambda: ordered.move_to_end("a")
    chain = collections.ChainMap({"a": 1.0})
    yield "maps of a ChainMap", lambda x: x * chain["a"], lambda: chain.maps.insert(0, {"a": 5.0})
    view = memoryview(bytearray(b"abc"))
    yield "memoryview", lambda x: x * view[0], item(view, 0, 3)
    raw = array.array("d", [1.0])
    yield "array.array", lambda x: x * raw[0], item(raw, 0)
    counter = collections.Counter("ab")
    yield "Counter", lambda x: x * counter["a"], lambda: counter.update("aaa")


def _functions():
    def replaced(x, *, s=1.0):
        return x * s

    yield "__kwdefaults__ replaced", lambda x: replaced(x), setting(replaced, "__kwdefaults__", {"s": 5.0})

    def changed(x, *, s=1.0):
        return x * s

    yield "__kwdefaults__ changed", lambda x: changed(x), lambda: changed.__kwdefaults__.update(s=5.0)

    def mutable(x, *, s=[1.0]):  # noqa: B006
        return x * s[0]

    yield "a mutable keyword default", lambda x: mutable(x), lambda: item(mutable.__kwdefaults__["s"], 0)()

    def itself(x, *, s=1.0):
        return x * s

    yield "__kwdefaults__ of the function itself", itself, setting(itself, "__kwdefaults__", {"s": 5.0})


def _builtins():
    def case(name, f, count=1, value=5.0):
        boxes = [Box(1.0 + 2.0 * i) for i in range(count)]
        return name, lambda x: x * f(*boxes), setting(boxes[0], "v", value)

    yield case("sum", lambda a: sum([a], 0.0))
    yield case("sum of a generator", lambda a: sum((q for q in [a]), 0.0))
    yield case("sum of objects", lambda a, b: sum([a], b).v, 2)
    yield case("sorted", lambda a, b: 2.0 if sorted([a, b])[0] is a else 7.0, 2)
    yield case("sorted pairs", lambda a, b: 2.0 if sorted([(1, a), (1, b)])[0][1] is a else 7.0, 2)
    yield case("sorted by attrgetter", lambda a, b: 2.0 if sorted([a, b], key=operator.attrgetter("v"))[0] is a else 7.0, 2)
    yield case("min", lambda a, b: 2.0 if min(a, b) is a else 7.0, 2)
    yield case("max of a list", lambda a, b: 2.0 if max([a, b]) is a else 7.0, 2)
    yield case("min by float", lambda a, b: 2.0 if min([a, b], key=float) is a else 7.0, 2)
    yield case("any", lambda a: 2.0 if any([a]) else 7.0)
    yield case("all", lambda a: 2.0 if all([a]) else 7.0)
    yield case("map of float", lambda a: list(map(float, [a]))[0])
    yield case("filter of None", lambda a: 1.0 + len(list(filter(None, [a]))))
    yield case("in a list", lambda a, b: 2.0 if b in [a] else 1.0, 2, 3.0)
    yield case("list.count", lambda a, b: [a].count(b), 2, 3.0)
    yield case("lists are equal", lambda a, b: 2.0 if [a] == [b] else 1.0, 2, 3.0)
    yield case("range", lambda a: len(range(a)))
    yield case("an index", lambda a: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0][a])
    yield case("a key", lambda a, b: {1.0: 2.0, 5.0: 7.0}[a.v], 2)
    yield case("str", lambda a: len(str(a)))
    yield case("%s", lambda a: len("%s" % a))
    yield case("str.format", lambda a: len("{}".format(a)))
    yield case("join", lambda a: len("".join(map(str, [a]))))
    yield case("math.sqrt", lambda a: math.sqrt(a), 1, 25.0)
    yield case("functools.reduce", lambda a: functools.reduce(operator.add, [a, a]).v)
    yield case("heapq", lambda a, b: 2.0 if heapq.nsmallest(1, [a, b])[0] is a else 7.0, 2)
    yield case("unpacked", lambda a: (lambda q: q)(*a))

    def sorting(a, b):
        both = [a, b]
        both.sort()
        return 2.0 if both[0] is a else 7.0

    yield case("list.sort", sorting, 2)


def _changed_classes():
    """`x.__class__ = Other` gives an object other methods, properties and operators."""

    class Slow:
        rate = property(lambda self: 1.0)
        table = (1.0, 2.0)

        def scaled(self, x):
            return x * 1.0

        def through(self, x):
            return self.scaled(x)

        @classmethod
        def of_class(cls, x):
            return x * cls.table[0]

        @staticmethod
        def static(x):
            return x * 1.0

        half = functools.partialmethod(lambda self, factor, x: x * factor, 0.5)
        __call__ = scaled

        def __mul__(self, x):
            return x * 1.0

        def __len__(self):
            return 1

        def __enter__(self):
            return 1.0

        def __exit__(self, *error):
            pass

    class Fast(Slow):
        rate = property(lambda self: 5.0)
        table = (5.0, 2.0)

        def scaled(self, x):
            return x * 5.0

        @staticmethod
        def static(x):
            return x * 5.0

        half = functools.partialmethod(lambda self, factor, x: x * factor, 2.5)
        __call__ = scaled

        def __mul__(self, x):
            return x * 5.0

        def __len__(self):
            return 5

        def __enter__(self):
            return 5.0

    def in_context(o, x):
        with o as rate:
            return x * rate

    uses = {"method": lambda o, x: o.scaled(x), "method of self": lambda o, x: o.through(x), "bound method": lambda o, x: (o.scaled)(x),
            "classmethod": lambda o, x: o.of_class(x), "staticmethod": lambda o, x: o.static(x), "property": lambda o, x: x * o.rate,
            "attribute of the class": lambda o, x: x * o.table[0], "partialmethod": lambda o, x: o.half(x), "call": lambda o, x: o(x),
            "operator": lambda o, x: o * x, "len": lambda o, x: x * len(o), "with": in_context,
            "not rewritten": wf.do_not_rewrite(lambda o, x: o.scaled(x)), "map": lambda o, x: list(map(o.scaled, [x]))[0]}
    for name, use in uses.items():
        one = Slow()
        yield f"another class: {name}", functools.partial(lambda use, one, x: use(one, x), use, one), setting(one, "__class__", Fast)
    layer = wf.nn.Linear(1, 1)
    layer.weight.assign([[1.0]])
    layer.bias.assign([0.0])

    class Doubled(wf.nn.Linear):
        def forward(self, x):
            return super().forward(x) * 2.0

    yield "another class: layer", lambda x: wf.sum(layer(wf.reshape(x, (1, 1)))), setting(layer, "__class__", Doubled)


def _kinds():
    class Rated(metaclass=Meta):
        stored = 1.0

    yield "a property of a metaclass", lambda x: x * Rated.rate, setting(Rated, "stored")

    class Long(metaclass=Meta):
        stored = 1.0

    yield "len of a class", lambda x: x * len(Long), setting(Long, "stored")

    class Other:
        pass

    one, two = Box(), Box()
    yield "isinstance", lambda x: x * (1.0 if isinstance(one, Box) else 5.0), setting(one, "__class__", Other)
    yield "type()", lambda x: x * (1.0 if type(two) is Box else 5.0), setting(two, "__class__", Other)

    yield from _changed_classes()

    class Choice(enum.Enum):
        A = 1.0
        B = 2.0

    held = types.SimpleNamespace(choice=Choice.A)
    yield "a member of an enum", lambda x: x * held.choice.value, setting(held, "choice", Choice.B)
    first, second = types.ModuleType("first"), types.ModuleType("second")
    first.s, second.s = 1.0, 5.0
    module = types.SimpleNamespace(m=first)
    yield "another module in its place", lambda x: x * module.m.s, setting(module, "m", second)


CASES = {name: (f, change) for part in (_partials, _containers, _functions, _builtins, _kinds) for name, f, change in part()}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("error")
def test_a_change_is_seen(name):
    f, change = CASES[name]
    traced = wf.function(f)
    assert traced(X).item() == traced(X).item() == f(X).item()
    assert traced.trace_count == 1  # what is unchanged is known as such
    before = f(X).item()
    change()
    assert f(X).item() != before and traced(X).item() == f(X).item()
    assert traced.trace_count == 2


@pytest.mark.parametrize("module", [math, np, functools])
def test_an_attribute_of_a_librarys_module_is_compared(module, monkeypatch):
    monkeypatch.setattr(module, "weft_rate", 1.0, raising=False)
    f = wf.function(lambda x: x * module.weft_rate)
    assert f(X).item() == 1.0
    monkeypatch.setattr(module, "weft_rate", 5.0)
    assert f(X).item() == 5.0 and f.trace_count == 2


def test_a_large_container_of_a_librarys_module_is_not_copied():
    import sys

    f = wf.function(lambda x: x * (2.0 if "weft" in sys.modules else 1.0))
    assert f(X).item() == 2.0
    sys.modules["weft_not_a_module"] = types.ModuleType("weft_not_a_module")
    try:
        assert f(X).item() == 2.0 and f.trace_count == 1
    finally:
        del sys.modules["weft_not_a_module"]
