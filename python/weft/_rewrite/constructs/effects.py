"""Effects on Python's objects. A region is traced once and may run any number of times, so they are refused in it.

    obj.x = v          changed(obj, "attribute", "x").x = v     what was made in the region may be changed there
    x += v             in_place(x, "x", "add"); x += v
    g = v              outer_write("g", "global"); g = v        of a name declared `global` or `nonlocal`
    raise E            raising(); raise E
"""

import ast
import bisect
import collections.abc
import heapq
import io
import operator
import random
import sys

from .. import laws, trees
from ..backend import current
from ..building import at, constant, load
from ..names import Names
from ..reads import WORDS, met, met_elements, watching
from ..sites import shown
from ..staging import fresh, is_fresh, regions

CONTAINERS = (list, dict, set, bytearray, collections.deque)
CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem",
             "add", "discard", "appendleft", "popleft", "extendleft", "rotate", "difference_update",
             "intersection_update", "symmetric_difference_update", "__setitem__", "__delitem__"}
_ABSTRACT = (collections.abc.MutableMapping, collections.abc.MutableSequence, collections.abc.MutableSet)
_ACTING = {setattr, delattr, next, input, open, exec, eval}
_MAKING = {"copy", "keys", "values", "items", "split"}
# What changes its first argument, and the methods by which arrays change.
_CHANGING_FIRST = {getattr(module, name) for module, names in (
    (heapq, "heappush heappop heapify heapreplace heappushpop"), (bisect, "insort insort_left insort_right"), (random, "shuffle"),
    (operator, "setitem delitem iadd iconcat isub imul ior iand ixor itruediv ifloordiv imod ipow imatmul ilshift irshift"))
    for name in names.split()}
