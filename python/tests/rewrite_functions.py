"""Functions that call, close over, inherit, print and change places: everything around a branch stays as it was."""

# ruff: noqa: E701, SIM, RET, PLR
import functools
import heapq
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from rewrite_table import F, I, case

_SCALE = 3.0
Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Pair:
    a: object
    b: object


def _sign(x):
    if x > 0:
        return 1
    return -1


def _apply(f, x, *more, **words):
    return f(x, *more, **words)


@case((F(3),), (F(-3),), staged="cond")
def calls_a_function(x):
    return _sign(x) * x


@case((F(3),), (F(-3),), staged="cond")
def calls_in_branch(x):
    if x > 1:
        return _sign(x - 5) * x
    return _sign(x) + x


@case((F(3),), (F(-3),), staged="cond")
def passes_a_function(x):
    return _apply(_sign, x)


@case((F(3),), (F(-3),), staged="cond")
def passes_a_lambda(x):
    return _apply(lambda v, k=2: v * k if v > 0 else v, x, k=5)


@case((F(3),), (F(-3),), staged="cond")
def two_lambdas_on_a_line(x):
    f, g = lambda v: v if v > 0 else -v, lambda v: -v if v > 0 else v
    return f(x), g(x)


@case((F(3),), (F(-3),), staged="cond")
def nested_function(x):
    def inner(v, *, scale=2.0):
        if v > 0:
            return v * scale
        return v / scale

    return inner(x) + inner(-x, scale=4.0)


@case((F(3),), (F(-3),), staged="cond")
def closes_over_variables(x):
    k = 2.0

    def inner(v):
        return v * k if v > 0 else v

    first = inner(x)
    k = 5.0
    return first, inner(x)


@case((F(3),))
def writes_through_a_cell(x):
    count = 0

    def step(v):
        nonlocal count
        count += 1
        return v + count

    return step(step(x)), count


@case((F(3),), (F(-3),), staged="cond")
def reads_a_global(x):
    return x * _SCALE if x > 0 else x


@case((F(3),), (F(-3),), staged="cond")
def defaults(x, k=2.0, *rest, scale=10.0, **words):
    if x > 0:
        return x * k + len(rest)
    return x * scale + len(words)


@case((F(3),), (F(-3),), staged="cond")
def method(x):
    class Model:
        def __init__(self, k):
            self.__k = k

        def __call__(self, v):
            return self.forward(v) if v > 1 else v

        def forward(self, v):
            if v > 2:
                return v * self.__k
            return v

    return Model(7.0)(x)


@case((F(3),), (F(-3),), staged="cond")
def inherits(x):
    class Base:
        def forward(self, v):
            return v + 1

        @classmethod
        def made(cls):
            return cls()

        @staticmethod
        def twice(v):
            return v * 2 if v > 0 else v

    class Derived(Base):
        def forward(self, v):
            if v > 0:
                return super().forward(v) * 2
            return super(Derived, self).forward(v)

    return Derived.made().forward(x) + Derived.twice(x)


@case((F(3),), (F(-3),), staged="cond")
def partial(x):
    def inner(k, v):
        return v * k if v > 0 else v

    return functools.partial(inner, 4.0)(x)


@case((F(3),), (F(-3),), staged="cond")
def decorated(x):
    def doubled(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args) * 2

        return wrapper

    @doubled
    def inner(v):
        return v if v > 0 else -v

    return inner(x)


@case((I(3),), (I(5),))
def recursion_in_python(x):
    def power(v, n):
        if n == 0:
            return 1
        return v * power(v, n - 1)

    return power(x, 4)


@case((F(3),), (F(-3),), staged="print cond")
def prints_f_strings(x):
    print(f"x is {x:.2f}", f"{x!r}", f"{{}}" + str(x) + "!", f"{1}")
    if x > 0:
        print("%.1f and %s" % (x, x), "{:.3e}".format(x), [x, (x,), {"a": x}])
    return f"{x!r}" and x


@case((F(3),), staged="assert")
def asserts_with_a_text(x):
    assert x < 5, f"{x:.2f} is too large"
    assert x > 1, "%s is too small" % x
    return x


@case((3,))
def texts_of_python(n):
    a = f"{n:03d}|{n!r}|{n}" + "%d%%" % n + "{}-{a}".format(n, a=n) + str(n) + format(n, "x") + str(b"a", "ascii")
    print(f"{n}", "%s" % (n,), str(n), end="")
    assert n == 3, f"{n}"
    return a


