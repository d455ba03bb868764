"""What loops carry: variables of one kind, dtype and shape from step to step."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, refused

_LINE = np.array([3.0, 1.0, -2.0])
_ROWS = np.ones((3, 2))


@refused("function: `last` gets its first value inside the `while` loop at line {2}, but is read after it or by its "
         "next iteration; give `last` a value before the loop: it may run zero times [function.loop_undefined]", 2, I(3))
def defined_in_loop(n):
    k = n
    while n > 0:
        n = n - 1
        last = n
    return last + k


@refused("function: `i` gets its first value inside the `for` loop at line {1}, but is read after it or by its next "
         "iteration; give `i` a value before the loop: it may run zero times [function.loop_undefined]", 1, I(3))
def target_after_loop(n):
    for i in range(n):
        pass
    return i


@refused("function: `x` is int64[] before the `while` loop at line {2}, but float64[] after one iteration; cast it, "
         "before the loop or in it: a loop's variable has one dtype [function.loop_dtype]", 2, I(3))
def dtype_changes(n):
    x = n * 2
    while n > 0:
        x = x / 2
        n = n - 1
    return x


@refused("function: `seen` is the Python bool False before the `while` loop at line {2}, but int64[] after one "
         "iteration; cast it, before the loop or in it: a loop's variable has one dtype [function.loop_dtype]", 2, I(3))
def flag_becomes_number(n):
    seen = False
    while n > 0:
        seen = n
        n = n - 1
    return seen


@refused("function: `total` is the Python float 0.0 before the `for` loop at line {2}, but float64[2] after one "
         "iteration; give it its final shape before the loop: a loop's variable has one shape [function.loop_shape]",
         2, _ROWS)
def shape_grows(x):
    total = 0.0
    for row in x:
        total = total + row
    return total


@refused("function: `best` is None before the `while` loop at line {2}, but float64[] after one iteration; only "
         "tensors and numbers can change: give `best` one kind of value before the loop and in it [function.loop_kind]",
         2, F(9))
def none_before_loop(x):
    best = None
    while x > 1:
        best = x
        x = x / 2
    return best


@refused("function: `out` is a list of 0 before the `for` loop at line {2}, but a list of 1 after one iteration; only "
         "tensors and numbers can change: give `out` one kind of value before the loop and in it [function.loop_kind]",
         2, _LINE)
def list_by_addition(x):
    out = []
    for v in x:
        out = out + [v]
    return out
