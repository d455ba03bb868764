"""Conditions that are no single truth."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, refused

_LINE = np.array([3.0, 1.0, -2.0])


@refused("function: the `if` at line {2} asks for the truth of a traced bool[3], which has not one value; use "
         "wf.any(x) or wf.all(x) [function.truth_shape]", 2, F(2))
def truth_of_vector(x):
    v = x * np.ones(3)
    if v > 0:
        return x
    return -x


@refused("function: the `while` loop at line {1} asks for the truth of a traced bool[3], which has not one value; use "
         "wf.any(x) or wf.all(x) [function.truth_shape]", 1, _LINE)
def while_of_vector(x):
    while x > 0:
        x = x - 1
    return x


@refused("function: the `assert` at line {1} asks for the truth of a traced bool[3], which has not one value; use "
         "wf.any(x) or wf.all(x) [function.truth_shape]", 1, _LINE)
def assert_of_vector(x):
    assert x > 0
    return x


@refused("function: `not` at line {1} asks for the truth of a traced float64[3], which has not one value; use "
         "wf.any(x) or wf.all(x) [function.truth_shape]", 1, _LINE)
def not_of_vector(x):
    return not x
