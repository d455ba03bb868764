"""Tracebacks of what a traced function raises: the user's frames, without those that trace; and warnings at the user's line.

WEFT_FULL_TRACEBACKS=1 in the environment keeps all of them.
"""

import os
import sys
import types

_HERE = os.path.dirname(__file__) + os.sep


def shortened(error):
    """The traceback of an error without Weft's frames; also those of the errors behind it lose them."""
    if not isinstance(error, Exception) or os.environ.get("WEFT_FULL_TRACEBACKS", "0") not in ("", "0"):
        return error.__traceback__
    todo, seen = [error], set()
    while todo:
        one = todo.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = _of_users(one.__traceback__)
            todo += [one.__cause__, one.__context__]
    return error.__traceback__


def _of_users(traceback):
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(_HERE):
            kept.append(traceback)
        traceback = traceback.tb_next
    out = None
    for one in reversed(kept):
        out = types.TracebackType(out, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return out


def _user_line():
    """(file, line) of the innermost frame that is not Weft's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def warn(text):
    """A UserWarning at the user's line."""
    import warnings

    warnings.warn_explicit(text, UserWarning, *_user_line())


def with_line(error):
    """The error with the user's line as a note, as errors of C++ have it: "called at train.py:12"."""
    filename, line = _user_line()
    error.__notes__ = [*getattr(error, "__notes__", ()), f"called at {filename}:{line}"]
    return error
