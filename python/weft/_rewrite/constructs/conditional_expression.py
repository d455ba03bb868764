"""`a if test else b`: both sides become functions, of which a traced test chooses in the graph."""

from .. import joining
from ..backend import current
from ..building import constant, thunk
from ..names import has_walrus, is_never_traced
from ..reads import met
from .truth import predicate

_VALUE = "weft.operand"


def rewrite(node, context):
    if is_never_traced(node.test):
        return context.generic_visit(node)
    site = context.simple_site("expression", node)
    test = context.visit(node.test)
    sides = context.visit(node.body), context.visit(node.orelse)
    if has_walrus(node.body) or has_walrus(node.orelse):
        node.test = context.operator("plain", test, constant("walrus", node), site, like=node.test)
        node.body, node.orelse = sides
        return node
    return context.operator("if_expression", test, *(thunk(side, side) for side in sides), site, like=node)


def if_expression(test, then, otherwise, site):
    if not current.b.is_traced(test):
        return then() if met(test, "bool") else otherwise()
    return joining.choose(predicate(test, site), lambda: {_VALUE: then()}, lambda: {_VALUE: otherwise()}, [_VALUE],
                          site)[_VALUE]
