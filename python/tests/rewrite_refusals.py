"""Functions that cannot be captured: each is refused while it is traced, with this text and on this line."""

# ruff: noqa: E701, SIM, RET, PLR
import bisect
import collections
import contextlib
import heapq
import io
import json
import logging
import operator
import sys

import numpy as np
from rewrite_table import F, I, refused

_LINE, _ROWS = np.array([3.0, 1.0, -2.0]), np.ones((3, 2))
_seen, _count = [], 0


class _Box:
    value = 0


_box = _Box()
_heap, _array, _file = [1.0], np.zeros(2), io.StringIO()


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


@refused("function: print has a StringIO as its file, but what a graph prints goes to standard output; leave out `file` "
         "[function.print_file]", 1, F(2))
def print_to_file(x):
    print(x, file=io.StringIO())
    return x


_TEXT = ("function: a traced float64[] is written into a text while the function is traced, when it has no value; give the text "
         "to `print` or `assert` where it is made, which write it whenever the graph runs; repr(x) shows what is traced "
         "[function.text]")


@refused(_TEXT, 2, F(3))
def f_string(x):
    print(f"{x}")
    return len(f"{x}")


@refused(_TEXT, 1, F(3))
def f_string_of_a_list(x):
    return f"{[1, x]!s}"


@refused(_TEXT, 2, F(3))
def text_by_str(x):
    if x > 1:
        name = str(x)
    return name


@refused(_TEXT, 1, F(3))
def text_by_percent(x):
    return "%s and %r" % (x, x)


@refused(_TEXT, 1, F(3))
def text_by_format(x):
    return "{0!r} and {0}".format(x)


@refused(_TEXT, 1, F(3))
def printed_text_that_is_changed(x):
    print(f"{x}".upper())


@refused("function: `format` needs a value while the function is traced, but got a traced complex128[]; keep it a tensor: write "
         "wf.real(x) and wf.imag(x) [function.host_number]", 1, np.complex128(1j))
def complex_format(x):
    print(f"{x:.2f}")


@refused("function: `%d` needs a value while the function is traced, but got a traced float64[]; keep it a tensor: write %.0f "
         "[function.host_number]", 1, F(3))
def percent_d_of_a_float(x):
    print("%d" % x)


@refused("function: `factorial` calls itself under a traced condition without end; write a loop: a traced recursion "
         "has no last call [function.recursion]", 3, I(5))
def endless_recursion(n):
    def factorial(k):
        # the last call is never reached while tracing
        if k > 1:
            return k * factorial(k - 1)
        return k

    return factorial(n)


def _factorial(n):
    return n * _factorial(n - 1) if n > 1 else n


@refused("function: `_factorial` calls itself under a traced condition without end; write a loop: a traced recursion "
         "has no last call [function.recursion]", -5, I(5))
def endless_recursion_of_a_module(n):
    return _factorial(n)


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


@refused("function: range has a bound of float64[]; give scalar integers, of one dtype where several are traced "
         "[function.range_dtype]", 2, F(3))
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


_ATTRIBUTE = ("function: the attribute of a _Counting is set under the `if` at line {1}, which is traced once and may run any "
              "number of times; keep the value in a variable and set the attribute after it [function.host_attribute]")


@refused(_ATTRIBUTE, 2, F(3))
def operator_with_an_effect(x):
    if x > 0:
        x = _counting + x
    return x


@refused(_ATTRIBUTE, 2, F(3))
def loop_with_an_effect(x):
    if x > 0:
        for y in _counting:
            x = x + y
    return x


@refused(_ATTRIBUTE, 2, F(3))
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


def _function(name):
    return (f"function: `{name}` acts on Python's side under the `if` at line {{1}}, which is traced once and may run any number of "
            "times; call it before or after [function.host_function]"), 2, F(3)


@refused(*_function("warning"))
def logs_under_a_branch(x):
    if x > 0:
        logging.getLogger("rewriting").warning("large")
    return x


@refused(*_function("dump"))
def dumps_into_a_file(x):
    if x > 0:
        json.dump([1], _file)
    return x
