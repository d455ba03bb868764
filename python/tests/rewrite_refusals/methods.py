"""Effects of methods behind operators and of what libraries do."""

# ruff: noqa: E701, SIM, RET, PLR
import bisect
import heapq
import operator

import numpy as np
from rewrite_table import F, refused

_seen = []
_heap, _array = [1.0], np.zeros(2)


class _Counting:
    """Every method has an effect."""

    def __init__(self, is_seen=False):
        self.n = 0
        if is_seen:
            _seen.append(self)

    @property
    def twice(self):
        self.n += 1
        return 2.0

    def __add__(self, other):
        self.n += 1
        return other

    def __len__(self):
        self.n += 1
        return 2

    def __iter__(self):
        self.n += 1
        return iter([1.0])

    def __enter__(self):
        self.n += 1

    def __exit__(self, *_):
        pass


_counting = _Counting()


_ATTRIBUTE = ("function: the attribute of a _Counting is set under the `if` at line {1}, which is traced once and may run any "
              "number of times; keep the value in a variable and set the attribute after it [function.host_attribute]")


def _unrewritten(method, line):
    return (f"function: `_Counting.{method}`, which is not rewritten, would change something outside under the `if` at line {{1}}, "
            f"which is traced once and may run any number of times: `self.n` at line {line}; change it before or after, or in a "
            "function that is called [function.host_unrewritten]"), 2, F(3)


@refused(*_unrewritten("__add__", 29))
def operator_with_an_effect(x):
    if x > 0:
        x = _counting + x
    return x


@refused(*_unrewritten("__iter__", 37))
def loop_with_an_effect(x):
    if x > 0:
        for y in _counting:
            x = x + y
    return x


@refused(*_unrewritten("__enter__", 41))
def context_with_an_effect(x):
    if x > 0:
        with _counting:
            x = x + 1
    return x


@refused(_ATTRIBUTE, 2, F(3))
def object_setattr(x):
    if x > 0:
        object.__setattr__(_counting, "n", 2)
    return x


def _method(name, kind, line=2):
    return (f"function: `{name}` changes a {kind} from outside of the `if` at line {{1}}, which is traced once and may run any number "
            f"of times; keep the value in a variable and call `{name}` after it [function.host_method]"), line, F(3)


@refused(*_method("heappush", "list"))
def pushes_on_a_heap(x):
    if x > 0:
        heapq.heappush(_heap, 2.0)
    return x


@refused(*_method("insort_right", "list"))
def sorts_into_a_list(x):
    if x > 0:
        bisect.insort(_heap, 2.0)
    return x


@refused(*_method("setitem", "list"))
def item_by_operator(x):
    if x > 0:
        operator.setitem(_heap, 0, 2.0)
    return x


@refused(*_method("fill", "ndarray"))
def fills_an_array(x):
    if x > 0:
        _array.fill(2.0)
    return x


@refused(*_method("add", "ndarray"))
def array_as_out(x):
    if x > 0:
        np.add(_array, 1.0, out=_array)
    return x


@refused(*_method("add", "ndarray"))
def array_as_last_operand(x):
    if x > 0:
        np.add(_array, 1.0, _array)
    return x


@refused(*_method("copyto", "ndarray"))
def copies_into_an_array(x):
    if x > 0:
        np.copyto(_array, 1.0)
    return x
