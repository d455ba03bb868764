"""Exceptions in traced branches and loops, and handlers around them."""

# ruff: noqa: E701, SIM, RET, PLR
import contextlib

from rewrite_table import F, refused


class _Box:
    value = 0


_box = _Box()


@refused("function: `raise` under the `if` at line {1}, which is traced whether it will run or not; use `assert "
         "condition, message`, which is checked when the graph runs [function.raise]", 2, F(2))
def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return x


@refused("function: the attribute of a _Box is set under the `if` at line {3}, which is traced once and may run any "
         "number of times; keep the value in a variable and set the attribute after it [function.host_attribute]", 4, F(2))
def refusal_is_not_swallowed(x):
    y = x
    try:
        if x > 0:
            _box.value = x
    except Exception:
        y = -x
    return y


_LEAVES = ("leaves {}, which is traced whether it will run or not, and would be caught outside of it; catch it inside, or use "
           "`assert condition, message`, which is checked when the graph runs [function.try]")


@refused("function: KeyError('k') " + _LEAVES.format("the `if` at line {2}"), 4, F(2))
def error_of_a_branch_is_not_swallowed(x):
    try:
        if x > 0:
            x = x * {}["k"]
    except (KeyError, ValueError):
        x = x * 2
    return x


@refused("function: ValueError('no') " + _LEAVES.format("the `if` at line {2}"), 4, F(2))
def raise_in_a_branch_is_not_swallowed(x):
    try:
        if x > 0:
            raise ValueError("no")
    except:
        x = x * 2
    return x


@refused("function: IndexError('list index out of range') " + _LEAVES.format("the `while` loop at line {2}"), 1, F(2))
def error_of_a_loop_is_not_suppressed(x):
    with contextlib.suppress(IndexError):
        while x > 0:
            x = x - [][1]
    return x


@refused("function: `raise` under the `if` at line {1}, which is traced whether it will run or not; use `assert "
         "condition, message`, which is checked when the graph runs [function.raise]", 5, F(2))
def raise_in_a_handler_of_a_branch(x):
    if x > 0:
        try:
            x = x * {}["k"]
        except KeyError:
            raise ValueError("no")
    return x
