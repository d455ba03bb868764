"""What the array API standard 2024.12 says of its functions beside signatures and elementwise special cases."""

import math

import inspect

import numpy as np
import pytest

import weft as wf
from test_array_api import BINARY, DTYPES

INF, NAN = math.inf, math.nan
FLOATS = ("float32", "float64", "complex64", "complex128")


def values(x):
    return x.numpy().tolist()


def is_nan(x):
    return bool(wf.isnan(x).numpy().all())


# ---- Python numbers among tensors ----


@pytest.mark.parametrize("name", BINARY)
def test_one_of_two_arguments_may_be_a_number(name):
    if name.startswith("logical"):
        x, number = wf.tensor([True, False]), True
    elif name.startswith("bitwise"):
        x, number = wf.tensor([1, 2], dtype=wf.int16), 2
    else:
        x, number = wf.tensor([1.5, 2.0], dtype=wf.float32), 2.0
    function, full = getattr(wf, name), wf.full_like(x, number)
    for got, wanted in ((function(x, number), function(x, full)), (function(number, x), function(full, x))):
        assert got.dtype is wanted.dtype and values(got) == values(wanted)


def test_where_and_clip_take_numbers():
    mask, x = wf.tensor([True, False]), wf.tensor([1.0, 2.0], dtype=wf.float64)
    assert wf.where(mask, x, 3).dtype is wf.float64 and values(wf.where(mask, 3, x)) == [3.0, 2.0]
    assert values(wf.clip(wf.tensor([1, 9], dtype=wf.int8), 2, 5)) == [2, 5]
    assert wf.clip(x, max=1.5).dtype is wf.float64 and values(wf.clip(x, 1.5)) == [1.5, 2.0]


def test_result_type_of_numbers_and_tensors():
    x = wf.ones(2, dtype=wf.int8)
    assert wf.result_type(x, 3) is wf.int8 and wf.result_type(wf.float64, 3) is wf.float64
    assert wf.result_type(wf.ones(1, dtype=wf.float32), 2.5, wf.float64) is wf.float64
    assert wf.result_type(wf.ones(1, dtype=wf.complex64), 1j) is wf.complex64
    assert wf.result_type(wf.bool, True) is wf.bool and wf.result_type(x) is wf.int8
    assert wf.result_type(wf.ones(1, dtype=wf.float32), 1j) is wf.complex64
    with pytest.raises(ValueError):
        wf.result_type()


def test_can_cast_follows_promotion():
    assert wf.can_cast(wf.int8, wf.int16) and not wf.can_cast(wf.int16, wf.int8)
    assert wf.can_cast(wf.uint8, wf.int16) and not wf.can_cast(wf.uint8, wf.int8)
    assert wf.can_cast(wf.ones(1, dtype=wf.float32), wf.complex64) and not wf.can_cast(wf.complex64, wf.float32)


KINDS = {"bool": {"bool"}, "signed integer": {"int8", "int16", "int32", "int64"},
         "unsigned integer": {"uint8", "uint16", "uint32", "uint64"}, "real floating": {"float32", "float64"},
         "complex floating": {"complex64", "complex128"}}
KINDS["integral"] = KINDS["signed integer"] | KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] | KINDS["real floating"] | KINDS["complex floating"]


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_dtypes(kind):
    for name in DTYPES:
        dtype = getattr(wf, name)
        assert wf.isdtype(dtype, kind) == (name in KINDS[kind])
        assert wf.isdtype(dtype, (kind, dtype)) and wf.isdtype(dtype, dtype) and wf.isdtype(dtype, kind=(kind,)) == (name in KINDS[kind])
    with pytest.raises(ValueError):
        wf.isdtype(wf.int8, "floats")


def test_limits_of_dtypes_and_tensors():
    for info in (wf.finfo(wf.complex64), wf.finfo(wf.ones(2))):
        assert info.dtype is wf.float32 and info.bits == 32 and type(info.eps) is float
    assert wf.iinfo(wf.ones(2, dtype=wf.uint8)).max == 255 and wf.iinfo(wf.int16).dtype is wf.int16


