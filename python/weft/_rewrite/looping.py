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
                self.scope.put(name, trees.rebuild(self.forms[name], [next(tensors) for _ in self.first[name][1]]))
            else:
                self.scope.put(name, UNDEFINED)

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
        """A leaf after an iteration, as a tensor of the type that it had before. A Python number takes the type it meets."""
        b, key = current.b, (name, k)
        known = self.plan.dtypes.get(key)
        carried = known if known is not None else b.dtype(b.as_tensor(x))
        shape = () if trees.is_number(x) else b.shape(x)
        if trees.is_number(y) and b.accepts(carried, y):
            if shape != ():
                self._refuse("loop_shape", name, x, y)
            return b.as_tensor(y, carried)
        tensor = b.as_tensor(y)
        if b.dtype(tensor) != carried:
            if trees.is_number(x) and known is None and b.accepts(b.dtype(tensor), x):
                self.plan.dtypes[key] = b.dtype(tensor)
                raise staging.Retry
            self._refuse("loop_dtype", name, x, y)
        if b.shape(tensor) != shape:
            self._refuse("loop_shape", name, x, y)
        return tensor

    def _refuse(self, label, name, a, b):
        if name not in self.site.firm and not is_internal(name):
            self.plan.drop(name)
        path, a, b = trees.difference(a, b) if label == "loop_kind" else ("", a, b)
        first, second = trees.described_pair(a, b)
        raise laws.refusal(label, self.site.place, name=shown(name, path), construct=self.site.construct, a=first, b=second)
