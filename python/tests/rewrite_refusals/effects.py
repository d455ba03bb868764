"""Effects on what is outside of a traced branch or loop: attributes, items, lists, globals."""

# ruff: noqa: E701, SIM, RET, PLR
import collections
import sys

import numpy as np
from rewrite_table import F, I, refused

_LINE = np.array([3.0, 1.0, -2.0])
_seen, _count = [], 0


class _Box:
    value = 0


_box = _Box()


@refused("function: the attribute of a _Box is set under the `if` at line {1}, which is traced once and may run any "
         "number of times; keep the value in a variable and set the attribute after it [function.host_attribute]", 2, F(2))
def attribute_in_branch(x):
    if x > 0:
        _box.value = x
    return x


@refused("function: the attribute of a _Box is set under the `while` loop at line {1}, which is traced once and may "
         "run any number of times; keep the value in a variable and set the attribute after it "
         "[function.host_attribute]", 3, I(2))
def attribute_in_loop(n):
    while n > 0:
        n = n - 1
        _box.value += 1
    return n


@refused("function: an item of a dict is set or deleted under the `if` at line {2}, which is traced once and may run "
         "any number of times; keep the value in a variable and set the item after it [function.host_item]", 3, F(2))
def item_in_branch(x):
    table = {}
    if x > 0:
        table["x"] = x
    return x


@refused("function: an item of a list is set or deleted under the `if` at line {2}, which is traced once and may run "
         "any number of times; keep the value in a variable and set the item after it [function.host_item]", 3, F(2))
def item_deleted_in_branch(x):
    items = [1, 2]
    if x > 0:
        del items[0]
    return x


@refused("function: `append` changes a list from outside of the `if` at line {1}, which is traced once and may run any "
         "number of times; keep the value in a variable and call `append` after it [function.host_method]", 2, F(2))
def append_in_branch(x):
    if x > 0:
        _seen.append(x)
    return x


@refused("function: `update` changes a dict from outside of the `if` at line {6}, which is traced once and may run any "
         "number of times; keep the value in a variable and call `update` after it [function.host_method]", 4, F(2))
def update_in_callee(x):
    table = {}

    def note(v):
        table.update(v=v)

    if x > 0:
        note(x)
    return x


@refused("function: `appendleft` changes a deque from outside of the `if` at line {2}, which is traced once and may "
         "run any number of times; keep the value in a variable and call `appendleft` after it [function.host_method]",
         3, F(2))
def add_to_deque(x):
    queue = collections.deque()
    if x > 0:
        queue.appendleft(x)
    return x


@refused("function: `next` acts on Python's side under the `if` at line {2}, which is traced once and may run any "
         "number of times; call it before or after [function.host_function]", 3, F(2))
def next_in_branch(x):
    numbers = iter([1, 2])
    if x > 0:
        x = x + next(numbers)
    return x


@refused("function: `write` acts on Python's side under the `if` at line {1}, which is traced once and may run any "
         "number of times; call it before or after [function.host_function]", 2, F(2))
def write_in_branch(x):
    if x > 0:
        sys.stdout.write("positive")
    return x


@refused("function: an augmented assignment changes a list from outside of the `if` at line {2} in place; write items "
         "= items + ..., which makes a new one [function.in_place]", 3, F(2))
def augmented_list_in_branch(x):
    items = [x]
    if x > 0:
        items += [x]
    return x


@refused("function: `_count`, which is global, is assigned under the `if` at line {2}, which is traced once and may "
         "run any number of times; return the value and assign it outside [function.outer_name]", 3, F(2))
def global_in_branch(x):
    global _count
    if x > 0:
        _count = _count + 1
    return x


@refused("function: `count`, which is nonlocal, is assigned under the `if` at line {7}, which is traced once and may "
         "run any number of times; return the value and assign it outside [function.outer_name]", 5, F(2))
def nonlocal_in_branch(x):
    count = 0

    def step():
        nonlocal count
        count = count + 1

    if x > 0:
        step()
    return x, count


@refused("function: an item of a traced float64[3] is assigned, but tensors never change; x = x.at[index].set(value) "
         "gives a changed copy [function.tensor_item]", 1, _LINE)
def item_of_tensor(x):
    x[0] = 1.0
    return x
