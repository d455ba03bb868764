"""Python numbers beside tensors: they take the tensor's dtype, and one that does not fit raises."""

import numpy as np
import pytest

import weft as wf

U8 = wf.tensor([1, 2], dtype=wf.uint8)
F16 = wf.tensor([1.0, 2.0], dtype=wf.float16)


@pytest.mark.parametrize("call, op, argument, value, holds", [
    (lambda: U8 + 300, "add", "b", "300", "uint8 holds 0 to 255"),
    (lambda: 300 + U8, "add", "a", "300", "uint8 holds 0 to 255"),
    (lambda: U8 - -1, "subtract", "b", "-1", "uint8 holds 0 to 255"),
    (lambda: U8 < 256, "less", "b", "256", "uint8 holds 0 to 255"),
    (lambda: wf.maximum(U8, 300), "maximum", "b", "300", "uint8 holds 0 to 255"),
    (lambda: wf.clip(U8, 0, 300), "clip", "max", "300", "uint8 holds 0 to 255"),
    (lambda: wf.clip(U8, min=-1), "clip", "min", "-1", "uint8 holds 0 to 255"),
    (lambda: wf.where(U8 > 1, U8, 300), "where", "b", "300", "uint8 holds 0 to 255"),
    (lambda: wf.full((2,), 300, dtype=wf.uint8), "full", "fill_value", "300", "uint8 holds 0 to 255"),
    (lambda: wf.full_like(U8, -1), "full_like", "fill_value", "-1", "uint8 holds 0 to 255"),
    (lambda: U8.at[0].set(256), "slice_update", "value", "256", "uint8 holds 0 to 255"),
    (lambda: U8.at[0].add(256), "add", "b", "256", "uint8 holds 0 to 255"),
    (lambda: wf.stack([U8[0], 256]), "stack", "xs[1]", "256", "uint8 holds 0 to 255"),
    (lambda: wf.tensor([300], dtype=wf.uint8), "tensor", "data", "300", "uint8 holds 0 to 255"),
    (lambda: wf.asarray(-1, dtype=wf.uint16), "asarray", "obj", "-1", "uint16 holds 0 to 65535"),
    (lambda: wf.arange(300, dtype=wf.uint8), "arange", "stop", "299", "uint8 holds 0 to 255"),
    (lambda: wf.tensor([1]) + 2**63, "add", "b", str(2**63), "int64 holds -9223372036854775808 to 9223372036854775807"),
    (lambda: F16 * 100000, "multiply", "b", "100000", "float16 holds -65504 to 65504"),
    (lambda: F16 * 1e5, "multiply", "b", "1e+05", "float16 holds -65504 to 65504"),
    (lambda: wf.tensor([1.0]) + 1e39, "add", "b", "1e+39", "float32 holds -3.4028235e+38 to 3.4028235e+38"),
    (lambda: wf.tensor(1e39), "tensor", "data", "1e+39", "float32 holds"),
    (lambda: wf.tensor([1e39j]), "tensor", "data", "1e+39j", "complex64 holds"),
    (lambda: wf.linspace(0, 1e39, 3), "linspace", "stop", "1e+39", "float32 holds"),
])
def test_what_does_not_fit_raises(call, op, argument, value, holds):
    with pytest.raises(OverflowError) as caught:
        call()
    error = caught.value
    assert isinstance(error, wf.Error) and error.law == f"{op}.fits"
    for word in (f"{op}: ", argument, f" {value}, but {holds}"):
        assert word in str(error), str(error)


