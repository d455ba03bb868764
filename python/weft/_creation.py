"""Tensors from Python data and from other libraries."""

from . import _core, _hints


def _check_device(who, device):
    if device not in (None, "cpu"):
        raise _core.InvalidError(f"{who}: device is {device!r}, but the only device is 'cpu' [{who}.device]")


@_hints.spoken
def tensor(data, dtype=None, requires_grad=False, *, device=None):
    """A tensor of numbers, nested lists, an array, or anything with __array__ or __dlpack__.

    Floats become float32 and ints int64 unless `dtype` is given. Memory that others may write to is copied.
    With `requires_grad` it is a `Variable`: what can be differentiated and assigned to.

    >>> wf.tensor([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    _check_device("tensor", device)
    value = _core._tensor(data, dtype, "tensor")
    if not requires_grad:
        return value
    if "floating" not in value.dtype.kind:
        raise _core.WrongTypeError(f"tensor: requires_grad=True, but the data is {value.dtype}, which has no "
                                   "derivatives; give a floating dtype [tensor.requires_grad]")
    return _core.Variable(value)


@_hints.spoken
def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """The tensor itself, or a new one of the data; see `tensor`. `copy=True` always copies."""
    _check_device("asarray", device)
    if copy is not None:
        copy = _hints.as_flag(copy, "asarray", "copy")
    out = _core._tensor(obj, dtype, "asarray", "obj")
    if copy is False and not isinstance(obj, _core.Tensor) and not _core._is_foreign(out):
        raise _core.InvalidError("asarray: obj has to be copied (it is writable, or no array), "
                                 "but copy=False forbids it [asarray.copy]")
    if copy is False and isinstance(obj, _core.Tensor) and out is not obj and out.dtype != obj.dtype:
        raise _core.InvalidError(f"asarray: obj has dtype {obj.dtype}, so dtype={out.dtype} needs a copy, "
                                 "but copy=False forbids it [asarray.copy]")
    return _core._copied(out) if copy and (out is obj or _core._is_foreign(out)) else out


@_hints.spoken
def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor over the memory of another library's array, without copying (unless `copy=True`).

    Whoever owns the memory must not change it while the tensor lives.
    """
    _check_device("from_dlpack", device)
    return _core._from_dlpack(x, _hints.as_flag(copy, "from_dlpack", "copy"))
