"""Traced methods: each instance has a traced function of its own, which lives in the instance and is freed with it."""

import weakref

_NAME = "__weft_traced_methods__"


class _Methods:
    """The traced methods of one owner. A copy of the owner, and one that is read from a file, begins with none."""

    def __init__(self, owner=None):
        self.owner = None if owner is None else weakref.ref(owner)
        self.by_function = {}

    def __reduce__(self):
        return _Methods, ()


def bound(function, owner, make):
    """The traced function of a method of `owner`, made by `make(owner)` once; None if the owner has no room for it."""
    own = getattr(owner, "__dict__", None)
    if own is None:
        return None
    methods = own.get(_NAME)
    if methods is None or methods.owner is None or methods.owner() is not owner:
        try:
            methods = _Methods(owner)
            own[_NAME] = methods
        except TypeError:  # a class, whose __dict__ is read-only, or an object without weak references
            if not isinstance(owner, type):
                return None
            type.__setattr__(owner, _NAME, methods)
    found = methods.by_function.get(function)
    if found is None:
        found = methods.by_function[function] = make(owner)
    return found
