"""`print`: of traced values, or under a traced condition, it prints whenever the graph runs."""

from .. import laws
from ..backend import current
from ..staging import regions
from . import text


def print_(*values, sep=" ", end="\n", file=None, flush=False):
    if not regions.stack and not any(map(text.has_traced, values)):
        print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    if file is not None:
        raise laws.refusal("print_file", a=type(file).__name__)
    current.b.print_(*text.lines(values, " " if sep is None else sep, "\n" if end is None else end))
