"""Statements that stay but need a word: `match` asks for truth, `x: int` is no nonlocal."""

import ast

from ..building import at, constant
from ..reads import read_attribute


def rewrite_match(node, context):
    site = context.simple_site("match", node)
    asked = sorted({name for one in ast.walk(node) if isinstance(one, ast.MatchClass) for name in one.kwd_attrs})
    names = at(ast.Tuple([constant(name, node) for name in asked], ast.Load()), node.subject)
    subject = context.operator("matched", context.visit(node.subject), names, like=node.subject)
    node.subject = context.operator("plain", subject, constant("match", node), site, like=node.subject)
    for case in node.cases:
        if case.guard is not None:
            case.guard = context.operator("plain", context.visit(case.guard), constant("match", node), site, like=case.guard)
        case.body = context.block(case.body)
    return node


def matched(subject, names):
    """What a `match` looks at: patterns read these attributes, and those that the class names for them."""
    for name in (*names, *getattr(type(subject), "__match_args__", ())):
        read_attribute(subject, name, None)
    return subject


def rewrite_annotated(node, context):
    if not isinstance(node.target, ast.Name):
        return context.generic_visit(node)
    if node.value is None:
        return at(ast.Pass(), node)
    return at(ast.Assign([node.target], context.visit(node.value)), node)
