"""Carries the variables of a traced loop: each keeps one form, one dtype and one shape from iteration to iteration."""

from . import laws, staging, trees
from .backend import current
from .joining import Plan, as_tensors
from .scope import UNDEFINED
from .sites import is_internal, shown


def repeat(scope, site, attempt):
    """attempt(carry) -> final tensors, again for as long as it learns something; leaves the results in the variables."""
    before, plan = scope.snapshot(), Plan()
    while True:
        try:
            carry = Carry(scope, site, plan)
            final = attempt(carry)
        except staging.Retry:
            scope.restore(before)
            continue
        except BaseException:
            scope.restore(before)
            raise
        carry.enter(final)
        return


class Carry:
    """The variables of a loop as a flat list of tensors, at the beginning, in an iteration and after it."""

    def __init__(self, scope, site, plan):
        self.scope, self.site, self.plan = scope, site, plan
        self.forms, self.first, self.init = {}, {}, []
        for name in site.state:
            if name not in plan.dropped:
                self._begin(name, scope.get(name))

    def _begin(self, name, value):
        if value is not UNDEFINED:
            leaves, form = trees.flatten(value)
        elif name in self.plan.layouts:
            layout = self.plan.layouts[name]
            leaves, form = layout.filled(), layout.form
        elif is_internal(name):
            return  # its layout is learned from the first iteration
        elif name in self.site.firm:
            raise laws.refusal("loop_undefined", self.site.place, name=shown(name), construct=self.site.construct)
        else:
            self.plan.drop(name)
        self.forms[name], self.first[name] = form, (value, leaves)
        self.init += as_tensors(name, leaves, self.plan)

    def enter(self, tensors):
        """Gives the variables the values that an iteration begins with; those that are not carried have none."""
        tensors = iter(tensors)
        for name in self.site.modified:
            if name in self.forms:
                leaves = [self._entered((name, k), x, next(tensors)) for k, x in enumerate(self.first[name][1])]
                self.scope.put(name, trees.rebuild(self.forms[name], leaves))
            else:
                self.scope.put(name, UNDEFINED)

    def _entered(self, key, x, tensor):
        """What began as the number x goes on as a number, unless it has met a dtype."""
        return tensor if trees.kind_of(x) is None or key in self.plan.dtypes else current.b.as_number(tensor)

    def leave(self):
        """The tensors that an iteration ends with, each of the type that it began with."""
        out = []
        for name in self.site.state:
            if name in self.plan.dropped:
                continue
            value = self.scope.get(name)
            if name not in self.forms:
                if value is not UNDEFINED:
                    self.plan.lay_out(name, *trees.flatten(value))
                continue
            out += self._end(name, value)
        return out

    def _end(self, name, value):
        before, leaves = self.first[name]
        if value is UNDEFINED:
            raise laws.refusal("loop_undefined", self.site.place, name=shown(name), construct=self.site.construct)
        after, form = trees.flatten(value)
        if form != self.forms[name]:
            self._refuse("loop_kind", name, before, value)
        return [self._end_leaf(name, k, x, y) for k, (x, y) in enumerate(zip(leaves, after))]

    def _end_leaf(self, name, k, x, y):
        """A leaf after an iteration, as a tensor of the type that it had before. A number takes the type it meets."""
        b, key, kind, after = current.b, (name, k), trees.kind_of(x), trees.kind_of(y)
        known = self.plan.dtypes.get(key)
        if kind and known is None:
            return self._end_number(name, key, x, y)
        carried, shape = known if known is not None else b.dtype(x), () if kind else b.shape(x)
        if after and b.accepts(carried, after()):
            if shape != ():
                self._refuse("loop_shape", name, x, y)
            return b.as_tensor(y, carried)
        if after or b.dtype(y) != carried:
            self._refuse("loop_dtype", name, x, y)
        if b.shape(y) != shape:
            self._refuse("loop_shape", name, x, y)
        return b.as_tensor(y)

    def _end_number(self, name, key, x, y):
        """What began as a number: if it stays one, of the wider kind of both, and else of the dtype it has met."""
        kind, after = self.plan.kinds.get(key, trees.kind_of(x)), trees.kind_of(y)
        if after is None:
            if not current.b.accepts(current.b.dtype(y), kind()):
                self._refuse("loop_dtype", name, x, y)
            self.plan.dtypes[key] = current.b.dtype(y)
            raise staging.Retry
        joined = trees.joined_kind(kind, after)
        if joined is None:
            self._refuse("loop_dtype", name, x, y)
        if joined is not kind:
            self.plan.kinds[key] = joined
            raise staging.Retry
        return current.b.number_as_tensor(y, kind)

    def _refuse(self, label, name, a, b):
        if name not in self.site.firm and not is_internal(name):
            self.plan.drop(name)
        path, a, b = trees.difference(a, b) if label == "loop_kind" else ("", a, b)
        first, second = trees.described_pair(a, b)
        raise laws.refusal(label, self.site.place, name=shown(name, path), construct=self.site.construct, a=first, b=second)
