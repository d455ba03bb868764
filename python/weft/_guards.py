"""What a traced function reads outside of its arguments: recorded when it is traced, checked at every call.

Numbers, texts and flags in closures, globals and attributes are compared by value, functions and modules by identity. They
are found in the bytecode: chains of names such as `self.layer.rate`, in the function and in the Python functions it calls.
"""

import dis
import types

_SCALARS = (int, float, complex, str, bytes, bool, type(None))
_MISSING = object()
_DEEPEST = 8


class Guards:
    """Places and the values they had."""

    __slots__ = ("places",)

    def __init__(self):
        self.places = []  # (read, what it gave, text)

    def hold(self):
        for read, value, _ in self.places:
            now = read()
            if now is not value and not (type(now) is type(value) and isinstance(now, _SCALARS) and now == value):
                return False
        return True

    def changed(self):
        """The texts of the places that hold other values now."""
        return [text for read, value, text in self.places if read() is not value and read() != value]


def of(f, args=()):
    """The guards of a function that is about to be called with these arguments."""
    guards = Guards()
    _visit(f, args, guards, set(), 0)
    return guards


def _plain(f):
    while isinstance(f, (types.MethodType,)) or hasattr(f, "__wrapped__"):
        f = f.__func__ if isinstance(f, types.MethodType) else f.__wrapped__
    return f


def _visit(f, args, guards, seen, depth):
    bound = getattr(f, "__self__", None) if isinstance(f, types.MethodType) else None
    plain = _plain(f)
    if not isinstance(plain, types.FunctionType):
        call = getattr(type(f), "__call__", None)
        if isinstance(call, types.FunctionType) and not _is_ours(call):
            _visit(types.MethodType(call, f), args, guards, seen, depth)
        return
    if _is_ours(plain) or depth > _DEEPEST or (id(plain.__code__), id(bound)) in seen:
        return
    seen.add((id(plain.__code__), id(bound)))
    given = (bound, *args) if bound is not None else args
    names = plain.__code__.co_varnames[:plain.__code__.co_argcount]
    locals_ = {name: value for name, value in zip(names, given) if not isinstance(value, _SCALARS)}
    for root, path in _chains(plain.__code__):
        _record(plain, root, path, locals_, guards, seen, depth)


def _is_ours(f):
    module = getattr(f, "__module__", None) or ""
    return module.split(".")[0] in ("weft", "numpy") or module in ("functools", "contextlib", "inspect")


def _chains(code):
    """(kind, name) of a root and the attributes read from it, for every place where one is read; nested code included."""
    chain = None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_FAST", "LOAD_CLASSDEREF"):
            if chain:
                yield chain
            kind = {"LOAD_GLOBAL": "global", "LOAD_FAST": "local"}.get(step.opname, "cell")
            chain = ((kind, step.argval), [])
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain[1].append(step.argval)
        elif step.opname not in ("PRECALL", "CACHE", "PUSH_NULL", "COPY_FREE_VARS", "RESUME"):
            if chain:
                yield chain
            chain = None
    if chain:
        yield chain
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _chains(constant)


def _reader(f, root, locals_):
    """A function that reads the root now, or None if it is nothing that could change."""
    kind, name = root
    if kind == "global":
        space = f.__globals__
        return (lambda: space.get(name, _MISSING)) if name in space else None
    if kind == "cell" and name in f.__code__.co_freevars:
        cell = f.__closure__[f.__code__.co_freevars.index(name)]

        def read():
            try:
                return cell.cell_contents
            except ValueError:
                return _MISSING

        return read
    if name in locals_:
        value = locals_[name]
        return lambda: value
    return None


def _record(f, root, path, locals_, guards, seen, depth):
    read = _reader(f, root, locals_)
    if read is None:
        return
    text = root[1]
    value = read()
    if root[0] != "local":
        _keep(read, value, text, guards)
    for attribute in path:
        if isinstance(value, types.ModuleType) and _is_library(value):
            return
        outer = read

        def read(outer=outer, attribute=attribute):
            return _attribute(outer(), attribute)

        value = read()
        text = f"{text}.{attribute}"
        if value is _MISSING:
            return
        _keep(read, value, text, guards)
    if callable(value):
        _visit(value, (), guards, seen, depth + 1)


def _attribute(owner, name):
    # Properties and the like may compute anything: only what is stored is read.
    if isinstance(owner, types.ModuleType):
        return vars(owner).get(name, _MISSING)
    stored = getattr(owner, "__dict__", {}).get(name, _MISSING) if not isinstance(owner, type) else _MISSING
    if stored is not _MISSING:
        return stored
    for kind in type(owner).__mro__ if not isinstance(owner, type) else owner.__mro__:
        if name in kind.__dict__:
            found = kind.__dict__[name]
            return types.MethodType(found, owner) if isinstance(found, types.FunctionType) else found
    return _MISSING


def _is_library(module):
    return module.__name__.split(".")[0] in ("weft", "numpy", "math")


def _keep(read, value, text, guards):
    if isinstance(value, types.MethodType):
        function = value.__func__
        guards.places.append((lambda: getattr(read(), "__func__", None), function, text))
    elif isinstance(value, _SCALARS) or isinstance(value, (types.FunctionType, type)):
        guards.places.append((read, value, text))
    elif not isinstance(value, types.ModuleType) and type(value).__module__ != "builtins":
        guards.places.append((read, value, text))
