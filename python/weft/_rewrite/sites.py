"""A site: what is known of a construct before it runs. Rewritten code hands it to the operators."""

from dataclasses import dataclass

from .laws import Place

RETURNED, VALUE = "weft.returned", "weft.value"  # whether the function has returned, and what

_WORDS = {"if": "the `if`", "while": "the `while` loop", "for": "the `for` loop", "and": "`and`", "or": "`or`",
          "not": "`not`", "expression": "the conditional expression", "assert": "the `assert`", "return": "the `return`",
          "comparison": "the comparison", "comprehension": "the comprehension", "match": "the `match`"}


@dataclass(frozen=True)
class Site:
    """`state` are the variables that carry a value out of the construct, `firm` those of them that are surely wanted.

    The rest of `state` is only captured by a nested function, which may never run: without a value they become undefined.
    `spare` has for each flag of a jump those that nobody reads once it is set: on such a path they need no value.
    `modified` are all variables that the construct assigns; `appended` the lists that it may append to.
    """

    kind: str
    place: Place
    modified: tuple = ()
    state: tuple = ()
    firm: frozenset = frozenset()
    spare: tuple = ()  # of pairs: a flag, a set of variables
    appended: tuple = ()
    flags: tuple = ()  # of a guard, `if not flag`: what it asks
    jumps: tuple = ((), ())  # for each branch, flags of which one is set at its end
    is_pure: bool = False
    is_named: bool = False  # whether what a `for` runs over is a variable, so that others see how far an iterator went

    @property
    def construct(self):
        return f"{_WORDS[self.kind]} at line {self.place.line}"


def is_internal(name):
    """Whether the rewriter made the variable. Such a one is never read where it has no value."""
    return name.startswith("weft.")


def shown(name, path=""):
    """A variable, or what is at `path` in it, as messages name it."""
    if not is_internal(name):
        return f"`{name}{path}`"
    value = "the returned value" if name == VALUE else "the value"
    return f"`{path.lstrip('.')}` of {value}" if path else value
