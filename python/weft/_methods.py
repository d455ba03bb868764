"""Methods of Tensor that are written in Python, and the functions that go with them."""

from . import _core, _hints, _ops
from ._hints import brief as _brief
from ._core import Tensor, Variable


@_hints.spoken
def positive(x, /):
    """The tensor itself: +x."""
    return +_core._tensor(x, None, "positive", "x")


def _numpy(self):
    """A read-only NumPy array over the same memory."""
    import numpy

    value = _core._value(self, "x.numpy()")
    if value.size > 2**59:  # elements of 16 bytes, which NumPy counts in 64 bits
        raise _core.TooLargeError(f"size: NumPy does not count the bytes of shape {list(value.shape)} in 64 bits; use smaller sizes [size.overflow]")
    if value.dtype is not _core.bfloat16:
        return numpy.asarray(value)
    try:
        import ml_dtypes
    except ImportError:
        raise _core.WrongTypeError("numpy: NumPy has no bfloat16; use x.astype(wf.float32).numpy(), or install "
                                   "ml_dtypes [numpy.dtype]") from None
    return numpy.asarray(_core._bits(value)).view(ml_dtypes.bfloat16)


def _array(self, dtype=None, copy=None):
    array = _numpy(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"__array__: a {self.dtype} tensor has to be copied to become {dtype}, "
                             "but copy=False forbids it")
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_ufunc(self, ufunc, method, *inputs, **keywords):
    from . import _numpy_functions

    return _numpy_functions.call_ufunc(ufunc, method, inputs, keywords)


def _array_function(self, function, types, args, keywords):
    from . import _numpy_functions

    return _numpy_functions.call_function(function, args, keywords)


def _array_namespace(self, *, api_version=None):
    import weft

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise _core.InvalidError(f"__array_namespace__: api_version is {api_version!r}, but weft speaks up to "
                                 "'2024.12' [__array_namespace__.version]")
    return weft


def _to_device(self, device, /, *, stream=None):
    """The tensor on `device`; there is only the CPU."""
    if not isinstance(device, str) or device != "cpu":
        raise _core.InvalidError(f"to_device: device is {_brief(device)}, but the only device is 'cpu' [to_device.device]")
    return self


def _rebuild(data, dtype, shape):
    return _core._from_bytes(data, dtype, shape)


def _rebuild_variable(data, dtype, shape, name, trainable):
    return Variable(_rebuild(data, dtype, shape), name, trainable)


def _reduce(self):
    value = _core._to_bytes(self), self.dtype.name, self.shape
    if isinstance(self, Variable):
        return _rebuild_variable, (*value, self.name, self.trainable)
    return _rebuild, value


def _itself(self, memo=None):
    return self  # tensors never change: a copy could not be told apart


def _another_place(self, memo=None):
    """A new Variable of the same value, name and trainability; it has no gradient yet."""
    return Variable(self.value(), self.name, self.trainable)


def _round(self, digits=None):
    """round(x): the nearest whole numbers; round(x, digits): to that many decimals, in the dtype of x."""
    if digits is not None and not isinstance(digits, int):
        raise _core.WrongTypeError(f"round: digits must be an integer, but got {_brief(digits)} [round.argument]")
    return _ops.op("", "round")(self, decimals=digits or 0)


def _str(self):
    if _core._is_traced(self):  # late, like all that only tracing needs
        from ._rewrite.constructs.text import warn
        from ._rewrite.reads import watching

        if watching.watcher is not None:
            warn(self)
    return repr(self)


def _format(self, spec):
    if not isinstance(spec, str):
        _hints.need_text(spec, "__format__", "format_spec")
    if not spec:
        return _str(self)
    return format(_core._shown(self).item(), spec) if spec and self.size == 1 else repr(self)


def _repr_html(self):
    import html

    shape = " × ".join(map(str, self.shape)) or "scalar"
    head = f"<b>tensor</b> <code>{self.dtype}</code> [{shape}]"
    if self.ndim not in (1, 2) or not 0 < self.size <= 400:
        return f"{head}<pre>{html.escape(repr(self))}</pre>"
    rows = _core._shown(self).tolist()
    rows = rows if self.ndim == 2 else [rows]

    def cell(value):
        return f"<td>{value:.6g}</td>" if isinstance(value, float) else f"<td>{html.escape(str(value))}</td>"

    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"{head}<table>{body}</table>"


def _expect(self, sizes):
    """The tensor itself, whose sizes must be as said: numbers, names, and _ for any, as in x.expect("batch 784").

    In a graph a name means one size wherever it stands, and the graph's text and errors print it; a size that only a
    run knows is checked then.
    """
    if not isinstance(sizes, str):
        raise _core.WrongTypeError(f"expect: sizes must be a string such as 'batch 784', but got {_brief(sizes)} "
                                   "[expect.argument]")
    return _core._expect(self, sizes)


class _At:
    """x.at: the place of a functional update, x.at[index].set(value)."""

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __getitem__(self, index):
        return _Place(self._x, index)


class _Place:
    """x.at[index]: its methods give a changed copy of x."""

    __slots__ = ("_x", "_index")

    def __init__(self, x, index):
        self._x, self._index = x, index

    @_hints.spoken
    def get(self):
        """x[index]"""
        return self._x[self._index]

    @_hints.spoken
    def set(self, value):
        """A copy of x in which x[index] is `value`; of several updates of one element the last one stays."""
        return _core._index_update(self._x, self._index, value, 0)

    @_hints.spoken
    def add(self, value):
        """A copy of x in which `value` is added to x[index], as often as an element is named."""
        return _core._index_update(self._x, self._index, value, 1)

    @_hints.spoken
    def subtract(self, value):
        """A copy of x in which `value` is subtracted from x[index], as often as an element is named."""
        return _core._index_update(self._x, self._index, value, 2)

    @_hints.spoken
    def multiply(self, value):
        """A copy of x in which x[index] is multiplied by `value`, as often as an element is named."""
        return _core._index_update(self._x, self._index, value, 3)

    @_hints.spoken
    def divide(self, value):
        """A copy of x in which x[index] is divided by `value`, or by the product of all its updates."""
        return _core._index_update(self._x, self._index, value, 4)

    @_hints.spoken
    def min(self, value):
        """A copy of x in which x[index] is at most `value`."""
        return _core._index_update(self._x, self._index, value, 5)

    @_hints.spoken
    def max(self, value):
        """A copy of x in which x[index] is at least `value`."""
        return _core._index_update(self._x, self._index, value, 6)

    minimum, maximum, mul = min, max, multiply

    def __getattr__(self, name):
        raise _hints.missing_place(name)


Tensor.numpy = _numpy
Tensor.__array__ = _array
Tensor.__array_ufunc__ = _array_ufunc
Tensor.__array_function__ = _array_function
Tensor.__array_namespace__ = _array_namespace
Tensor.to_device = _to_device
Tensor.expect = _expect
Tensor.__reduce__ = _reduce
Tensor.__copy__ = _itself
Tensor.__deepcopy__ = _itself
Variable.__copy__ = _another_place
Variable.__deepcopy__ = _another_place
Tensor.__format__ = _format
Tensor.__str__ = _str
Tensor.__round__ = _round
Tensor._repr_html_ = _repr_html
Tensor.at = property(_At, doc="x.at[index].set(value) and others: functional updates.")
