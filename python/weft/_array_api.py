"""What the array API standard 2024.12 asks of a namespace beside its ops."""

from . import _core, _hints, _ops
from ._core import Tensor, dtype as _as_dtype
from ._creation import _check_device

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
# isdtype also knows the half floats, which the standard does not list.
_HALF = ("float16", "bfloat16")


@_hints.spoken
def promote_types(type1, type2, /):
    """The dtype that both are converted to when they meet."""
    return _core._promote(type1, type2, "promote_types")


@_hints.spoken
def result_type(*arrays_and_dtypes):
    """The dtype of an op on these tensors, dtypes and Python numbers."""
    if not arrays_and_dtypes:
        raise _core.InvalidError("result_type: arrays_and_dtypes must hold at least one tensor or dtype "
                                 "[result_type.count]")
    numbers = [a for a in arrays_and_dtypes if type(a) in (bool, int, float, complex)]
    rest = [a for a in arrays_and_dtypes if type(a) not in (bool, int, float, complex)]
    if not rest:
        out = _core._tensor(numbers[0], None, "result_type", "arrays_and_dtypes").dtype
        for number in numbers[1:]:
            own = _core._tensor(number, None, "result_type", "arrays_and_dtypes").dtype
            out = _core._promote(out, own, "result_type")
        return out
    out = rest[0].dtype if isinstance(rest[0], Tensor) else _dtype_of(rest[0])
    for other in rest[1:]:
        out = _core._promote(out, other if isinstance(other, Tensor) else _dtype_of(other), "result_type")
    for number in numbers:
        out = _core._promote_scalar(out, number)
    return out


def _dtype_of(obj):
    own = None if isinstance(obj, _core.DType) else getattr(obj, "dtype", None)
    return _as_dtype(obj if own is None or isinstance(obj, type) else own, "result_type", "arrays_and_dtypes")


@_hints.spoken
def can_cast(from_, to, /):
    """Whether values of `from_` become `to` by promotion alone."""
    source = from_.dtype if isinstance(from_, Tensor) else _as_dtype(from_, "can_cast", "from_")
    target = _as_dtype(to, "can_cast", "to")
    try:
        return _core._promote(source, target, "can_cast") is target
    except TypeError:
        return False


@_hints.spoken
def isdtype(dtype, kind):
    """Whether a dtype is of a kind ("integral", ...), equal to a dtype, or either in a tuple of those."""
    dtype = _as_dtype(dtype, "isdtype", "dtype")
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise _core.InvalidError(f"isdtype: kind is {kind!r}, but must be one of "
                                     f"{', '.join(map(repr, _KINDS))} [isdtype.kind]")
        half = _HALF if kind in ("real floating", "numeric") else ()
        return dtype.name in _KINDS[kind] + half
    return dtype is _as_dtype(kind, "isdtype", "kind")


class finfo:
    """Limits of a floating dtype: bits, eps, max, min, smallest_normal, dtype."""

    # (bits, bits of the fraction, greatest exponent)
    _LAYOUTS = {"float16": (16, 10, 15), "bfloat16": (16, 7, 127), "float32": (32, 23, 127),
                "float64": (64, 52, 1023)}

    def __init__(self, type, /):
        dtype = type.dtype if isinstance(type, Tensor) else _as_dtype(type, "finfo", "type")
        name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
        if name not in self._LAYOUTS:
            raise _core.WrongTypeError(f"finfo: type is {dtype}, but must be a floating or complex dtype "
                                       "[finfo.dtype]")
        self.bits, fraction, exponent = self._LAYOUTS[name]
        self.eps = 2.0**-fraction
        self.max = (2.0 - 2.0**-fraction) * 2.0**exponent
        self.min = -self.max
        self.smallest_normal = 2.0 ** (1 - exponent)
        self.dtype = _as_dtype(name)

    def __repr__(self):
        return (f"finfo(bits={self.bits}, eps={self.eps}, max={self.max}, min={self.min}, "
                f"smallest_normal={self.smallest_normal}, dtype={self.dtype})")


class iinfo:
    """Limits of an integer dtype: bits, max, min, dtype."""

    def __init__(self, type, /):
        self.dtype = type.dtype if isinstance(type, Tensor) else _as_dtype(type, "iinfo", "type")
        if self.dtype.name not in _KINDS["integral"]:
            raise _core.WrongTypeError(f"iinfo: type is {self.dtype}, but must be an integer dtype [iinfo.dtype]")
        self.bits = 8 * self.dtype.itemsize
        unsigned = self.dtype.name.startswith("u")
        self.max = 2 ** (self.bits - (0 if unsigned else 1)) - 1
        self.min = 0 if unsigned else -self.max - 1

    def __repr__(self):
        return f"iinfo(bits={self.bits}, max={self.max}, min={self.min}, dtype={self.dtype})"


class _NamespaceInfo:
    """What __array_namespace_info__() returns: capabilities, devices and dtypes."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        _check_device("default_dtypes", device)
        return {"real floating": _core.float32, "complex floating": _core.complex64,
                "integral": _core.int64, "indexing": _core.int64}

    def dtypes(self, *, device=None, kind=None):
        _check_device("dtypes", device)
        if kind is None:
            names = _KINDS["bool"] + _KINDS["numeric"]
        elif isinstance(kind, tuple):
            names = tuple(n for k in kind for n in _names_of_kind(k))
        else:
            names = _names_of_kind(kind)
        return {name: getattr(_core, name) for name in names}


def _names_of_kind(kind):
    if kind not in _KINDS:
        raise _core.InvalidError(f"dtypes: kind is {kind!r}, but must be one of "
                                 f"{', '.join(map(repr, _KINDS))} [dtypes.kind]")
    return _KINDS[kind]


def __array_namespace_info__():
    """The inspection object of the array API standard."""
    return _NamespaceInfo()


@_hints.spoken
def full(shape, fill_value, *, dtype=None, device=None):
    """A tensor that holds `fill_value` everywhere; its dtype is that of the value unless given."""
    return _ops.op("", "full")(fill_value, shape, dtype, device=device)
