"""Functions that cannot be captured: each is refused while it is traced, with this text and on this line."""

from . import (branches, effects, expressions, handlers, iterables, lists, loops, methods, recursion, texts,  # noqa: F401
               truth)
