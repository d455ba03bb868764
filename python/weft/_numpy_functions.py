"""NumPy functions on our tensors: they run our op of the same meaning, or raise and say what to do."""

from . import _core, _ops

# A ufunc's reduce is another op here.
_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
               "logical_or": "any"}
_ACCUMULATIONS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
# Arguments by NumPy's name for them.
_KEYWORDS = {"ddof": "correction", "a_min": "min", "a_max": "max"}

# Arguments whose None is NumPy's way to leave them out.
_NOTHING = ("dtype", "like", "device", "initial", "kind", "weights", "stable")

_by_numpy_name = {}


def _find(name):
    """The op that NumPy calls `name`, or None."""
    if not _by_numpy_name:
        for entry in _core.registry():
            if "." in entry["name"]:
                continue
            for system, theirs in entry["known_as"]:
                if system == "numpy":
                    _by_numpy_name.setdefault(theirs, (entry["module"], entry["name"]))
        for entry in _core.registry():
            if not entry["module"]:
                _by_numpy_name.setdefault(entry["name"], ("", entry["name"]))
    found = _by_numpy_name.get(name)
    return _ops.op(*found) if found else None


def _unknown(name):
    return _core.WrongTypeError(f"numpy.{name}: weft has no op for it; numpy.{name}(x.numpy(), ...) computes it in "
                                f"NumPy, outside of gradients [numpy.{name}]")


def _clean(name, keywords):
    """Keywords as our ops take them: those left at NumPy's default go."""
    out = {}
    for key, value in keywords.items():
        if key == "out" and value is not None:
            raise _core.WrongTypeError(f"numpy.{name}: out= writes into an array, but tensors never change; use the "
                                       f"result [numpy.{name}]")
        if key in ("out", "order", "casting", "subok") or _is_no_value(value) or (value is None and key in _NOTHING):
            continue
        if key == "where" and value is True:
            continue
        out[_KEYWORDS.get(key, key)] = value
    return out


def _is_no_value(value):
    return type(value).__name__ == "_NoValueType"


def call_ufunc(ufunc, method, inputs, keywords):
    name = ufunc.__name__
    keywords = _clean(name, keywords)
    if method == "__call__":
        op = _find(name)
        if op is None:
            raise _unknown(name)
        dtype = keywords.pop("dtype", None)
        out = op(*inputs, **keywords)
        return out if dtype is None else _ops.op("", "cast")(out, dtype)
    table = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS}.get(method, {})
    if name not in table:
        raise _unknown(f"{name}.{method}")
    keywords.setdefault("axis", 0)  # a ufunc reduces the first axis, where our ops reduce all
    if method == "reduce" and keywords["axis"] is None:
        del keywords["axis"]
    return _ops.op("", table[name])(*inputs, **keywords)


_ATTRIBUTES = {"shape": "shape", "ndim": "ndim", "size": "size"}


def call_function(function, args, keywords):
    module = function.__module__ or "numpy"
    name = f"{module[6:]}.{function.__name__}" if module.startswith("numpy.") else function.__name__
    if name in _ATTRIBUTES and len(args) == 1:
        return getattr(args[0], _ATTRIBUTES[name])
    if name in _OURS:
        return _OURS[name](*args, **keywords)
    op = _find(name)
    if op is None:
        raise _unknown(name)
    return op(*args, **_clean(name, keywords))


def _padded(array, pad_width, mode="constant", *, constant_values=0):
    """numpy.pad: pad_width is a number, a pair, or a pair for each axis."""
    widths = pad_width.tolist() if hasattr(pad_width, "tolist") else pad_width
    if isinstance(widths, int):
        widths = (widths, widths)
    if len(widths) == 1 and not isinstance(widths[0], int):
        widths = widths[0]
    if all(isinstance(w, int) for w in widths):
        widths = [tuple(widths) * (2 // len(widths))] * array.ndim
    before, after = zip(*widths) if array.ndim else ((), ())
    if mode == "constant":
        return _ops.op("", "pad")(array, before, after, value=constant_values)
    return _ops.op("", "pad")(array, before, after, mode=mode)


def _where(condition, *values):
    return _ops.op("", "where")(condition, *values) if values else _ops.op("", "nonzero")(condition)


def _differences(a, n=1, axis=-1, prepend=None, append=None):
    ends = [None if _is_no_value(end) else end for end in (prepend, append)]
    return _ops.op("", "diff")(a, ends[0], ends[1], axis=axis, n=n)


def _put_along_axis(*args, **keywords):
    raise _core.WrongTypeError("numpy.put_along_axis: it writes into an array, but tensors never change; "
                               "x = wf.put_along_axis(x, indices, values, axis) gives a changed copy "
                               "[numpy.put_along_axis]")


def _of_package(name):
    def call(*args, **keywords):
        from . import _shape

        return getattr(_shape, name)(*args, **_clean(name, keywords))
    return call


def _digitize(x, bins, right=False):
    """numpy.digitize: the values come first, and right=False takes them to the right of what is equal."""
    return _ops.op("", "searchsorted")(bins, x, side="left" if right else "right")


def _planes(name):
    """numpy.diagonal and numpy.trace read the first two axes, ours the last two."""
    def call(a, offset=0, axis1=0, axis2=1, **keywords):
        return _ops.op("", name)(_ops.op("", "moveaxis")(a, (axis1, axis2), (-2, -1)), offset, **_clean(name, keywords))
    return call


def _partitioned(*args, **keywords):
    raise _unknown("partition")


def _transposed(a, axes=None):
    return _ops.op("", "permute_dims")(a, tuple(range(a.ndim))[::-1] if axes is None else axes)


# Functions whose arguments are not those of one op of ours.
_OURS = {"transpose": _transposed, "digitize": _digitize, "diagonal": _planes("diagonal"), "trace": _planes("trace"),
         "partition": _partitioned, "pad": _padded, "where": _where, "diff": _differences,
         "put_along_axis": _put_along_axis, "einsum": _of_package("einsum"),
         "meshgrid": _of_package("meshgrid"), "broadcast_arrays": _of_package("broadcast_arrays")}
