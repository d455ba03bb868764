"""Dataset: a pipeline of elements, described once and iterated as often as one likes."""

import types

from .. import _core, _hints, _tree
from .._hints import brief as _brief

UNKNOWN, INFINITE = -1, -2  # cardinalities
_ALL = 1 << 40  # more elements than there are

# What others call our arguments.
_WORDS = {"batch_size": "size", "num_workers": "num_parallel_calls", "map_func": "f", "predicate": "f", "filename": "path",
          "element_length_func": "length", "bucket_boundaries": "boundaries", "bucket_batch_sizes": "batch_sizes",
          "drop_last": "drop_remainder"}


def _listed(tree, dataset, who):
    """The leaves of a tree of options, as a list: one for each leaf of an element."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return _in_order(tree, dataset._form(), who)
    return _tree.flatten(tree)[0] if not isinstance(tree, list) else tree


def _shapes(shapes, dataset, who):
    """A shape, or a tree of shapes, as a list of lists with -1 for None."""
    if shapes is None:
        return []
    if isinstance(shapes, dict):
        shapes = _in_order(shapes, dataset._form(), who)
    else:
        shapes = _hints.as_list(shapes, who, "padded_shapes")
        shapes = [shapes] if all(size is None or isinstance(size, int) for size in shapes) else shapes
    return [[-1 if size is None else size for size in _hints.as_list(shape, who, "padded_shapes")] for shape in shapes]


def _in_order(tree, form, who):
    """What a tree of options has for the leaves of an element of that form, key by key."""
    if isinstance(form, dict):
        if not isinstance(tree, dict) or set(tree) != set(form):
            given = sorted(map(str, tree)) if isinstance(tree, dict) else type(tree).__name__
            raise _core.InvalidError(f"{who}: elements have the keys {sorted(form)} but the padding has {given}; give one for "
                                     f"each [{who}.keys]")
        return [leaf for key in form for leaf in _in_order(tree[key], form[key], who)]
    if isinstance(form, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(tree) != len(form):
            raise _core.InvalidError(f"{who}: elements have {len(form)} parts but the padding is {_brief(tree)}; give one for each "
                                     f"[{who}.keys]")
        return [leaf for one, part in zip(tree, form) for leaf in _in_order(one, part, who)]
    return [tree]


class _Function:
    """Holds the function of a step. Datasets and their iterators own it; the C++ step has a weak reference to it."""

    __slots__ = ("f", "__weakref__")

    def __init__(self, who, f):
        if not callable(f):
            raise _core.WrongTypeError(f"{who}: needs a function, but got {type(f).__name__} [{who}.function]")
        self.f = f


class Dataset(_core._Dataset):
    """A pipeline of elements: trees of tensors and texts.

    It is a description and never changes; every method gives a new one. Iterating runs it: `for x, y in dataset:`.
    Each iteration is a pass of its own, shuffled anew; `iter(dataset)` has `state_dict()` and `explain()`.

    >>> import weft as wf
    >>> squares = wf.data.Dataset.range(5).map(lambda x: x * x)
    >>> [x.item() for x in squares]
    [0, 1, 4, 9, 16]
    >>> squares.batch(2)
    batch(2)
      map(<lambda>)
        range(0, 5, 1)
    """

    def __init__(self, steps, functions=()):
        super().__init__(steps)
        self._functions = (*getattr(steps, "_functions", ()), *functions)

    def _then(self, steps, *functions):
        """The dataset of `steps`, which extend those of this one; it owns this one's functions, and `functions`."""
        return Dataset(steps, (*self._functions, *functions))

    def __iter__(self):
        out = super().__iter__()
        if self._functions:
            out._functions = self._functions
        return out

    # --- where elements come from ---

    @staticmethod
    def from_tensor_slices(tensors):
        """Elements are the rows of tensors, arrays or a tree of them, along their first axes. In batches they are gathered."""
        return Dataset(_core._Dataset._from_tensor_slices(tensors))

    @staticmethod
    def from_tensors(tensors):
        """One element: the tree itself."""
        return Dataset(_core._Dataset._from_tensors(tensors))

    @staticmethod
    def from_generator(generator):
        """What the iterable gives that `generator()` makes, anew for every pass.

        A pass that resumes makes what was consumed again, and passes over it: a generator has no state to save.
        """
        function = _Function("from_generator", generator)
        return Dataset(_core._Dataset._from_generator(function), [function])

    @staticmethod
    def range(*arguments):
        """Integers, as Python's range: `range(stop)` or `range(start, stop, step)`."""
        if not 1 <= len(arguments) <= 3:
            raise _core.WrongTypeError(f"range: takes 1 to 3 integers, but got {len(arguments)} [range.count]")
        start, stop, step = (0, *arguments, 1) if len(arguments) == 1 else (*arguments, 1)[:3]
        return Dataset(_core._Dataset._range(start, stop, step))

    @staticmethod
    def zip(*datasets):
        """Tuples of one element of each, until one ends."""
        if len(datasets) == 1 and isinstance(datasets[0], (tuple, list)):
            datasets = datasets[0]
        for one in datasets:
            _need_dataset("zip", one)
        functions = [function for one in datasets for function in getattr(one, "_functions", ())]
        return Dataset(_core._Dataset._zip(list(datasets)), functions)

    # --- functions of elements ---

    def map(self, f, num_parallel_calls=None, **unknown):
        """`f` of every element; an element that is a tuple is given as several arguments.

        With `num_parallel_calls` as many threads of the pipeline's own call it; the order stays. A `wf.function` and ops of
        Weft compute outside of the GIL, side by side; other Python code takes turns.
        """
        _hints.need_words("map", unknown, _WORDS)
        function = _Function("map", f)
        return self._then(self._map(function, _count("map", "num_parallel_calls", num_parallel_calls)), function)

    def filter(self, f):
        """The elements for which `f` is true."""
        function = _Function("filter", f)
        return self._then(self._filter(function), function)

    def flat_map(self, f):
        """The elements of the datasets that `f` makes of elements, one dataset after the other."""
        function = _Function("flat_map", f)
        return self._then(self._flat_map(function), function)

    def interleave(self, f, cycle_length=2, block_length=1, num_parallel_calls=None):
        """The elements of the datasets that `f` makes of elements: `cycle_length` of them in turn, `block_length` of each.

        With `num_parallel_calls` as many of them are read ahead, by threads of their own; the order stays.
        """
        workers = _count("interleave", "num_parallel_calls", num_parallel_calls)
        function = _Function("interleave", f)
        return self._then(self._interleave(function, cycle_length, block_length, workers), function)

    def apply(self, f):
        """`f(self)`: for steps that are functions of datasets."""
        _hints.need_callable(f, "apply")
        return f(self)

    # --- batches ---

    def batch(self, size=None, drop_remainder=False, **unknown):
        """Elements in a row become one, with a new first axis; the last may be shorter."""
        _need_size("batch", size, unknown)
        return self._then(self._batch(size, _hints.as_flag(drop_remainder, "batch", "drop_remainder")))

    def padded_batch(self, size=None, padded_shapes=None, padding_values=None, drop_remainder=False, **unknown):
        """Batches of elements whose sizes differ: padded to the longest, or to shapes; None in a shape stands for the longest.

        >>> import weft as wf
        >>> ragged = wf.data.Dataset.range(1, 4).map(lambda n: wf.full((n.item(),), n))
        >>> [x.tolist() for x in ragged.padded_batch(3, padding_values=-1)]
        [[[1, -1, -1], [2, 2, -1], [3, 3, 3]]]
        """
        _need_size("padded_batch", size, unknown)
        return self._then(self._padded_batch(size, _shapes(padded_shapes, self, "padded_batch"),
                                          _listed(padding_values, self, "padded_batch"),
                                          _hints.as_flag(drop_remainder, "padded_batch", "drop_remainder")))

    def bucket_by_length(self, length, boundaries, batch_sizes, padded_shapes=None, padding_values=None,
                         drop_remainder=False, **unknown):
        """Batches of elements of like lengths, padded to the longest of the batch.

        `length(element)` is compared with the ascending `boundaries`; there is one batch size more than boundaries.
        """
        _hints.need_words("bucket_by_length", unknown, _WORDS)
        function = _Function("bucket_by_length", length)
        boundaries = _hints.as_list(boundaries, "bucket_by_length", "boundaries")
        batch_sizes = _hints.as_list(batch_sizes, "bucket_by_length", "batch_sizes")
        steps = self._bucket_by_length(function, boundaries, batch_sizes, _shapes(padded_shapes, self, "bucket_by_length"),
                                       _listed(padding_values, self, "bucket_by_length"),
                                       _hints.as_flag(drop_remainder, "bucket_by_length", "drop_remainder"))
        return self._then(steps, function)

    def unbatch(self):
        """The rows of every element."""
        return self._then(self._unbatch())

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        """Batches of `size` elements in a row, each beginning `shift` elements (the size, if none is given) after the last.

        >>> import weft as wf
        >>> [x.tolist() for x in wf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        if shift is not None:
            _hints.need_integer(shift, "window", "shift")
        if shift is not None and shift < 1:
            raise _core.InvalidError(f"window: shift is {shift}; it is 1 or more [window.shift]")
        return self._then(self._window(size, shift or 0, stride, _hints.as_flag(drop_remainder, "window", "drop_remainder")))

    # --- which elements, and in which order ---

    def shuffle(self, buffer_size=None, seed=None, reshuffle_each_iteration=True):
        """Another order, for every pass another one unless told otherwise.

        Elements that are known by number (tensors, ranges, image folders, and what take, skip, shard and repeat leave of
        them) are permuted exactly, without reading any, if there are at most 2^27; others go through a buffer of `buffer_size`.
        The order follows from the seed and the number of the pass; without a seed, one is drawn from the default generator
        (`wf.seed`).
        """
        if buffer_size is None:
            buffer_size = self._cardinality()
            if buffer_size < 0:
                raise _core.InvalidError("shuffle: needs a buffer_size: the elements of this dataset are not known by number "
                                         "[shuffle.buffer_size]")
        buffer_size = _hints.as_integer(buffer_size, "shuffle", "buffer_size")
        return self._then(self._shuffle(max(buffer_size, 1) if buffer_size == 0 and self._cardinality() == 0 else buffer_size,
                                     seed, _hints.as_flag(reshuffle_each_iteration, "shuffle", "reshuffle_each_iteration")))

    def repeat(self, count=None):
        """The elements `count` times over, or without end."""
        return self._then(self._repeat(-1 if count is None else count))

    def take(self, count):
        """The first elements; -1 stands for all."""
        return self._then(self._take(count))

    def skip(self, count):
        """All but the first elements."""
        return self._then(self._skip(count))

    def shard(self, num_shards, index):
        """Every `num_shards`-th element, from number `index` on: the part of one of several who share the work."""
        return self._then(self._shard(num_shards, index))

    def concatenate(self, other):
        """The elements of this dataset, then those of another."""
        return self._then(self._concatenate(_need_dataset("concatenate", other)), *getattr(other, "_functions", ()))

    def enumerate(self, start=0):
        """Pairs of a number and an element."""
        return self._then(self._enumerate(start))

    # --- how it runs ---

    def cache(self, path=None):
        """Keeps the elements of the first whole pass, in memory or in a file, for those that follow."""
        return self._then(self._cache("" if path is None else _hints.as_path(path, "cache")))

    def prefetch(self, buffer_size=2):
        """A thread that is up to `buffer_size` elements ahead."""
        return self._then(self._prefetch(buffer_size))

    def ignore_errors(self):
        """Leaves out elements that fail; `iterator.skipped` counts them."""
        return self._then(self._ignore_errors())

    def with_options(self, buffer_bytes):
        """How many bytes all buffers of a pass may hold; without it, half of the memory limit."""
        return self._then(self._with_options(buffer_bytes))

    # --- in graphs ---

    def make_one_shot_iterator(self, name="iterator"):
        """An iterator for the open graph that reads the dataset once: `x, y = it.get_next()`."""
        from ._iterator import Iterator

        return Iterator(_core._GraphIterator.one_shot(self, name))

    def make_initializable_iterator(self, name="iterator"):
        """An iterator for the open graph that begins anew whenever a session runs its `initializer`."""
        from ._iterator import Iterator

        return Iterator(_core._GraphIterator.initializable(self, name))

    # --- what is known of it ---

    def as_tensors(self):
        """All elements as one: `x, y = dataset.as_tensors()`."""
        count = self._cardinality()
        if count == INFINITE:
            raise _core.InvalidError("as_tensors: the dataset is without end; take(n) gives the first n elements [as_tensors.infinite]")
        whole = next(iter(self.batch(count if count > 0 else _ALL)), None)  # a length that is not known may be anything
        if whole is None:
            raise _core.InvalidError("as_tensors: the dataset has no elements that would make tensors [as_tensors.empty]")
        return whole

    @property
    def element_spec(self):
        """(dtype, shape) of every leaf, None for sizes that vary; texts have the dtype `str`.

        Where nothing else tells, the first element is made and looked at.
        """
        return [(str if is_text else dtype, shape) for is_text, dtype, shape in self._spec()]

    def explain(self):
        """How long every stage took in the latest pass over the dataset, that of a `fit` too, and which one the others wait for.

        >>> import weft as wf
        >>> dataset = wf.data.Dataset.range(5).batch(2)
        >>> dataset.explain()
        'there was no pass yet'
        >>> print(len(list(dataset)), dataset.explain().splitlines()[0].split(",")[0])
        3 batch(2): 3 elements
        """
        return self._explain()

    def cardinality(self):
        """How many elements there are: a number, `wf.data.INFINITE` or `wf.data.UNKNOWN`."""
        return self._cardinality()

    def __len__(self):
        count = self._cardinality()
        if count < 0:
            what = "without end" if count == INFINITE else "not known before it is iterated"
            raise _core.WrongTypeError(f"len: the length of this dataset is {what}; cardinality() says so without raising "
                                       "[Dataset.len]")
        return count

    def __bool__(self):
        return True  # `len` may raise

    def __getitem__(self, index):
        got = "a slice" if isinstance(index, slice) else _brief(index)
        raise _core.WrongTypeError(f"Dataset: cannot be indexed, but got {got}; iterate over it, or use dataset.take(n), or "
                                   "next(iter(dataset.skip(i))) [Dataset.index]")

    def as_numpy_iterator(self):
        """The elements with NumPy arrays for tensors."""
        for element in self:
            yield _tree.map(lambda leaf: leaf.numpy() if isinstance(leaf, _core.Tensor) else leaf, element)


def _speak():
    """Lets calls that do not fit the methods of Dataset raise as ops do, and know what other libraries call their arguments."""
    for name, method in list(vars(Dataset).items()):
        function = getattr(method, "__func__", method)
        if name.startswith("_") or not isinstance(function, types.FunctionType):
            continue
        code = function.__code__
        arguments = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        _hints.add_keywords(name, {theirs: f"weft calls this {ours}" for theirs, ours in _WORDS.items() if ours in arguments})
        spoken = _hints.spoken(function)
        setattr(Dataset, name, staticmethod(spoken) if isinstance(method, staticmethod) else spoken)


_speak()


def _need_size(who, size, unknown):
    _hints.need_words(who, unknown, _WORDS)
    if size is None:
        raise _core.WrongTypeError(f"{who}: needs a size: the number of elements of a batch [{who}.size]")


def _need_dataset(who, one):
    if not isinstance(one, _core._Dataset):
        raise _core.WrongTypeError(f"{who}: needs a Dataset, but got {type(one).__name__} [{who}.dataset]")
    return one


def _count(who, name, value):
    """A number of threads; None stands for the thread that asks."""
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1024:
        raise _core.InvalidError(f"{who}: {name} is {_brief(value)}; it is None, or 0 to 1024 [{who}.{name}]")
    return value
