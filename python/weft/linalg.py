"""Linear algebra."""

from collections import namedtuple

from . import _core, _hints, _ops
from ._hints import brief as _brief
from ._graph import eager as _eager

_ops.fill("linalg", globals())


def _add_shared():
    names = {name for module, name, _ in _ops.listed() if not module}
    for name in ("matmul", "diagonal", "trace", "outer", "cross", "vecdot", "matrix_transpose"):
        if name in names:
            globals().setdefault(name, _ops.op("", name))


_add_shared()


EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
LstsqResult = namedtuple("LstsqResult", "solution residuals rank singular_values")
LUFactorResult = namedtuple("LUFactorResult", "lu pivots permutation")
LUResult = namedtuple("LUResult", "P L U")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


def _named(name, result):
    """The op with its results by name, as the array API has them."""
    op = _ops.op("linalg", name)

    def function(*args, **keywords):
        return result(*op(*args, **keywords))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.__doc__
    function.__wrapped__ = op
    return function


eigh = _named("eigh", EighResult)
lstsq = _named("lstsq", LstsqResult)
lu = _named("lu", LUResult)
lu_factor = _named("lu_factor", LUFactorResult)
qr = _named("qr", QRResult)
slogdet = _named("slogdet", SlogdetResult)
svd = _named("svd", SVDResult)


def _name_of_norm(norm):
    """Ops know a norm by its name: 'fro', or '1' for 1."""
    if isinstance(norm, int) and not isinstance(norm, bool):
        return str(norm)
    return f"{norm:g}" if isinstance(norm, float) else norm


@_hints.spoken
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of each matrix: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    return _ops.op("linalg", "matrix_norm")(x, keepdims=keepdims, ord=_name_of_norm(ord))


@_hints.spoken
def cond(x, p=2):
    """The condition number of each matrix: the norm `p` (2, -2, 'fro', 'nuc', 1, -1, inf or -inf) of it times that of its
    inverse.

    >>> wf.linalg.cond(wf.tensor([[2.0, 0.0], [0.0, 0.5]]), p=1)
    tensor(4., dtype=float32)
    """
    return _ops.op("linalg", "cond")(x, p="2" if p is None else _name_of_norm(p))


@_hints.spoken
def norm(x, ord=None, axis=None, keepdims=False):
    """As NumPy's: a norm of vectors along one axis, of matrices over two (all of them where x has two and `ord` is given),
    or of all elements where neither `ord` nor `axis` is given. `wf.norm` is the norm of vectors alone.

    >>> wf.linalg.norm(wf.tensor([[3.0, 0.0], [4.0, 0.0]]), ord=1)
    tensor(7., dtype=float32)
    """
    x = _core._tensor(x, None, "norm", "x")
    axes = axis if axis is None or hasattr(axis, "__len__") else (axis,)
    if axes is None and ord is not None:
        axes = tuple(range(x.ndim))
    if axes is not None and len(axes) == 2:
        moved = _ops.op("", "moveaxis")(x, axes, (-2, -1))
        out = matrix_norm(moved, ord="fro" if ord is None else ord, keepdims=keepdims)
        return _ops.op("", "moveaxis")(out, (-2, -1), axes) if keepdims else out
    if axes is not None and len(axes) != 1:
        raise _core.InvalidError(f"norm: x has shape {list(x.shape)} and axis is {axis}; a norm is of vectors (one axis) or of "
                                 "matrices (two): say which axis [norm.axes]")
    return _ops.op("", "norm")(x, axis=axes, keepdims=keepdims, ord=2.0 if ord is None else ord)