@pytest.mark.parametrize("call, words", [
    (lambda: wf.full((2,), 1.5, dtype=wf.int32), "full: fill_value is 1.5, which is no int32"),
    (lambda: wf.full((2,), 1j, dtype=wf.float32), "full: fill_value is 0.0+1.0j, which is no float32"),
    (lambda: wf.full_like(U8, 0.5), "full_like: fill_value is 0.5, which is no uint8"),
    (lambda: wf.tensor([1.5], dtype=wf.int8), "tensor: data holds 1.5, which is no integer"),
    (lambda: wf.tensor([1j], dtype=wf.float32), "tensor: data holds a complex number"),
])
def test_what_is_of_a_higher_kind_raises(call, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert words in str(caught.value) and isinstance(caught.value, wf.Error)


@pytest.mark.parametrize("call, expected, dtype", [
    (lambda: U8 + 254, [255, 0], "uint8"),  # the sum wraps, the scalar fits
    (lambda: wf.tensor([1], dtype=wf.uint64) + (2**64 - 2), [2**64 - 1], "uint64"),
    (lambda: U8 * 1.5, [1.5, 3.0], "float32"),
    (lambda: U8 + 1j, [1 + 1j, 2 + 1j], "complex64"),
    (lambda: wf.tensor([True]) + 1, [2], "int64"),
    (lambda: U8 + True, [2, 3], "uint8"),
    (lambda: F16 + 1e-9, [1.0, 2.0], "float16"),
    (lambda: wf.tensor([1.0]) + float("inf"), [float("inf")], "float32"),
    (lambda: wf.full((1,), 2.0, dtype=wf.int32), [2], "int32"),
    (lambda: wf.full((1,), 0.1, dtype=wf.float64), [0.1], "float64"),
    (lambda: wf.cast(0.1, wf.float64).reshape(1), [0.1], "float64"),
    (lambda: wf.full_like(wf.tensor([1.0], dtype=wf.float64), 0.1), [0.1], "float64"),
])
def test_what_fits_is_exact(call, expected, dtype):
    out = call()
    assert str(out.dtype) == dtype and out.tolist() == expected


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("number", [True, 3, 2.5, 1 - 2j])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (5000,)])
def test_scalars_equal_tensors_of_the_promoted_dtype(dtype, number, shape):
    """The short way of x + 1.0 (and of rank 0, and of values repeated by stride 0) gives what the long way gives."""
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7
    x = wf.cast(wf.tensor(a), dtype)
    common = wf.result_type(x, number)
    one = wf.cast(wf.tensor(number), common)
    whole = wf.cast(wf.tensor(np.full(shape, number)), common)
    for op in (wf.add, wf.multiply, wf.not_equal):
        if common is wf.bool and op is not wf.not_equal:
            continue
        expected = op(wf.cast(x, common), whole)
        for other in (number, one, wf.broadcast_to(one, shape)):
            for out in (op(x, other), op(other, x)):
                assert out.dtype == expected.dtype and out.shape == expected.shape
                np.testing.assert_array_equal(out.astype(wf.complex128).numpy(), expected.astype(wf.complex128).numpy())


def test_where_takes_scalars_the_short_way():
    x = wf.tensor([-1.0, 2.0, 3.0])
    assert wf.where(x > 0, x, 0).tolist() == [0.0, 2.0, 3.0]
    assert wf.where(x > 0, 1.5, x).tolist() == [-1.0, 1.5, 1.5]
    assert wf.where(x > 0, 1, 0).tolist() == [0, 1, 1]
    assert wf.where(True, x, wf.zeros((3,))).tolist() == [-1.0, 2.0, 3.0]


def test_clip_without_a_bound():
    x = wf.tensor([-2.0, 0.5, 3.0, float("nan")])
    np.testing.assert_array_equal(wf.clip(x, max=1.0), np.array([-2, 0.5, 1, np.nan], np.float32))
    np.testing.assert_array_equal(x.clip(-1), np.array([-1, 0.5, 3, np.nan], np.float32))
    np.testing.assert_array_equal(wf.clip(x, None, None), x.numpy())
    for dtype in (wf.uint8, wf.int8, wf.int64, wf.uint64):
        edge = wf.tensor([wf.iinfo(dtype).min, wf.iinfo(dtype).max], dtype=dtype)
        assert wf.clip(edge).tolist() == edge.tolist() and wf.clip(edge, max=5).tolist() == [edge.tolist()[0], 5]
    samples = [((x[:3],), {"max": 1.0}), ((x[:3],), {"min": -1.0}), ((x[:3],), {}), (x[:3], wf.tensor(-1.0), wf.tensor(1.0))]
    wf.testing.check_op(wf.clip, *samples, reference=lambda a, *b, min=-np.inf, max=np.inf: np.clip(a, *(b or (min, max))))


def test_optional_inputs_in_the_middle_may_be_left_out():
    key = wf.random.Key(0)
    assert wf.arange(5, step=2).tolist() == [0, 2, 4] and wf.arange(5, None, 2).tolist() == [0, 2, 4]
    draws = wf.random.uniform(key, (100,), high=0.5)
    assert 0 <= draws.min().item() and draws.max().item() < 0.5
    np.testing.assert_array_equal(wf.random.normal(key, (4,), std=2.0), 2 * wf.random.normal(key, (4,)).numpy())
    x = wf.tensor([[1.0, 3.0]])
    np.testing.assert_allclose(wf.nn.layer_norm(x, bias=wf.tensor([1.0, 1.0]), eps=0.0), [[0.0, 2.0]])
