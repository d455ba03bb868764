"""Numbers that a graph computes: what a traced branch or loop makes of Python's, computed as Python does and weak as they are."""

import operator

from . import _core

KINDS = (bool, int, float, complex)
_SMALL = frozenset(("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64", "float16"))
_BY_WORD = {"bool": bool, "integer": int, "floating": float}


def kind_of(x):
    """bool, int, float or complex of a number, Python's or a graph's; None of all else."""
    kind = type(x)
    return x.kind if kind is TracedNumber else kind if kind in KINDS else None


def as_tensor(x, kind):
    """A number, Python's or a graph's, as a tensor of the dtype that a graph keeps numbers of that kind in."""
    return _core._number_as(x, kind.__name__)


def tensor_of(x):
    """The tensor that a graph keeps a number in; all else as it is."""
    return x.__weft_tensor__ if type(x) is TracedNumber else x


class TracedNumber:
    """A bool, int, float or complex that only a run of the graph knows.

    Beside other numbers it is computed with as Python computes, in double precision or 64 bits; beside a tensor it takes
    the tensor's dtype, as a number does. Made of a number it is that number, and so is a tensor of rank 0 with a value, such as the
    result of a call.
    """

    __slots__ = ("__weft_tensor__", "kind")
    __array_ufunc__ = None  # NumPy leaves operators to us
    __hash__ = None

    def __new__(cls, x):
        if type(x) is cls or type(x) in KINDS:  # `type(i)(3)`
            return x
        number = _core._as_number(x)
        return number.item() if _core._has_value(number) else _weak(number)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return self.__weft_tensor__.__reduce__()  # which says that there is no value yet

    def __repr__(self):
        return f"a traced {self.kind.__name__}"

    def __str__(self):
        return str(self.__weft_tensor__)

    def __format__(self, spec):
        return format(self.__weft_tensor__, spec)

    # What needs the number itself says that there is none yet, as a tensor does.
    def __bool__(self):
        return bool(self.__weft_tensor__)

    def __int__(self):
        return int(self.__weft_tensor__)

    def __float__(self):
        return float(self.__weft_tensor__)

    def __complex__(self):
        return complex(self.__weft_tensor__)

    def __index__(self):
        return operator.index(self.__weft_tensor__)

    def __pos__(self):
        return self

    def __neg__(self):
        return _computed("neg", self)

    def __abs__(self):
        return _computed("abs", self)

    def __invert__(self):
        return -self - 1

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __lshift__(self, other):
        return self * 2 ** other

    def __rlshift__(self, other):
        return other * 2 ** self

    def __rshift__(self, other):
        return self // 2 ** other

    def __rrshift__(self, other):
        return other // 2 ** self


def _weak(tensor):
    out = object.__new__(TracedNumber)
    out.__weft_tensor__ = tensor
    out.kind = next((kind for word, kind in _BY_WORD.items() if word in tensor.dtype.kind and "complex" not in tensor.dtype.kind),
                    complex)
    return out


def _computed(operation, *numbers):
    return _weak(_core._number(operation, *numbers))


def _is_number(x):
    return type(x) in KINDS or isinstance(x, (TracedNumber, _core.Dim, _core.SizeFloat))


def _beside(number, other):
    """What stands for the number beside a tensor: one of a small dtype makes the run check that it holds the number."""
    dtype = getattr(other, "dtype", None)
    is_small = dtype is _core.float16 if number.kind is float else number.kind is int and str(dtype) in _SMALL
    return _core._number(str(dtype), number) if is_small else number.__weft_tensor__


def _binary(operation, apply):
    def forward(self, other):
        return _computed(operation, self, other) if _is_number(other) else apply(_beside(self, other), other)

    def backward(self, other):
        return _computed(operation, other, self) if _is_number(other) else apply(other, _beside(self, other))

    return forward, backward


def converted(kind, x):
    """kind(x) of a number that a graph computes, for bool, int and float."""
    return x != 0 if kind is bool else _computed(kind.__name__, x)


for _word, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
                     "and": "&", "or": "|", "xor": "^"}.items():
    for _prefix, _method in zip(("__", "__r"), _binary(_sign, getattr(operator, f"__{_word}__"))):
        setattr(TracedNumber, f"{_prefix}{_word}__", _method)
for _word, _sign in {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">="}.items():
    setattr(TracedNumber, f"__{_word}__", _binary(_sign, getattr(operator, _word))[0])
