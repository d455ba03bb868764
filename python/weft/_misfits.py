"""Errors of arguments that the extension's functions do not take, in the words of the public function that was called."""

import operator
import os
import re
import sys

from . import _core, _hints

_HERE = os.path.dirname(__file__) + os.sep
_WORDS = {"int": "an integer", "float": "a number", "complex": "a number", "str": "a string", "bool": "True or False", "bytes": "bytes",
          "list": "a list", "tuple": "a tuple", "dict": "a dict", "None": "None", "Sequence": "a list", "Mapping": "a dict",
          "Callable": "a function"}
_KINDS = {"int": int, "float": (int, float), "complex": (int, float, complex), "str": str, "bool": bool, "bytes": bytes, "list": list,
          "tuple": tuple, "dict": dict, "Sequence": (list, tuple), "Mapping": dict}
_NUMBERS = {"int": operator.index, "float": float}
_PLURALS = {"int": "integers", "float": "numbers", "str": "strings", "bool": "bools"}


def of_misfit(function, text, values, names):
    """The error for a call that nanobind refused with `text`: `values` are its arguments, the last of them given by `names`."""
    lines = re.findall(r"^    \d+\. (.*)$", text, re.M)
    parameters = _parameters(lines[0]) if lines else []
    given = list(values[:len(values) - len(names or ())])
    place = next((i for i, (value, kind) in enumerate(zip(given, [kind for _, kind in parameters])) if not _fits(value, kind)), None)
    if place is None:
        place = next((i for i, (value, (_, kind)) in enumerate(zip(given, parameters)) if not _fits_inside(value, kind)), None)
    who, frames = _called()
    who = who or function.__qualname__.removesuffix(".__init__").rpartition(".")[2].lstrip("_")
    if place is None:
        counted = f"takes {len(parameters)} argument{'s' * (len(parameters) != 1)}, but got {len(values)}" if len(parameters) != len(values) else \
            f"does not take arguments of the types {', '.join(type(value).__name__ for value in values)}"
        return _core.WrongTypeError(f"{who}: {counted} [{who}.argument]")
    name, kind = parameters[place]
    name = _name_in(frames, given[place]) or (f"argument {place}" if re.fullmatch(r"arg\d*|self", name) else name)
    return _core.WrongTypeError(f"{who}: {name} must be {_described(kind)}, but got {shown(given[place])} [{who}.argument]")


def no_tensor(who, name, value):
    """The error of a layer whose argument is no tensor."""
    return _core.WrongTypeError(f"{who}: {name} must be a tensor, but got {shown(value)} [{who}.argument]")


def shown(value):
    """A value for a message: numbers and texts as they are, others by their class."""
    if value is None or type(value) in (bool, int, float, complex, str):
        return _hints.brief(value)
    return f"a {type(value).__name__}"


def _parameters(line):
    """(name, type) of the parameters of a signature, as nanobind writes it."""
    inside, depth, parts = line[line.index("(") + 1:line.rindex(")", 0, (line + " -> ").rindex(" -> "))], 0, [""]
    for letter in inside:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    pairs = [part.strip().partition(" = ")[0].partition(": ") for part in parts]
    return [(name, kind or "object") for name, _, kind in pairs if name not in ("", "/", "*")]


def _alternatives(kind):
    """(name, what is in its brackets) of each type that a union has."""
    for one in re.split(r" \| (?![^\[]*\])", kind):
        outer, _, inner = one.partition("[")
        yield outer.rpartition(".")[2], inner.removesuffix("]")


def _fits(value, kind):
    return any(name in ("object", "Any", "Callable") and value is not None or name == "None" and value is None or isinstance(value, _KINDS.get(name, ()))
               or value is not None and name in [base.__name__ for base in type(value).__mro__] or name == "int" and hasattr(value, "__index__")
               or name == "float" and hasattr(value, "__float__") for name, _ in _alternatives(kind))


def _fits_inside(value, kind):
    """Whether the elements of a list fit, and a number is in the range of any integer."""
    if kind in _NUMBERS and not isinstance(value, (int, float)):
        try:
            _NUMBERS[kind](value)
        except Exception:  # such as a tensor of several elements
            return False
    for name, inner in _alternatives(kind):
        if name == "int" and isinstance(value, int) and not 0 <= value < 1 << 63:
            return False
        if inner and isinstance(value, (list, tuple)) and not all(_fits(item, inner) and _fits_inside(item, inner) for item in value):
            return False
    return True


def _described(kind):
    out = []
    for name, inner in _alternatives(kind):
        word = _WORDS.get(name) or ("a value" if name in ("object", "Any") else f"a {name.lstrip('_')}")
        inside = _PLURALS.get(inner.rpartition(".")[2])
        out.append(f"{word} of {inside}" if inside and name in ("list", "tuple", "Sequence") else word)
    return " or ".join(out)


def _called():
    """The name of the public function that the user called, and Weft's frames from it inwards."""
    frame, frames = sys._getframe(2), []
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        if frame.f_code.co_filename != _hints.__file__:  # a decorator's frame is not the function that it decorates
            frames.insert(0, frame)
        frame = frame.f_back
    if not frames:
        return "", []
    code, first = frames[0].f_code, frames[0].f_locals
    if code.co_name == "__init__" and "self" in first:
        return type(first["self"]).__name__, frames
    return code.co_name, frames


def _name_in(frames, value):
    """What the outermost function calls an argument, or nothing."""
    for frame in frames:
        code = frame.f_code
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        found = next((name for name in names if name in frame.f_locals and frame.f_locals[name] is value), None)
        if found:
            return found
    return ""
