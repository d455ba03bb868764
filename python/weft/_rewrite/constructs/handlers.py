"""`try` and `with`: handlers of the user's take what Python raised, never what a trace did.

    except E:              except caught(E):
    with m as x:           with managed(m) as x:

A branch or loop body is traced whether it will run or not. So what is raised in it says nothing about the run, and a handler
around it would put its own value into the graph. Errors of the tracer itself are not the handler's business either.
"""

import ast
import sys

from .. import laws, staging
from ..backend import current
from ..building import at, load
from ..reads import met


def rewrite_try(node, context):
    if not node.handlers:
        return context.generic_visit(node)
    context.handlers += 1  # a `raise` in here is between the user and the handlers
    node.body = context.block(node.body)
    context.handlers -= 1
    for handler in node.handlers:
        handler.body = context.block(handler.body)
        if handler.type is None:
            handler.type = load("BaseException", handler)
            handler.type.end_lineno = handler.lineno
        kinds = context.visit(handler.type)
        handler.type = context.operator("caught", kinds, like=kinds)
    node.orelse, node.finalbody = context.block(node.orelse), context.block(node.finalbody)
    return node


def rewrite_with(node, context):
    for item in node.items:
        item.context_expr = context.operator("managed", context.visit(item.context_expr), like=item.context_expr)
        if item.optional_vars is not None:
            item.optional_vars = context.visit(item.optional_vars)
    node.body = context.block(node.body)
    return at(node, node)


def caught(kinds):
    """The exceptions that a handler takes, of which one may be about to be taken."""
    error = sys.exc_info()[1]
    return () if _is_ours(error, lambda: isinstance(error, kinds)) else kinds


def managed(manager):
    """A context manager that cannot swallow what it must not see."""
    kind = type(met(manager, "with"))
    return _Managed(manager) if hasattr(kind, "__enter__") and hasattr(kind, "__exit__") else manager


class _Managed:
    def __init__(self, manager):
        self.manager = manager

    def __enter__(self):
        return type(self.manager).__enter__(self.manager)

    def __exit__(self, kind, error, trace):
        swallows = type(self.manager).__exit__(self.manager, kind, error, trace)
        return swallows and not _is_ours(error, lambda: True)


def _is_ours(error, is_wanted):
    """Whether an exception passes all handlers; refuses one that left a traced construct and that a handler wants."""
    if error is None:
        return False
    if isinstance(error, (laws.Refused, staging.Retry)) or current.b.is_refusal(error):
        return True
    construct = staging.left(error)
    if construct is not None and is_wanted():
        raise laws.refusal("try", construct=construct, a=f"{error!r:.80}") from error
    return False
