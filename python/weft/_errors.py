"""Attributes of errors that Python code raises: `code`, `op`, `law`, `message` and `notes`, read from the text; C++ sets them itself."""

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
