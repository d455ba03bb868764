"""What a user's function that is not rewritten would change, told by its source before it runs in a region.

Generators, methods behind operators and functions marked with do_not_rewrite run as they are. What they store in attributes
and items, and what they call for an effect, is found by the name it starts with: a variable of the function's own is its own
business, an argument, a closure or a global is outside, unless it was made in the region.
"""

import ast
import weakref
from types import ModuleType

from .. import asking, conversion, laws, source
from ..backend import current
from ..errors import NotRewritable
from ..names import Names, all_arguments, own_nodes
from ..staging import is_fresh, regions
from . import acting, effects

_found = weakref.WeakKeyDictionary()  # code -> ((line, the name it starts with, further names, whether it is called, text), ...)


def refuse_operator(x, word):
    """Refuses an operator in a region whose methods change what is outside; whether methods of the user's are behind it."""
    methods = () if current.b.is_tensor(x) or current.b.is_place(x) else tuple(asking.methods_asked(type(x), word))
    for method in methods:
        refuse(method, (x,), {})
    return bool(methods)


def refuse(f, args, keywords):
    """Refuses a call in a region of a function that changes what is outside."""
    owner = getattr(f, "__self__", None)
    f, args = (f.__func__, (owner, *args)) if hasattr(f, "__func__") else (f, args)
    f = getattr(f, "__wrapped__", f)  # of contextlib.contextmanager and its like
    code = getattr(f, "__code__", None)
    if code is None or conversion.is_library_file(code.co_filename) or conversion.is_ours(code.co_filename):
        return
    known = {**dict(zip(code.co_varnames[:code.co_argcount], args)), **keywords}
    for line, first, further, is_call, text in _changes_in(f):
        thing = known[first] if first in known else _outer(f, first)
        if is_call and not _acts(thing, further) or not is_call and (is_fresh(thing) or current.b.records(thing, further[0])):
            continue
        raise laws.refusal("host_unrewritten", construct=regions.stack[-1].construct, method=acting.shown(f), line=line, a=text)


def _outer(f, name):
    """The value of a closure or a global, or None."""
    if name in f.__code__.co_freevars:
        try:
            return f.__closure__[f.__code__.co_freevars.index(name)].cell_contents
        except ValueError:  # it is empty
            return None
    return f.__globals__.get(name)


def _acts(thing, further):
    """Whether calling `thing.a.b` is known to have an effect on what is outside of the region."""
    for name in further[:-1]:
        thing = vars(thing).get(name) if hasattr(thing, "__dict__") else None
    if not further:
        return acting.acts(thing) or acting.logs(thing)
    if isinstance(thing, effects.CONTAINERS):
        return further[-1] in effects.CHANGING and not is_fresh(thing)
    found = vars(thing).get(further[-1]) if isinstance(thing, ModuleType) else getattr(type(thing), further[-1], None)
    return found is not None and (acting.acts(found) or acting.logs(found))


def _changes_in(f):
    if f.__code__ not in _found:
        try:
            node = source.find(f.__code__, f.__globals__).node
            _found[f.__code__] = () if isinstance(node, ast.Lambda) else tuple(_changes(node))
        except NotRewritable:
            _found[f.__code__] = ()
    return _found[f.__code__]


def _changes(definition):
    names = Names(*definition.body)
    own = names.stores - names.globals - names.nonlocals - {one.arg for one in all_arguments(definition.args)}
    for node in (node for statement in definition.body for node in own_nodes(statement)):
        is_call = isinstance(node, ast.Call)
        is_store = not is_call and isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        chain = _chain(node.func if is_call else node) if is_call or is_store else ()
        if not chain or chain[0] in own:
            continue
        if is_call or len(chain) > 1 or chain[0] in names.globals | names.nonlocals:
            yield node.lineno, chain[0], chain[1:] or ("",) * is_store, is_call, ast.unparse(node.func if is_call else node)


def _chain(node):
    """The names of `a.b[c].d`, or () if it does not start with a name."""
    found = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        found.append(node.attr if isinstance(node, ast.Attribute) else "[]")
        node = node.value
    return (node.id, *reversed(found)) if isinstance(node, ast.Name) else ()
