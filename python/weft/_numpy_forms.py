"""NumPy functions that mean something else than our op, or take other arguments: with NumPy's names and defaults.

_numpy_functions.py calls them with what was given; an argument of NumPy that a function here does not have may only be
left at its default.
"""

from . import _core
from ._numpy_functions import no_meaning, public, unknown


def _wf(name, *args, **keywords):
    return public(name)(*args, **keywords)


def _tensor(x):
    return _core._tensor(x, None, "numpy", "x")


def _given(**arguments):
    return {word: value for word, value in arguments.items() if value is not None}


# Shapes.


def _reversed_axes(x):
    return _wf("permute_dims", x, tuple(range(x.ndim))[::-1])


def _transpose(a, axes=None):
    return _reversed_axes(_tensor(a)) if axes is None else _wf("permute_dims", a, axes)


def _reshape(a, shape, order="C", copy=None):
    """Fortran's order is C's of the transposes."""
    if order == "F":
        lengths = (shape,) if hasattr(shape, "__index__") else tuple(shape)
        return _reversed_axes(_wf("reshape", _reversed_axes(_tensor(a)), lengths[::-1]))
    if order != "C":
        raise no_meaning("reshape", "order", order)
    return _wf("reshape", a, shape, copy=copy)


def _ravel(a, order="C"):
    if order not in ("C", "F"):
        raise no_meaning("ravel", "order", order)
    return _reshape(a, -1, order)


def _squeeze(a, axis=None):
    a = _tensor(a)
    ones = tuple(i for i, size in enumerate(a.shape) if size == 1)
    return _wf("squeeze", a, ones if axis is None else axis)


def _parts(a, cuts, axis):
    """x[..., cuts[i]:cuts[i + 1]] along the axis."""
    before = (slice(None),) * axis
    return [a[(*before, slice(start, stop))] for start, stop in zip([0, *cuts], [*cuts, a.shape[axis]])]


def _array_split(ary, indices_or_sections, axis=0, *, name="array_split"):
    """Points to cut at, or the number of parts, of which the first ones may be one longer."""
    ary = _tensor(ary)
    if not -ary.ndim <= axis < ary.ndim:
        raise _core.OutOfRangeError(f"numpy.{name}: axis {axis} is out of range for shape {list(ary.shape)} [numpy.{name}]")
    axis %= ary.ndim
    cuts = indices_or_sections.tolist() if hasattr(indices_or_sections, "tolist") else indices_or_sections
    if not isinstance(cuts, int):
        return _parts(ary, [int(cut) for cut in cuts], axis)
    size, longer = divmod(ary.shape[axis], cuts) if cuts > 0 else (0, 0)
    if cuts < 1 or (longer and name != "array_split"):
        raise _core.InvalidError(f"numpy.{name}: axis {axis} of shape {list(ary.shape)} cannot be cut into {cuts} equal parts "
                                 f"[numpy.{name}]")
    return _parts(ary, [i * size + min(i, longer) for i in range(1, cuts)], axis)


def _split(ary, indices_or_sections, axis=0):
    return _array_split(ary, indices_or_sections, axis, name="split")


def _split_along(axis):
    def call(ary, indices_or_sections):
        return _split(ary, indices_or_sections, axis if axis != 1 or ary.ndim > 1 else 0)
    return call


def _of_each(name):
    def call(*arys):
        out = tuple(_wf(name, x) for x in arys)
        return out[0] if len(out) == 1 else out
    return call


def _meshgrid(*xi, indexing="xy"):
    return tuple(_wf("meshgrid", *xi, indexing=indexing))


def _broadcast_arrays(*args):
    return tuple(_wf("broadcast_arrays", *args))


def _pad(array, pad_width, mode="constant", *, constant_values=0):
    widths = pad_width.tolist() if hasattr(pad_width, "tolist") else pad_width
    return _wf("pad", array, widths, mode=mode, **({"value": constant_values} if mode == "constant" else {}))


def _size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


# Making tensors.


def _array(object, dtype=None):
    return _wf("asarray", object, dtype=dtype)


def _asarray(a, dtype=None):
    return _wf("asarray", a, dtype=dtype)


def _identity(n, dtype=None):
    return _wf("eye", n, **_given(dtype=dtype))


# Elements.


def _where(condition, x=None, y=None):
    if x is None and y is None:
        return _wf("nonzero", condition)
    return _wf("where", condition, x, y)


def _take(a, indices, axis=None):
    return _wf("take", _ravel(a), indices, axis=0) if axis is None else _wf("take", a, indices, axis=axis)


def _put_along_axis(arr, indices, values, axis=-1):
    raise _core.WrongTypeError("numpy.put_along_axis: it writes into an array, but tensors never change; "
                               "x = wf.put_along_axis(x, indices, values, axis) gives a changed copy "
                               "[numpy.put_along_axis]")


def _flattening(name):
    """Without an axis NumPy's takes all elements in a row, where ours takes vectors alone."""
    def call(a, axis=None, dtype=None):
        return _wf(name, _ravel(a), axis=0, dtype=dtype) if axis is None else _wf(name, a, axis=axis, dtype=dtype)
    return call


def _sorting(name):
    def call(a, axis=-1, stable=None):
        flat = axis is None
        return _wf(name, _ravel(a) if flat else a, axis=-1 if flat else axis, **_given(stable=stable))
    return call


def _differences(a, n=1, axis=-1, prepend=None, append=None):
    return _wf("diff", a, prepend, append, axis=axis, n=n)


