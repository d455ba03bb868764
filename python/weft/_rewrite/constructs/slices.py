"""`x[a:b]`: where it is cut tells its size, so the bounds are numbers that Python knows."""

import ast

from .. import laws, trees
from ..backend import current
from ..building import constant


def rewrite(node, context):
    node = context.generic_visit(node)
    bounds = node.lower, node.upper, node.step
    if all(bound is None or _is_literal(bound) for bound in bounds):
        return node
    return context.operator("bounds", *(constant(None, node) if bound is None else bound for bound in bounds), like=node)


def _is_literal(bound):
    return isinstance(bound.operand if isinstance(bound, ast.UnaryOp) else bound, ast.Constant)


def bounds(*given):
    """The slice, unless the graph decides where it is cut."""
    for bound in given:
        if current.b.is_traced(bound):
            raise laws.refusal("slice", a=trees.described(bound))
    return slice(*given)
