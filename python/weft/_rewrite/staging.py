"""Regions: which branches and loop bodies are being traced right now, and what was made inside of them."""

import contextlib
import threading
from dataclasses import dataclass, field

from . import laws
from .backend import current
from .reads import watching

_DEEPEST = 40  # more nested regions than this are a recursion that no traced value ends


class _Regions(threading.local):
    def __init__(self):
        self.stack, self.is_quiet = [], False


regions = _Regions()


@dataclass(eq=False)
class Region:
    """A branch or loop body under a traced condition. It is traced once and may run any number of times.

    `fresh` holds the mutable objects that were made inside of it: to change those is no effect on the outside.
    `python_depth` counts the Python branches and loops around the running statement, inside of the region.
    """

    site: object
    fresh: dict = field(default_factory=dict)
    python_depth: int = 0

    @property
    def construct(self):
        return self.site.construct


@contextlib.contextmanager
def region(site):
    """Traces what is inside as one region."""
    if len(regions.stack) >= _DEEPEST:
        raise laws.refusal("recursion", site.place)
    inside = Region(site)
    regions.stack.append(inside)
    before, watching.asked = watching.asked, {}
    try:
        yield inside
        _refuse_changes(inside)
    except Exception as error:
        leave(error, inside.construct)
        raise
    finally:
        watching.asked = before
        regions.stack.pop()


def _refuse_changes(inside):
    """Refuses what methods behind operators, which are not rewritten, have set in objects from outside of the region."""
    for thing, held, place in watching.asked.values():
        now = vars(thing)
        same = now.keys() == held.keys() and all(now[name] is value for name, value in held.items())
        if not same and id(thing) not in inside.fresh and not current.b.is_place(thing):
            raise laws.refusal("host_attribute", place, construct=inside.construct, a=type(thing).__name__)


def leave(error, construct):
    """Notes that an exception leaves what is traced once, whether it will run or not: no handler around may take it."""
    if left(error) is None:  # the innermost is where it was raised
        with contextlib.suppress(AttributeError, TypeError):  # an exception that takes no attributes
            error.__weft_left__ = construct


def left(error):
    """The traced construct that an exception has left, or None."""
    return getattr(error, "__weft_left__", None)


@contextlib.contextmanager
def in_python():
    """A Python branch or loop inside of a region: a `raise` in it was decided by Python."""
    inside = regions.stack[-1]
    inside.python_depth += 1
    try:
        yield
    finally:
        inside.python_depth -= 1


def fresh(thing):
    """Remembers a mutable object made in the running region, and gives it back."""
    if regions.stack:
        regions.stack[-1].fresh[id(thing)] = thing
    if watching.watcher is not None:
        watching.watcher.fresh(thing)
    return thing


def is_fresh(thing):
    """Whether the object was made in the running region."""
    return id(thing) in regions.stack[-1].fresh


class Retry(BaseException):
    """Tracing a construct showed something that has to be known before: it is traced again with that."""
