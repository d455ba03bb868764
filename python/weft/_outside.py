"""What a traced function reads outside of its arguments: noted while it is traced, checked at every call.

Numbers, texts, flags and containers of them, in globals, closures and attributes, are compared by value, all else by identity.
Rewritten code tells which attributes it reads. Of functions without source the bytecode tells: chains of names such as
`self.layer.rate`, in them and in the functions they call.
"""

import contextlib
import os
import sys
import types

from . import _bytecode, _core
from ._rewrite import conversion, reads

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MISSING = object()
_DEEPEST = 8  # calls of functions without source, nested containers


class Recorder:
    """Notes the places that a trace reads, with the values they had then."""

    def __init__(self):
        self._places = {}  # (id of the owner, name) -> (kind, owner, name, value, text)
        self._made = set()  # code of functions that the trace itself made
        self._seen = set()
        self._labels = {}  # id of an object -> how the user's code calls it
        self._held = []  # so that no id is used twice

    def places(self):
        """What was read and is as it was then; what the trace itself wrote is not."""
        return _core._unchanged(list(self._places.values()))

    def include(self, places):
        """What a traced function that was called inside has read is read here too."""
        for place in places:
            self._places.setdefault((id(place[1]), place[2]), place)

    def made(self, f):
        self._made.add(f.__code__)

    def entered(self, f, is_rewritten, owner=None):
        """A function of the user's is called."""
        if f.__code__ in self._made or (id(f), id(owner)) in self._seen:
            return
        self._seen.add((id(f), id(owner)))
        self._held.append(f)
        if owner is not None:
            self._labels.setdefault(id(owner), type(owner).__name__)
        for kind, name, line in _bytecode.names_read(f.__code__):
            self._note_name(f, kind, name, line)
        if not is_rewritten:
            self._follow(f, owner, 0)

    def follow(self, f):
        """A callable is called as it is."""
        self._follow_call(f, 0)

    def attribute(self, owner, name, value):
        """An attribute was read."""
        self._note_attribute(owner, name, value, _users_line())

    def _note_name(self, f, kind, name, line):
        place = _place_of(f, kind, name)
        if place is not None:
            owner, value = place
            self._note("item" if kind == "global" else "cell", owner, name, value, f"`{name}`",
                       f"{f.__code__.co_filename}:{line}")

    def _note_attribute(self, owner, name, value, line):
        if isinstance(owner, types.ModuleType):
            if not _is_library(owner):
                self._note("item", vars(owner), name, value, f"`{owner.__name__}.{name}`", line)
            return
        kind = type(owner)
        if _is_quiet(kind) or isinstance(owner, type):
            return
        label = self._labels.get(id(owner), kind.__name__).strip("`")
        text = f"`{label}.{name}`"
        if isinstance(value, types.MethodType) and value.__self__ is owner:
            found = _in_class(kind, name)
            if found is value.__func__:
                self._note("method", kind, name, found, text, line)
                return
        found = _in_class(kind, name)
        if isinstance(found, property):
            if isinstance(found.fget, types.FunctionType):
                self.entered(found.fget, False, owner)
        elif found is not _MISSING or name in getattr(owner, "__dict__", ()):
            if kind.__getattribute__ is object.__getattribute__:
                self._note("attribute", owner, name, value, text, line)

    def _note(self, kind, owner, name, value, text, line):
        if isinstance(value, types.ModuleType) or isinstance(value, _core.Tensor) and _core._is_traced(value):
            return
        self._labels.setdefault(id(value), text)
        self._held.append(value)
        self._places.setdefault((id(owner), name), (kind, owner, name, _copied(value), f"{text}, read at {line},"))

    def _follow(self, f, owner, depth):
        """Attributes that a function without source reads, as far as they can be told from names."""
        code = f.__code__
        known = {code.co_varnames[0]: owner} if owner is not None and code.co_argcount else {}
        for kind, name, attributes, line in _bytecode.chains_read(code):
            value = known.get(name, _MISSING)
            if kind != "local":
                place = _place_of(f, kind, name)
                value = _MISSING if place is None else place[1]
            for attribute in attributes:
                if value is _MISSING or isinstance(value, types.ModuleType) and _is_library(value):
                    break
                inner = _stored(value, attribute)
                if inner is not _MISSING:
                    self._note_attribute(value, attribute, inner, f"{code.co_filename}:{line}")
                value = inner
            if callable(value) and depth < _DEEPEST:
                self._follow_call(value, depth + 1)

    def _follow_call(self, value, depth):
        owner = getattr(value, "__self__", None)
        f = getattr(value, "__func__", value)
        if not isinstance(f, types.FunctionType):
            owner, f = value, getattr(type(value), "__call__", None)
        if isinstance(f, types.FunctionType) and not conversion.is_left_alone(f):
            if (id(f), id(owner)) not in self._seen:
                self.entered(f, True, owner)
                self._follow(f, owner, depth)


@contextlib.contextmanager
def recording():
    """Notes what code that runs inside reads."""
    outer, reads.watching.watcher = reads.watching.watcher, Recorder()
    try:
        yield reads.watching.watcher
    finally:
        reads.watching.watcher = outer


def include(places):
    """Tells the trace that is being made, if there is one, what a function that it called has read."""
    if reads.watching.watcher is not None:
        reads.watching.watcher.include(places)


def _place_of(f, kind, name):
    """(owner, value) of a name that a function reads, or None if it has no value outside of the function."""
    if kind == "global":
        return (f.__globals__, f.__globals__[name]) if name in f.__globals__ else None
    if name in f.__code__.co_freevars:
        cell = f.__closure__[f.__code__.co_freevars.index(name)]
        with contextlib.suppress(ValueError):  # it is empty
            return cell, cell.cell_contents
    return None


def _stored(owner, name):
    """What is stored as owner.name: properties and the like, which may compute anything, are not asked."""
    if isinstance(owner, types.ModuleType):
        return vars(owner).get(name, _MISSING)
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    found = _in_class(owner if isinstance(owner, type) else type(owner), name)
    return types.MethodType(found, owner) if isinstance(found, types.FunctionType) else found


def _in_class(kind, name):
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), _MISSING)


def _copied(value, depth=0):
    """A value to compare with later: containers are copied, because they may change."""
    if depth > _DEEPEST:
        return value
    kind = type(value)
    if kind in (list, tuple):
        return kind(_copied(item, depth + 1) for item in value)
    if kind is dict:
        return {key: _copied(item, depth + 1) for key, item in value.items()}
    return set(value) if kind is set else value


def _is_library(module):
    path = getattr(module, "__file__", None)
    return path is None or path.startswith(_PACKAGE) or conversion.is_library_file(path)


def _is_quiet(kind):
    """Whether attributes of such objects are not the user's: of builtins, tensors and arrays."""
    return kind.__module__.partition(".")[0] in ("builtins", "weft", "numpy")


def _users_line():
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
