"""Which functions are rewritten, and the memory of those that were."""

import operator
import os
import sysconfig
import weakref
from types import FunctionType, MethodType

from .backend import current
from .errors import NotRewritable
from .reads import entered

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = tuple(os.path.normpath(sysconfig.get_path(word)) + os.sep for word in ("stdlib", "platstdlib"))
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_MARK, _MEMORY = "__weft_do_not_rewrite__", "__weft_rewritten__"

_templates = {}  # id of a code object -> (a weak reference to it, its template or the reason why there is none)
_results = {}  # id of a rewritten code object -> (a weak reference to it,)
_asked_for = set()  # installed packages, one of whose functions was given to rewrite() itself


def do_not_rewrite(f):
    """Marks a function to be left as it is."""
    memory = f.__dict__.get(_MEMORY)
    if memory is not None and memory[1] is f:
        f = memory[0]  # a nested function was rewritten before its decorators saw it
    f.__dict__.pop(_MEMORY, None)
    setattr(f, _MARK, True)
    return f


def is_rewritten(f):
    """Whether a function is the result of a rewrite."""
    known = _results.get(id(f.__code__))
    return known is not None and known[0]() is f.__code__


def is_left_alone(f):
    """Whether calls leave a function as it is: of the standard library, NumPy, Weft, installed packages, or marked."""
    if is_layer(f):
        return bool(f.__dict__.get(_MARK)) or is_rewritten(f)
    if package_of(f) in (current.b.package, "weft", "numpy") or f.__dict__.get(_MARK) or is_rewritten(f):
        return True
    filename = f.__code__.co_filename
    if filename.startswith(("<frozen", _HERE)):
        return True
    return is_installed(f) if any(word in filename for word in _INSTALLED) else filename.startswith(_STANDARD)


def is_layer(f):
    """Whether a function belongs to the modules of weft.nn: they are written as users write theirs, and what they read,
    such as self.training, is checked as theirs is."""
    return (f.__module__ or "").startswith("weft.nn.")


def is_library_file(path):
    """Whether a file belongs to the standard library or an installed package."""
    return path.startswith(("<frozen", *_STANDARD)) or any(word in path for word in _INSTALLED)


def is_ours(path):
    """Whether a file belongs to Weft."""
    return path.startswith(_HERE)


def is_others(path):
    """Whether a file belongs to Weft, the standard library or an installed package, and so to no user."""
    return is_ours(path) or is_library_file(path)


def is_installed(f):
    """Whether a function belongs to an installed package that nobody has asked for."""
    installed = any(word in f.__code__.co_filename for word in _INSTALLED)
    return installed and package_of(f) not in ("weft", "numpy", *_asked_for) and not f.__dict__.get(_MARK)


def package_of(f):
    return (f.__module__ or "").partition(".")[0]


def converted(f, owner=None):
    """The rewritten form of a function that is called, or the function itself; `owner` is what it is bound to."""
    memory = f.__dict__.get(_MEMORY)
    if memory is not None and memory[0] is f and all(map(operator.is_, memory[1:4], (f.__code__, f.__defaults__, f.__kwdefaults__))):
        entered(f, memory[4] is not f, owner)
        return memory[4]
    if is_left_alone(f):
        if f.__dict__.get(_MARK) and not is_layer(f):
            entered(f, False, owner)
        return _with_rewritten_arguments(f) if package_of(f) == current.b.package else f
    new = rewritten_function(f)
    entered(f, new is not f, owner)
    return new


def rewritten_function(f):
    """The rewritten form of a function, wherever it comes from; itself if there is none."""
    if is_rewritten(f):
        return f
    template = _template(f)
    new = f
    if not isinstance(template, NotRewritable):
        new = template.instantiate(f)
        setattr(new, _MEMORY, (f, new))
    setattr(f, _MEMORY, (f, f.__code__, f.__defaults__, f.__kwdefaults__, new))
    return new


def _template(f):
    code = f.__code__
    known = _templates.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    from .rewriting import rewritten  # late: its operators call functions, which come here
    try:
        found = rewritten(f)
        _remember(_results, found.code)
    except NotRewritable as reason:
        found = reason
    _remember(_templates, code, found)
    return found


def _remember(table, code, *what):
    """Puts a row in a table for as long as the code lives. By identity: equal code may stand in two files."""
    def forget(_, drop=table.pop, key=id(code)):  # at exit the module's names may be gone
        drop(key, None)

    table[id(code)] = weakref.ref(code, forget), *what


def why_not(f):
    """Why a function is left as it is, or None if it is rewritten."""
    f = getattr(f, "__func__", f)
    if not isinstance(f, FunctionType):
        return "it is not a Python function"
    if f.__dict__.get(_MARK):
        return "it is marked with do_not_rewrite"
    template = None if is_rewritten(f) else _template(f)
    return str(template) if isinstance(template, NotRewritable) else None


def why_left(code):
    """Why the function of a code object was left as it is when it was called, or None."""
    known = _templates.get(id(code))
    is_known = known is not None and known[0]() is code
    return str(known[1]) if is_known and isinstance(known[1], NotRewritable) else None


def ask_for(f):
    """Remembers that a user wants the functions of f's package rewritten, though it is an installed one."""
    _asked_for.add(package_of(f))


def converted_method(method):
    f = method.__func__
    if type(f) is not FunctionType:
        return method
    new = converted(f, method.__self__)
    return method if new is f else MethodType(new, method.__self__)


def converted_object(thing):
    """A callable object of a user's class, with its `__call__` rewritten."""
    f = getattr(type(thing), "__call__", None)
    if type(f) is not FunctionType or is_left_alone(f):
        return thing
    return MethodType(converted(f, thing), thing)


def _with_rewritten_arguments(f):
    """A function of the framework, such as grad or vmap, that is given the user's functions rewritten."""
    def given(x):
        kind = type(x)
        if kind is FunctionType:
            return x if is_left_alone(x) else converted(x)
        return converted_method(x) if kind is MethodType else x

    def call(*args, **keywords):
        return f(*map(given, args), **{word: given(value) for word, value in keywords.items()})

    return call
