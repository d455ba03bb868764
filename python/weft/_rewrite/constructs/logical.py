"""`and`, `or`, `not`: the operands behind the first become functions, so a traced condition is short-circuited too."""

import ast

from .. import joining, trees
from ..backend import current
from ..building import at, constant, thunk
from ..names import has_walrus, is_never_traced, is_pure
from ..reads import met
from ..sites import Site
from .truth import predicate

_VALUE = "weft.operand"


def rewrite(node, context):
    if all(map(is_never_traced, node.values[:-1])):
        return context.generic_visit(node)
    word = "and" if isinstance(node.op, ast.And) else "or"
    if any(map(has_walrus, node.values[1:])):
        site = context.simple_site(word, node)
        *others, last = [context.visit(value) for value in node.values]
        node.values = [context.operator("plain", value, constant("walrus", value), site, like=value) for value in others]
        node.values.append(last)
        return node
    *others, out = node.values
    pure, out = is_pure(out), context.visit(out)
    for value in reversed(others):
        site = context.site(Site(word, context.place(node), is_pure=pure))
        pure = pure and is_pure(value)
        out = context.operator(f"{word}_", context.visit(value), thunk(out, value), site, like=node)
    return out


def rewrite_not(node, context):
    if not isinstance(node.op, ast.Not) or is_never_traced(node.operand):
        return context.generic_visit(node)
    return at(context.operator("not_", context.visit(node.operand), context.simple_site("not", node), like=node), node)


def and_(a, rest, site):
    if not current.b.is_traced(a):
        return met(a, "bool") and rest()
    return _staged(a, rest, site, current.b.logical_and)


def or_(a, rest, site):
    if not current.b.is_traced(a):
        return met(a, "bool") or rest()
    return _staged(a, rest, site, current.b.logical_or)


def not_(a, site=None):
    if not current.b.is_traced(a):
        return not met(a, "bool")
    out = current.b.logical_not(predicate(a, site) if site else current.b.truth(a))
    return out if current.b.kind_of_number(a) is None else current.b.as_number(out)


def _is_flag(x):
    """Whether x is one bool: Python's, a number of the graph, or a scalar of dtype bool."""
    if trees.kind_of(x) is not None or not current.b.is_traced(x):
        return trees.kind_of(x) is bool
    return current.b.truth(x) is x and current.b.shape(x) == ()


def _staged(a, rest, site, join):
    """A choice between two operands; for pure operands of dtype bool the plain operation."""
    pred = predicate(a, site)
    if site.is_pure:
        b = rest()
        if _is_flag(a) and _is_flag(b):
            out = join(pred, current.b.as_tensor(b) if isinstance(b, bool) else current.b.truth(b))
            return out if None in (trees.kind_of(a), trees.kind_of(b)) else current.b.as_number(out)
        rest = lambda: b  # noqa: E731
    sides = (lambda: {_VALUE: rest()}), (lambda: {_VALUE: a})
    if site.kind == "or":
        sides = sides[::-1]
    return joining.choose(pred, *sides, [_VALUE], site)[_VALUE]
