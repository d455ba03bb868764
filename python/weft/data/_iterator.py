"""Iterator: a place that graphs read elements from, run by run."""

from .. import _core, _hints, _tree
from .._hints import brief as _brief
from .._graph import Operation, _needed


class Iterator:
    """Reads a dataset in a graph: every run that needs `get_next()` takes an element; at the end it raises OutOfRangeError.

    >>> import weft as wf
    >>> training, validation = wf.data.Dataset.range(4).batch(2), wf.data.Dataset.range(10, 12).batch(2)
    >>> with wf.Graph() as g:
    ...     iterator = wf.data.Iterator.from_structure(wf.int64, (None,))
    ...     train, validate = iterator.make_initializer(training), iterator.make_initializer(validation)
    ...     total = wf.sum(iterator.get_next())
    >>> s = wf.Session(g)
    >>> s.run(train), s.run(total).item(), s.run(total).item(), s.run(validate), s.run(total).item()
    (None, 1, 5, None, 21)
    """

    def __init__(self, core):
        self._core, self._initializer = core, None

    @staticmethod
    def from_structure(types, shapes, name="iterator"):
        """An iterator of elements of these dtypes and shapes, trees of one form; None stands for sizes that vary.

        It reads what the dataset gives whose initializer ran last.
        """
        dtypes, sizes = [], []
        like = _tree.walked("Iterator", _paired, types, shapes, dtypes, sizes)
        return Iterator(_core._GraphIterator.from_structure(like, dtypes, sizes, name))

    def get_next(self):
        """The next element, as values of the open graph."""
        _needed("get_next")
        return self._core.get_next()

    def make_initializer(self, dataset):
        """An operation of the open graph: when it runs, a pass over the dataset begins."""
        graph = _needed("make_initializer")
        if not isinstance(dataset, _core._Dataset):
            raise _core.WrongTypeError(f"make_initializer: dataset must be a Dataset, but got {_hints.brief(dataset)} "
                                       "[make_initializer.argument]")
        return Operation(graph, self._core.make_initializer(graph._core, dataset))

    @property
    def initializer(self):
        """The operation that begins anew, of the dataset that the iterator was made of."""
        if self._initializer is None:
            graph = _needed("initializer")
            self._initializer = Operation(graph, self._core.initializer(graph._core))
        return self._initializer

    def state_dict(self):
        """Where the pass stands, exactly: tensors by name."""
        return self._core.state_dict()

    def load_state_dict(self, state):
        """Goes on where the iterator stood whose state it is."""
        self._core.load_state_dict(state)


def _paired(types, shapes, dtypes, sizes):
    """Lists the leaves of both trees side by side; gives a tree of their form."""
    if isinstance(types, dict):
        _need_alike(isinstance(shapes, dict) and set(shapes) == set(types), types, shapes)
        return {key: _paired(types[key], shapes[key], dtypes, sizes) for key in _tree.keys_of(types)}
    if isinstance(types, (tuple, list)):
        _need_alike(isinstance(shapes, (tuple, list)) and len(shapes) == len(types), types, shapes)
        return tuple(_paired(one, shape, dtypes, sizes) for one, shape in zip(types, shapes))
    _need_alike(isinstance(shapes, (tuple, list)) and all(size is None or isinstance(size, int) for size in shapes),
                types, shapes)
    dtypes.append(types)
    sizes.append(list(shapes))
    return 0


def _need_alike(fits, types, shapes):
    if not fits:
        raise _core.InvalidError(f"Iterator: types is {_brief(types)} but shapes is {_brief(shapes)}; give one shape for each type "
                                 "[Iterator.shapes]")
