"""Values that cross branches, walks over traced values in Python, and calls of libraries in branches that only compute."""

# ruff: noqa: E701, SIM, RET, PLR
import collections
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import json
import math
import operator
import os

import numpy as np
from rewrite_table import F, case

_LINE, _NUMBERS = np.array([3.0, 1.0, -2.0]), [1.0, 3.0]


@dataclasses.dataclass
class _Point:
    a: object
    b: float = 1.0
    seen: list = dataclasses.field(default_factory=list, init=False)


class _Colour(enum.Enum):
    RED, BLUE = 1, 2


@case((F(2),), (F(-2),), staged="cond")
def dataclass_of_a_branch(x):
    p = _Point(x)
    if x > 0:
        p = _Point(x * 2, 3.0)
    p.b = p.b + 1
    return p.a, p.b


@case((F(2),), (F(-2),), staged="cond")
def enum_of_both_branches(x):
    if x > 0:
        colour, x = _Colour.RED, x * 2
    else:
        colour = _Colour.RED
    return x if colour is _Colour.RED else -x


@case((np.array([2.0]),), (np.array([-2.0]),), staged="cond")
def truth_of_one_element(x):
    if x > 0:
        x = x * 3
    return x if not x < -1 else -x


@case((np.array([[2.0]]),), (np.array([[-2.0]]),), staged="cond while_loop")
def truth_of_one_element_in_a_matrix(x):
    n = 0
    while x < 20 and x > 0:
        x, n = x * 3, n + 1
    return n, (x or x + 1)


@case((F(2),), (F(-2),), staged="cond")
def pure_functions_of_libraries(x):
    if x > 0:
        xs = copy.copy(_NUMBERS)
        xs.append(math.sqrt(4.0))
        heapq.heappush(xs, 0.5)
        random_free = sorted(itertools.chain(xs, [functools.reduce(operator.add, xs)]))
        np.testing.assert_allclose(np.zeros(2), 0.0)
        list.append(xs, os.path.join("a", "b") == os.sep)
        x = x * len(random_free) * xs[0] + json.loads("[2.5]")[0]
    return x


@case((F(2),), (F(-2),), staged="cond")
def generator_that_only_computes(x):
    def halves(items):
        out = []
        for item in items:
            out.append(item / 2)
            yield out[-1]

    if x > 0:
        for half in halves(_NUMBERS):
            x = x + half
    return x


class _Pair:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        out = _Pair(self.a)
        out.a = out.a + other
        return out


@case((F(2),), (F(-2),), staged="cond")
def operator_that_makes_an_object(x):
    if x > 0:
        x = (_Pair(x) + 1.0).a
    return x


@case((_LINE,))
def walks_in_python(x):
    pairs, table = list(zip(x, x)), dict(enumerate(x, 1))
    first, rest = enumerate(x), [*enumerate(x)]
    k, one = next(first)
    others = [v * i for i, v in first]
    both = tuple(map(lambda pair: pair[0] * pair[1], zip(x, x[1:])))
    chained = list(itertools.chain(enumerate(x), zip("ab", x)))
    named = {key: v for key, v in zip("abc", x)}
    queue = collections.deque(zip(x, x), maxlen=1)
    return pairs, table, k, one, others, rest, both, chained[0][1], named, list(queue)


@case((_LINE,))
def goes_on_with_a_loop(x):
    steps, s = enumerate(x), 0.0
    k, first = next(steps)
    for i, v in steps:
        s = s + i * v
    return k, first, s
