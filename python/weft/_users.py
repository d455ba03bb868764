"""Functions of the user's as Weft calls them: while a function is traced, rewritten."""

import contextlib
import threading


class _Tracing(threading.local):
    rewritten = None  # from a callable to its rewritten form, while a trace is made whose control flow is rewritten


tracing = _Tracing()


@contextlib.contextmanager
def traced(construct):
    """What runs inside is traced whether it will run or not: handlers around must not take what is raised in it."""
    try:
        yield
    except Exception as error:
        if tracing.rewritten is not None:
            from ._rewrite import staging

            staging.leave(error, construct)
        raise


def users(f):
    """What to call for a function that a transformation was given."""
    return f if tracing.rewritten is None else tracing.rewritten(f)
