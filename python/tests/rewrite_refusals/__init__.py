"""Functions that cannot be captured: each is refused while it is traced, with this text and on this line."""

from . import (acting, branches, effects, expressions, handlers, iterables, lists, loops, methods, recursion,  # noqa: F401
               texts, truth)
