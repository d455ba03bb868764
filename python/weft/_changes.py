"""What a trace changes outside of itself. It happens once, while the function is traced, and never when its graph runs.

A traced tensor that stays behind in an object, a container or a name has no value after the trace: that is refused. So is a
Variable that nobody keeps, or a module with Variables: Python makes a new one at each call, and the graph would go on with the one
of the trace. Of other changes, such as those of a counter, and of draws from Python's and NumPy's generators, a warning tells.
"""

import collections
import gc
import sys
import types
import warnings

from . import _core
from ._number import TracedNumber

_DEEPEST = 6
_CONTAINERS = (list, tuple, dict, set, collections.deque)
_LOOKED_THROUGH = {list, tuple, dict, set, collections.deque, types.CellType}


class Changes:
    """Notes what is about to be changed, with what was there before."""

    def __init__(self):
        self._rows = {}  # (id of the owner, name) -> (place as of `Outside`, text, line)
        self._uses = {}  # id of an iterator or generator -> (it, what it did, line)
        self._own = {}  # what the trace itself made, by id
        self._copies = {}  # containers among the arguments, by id: the trace has its own
        self._variables = []  # (Variable that the trace has made, line)
        self._modules = []  # (module that the trace has made, line)

    def made(self, thing, line=None):
        """The trace has made an object: nobody else sees what becomes of it."""
        self._note_made(thing, line)
        self._own[id(thing)] = thing

    def _note_made(self, thing, line):
        if line is not None and isinstance(thing, _core.Variable):
            self._variables.append((thing, line))
        elif line is not None and _is_module(thing):
            self._modules.append((thing, line))

    def given(self, thing, line=None, depth=0):
        """A function gave an object. What nobody else holds is new, and so is what is in it and nowhere else."""
        self._note_made(thing, line)
        if depth > _DEEPEST or isinstance(thing, (_core.Tensor, type, types.ModuleType)):
            return
        self.made(thing)
        inner = thing if isinstance(thing, (list, tuple)) else thing.values() if isinstance(thing, dict) else ()
        for values in (inner, getattr(thing, "__dict__", {}).values()):
            for value in values:
                if sys.getrefcount(value) <= 3 and _can_hold(value):
                    self.given(value, None, depth + 1)

    def copied(self, tree):
        """Lists and dicts among the arguments are made again for a trace: the caller's stay as they are."""
        if type(tree) in (list, tuple, dict):
            self._copies[id(tree)] = tree
            for value in tree.values() if type(tree) is dict else tree:
                self.copied(value)

    def note(self, place, text, line):
        self._rows.setdefault((id(place[1]), place[2]), (place, text, line))

    def used(self, thing, text, line):
        """An iterator went on, or a generator drew."""
        self._uses.setdefault(id(thing), (thing, text, line))

    def check(self, more=(), given=(), notes=(), made=()):
        """Refuses traced tensors that stay behind, and warns of all else; `more` are places that were read and have changed.

        `given` are the results, which hold no state for the next call; `notes` are the containers of the recorder, `made` the code of
        the functions that the trace made.
        """
        own = set(self._own)
        self._own.clear()  # what only such objects hold is nobody's
        self._check_variables(given)
        self._check_modules(own, set(map(id, notes)), made)
        rows = [row for row in self._rows.values() if id(row[0][1]) not in own and sys.getrefcount(row[0][1]) > 2]
        known = {(id(place[1]), place[2]) for place, _, _ in rows}
        read = {(id(place[1]), place[2]) for place in more}
        told = {id(place[1]) for place, _, _ in rows if place[0] == "contents"} | own
        rows += [(place, *place[4].removesuffix(",").split(", read at ")) for place in more if place[0] != "method"
                 and (id(place[1]), place[2]) not in known and not {id(place[1]), id(_now(place))} & told]
        unchanged = {id(place) for place in _core._unchanged([row[0] for row in rows])}
        for place, text, line in rows:
            if id(place) in unchanged or place[0] == "item" and place[2] not in place[1]:
                continue
            if id(place[1]) in self._copies:
                _warn(f"a {type(place[1]).__name__} among the arguments is changed, but the function has a copy of its own: the "
                      "caller's stays as it is; return the new one [function.argument_changed]", line)
            elif not (_is_module(_now(place)) and (id(place[1]), place[2]) in read):  # read before: it is made at the first call
                _tell(place, text, line)
        for thing, text, line in self._uses.values():
            if id(thing) not in own:
                _warn(f"{text}; when the graph runs it does not [function.drawn]", line)

    def _check_variables(self, given):
        """Refuses Variables that the function makes and nobody keeps."""
        while self._variables:
            variable, line = self._variables.pop()
            if sys.getrefcount(variable) - sum(one is variable for one in given) > 2:  # it, and the argument of the question
                continue
            raise _core.InvalidError("function: a Variable is made while the function is traced and kept by nobody: without a "
                                     "trace each call makes a new one, but the graph goes on with this one; make it outside of "
                                     f"the function, or compute with tensors [function.variable]\nat {line}")

    def _check_modules(self, own, notes, made):
        """Refuses modules with Variables that the function makes and nobody keeps."""
        kept = set()
        while self._modules:  # from the last one on: containers come after the layers that they hold
            module, line = self._modules.pop()
            if id(module) in kept or not [*module.parameters(), *module.buffers()]:
                continue
            if not _is_held(module, own, notes, made):
                raise _core.InvalidError(f"function: a module, {type(module).__name__}, is made while the function is traced and kept by "
                                         "nobody: without a trace each call makes a new one with new weights, but the graph goes on with "
                                         f"this one; make it outside of the function [function.variable]\nat {line}")
            kept.update(map(id, module.modules()))


