"""The array API standard 2024.12: every function is there, with its signature, and does what NumPy's does."""

import inspect
import operator

import numpy as np
import pytest

import weft as wf


UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan
log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan tanh
trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum
multiply nextafter not_equal pow remainder subtract""".split()

SIGNATURES = {
    "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
    "asarray": "obj, /, *, dtype=None, device=None, copy=None",
    "empty": "shape, *, dtype=None, device=None",
    "empty_like": "x, /, *, dtype=None, device=None",
    "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
    "from_dlpack": "x, /, *, device=None, copy=None",
    "full": "shape, fill_value, *, dtype=None, device=None",
    "full_like": "x, /, fill_value, *, dtype=None, device=None",
    "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
    "meshgrid": "*arrays, indexing='xy'",
    "ones": "shape, *, dtype=None, device=None",
    "ones_like": "x, /, *, dtype=None, device=None",
    "tril": "x, /, *, k=0",
    "triu": "x, /, *, k=0",
    "zeros": "shape, *, dtype=None, device=None",
    "zeros_like": "x, /, *, dtype=None, device=None",
    "astype": "x, dtype, /, *, copy=True, device=None",
    "broadcast_arrays": "*arrays",
    "broadcast_to": "x, /, shape",
    "can_cast": "from_, to, /",
    "finfo": "type, /",
    "iinfo": "type, /",
    "isdtype": "dtype, kind",
    "result_type": "*arrays_and_dtypes",
    "clip": "x, /, min=None, max=None",
    "take": "x, indices, /, *, axis=None",
    "take_along_axis": "x, indices, /, *, axis=-1",
    "__array_namespace_info__": "",
    "matmul": "x1, x2, /",
    "matrix_transpose": "x, /",
    "tensordot": "x1, x2, /, *, axes=2",
    "vecdot": "x1, x2, /, *, axis=-1",
    "concat": "arrays, /, *, axis=0",
    "expand_dims": "x, /, *, axis=0",
    "flip": "x, /, *, axis=None",
    "moveaxis": "x, source, destination, /",
    "permute_dims": "x, /, axes",
    "repeat": "x, repeats, /, *, axis=None",
    "reshape": "x, /, shape, *, copy=None",
    "roll": "x, /, shift, *, axis=None",
    "squeeze": "x, /, axis",
    "stack": "arrays, /, *, axis=0",
    "tile": "x, repetitions, /",
    "unstack": "x, /, *, axis=0",
    "argmax": "x, /, *, axis=None, keepdims=False",
    "argmin": "x, /, *, axis=None, keepdims=False",
    "count_nonzero": "x, /, *, axis=None, keepdims=False",
    "nonzero": "x, /",
    "searchsorted": "x1, x2, /, *, side='left', sorter=None",
    "where": "condition, x1, x2, /",
    "unique_all": "x, /",
    "unique_counts": "x, /",
    "unique_inverse": "x, /",
    "unique_values": "x, /",
    "argsort": "x, /, *, axis=-1, descending=False, stable=True",
    "sort": "x, /, *, axis=-1, descending=False, stable=True",
    "cumulative_prod": "x, /, *, axis=None, dtype=None, include_initial=False",
    "cumulative_sum": "x, /, *, axis=None, dtype=None, include_initial=False",
    "max": "x, /, *, axis=None, keepdims=False",
    "mean": "x, /, *, axis=None, keepdims=False",
    "min": "x, /, *, axis=None, keepdims=False",
    "prod": "x, /, *, axis=None, dtype=None, keepdims=False",
    "std": "x, /, *, axis=None, correction=0.0, keepdims=False",
    "sum": "x, /, *, axis=None, dtype=None, keepdims=False",
    "var": "x, /, *, axis=None, correction=0.0, keepdims=False",
    "all": "x, /, *, axis=None, keepdims=False",
    "any": "x, /, *, axis=None, keepdims=False",
    "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
    **{name: "x, /" for name in UNARY}, **{name: "x1, x2, /" for name in BINARY},
    "linalg.cholesky": "x, /, *, upper=False",
    "linalg.cross": "x1, x2, /, *, axis=-1",
    "linalg.diagonal": "x, /, *, offset=0",
    "linalg.matmul": "x1, x2, /",
    "linalg.matrix_norm": "x, /, *, keepdims=False, ord='fro'",
    "linalg.matrix_power": "x, n, /",
    "linalg.matrix_rank": "x, /, *, rtol=None",
    "linalg.outer": "x1, x2, /",
    "linalg.pinv": "x, /, *, rtol=None",
    "linalg.qr": "x, /, *, mode='reduced'",
    "linalg.solve": "x1, x2, /",
    "linalg.svd": "x, /, *, full_matrices=True",
    "linalg.tensordot": "x1, x2, /, *, axes=2",
    "linalg.trace": "x, /, *, offset=0, dtype=None",
    "linalg.vecdot": "x1, x2, /, *, axis=-1",
    "linalg.vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
    **{f"linalg.{name}": "x, /" for name in ("det", "eigh", "eigvalsh", "inv", "matrix_transpose", "slogdet", "svdvals")},
    **{f"fft.{name}": "x, /, *, n=None, axis=-1, norm='backward'" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{name}": "x, /, *, s=None, axes=None, norm='backward'" for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    **{f"fft.{name}": "n, /, *, d=1.0, dtype=None" for name in ("fftfreq", "rfftfreq")},  # and device: in the rules
    **{f"fft.{name}": "x, /, *, axes=None" for name in ("fftshift", "ifftshift")},
}


def standard_signature(name):
    made = {}
    exec(f"def f({SIGNATURES[name]}): ...", made)
    return inspect.signature(made["f"])


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_has_the_signature(name):
    function = operator.attrgetter(name)(wf)
    ours = inspect.signature(function)
    names = list(ours.parameters)
    place = 0
    for parameter in standard_signature(name).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            assert any(p.kind is p.VAR_POSITIONAL for p in ours.parameters.values())
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            own = ours.parameters[names[place]]  # its name does not matter
            assert own.kind in (own.POSITIONAL_ONLY, own.POSITIONAL_OR_KEYWORD)
            place += 1
        else:
            own = ours.parameters[parameter.name]
            assert own.kind in (own.POSITIONAL_OR_KEYWORD, own.KEYWORD_ONLY)
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                assert names.index(parameter.name) == place
                place += 1
        if parameter.default is not parameter.empty and name not in ("matrix_transpose",):
            assert own.default == parameter.default or (parameter.default, own.default) in WIDER, own
    required = [p for p in ours.parameters.values() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    wanted = [p for p in standard_signature(name).parameters.values()
              if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    assert len(required) <= len(wanted)


# The standard's default, and ours where it means the same: steps left out are 1, the default dtype is float32.
WIDER = {(1, None), (None, wf.float32), (0.0, 0), (True, None)}

A = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
B = np.array([[1.5, 2.0, -0.5], [0.75, 4.0, 1.25]])
POSITIVE = {"log", "log2", "log10", "log1p", "sqrt", "acosh", "reciprocal"}
SMALL = {"acos", "asin", "atanh"}
INTEGER = {"bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bitwise_invert"}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def sample(name, dtype, which=0):
    x = [A, B][which]
    if name in INTEGER:
        return np.array([[1, 2, 3], [4, 0, 1]])[::1 - 2 * which].astype(dtype)
    if name in LOGICAL:
        return np.array([[True, False, True], [False, True, which == 0]])
    if name in POSITIVE or name == "pow" and which == 0:
        x = np.abs(x) + 1
    if name in SMALL:
        x = x / 10
    return x.astype(dtype)


def same(got, expected, dtype=True):
    expected = np.asarray(expected)
    assert tuple(got.shape) == expected.shape
    assert not dtype or str(got.dtype) == str(expected.dtype), (got.dtype, expected.dtype)
    np.testing.assert_allclose(got.numpy(), expected, rtol=2e-6 if got.dtype in (wf.float32, wf.complex64) else 1e-12)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name):
    for dtype in (["int32", "uint8"] if name in INTEGER else ["float32", "float64"]):
        x = sample(name, dtype)
        same(getattr(wf, name)(wf.tensor(x)), getattr(np, name)(x))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(name):
    pairs = [("int32", "int64"), ("uint8", "int8"), ("int16", "int16")] if name in INTEGER else [("float32", "float64"), ("float32", "float32")]
    for left, right in pairs:
        a, b = sample(name, left), sample(name, right, 1)
        same(getattr(wf, name)(wf.tensor(a), wf.tensor(b)), getattr(np, name)(a, b))
        same(getattr(wf, name)(wf.tensor(a), wf.tensor(b[0])), getattr(np, name)(a, b[0]))


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
          "complex64", "complex128"]


def test_promotion_is_the_standards():
    for a in DTYPES:
        for b in DTYPES:
            one, other = getattr(wf, a), getattr(wf, b)
            kinds = [np.dtype(d).kind for d in (a, b)]
            if {"u", "i"} == set(kinds) and "uint64" in (a, b):
                with pytest.raises(TypeError):
                    wf.result_type(one, other)
            elif kinds[0] == kinds[1] or set(kinds) <= {"u", "i"} or set(kinds) <= {"f", "c"}:
                expected = np.result_type(np.dtype(a), np.dtype(b)).name
                assert wf.result_type(one, other).name == expected
                added = wf.ones(2, dtype=one) + wf.ones(2, dtype=other) if "bool" not in (a, b) else None
                assert added is None or added.dtype.name == expected
                assert wf.can_cast(one, other) == (expected == b)


X = np.arange(24.0).reshape(2, 3, 4)
I = np.array([[2, 0], [1, 1]])
CALLS = {
    "tril": lambda m, x: m.tril(x(X), k=1), "triu": lambda m, x: m.triu(x(X), k=-1),
    "broadcast_to": lambda m, x: m.broadcast_to(x(X[0]), (5, 3, 4)),
    "broadcast_arrays": lambda m, x: m.broadcast_arrays(x(X[0]), x(X[:, :1, :1])),
    "meshgrid": lambda m, x: m.meshgrid(x(X[0, 0]), x(X[0, :, 0]), x(X[:, 0, 0])),
    "meshgrid ij": lambda m, x: m.meshgrid(x(X[0, 0]), x(X[0, :, 0]), indexing="ij"),
    "take": lambda m, x: m.take(x(X), x(np.array([1, 0])), axis=1),
    "take_along_axis": lambda m, x: m.take_along_axis(x(X[0]), x(np.array([[3, 0], [1, 1], [0, 2]])), axis=-1),
    "concat": lambda m, x: m.concat([x(X), x(X[:1])], axis=0),
    "concat flat": lambda m, x: m.concat([x(X), x(X[0, 0])], axis=None),
    "expand_dims": lambda m, x: m.expand_dims(x(X), axis=-2),
    "flip": lambda m, x: m.flip(x(X), axis=(0, 2)),
    "flip all": lambda m, x: m.flip(x(X)),
    "moveaxis": lambda m, x: m.moveaxis(x(X), (0, 2), (-1, 0)),
    "moveaxis one": lambda m, x: m.moveaxis(x(X), 0, -1),
    "permute_dims": lambda m, x: m.permute_dims(x(X), (2, 0, 1)),
    "repeat": lambda m, x: m.repeat(x(X), 2, axis=1),
    "repeat flat": lambda m, x: m.repeat(x(X), 3),
    "repeat each": lambda m, x: m.repeat(x(X), x(np.array([2, 0, 1])), axis=1),
    "reshape": lambda m, x: m.reshape(x(X), (4, -1)),
    "roll": lambda m, x: m.roll(x(X), 5),
    "roll axes": lambda m, x: m.roll(x(X), (1, -2), axis=(0, 2)),
    "roll one": lambda m, x: m.roll(x(X), 1, axis=(0, 1)),
    "squeeze": lambda m, x: m.squeeze(x(X[:, :1]), axis=1),
    "stack": lambda m, x: m.stack([x(X), x(X)], axis=-1),
    "tile": lambda m, x: m.tile(x(X), (2, 1)),
    "unstack": lambda m, x: m.unstack(x(X), axis=1),
    "argmax": lambda m, x: m.argmax(x(X), axis=1, keepdims=True), "argmin": lambda m, x: m.argmin(x(X)),
    "count_nonzero": lambda m, x: m.count_nonzero(x(I), axis=0),
    "count_nonzero all": lambda m, x: m.asarray(m.count_nonzero(x(I))),
    "nonzero": lambda m, x: m.nonzero(x(I)),
    "where": lambda m, x: m.where(x(X > 4), x(X), x(-X)),
    "cumulative_sum": lambda m, x: m.cumulative_sum(x(X), axis=1, include_initial=True),
    "cumulative_prod": lambda m, x: m.cumulative_prod(x(X), axis=2),
    "max": lambda m, x: m.max(x(X), axis=(0, 1)), "min": lambda m, x: m.min(x(X), axis=0, keepdims=True),
    "mean": lambda m, x: m.mean(x(X), axis=1), "sum": lambda m, x: m.sum(x(I), axis=0),
    "prod": lambda m, x: m.prod(x(I), axis=1), "std": lambda m, x: m.std(x(X), axis=0, correction=1),
    "var": lambda m, x: m.var(x(X), axis=(0, 2)), "all": lambda m, x: m.all(x(I > 0), axis=0),
    "any": lambda m, x: m.any(x(I > 1), axis=1), "diff": lambda m, x: m.diff(x(X), axis=1, n=2),
    "diff around": lambda m, x: m.diff(x(X[0, 0]), prepend=x(X[0, 0, :1]), append=x(X[1, 0])),
    "matmul": lambda m, x: m.matmul(x(X), x(X[0].T)), "matrix_transpose": lambda m, x: m.matrix_transpose(x(X)),
    "tensordot": lambda m, x: m.tensordot(x(X), x(X), axes=((0, 2), (0, 2))),
    "vecdot": lambda m, x: m.vecdot(x(X), x(X[:, :1]), axis=-1),
    "clip": lambda m, x: m.clip(x(X), 3.0, 9.0), "astype": lambda m, x: m.astype(x(X), m.int32),
    "eye": lambda m, x: m.eye(3, 4, k=1, dtype=m.float64), "arange": lambda m, x: m.arange(2, 9, 3),
    "linspace": lambda m, x: m.linspace(0.0, 1.0, 7, dtype=m.float64), "full": lambda m, x: m.full((2, 3), 7),
    "full_like": lambda m, x: m.full_like(x(X), 2), "ones_like": lambda m, x: m.ones_like(x(I)),
    "zeros_like": lambda m, x: m.zeros_like(x(X)), "ones": lambda m, x: m.ones((2, 3), dtype=m.int8),
    "zeros": lambda m, x: m.zeros(4, dtype=m.complex64),
}


@pytest.mark.parametrize("name", CALLS)
def test_does_what_numpys_does(name):
    call = CALLS[name]
    got, expected = call(wf, wf.tensor), call(np, np.asarray)
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for mine, theirs in zip(got, expected):
            same(mine, theirs)
    else:
        same(got, expected, dtype=name not in ("mean",))


def test_inspection():
    info = wf.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}
    assert info.default_device() == "cpu" and info.devices() == ["cpu"]
    assert info.default_dtypes()["real floating"] is wf.float32 and info.default_dtypes(device="cpu")["indexing"] is wf.int64
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="floats")


def test_the_array_object():
    x = wf.tensor(X)
    assert x.__array_namespace__(api_version="2024.12") is wf
    with pytest.raises(ValueError, match="2024.12"):
        x.__array_namespace__(api_version="2031.12")
    assert x.device == "cpu" and x.to_device("cpu") is x
    assert x.shape == (2, 3, 4) and x.ndim == 3 and x.size == 24 and x.dtype is wf.float64
    same(x.mT, X.swapaxes(1, 2))
    same(wf.tensor(X[0]).T, X[0].T)
    assert wf.tensor([1, 2, 3])[wf.tensor(1)].__index__() == 2
    same(wf.from_dlpack(X), X)
    same(x[x > 5], X[X > 5])
    same(x[wf.tensor([True, False])], X[[True, False]])


def test_limits_of_dtypes():
    for name in ("float32", "float64"):
        ours, theirs = wf.finfo(getattr(wf, name)), np.finfo(name)
        assert (ours.bits, ours.eps, ours.max, ours.min, ours.smallest_normal) == (
            theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal)
    for name in ("int8", "uint8", "int64", "uint64"):
        assert (wf.iinfo(getattr(wf, name)).max, wf.iinfo(getattr(wf, name)).min) == (np.iinfo(name).max, np.iinfo(name).min)
    assert wf.isdtype(wf.int8, ("real floating", "signed integer")) and not wf.isdtype(wf.bool, "numeric")


def test_copies():
    x = wf.tensor(X)
    assert wf.asarray(x, copy=False) is x
    assert not wf._core._shares_memory(wf.asarray(x, copy=True), x)
    with pytest.raises(ValueError, match="copy=False"):
        wf.asarray(X.copy(), copy=False)
