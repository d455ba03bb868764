"""`if`, `elif`, `else`: each branch becomes a function that assigns the same variables.

    if x > 0:              def then():
        y = x                  nonlocal y
    else:                      y = x
        y = -x             def otherwise():
                               nonlocal y
                               y = -x
                           if_(x > 0, then, otherwise, site)
"""

import ast

from .. import joining
from ..backend import current
from ..building import at, constant, load
from ..names import is_never_traced
from ..reads import met
from ..scope import UNDEFINED, Scope
from ..staging import in_python, regions
from .truth import predicate


def rewrite(node, context):
    if is_never_traced(node.test):
        return context.generic_visit(node)
    site = context.carrying_site("if", node, *node.body, *node.orelse, flags=getattr(node, "flags", ()),
                                 jumps=node.jumps)
    test = context.visit(node.test)
    then = context.branch("then", node.body, node)
    otherwise = context.branch("otherwise", node.orelse, node) if node.orelse else None
    names = [load(then.name, node), load(otherwise.name, node) if otherwise else constant(None, node)]
    call = at(ast.Expr(context.operator("if_", test, *names, site, like=node.test)), node)
    return [then, *([otherwise] if otherwise else []), call]


def if_(test, then, otherwise, site):
    if current.b.is_traced(test):
        stage(test, then, otherwise, Scope(site.modified, then, otherwise), site)
        return
    run = then if met(test, "bool") else otherwise
    if run is not None:
        if regions.stack:
            with in_python():
                run()
        else:
            run()


def stage(test, then, otherwise, scope, site):
    """Traces both branches from the same variables, and gives each variable the value that the graph will choose."""
    before = scope.snapshot()

    def side(run):
        def values():
            scope.restore(before)
            for flag in site.flags:  # a guard knows more of its flags than the graph does
                if run is then:
                    scope.put(flag, False)
                elif len(site.flags) == 1:
                    scope.put(flag, True)
            if run is not None:
                run()
            return {name: scope.get(name) for name in site.state}

        return values

    try:
        found = joining.choose(predicate(test, site), side(then), side(otherwise), site.state, site)
    finally:
        scope.restore(before)
    for name in scope.cells:  # one that nobody wants any more may hold a value of a branch: it goes
        scope.put(name, found.get(name, UNDEFINED))
