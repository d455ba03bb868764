"""Rewrites a function so that Python's control flow on traced values becomes control flow of the graph.

`rewrite(f)` gives a function that does what f does: on Python values exactly, on traced values by cond, while_loop and
scan. `constructs` has the table of what is rewritten, `laws` the table of what is refused, `backend` what the framework
gives for it.
"""

import functools
from types import FunctionType, MethodType

from . import conversion
from .constructs import TABLE
from .constructs.calls import call
from .constructs.print_ import quiet, quietly
from .conversion import do_not_rewrite, is_rewritten, why_not
from .laws import LAWS, Refused

__all__ = ["LAWS", "TABLE", "Refused", "call", "do_not_rewrite", "is_rewritten", "quiet", "quietly", "rewrite", "why_not"]


def rewrite(f):
    """f with its control flow rewritten; f itself if it has no source, is marked with do_not_rewrite, or is no function.

    The result has f's closure cells, defaults, attributes, names and lines. It is made once per function.
    """
    if isinstance(f, MethodType):
        inner = rewrite(f.__func__)
        return f if inner is f.__func__ else MethodType(inner, f.__self__)
    if isinstance(f, functools.partial):
        return functools.partial(rewrite(f.func), *f.args, **f.keywords)
    if not isinstance(f, FunctionType):
        return conversion.converted_object(f) if callable(f) and not isinstance(f, type) else f
    if conversion.is_left_alone(f):
        if not conversion.is_installed(f):
            return f
        conversion.ask_for(f)
    return conversion.converted(f)