def test_a_tensor_as_a_python_number():
    for number in (True, 2, 2.5, -0.0, INF, 1 + 2j, 0j):
        x = wf.tensor(number)
        assert bool(x) is bool(number) and complex(x) == complex(number)
        if not isinstance(number, complex):
            assert float(x) == float(number)
            if math.isfinite(number):
                assert int(x) == int(number)
    assert bool(wf.tensor(NAN)) and bool(wf.tensor(complex(0, NAN)))
    nan = complex(wf.tensor(NAN))
    assert math.isnan(nan.real) and math.isnan(nan.imag)
    with pytest.raises(ValueError):
        int(wf.tensor(NAN))
    for number in (INF, -INF):
        with pytest.raises(OverflowError):
            int(wf.tensor(number))
    for bad in (wf.tensor(2.0), wf.tensor(1j)):
        with pytest.raises(TypeError):
            bad.__index__()


# ---- statistics ----


def test_dtypes_of_sums():
    for name in DTYPES[1:]:
        x = wf.ones((2, 2), dtype=getattr(wf, name))
        wide = "int64" if name.startswith("int") else "uint64" if name.startswith("uint") else name
        results = wf.sum(x), wf.prod(x), wf.cumulative_sum(x, axis=0), wf.cumulative_prod(x, axis=1), wf.linalg.trace(x)
        assert [r.dtype.name for r in results] == [wide] * 5
        for function in (wf.sum, wf.prod, wf.linalg.trace):
            assert function(x, dtype=wf.complex128).dtype is wf.complex128
    # The cast comes first, so that nothing overflows.
    assert wf.sum(wf.full(3, 100, dtype=wf.int8), dtype=wf.float64).item() == 300
    assert wf.cumulative_sum(wf.full(3, 100, dtype=wf.int8)).numpy()[-1] == 300
    assert wf.sum(wf.full(2, 1e38, dtype=wf.float32), dtype=wf.float64).item() > 1.9e38


def test_reductions_of_nothing():
    for name in DTYPES[1:]:
        empty = wf.zeros((0, 3), dtype=getattr(wf, name))
        assert values(wf.sum(empty, axis=0)) == [0, 0, 0] and values(wf.prod(empty, axis=0)) == [1, 1, 1]
        assert wf.sum(empty).item() == 0 and wf.linalg.trace(empty).item() == 0
        assert wf.sum(empty, axis=1).shape == (0,)
        assert values(wf.cumulative_sum(empty, axis=0, include_initial=True)) == [[0, 0, 0]]
        assert values(wf.cumulative_prod(empty, axis=0, include_initial=True)) == [[1, 1, 1]]
    for name in FLOATS:
        mean = wf.mean(wf.zeros(0, dtype=getattr(wf, name))).item()
        assert math.isnan(mean.real) and (name.startswith("float") or math.isnan(mean.imag))
    assert wf.all(wf.zeros(0)).item() is True and wf.any(wf.zeros(0)).item() is False
    assert wf.count_nonzero(wf.zeros(0)).item() == 0
    for function in (wf.max, wf.min, wf.argmax, wf.argmin):
        with pytest.raises(ValueError, match="no elements"):
            function(wf.zeros(0))


def test_too_few_elements_have_no_deviation():
    x = wf.tensor([1.0, 3.0])
    for function in (wf.var, wf.std):
        assert is_nan(function(wf.zeros(0))) and is_nan(function(x, correction=2)) and is_nan(function(x, correction=2.5))
        assert function(x).item() == 1 and not is_nan(function(x, correction=1.5))


def test_nan_goes_through_statistics():
    x = wf.tensor([[1.0, NAN, 3.0], [1.0, 2.0, 3.0]])
    for function in (wf.max, wf.min, wf.mean, wf.std, wf.var, wf.sum, wf.prod):
        assert [math.isnan(v) for v in values(function(x, axis=1))] == [True, False]
        assert is_nan(function(x))
    for function in (wf.cumulative_sum, wf.cumulative_prod):
        assert np.isnan(function(x, axis=1).numpy()).tolist() == [[False, True, True], [False] * 3]
    assert wf.all(x).item() is True and wf.count_nonzero(x).item() == 6


