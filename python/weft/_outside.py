"""What a traced function reads outside of its arguments: noted while it is traced, checked at every call.

Numbers, texts, flags, containers of them and small arrays, in globals, closures, defaults and attributes, are compared by value,
all else by identity. Rewritten code tells which attributes it reads and which objects its operators ask. Of functions that are
not rewritten the bytecode tells: chains of names such as `self.layer.rate`, in them and in the functions they call.
"""

import array
import collections
import collections.abc
import contextlib
import functools
import gc
import sys
import types

from . import _bytecode, _core
from ._changes import Changes
from ._number import TracedNumber
from ._rewrite import asking, conversion, reads

_MISSING = object()
_DEEPEST = 8  # calls of functions without source, nested containers
_LARGEST = 1 << 16  # bytes of an array that is compared; larger ones are the same if they are the same object
_CONTAINERS = (list, tuple, dict, set, frozenset, bytearray, array.array, memoryview, collections.deque, collections.ChainMap,
               types.MappingProxyType)
_COMPARED = (list, tuple, dict, set, frozenset)  # by what they hold, wherever they stand
_READS_ALL = ("copy", "operator", "dataclasses", "pickle", "json")  # their functions read all that an object has
_ORDERING = ("heapq", "bisect")  # their functions compare elements
_PLAIN = (types.FunctionType, types.SimpleNamespace)  # their attributes are as those of other objects
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: only objects of such classes can be given another class
_MOST_OF_MODULE = 64  # a container in a library's module is compared if it has at most so many elements: sys.modules is not


