"""Statements that stay but need a word: `try` must not swallow refusals, `match` asks for truth, `x: int` is no nonlocal."""

import ast

from .. import laws, staging
from ..building import at, constant, load

# What a user's `except` never gets to see.
Uncatchable = (laws.Refused, staging.Retry)


def rewrite_try(node, context):
    if not node.handlers:
        return context.generic_visit(node)
    context.handlers += 1  # a `raise` in here is between the user and the handlers
    node.body = context.block(node.body)
    node.handlers = [context.generic_visit(handler) for handler in node.handlers]
    context.handlers -= 1
    node.orelse, node.finalbody = context.block(node.orelse), context.block(node.finalbody)
    first = node.handlers[0]
    kinds = ast.Attribute(load("weft.operators", first), "Uncatchable", ast.Load())
    node.handlers.insert(0, at(ast.ExceptHandler(kinds, None, [ast.Raise()]), first))
    return node


def rewrite_match(node, context):
    site = context.simple_site("match", node)
    node.subject = context.operator("plain", context.visit(node.subject), constant("match", node), site, like=node.subject)
    for case in node.cases:
        if case.guard is not None:
            case.guard = context.operator("plain", context.visit(case.guard), constant("match", node), site, like=case.guard)
        case.body = context.block(case.body)
    return node


def rewrite_annotated(node, context):
    if not isinstance(node.target, ast.Name):
        return context.generic_visit(node)
    if node.value is None:
        return at(ast.Pass(), node)
    return at(ast.Assign([node.target], context.visit(node.value)), node)
