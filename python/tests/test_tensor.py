"""Tensors: making them, their properties, printing, pickling, conversion to Python."""

import copy
import pickle

import numpy as np
import pytest

import weft as wf

DTYPES = [wf.bool, wf.uint8, wf.int8, wf.uint16, wf.int16, wf.uint32, wf.int32, wf.uint64, wf.int64, wf.float16,
          wf.bfloat16, wf.float32, wf.float64, wf.complex64, wf.complex128]


def same(t, a):
    a = np.asarray(a)
    assert t.shape == a.shape
    assert str(t.dtype) == a.dtype.name
    np.testing.assert_array_equal(np.asarray(t), a)


@pytest.mark.parametrize("data, dtype", [
    (1.5, "float32"), (3, "int64"), (True, "bool"), (1 + 2j, "complex64"), ([1, 2.5], "float32"), ([[1], [2]], "int64"),
    ([True, 2], "int64"), ([], "float32"), ([[], []], "float32"), ((1, 2, 3), "int64"), ([1j, 1], "complex64")])
def test_default_dtypes(data, dtype):
    same(wf.tensor(data), np.array(data, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtype_objects(dtype):
    assert dtype is getattr(wf, str(dtype)) and repr(dtype) == f"weft.{dtype}"
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    t = wf.tensor([1, 0], dtype=dtype)
    assert t.dtype is dtype and t.dtype == dtype and t.itemsize == dtype.itemsize
    if dtype is not wf.bfloat16:
        assert wf.tensor([1], dtype=np.dtype(str(dtype))).dtype is dtype
        assert wf.tensor([1], dtype=getattr(np, str(dtype))).dtype is dtype
    assert wf.tensor([1], dtype=str(dtype)).dtype is dtype


def test_python_types_are_dtypes():
    assert [wf.zeros((1,), dtype=t).dtype for t in (float, int, bool, complex)] == [
        wf.float32, wf.int64, wf.bool, wf.complex64]


def test_numbers_must_fit():
    with pytest.raises(OverflowError, match="holds 300, but uint8 holds 0 to 255"):
        wf.tensor([1, 300], dtype=wf.uint8)
    with pytest.raises(OverflowError, match="int64"):
        wf.tensor(2**63)
    assert wf.tensor(2**64 - 1, dtype=wf.uint64).item() == 2**64 - 1
    with pytest.raises(ValueError, match="1.5, which is no integer"):
        wf.tensor([1.5], dtype=wf.int32)
    with pytest.raises(TypeError, match="complex number, but dtype float32"):
        wf.tensor([1j], dtype=wf.float32)


@pytest.mark.parametrize("data", [[1, [2]], [[1, 2], [3]], [[1], 2]])
def test_lists_are_rectangular(data):
    with pytest.raises(ValueError, match="not rectangular"):
        wf.tensor(data)


def test_endless_list():
    data = []
    data.append(data)
    with pytest.raises(ValueError, match="nested more than 32 deep"):
        wf.tensor(data)


def test_list_of_arrays():
    same(wf.tensor([np.ones(2, np.float32), [3.0, 4.0]]), np.array([[1, 1], [3, 4]], np.float32))
    same(wf.tensor([wf.tensor([1, 2]), wf.tensor([3, 4])]), np.array([[1, 2], [3, 4]]))
    same(wf.tensor([np.float64(1), np.float64(2)]), np.array([1.0, 2.0]))


def test_properties():
    t = wf.tensor(np.zeros((2, 3, 4), np.float32))
    assert (t.shape, t.ndim, t.size, t.device, t.itemsize, t.nbytes) == ((2, 3, 4), 3, 24, "cpu", 4, 96)
    assert t.strides == (48, 16, 4) and len(t) == 2 and [r.shape for r in t] == [(3, 4), (3, 4)]
    m = wf.tensor([[1, 2], [3, 4]])
    assert m.T.tolist() == [[1, 3], [2, 4]] and t.mT.shape == (2, 4, 3)
    with pytest.raises(ValueError, match="x.mT"):
        t.T


def test_scalars():
    t = wf.tensor(2.5)
    assert (t.item(), float(t), int(t), complex(t), bool(t)) == (2.5, 2.5, 2, 2.5 + 0j, True)
    assert [10, 20, 30][wf.tensor(1)] == 20
    with pytest.raises(TypeError, match="is no index"):
        [1][wf.tensor(1.0)]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(wf.tensor([1, 2]))
    with pytest.raises(ValueError, match="exactly one"):
        wf.tensor([1, 2]).item()
    with pytest.raises(TypeError):
        len(t)
    with pytest.raises(TypeError):
        iter(t)
    assert f"{t:.2f}" == "2.50"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickle(dtype):
    t = wf.tensor([[1, 0, 1], [0, 1, 1]], dtype=dtype)[:, ::2]
    back = pickle.loads(pickle.dumps(t))
    assert back.tolist() == t.tolist() and back.dtype is dtype


def test_immutable():
    t = wf.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match=r"x.at\[\.\.\.\].set\(value\)"):
        t[0] = 3
    assert copy.deepcopy(t) is t and copy.copy(t) is t
    assert hash(t) == hash(t) and len({t, wf.tensor([1.0, 2.0])}) == 2
    with pytest.raises(TypeError):
        wf.Tensor()


def test_at():
    x = wf.tensor([1.0, 2.0, 3.0])
    assert x.at[1].set(9).tolist() == [1, 9, 3]
    assert x.at[1:].add(10).tolist() == [1, 12, 13]
    assert x.at[::2].multiply(wf.tensor([2.0, 3.0])).tolist() == [2, 2, 9]
    assert x.at[..., 0].get().item() == 1 and x.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="slice_update"):
        x.at[1:].set(wf.tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("values", [
    [1.0, 2.0], [1.0, 2.25], [1e10, 1.5], [float("nan"), -float("inf"), 1.0], [1e-5, 1.0], [0.1 + 0.2], [],
    [[1.5, -2.0], [3.0, 4.125]], 3.5, [123456789.0, 1.0], list(np.linspace(0, 1, 50)), [0.0], [1 / 3, 100.5]])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_repr_is_numpys(values, dtype):
    with np.errstate(over="ignore"):
        a = np.array(values, dtype)
    ours = repr(wf.tensor(a))
    theirs = np.array2string(a, separator=", ", prefix="tensor(", suffix=",")
    assert ours.startswith(f"tensor({theirs},")
    assert ours.endswith(f"dtype={dtype})")


@pytest.mark.parametrize("a", [
    np.arange(2000), np.arange(-3, 3, dtype=np.int8), np.array([True, False]), np.array(True), np.arange(1200).reshape(30, 40),
    np.arange(8).reshape(2, 2, 2), np.array([1 + 2j, 3.25 - 1j]), np.array([complex("nan"), 1j]),
    np.arange(3000.0).reshape(3, 10, 100) / 7, np.array([2**63], np.uint64)])
def test_repr_of_other_kinds(a):
    theirs = np.array2string(a, separator=", ", prefix="tensor(", suffix=",")
    assert repr(wf.tensor(a)).startswith(f"tensor({theirs},")


def test_repr_shape():
    assert repr(wf.zeros((0, 3))) == "tensor([], shape=(0, 3), dtype=float32)"
    assert repr(wf.zeros((0,))) == "tensor([], dtype=float32)"
    assert repr(wf.zeros((2000,))).endswith("shape=(2000,), dtype=float32)")
    assert repr(wf.tensor([0.1, 100], dtype=wf.bfloat16)) == "tensor([  0.1, 100. ], dtype=bfloat16)"


def test_html():
    assert "<table>" in wf.tensor([[1.0, 2.0]])._repr_html_()
    assert "<pre>" in wf.zeros((2, 2, 2))._repr_html_()


def test_methods_come_from_the_registry():
    x = wf.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum(axis=1).tolist() == [3, 7] and x.sum(1).tolist() == [3, 7]
    assert x.reshape(4).shape == (4,) and x.reshape(1, 4).shape == (1, 4) and x.reshape((4, 1)).shape == (4, 1)
    assert x.astype(wf.int32).dtype is wf.int32 and x.exp().shape == (2, 2)
    assert wf.tensor([1 + 2j]).imag.tolist() == [2.0]


def test_weak_references_and_gc():
    import weakref

    x = wf.tensor([1.0])
    ref = weakref.ref(x)
    assert ref() is x
    del x
    assert ref() is None


def test_ranges_are_lists():
    assert wf.tensor(range(4)).tolist() == [0, 1, 2, 3] and wf.tensor(range(0)).shape == (0,)


def test_ranges():
    for given in (range(5), range(0), range(7, -3, -2), range(2**62, 2**63 - 1, 2**61), range(3, 4, 2**70)):
        assert wf.tensor(given).tolist() == list(given) and wf.tensor(given).dtype is wf.tensor(list(given)).dtype
        assert wf.tensor(given, dtype="float64").tolist() == list(map(float, given))
    with pytest.raises(wf.OutOfMemoryError, match="allocate: .* bytes asked for"):
        wf.tensor(range(2**50))
    with pytest.raises(wf.TooLargeError, match=r"tensor: data is a range of 2\*\*63 numbers or more; a tensor holds less \[tensor.argument\]"):
        wf.tensor(range(2**64))
    with pytest.raises(wf.Error):
        wf.function(lambda: range(2**63 - 1))()
