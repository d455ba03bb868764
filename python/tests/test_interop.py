"""NumPy in and out, buffers, DLPack, NumPy's functions on our tensors."""

import array

import numpy as np
import pytest

import weft as wf
from peer_runs import run_in_peers

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64",
          "complex64", "complex128"]
LAYOUTS = [lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::2], lambda a: a[:0], lambda a: a[1, 2]]


def array_of(dtype):
    return (np.arange(12).reshape(3, 4) % 2 if dtype == "bool" else np.arange(12).reshape(3, 4)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_round_trip(dtype, layout):
    a = np.asarray(layout(array_of(dtype)))
    t = wf.tensor(a)
    assert t.shape == a.shape and str(t.dtype) == dtype
    back = t.numpy()
    np.testing.assert_array_equal(back, a)
    assert back.dtype == a.dtype and not back.flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dlpack_with_numpy(dtype, layout):
    a = np.asarray(layout(array_of(dtype)))
    t = wf.from_dlpack(a)
    np.testing.assert_array_equal(t.numpy(), a)
    back = np.from_dlpack(t)
    np.testing.assert_array_equal(back, a)
    assert not back.flags.writeable


def test_writable_memory_is_copied_and_read_only_is_borrowed():
    a = np.arange(1000.0)
    t = wf.tensor(a)
    a[0] = 7
    assert t[0].item() == 0 and not wf._core._is_foreign(t)
    a.flags.writeable = False
    t = wf.tensor(a)
    assert wf._core._is_foreign(t) and t.numpy().__array_interface__["data"] == a.__array_interface__["data"]
    del a
    assert t[-1].item() == 999


def test_from_dlpack_borrows():
    a = np.arange(1000.0)
    t = wf.from_dlpack(a)
    assert wf._core._is_foreign(t)
    copy = wf.from_dlpack(a, copy=True)
    a[0] = 5
    assert t[0].item() == 5 and copy[0].item() == 0


def test_dlpack_requests():
    t = wf.tensor([1.0, 2.0])
    assert t.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(t.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(t.__dlpack__())
    with pytest.raises(BufferError, match="read-only"):
        t.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="on the CPU"):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="max_version"):
        t.__dlpack__(max_version=3)
    with pytest.raises(TypeError, match="__dlpack__"):
        wf.from_dlpack(3)
    writable = np.from_dlpack(t, copy=True)
    writable[0] = 9
    assert t[0].item() == 1


def test_bfloat16():
    t = wf.tensor([1.5, -2.0], dtype=wf.bfloat16)
    try:
        import ml_dtypes
    except ImportError:
        with pytest.raises(TypeError, match="astype"):
            t.numpy()
        return
    assert t.numpy().dtype == ml_dtypes.bfloat16
    assert wf.tensor(t.numpy()).dtype is wf.bfloat16


def test_buffers():
    assert wf.tensor(array.array("d", [1.0, 2.0])).tolist() == [1.0, 2.0]
    assert wf.tensor(memoryview(b"\x01\x02")).tolist() == [1, 2]
    view = memoryview(wf.tensor([[1, 2], [3, 4]]))
    assert view.readonly and view.tolist() == [[1, 2], [3, 4]] and view.format == "l"
    with pytest.raises(BufferError):
        memoryview(wf.tensor([1.0], dtype=wf.bfloat16))


@pytest.mark.parametrize("bad, words", [
    (np.array(["a"]), "<U1"), (np.array([object()]), "object"), (np.array([1.0], ">f8"), ">f8"),
    (np.array(["2020"], "M8[D]"), "datetime64"), (np.zeros(1, [("a", "i4")]), "weft"), (b"abc", "bytes"), ("abc", "'abc'"),
    (None, "None"), ({}, "dict"), (object(), "object")])
def test_what_is_no_array(bad, words):
    with pytest.raises(TypeError, match=words):
        wf.tensor(bad)


def test_unaligned_and_odd_strides():
    raw = np.zeros(3, [("a", "i1"), ("b", "<f4")])
    raw["b"] = [1, 2, 3]
    assert wf.tensor(raw["b"]).tolist() == [1, 2, 3]


def test_asarray_copy():
    t = wf.tensor([1.0])
    assert wf.asarray(t) is t or wf._core._shares_memory(wf.asarray(t), t)
    assert not wf._core._shares_memory(wf.asarray(t, copy=True), t)
    with pytest.raises(ValueError, match="copy=False"):
        wf.asarray(np.zeros(3), copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        wf.asarray([1, 2], copy=False)


def test_array_protocol():
    t = wf.tensor([1.0, 2.0])
    assert np.array(t, dtype=np.float64).dtype == np.float64
    assert t.__array__(np.int32).tolist() == [1, 2]
    with pytest.raises(ValueError, match="copy=False"):
        t.__array__(np.int32, copy=False)
    assert np.array(t).flags.writeable


def test_ufuncs_run_our_ops():
    t = wf.tensor([1.0, 4.0])
    assert isinstance(np.add(t, 1), wf.Tensor) and np.sqrt(t).tolist() == [1, 2]
    mixed = np.array([1.0, 2.0]) + t
    assert isinstance(mixed, wf.Tensor) and mixed.dtype is wf.float64
    assert isinstance(np.float64(2) * t, wf.Tensor)
    assert np.add.reduce(t).tolist() == 5
    with pytest.raises(TypeError, match="weft has no op for it"):
        np.spacing(t)
    with pytest.raises(TypeError, match="tensors never change"):
        np.add(t, 1, out=np.zeros(2))


def test_numpy_functions_run_our_ops():
    t = wf.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert isinstance(np.sum(t, axis=0), wf.Tensor) and np.sum(t, axis=0).tolist() == [4, 6]
    assert np.reshape(t, (4,)).shape == (4,) and np.stack([t, t]).shape == (2, 2, 2)
    assert np.shape(t) == (2, 2) and np.ndim(t) == 2
    with pytest.raises(TypeError, match=r"numpy.linalg.eig"):
        np.linalg.eig(t)


def test_numpy_scalars_are_arrays_of_their_dtype():
    x = wf.tensor([1.0])
    assert (x + np.float64(1)).dtype is wf.float64 and (x + 1.0).dtype is wf.float32
    assert (wf.tensor([1], dtype=wf.int8) + np.int32(1)).dtype is wf.int32


def test_torch():
    torch = pytest.importorskip("torch")
    t = wf.tensor([[1.0, 2.0]])
    assert torch.from_dlpack(t).tolist() == [[1.0, 2.0]]
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3).T
    assert wf.from_dlpack(x).tolist() == x.tolist()
    assert wf.tensor(torch.ones(2, dtype=torch.bfloat16)).dtype is wf.bfloat16


def test_dlpack_with_pytorch():
    assert run_in_peers("dlpack_peer.py", "torch", seconds=120).strip().endswith("checks")