def test_sums_and_products_are_repeated_additions_and_multiplications():
    assert is_nan(wf.sum(wf.tensor([INF, 1.0, -INF]))) and wf.sum(wf.tensor([INF, 1.0])).item() == INF
    assert is_nan(wf.prod(wf.tensor([INF, 0.0]))) and wf.prod(wf.tensor([-INF, 2.0])).item() == -INF
    running = values(wf.cumulative_sum(wf.tensor([1.0, INF, -INF, 2.0])))
    assert running[:2] == [1.0, INF] and all(map(math.isnan, running[2:]))
    running = values(wf.cumulative_prod(wf.tensor([2.0, -INF, 0.0])))
    assert running[:2] == [2.0, -INF] and math.isnan(running[2])
    total = wf.sum(wf.tensor([complex(NAN, 1), complex(2, 3)])).item()
    assert math.isnan(total.real) and total.imag == 4
    assert wf.prod(wf.tensor([1 + 2j, 3 - 4j])).item() == 11 + 2j
    assert values(wf.cumulative_prod(wf.tensor([1 + 2j, 3 - 4j]))) == [1 + 2j, 11 + 2j]


def test_running_sums_need_an_axis_for_several():
    for function, first in ((wf.cumulative_sum, 0), (wf.cumulative_prod, 1)):
        with pytest.raises(ValueError, match="axis"):
            function(wf.ones((2, 2)))
        assert values(function(wf.ones((2, 2)), axis=-1, include_initial=True))[0][0] == first
        assert function(wf.ones((2, 3)), axis=0, include_initial=True).shape == (3, 3)
        assert function(wf.ones(3, dtype=wf.int8), dtype=wf.int8).dtype is wf.int8


# ---- searching, sorting, sets ----


def test_nonzero_needs_an_axis():
    with pytest.raises(ValueError, match="rank 0"):
        wf.nonzero(wf.tensor(1.0))
    rows, columns = wf.nonzero(wf.tensor([[0j, 1j], [complex(NAN, 0), 0j]]))
    assert values(rows) == [0, 1] and values(columns) == [1, 0] and rows.dtype is wf.int64


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    x, v = np.array([-1.0, 0.0, 2.0, 2.0, 5.0]), np.array([[-9.0, -1.0, 1.0], [2.0, 5.0, 9.0]])
    got = wf.searchsorted(wf.tensor(x), wf.tensor(v), side=side)
    assert got.dtype is wf.int64 and values(got) == np.searchsorted(x, v, side=side).tolist()
    assert values(got)[0][0] == 0 and values(got)[1][2] == 5
    mixed = np.array([3, 1, 4, 0, 2])
    got = wf.searchsorted(wf.tensor(x[mixed]), wf.tensor(v), side=side, sorter=wf.tensor(np.argsort(mixed)))
    assert values(got) == np.searchsorted(x, v, side=side).tolist()
    assert wf.searchsorted(wf.tensor(x), wf.tensor(1.0), side=side).shape == ()


@pytest.mark.parametrize("descending", [False, True])
def test_sorting_is_stable_both_ways(descending):
    x = wf.tensor([[2, 1, 2, 1, 3], [0, 0, 0, 0, 0]])
    order = values(wf.argsort(x, descending=descending))
    assert order == ([[4, 0, 2, 1, 3]] if descending else [[1, 3, 0, 2, 4]]) + [[0, 1, 2, 3, 4]]
    assert wf.argsort(x, descending=descending, stable=False).dtype is wf.int64
    assert values(wf.sort(x, axis=0, descending=descending)) == np.sort(x.numpy(), axis=0)[::-1 if descending else 1].tolist()
    assert values(wf.sort(x, descending=descending, stable=False))[0] == sorted([2, 1, 2, 1, 3], reverse=descending)
    assert wf.sort(wf.zeros((0, 2)), axis=0, descending=descending).shape == (0, 2)


