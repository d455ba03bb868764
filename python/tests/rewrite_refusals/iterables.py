"""What loops run over: iterators, ranges, zips, scalars."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, refused

_LINE = np.array([3.0, 1.0, -2.0])


@refused("function: the `for` loop at line {2} would leave a list_iterator at a place that a traced value decides; loop "
         "over a list of its items [function.iterator]", 2, F(3))
def break_leaves_an_iterator(x):
    items = iter([1, 2, 3])
    for k in items:
        if x > 4:
            break
        x = x + k
    return x, list(items)


@refused("function: the `for` loop at line {3} would leave a list_iterator at a place that a traced value decides; loop "
         "over a list of its items [function.iterator]", 3, F(3))
def iterator_used_up_in_branch(x):
    items = iter([1, 2, 3])
    if x > 4:
        for k in items:
            x = x + k
    return x, list(items)


@refused("function: range has a bound of float64[]; give scalar integers [function.range_dtype]", 2, F(3))
def range_of_float(x):
    n = 0
    for i in range(x):
        n = n + i
    return n


@refused("function: range has a traced step of int64[], so its direction is not known; give the step as a Python "
         "integer [function.range_step]", 2, I(3))
def range_with_traced_step(k):
    n = 0
    for i in range(0, 10, k):
        n = n + i
    return n


@refused("function: zip of traced values needs lengths that are known, but one has shape ['n']; loop over a range and "
         "index [function.zip_length]", 2, _LINE, symbols=True)
def zip_of_unknown_length(x):
    s = 0.0
    for a, b in zip(x, x):
        s = s + a * b
    return s


@refused("function: the `for` loop at line {2} iterates over a traced float64[], which has no axis; loop over range(n) "
         "for a traced n [function.iterate_scalar]", 2, F(3))
def loop_over_scalar(x):
    s = 0.0
    for v in x:
        s = s + v
    return s


@refused("function: Python walks over a range with a traced bound, int64[], whose length is not known while the function is traced; "
         "write a `for` loop over it, which becomes one of the graph [function.walk]", 1, I(3))
def list_of_a_traced_range(n):
    return list(range(n))


@refused("function: Python walks over a range with a traced bound, int64[], whose length is not known while the function is traced; "
         "write a `for` loop over it, which becomes one of the graph [function.walk]", 2, I(3))
def reversed_traced_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s + i
    return s


@refused("function: Python walks over a float64[n], whose length is not known while the function is traced; write a `for` loop over "
         "it, which becomes one of the graph [function.walk]", 1, _LINE, symbols=True)
def list_of_an_enumeration(x):
    return list(enumerate(x))
