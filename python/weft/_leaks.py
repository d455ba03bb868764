"""Traced tensors where no value will ever come: in what a function returns, and in Python's hands."""

import contextlib
import types

from . import _core, _tree
from ._changes import described, traced_in
from ._rewrite import conversion


def checked(result, f):
    """What a function gives; refuses traced tensors in it that are no leaves: keys of dicts, and variables of functions."""
    _tree.walked("function", _check, result, f)
    return result


def _check(result, f):
    line = _line(getattr(f, "__func__", f))
    if isinstance(result, dict):
        for key in result:
            _refuse(key, "a returned dict has {} among its keys", "return a list of pairs", line)
    elif isinstance(result, types.FunctionType):
        for name, cell in zip(result.__code__.co_freevars, result.__closure__ or ()):
            with contextlib.suppress(ValueError):  # it is empty
                _refuse(cell.cell_contents, f"the returned `{result.__name__}` keeps {{}} in `{name}`", "return the tensor",
                        _line(result))
    for inner in result.values() if isinstance(result, dict) else result if isinstance(result, (list, tuple)) else ():
        _check(inner, f)


def _refuse(value, wrong, right, line):
    is_object = hasattr(value, "__dict__") and not isinstance(value, _core.Tensor)  # what it holds was looked at when it was set
    traced = None if is_object else traced_in(value)
    if traced is not None:
        raise _core.WrongTypeError(f"function: {wrong.format(described(traced))}, which has no value once the trace is over; {right} "
                                   f"[function.leak]\nat {line}")


def _line(f):
    code = getattr(f, "__code__", None)
    return "the function" if code is None else f"{code.co_filename}:{code.co_firstlineno}, in {code.co_name}"


def tell_why(error):
    """Notes why the function was not rewritten in which Python asked for the value of a traced tensor."""
    if not getattr(error, "law", "").endswith(".concrete"):
        return
    code, trace = None, error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        code = code if conversion.is_ours(path) else trace.tb_frame.f_code
        trace = trace.tb_next
    reason = code and conversion.why_left(code)
    note = f"`{code.co_name}` is not rewritten: {reason}" if reason else None
    if note and note not in getattr(error, "__notes__", ()):
        error.__notes__ = [*getattr(error, "__notes__", ()), note]
