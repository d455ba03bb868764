"""`assert`: of a traced condition it becomes a check in the graph. The statement stays, so -O still removes it."""

import copy

from ..backend import current
from ..building import constant, thunk
from ..reads import met
from ..staging import regions
from . import text
from .truth import predicate


def rewrite(node, context):
    site = context.simple_site("assert", node)
    message = thunk(text.rewrite_printed(copy.deepcopy(node.msg), context), node.msg) if node.msg else constant(None, node)
    node.test = context.operator("assert_", context.visit(node.test), message, site, like=node.test)
    if node.msg:
        node.msg = context.operator("said", text.rewrite_printed(node.msg, context), like=node.msg)
    return node


def assert_(test, message, site):
    """The test, for Python to decide by; True if the graph will check it."""
    if not current.b.is_traced(test):
        # A check that fails for sure, but only where the graph runs this branch.
        if not regions.stack or regions.stack[-1].python_depth or met(test, "bool"):
            return test
        test = current.b.as_tensor(False)
    else:
        test = predicate(test, site)
    place = site.place
    pieces = text.written("assertion failed" if message is None else message())
    pieces.append(f"\nat {place.filename}:{place.line}, in {place.function}")
    pattern, values = text.pattern_of(pieces)
    current.b.assert_(test, pattern if values else "".join(pieces), values)
    return True
