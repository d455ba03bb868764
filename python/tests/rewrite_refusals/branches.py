"""What branches leave behind: variables of one kind, dtype and shape, whichever was taken."""

# ruff: noqa: E701, SIM, RET, PLR
import dataclasses
import enum

import numpy as np
from rewrite_table import F, refused

_LINE = np.array([3.0, 1.0, -2.0])


@refused("function: `y` has a value after one branch only of the `if` at line {1}, but it is read later; give `y` a "
         "value before the `if`, or in both branches [function.if_undefined]", 1, F(2))
def defined_in_one_branch(x):
    if x > 0:
        y = x
    return y


@refused("function: `y` has a value after one branch only of the `if` at line {4}, but it is read later; give `y` a "
         "value before the `if`, or in both branches [function.if_undefined]", 4, F(2))
def defined_in_else_only(x):
    if x > 5:
        z = 1
    z = 2
    if z * x > 0:
        z = 3
    else:
        y = x
    return y + z


@refused("function: `y` has a value after one branch only of the `if` at line {2}, but it is read later; give `y` a "
         "value before the `if`, or in both branches [function.if_undefined]", 2, F(2))
def defined_in_inner_branch(x):
    if x > 0:
        if x > 1:
            y = x
        x = y
    return x


@refused("function: `y` has a value after one branch only of the `if` at line {2}, but it is read later; give `y` a "
         "value before the `if`, or in both branches [function.if_undefined]", 2, F(2))
def deleted_in_one_branch(x):
    y = x
    if x > 0:
        del y
    return y


@refused("function: `y` is float64[] after the first branch of the `if` at line {1}, but int64[] after the other; cast "
         "one of them: a traced value has one dtype [function.if_dtype]", 1, F(2))
def other_dtype(x):
    if x > 0:
        y = x
    else:
        y = x.astype("int64")
    return y


@refused("function: `n` is the Python float 0.5 after the first branch of the `if` at line {2}, but int64[] after the "
         "other; cast one of them: a traced value has one dtype [function.if_dtype]", 2, F(2))
def float_for_integer(x):
    n = x.astype("int64")
    if x > 0:
        n = 0.5
    return n


@refused("function: `n` is the Python int 2 after the first branch of the `if` at line {2}, but the Python bool True "
         "after the other; cast one of them: a traced value has one dtype [function.if_dtype]", 2, F(2))
def flag_for_integer(x):
    n = True
    if x > 0:
        n = 2
    return n


@refused("function: `y` is float64[3] after the first branch of the `if` at line {1}, but float64[] after the other; "
         "reshape or broadcast one of them: both branches give one shape [function.if_shape]", 1, _LINE)
def other_shape(x):
    if x.sum() > 0:
        y = x
    else:
        y = x[0]
    return y


@refused("function: `y` is the Python int 0 after the first branch of the `if` at line {2}, but float64[3] after the "
         "other; reshape or broadcast one of them: both branches give one shape [function.if_shape]", 2, _LINE)
def number_for_vector(x):
    y = x
    if x.sum() > 0:
        y = 0
    return y


@refused("function: `y` is float64[] after the first branch of the `if` at line {2}, but None after the other; only "
         "tensors and numbers can differ: give `y` one kind of value in both [function.if_kind]", 2, F(2))
def none_in_one_branch(x):
    y = None
    if x > 0:
        y = x
    return y


@refused("function: `mode` is 'up' after the first branch of the `if` at line {1}, but 'down' after the other; only "
         "tensors and numbers can differ: give `mode` one kind of value in both [function.if_kind]", 1, F(2))
def words_differ(x):
    if x > 0:
        mode = "up"
    else:
        mode = "down"
    return mode


@refused("function: the returned value is a tuple of 2 after the first branch of the `if` at line {1}, but float64[] "
         "after the other; only tensors and numbers can differ: give the returned value one kind of value in both "
         "[function.if_kind]", 1, F(2))
def lengths_differ(x):
    if x > 0:
        return x, x
    return x


@refused("function: `returns_on_some_paths` returns a value on some paths only, and traced values decide on which; "
         "return a value on every path [function.return_missing]", 5, F(2))
def returns_on_some_paths(x):
    y = x
    if x > 0:
        if x > 1:
            return x
    y = y + 1


@refused("function: the value is float64[] after the first branch of the conditional expression at line {1}, but None "
         "after the other; only tensors and numbers can differ: give the value one kind of value in both "
         "[function.if_kind]", 1, F(2))
def conditional_of_two_kinds(x):
    return x if x > 0 else None


@refused("function: the value is 'yes' after the first branch of `and` at line {1}, but bool[] after the other; only "
         "tensors and numbers can differ: give the value one kind of value in both [function.if_kind]", 1, F(2))
def and_of_two_kinds(x):
    return x > 0 and "yes"


@dataclasses.dataclass
class _Point:
    a: object
    name: str


class _Colour(enum.Enum):
    RED, BLUE = 1, 2


@refused("function: `p.name` is 'u' after the first branch of the `if` at line {1}, but 'v' after the other; only tensors and numbers "
         "can differ: give `p.name` one kind of value in both [function.if_kind]", 1, F(2))
def dataclasses_that_differ(x):
    if x > 0:
        p = _Point(x, "u")
    else:
        p = _Point(x, "v")
    return p.a


@refused("function: `colour` is _Colour.RED after the first branch of the `if` at line {1}, but _Colour.BLUE after the other; only "
         "tensors and numbers can differ: give `colour` one kind of value in both [function.if_kind]", 1, F(2))
def enums_that_differ(x):
    if x > 0:
        colour = _Colour.RED
    else:
        colour = _Colour.BLUE
    return x, colour


@refused("function: `item` is a object after the first branch of the `if` at line {1}, but another object after the other; only "
         "tensors and numbers can differ: give `item` one kind of value in both [function.if_kind]", 1, F(2))
def objects_that_differ(x):
    if x > 0:
        item = object()
    else:
        item = object()
    return x, item
