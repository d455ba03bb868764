"""How the tables of the rewriter's tests are written: small functions with arguments, or with the refusal they get."""

import linecache

import numpy as np

F, I = np.float64, np.int64  # scalars that are traced; other scalars stay Python's
CASES, REFUSALS = [], []


def case(*arguments, staged=None):
    """A function with lists of arguments; `staged` names what the graph must have, besides what it may have."""
    def add(f):
        CASES.append((f, arguments, (staged or "").split()))
        return f

    return add


def refused(text, at, *arguments, symbols=False):
    """A function that is refused with this text on line `at` of it, `def` being 0; {3} in the text is its line 3."""
    def add(f):
        REFUSALS.append((f, text, at, arguments, symbols))
        return f

    return add


def definition_line(f):
    """The line of a function's `def`, below its decorators."""
    line = f.__code__.co_firstlineno
    while not linecache.getline(f.__code__.co_filename, line).lstrip().startswith("def "):
        line += 1
    return line
