"""Trees: nested lists, tuples, dicts and dataclasses whose leaves are tensors and numbers.

None, strings, dtypes and functions belong to the form of a tree and are no leaves. Keys of dicts come in sorted order,
those of an OrderedDict in its own.
"""

from . import _array_api, _core, _hints, _tree

_concat, _zeros = _core.op("concat"), _core.op("zeros")


def flatten(tree):
    """(leaves, structure): the leaves from left to right, and the form of the tree without them.

    >>> wf.tree.flatten({"w": 1.0, "b": [2.0, 3.0]})
    ([2.0, 3.0, 1.0], {'b': [*, *], 'w': *})
    """
    return _tree.flatten(tree)


def leaves(tree):
    """The leaves from left to right.

    >>> wf.tree.leaves({"w": 1.0, "b": [2.0, None]})
    [2.0, 1.0]
    """
    return _tree.flatten(tree)[0]


def structure(tree):
    """The form of the tree without its leaves: what `unflatten` takes. Equal forms are equal."""
    return _tree.flatten(tree)[1]


@_hints.spoken
def unflatten(structure, leaves):
    """The tree of this form with these leaves.

    >>> leaves, structure = wf.tree.flatten((1, [2, 3]))
    >>> wf.tree.unflatten(structure, [10 * leaf for leaf in leaves])
    (10, [20, 30])
    """
    if not isinstance(structure, _tree.Structure):
        raise _core.WrongTypeError(f"tree.unflatten: structure is {_hints.brief(structure)}; it is what wf.tree.flatten gives behind "
                                   "the leaves [tree.structure]")
    leaves = _hints.as_list(leaves, "tree.unflatten", "leaves")
    if len(leaves) != structure.count:
        raise _core.InvalidError(f"tree.unflatten: got {len(leaves)} leaves for the form {structure}, which has {structure.count}; "
                                 "give as many [tree.leaves]")
    return _tree.unflatten(structure, leaves)


@_hints.spoken
def map(f, tree, *others):
    """`f` on every leaf of `tree`, and on the leaves of others of the same form beside it.

    >>> wf.tree.map(lambda a, b: a + b, {"x": 1, "y": (2,)}, {"x": 10, "y": (20,)})
    {'x': 11, 'y': (22,)}
    """
    _hints.need_callable(f, "tree.map")
    return _tree.map(f, tree, *others)


@_hints.spoken
def ravel(tree):
    """(vector, unravel): all leaves in one vector, and the function that makes the tree of such a vector again.

    The vector has the dtype that the leaves promote to; `unravel` gives each leaf its shape and dtype.

    >>> vector, unravel = wf.tree.ravel({"w": wf.ones((2, 2)), "b": wf.zeros(2)})
    >>> vector
    tensor([0., 0., 1., 1., 1., 1.], dtype=float32)
    >>> unravel(2 * vector)["w"].shape
    (2, 2)
    """
    flat, form = _tree.flatten(tree)
    tensors = [_core._tensor(leaf, None, "tree.ravel", "tree") for leaf in flat]
    if not tensors:
        return _zeros((0,)), lambda vector: _split(vector, form, [], [])
    dtype = _array_api.result_type(*tensors)
    rows = [tensor.reshape((-1,)).astype(dtype) for tensor in tensors]
    shapes = [tensor.shape for tensor in tensors]
    dtypes = [tensor.dtype for tensor in tensors]
    return _concat(rows), lambda vector: _split(vector, form, shapes, dtypes)


@_hints.spoken
def _split(vector, form, shapes, dtypes):
    """The tree of `form` whose leaves are the parts of the vector."""
    vector = _core._tensor(vector, None, "tree.ravel", "vector")
    sizes = [_size_of(shape) for shape in shapes]
    if vector.ndim != 1 or vector.shape[0] != sum(sizes):
        raise _core.InvalidError(f"tree.ravel: unravel got a tensor of shape {tuple(vector.shape)}, but the tree has {sum(sizes)} "
                                 "numbers; give a vector of as many [tree.vector]")
    out, begin = [], 0
    for size, shape, dtype in zip(sizes, shapes, dtypes):
        out.append(vector[begin:begin + size].reshape(shape).astype(dtype))
        begin += size
    return _tree.unflatten(form, out)


def _size_of(shape):
    size = 1
    for extent in shape:
        size = size * extent
    return size


def __getattr__(name):
    raise _hints.missing("weft.tree", name)
