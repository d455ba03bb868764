"""`print`: in a function that is traced it prints whenever the graph runs, in its place among all that is printed."""

import contextlib
import sys

from .. import laws
from ..backend import current
from ..reads import watching
from ..staging import regions
from . import text


@contextlib.contextmanager
def quiet(is_it):
    """Whether what is printed inside is left out, by traced functions too."""
    before, regions.is_quiet = regions.is_quiet, is_it
    outer = current.b.set_quiet(is_it)
    try:
        yield
    finally:
        regions.is_quiet = before
        current.b.set_quiet(outer)


def quietly(f):
    """f, of which a trace leaves out what it prints: it computes again what was printed already."""
    def call(*args, **keywords):
        with quiet(True):
            return f(*args, **keywords)

    return call


def print_(*values, sep=" ", end="\n", file=None, flush=False):
    is_standard = file is None or file is sys.stdout
    is_staged = regions.stack or any(map(text.has_traced, values)) or is_standard and watching.watcher is not None
    if not is_staged:
        print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    if not is_standard:
        raise laws.refusal("print_file", a=type(file).__name__)
    if not regions.is_quiet:
        current.b.print_(*text.lines(values, " " if sep is None else sep, "\n" if end is None else end))