class Recorder(reads.Watcher):
    """Notes the places that a trace reads, with the values they had then, and those that it changes."""

    def __init__(self):
        self._places = {}  # (id of the owner, name) -> (kind, owner, name, value, text)
        self._made = set()  # code of functions that the trace itself made
        self._seen = set()
        self._labels = {}  # id of an object -> how the user's code calls it
        self._held = []  # so that no id is used twice
        self._changes = Changes()

    def places(self):
        """What was read and is as it was then; what the trace itself changed is not."""
        return _core._unchanged(list(self._places.values()))

    def check_changes(self, given):
        """Refuses and warns of what the trace has changed and others see; `given` are the tensors that it gives."""
        kept = set(map(id, self.places()))
        places = list(self._places.values())
        self._changes.check([place for place in places if id(place) not in kept], given,
                            (self._places, places, self._held, *places), self._made)

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
            self._note_class(owner, f"{f.__code__.co_filename}:{f.__code__.co_firstlineno}")
        for kind, name, line in _bytecode.names_read(f.__code__):
            self._note_name(f, kind, name, line)
        for kind, name, line in _bytecode.names_written(f.__code__):
            self._note_change_of_name(f, kind, name, f"{f.__code__.co_filename}:{line}")
        line = f"{f.__code__.co_filename}:{f.__code__.co_firstlineno}"
        parts = f.__code__, _copied(f.__defaults__), _copied(f.__kwdefaults__)
        self._places.setdefault((id(f), "()"), ("function", f, "", parts, f"`{f.__name__}`, read at {line},"))
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self._look_into(value, f"a default of `{f.__name__}`", line, 0)
        if not is_rewritten:
            self._follow(f, _known(f, () if owner is None else (owner,), {}), 0)

    def called(self, f, args, keywords):
        if _package(f) in _READS_ALL:
            for value in args:
                if hasattr(value, "__dict__") and not _is_quiet(type(value)) and not isinstance(value, type):
                    self._note_contents(vars(value), f"a {type(value).__name__}", _users_line())
        if _package(f) in _ORDERING:
            for value in args:
                reads.met_elements(value if isinstance(value, (list, tuple)) else (value,), "lt")
        owner = getattr(f, "__self__", None)
        f = getattr(f, "__func__", f)
        f = getattr(f, "__wrapped__", f)  # of contextlib.contextmanager and its like
        if isinstance(f, types.FunctionType) and _is_of_library(f):
            self._note_state(owner)
        if isinstance(f, types.FunctionType) and not _is_of_library(f):
            self.entered(f, True, owner)
            self._follow(f, _known(f, args if owner is None else (owner, *args), keywords), 0)

    def follow(self, f):
        """A callable is called as it is."""
        self._follow_call(f, 0)

    def attribute(self, owner, name, value):
        """An attribute was read."""
        if name == "__dict__" and type(value) is dict:
            self._note_contents(value, f"what a {type(owner).__name__} has", _users_line())
        self._note_attribute(owner, name, value, _users_line())

    def has(self, owner, name, answer):
        kind = type(owner)
        if not _is_quiet(kind) and kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__"):
            self._note("has", owner, name, answer, f"whether there is a `{name}`", _users_line())

    def item(self, owner, name, value):
        self._note("item", owner, name, value, f"`{name}`", _users_line())

    def contents(self, owner):
        self._note_contents(owner, "what vars() gave", _users_line())

    def copied(self, arguments):
        """Arguments whose containers were made for the trace."""
        self._changes.copied(arguments)

    def argument(self, value):
        """An argument of the call that is no tensor: it is known by its identity, so what is in it is compared."""
        self._look_into(value, "an argument", _users_line(), 0)

    def met(self, x, word):
        kind = type(x)
        if _is_quiet(kind):
            return
        for method in asking.methods_asked(kind, word):
            self.entered(method, False, x)
        if any(asking.methods_asked(kind, word, of_libraries=True)):
            self._note_state(x)

    def bound(self, f):
        line = _users_line()
        for name in ("args", "keywords"):
            self._note("attribute", f, name, getattr(f, name), f"what a functools.{type(f).__name__} holds", line)

    def changes(self, owner, name):
        text = self._labels.get(id(owner), f"a {type(owner).__name__}")
        if name is None:
            if isinstance(owner, _CONTAINERS) or _is_array(owner):
                place = ("contents", owner, "", _plain_copy(owner))
                self._changes.note((*place, ""), f"what {text} holds", _users_line())
        elif isinstance(name, str) and not isinstance(owner, (type, types.ModuleType)):  # setattr refuses other names
            self._note_change(owner, name, _stored(owner, name), f"`{text.strip('`').removeprefix('a ')}.{name}`")

    def used(self, thing, text):
        self._changes.used(thing, text, _users_line())

    def fresh(self, thing):
        self._changes.made(thing, _users_line())

    def given(self, thing):
        self._changes.given(thing, _users_line())

    def _note_change(self, owner, name, value, text):
        place = ("has", owner, name, False, "") if value is _MISSING else ("attribute", owner, name, _copied(value), "")
        self._changes.note(place, text, _users_line())

    def _note_change_of_name(self, f, kind, name, line):
        place = _place_of(f, kind, name)
        if place is None and kind == "global":
            place = f.__globals__, _MISSING  # a name that the function is about to make
        if place is not None:
            word = "item" if kind == "global" else "cell"
            self._changes.note((word, place[0], name, _copied(place[1]), ""), f"`{name}`", line)

    def _note_name(self, f, kind, name, line):
        place, line = _place_of(f, kind, name), f"{f.__code__.co_filename}:{line}"
        if place is not None:
            owner, value = place
            self._note("item" if kind == "global" else "cell", owner, name, value, f"`{name}`", line)
        elif kind == "global":  # one of Python's own, or one that is not there yet
            self._note_missing("no item", f.__globals__, name, line)
        elif name in f.__code__.co_freevars:
            self._note_missing("no cell", f.__closure__[f.__code__.co_freevars.index(name)], name, line)

    def _note_missing(self, kind, owner, name, line):
        self._places.setdefault((id(owner), name), (kind, owner, name, None, f"`{name}`, read at {line},"))

    def _note_attribute(self, owner, name, value, line):
        if isinstance(owner, types.ModuleType):
            is_large = isinstance(value, _CONTAINERS) and hasattr(value, "__len__") and len(value) > _MOST_OF_MODULE
            if not _is_library(owner) or not (_package_of_module(owner) == "weft" or is_large) and name in vars(owner):
                self._note("item", vars(owner), name, value, f"`{owner.__name__}.{name}`", line)
            return
        kind = type(owner)
        if isinstance(owner, type):
            has_it = next((one for one in (owner, kind) if _in_class(one, name) is not _MISSING), None)  # or its metaclass
            if not _is_quiet(owner) and has_it is not None:
                found = _in_class(has_it, name)
                self._note("method", has_it, name, found, f"`{owner.__name__}.{name}`", line)
                if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
                    self.entered(found.fget, False, owner)
            return
        if kind is _core.Variable and name == "trainable":
            self._note("attribute", owner, name, value, f"`{self._labels.get(id(owner), 'Variable').strip('`')}.{name}`", line)
        if _is_quiet(kind) and not (kind in _PLAIN and name in vars(owner)):
            return
        label = self._labels.get(id(owner), kind.__name__).strip("`")
        text = f"`{label}.{name}`"
        found = _in_class(kind, name)
        if found is not _MISSING and name not in getattr(owner, "__dict__", ()):
            self._note_class(owner, line)
        is_own_method = isinstance(value, types.MethodType) and value.__self__ is owner and found is value.__func__
        if is_own_method or isinstance(found, classmethod) and name not in getattr(owner, "__dict__", ()):
            self._note("method", kind, name, found, text, line)
            if hasattr(owner, "__dict__"):  # where one of its own would come before that of the class
                self._note_missing("no item", vars(owner), name, line)
        elif isinstance(found, functools.partialmethod):  # what it gives is made anew at each read
            self._note("method", kind, name, found, text, line)
            self.bound(found)
        elif isinstance(found, property):
            if isinstance(found.fget, types.FunctionType):
                self.entered(found.fget, False, owner)
        elif found is not _MISSING or name in getattr(owner, "__dict__", ()):
            if kind.__getattribute__ is object.__getattribute__ or kind in _PLAIN:
                self._note("attribute", owner, name, value, text, line)

    def _note(self, kind, owner, name, value, text, line):
        if _is_traced(value) or isinstance(value, types.ModuleType) and _package_of_module(value) == "weft":
            return
        self._labels.setdefault(id(value), text)
        self._held.append(value)
        self._places.setdefault((id(owner), name), (kind, owner, name, _copied(value), f"{text}, read at {line},"))
        self._look_into(value, text, line, 0)

    def _note_class(self, owner, line):
        """Guards which class an object is of: `x.__class__ = Other` gives it other methods, properties and operators."""
        kind = type(owner)
        if isinstance(owner, (type, types.ModuleType)) or _is_quiet(kind) or not kind.__flags__ & _HEAP_TYPE:
            return
        text = f"`type({self._labels.get(id(owner), kind.__name__).strip('`')})`"
        self._places.setdefault((id(owner), "__class__"), ("class", owner, "__class__", kind, f"{text}, read at {line},"))

    def _note_state(self, x):
        """Guards all attributes of a container of a library's class, such as a UserDict: its methods may read any of them."""
        is_container = isinstance(x, (collections.abc.Mapping, collections.abc.Sequence, collections.abc.Set))
        if is_container and type(getattr(x, "__dict__", None)) is dict and not _is_quiet(type(x)):
            self._note_contents(vars(x), f"what a {type(x).__name__} has", _users_line())
            for value in vars(x).values():
                self._look_into(value, f"what a {type(x).__name__} holds", _users_line(), 0)

    def _look_into(self, value, text, line, depth):
        """Notes what containers and arrays hold that is not compared where they stand."""
        if depth > _DEEPEST or not isinstance(value, _CONTAINERS) and not _is_array(value):
            return
        if isinstance(value, (collections.ChainMap, types.MappingProxyType)):  # what they look into is what may change
            if isinstance(value, collections.ChainMap):
                self._note_contents(value.maps, text, line)
            for inner in value.maps if isinstance(value, collections.ChainMap) else gc.get_referents(value):
                if isinstance(inner, dict):
                    self._note_contents(inner, text, line)
                    self._look_into(inner, text, line, depth + 1)
            return
        if type(value) not in _COMPARED or depth == 0 and text == "an argument" and not isinstance(value, frozenset):
            self._note_contents(value, text, line)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
            self._look_into(inner, text, line, depth + 1)

    def _note_contents(self, value, text, line):
        copy = _plain_copy(value)
        if copy is not None and type(value).__module__.partition(".")[0] != "weft":
            self._held.append(value)
            self._places.setdefault((id(value), ""), ("contents", value, "", copy, f"{text}, read at {line},"))

    def _follow(self, f, known, depth):
        """Attributes that a function reads which is not rewritten, as far as they can be told from names."""
        code = f.__code__
        for kind, name, attributes, line in _bytecode.chains_read(code):
            value = known.get(name, _MISSING)
            if kind != "local":
                place = _place_of(f, kind, name)
                value = _MISSING if place is None else place[1]
            for attribute in attributes:
                if value is _MISSING:
                    break
                inner = _stored(value, attribute)
                if inner is not _MISSING:
                    self._note_attribute(value, attribute, inner, f"{code.co_filename}:{line}")
                value = inner
            if callable(value) and depth < _DEEPEST:
                self._follow_call(value, depth + 1)

    def _follow_call(self, value, depth):
        if isinstance(value, functools.partial):
            self.bound(value)
            value = value.func
        owner = getattr(value, "__self__", None)
        f = getattr(value, "__func__", value)
        if not isinstance(f, types.FunctionType):
            owner, f = value, getattr(type(value), "__call__", None)
        if isinstance(f, types.FunctionType) and not conversion.is_left_alone(f):
            if (id(f), id(owner)) not in self._seen:
                self.entered(f, True, owner)
                self._follow(f, _known(f, () if owner is None else (owner,), {}), depth)


