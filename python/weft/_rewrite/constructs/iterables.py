"""What a traced loop can run over: a range with traced bounds, a tensor by its leading axis, enumerate and zip of such."""

from .. import laws, trees
from ..backend import current
from ..reads import met
from ..staging import fresh


def _refuse_walk(self, *_):
    """Python asks a range with traced bounds for what only a run tells."""
    raise laws.refusal("walk", a=f"range with a traced bound, {trees.described(current.b.as_tensor(self.stop))}")


class RangeSteps:
    """range(start, stop, step), where one of the bounds is traced or the loop has to count in the graph."""

    xs, is_empty = (), False
    __iter__ = __len__ = __getitem__ = __contains__ = __reversed__ = _refuse_walk

    def __init__(self, start, stop, step=1):
        b = current.b
        if b.is_traced(step):
            raise laws.refusal("range_step", a=trees.described(step))
        for bound in (start, stop):
            if not self._is_fit(bound):
                raise laws.refusal("range_dtype", a=trees.described(bound))
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self.start, self.stop, self.step = b.number_as_tensor(start, int), b.number_as_tensor(stop, int), step

    @staticmethod
    def _is_fit(bound):
        b = current.b
        if b.is_tensor(bound):
            return b.is_integer(b.dtype(bound)) and b.shape(bound) == ()
        return b.kind_of_number(bound) is int or isinstance(bound, int)

    def first(self):
        return self.start

    def more(self, counter):
        return counter < self.stop if self.step > 0 else counter > self.stop

    def next(self, counter):
        return counter + self.step

    def item(self, counter):
        return current.b.as_number(counter)


class TensorSteps:
    """The elements of tensors side by side. `item_of(elements, counter)` makes the item of them."""

    def __init__(self, xs, item_of, length, counts=False):
        self.xs, self.item_of, self.length = xs, item_of, length
        self.counts = counts  # whether item_of looks at the counter
        self.walked = None  # the items, where Python walks: `list(zip(x, y))`, `next(enumerate(x))`

    def __iter__(self):
        if self.walked is None:
            if not self.decide():
                raise laws.refusal("walk", a=trees.described(self.xs[0]))
            self.walked = unrolled(self)
        return self

    def __next__(self):
        return next(iter(self).walked)

    @property
    def is_empty(self):
        return isinstance(self.length, int) and self.length == 0

    def decide(self):
        """Makes the number of elements known, as len(x) does; whether it is."""
        if not isinstance(self.length, int):
            found = current.b.decided_length(self.xs[0])
            self.length = self.length if found is None else found
        return isinstance(self.length, int)

    def first(self):
        return current.b.number_as_tensor(0, int)

    def more(self, counter):
        return counter < self.length

    def next(self, counter):
        return counter + 1

    def item(self, counter):
        return self.item_of([current.b.element(x, counter) for x in self.xs], counter)


def steps_of(iterable, site=None):
    """The steps of a traced iterable; None for what Python iterates."""
    if isinstance(iterable, (RangeSteps, TensorSteps)):
        return iterable if getattr(iterable, "walked", None) is None else None  # Python has begun, and goes on
    if not current.b.is_traced(iterable):
        return None
    if current.b.shape(iterable) == ():
        raise laws.refusal("iterate_scalar", site and site.place, construct=site.construct if site else "this",
                           a=trees.described(iterable))
    return TensorSteps([iterable], lambda elements, counter: elements[0], current.b.length(iterable))


def range_(*bounds):
    """`range`, also of traced bounds."""
    if not any(map(current.b.is_traced, bounds)):
        return range(*[met(bound, "index") for bound in bounds])
    return RangeSteps(0, *bounds) if len(bounds) == 1 else RangeSteps(*bounds)


def enumerate_(iterable, start=0):
    """`enumerate`, also of a traced tensor."""
    steps = steps_of(met(iterable, "iter"))
    if not isinstance(steps, TensorSteps):
        return fresh(enumerate(iterable, start))

    def item_of(elements, counter):
        number = counter if isinstance(counter, int) else current.b.as_number(counter)
        return number + start, steps.item_of(elements, counter)

    return fresh(TensorSteps(steps.xs, item_of, steps.length, counts=True))


def zip_(*iterables, strict=False):
    """`zip`, also of traced tensors. Python iterables beside them are walked in Python, element by element."""
    steps = [steps_of(met(iterable, "iter")) for iterable in iterables]
    if not any(isinstance(one, TensorSteps) for one in steps):
        return fresh(zip(*iterables, strict=strict))
    for one, iterable in zip(steps, iterables):
        if one is not None and not (isinstance(one, TensorSteps) and one.decide()):
            shape = current.b.shape(one.xs[0]) if one.xs else ()
            raise laws.refusal("zip_length", a=list(shape))
    if None in steps or strict and len({one.length for one in steps}) > 1:
        known = (iterable if one is None else unrolled(one) for one, iterable in zip(steps, iterables))
        return fresh(zip(*known, strict=strict))
    length, counts = min(one.length for one in steps), [len(one.xs) for one in steps]

    def item_of(elements, counter):
        elements = iter(elements)
        return tuple(one.item_of([next(elements) for _ in range(n)], counter) for one, n in zip(steps, counts))

    xs = [x if one.length == length else x[:length] for one in steps for x in one.xs]
    return fresh(TensorSteps(xs, item_of, length, any(one.counts for one in steps)))


def unrolled(iterable):
    """A traced iterable of known length as its elements; what Python iterates as it is."""
    steps = steps_of(iterable)
    if steps is None:
        return iterable
    return (steps.item(counter) for counter in range(steps.length))
