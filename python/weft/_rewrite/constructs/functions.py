"""Nested functions, lambdas and classes: left as they are in the tree; a function is rewritten when it is made.

So it is one mechanism for all functions, and a nested one keeps its cells, which the rewritten function around it shares.
"""

import ast

from ..building import at
from ..conversion import converted
from ..reads import made


def rewrite(node, context):
    """`def f` gets one more decorator, the innermost."""
    node.decorator_list.append(at(ast.Attribute(ast.Name("weft.operators", ast.Load()), "nested", ast.Load()), node))
    return node


def rewrite_lambda(node, context):
    return context.operator("nested", node, like=node)


def leave(node, context):
    return node


def nested(f):
    """A function that rewritten code has just made."""
    made(f)
    return converted(f)
