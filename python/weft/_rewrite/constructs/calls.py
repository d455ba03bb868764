"""Calls: `f(x)` becomes `call(f)(x)`, which rewrites the user's functions on the fly and leaves all others alone."""

import ast
import functools
import operator
import sys
from types import BuiltinFunctionType, FunctionType, MethodType

from .. import conversion, laws, reads, trees
from ..backend import current
from ..building import at, load
from ..sites import Site
from ..staging import fresh, regions
from . import acting, effects, iterables, text, unrewritten
from .conditional_expression import if_expression
from .print_ import print_


def rewrite(node, context):
    is_super = isinstance(node.func, ast.Name) and node.func.id == "super" and not context.is_own("super")
    if is_super and not node.args and not node.keywords:
        if context.first_argument is None:
            return node
        # A branch is a function of its own, without the argument that super() looks for.
        node.args = [load("__class__", node), load(context.first_argument, node)]
        return node
    is_print = isinstance(node.func, ast.Name) and node.func.id == "print" and not context.is_own("print")
    if is_print:
        node.args, printed = [], [text.rewrite_printed(one, context) for one in node.args]
    node = context.generic_visit(node)
    node.args = printed if is_print else node.args
    operator = "act" if getattr(node, "is_dropped", False) else "call"
    node.func = at(context.operator(operator, node.func, like=node.func), node.func)
    return node


def rewrite_statement(node, context):
    """An expression that stands for itself: a call is there for its effect alone."""
    if isinstance(node.value, ast.Call):
        node.value.is_dropped = True
    return context.generic_visit(node)


def _number(f, instead):
    def convert(*args, **keywords):
        for x in args[:1]:
            reads.met(x, f.__name__)
            if f is not complex and current.b.kind_of_number(x) in (bool, int, float):
                return current.b.converted_number(f, x)
            if current.b.is_traced(x):
                raise laws.refusal("host_number", method=f.__name__, a=trees.described(x), instead=instead)
        return f(*args, **keywords)

    return convert


def _over_elements(f, word, instead):
    """sum, min and similar builtins: they apply the operator `word` to each element, in Python; traced tensors are refused."""
    def reduce(*args, **keywords):
        operands = args if len(args) > 1 and f in (min, max) else args[:1]
        for x in operands:
            reads.met(x, "iter")
            elements = x if isinstance(x, (list, tuple)) and f is not sum else ()
            for suspect in (x, *elements):
                if current.b.is_traced(suspect):
                    raise laws.refusal("host_number", method=f.__name__, a=trees.described(suspect), instead=instead)
        if keywords.get("key") is not None:
            keywords["key"] = call(keywords["key"])
        if len(args) > 1 and f in (min, max):
            reads.met_elements(args, word)
        elif args:
            args = (reads.met_elements(args[0], word), *(reads.met(x, word) for x in args[1:]))
        return f(*args, **keywords)

    return reduce


def _extreme(f, is_better, instead):
    """min and max, also of numbers that the graph computes."""
    refusing = _over_elements(f, "lt", instead)

    def chosen(*args, **keywords):
        numbers = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if keywords or not any(map(current.b.is_traced, numbers)) or None in map(trees.kind_of, numbers):
            return refusing(*args, **keywords)
        site, best = Site("expression", laws.here()), numbers[0]
        for x in numbers[1:]:
            best = if_expression(is_better(x, best), lambda: x, lambda: best, site)  # noqa: B023
        return best

    return chosen


def _over_calls(f):
    """map and filter, which call the user's function later."""
    def lazily(function, *iterables):
        for x in iterables:
            reads.met(x, "iter")
        if function is None:
            iterables = [reads.met_elements(x, "bool") for x in iterables]
        return fresh(f(None if function is None else call(function), *iterables))

    return lazily


def _reduce(function, iterable, *initial):
    """functools.reduce, which calls the user's function, or applies an operator to the elements."""
    name = getattr(function, "__name__", "").strip("_") if getattr(function, "__module__", None) == "_operator" else "iter"
    return functools.reduce(call(function), reads.met_elements(reads.met(iterable, "iter"), name), *initial)


def _getter(f):
    """A replacement for an operator.attrgetter or methodcaller whose attribute reads are recorded, as those of user code are."""
    _, arguments, *_ = f.__reduce__()
    if type(f) is operator.attrgetter:
        def get(owner):
            found = [reads.read_path(owner, path) for path in arguments]
            return found[0] if len(found) == 1 else tuple(found)

        return get
    if f.__reduce__()[0] is not operator.methodcaller:  # it has keywords
        return f
    name, *args = arguments
    return lambda owner: call(reads.read(owner, name))(*args)