def test_each_nan_is_distinct_and_both_zeros_are_one():
    x = wf.tensor([[1.0, NAN, -0.0], [0.0, NAN, 1.0]])
    every = wf.unique_all(x)
    assert every._fields == ("values", "indices", "inverse_indices", "counts")
    assert values(every.counts) == [2, 2, 1, 1] and values(every.indices) == [2, 0, 1, 4]
    assert values(every.values)[:2] == [0.0, 1.0] and all(map(math.isnan, values(every.values)[2:]))
    assert every.inverse_indices.shape == (2, 3) and values(every.inverse_indices) == [[1, 2, 0], [0, 3, 1]]
    assert wf.unique_counts(x)._fields == ("values", "counts") and wf.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert wf.unique_values(x).shape == (4,) and wf.unique_values(x).dtype is wf.float32
    z = wf.unique_counts(wf.tensor([complex(NAN, 1), complex(NAN, 1), 1j, 1j, complex(1, NAN)]))
    assert sorted(values(z.counts)) == [1, 1, 1, 2]
    for name in ("bool", "int8", "uint64", "float64", "complex64"):
        got = wf.unique_all(wf.tensor([1, 0, 1], dtype=getattr(wf, name)))
        assert got.values.dtype.name == name and values(got.counts) == [1, 2] and values(got.inverse_indices) == [1, 0, 1]
    assert wf.unique_values(wf.zeros((0, 2))).shape == (0,)


# ---- moving and indexing ----


def test_concat_flattens_without_an_axis():
    joined = wf.concat([wf.tensor([[1, 2], [3, 4]]), wf.tensor(5)[None], wf.zeros((0,), dtype=wf.int64)], axis=None)
    assert values(joined) == [1, 2, 3, 4, 5]
    assert wf.concat([wf.ones(1, dtype=wf.int8), wf.ones(1, dtype=wf.int16)]).dtype is wf.int16
    assert values(wf.concat((wf.tensor([1.0]), wf.tensor([2.0])), axis=-1)) == [1.0, 2.0]


def test_take_and_its_axes():
    x = wf.tensor(np.arange(6).reshape(2, 3))
    assert values(wf.take(x[0], wf.tensor([2, -3]))) == [2, 0]
    assert values(wf.take(x, wf.tensor([[1], [0]]), axis=-1)) == [[[1], [0]], [[4], [3]]]
    with pytest.raises(ValueError, match="axis"):
        wf.take(x, wf.tensor([0]))
    assert values(wf.take_along_axis(x, wf.tensor([[2], [0]]))) == [[2], [3]]
    assert values(wf.take_along_axis(x, wf.tensor([[1, 0, 1]]), axis=0)) == [[3, 1, 5]]
    assert values(wf.take_along_axis(x, wf.tensor([[0], [1]]), axis=-1)) == [[0], [4]]


def test_an_index_out_of_range_under_vmap_is_named_by_its_own_position():
    x, indices = wf.ones((2, 3, 4)), wf.tensor([[0, 1], [7, 0]])
    with pytest.raises(IndexError, match=r"take: index 7 at position \[1, 0\] is out of range for axis 1 with size 3"):
        wf.vmap(lambda a, i: wf.take(a, i, axis=0))(x, indices)
    with pytest.raises(IndexError, match=r"index 7 at position \[1, 0, 0\] is out of range for axis 2 with size 3"):
        wf.vmap(wf.vmap(lambda a, i: wf.take(a, i, axis=0)))(x[:, None], indices.reshape((2, 1, 2)).broadcast_to((2, 1, 2)))


def test_shapes_that_do_not_fit():
    x = wf.ones((2, 3))
    for call in (lambda: wf.squeeze(x, 0), lambda: wf.reshape(x, (4,)), lambda: wf.broadcast_to(x, (2, 4)),
                 lambda: wf.permute_dims(x, (0, 0)), lambda: wf.stack([x, x[0]]), lambda: wf.concat([x, wf.ones((2, 3, 1))])):
        with pytest.raises(ValueError):
            call()
    for axis in (3, -4):
        with pytest.raises(IndexError):
            wf.expand_dims(x, axis=axis)
    with pytest.raises(IndexError):
        wf.unstack(x, axis=2)


