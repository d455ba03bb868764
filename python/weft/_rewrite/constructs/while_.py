"""`while`: the test and the body become functions. Python runs them until the test is traced; then the rest is one loop.

    while x < n:           def body():
        x = x * 2              nonlocal x
                               x = x * 2
                           while_(lambda: x < n, body, site)
"""

import ast

from ..backend import current
from ..building import at, load, thunk
from ..looping import repeat
from ..names import has_walrus, is_never_traced, is_pure
from ..reads import met
from ..scope import Scope
from ..staging import in_python, region, regions
from . import lists
from .truth import predicate


def rewrite(node, context):
    if is_never_traced(node.test) and not isinstance(node.test, ast.Constant):
        return context.generic_visit(node)
    site = context.carrying_site("while", node, node.test, *node.body, is_pure=is_pure(node.test),
                                 appended=lists.appended(node.body))
    body = context.loop_body(node, node.body)
    definitions = [body]
    if has_walrus(node.test):  # a lambda would keep the variable to itself
        asked = context.branch("test", [at(ast.Return(node.test), node.test)], node.test)
        definitions.append(asked)
        test = load(asked.name, node)
    else:
        test = thunk(context.visit(node.test), node.test)
    call = at(ast.Expr(context.operator("while_", test, load(body.name, node), site, like=node.test)), node)
    return [*definitions, call]


def while_(test, body, site):
    if not regions.stack:
        first = _in_python(test, body)
    else:
        with in_python():
            first = _in_python(test, body)
    if first is not None:
        stage(first, test, body, Scope(site.modified, body, test), site)


def _in_python(test, body):
    """Runs the loop for as long as its test is a Python value; gives the first one that is traced."""
    while True:
        flag = test()
        if current.b.is_traced(flag):
            return flag
        if not met(flag, "bool"):
            return None
        body()


def stage(first, test, body, scope, site):
    """The loop from here on. `first` is the test's first value: a test with effects is not evaluated once more for it."""
    b = current.b

    def asked():
        flag = test()
        return predicate(flag, site) if b.is_traced(flag) else b.as_tensor(bool(flag))

    def with_pure_test(carry):
        def holds(tensors):
            with region(site):
                carry.enter(tensors)
                return asked()

        def once(tensors):
            with region(site) as inside, lists.growing(site, body, inside, lists.never):
                carry.enter(tensors)
                body()
                return carry.leave()

        return b.while_loop(holds, once, carry.init)

    def with_carried_test(carry):
        def once(tensors):
            with region(site) as inside, lists.growing(site, body, inside, lists.never):
                carry.enter(tensors[1:])
                body()
                flag = asked()
                return [flag, *carry.leave()]

        return b.while_loop(lambda tensors: tensors[0], once, [start, *carry.init])[1:]

    start = predicate(first, site)
    repeat(scope, site, with_pure_test if site.is_pure else with_carried_test)
