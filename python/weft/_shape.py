"""Functions of shapes that take any number of tensors, as the array API and NumPy spell them."""

from . import _core, _hints, _ops
from ._hints import brief as _brief


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
        raise _core.WrongTypeError(f"einsum: equation must be a string, but got {_brief(equation)} [einsum.argument]")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)) and _is_list_of_operands(equation, operands[0]):
        operands = operands[0]
    return _ops.op("", "einsum")(operands, equation)


def _is_list_of_operands(equation, given):
    """Whether a list is that of the operands, and not one operand of numbers."""
    return "," in equation or (len(given) == 1 and hasattr(given[0], "shape"))


@_hints.spoken
def pad(x: "TensorLike", before: "int | Sequence[int] | Sequence[Sequence[int]]", after: "int | Sequence[int] | None" = None,
        value: "TensorLike | None" = None, mode: "str" = "constant") -> "Tensor":
    if after is None:
        before, after = _widths(before, _core._tensor(x, None, "pad", "x").ndim)
    return _ops.op("", "pad")(x, before, after, value, mode=mode)


def _widths(given, rank):
    """(before, after) of one number for all, a pair for all axes or a pair for each, as NumPy gives them."""
    each = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(each, int):
        each = (each, each)
    try:
        if len(each) == 1:
            each = each[0] if not isinstance(each[0], int) else each * 2
        if len(each) == 2 and all(isinstance(width, int) for width in each):
            each = [each] * rank
        before, after = zip(*each) if rank else ((), ())
        return before, after
    except (KeyError, TypeError, ValueError):
        raise _core.WrongTypeError(f"pad: without after, before must be a number, a pair, or a (before, after) pair for each "
                                   f"axis, but got {_brief(given)} [pad.argument]") from None


pad.__doc__ = _ops.op("", "pad").__doc__