def test_creation_by_the_kind_of_number():
    for number, dtype in ((True, wf.bool), (2, wf.int64), (2.0, wf.float32), (2j, wf.complex64)):
        assert wf.full(2, number).dtype is dtype and wf.asarray(number).dtype is dtype
    assert wf.arange(3).dtype is wf.int64 and wf.arange(3.0).dtype is wf.float32 and wf.linspace(0, 1, 3).dtype is wf.float32
    assert wf.linspace(0, 1j, 3).dtype is wf.complex64
    assert values(wf.arange(5, 0, -2)) == [5, 3, 1] and wf.arange(2, 2).shape == (0,) and wf.arange(3, 1).shape == (0,)
    assert values(wf.linspace(0, 8, 4, endpoint=False)) == [0, 2, 4, 6] and values(wf.linspace(3, 5, 1)) == [3]
    assert wf.linspace(0, 1, 0).shape == (0,)
    assert values(wf.eye(2, 3, k=-1)) == [[0, 0, 0], [1, 0, 0]] and wf.eye(0).shape == (0, 0)
    for function in (wf.zeros_like, wf.ones_like, wf.empty_like):
        assert function(wf.ones((2, 1), dtype=wf.int8)).dtype is wf.int8 and function(wf.ones(2), dtype=wf.bool).dtype is wf.bool
    with pytest.raises(ValueError):
        wf.meshgrid(wf.ones(2), wf.ones(2), indexing="yx")


def test_constants():
    assert (wf.e, wf.pi, wf.inf, wf.newaxis) == (math.e, math.pi, INF, None) and math.isnan(wf.nan)


# ---- the extensions ----


def test_determinants_of_singular_matrices():
    for name in FLOATS:
        sign, logarithm = wf.linalg.slogdet(wf.ones((2, 2), dtype=getattr(wf, name)))
        assert sign.item() == 0 and logarithm.item() == -INF
        assert sign.dtype.name == name and logarithm.dtype.name == {"complex64": "float32", "complex128": "float64"}.get(name, name)
    assert wf.linalg.slogdet(wf.ones((2, 2)))._fields == ("sign", "logabsdet")
    assert wf.linalg.det(wf.zeros((3, 0, 0))).numpy().tolist() == [1, 1, 1]


def test_results_of_factorizations_have_names():
    x = wf.tensor([[2.0, 1.0], [1.0, 3.0]])
    assert wf.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors") and wf.linalg.qr(x)._fields == ("Q", "R")
    assert wf.linalg.svd(x)._fields == ("U", "S", "Vh")


def test_bounds_of_the_rank_may_be_given_for_each_matrix():
    x = wf.tensor(np.stack([np.diag([1.0, 0.3, 0.1])] * 2))
    bounds = wf.tensor([0.2, 0.5], dtype=wf.float64)
    assert values(wf.linalg.matrix_rank(x, rtol=bounds)) == [2, 1]
    assert values(wf.linalg.matrix_rank(x, rtol=0.2)) == [2, 2]
    got = wf.linalg.pinv(x, rtol=bounds).numpy()
    wanted = np.stack([np.linalg.pinv(a, rcond=r) for a, r in zip(x.numpy(), (0.2, 0.5))])
    np.testing.assert_allclose(got, wanted, atol=1e-14)
    assert wf.linalg.pinv(x[0], rtol=wf.tensor(0.2)).shape == (3, 3)