def _is_module(thing):
    return hasattr(type(thing), "named_parameters")


def _is_held(thing, own, notes, made):
    """Whether anything refers to `thing` but objects that the trace has made, `own`, and the recorder's `notes`, by their ids.

    Containers and closures are looked through: what holds them decides. One that only a local variable holds ends with the trace.
    """
    todo, seen = [thing], {id(thing), *notes}
    seen |= {id(todo), id(seen)}
    while todo:
        for holder in gc.get_referrers(todo.pop()):
            if id(holder) in seen:
                continue
            seen.add(id(holder))
            is_own = id(holder) in own or isinstance(holder, types.FunctionType) and holder.__code__ in made
            if not is_own and type(holder) not in _LOOKED_THROUGH:
                return True
            todo.append(holder)
    return False


def _tell(place, text, line):
    now = _now(place)
    traced = traced_in(now)
    if traced is not None:
        raise _core.WrongTypeError(f"function: {text} is left with {described(traced)}, which has no value once the trace is over; "
                                   f"return it, or keep it in a wf.Variable [function.leak]\nat {line}")
    if not isinstance(now, _core.Variable):  # one that is made at the first call is meant to stay
        _warn(f"{text} is changed while the function is traced, and not when its graph runs; keep what changes in a "
              "wf.Variable, or change it outside of the function [function.changed]", line)


def described(traced):
    """A traced tensor, or what stands for one, as messages name it."""
    tensor = getattr(traced, "__weft_tensor__", traced)
    return f"a traced {tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def _warn(text, line):
    filename, _, number = line.rpartition(":")
    warnings.warn_explicit(f"function: {text}", UserWarning, filename, int(number))


def _now(place):
    kind, owner, name = place[:3]
    if kind in ("cell", "no cell"):
        try:
            return owner.cell_contents
        except ValueError:  # it was deleted
            return None
    if kind in ("contents", "function"):
        return owner
    return owner.get(name) if kind in ("item", "no item") else getattr(owner, name, None)


def _can_hold(value):
    return isinstance(value, _CONTAINERS) or hasattr(value, "__dict__")


def traced_in(value, depth=0):
    """A traced tensor in a value, or None."""
    if isinstance(value, TracedNumber):
        return value
    if isinstance(value, _core.Tensor):
        return value if not isinstance(value, _core.Variable) and _core._is_traced(value) else None
    if depth > _DEEPEST or not _can_hold(value) or isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return None
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, _CONTAINERS) else vars(value).values()
    return next((found for found in (traced_in(one, depth + 1) for one in inner) if found is not None), None)