_CHANGING_ARRAYS = {"fill", "sort", "put", "partition", "resize", "setfield", "setflags", "itemset"}
_OF_THE_MOMENT = {module: frozenset(names.split()) for module, names in {
    "time": "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns localtime gmtime ctime",
    "datetime": "now today utcnow", "uuid": "uuid1 uuid4", "secrets": "token_bytes token_hex token_urlsafe", "posix": "urandom",
}.items()}
_NUMPY_CHANGING_FIRST = {"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "at"}


def rewrite_target(node, context):
    """An attribute or item that is assigned or deleted."""
    node = context.generic_visit(node)
    if not isinstance(node.ctx, ast.Load):
        word = "attribute" if isinstance(node, ast.Attribute) else "item"
        name = constant(node.attr if word == "attribute" else None, node)
        node.value = context.operator("changed", node.value, constant(word, node), name, like=node.value)
    return node


def rewrite_augmented(node, context):
    target = node.target
    node = context.generic_visit(node)
    if not isinstance(target, ast.Name):
        return node
    check = context.operator("in_place", load(target.id, node), constant(target.id, node),
                             constant(WORDS[type(node.op)], node), like=node)
    return [at(ast.Expr(check), node), node]


def rewrite_raise(node, context):
    node = context.generic_visit(node)
    if context.handlers or node.exc is None:
        return node
    return [at(ast.Expr(context.operator("raising", like=node)), node), node]


def rewrite_declaration(node, context):
    return at(ast.Pass(), node)  # `global` and `nonlocal` stand at the top of the rewritten function


def outer_writes(node, context):
    """Checks before a statement that assigns names of an outer scope."""
    if isinstance(node, (ast.If, ast.While, ast.For, ast.Try, ast.Match)):
        return []  # what is inside of them comes as statements of its own
    stores = Names(*(node.items if isinstance(node, ast.With) else [node])).stores
    outer = [(name, "global") for name in stores & context.names.globals]
    outer += [(name, "nonlocal") for name in stores & context.names.nonlocals]
    return [at(ast.Expr(context.operator("outer_write", *(constant(word, node) for word in pair), like=node)), node)
            for pair in sorted(outer)]


def changed(thing, word, name):
    """The object whose attribute or item is about to be set, if that may happen here."""
    b = current.b
    if word == "item" and b.is_traced(thing):
        raise laws.refusal("tensor_item", a=trees.described(thing))
    is_recorded = b.records(thing, name) if word == "attribute" else b.is_place(thing)
    if regions.stack and not is_recorded and not is_fresh(thing):
        raise laws.refusal(f"host_{word}", construct=regions.stack[-1].construct, a=type(thing).__name__)
    if watching.watcher is not None and not b.is_place(thing):
        watching.watcher.changes(thing, name)
    return thing


def in_place(thing, name, word):
    """Refuses `thing += ...` where it would change an object from outside of the region, and not the variable."""
    met(thing, word)
    if watching.watcher is not None and isinstance(thing, CONTAINERS):
        watching.watcher.changes(thing, None)
    if regions.stack and hasattr(type(thing), "__iadd__") and not current.b.is_traced(thing):
        if not current.b.is_place(thing) and not is_fresh(thing):
            raise laws.refusal("in_place", construct=regions.stack[-1].construct, a=type(thing).__name__, plain=name)


def outer_write(name, scope):
    if regions.stack:
        raise laws.refusal("outer_name", construct=regions.stack[-1].construct, name=shown(name), scope=scope)


def raising():
    """Refuses a `raise` that no Python condition in the region decided."""
    if regions.stack and not regions.stack[-1].python_depth:
        raise laws.refusal("raise", construct=regions.stack[-1].construct)


def watched(f, run):
    """A builtin or class, whose effects the watcher is told; `run` is what is called instead of it."""
    owner, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    watcher = watching.watcher
    if isinstance(owner, CONTAINERS) and name in CHANGING:
        watcher.changes(owner, None)
    elif is_random(owner):
        watcher.used(owner, f"`{name}` draws from a generator of Python's or NumPy's while the function is traced; use wf.random")
    elif is_of_the_moment(f):
        watcher.used(f, f"`{name}` answers while the function is traced; ask before the call, and pass the answer as a tensor")
    elif f is setattr or f is delattr:
        return lambda thing, name, *value: run(changed(thing, "attribute", name), name, *value)

    word = _word_of_elements(f, owner, name)

    def call(*args, **keywords):
        if f is next and args:
            watcher.used(args[0], f"next() goes on in a {type(args[0]).__name__} while the function is traced; pass its items")
        for x in args[:1]:
            met(x, name)
            if f is isinstance or f is type and len(args) == 1:
                watcher.attribute(x, "__class__", type(x))
        if word is not None:
            for x in (owner, *args):
                met(x, word)
                met_elements(x if isinstance(x, (list, tuple)) else (), word)
        out = run(*args, **keywords)
        if sys.getrefcount(out) == 2:
            watcher.given(out)
        return out

    return call


# C functions that apply an operator to their arguments, and to elements of these.
_WORDS_OF_MODULES = {"math": "math", "cmath": "math", "_heapq": "lt", "_bisect": "lt"}
_WORDS_OF_METHODS = {"sort": "lt", "index": "eq", "count": "eq", "remove": "eq", "get": "key", "pop": "key", "setdefault": "key"}


def _word_of_elements(f, owner, name):
    """The operator that a C function applies to its arguments; None if none is known."""
    if isinstance(owner, CONTAINERS):
        return _WORDS_OF_METHODS.get(name)
    return _WORDS_OF_MODULES.get(getattr(f, "__module__", None))


def is_random(owner):
    """Whether a method's owner draws random numbers: an object of `random` or of `numpy.random`."""
    kind = type(owner)
    return kind.__module__.startswith("numpy.random") or any(base.__module__ == "random" for base in kind.__mro__)


def is_of_the_moment(f):
    """Whether a function of the standard library gives the time, or something new at each call."""
    owner, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    module = owner.__module__ if isinstance(owner, type) else getattr(f, "__module__", None)
    return isinstance(module, str) and name in _OF_THE_MOMENT.get(module, ())


def guarded(f):
    """A builtin or class as it may be called in a region."""
    if isinstance(f, type):
        return lambda *args, **keywords: fresh(f(*args, **keywords))
    owner, name = getattr(f, "__self__", None), f.__name__
    construct = regions.stack[-1].construct
    if isinstance(owner, CONTAINERS) and name in CHANGING and not is_fresh(owner):
        raise laws.refusal("host_method", construct=construct, method=name, a=type(owner).__name__)
    if _is_array(owner) and name in _CHANGING_ARRAYS and not is_fresh(owner):
        raise laws.refusal("host_method", construct=construct, method=name, a=type(owner).__name__)
    if f in _ACTING:
        raise laws.refusal("host_function", construct=construct, method=name)
    if name in _MAKING or f in (sorted, iter):
        return lambda *args, **keywords: fresh(f(*args, **keywords))
    return fenced(f)


def fenced(f):
    """A function that is not rewritten, as it may be called in a region: what it is known to change must be of the region."""
    construct, name = regions.stack[-1].construct, getattr(f, "__name__", type(f).__name__)
    owner, module = getattr(f, "__self__", None), (getattr(f, "__module__", None) or "").partition(".")[0]
    if module in ("logging", "warnings", "inspect", "sys", "traceback", current.b.package, "weft"):
        return f  # they look at the frames below them, or change nothing
    is_changing = changes_first(f)
    if isinstance(owner, _ABSTRACT) and name in CHANGING and not is_fresh(owner):
        raise laws.refusal("host_method", construct=construct, method=name, a=type(owner).__name__)
    if f is object.__setattr__ or f is object.__delattr__:
        return lambda thing, *rest: f(changed(thing, "attribute", rest[0] if rest else None), *rest)

    def call(*args, **keywords):
        out = keywords.get("out", args[getattr(f, "nin", len(args)):])
        for x in (*args[:is_changing], *(out if isinstance(out, tuple) else (out,))):
            if (isinstance(x, CONTAINERS) or _is_array(x)) and not is_fresh(x):
                raise laws.refusal("host_method", construct=construct, method=name, a=type(x).__name__)
        if any(isinstance(x, io.IOBase) for x in (*args, *keywords.values())):
            raise laws.refusal("host_function", construct=construct, method=name)
        out = f(*args, **keywords)
        is_new = (isinstance(out, CONTAINERS) or _is_array(out)) and sys.getrefcount(out) == 2
        return fresh(out) if is_new and regions.stack else out

    return call


def changes_first(f):
    """Whether a function of a library is known to change its first argument, as `heappush` and `list.append` do."""
    name, owner = getattr(f, "__name__", ""), getattr(f, "__self__", None)
    kind = getattr(f, "__objclass__", None)
    if kind is not None and owner is None:  # a method that is taken of its class
        return kind in CONTAINERS and name in CHANGING
    if getattr(f, "__module__", None) == "numpy" or type(f).__module__ == "numpy" or type(owner).__module__ == "numpy":
        return name in _NUMPY_CHANGING_FIRST
    try:
        return f in _CHANGING_FIRST
    except TypeError:  # it has no hash
        return False


def _is_array(x):
    return type(x).__module__ == "numpy" and type(x).__name__ == "ndarray"
