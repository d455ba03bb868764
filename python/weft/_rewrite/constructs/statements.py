"""Statements that stay but need a word: `match` asks for truth, `x: int` is no nonlocal."""

import ast

from ..building import at, constant


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