@contextlib.contextmanager
def recording():
    """Notes what code that runs inside reads."""
    outer, recorder = reads.watching.watcher, Recorder()
    reads.watching.watcher = recorder
    try:
        yield recorder
    except BaseException:
        if outer is not None:
            outer.include(recorder.places())  # a handler around the call may take it, and what it read has decided that
        raise
    finally:
        reads.watching.watcher = outer


def include(places):
    """Tells the trace that is being made, if there is one, what a function that it called has read."""
    if reads.watching.watcher is not None:
        reads.watching.watcher.include(places)


def _known(f, args, keywords):
    """The variables of a function that its arguments give, as far as they go by position or name."""
    return {**dict(zip(f.__code__.co_varnames[:f.__code__.co_argcount], args)), **keywords}


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
    kind = owner if isinstance(owner, type) else type(owner)
    found = _in_class(kind, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return types.MethodType(found.__func__, kind)
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


def _plain_copy(value):
    """What a container of any class holds, as `Outside` compares it; None for what is not compared."""
    for kind in (list, tuple, dict):
        if isinstance(value, kind):
            return _copied(kind(value))
    if isinstance(value, (set, frozenset)):
        return set(value)
    if isinstance(value, collections.deque):
        return _copied(list(value))
    if isinstance(value, (bytearray, array.array)):
        return bytes(value)
    if isinstance(value, memoryview):
        return bytes(value) if value.c_contiguous and value.nbytes <= _LARGEST else None
    is_small = _is_array(value) and value.nbytes <= _LARGEST and value.flags.c_contiguous and not value.dtype.hasobject
    return value.tobytes() if is_small else None


def _is_traced(value):
    """Whether it is a tensor or a number of the trace; a Variable is an object of outside, whose value is read in the trace."""
    if isinstance(value, _core.Tensor):
        return not isinstance(value, _core.Variable) and _core._is_traced(value)
    return isinstance(value, TracedNumber)


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _package(f):
    """The package of a function or callable object."""
    name = getattr(f, "__module__", None) or type(f).__module__
    return name.partition(".")[0] if isinstance(name, str) else ""


def _package_of_module(module):
    return module.__name__.partition(".")[0] if isinstance(module.__name__, str) else ""


def _is_of_library(f):
    return conversion.is_others(f.__code__.co_filename)


def _is_library(module):
    path = getattr(module, "__file__", None)
    if path is None:  # one of Python's own, unless it was made by hand
        return getattr(module, "__spec__", None) is not None
    return conversion.is_others(path)


def _is_quiet(kind):
    """Whether attributes of such objects are not the user's: of builtins, tensors and arrays; those of layers are."""
    module = kind.__module__
    if not isinstance(module, str):  # that of an op is each one's own
        return True
    return module.partition(".")[0] in ("builtins", "weft", "numpy") and not module.startswith("weft.nn.")


def _users_line():
    frame = sys._getframe(2)
    while frame.f_back is not None and conversion.is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
