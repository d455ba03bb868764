"""`print`: in a function that is traced it prints whenever the graph runs, in its place among all that is printed."""

import sys

from .. import laws
from ..backend import current
from ..reads import watching
from ..staging import regions
from . import text


def quietly(f):
    """f, of which a trace leaves out what it prints: it computes again what was printed already."""
    def call(*args, **keywords):
        before, regions.is_quiet = regions.is_quiet, True
        try:
            return f(*args, **keywords)
        finally:
            regions.is_quiet = before

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
