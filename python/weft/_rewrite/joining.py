"""Joins what two traced branches give: one value per variable, of one form, one dtype and one shape.

Both branches are traced before their results can be compared, and the first cannot see the second. So the first attempt
is a guess, that both give alike, which nearly always holds; where it does not, `Retry` traces again with what was learned.
"""

import functools

from . import laws, staging, trees
from .backend import current
from .scope import UNDEFINED
from .sites import is_internal, shown


class Plan:
    """What earlier attempts taught: dtypes of numbers that are tensors, kinds of those that are not, and variables without a
    value in one branch."""

    def __init__(self):
        self.dropped, self.layouts, self.dtypes, self.kinds = set(), {}, {}, {}

    def drop(self, name):
        self.dropped.add(name)
        raise staging.Retry

    def lay_out(self, name, leaves, form):
        """Gives an internal variable zeros of this layout where it has no value: nobody will read them."""
        self.layouts[name] = Layout(leaves, form)
        raise staging.Retry


class Layout:
    """The form of a value and the types of its leaves; Python numbers stand for themselves, and those of a graph for a zero."""

    def __init__(self, leaves, form):
        self.form, self.leaves = form, list(map(self._kept, leaves))

    @staticmethod
    def _kept(x):
        kind = current.b.kind_of_number(x)
        return x if trees.is_number(x) else kind() if kind else (current.b.shape(x), current.b.dtype(x))

    def filled(self):
        return [x if trees.is_number(x) else current.b.zeros(*x) for x in self.leaves]


def as_tensors(name, leaves, plan):
    """Leaves as tensors; numbers with the dtypes or kinds that were learned."""
    return [_as_tensor(leaf, plan, (name, k)) for k, leaf in enumerate(leaves)]


def _as_tensor(leaf, plan, key):
    kind = trees.kind_of(leaf)
    if kind is None or key in plan.dtypes:
        return current.b.as_tensor(leaf, plan.dtypes.get(key) if kind else None)
    return current.b.number_as_tensor(leaf, plan.kinds.get(key, kind))


def choose(pred, then, otherwise, names, site):
    """The values that `then()` or `otherwise()` give, as a dict from `names`; UNDEFINED where there is none."""
    plan = Plan()
    while True:
        attempt = _Attempt(plan, names, site)
        try:
            out = current.b.cond(pred, functools.partial(attempt.first, then), functools.partial(attempt.second, otherwise))
        except staging.Retry:
            continue
        return attempt.results(out)


