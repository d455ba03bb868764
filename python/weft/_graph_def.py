"""Graphs in TensorFlow's GraphDef: nodes and their attributes, read as its own classes are."""

import enum
from types import MappingProxyType

from . import _core


class DataType(enum.IntEnum):
    """TensorFlow's numbers for dtypes."""

    DT_INVALID = 0
    DT_FLOAT = 1
    DT_DOUBLE = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 5
    DT_INT8 = 6
    DT_STRING = 7
    DT_COMPLEX64 = 8
    DT_INT64 = 9
    DT_BOOL = 10
    DT_BFLOAT16 = 14
    DT_UINT16 = 17
    DT_COMPLEX128 = 18
    DT_HALF = 19
    DT_RESOURCE = 20
    DT_VARIANT = 21
    DT_UINT32 = 22
    DT_UINT64 = 23


# The field of a TensorProto that has single numbers; others are in tensor_content.
_FIELDS = {"DT_FLOAT": "float_val", "DT_DOUBLE": "double_val", "DT_INT32": "int_val", "DT_UINT8": "int_val",
           "DT_INT16": "int_val", "DT_INT8": "int_val", "DT_UINT16": "int_val", "DT_INT64": "int64_val",
           "DT_BOOL": "bool_val", "DT_UINT32": "uint32_val", "DT_UINT64": "uint64_val"}


class Dimension:
    """One extent; -1 is one that only a run knows."""

    def __init__(self, size):
        self.size = size

    def __repr__(self):
        return f"size: {self.size}\n"


class TensorShape:
    """The extents of a tensor, `.dim[i].size`."""

    def __init__(self, sizes=()):
        self.dim = [Dimension(size) for size in sizes]
        self.unknown_rank = False

    def __eq__(self, other):
        return isinstance(other, TensorShape) and [d.size for d in self.dim] == [d.size for d in other.dim]

    __hash__ = None

    def __repr__(self):
        return "".join(f"dim {{\n  size: {d.size}\n}}\n" for d in self.dim)


class TensorProto:
    """A constant: `.dtype`, `.tensor_shape`, the numbers (`.int_val`, `.float_val`, ...), and `.numpy()`."""

    def __init__(self, value=None):
        for field in {*_FIELDS.values(), "string_val"}:
            setattr(self, field, [])
        self.tensor_content = b""
        self.dtype, self.tensor_shape, self._value = DataType.DT_INVALID, TensorShape(), value
        if isinstance(value, (bytes, list)):  # texts
            self.dtype = DataType.DT_STRING
            self.string_val = list(value) if isinstance(value, list) else [value]
            self.tensor_shape = TensorShape([len(value)] if isinstance(value, list) else [])
        elif value is not None:
            self.dtype = DataType(_core._data_type(value))
            self.tensor_shape = TensorShape(value.shape)
            field = _FIELDS.get(self.dtype.name)
            if value.size == 1 and field is not None:
                setattr(self, field, [value.item()])
            else:
                self.tensor_content = value.numpy().tobytes()

    def numpy(self):
        """The value as an array; of texts, as an array of bytes."""
        import numpy

        return numpy.array(self._value, object) if isinstance(self._value, (bytes, list)) else self._value.numpy()


class ListValue:
    """Several values of one field: `.i`, `.type`, `.shape`, `.func`."""

    def __init__(self, field=None, items=()):
        self.s, self.i, self.f, self.b, self.type, self.shape, self.tensor, self.func = ([] for _ in range(8))
        if field is not None:
            setattr(self, field, [_made(field, item) for item in items])


class NameAttrList:
    """A function of the library, by its name."""

    def __init__(self, name=""):
        self.name = name


def _made(field, value):
    """What the field of an AttrValue is, of what C++ gives."""
    make = {"type": DataType, "shape": TensorShape, "tensor": TensorProto, "func": NameAttrList,
            "list": lambda pair: ListValue(*pair)}.get(field)
    return value if make is None else make(value)


class AttrValue:
    """One attribute: `.i`, `.f`, `.b`, `.s`, `.type`, `.shape`, `.tensor`, `.func` or `.list`; `str` is TensorFlow's text.

    The fields that it does not have are empty, as protobuf has it; `WhichOneof("value")` tells the one that it has.
    """

    _EMPTY = {"i": 0, "f": 0.0, "b": False, "s": b"", "type": DataType.DT_INVALID}

    def __init__(self, field, value, text):
        self._field, self._text = field, text
        setattr(self, field, _made(field, value))

    def __getattr__(self, name):
        if name in self._EMPTY:
            return self._EMPTY[name]
        make = {"shape": TensorShape, "tensor": TensorProto, "func": NameAttrList, "list": ListValue}.get(name)
        if make is None:
            raise AttributeError(f"AttrValue has no '{name}'; it has {self._field}")
        return make()

    def WhichOneof(self, group="value"):
        """The name of the field that it has."""
        return self._field

    def HasField(self, name):
        """Whether it has that field."""
        return name == self._field

    def __str__(self):
        return self._text

    __repr__ = __str__


class NodeDef:
    """A node as TensorFlow writes it down; `attr` is a mapping from keys to AttrValues."""

    def __init__(self, name, op, input, device, attr, text):
        self.name, self.op, self.input, self.device, self._text = name, op, input, device, text
        self.attr = MappingProxyType({key: AttrValue(*value) for key, value in attr.items()})

    def __str__(self):
        return self._text

    __repr__ = __str__


class GraphDef:
    """A graph in TensorFlow's wire format."""

    def __init__(self, nodes, data, text):
        self.node = [NodeDef(*node) for node in nodes]
        self._data, self._text = data, text

    def SerializeToString(self):
        """The bytes that TensorFlow reads."""
        return self._data

    def __str__(self):
        return self._text

    __repr__ = __str__