@pytest.mark.parametrize("function, x, rtol, text", [
    (wf.linalg.pinv, (2, 3, 3), wf.ones(3), "pinv: rtol has shape [3] and x [2, 3, 3]; rtol must broadcast to the axes before the last two, [2] "
     "[pinv.rtol]"),
    (wf.linalg.pinv, (3, 3), wf.ones(2), "pinv: rtol has shape [2] and x [3, 3]; rtol must broadcast to the axes before the last two, [] [pinv.rtol]"),
    (wf.linalg.matrix_rank, (4, 1, 3), wf.ones((2, 3)), "matrix_rank: rtol has shape [2, 3] and x [4, 1, 3]; rtol must broadcast to the axes before "
     "the last two, [4] [matrix_rank.rtol]"),
    (wf.linalg.matrix_rank, (4, 3, 3), wf.ones(4, dtype="complex64"), "matrix_rank: rtol has dtype complex64; bounds are real numbers "
     "[matrix_rank.rtol]"),
    (wf.linalg.matrix_rank, (3,), wf.ones(()), "matrix_rank: a matrix needs at least 2 axes, but the input has shape [3] [matrix_rank.rank]"),
    (wf.linalg.pinv, (3,), wf.ones(()), "pinv: a matrix needs at least 2 axes, but the input has shape [3] [pinv.rank]"),
])
def test_bounds_of_the_rank_that_fit_no_matrix_raise(function, x, rtol, text):
    with pytest.raises(wf.Error) as error:
        function(wf.ones(x), rtol=rtol)
    assert str(error.value) == text


@pytest.mark.parametrize("function", [wf.linalg.pinv, wf.linalg.matrix_rank])
def test_bounds_of_the_rank_of_no_matrix_raise(function):
    with pytest.raises(wf.Error, match=rf"^{function.__name__}: x must be a tensor.*\[{function.__name__}.argument\]"):
        function(lambda x: x, rtol=wf.ones(2))


def test_conjugates_in_products():
    a, b = wf.tensor([1 + 2j, 3j]), wf.tensor([2j, 1 - 1j])
    assert wf.vecdot(a, b).item() == np.vdot(a.numpy(), b.numpy()) and wf.linalg.vecdot(a, b).item() == wf.vecdot(a, b).item()
    assert values(wf.linalg.outer(a, b)) == np.outer(a.numpy(), b.numpy()).tolist()


def test_frequencies_take_a_device():
    for function in (wf.fft.fftfreq, wf.fft.rfftfreq):
        got = function(5, d=0.5, dtype=wf.float64, device="cpu").numpy()
        np.testing.assert_allclose(got, getattr(np.fft, function.__name__)(5, 0.5), rtol=1e-15)
    assert wf.fft.fftfreq(4).dtype is wf.float32


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("operation", ["+", "-", "*", "/", "**", "==", "!="])
def test_a_complex_number_beside_a_tensor(operation, dtype):
    x = np.array([1.5, 2.0, 0.25]).astype(dtype)
    kind = "complex64" if dtype in ("float32", "complex64") else "complex128"
    for number in (0j, 2 + 0j, 3j, 1 - 2j):
        for code in (f"x {operation} number", f"number {operation} x"):
            if code in ("x / number", "number ** x") and number == 0:
                continue
            found = eval(code, {"x": wf.tensor(x), "number": number})
            expected = eval(code, {"x": x, "number": number})
            assert found.dtype == (wf.bool if operation in ("==", "!=") else getattr(wf, kind)), code
            assert np.allclose(found, expected, rtol=1e-5), (code, number)
            traced = wf.function(lambda x: eval(code, {"x": x, "number": number}))(wf.tensor(x))
            assert wf.fingerprint(traced) == wf.fingerprint(found)


def test_frequencies_take_the_device():
    for f in (wf.fft.fftfreq, wf.fft.rfftfreq):
        assert f(4, device="cpu").tolist() == f(4).tolist()
        assert inspect.signature(f).parameters["device"].kind is inspect.Parameter.KEYWORD_ONLY
        with pytest.raises(wf.Error):
            f(4, device="cuda")


def test_a_mask_without_elements_selects_nothing():
    x = wf.ones((3, 4))
    assert x[wf.zeros((0,), dtype="bool")].shape == (0, 4)
    assert x[wf.zeros((3, 0), dtype="bool")].shape == (0,)
    assert x.at[wf.zeros((0,), dtype="bool")].set(7).tolist() == x.tolist()
    with pytest.raises(IndexError):
        x[wf.zeros((0, 3), dtype="bool")]


def test_the_sign_of_zero_is_zero():
    for dtype in ("float16", "float32", "float64"):
        assert not np.signbit(np.asarray(wf.sign(wf.tensor([-0.0, 0.0], dtype=dtype)))).any()
