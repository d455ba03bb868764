"""Batches of tensors in memory, in an order that can be taken up again."""

import functools

from .. import _core, _ops, _tree, random
from .._hints import brief as _brief
from .given import whole

_all, _isfinite, _take = _ops.op("", "all"), _ops.op("", "isfinite"), _ops.op("", "take")


class Rows:
    """Trees of tensors with an example in each row, and maybe weights of the examples, given out in batches."""

    def __init__(self, x, y, batch_size, who, weight=None):
        batch_size = 32 if batch_size is None else whole(batch_size, who, "batch_size", 1)
        self._leaves, self._form = _tree.flatten((x, y, None if weight is None else weights_given(weight, who)))
        _need_arrays(x, y, who)
        names = [name for name, part in zip(("x", "y", "sample_weight"), self._form.children) for _ in range(part.count)]
        self._leaves = [_value(leaf, who, name) for leaf, name in zip(self._leaves, names)]
        if not self._leaves or any(not leaf.shape for leaf in self._leaves):
            raise _core.InvalidError(f"{who}: x and y need an example in each row [{who}.rows]")
        self.count = self._leaves[0].shape[0]
        for leaf in self._leaves:
            if leaf.shape[0] != self.count:
                hint = "; batches are a list of (x, y), without a y beside it, or a dataset" if who != "predict" and _has_batches(x) else ""
                raise _core.InvalidError(f"{who}: there are {self.count} rows in x, but {leaf.shape[0]} in another part; each row is "
                                         f"one example{hint} [{who}.rows]")
        if not self.count:
            verb = {"fit": "train with", "predict": "compute"}.get(who, "evaluate")
            raise _core.InvalidError(f"{who}: there are no rows to {verb} [{who}.rows]")
        self._batch_size = self.batch_size = batch_size

    def __len__(self):
        return -(-self.count // self._batch_size)

    def split(self, part):
        """The first rows, and the last `part` of them."""
        kept = self.count - int(self.count * part)
        if kept == self.count:
            raise _core.InvalidError(f"fit: validation_split is {_brief(part)}, which is none of {self.count} rows; make it greater "
                                     "[fit.validation_split]")
        return self._of(slice(0, kept)), self._of(slice(kept, self.count))

    def _of(self, rows):
        x, y, weight = _tree.unflatten(self._form, [leaf[rows] for leaf in self._leaves])
        return Rows(x, y, self._batch_size, "fit", weight)

    def order(self, key):
        """The order of an epoch: that of the rows, or one drawn from a key."""
        return None if key is None else random.permutation(key, self.count)

    def batches(self, order, first=0):
        """(x, y, weights, a function that gives the numbers of the rows) of each batch from the `first` one on."""
        ahead = None if order is None else _core._Dataset._row_batches(self._leaves, order, self._batch_size, first)
        gathered = None if ahead is None else iter(ahead)
        for k in range(first, len(self)):
            rows = slice(k * self._batch_size, min((k + 1) * self._batch_size, self.count))
            if order is None:
                parts, numbers = [leaf[rows] for leaf in self._leaves], functools.partial(range, rows.start, rows.stop)
            else:
                numbers = functools.partial(order.__getitem__, rows)
                parts = [_take(leaf, numbers(), axis=0) for leaf in self._leaves] if gathered is None else next(gathered)
            yield (*_tree.unflatten(self._form, parts), numbers)


class Listed:
    """Batches in a list: a source as datasets are."""

    def __init__(self, items):
        self._items = items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


def _is_batch(one):
    """Whether it is (x, y) or (x, y, weights) of arrays, or of trees of them."""
    return type(one) is tuple and len(one) in (2, 3) and all(getattr(leaf, "shape", ()) for leaf in _tree.flatten(one)[0])


def _has_batches(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(map(_is_batch, x))


def listed(x, y, compiled):
    """A list of batches as a source of them, and anything else as it is. Where the model's result is the loss, there are no targets:
    pairs are inputs."""
    return Listed(x) if y is None and compiled.loss is not None and type(x) is list and _has_batches(x) else x


def _need_arrays(x, y, who):
    """Raises for texts, and for lists of numbers, each of which would be an input of its own."""
    for name, part in (("x", x), ("y", y)):
        if isinstance(part, (str, bytes)):
            raise _no_text(part, name, who)
        texts = [leaf for leaf in (part if isinstance(part, (list, tuple)) else _tree.flatten(part)[0])
                 if isinstance(leaf, str) or getattr(getattr(leaf, "dtype", None), "kind", "") in ("U", "S", "T")]
        if texts:
            hint = "classes are numbers, as numpy.unique(y, return_inverse=True)[1] gives them" if name == "y" else "a model reads numbers"
            raise _core.WrongTypeError(f"{who}: {name} has strings; {hint} [{who}.argument]")
        if isinstance(part, (list, tuple)) and any(isinstance(leaf, (int, float, complex)) for leaf in _tree.flatten(part)[0]):
            raise _core.InvalidError(f"{who}: {name} is a {type(part).__name__} that has numbers in it, and each of them would be an input "
                                     f"of its own; make an array of it: wf.tensor({name}) [{who}.rows]")


def _no_text(given, name, who):
    return _core.InvalidError(f"{who}: {name} is the text {_brief(given)}; it is a tensor or an array with an example in each row, or a dataset "
                              f"[{who}.rows]")


def _value(given, who, name):
    """The argument as a tensor in memory."""
    return _core._argument_value(_core._tensor(given, None, who, name), who, name)


def weights_given(weight, who):
    """Weights of examples, as a tensor of floats."""
    weight = _value(weight, who, "sample_weight")
    if "complex" in weight.dtype.kind or not weight.shape:
        raise _core.InvalidError(f"{who}: sample_weight has dtype {weight.dtype} and shape {list(weight.shape)}; it has a number for each "
                                 f"example [{who}.sample_weight]")
    if not bool(_all(_isfinite(weight) & (weight >= 0))):
        values = weight.astype(_core.float64).numpy()
        place = tuple(next(zip(*((values < 0) | ~(values < float("inf"))).nonzero())))
        raise _core.InvalidError(f"{who}: the weight of example {place[0]} is {values[place]:g}; weights are finite, and 0 or more "
                                 f"[{who}.sample_weight]")
    return weight if "floating" in weight.dtype.kind else weight.astype(_core.float32)


def count_of(x):
    """How many examples are in a batch."""
    count = next((leaf.shape[0] for leaf in _tree.flatten(x)[0] if isinstance(leaf, _core.Tensor) and leaf.shape), None)
    if count is None:
        raise _core.InvalidError("fit: x holds no tensor that has an example in each row; give a tensor or an array, or a list or dict of them "
                                 "[fit.rows]")
    return count


def is_dataset(x):
    """Whether x gives batches by itself: a wf.data.Dataset, or any iterable that is no array and no container of arrays."""
    return hasattr(x, "__iter__") and not isinstance(x, (_core.Tensor, list, tuple, dict, str, bytes)) and not hasattr(x, "__array__")


def need_no_batch_size(batch_size, who):
    """Raises if a size of batches is given beside a dataset, which would not heed it."""
    if batch_size is not None:
        raise _core.InvalidError(f"{who}: batch_size is {_brief(batch_size)}, and x gives batches itself; write dataset.batch({_brief(batch_size)}) "
                                 f"[{who}.batch_size]")


def length_of(source):
    """How many batches a source has, or None: a dataset has a `__len__` that raises if it does not know."""
    try:
        return len(source)
    except TypeError:
        return None


def parts_of(item, who):
    """(x, y, weights) of what a dataset gives: a tuple of two or three of them, or x."""
    if isinstance(item, (tuple, list)) and len(item) in (2, 3):
        x, y, weight = (*item, None)[:3]
    else:
        x, y, weight = item, None, None

    def tensors(tree, name):
        if isinstance(tree, _core.Tensor):
            return _core._argument_value(tree, who, name)
        leaves, form = _tree.flatten(tree)
        return _tree.unflatten(form, [_value(leaf, who, name) for leaf in leaves])

    x, y = tensors(x, "x"), tensors(y, "y")
    if isinstance(x, _core.Tensor) and isinstance(y, (_core.Tensor, type(None))):
        _need_batch(x.shape, None if y is None else y.shape, who)
    return x, y, None if weight is None else weights_given(weight, who)


def _need_batch(x, y, who):
    """Single examples instead of batches show by their shapes: a number as target, or x and y of one axis and other lengths."""
    if x and (y is None or y and (len(x) > 1 or len(y) > 1 or x == y)):
        return
    also = "" if y is None else f" and y of {list(y)}"
    raise _core.InvalidError(f"{who}: x has the shape {list(x)}{also}, as one example has it; models take batches: write "
                             f"dataset.batch(32) [{who}.batch]")


def nothing_left(source, who, verb):
    """The error of a source that has given no batch."""
    if hasattr(source, "__next__"):
        return _core.InvalidError(f"{who}: there is nothing left to {verb} with: a generator is gone through once; give a "
                                  f"wf.data.Dataset.from_generator(function), which begins anew each epoch [{who}.batches]")
    return _core.InvalidError(f"{who}: the dataset has no batch to {verb} with [{who}.batches]")
