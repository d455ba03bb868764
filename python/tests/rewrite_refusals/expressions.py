"""Expressions that Python would have to decide by: filters, patterns, membership, numbers."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, refused

_LINE = np.array([3.0, 1.0, -2.0])


@refused("function: `:=` stands behind a traced bool[] in `and` at line {1}, so it would assign in one case only; "
         "assign on a line of its own before [function.walrus]", 1, F(2))
def walrus_behind_and(x):
    return x > 0 and (y := x) > 1 and y > 2


@refused("function: `:=` stands behind a traced bool[] in the conditional expression at line {1}, so it would assign "
         "in one case only; assign on a line of its own before [function.walrus]", 1, F(2))
def walrus_in_conditional(x):
    return (y := x) if x > 0 else x


@refused("function: the comprehension at line {1} keeps elements by a traced bool[], so its length is not known; use "
         "wf.where(condition, a, b), or a mask [function.filter]", 1, _LINE)
def traced_filter(x):
    return [v for v in x if v > 0]


@refused("function: the comprehension at line {1} runs over a traced int64[], whose length is not known; write a `for` "
         "loop, or wf.vmap [function.comprehension]", 1, I(3))
def comprehension_over_range(n):
    return [k for k in range(n)]


@refused("function: the comprehension at line {1} runs over a traced float64[n], whose length is not known; write a "
         "`for` loop, or wf.vmap [function.comprehension]", 1, _LINE, symbols=True)
def comprehension_of_unknown_length(x):
    return [v * 2 for v in x]


_SLICE = ("function: a slice begins, ends or steps at a traced int64[], so its size is not known; a window of a fixed size is "
          "x[i + wf.arange(3)]; else keep the size and mask, such as wf.where(wf.arange(x.shape[0]) < n, x, 0) [function.slice]")


@refused(_SLICE, 2, _LINE, I(1))
def slice_that_begins_at_a_traced_integer(x, i):
    y = x * 2
    return y[i:i + 2]


@refused(_SLICE, 1, _LINE, I(2))
def slice_that_ends_at_a_traced_integer(x, n):
    return x[:n].sum()


@refused(_SLICE, 2, _LINE, I(2))
def slice_with_a_traced_step(x, n):
    y = x[1::1]
    return y[None, ::n]


@refused("function: the `match` at line {1} is decided by a traced float64[]; write `if` and `elif` [function.match]",
         1, F(2))
def traced_match(x):
    match x:
        case 0:
            return x
        case _:
            return -x


@refused("function: the `match` at line {2} is decided by a traced bool[]; write `if` and `elif` [function.match]",
         2, F(2), "a")
def traced_guard(x, word):
    y = x
    match word:
        case "a" if x > 0:
            return y
    return x


@refused("function: `in` compares with a traced int64[], element by element, in Python; use wf.any(x == element), or "
         "compare with each and join them with `or` [function.contains]", 1, I(2))
def member_of_list(n):
    return 1 if n in (1, 2, 3) else 2


@refused("function: `int` needs a value while the function is traced, but got a traced int64[]; keep it a tensor: "
         "x.astype(wf.int64) [function.host_number]", 1, I(2))
def integer_of_traced(n):
    return [0] * int(n)


@refused("function: `max` needs a value while the function is traced, but got a traced float64[]; keep it a tensor: "
         "wf.maximum(a, b) or wf.max(x) [function.host_number]", 1, F(2), F(3))
def maximum_in_python(x, y):
    return max(x, y)


@refused("function: `sum` needs a value while the function is traced, but got a traced float64[3]; keep it a tensor: "
         "wf.sum(x) [function.host_number]", 1, _LINE)
def sum_in_python(x):
    return sum(x)
