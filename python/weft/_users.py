"""Functions of the user's as Weft calls them: while a function is traced, rewritten."""

import sys
import threading


class _Tracing(threading.local):
    rewritten = None  # from a callable to its rewritten form, while a trace is made whose control flow is rewritten


tracing = _Tracing()


def escapes(error, construct):
    """An exception leaves what is traced whether it will run or not: handlers around must not take it."""
    if tracing.rewritten is not None:
        from ._rewrite import staging

        staging.leave(error, construct)


def users(f):
    """What to call for a function that a transformation was given."""
    return f if tracing.rewritten is None else tracing.rewritten(f)


def users_again(f):
    """`users(f)` for a call that computes once more what it has computed already: a graph does not print that again."""
    if tracing.rewritten is None:
        return f
    from ._rewrite import quietly

    return quietly(users(f))


def as_it_is(f):
    """Marks a function of Weft's own that is never rewritten: do_not_rewrite, without loading the rewriter."""
    f.__weft_do_not_rewrite__ = True
    return f


def reader():
    """getattr for Weft's own code: a trace that is being made notes what it reads, and is made again when that has changed."""
    reads = sys.modules.get("weft._rewrite.reads")  # there once something is traced
    return getattr if reads is None or reads.watching.watcher is None else reads.read_attribute