# Builtins that mean something else, or nothing, for traced values.
_BUILTINS = {
    print: print_, range: iterables.range_, enumerate: iterables.enumerate_, zip: iterables.zip_,
    int: _number(int, "x.astype(wf.int64)"), float: _number(float, "x.astype(wf.float32)"),
    bool: _number(bool, "x != 0"), complex: _number(complex, "x.astype(wf.complex64)"),
    sum: _over_elements(sum, "add", "wf.sum(x)"), any: _over_elements(any, "bool", "wf.any(x)"),
    all: _over_elements(all, "bool", "wf.all(x)"),
    min: _extreme(min, operator.lt, "wf.minimum(a, b) or wf.min(x)"),
    max: _extreme(max, operator.gt, "wf.maximum(a, b) or wf.max(x)"),
    sorted: _over_elements(sorted, "lt", "wf.sort(x)"), functools.reduce: _reduce,
    map: _over_calls(map), filter: _over_calls(filter), str: text.text_of, format: text.format_of,
    getattr: reads.read_attribute, hasattr: reads.has_attribute, vars: reads.variables_of, globals: reads.module_variables,
}


def act(f):
    """What to call instead of f, where its result is dropped."""
    if regions.stack and f is not print:
        acting.refuse_dropped(f)
    return call(f)


def call(f):
    """What to call instead of f."""
    kind = type(f)
    if regions.stack:
        acting.refuse_acting(f)
    if kind is FunctionType:
        new = conversion.converted(f)
        return new if new is not f else _unrewritten(f)
    if kind is MethodType:
        new = conversion.converted_method(f)
        return new if new is not f else _unrewritten(f)
    if kind is BuiltinFunctionType or isinstance(f, type):
        try:
            instead = _BUILTINS.get(f)
        except TypeError:  # a class whose metaclass makes it unhashable
            instead = None
        if instead is not None:
            return instead
        if text.is_format(f):
            return text.checked_format(f)
        if isinstance(f, type) and _has_own_init(f):
            return functools.partial(_made, f)
        if type(vars(f).get("__post_init__") if isinstance(f, type) else None) is FunctionType:
            reads.entered(f.__post_init__, False)  # of a dataclass, whose `__init__` has no source
        run = effects.guarded(f) if regions.stack else f
        return effects.watched(f, run) if reads.watching.watcher is not None else run
    if kind is functools.partial:
        reads.bound(f)
        return functools.partial(call(f.func), *f.args, **f.keywords)
    if kind in (operator.attrgetter, operator.methodcaller) and reads.watching.watcher is not None:
        return _getter(f)
    new = conversion.converted_object(f)
    module = kind.__module__
    is_ours = not isinstance(module, str) or module.partition(".")[0] in ("weft", current.b.package)  # ops have their own each
    return new if new is not f or is_ours else _unrewritten(f)


def _has_own_init(kind):
    """Whether objects of a class are made by type's own call, with an `__init__` that is rewritten."""
    init = kind.__init__
    if type(kind) is not type or type(init) is not FunctionType or issubclass(kind, BaseException):
        return False
    return not conversion.is_left_alone(init) and conversion.why_not(init) is None


def _made(kind, /, *args, **keywords):
    """An object of a user's class, made here: its `__init__` may change it."""
    thing = kind.__new__(kind) if kind.__new__ is object.__new__ else kind.__new__(kind, *args, **keywords)
    if isinstance(thing, kind):
        conversion.converted(kind.__init__, fresh(thing))(thing, *args, **keywords)
    return thing


# Functions that look at the frames below them: nothing may stand between.
_SEE_FRAMES = {"warnings", "inspect", "sys", "traceback", "logging"}


def _unrewritten(f):
    """A function that runs as it is, such as a generator: what it is called with tells what it may read."""
    watcher = reads.watching.watcher
    module = getattr(f, "__module__", None) or ""
    inner, run = getattr(f, "__func__", f), f
    if regions.stack and not (type(inner) is FunctionType and conversion.is_rewritten(inner)):
        run = _checked(f, effects.fenced(f))
    if watcher is None or module.partition(".")[0] in _SEE_FRAMES:
        return run
    if type(inner) is FunctionType and (conversion.is_rewritten(inner) or conversion.package_of(inner) == "weft"):
        return run
    if effects.is_random(getattr(f, "__self__", None)) or effects.is_of_the_moment(f):
        return effects.watched(f, run)

    def call(*args, **keywords):
        watcher.called(f, args, keywords)
        out = run(*args, **keywords)
        if sys.getrefcount(out) == 2:
            watcher.given(out)
        return out

    return call


def _checked(f, run):
    """`run`, in a region, which is what to call instead of f."""
    if run is f:
        return f

    def call(*args, **keywords):
        unrewritten.refuse(f, args, keywords)
        return run(*args, **keywords)

    return call
