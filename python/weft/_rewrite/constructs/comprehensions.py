"""Comprehensions stay Python's. They run over the elements of a traced tensor, but a traced filter is refused.

Lists, dicts and sets that the user writes are marked as made in the running region: to change them there is no effect.
"""

import ast

from ..building import at, constant
from ..reads import met
from ..staging import fresh
from .. import laws, trees
from ..backend import current
from . import iterables
from .truth import refuse_traced

_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


def rewrite(node, context):
    for generator in node.generators:
        site = context.simple_site("comprehension", node)
        generator.ifs = [context.operator("plain", context.visit(test), constant("filter", test), site, like=test)
                         for test in generator.ifs]
        if not generator.is_async:
            generator.iter = context.operator("iterated", context.visit(generator.iter), site, like=generator.iter)
        generator.target = context.visit(generator.target)
    for part in ("elt", "key", "value"):
        if hasattr(node, part):
            setattr(node, part, context.visit(getattr(node, part)))
    return node if isinstance(node, ast.GeneratorExp) else _marked(node, context)


def rewrite_display(node, context):
    node = context.generic_visit(node)
    return node if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) else _marked(node, context)


def _marked(node, context):
    return at(context.operator("fresh", node, like=node), node)


def iterated(iterable, site):
    """What a comprehension runs over: the elements of a traced tensor, if their number is known."""
    steps = iterables.steps_of(met(iterable, "iter"), site)
    if steps is None:
        return iterable
    if not (isinstance(steps, iterables.TensorSteps) and steps.decide()):
        of = current.b.as_tensor(steps.stop) if isinstance(steps, iterables.RangeSteps) else steps.xs[0]
        raise laws.refusal("comprehension", site.place, construct=site.construct, a=trees.described(of))
    return iterables.unrolled(steps)


plain = refuse_traced
__all__ = ["fresh", "iterated", "plain", "rewrite", "rewrite_display"]
