"""Lists that grow in a loop: `out.append(v)`, or `extend`, in a traced `for` becomes a stacked output of the scan.

While the body is traced, the variable holds a `Growing` in the list's place, which only takes appends. After the loop the
list gets its slices, so it is an ordinary Python list again.
"""

import ast
import contextlib

from .. import laws, trees
from ..backend import current
from ..names import Names
from ..scope import Scope
from ..staging import regions
from .effects import guarded


def appended(body):
    """The variables whose `append` or `extend` the statements call, and which they do not assign."""
    names = Names(*body)
    found = {node.func.value.id for statement in body for node in ast.walk(statement)
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend")
             and isinstance(node.func.value, ast.Name)}
    return tuple(sorted(found - names.stores))


class Growing:
    """Stands for a list in a region. It takes values, once and for all iterations, and is never read."""

    def __init__(self, target, region, decide):
        self.target, self.region, self.decide, self.values = target, region, decide, []

    def append(self, value):
        running = regions.stack[-1]
        if running is not self.region:
            raise laws.refusal("list_branch", construct=self.region.construct)
        if not self.decide():
            raise laws.refusal("list_length", construct=self.region.construct)
        self.values.append(value)

    def extend(self, values):
        if current.b.is_traced(values):
            raise laws.refusal("list_read", construct=self.region.construct, method="extend")
        for value in values:
            self.append(value)

    def __getattr__(self, name):
        raise laws.refusal("list_read", construct=self.region.construct, method=name)

    def _read(name):
        def refuse(self, *args):
            raise laws.refusal("list_read", construct=self.region.construct, method=name)

        return refuse

    __len__, __iter__, __getitem__, __setitem__ = map(_read, ("len", "for", "[]", "[]="))
    __contains__, __bool__, __add__, __iadd__ = map(_read, ("in", "bool", "+", "+="))


def never():
    """Of a loop whose length nothing tells."""
    return False


@contextlib.contextmanager
def growing(site, body, region, decide):
    """Puts a Growing in the place of every list that the body appends to; gives those. `decide` makes the length known."""
    scope = Scope(site.appended, body)
    before = {name: value for name, value in scope.snapshot().items() if isinstance(value, (list, Growing))}
    records = {id(value): Growing(value, region, decide) for value in before.values()}
    for name, value in before.items():
        scope.put(name, records[id(value)])
    try:
        yield list(records.values())
    finally:
        scope.restore(before)


def as_tensor(leaf):
    """What was appended, as a row of the output that holds all."""
    kind = trees.kind_of(leaf)
    return current.b.number_as_tensor(leaf, kind) if kind else current.b.as_tensor(leaf)


def _element(leaf, output, k):
    row = current.b.element(output, k)
    return current.b.as_number(row) if trees.kind_of(leaf) else row


def extend(grown, stacked, length):
    """Appends the slices of the stacked outputs to the lists that they were appended to in the loop."""
    stacked = iter(stacked)
    rows = [(target, form, [(leaf, next(stacked)) for leaf in leaves]) for target, leaves, form in grown]
    for target, form, outputs in rows:
        append = guarded(target.append) if regions.stack and isinstance(target, list) else target.append
        for k in range(length):
            for value in trees.rebuild(form, [_element(leaf, output, k) for leaf, output in outputs]):
                append(value)
