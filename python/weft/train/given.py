"""Numbers that users give."""

import operator

from .. import _core
from .._hints import brief as _brief


def whole(given, who, name, least, words=""):
    """An integer of at least so much, of Python or NumPy."""
    try:
        number = None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        number = None
    if number is None or number < least:
        raise _core.InvalidError(f"{who}: {name} is {_brief(given)}; it is {words}{least} or more [{who}.{name}]")
    return number
