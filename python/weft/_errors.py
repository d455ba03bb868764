"""Attributes of errors that Python code raises: `code`, `op`, `law`, `message` and `notes`, read from the text; C++ sets them itself."""

import gc
import re
import sys

from . import _core

_CODES = {_core.InvalidError: "invalid", _core.WrongTypeError: "type", _core.OutOfRangeError: "index", _core.TooLargeError: "overflow",
          _core.OutOfMemoryError: "out of memory", _core.MissingRuleError: "missing", _core.IoError: "io", _core.InternalError: "internal"}


def _attribute(error, name):
    """Computes a missing attribute from the text "op: message [law]"."""
    if name not in ("code", "op", "law", "message", "notes"):
        raise AttributeError(f"'{type(error).__name__}' object has no attribute '{name}'", name=name, obj=error)
    if name == "code":
        return next((code for kind, code in _CODES.items() if isinstance(error, kind)), "invalid")
    if name == "notes":
        return list(getattr(error, "__notes__", []))
    text, bracket, law = str(error).partition("\n")[0].rpartition(" [")
    is_law = bracket and law.endswith("]") and " " not in law
    text, law = (text, law[:-1]) if is_law else (str(error), "")
    op, colon, message = text.partition(": ")
    return {"law": law, "op": op if colon else "", "message": message if colon else text}[name]


_core.Error.__getattr__ = _attribute


def put_first_note(error, note, instead_of=None):
    """Adds a line to an error, which tracebacks print before its other notes; an earlier one goes for it."""
    for name in ("__notes__", "notes"):
        if name == "__notes__" or name in error.__dict__:  # C++ sets both
            setattr(error, name, [note, *(line for line in getattr(error, name, ()) if line != instead_of)])


def name_leaves(error, who, paths):
    """Lets an error of `who` that counts leaves, "input 2", name them as the user does: params["b"]. `paths` gives for each word
    a function that gives the paths; a tree that is a leaf itself is "the output"."""
    if error.op != who:
        return
    known = {}

    def name(match):
        word, number = match[1], int(match[2])
        if word not in known:
            known[word] = paths[word]()
        if number >= len(known[word]):
            return match[0]
        return f"the {word}" if known[word][number] in (word, f"{word}s") else known[word][number]

    # Not "gives nothing for input 1": that is an input of a custom function.
    reword(error, re.sub(rf"(?<!gives nothing for )\b({'|'.join(paths)}) (\d+)\b", name, error.args[0]))


def reword(error, text):
    """Gives an error another text, "op: message [law]"."""
    error.args = (text, *error.args[1:])
    error.__dict__.pop("message", None)  # it is read from the text then


def name_of_variable(thing):
    """'blocks.2.q_proj.weight' for a Variable of a module, in quotes, or the name that it was given; else nothing."""
    if not isinstance(thing, _core.Variable):
        return ""
    name = path_in_module(thing) or thing.name
    return f"'{name}'" if name else ""


def path_in_module(variable):
    """The name of a Variable in the outermost module that holds it, or nothing. It looks at every object that there is, so it is
    for errors alone: Variables do not know who holds them."""
    module = sys.modules.get("weft.nn.module")
    if module is None:
        return ""
    found = ""
    for thing in gc.get_objects():
        if issubclass(type(thing), module.Module):
            try:
                name = next((name for name, one, _, _ in module._walk(thing, "") if one is variable), "")
            except _core.Error:  # of a module whose names cannot be told apart
                continue
            found = name if name.count(".") > found.count(".") or not found else found
    return found