class _Attempt:
    def __init__(self, plan, names, site):
        self.plan, self.site = plan, site
        self.names = [name for name in names if name not in plan.dropped]
        self.values, self.sides = ({}, {}), ({}, {})

    def first(self, run):
        return self._trace(run, 0)

    def second(self, run):
        return self._trace(run, 1)

    def _trace(self, run, which):
        with staging.region(self.site):
            self.values[which].update(run())
            for name in self.names:
                value = self.values[which][name]
                self.sides[which][name] = None if value is UNDEFINED else trees.flatten(value)
            for name in self.names:
                if which:
                    self._reconcile(name)
                elif name in self.plan.layouts:
                    layout = self.plan.layouts[name]
                    self.sides[0][name] = layout.filled(), layout.form
            return [x for name in self.names if self.sides[which][name]
                    for x in as_tensors(name, self.sides[which][name][0], self.plan)]

    def _reconcile(self, name):
        """Makes the second side of a variable like the first, or refuses."""
        a, b = self.sides[0][name], self.sides[1][name]
        if a is None or b is None:
            self._one_sided(name, a, b)
            return
        try:
            if a[1] != b[1]:
                self._refuse("if_kind", name, self.values[0][name], self.values[1][name])
            for k, (x, y) in enumerate(zip(a[0], b[0])):
                self._reconcile_leaf(name, k, x, y)
        except laws.Refused:
            gone = [self._has_jumped(name, which) for which in (0, 1)]
            if not any(gone):
                raise
            self._one_sided(name, None if gone[0] else a, None if gone[1] else b)

    def _has_jumped(self, name, which):
        """Whether a branch jumped to where nobody reads this variable."""
        spare = dict(self.site.spare)
        sure = self.site.jumps[which]
        if sure and all(name in spare.get(flag, ()) for flag in sure):
            return True
        return any(self.values[which].get(flag) is True and name in names for flag, names in spare.items())

    def _one_sided(self, name, a, b):
        """A variable with a value on one side, or on none. The other gets zeros if nobody will read them."""
        if a is None and b is None:
            if self.sides[0][name] is not None:
                self.plan.drop(name)
            return
        if not is_internal(name) and not self._has_jumped(name, int(a is not None)):
            if name in self.site.firm:
                raise laws.refusal("if_undefined", self.site.place, name=shown(name), construct=self.site.construct)
            self.plan.drop(name)
        if a is None:
            self.plan.lay_out(name, *b)
        self.sides[1][name] = Layout(*a).filled(), a[1]

    def _reconcile_leaf(self, name, k, x, y):
        b, key = current.b, (name, k)
        kinds = trees.kind_of(x), trees.kind_of(y)
        if None not in kinds:
            if kinds[0] is not kinds[1]:
                if set(kinds) != {int, float} or not all(map(_is_kept, (x, y))):
                    self._refuse("if_dtype", name, x, y)
                self._take(self.plan.kinds, key, float, retry=kinds[0] is int)
            return
        if kinds != (None, None):
            kind, tensor = (kinds[0], y) if kinds[0] else (kinds[1], x)
            if b.shape(tensor) != ():
                self._refuse("if_shape", name, x, y)
            if not b.accepts(b.dtype(tensor), kind()):
                self._refuse("if_dtype", name, x, y)
            self._take(self.plan.dtypes, key, b.dtype(tensor), retry=kinds[0] is not None)
        elif b.dtype(x) != b.dtype(y):
            self._refuse("if_dtype", name, x, y)
        elif b.shape(x) != b.shape(y):
            self._refuse("if_shape", name, x, y)

    @staticmethod
    def _take(learned, key, wanted, retry):
        """A number takes this dtype or kind; if the first branch gave it, the first branch is traced again."""
        known = learned.get(key)
        learned[key] = wanted
        if retry and (known is None or known != wanted):
            raise staging.Retry

    def _refuse(self, label, name, a, b):
        if name not in self.site.firm and not is_internal(name):
            self.plan.drop(name)  # only a nested function knows it, and may never ask
        path, a, b = trees.difference(a, b) if label == "if_kind" else ("", a, b)
        first, second = trees.described_pair(a, b)
        raise laws.refusal(label, self.site.place, name=shown(name, path), construct=self.site.construct, a=first, b=second)

    def results(self, out):
        out, found = iter(out), dict.fromkeys(self.plan.dropped, UNDEFINED)
        for name in self.names:
            a, b = self.sides[0][name], self.sides[1][name]
            if a is None:
                found[name] = UNDEFINED
                continue
            given = [next(out) for _ in a[0]]
            if self.values[0][name] is self.values[1][name]:
                found[name] = self.values[0][name]
            else:
                found[name] = trees.rebuild(a[1], [_chosen(x, y, z) for x, y, z in zip(a[0], b[0], given)])
        return found


def _is_kept(x):
    """Whether a Python int is the same number as a float, which it becomes beside one."""
    return not isinstance(x, int) or abs(x) <= 1 << 53


def _chosen(x, y, z):
    """The leaf after a choice z between x and y. One between numbers goes on as such a number does."""
    if _is_same(x, y):
        return x
    return z if None in (trees.kind_of(x), trees.kind_of(y)) else current.b.as_number(z)


def _is_same(x, y):
    """Whether a leaf needs no choice: the same tensor, or the same Python number (0.0 and -0.0 are two)."""
    return x is y or trees.is_number(x) and type(x) is type(y) and repr(x) == repr(y)