def _bounds(who, x, rtol):
    """`x` and the tensor `rtol`, once it can be a bound for each matrix of `x`."""
    x, rtol = _core._tensor(x, None, who, "x"), _core._tensor(rtol, None, who, "rtol")
    if rtol.dtype in (_core.complex64, _core.complex128):
        raise _core.WrongTypeError(f"{who}: rtol has dtype {rtol.dtype}; bounds are real numbers [{who}.rtol]")
    batch = tuple(x.shape)[:-2]
    for of_x, of_rtol in zip(reversed(batch), reversed(tuple(rtol.shape))):
        if isinstance(of_x, int) and isinstance(of_rtol, int) and of_x != of_rtol and 1 not in (of_x, of_rtol):
            raise _core.InvalidError(f"{who}: rtol has shape {list(rtol.shape)} and x {list(x.shape)}; rtol must broadcast to the axes before "
                                     f"the last two, {list(batch)} [{who}.rtol]")
    return x, rtol


@_hints.spoken
def matrix_rank(x, rtol=None):
    op = _ops.op("linalg", "matrix_rank")
    if not hasattr(rtol, "shape"):
        return op(x, rtol=rtol)
    x, rtol = _bounds("matrix_rank", x, rtol)
    if x.ndim < 2 or any(isinstance(size, int) and size == 0 for size in x.shape[-2:]):
        return op(x)  # which raises, or finds no singular values
    singular_values = _ops.op("linalg", "svdvals")(x)
    greatest = _ops.op("", "max")(singular_values, axis=-1)
    counted = singular_values > _ops.op("", "expand_dims")(greatest * rtol, axis=-1)
    return _ops.op("", "count_nonzero")(counted, axis=-1)


@_hints.spoken
def pinv(x, rtol=None):
    op = _ops.op("linalg", "pinv")
    if not hasattr(rtol, "shape"):
        return op(x, rtol=rtol)
    x, rtol = _bounds("pinv", x, rtol)
    if x.ndim < 2:
        return op(x)  # which raises
    batch = tuple(x.shape)[:-2]
    if rtol.ndim > len(batch):
        raise _core.InvalidError(f"pinv: rtol has shape {list(rtol.shape)} and x {list(x.shape)}; rtol must broadcast to the axes before the last "
                                 f"two, {list(batch)} [pinv.rtol]")
    matrices = _ops.op("", "reshape")(x, (-1, *tuple(x.shape)[-2:]))
    if not _core._has_value(rtol):
        raise _core.InvalidError("pinv: rtol is only known when the graph runs, or differs between the examples of a vmap; pass a number, or a "
                                 "tensor that has a value [pinv.concrete]")
    with _eager():
        bounds = _ops.op("", "reshape")(_ops.op("", "broadcast_to")(rtol, batch), (-1,)).tolist()
    if not bounds:
        return op(x)
    each = [op(matrices[i], rtol=bound) for i, bound in enumerate(bounds)]
    return _ops.op("", "reshape")(_ops.op("", "stack")(each), (*batch, *each[0].shape))


for _function in (matrix_rank, pinv):
    _function.__doc__ = _ops.op("linalg", _function.__name__).__doc__ + (
        "\n\nHere `rtol` may also be a tensor: a bound for each matrix.")
    _function.__wrapped__ = _ops.op("linalg", _function.__name__)


_MOST_AXES = 32  # of any tensor


@_hints.spoken
def tensordot(a, b, /, axes=2):
    """Products of `a` and `b` summed over pairs of axes: over the last `axes` axes of `a` and the first of `b` if it is
    a number, else over the axes named by a pair of lists."""
    if isinstance(axes, int) and not isinstance(axes, bool):
        if axes < 0:
            raise _core.InvalidError(f"tensordot: axes is {axes}; it must be at least 0 [tensordot.axes]")
        if axes > _MOST_AXES:
            raise _core.OutOfRangeError(f"tensordot: axes is {axes}, but no tensor has more than {_MOST_AXES} axes [tensordot.axes]")
        axes = (range(-axes, 0), range(axes))
    try:
        first, second = ([one] if isinstance(one, int) else list(one) for one in axes)
    except (TypeError, ValueError):
        raise _core.WrongTypeError(f"tensordot: axes must be a number or a pair of lists, but got {_brief(axes)} "
                                   "[tensordot.argument]") from None
    return _ops.op("", "tensordot")(a, b, axes_a=first, axes_b=second)


def __getattr__(name):
    raise _hints.missing("weft.linalg", name)
