"""`a < b < c`: Python asks for the truth of `a < b`, so a chain is an `and` whose middle is evaluated once."""

import ast
import operator

from ..building import at, constant, thunk
from ..names import has_walrus, is_pure
from ..reads import met, met_elements
from ..sites import Site
from .. import laws, trees
from ..backend import current
from .logical import and_

_OPERATORS = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne", ast.Is: "is_",
              ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not in"}


def rewrite(node, context):
    if len(node.ops) == 1:
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return _membership(node, context)
        return context.generic_visit(node)
    if any(map(has_walrus, node.comparators)):
        return context.generic_visit(node)  # a lambda would keep the variable to itself; Python asks for the truth
    site = context.site(Site("comparison", context.place(node), is_pure=all(map(is_pure, node.comparators))))
    words = [constant(_OPERATORS[type(op)], node) for op in node.ops]
    first, *others = [context.visit(comparator) for comparator in node.comparators]
    rest = ast.Tuple([ast.Tuple([word, thunk(value, value)], ast.Load()) for word, value in zip(words[1:], others)],
                     ast.Load())
    return context.operator("chain", context.visit(node.left), words[0], first, at(rest, node), site, like=node)


def _membership(node, context):
    left, right = context.visit(node.left), context.visit(node.comparators[0])
    return context.operator("compared", left, constant(_OPERATORS[type(node.ops[0])], node), right, like=node)


def chain(left, word, right, rest, site):
    first = compared(left, word, right)
    if not rest:
        return first
    (following, value), *others = rest
    return and_(first, lambda: chain(right, following, value(), others, site), site)


def compared(left, word, right):
    """One comparison. `in` asks each element for the truth of ==, so it is refused where an answer would be traced."""
    if word not in ("in", "not in"):
        return getattr(operator, word)(met(left, word), met(right, word))
    suspects = [left, right, *(right if isinstance(right, (list, tuple)) else ())]
    for x in suspects:
        if current.b.is_traced(x):
            raise laws.refusal("contains", a=trees.described(x))
    met(right, "contains")
    met_elements(right if isinstance(right, (list, tuple)) else (), "eq")
    met(left, "key")
    return left in right if word == "in" else left not in right
