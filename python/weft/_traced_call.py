"""A call of a traced function: its tensors, what else is in it, and what the user calls both."""

import sys

from . import _core, _tree
from ._hints import brief as _brief
from ._number import TracedNumber, as_tensor

_BY_REPR = (bool, int, float, complex, str, bytes, type(None), _core.DType)


class Static:
    """An argument that was declared static: a leaf that is compared, not traced."""

    def __init__(self, value, seen):
        if isinstance(value, _core.Tensor):
            raise _core.WrongTypeError(f"function: a static argument is {_brief(value)}, but tensors are not compared; leave it out of "
                                       "static_argnums and static_argnames, or pass a number: x.item() [function.static]")
        try:
            hash(value)
            self.text = repr(value) if type(value) in _BY_REPR else _numbered(value, seen)
        except TypeError:
            raise _core.WrongTypeError(f"function: a static argument is {_brief(value)}, which has no hash, so it cannot be told "
                                       "from another; pass a tuple, or leave it out of static_argnums and static_argnames [function.static]") from None
        self.value = value


class Call:
    """Arguments, taken apart. The text `statics` tells a call from others, but for its tensors."""

    def __init__(self, owner, args, kwargs):
        self._owner = owner
        statics = owner._statics(args, kwargs)
        if owner._static or owner._static_names:
            args = tuple(Static(arg, owner._statics_seen) if i in owner._static else arg for i, arg in enumerate(args))
            names = owner._static_names
            kwargs = {name: Static(arg, owner._statics_seen) if name in names else arg for name, arg in kwargs.items()}
        self._leaves, self._structure = _tree.flatten((args, kwargs))
        self.tensors, self._parts = [], []
        self._held = [self._structure]  # what is in the text by its address must live: nothing else may come to be there
        for leaf in self._leaves:
            if isinstance(leaf, TracedNumber):  # it arrives as a number
                self._parts.append(TracedNumber)
                self.tensors.append(as_tensor(leaf, leaf.kind))
            elif isinstance(leaf, _core.Tensor):
                self._parts.append(None)
                self.tensors.append(leaf)
            elif type(leaf).__module__ == "numpy" or hasattr(leaf, "__array__"):
                self._parts.append(None)
                self.tensors.append(_core._tensor(leaf, None, owner._name, "argument"))
            else:
                self._parts.append((leaf,))
                self._held.append(leaf)
        if statics is None:
            marks = iter([self._mark(part[0]) if isinstance(part, tuple) else "number *" if part else "*" for part in self._parts])
            statics = f"tree {self._text(self._structure, marks)}"
        self.statics = statics

    def trace(self, traced):
        """Traces the function on these tensors: what it gives, and what is kept beside its graph."""
        given = iter(traced)
        leaves = [part[0] if isinstance(part, tuple) else part(next(given)) if part else next(given) for part in self._parts]
        args, kwargs = _tree.unflatten(self._structure, leaves)
        args = tuple(_plain(arg) for arg in args)
        kwargs = {name: _plain(arg) for name, arg in kwargs.items()}
        flat, side = self._owner._traced(args, kwargs, self._held)
        return flat, (*side, self._rows())

    def names(self):
        """What the user calls the tensors: "x", 'params["w"]'."""
        return [path for path, mark, _ in self._rows() if mark == "*"]

    def what_changed(self, before):
        """What is no tensor, against the rows of an earlier call: "`rate` was 0.1 and is 0.2"."""
        old = {path: (mark, words) for path, mark, words in before or ()}
        now = {path: (mark, words) for path, mark, words in self._rows()}
        for path, (mark, words) in now.items():
            if path not in old:
                return f"`{path}` is given, {words}"
            if old[path][0] != mark:
                was = old[path][1]
                return f"`{path}` was {was} and is {words}" if was != words else f"`{path}` is another object now"
        gone = next((path for path in old if path not in now), None)
        return "the form of the arguments changed" if gone is None else f"`{gone}`, which was {old[gone][1]}, is not given"

    def _rows(self):
        """(path, what tells it from others, words for it) of each argument and all that is in it, in the order of leaves."""
        positions, rest = self._owner._argument_names()
        args, kwargs = self._structure.children
        leaves, rows = iter(self._leaves), []
        for i, child in enumerate(args.children):
            known = positions[i] if i < len(positions) else f"{rest}[{i - len(positions)}]" if rest else f"x{i}"
            self._list(known, child, leaves, rows)
        for name, child in zip(kwargs.detail, kwargs.children):
            self._list(name, child, leaves, rows)
        return rows

    def _list(self, path, structure, leaves, rows):
        kind, detail, children = structure.kind, structure.detail, structure.children
        if kind in ("leaf", "constant"):
            value = next(leaves) if kind == "leaf" else detail
            is_tensor = isinstance(value, (_core.Tensor, TracedNumber)) or type(value).__module__ == "numpy" or hasattr(value, "__array__")
            rows.append((path, "*", "a tensor") if is_tensor else (path, self._mark(value), _words(value)))
            return
        if kind == "tensor":  # a key
            rows.append((f"type of {path}", str(id(detail)), f"a {detail.__name__}"))
            self._list(path, children[0], leaves, rows)
            return
        if kind in ("dict", "ordered"):
            order = [self._key(key) for key in structure.order or detail]
            rows.append((path, f"{kind} {order}", f"a dict with the keys {', '.join(map(repr, structure.order or detail))}"))
        elif kind in ("list", "tuple"):
            rows.append((path, f"{kind} {len(children)}", f"a {kind} of {len(children)}"))
        else:
            rows.append((path, f"{id(detail)}", f"a {detail.__name__}"))
        for step, child in zip(_tree.steps(structure), children):
            self._list(path + step, child, leaves, rows)

    def _text(self, structure, marks):
        """A form as a text that no other form has: classes by identity, and dicts with the order of their keys."""
        kind, detail = structure.kind, structure.detail
        if kind == "leaf":
            return next(marks)
        if kind == "constant":
            return self._mark(detail)
        parts = [self._text(child, marks) for child in structure.children]
        if kind in ("dict", "ordered"):
            parts = [f"{self._key(key)}: {part}" for key, part in zip(detail, parts)]
            order = "" if structure.order in (None, detail) else f" in the order {[self._key(key) for key in structure.order]}"
            return f"{kind} {{{', '.join(parts)}}}{order}"
        is_builtin = kind in ("list", "tuple")
        return f"{kind if is_builtin else f'{detail.__name__} at {id(detail)}'}({', '.join(parts)})"

    def _mark(self, value):
        """What tells one static value from another: numbers and texts by value, other objects by identity."""
        if type(value) is Static:
            return f"static {value.text}"
        if type(value) in _BY_REPR:
            return repr(value)
        return f"<{type(value).__name__} at {id(value)}>"

    def _key(self, key):
        """What tells one key of a dict from others."""
        return repr(key) if type(key) in _BY_REPR else _numbered(key, self._owner._statics_seen)


def _plain(argument):
    return argument.value if type(argument) is Static else argument


def _words(value):
    """A static value as a message shows it."""
    if type(value) is Static:
        return _brief(value.value)
    if type(value) in _BY_REPR:
        return _brief(value)
    name = getattr(value, "__qualname__", None)
    return f"`{name}`" if isinstance(name, str) else f"a {type(value).__name__}"


def _numbered(value, seen):
    """A text for a value with a hash: equal values of one type have the same number."""
    return f"{_brief(value)} #{seen.setdefault((type(value), value), len(seen))}"


def argument_names(f):
    """(names of the arguments that go by position, name of those that follow or None) of a callable; of some, none are known."""
    import inspect

    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return (), None
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(one.name for one in parameters if one.kind in by_position)
    return names, next((one.name for one in parameters if one.kind is inspect.Parameter.VAR_POSITIONAL), None)