class _Clamped:
    """Branches in its `__init__` and in a property."""

    def __init__(self, value, limit=2.0):
        if value > limit:
            value = limit
        self.value = value

    @property
    def sign(self):
        if self.value > 0:
            return 1.0
        return -1.0


class _Shifted(_Clamped):
    def __init__(self, value):
        super().__init__(value, limit=1.0)
        self.shift = 3.0


@case((F(3),), (F(-3),), staged="cond")
def makes_objects(x):
    a = _Clamped(x)
    a.more = x * 2
    return a.value + a.sign * a.more


@case((F(3),), (F(-3),), staged="cond")
def makes_objects_in_branches(x):
    if x > 1:
        a = _Shifted(x * 2)
        a.shift = a.shift + 1
        y = a.value + a.sign + a.shift
    else:
        y = _Clamped(value=x).sign * x
    return y


@case((F(3),), (F(-3),), staged="cond")
def library_calls_that_change_what_a_branch_made(x):
    if x > 0:
        heap, array = [], np.zeros(2)
        for y in (3.0, 1.0):
            heapq.heappush(heap, y)
        array.fill(2.0)
        np.add(array, 1.0, out=array)
        x = x * heapq.heappop(heap) + array[0]
    return x


def _halved(x, n):
    return x if n == 0 else _halved(x / 2 if x > 1 else x - 1, n - 1)


@case((F(3),), (F(-1),), staged="cond")
def recursion_of_a_module(x):
    return _halved(x, 3)


def _count_down(n, below=None):
    def one_less(k):
        return _count_down(k - 1, _count_down)

    if below is not None and n <= 0:
        return n
    return one_less(n) if n > 0 else below


@case((2,), (4,))
def module_function_that_gives_itself(n):
    return _count_down(n)


@case((F(3),))
def standard_library(x):
    return x * math.sqrt(4.0) + functools.reduce(lambda a, b: a + b, [1, 2, 3])


@case((F(3),), staged="print")
def prints(x):
    print("x is", x, sep=" ", end="!\n")
    return x


@case((F(3),), (F(-3),), staged="print cond")
def prints_in_branch(x):
    if x > 0:
        print("positive")
    else:
        print("negative", x)
    return x


@case((I(3),), staged="print while_loop")
def prints_in_loop(n):
    while n > 0:
        print(n)
        n = n - 1
    return n


@case((F(3),), (F(-3),), staged="cond")
def named_tuple(x):
    p = Point(x, 1.0)
    if x > 0:
        p = Point(p.y * 2, p.x)
    return p.x, p.y


@case((F(3),), (F(-3),), staged="cond")
def frozen_dataclass(x):
    p = Pair(x, (x, x))
    if x > 0:
        p = Pair(x + 1, (x, x * 2))
    return p.a, p.b


@case((F(3),), (F(-3),), staged="cond")
def object_made_in_branch(x):
    class Box:
        pass

    if x > 0:
        box = Box()
        box.v = x * 2
        y = box.v
    else:
        y = x
    return y


@case((F(3),))
def sets_attribute_in_python(x):
    class Box:
        v = 0

    box = Box()
    box.v = x
    box.v += 1
    return box.v


@case((F(3), 2))
def changes_lists_in_python(x, n):
    items = [x]
    items += [x * 2]
    items[0] = x - 1
    items.extend([n, n])
    del items[2]
    return items


@case((F(3),))
def generator(x):
    def values(v):
        for k in range(3):
            yield v * k

    return list(values(x))


@case((F(3),))
def imports_inside(x):
    import operator as ops
    from operator import mul
    return mul(ops.add(x, 1), 2)


@case((np.array([1.0, 2.0, 3.0]),), staged="scan")
def function_in_loop(x):
    def step(total, v):
        return total + v if v > 1 else total

    total = 0.0
    for v in x:
        total = step(total, v)
    return total


@case((np.array([1.0, 2.0, 3.0]),), staged="scan")
def loop_in_function(x):
    def total(values):
        s = 0.0
        for v in values:
            s = s + v
        return s

    return total(x) + total(x * 2)


@case((F(3),), (F(-3),), staged="cond")
def starred_calls(x):
    def inner(*values, **words):
        return values[0] + words["k"] if values[0] > 0 else values[1]

    return inner(*[x, x * 2], **{"k": 4.0})


@case((F(3),), (F(-3),), staged="cond")
def variable_deleted_by_except(x):
    try:
        raise ValueError("no")
    except ValueError as error:
        y = len(str(error))
    if x > 0:
        y = y + x
    return y


@case((F(3), 3), (F(3), 30))
def while_else_in_python(x, n):
    while n < 20:
        n += 5
        if n == 13:
            break
    else:
        x = -x
    return x + n
