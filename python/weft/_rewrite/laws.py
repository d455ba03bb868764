"""Everything the rewriter refuses, in one table: a label, what is wrong, what would be right."""

import os
import sys
from dataclasses import dataclass

try:
    from .._core import InvalidError, WrongTypeError
except ImportError:  # read without the compiled module, as the tests of this package can be
    InvalidError, WrongTypeError = ValueError, TypeError

_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class Refused(Exception):
    """Mixed into every refusal, so that a user's `except` never hides one."""


class RefusedValue(InvalidError, Refused):
    pass


class RefusedType(WrongTypeError, Refused):
    pass


@dataclass(frozen=True)
class Law:
    error: type
    wrong: str
    right: str


_TIMES = "which is traced once and may run any number of times"

# {construct} is what the user wrote, such as "the `if` at line 3"; {name} is a variable, in backquotes where it has a name.
LAWS = {
    # Branches.
    "if_undefined": Law(RefusedValue, "{name} has a value after one branch only of {construct}, but it is read later",
                        "give {name} a value before the `if`, or in both branches"),
    "if_kind": Law(RefusedType, "{name} is {a} after the first branch of {construct}, but {b} after the other",
                   "only tensors and numbers can differ: give {name} one kind of value in both"),
    "if_dtype": Law(RefusedType, "{name} is {a} after the first branch of {construct}, but {b} after the other",
                    "cast one of them: a traced value has one dtype"),
    "if_shape": Law(RefusedValue, "{name} is {a} after the first branch of {construct}, but {b} after the other",
                    "reshape or broadcast one of them: both branches give one shape"),
    "return_missing": Law(RefusedValue, "`{function}` returns a value on some paths only, and traced values decide on which",
                          "return a value on every path"),
    # Loops.
    "loop_undefined": Law(RefusedValue, "{name} gets its first value inside {construct}, but is read after it or by its next "
                          "iteration", "give {name} a value before the loop: it may run zero times"),
    "loop_kind": Law(RefusedType, "{name} is {a} before {construct}, but {b} after one iteration",
                     "only tensors and numbers can change: give {name} one kind of value before the loop and in it"),
    "loop_dtype": Law(RefusedType, "{name} is {a} before {construct}, but {b} after one iteration",
                      "cast it, before the loop or in it: a loop's variable has one dtype"),
    "loop_shape": Law(RefusedValue, "{name} is {a} before {construct}, but {b} after one iteration",
                      "give it its final shape before the loop: a loop's variable has one shape"),
    "range_dtype": Law(RefusedType, "range has a bound of {a}", "give scalar integers"),
    "range_step": Law(RefusedType, "range has a traced step of {a}, so its direction is not known",
                      "give the step as a Python integer"),
    "iterator": Law(RefusedType, "{construct} would leave a {a} at a place that a traced value decides",
                    "loop over a list of its items"),
    "zip_length": Law(RefusedValue, "zip of traced values needs lengths that are known, but one has shape {a}",
                      "loop over a range and index"),
    "walk": Law(RefusedValue, "Python walks over a {a}, whose length is not known while the function is traced",
                "write a `for` loop over it, which becomes one of the graph"),
    "iterate_scalar": Law(RefusedType, "{construct} iterates over a traced {a}, which has no axis",
                          "loop over range(n) for a traced n"),
    # Truth.
    "truth_shape": Law(RefusedValue, "{construct} asks for the truth of a traced {a}, which has not one value",
                       "use wf.any(x) or wf.all(x)"),
    "walrus": Law(RefusedType, "`:=` stands behind a traced {a} in {construct}, so it would assign in one case only",
                  "assign on a line of its own before"),
    "filter": Law(RefusedType, "{construct} keeps elements by a traced {a}, so its length is not known",
                  "use wf.where(condition, a, b), or a mask"),
    "comprehension": Law(RefusedValue, "{construct} runs over a traced {a}, whose length is not known",
                         "write a `for` loop, or wf.vmap"),
    "match": Law(RefusedType, "{construct} is decided by a traced {a}", "write `if` and `elif`"),
    "slice": Law(RefusedType, "a slice begins, ends or steps at a traced {a}, so its size is not known",
                 "a window of a fixed size is x[i + wf.arange(3)]; else keep the size and mask, such as "
                 "wf.where(wf.arange(x.shape[0]) < n, x, 0)"),
    "contains": Law(RefusedType, "`in` compares with a traced {a}, element by element, in Python",
                    "use wf.any(x == element), or compare with each and join them with `or`"),
    "host_number": Law(RefusedType, "`{method}` needs a value while the function is traced, but got a traced {a}",
                       "keep it a tensor: {instead}"),
    "text": Law(RefusedType, "a traced {a} is written into a text while the function is traced, when it has no value",
                "give the text to `print` or `assert` where it is made, which write it whenever the graph runs; repr(x) shows "
                "what is traced"),
    # Effects on what is not a tensor.
    "host_attribute": Law(RefusedType, "the attribute of a {a} is set under {construct}, " + _TIMES,
                          "keep the value in a variable and set the attribute after it"),
    "host_item": Law(RefusedType, "an item of a {a} is set or deleted under {construct}, " + _TIMES,
                     "keep the value in a variable and set the item after it"),
    "host_method": Law(RefusedType, "`{method}` changes a {a} from outside of {construct}, " + _TIMES,
                       "keep the value in a variable and call `{method}` after it"),
    "host_function": Law(RefusedType, "`{method}` acts on Python's side under {construct}, " + _TIMES,
                         "call it before or after"),
    "host_dropped": Law(RefusedType, "`{method}`, which is not rewritten, is called for its effect under {construct}, " + _TIMES,
                        "call it before or after, or use what it gives"),
    "host_log": Law(RefusedType, "`{method}` writes a log under {construct}, " + _TIMES,
                    "use print, which writes whenever the graph runs this line"),
    "host_unrewritten": Law(RefusedType, "`{method}`, which is not rewritten, would change something outside under {construct}, "
                            + _TIMES + ": `{a}` at line {line}", "change it before or after, or in a function that is called"),
    "in_place": Law(RefusedType, "an augmented assignment changes a {a} from outside of {construct} in place",
                    "write {plain} = {plain} + ..., which makes a new one"),
    "outer_name": Law(RefusedType, "{name}, which is {scope}, is assigned under {construct}, " + _TIMES,
                      "return the value and assign it outside"),
    "tensor_item": Law(RefusedType, "an item of a traced {a} is assigned, but tensors never change",
                       "x = x.at[index].set(value) gives a changed copy"),
    "raise": Law(RefusedType, "`raise` under {construct}, which is traced whether it will run or not",
                 "use `assert condition, message`, which is checked when the graph runs"),
    "try": Law(RefusedType, "{a} leaves {construct}, which is traced whether it will run or not, and would be caught outside "
               "of it", "catch it inside, or use `assert condition, message`, which is checked when the graph runs"),
    "print_file": Law(RefusedType, "print has a {a} as its file, but what a graph prints goes to standard output",
                      "leave out `file`"),
    "recursion": Law(RefusedValue, "`{function}` calls itself under a traced condition without end",
                     "write a loop: a traced recursion has no last call"),
    # Lists that grow.
    "list_branch": Law(RefusedType, "a list from outside of {construct} is appended to under a traced condition, so its "
                       "length is not known", "append on every iteration, wf.where(condition, a, b) for example"),
    "list_length": Law(RefusedType, "a list is appended to in {construct}, whose number of iterations is not known",
                       "loop over a tensor or range of known length without `break`, or write into a tensor with "
                       "x.at[i].set(v)"),
    "list_read": Law(RefusedType, "a list that grows in {construct} is read in it, by `{method}`",
                     "only append to it there, and carry what the next iteration needs in a variable"),
    # The framework.
    "missing": Law(RefusedType, "the framework has no `{method}` yet", "compute this outside of a traced function"),
}


@dataclass(frozen=True)
class Place:
    """A line of the user's source."""

    filename: str
    line: int
    function: str


def here():
    """The user's line that is running: the nearest one outside of Weft, whose layers are rewritten as well."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def refusal(label, place=None, **values):
    """The error of a law, with the user's file and line behind it; `place` is where, if not the running line."""
    law, place = LAWS[label], place or here()
    values.setdefault("function", place.function)
    text = f"function: {law.wrong}; {law.right} [function.{label}]".format(**values)
    return law.error(f"{text}\nat {place.filename}:{place.line}, in {place.function}")
