"""Batches of tensors in memory, in an order that can be taken up again."""

import functools

from .. import _core, _ops, _tree, random

_take = _ops.op("", "take")


class Rows:
    """Trees of tensors with an example in each row, given out in batches."""

    def __init__(self, x, y, batch_size, who):
        if not isinstance(batch_size, int) or batch_size < 1:
            raise _core.InvalidError(f"{who}: batch_size is {batch_size!r:.60}; it is 1 or more [{who}.batch_size]")
        self._leaves, self._form = _tree.flatten((x, y))
        self._leaves = [_core._tensor(leaf, None, who, "x") for leaf in self._leaves]
        if not self._leaves or any(not leaf.shape for leaf in self._leaves):
            raise _core.InvalidError(f"{who}: x and y need an example in each row [{who}.rows]")
        self.count = self._leaves[0].shape[0]
        for leaf in self._leaves:
            if leaf.shape[0] != self.count:
                raise _core.InvalidError(f"{who}: there are {self.count} rows in x, but {leaf.shape[0]} in another part; each row is "
                                         f"one example [{who}.rows]")
        self._batch_size = batch_size

    def __len__(self):
        return -(-self.count // self._batch_size)

    def split(self, part):
        """The first rows, and the last `part` of them."""
        kept = self.count - int(self.count * part)
        return self._of(slice(0, kept)), self._of(slice(kept, self.count))

    def _of(self, rows):
        x, y = _tree.unflatten(self._form, [leaf[rows] for leaf in self._leaves])
        return Rows(x, y, self._batch_size, "fit")

    def order(self, key):
        """The order of an epoch: that of the rows, or one drawn from a key."""
        return None if key is None else random.permutation(key, self.count)

    def batches(self, order, first=0):
        """(x, y, a function that gives the numbers of the rows) of each batch from the `first` one on."""
        ahead = None if order is None else _core._Dataset._row_batches(self._leaves, order, self._batch_size, first)
        gathered = None if ahead is None else iter(ahead)
        for k in range(first, len(self)):
            rows = slice(k * self._batch_size, min((k + 1) * self._batch_size, self.count))
            if order is None:
                parts, numbers = [leaf[rows] for leaf in self._leaves], functools.partial(range, rows.start, rows.stop)
            else:
                numbers = functools.partial(order.__getitem__, rows)
                parts = [_take(leaf, numbers(), axis=0) for leaf in self._leaves] if gathered is None else next(gathered)
            x, y = _tree.unflatten(self._form, parts)
            yield x, y, numbers


def count_of(x):
    """How many examples are in a batch."""
    return next(leaf.shape[0] for leaf in _tree.flatten(x)[0] if isinstance(leaf, _core.Tensor) and leaf.shape)


def is_dataset(x):
    """Whether x gives batches by itself: a wf.data.Dataset, or any iterable that is no array and no container of arrays."""
    return hasattr(x, "__iter__") and not isinstance(x, (_core.Tensor, list, tuple, dict)) and not hasattr(x, "__array__")


def length_of(source):
    """How many batches a source has, or None: a dataset has a `__len__` that raises if it does not know."""
    try:
        return len(source)
    except TypeError:
        return None


def pair_of(item, who):
    """(x, y) of what a dataset gives."""
    if isinstance(item, tuple) and len(item) == 2:
        x, y = item
    else:
        x, y = item, None
    def tensors(tree):
        if isinstance(tree, _core.Tensor):
            return tree
        leaves, form = _tree.flatten(tree)
        return _tree.unflatten(form, [_core._tensor(leaf, None, who, "x") for leaf in leaves])

    return tensors(x), tensors(y)
