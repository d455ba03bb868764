"""Functions of shapes that take any number of tensors, as the array API and NumPy spell them."""

from . import _core, _hints, _ops


@_hints.spoken
def meshgrid(*arrays, indexing="xy"):
    """Coordinates of a grid from those along its axes: the first tensor varies along axis 1, the second along axis 0,
    or with `indexing="ij"` tensor i along axis i. The results share memory.

    >>> wf.meshgrid(wf.tensor([1, 2]), wf.tensor([3, 4]))[0].tolist()
    [[1, 2], [1, 2]]
    """
    return list(_ops.op("", "meshgrid")(arrays, indexing)) if arrays else []


@_hints.spoken
def broadcast_arrays(*arrays):
    """The tensors repeated to the shape they have together, without copying.

    >>> [x.shape for x in wf.broadcast_arrays(wf.ones(3), wf.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    return list(_ops.op("", "broadcast_arrays")(arrays)) if arrays else []


@_hints.spoken
def einsum(equation, *operands):
    """Sums of products over labelled axes: `einsum("ij,jk->ik", a, b)` multiplies matrices.

    Letters that are not in the result are summed over, a letter twice in an operand reads its diagonal, `...` stands
    for axes that broadcast. Without `->` the result has the letters that occur once, in the order of the alphabet.

    >>> wf.einsum("ii", wf.eye(3)).item()
    3.0
    """
    if not isinstance(equation, str):
        raise _core.WrongTypeError(f"einsum: equation must be a string, but got {equation!r:.60} [einsum.argument]")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    return _ops.op("", "einsum")(operands, equation)
