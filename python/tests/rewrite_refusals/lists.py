"""Lists that grow in a loop of unknown length, or are read while they do."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import I, refused

_LINE = np.array([3.0, 1.0, -2.0])


@refused("function: a list from outside of the `for` loop at line {2} is appended to under a traced condition, so its "
         "length is not known; append on every iteration, wf.where(condition, a, b) for example [function.list_branch]",
         4, _LINE)
def append_sometimes(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return out


@refused("function: a list is appended to in the `while` loop at line {2}, whose number of iterations is not known; "
         "loop over a tensor or range of known length without `break`, or write into a tensor with x.at[i].set(v) "
         "[function.list_length]", 4, I(3))
def append_in_while(n):
    out = []
    while n > 0:
        n = n - 1
        out.append(n)
    return out


@refused("function: a list is appended to in the `for` loop at line {2}, whose number of iterations is not known; loop "
         "over a tensor or range of known length without `break`, or write into a tensor with x.at[i].set(v) "
         "[function.list_length]", 3, I(3))
def append_over_traced_range(n):
    out = []
    for i in range(n):
        out.append(i)
    return out


@refused("function: a list is appended to in the `for` loop at line {2}, whose number of iterations is not known; loop "
         "over a tensor or range of known length without `break`, or write into a tensor with x.at[i].set(v) "
         "[function.list_length]", 3, _LINE)
def append_with_break(x):
    out = []
    for v in x:
        out.append(v)
        if v < 0:
            break
    return out


@refused("function: a list is appended to in the `for` loop at line {2}, whose number of iterations is not known; loop "
         "over a tensor or range of known length without `break`, or write into a tensor with x.at[i].set(v) "
         "[function.list_length]", 3, _LINE, symbols=True)
def append_over_unknown_length(x):
    out = []
    for v in x:
        out.append(v)
    return out


@refused("function: a list that grows in the `for` loop at line {2} is read in it, by `[]`; only append to it there, "
         "and carry what the next iteration needs in a variable [function.list_read]", 3, _LINE)
def reads_growing_list(x):
    out = [x[0]]
    for v in x:
        out.append(v + out[-1])
    return out


@refused("function: a list that grows in the `for` loop at line {2} is read in it, by `len`; only append to it there, "
         "and carry what the next iteration needs in a variable [function.list_read]", 3, _LINE)
def length_of_growing_list(x):
    out = []
    for v in x:
        out.append(v * len(out))
    return out
