"""`for`: the body becomes a function of the item. Over a traced range or tensor it is one loop, over the rest Python's.

    for row in x:          def body(item):
        s = s + row            nonlocal row, s
                               row = item
                               s = s + row
                           for_(x, body, None, site)
"""

import ast
import functools

from .. import laws, trees
from ..backend import current
from ..building import at, constant, load, thunk
from ..looping import repeat
from ..reads import met
from ..scope import Scope
from ..staging import in_python, is_fresh, region, regions
from . import if_, iterables, lists
from .logical import not_
from .truth import predicate

_ITEM = "weft.item"


def rewrite(node, context):
    target = at(ast.Assign([node.target], load(_ITEM, node.target)), node.target)
    statements = [target, *node.body]
    site = context.carrying_site("for", node, *statements, appended=lists.appended(node.body),
                                 is_named=isinstance(node.iter, (ast.Name, ast.Attribute, ast.Subscript)))
    body = context.loop_body(node, statements, [_ITEM])
    stop = thunk(context.visit(node.stop), node) if node.stop else constant(None, node)
    call = context.operator("for_", context.visit(node.iter), load(body.name, node), stop, site, like=node.iter)
    return [body, at(ast.Expr(call), node)]


def for_(iterable, body, stop, site):
    steps = iterables.steps_of(met(iterable, "iter"), site)
    if steps is not None:
        stage(steps, body, stop, site)
    elif regions.stack:
        _refuse_shared_iterator(iterable, site)
        with in_python():
            _in_python(iterable, body, stop, site)
    else:
        _in_python(iterable, body, stop, site)


def _in_python(iterable, body, stop, site):
    if stop is None:
        for item in iterable:
            body(item)
        return
    items = iter(iterable)
    for item in items:
        body(item)
        flag = stop()
        if current.b.is_traced(flag):
            _go_on(iterable, items, body, stop, site)
            return
        if flag:
            return


def _refuse_shared_iterator(iterable, site):
    """Refuses to use up an iterator that others can see, where the graph decides whether and how far."""
    if site.is_named and hasattr(iterable, "__next__") and not (regions.stack and is_fresh(iterable)):
        raise laws.refusal("iterator", site.place, construct=site.construct, a=type(iterable).__name__)


def _go_on(iterable, items, body, stop, site):
    """What is left of a Python loop once a traced value can end it: a loop for a range, else one guarded step per item."""
    if isinstance(iterable, range):
        following = next(items, None)
        if following is not None:
            stage(iterables.RangeSteps(following, iterable.stop, iterable.step), body, stop, site)
        return
    _refuse_shared_iterator(iterable, site)
    scope = Scope(site.modified, body, stop)
    for item in items:
        flag = stop()
        if current.b.is_traced(flag):
            if_.stage(not_(flag), functools.partial(body, item), None, scope, site)
        elif flag:
            return
        else:
            body(item)


def stage(steps, body, stop, site):
    """The loop as one node: a scan where every element is visited, else a while loop that counts."""
    if steps.is_empty:
        return
    scope = Scope(site.modified, body, stop)
    if stop is None and steps.xs:
        _scan(steps, body, scope, site)
    else:
        repeat(scope, site, functools.partial(_count, steps, body, stop, site))


def _count(steps, body, stop, site, carry):
    b = current.b

    def holds(tensors):
        more = steps.more(tensors[0])
        if stop is None:
            return more
        with region(site):
            carry.enter(tensors[1:])
            flag = stop()
            flag = predicate(flag, site) if b.is_traced(flag) else b.as_tensor(bool(flag))
            return b.logical_and(more, b.logical_not(flag))

    def once(tensors):
        with region(site) as inside, lists.growing(site, body, inside, lists.never):
            carry.enter(tensors[1:])
            body(steps.item(tensors[0]))
            return [steps.next(tensors[0]), *carry.leave()]

    return b.while_loop(holds, once, [steps.first(), *carry.init])[1:]


def _scan(steps, body, scope, site):
    b, grown, stacked = current.b, [], []

    def attempt(carry):
        counted = [steps.first()] if steps.counts else []

        def once(tensors, elements):
            counter, tensors = (tensors[0], tensors[1:]) if counted else (None, tensors)
            with region(site) as inside, lists.growing(site, body, inside, steps.decide) as records:
                carry.enter(tensors)
                body(steps.item_of(elements, counter))
                grown[:] = [(record.target, *trees.flatten(record.values)) for record in records if record.values]
                outputs = [lists.as_tensor(leaf) for _, leaves, _ in grown for leaf in leaves]
                after = [steps.next(counter)] if counted else []
                return after + carry.leave(), outputs

        final, stacked[:] = b.scan(once, counted + carry.init, steps.xs)
        return final[len(counted):]

    repeat(scope, site, attempt)
    if grown:
        lists.extend(grown, stacked, steps.length)