def _digitize(x, bins, right=False):
    """The values come first, and right=False takes them to the right of what is equal."""
    return _wf("searchsorted", bins, x, side="left" if right else "right")


def _partition(a, kth, axis=-1, kind=None, order=None):
    raise unknown("partition")


def _unique(ar, return_index=False, return_inverse=False, return_counts=False, equal_nan=True):
    """In ascending order; with `equal_nan` the NaNs, which stand last, are one value."""
    values, first, inverse, counts = _wf("unique_all", ar)
    nans = int(_wf("count_nonzero", _wf("isnan", values))) if equal_nan and "floating" in values.dtype.kind else 0
    if nans > 1:
        last = values.size - nans
        counts = _wf("concat", (counts[:last], _wf("sum", counts[last:], keepdims=True)))
        inverse = _wf("minimum", inverse, last)
        first = _wf("concat", (first[:last], _wf("min", first[last:], keepdims=True)))
        values = values[:last + 1]
    more = [part for part, wanted in ((first, return_index), (inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *more) if more else values


def _angle(z, deg=False):
    return _wf("angle", z) * (180 / public("pi")) if deg else _wf("angle", z)


def _copy(a):
    return _wf("asarray", a, copy=True)


def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise no_meaning("nan_to_num", "copy", copy)
    return _wf("nan_to_num", x, nan=nan, posinf=posinf, neginf=neginf)


def _cov(m, y=None, rowvar=True, bias=False, ddof=None):
    return _wf("cov", m, y, rowvar=bool(rowvar), correction=(0 if bias else 1) if ddof is None else ddof)


# Products and linear algebra.


def _einsum(*operands):
    return _wf("einsum", *operands)


def _dot(a, b):
    a, b = _tensor(a), _tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return a @ b if b.ndim < 3 else _wf("tensordot", a, b, ((-1,), (-2,)))


def _inner(a, b):
    a, b = _tensor(a), _tensor(b)
    return _wf("tensordot", a, b, ((-1,), (-1,))) if a.ndim and b.ndim else a * b


def _vdot(a, b):
    return _wf("vecdot", _ravel(a), _ravel(b))


def _outer(a, b):
    return _wf("outer", _ravel(a), _ravel(b))


def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        return _wf("cross", a, b, axis=axis)
    product = _wf("cross", _wf("moveaxis", a, axisa, -1), _wf("moveaxis", b, axisb, -1), axis=-1)
    return _wf("moveaxis", product, -1, axisc)


def _planes(name):
    """numpy.diagonal and numpy.trace read the first two axes, ours the last two."""
    def call(a, offset=0, axis1=0, axis2=1, dtype=None):
        planes = _wf("moveaxis", a, (axis1, axis2), (-2, -1))
        return _wf(name, planes, offset, **_given(dtype=dtype))
    return call


def _of_triangle(name):
    """NumPy's reads one triangle of a Hermitian matrix, ours both."""
    def call(a, UPLO="L"):
        if UPLO not in ("L", "U"):
            raise no_meaning(f"linalg.{name}", "UPLO", UPLO)
        triangle, rest = ("tril", -1) if UPLO == "L" else ("triu", 1)
        other = _wf("matrix_transpose", _wf("conj", _wf(triangle, a, rest)))
        return _wf(f"linalg.{name}", _wf(triangle, a) + other)
    return call


def _svd(a, full_matrices=True, compute_uv=True):
    return _wf("linalg.svd", a, full_matrices=full_matrices) if compute_uv else _wf("linalg.svdvals", a)


def _pinv(a, rcond=None, rtol=None):
    return _wf("linalg.pinv", a, rtol=rcond if rtol is None else rtol)


def _lstsq(a, b, rcond=None):
    return _wf("linalg.lstsq", a, b, rtol=rcond)


FORMS = {
    "transpose": _transpose, "permute_dims": _transpose, "reshape": _reshape, "ravel": _ravel, "squeeze": _squeeze,
    "split": _split, "array_split": _array_split, "hsplit": _split_along(1), "vsplit": _split_along(0),
    "dsplit": _split_along(2), "atleast_1d": _of_each("atleast_1d"), "atleast_2d": _of_each("atleast_2d"),
    "atleast_3d": _of_each("atleast_3d"), "meshgrid": _meshgrid, "broadcast_arrays": _broadcast_arrays, "pad": _pad,
    "shape": lambda a: a.shape, "ndim": lambda a: a.ndim, "size": _size,
    "array": _array, "asarray": _asarray, "identity": _identity,
    "where": _where, "take": _take, "put_along_axis": _put_along_axis, "cumsum": _flattening("cumulative_sum"),
    "cumprod": _flattening("cumulative_prod"), "sort": _sorting("sort"), "argsort": _sorting("argsort"),
    "diff": _differences, "digitize": _digitize, "partition": _partition, "unique": _unique, "angle": _angle,
    "copy": _copy, "nan_to_num": _nan_to_num, "cov": _cov,
    "einsum": _einsum, "dot": _dot, "inner": _inner, "vdot": _vdot, "outer": _outer, "cross": _cross,
    "diagonal": _planes("diagonal"), "trace": _planes("trace"), "linalg.eigh": _of_triangle("eigh"),
    "linalg.eigvalsh": _of_triangle("eigvalsh"), "linalg.svd": _svd, "linalg.pinv": _pinv, "linalg.lstsq": _lstsq,
}
