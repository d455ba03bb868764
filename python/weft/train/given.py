"""Numbers that users give."""

import operator

from .. import _core


def whole(given, who, name, least, words=""):
    """An integer of at least so much, of Python or NumPy."""
    try:
        number = None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        number = None
    if number is None or number < least:
        raise _core.InvalidError(f"{who}: {name} is {given!r:.60}; it is {words}{least} or more [{who}.{name}]")
    return number
