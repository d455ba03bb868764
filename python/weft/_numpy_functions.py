"""NumPy functions on our tensors: they run our op of the same meaning, or raise and say what to do.

The arguments are bound by NumPy's own signature. What NumPy requires goes to our function by place, the rest by name; what
is left at NumPy's default and has no meaning here is dropped, at any other value it raises. Functions that have another
meaning or other arguments than ours are spelled out in _numpy_forms.py.
"""

import inspect
import sys

from . import _core, _hints
from ._hints import brief as _brief

# A ufunc's reduce is another op here.
_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
               "logical_or": "any"}
_ACCUMULATIONS = {"add": "cumulative_sum", "multiply": "cumulative_prod", "maximum": "cummax", "minimum": "cummin",
                  "logaddexp": "logcumsumexp"}
# Optional arguments by NumPy's name for them.
_KEYWORDS = {"ddof": "correction", "a_min": "min", "a_max": "max", "M": "n_cols"}
# Our functions by NumPy's names for them that no op lists.
_OTHER_NAMES = {"around": "round", "rint": "round", "fix": "trunc", "fabs": "abs", "positive": "positive",
                "matrix_transpose": "matrix_transpose", "linalg.matrix_transpose": "matrix_transpose",
                "linalg.norm": "linalg.norm", "linalg.tensordot": "tensordot", "linalg.matmul": "matmul"}
# Arguments that change no value: how to sort, what is promised, the layout of memory. () stands for any value.
_HARMLESS = {"kind": (), "assume_unique": (), "overwrite_input": (), "optimize": (), "hermitian": (), "subok": (),
             "copy": (True, None), "order": ("C", "K", "A"), "device": ("cpu",), "where": (True,), "like": ()}
# Signatures that NumPy's compiled functions do not all tell.
_SIGNATURES = {
    "arange": lambda start, /, stop=None, step=1, *, dtype=None, device=None, like=None: None,
    "array": lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None: None,
    "asarray": lambda a, dtype=None, order=None, *, device=None, copy=None, like=None: None,
    "bincount": lambda x, /, weights=None, minlength=0: None,
    "concatenate": lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": None,
    "dot": lambda a, b, out=None: None,
    "empty": lambda shape, dtype=None, order="C", *, device=None, like=None: None,
    "empty_like": lambda prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None: None,
    "inner": lambda a, b, /: None,
    "vdot": lambda a, b, /: None,
    "where": lambda condition, x=None, y=None, /: None,
    "zeros": lambda shape, dtype=None, order="C", *, device=None, like=None: None,
}

_by_numpy_name = {}
_parameters = {}


def find(name):
    """Our public function that NumPy calls `name`, or None."""
    if not _by_numpy_name:
        for entry in _core.registry():
            if "." in entry["name"]:
                continue
            full = f"{entry['module']}.{entry['name']}" if entry["module"] else entry["name"]
            for system, theirs in entry["known_as"]:
                if system == "numpy":
                    _by_numpy_name.setdefault(theirs, full)
            if not entry["module"]:
                _by_numpy_name.setdefault(entry["name"], full)
        _by_numpy_name.update(_OTHER_NAMES)
    found = _by_numpy_name.get(name)
    return public(found) if found else None


def public(path):
    """wf.path, which for some ops is a function around the op."""
    out = sys.modules["weft"]
    for part in path.split("."):
        out = getattr(out, part)
    return out


def unknown(name):
    return _core.WrongTypeError(f"numpy.{name}: weft has no op for it; numpy.{name}(x.numpy(), ...) computes it in "
                                f"NumPy, outside of gradients [numpy.{name}]")


def no_meaning(name, word, value):
    """The error for an argument that our function does not have."""
    if word == "out":
        return _core.WrongTypeError(f"numpy.{name}: out= writes into an array, but tensors never change; use the "
                                    f"result [numpy.{name}]")
    hint = _core.keyword_hint(word, []) or (f"numpy.{name}(x.numpy(), ...) computes it in NumPy, outside of gradients")
    return _core.WrongTypeError(f"numpy.{name}: {word}={_brief(value)} has no meaning for tensors; {hint} [numpy.{name}]")


def _parameters_of(function, name=None):
    """Its inspect.Parameters by name; of one of NumPy's functions also where Python cannot tell."""
    if function not in _parameters:
        try:
            found = inspect.signature(function)
        except ValueError:
            if name not in _SIGNATURES:
                raise unknown(name) from None
            found = inspect.signature(_SIGNATURES[name])
        _parameters[function] = found.parameters
    return _parameters[function]


def _is_same(value, default):
    return value is default or (type(value) is type(default) and isinstance(value, (int, float, str)) and value == default)


def _is_no_value(value):
    return type(value).__name__ == "_NoValueType"


def _clean(name, given, defaults, known):
    """What of the given arguments our function is called with: it has the `known` ones."""
    out = {}
    for word, value in given.items():
        ours = word if word in known else _KEYWORDS.get(word, word)
        if _is_no_value(value) or (word in defaults and _is_same(value, defaults[word])):
            continue
        if ours in known:
            out[ours] = value
        elif word not in _HARMLESS or (_HARMLESS[word] and not any(_is_same(value, ok) for ok in _HARMLESS[word])):
            raise no_meaning(name, word, value)
    return out


def _bind(name, function, args, keywords):
    """(positional rest, arguments by NumPy's names, its parameters) of a call of NumPy's function."""
    parameters = _parameters_of(function, name)
    bound = inspect.Signature(parameters.values()).bind(*args, **keywords).arguments
    rest, given = (), {}
    for word, value in bound.items():
        kind = parameters[word].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            rest = value
        elif kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        else:
            given[word] = value
    return rest, given, parameters


def call_function(function, args, keywords):
    from . import _numpy_forms

    name = _name_of(function, "__array_function__")
    module = function.__module__ or "numpy"
    name = f"{module[6:]}.{name}" if module.startswith("numpy.") else name
    form = _numpy_forms.FORMS.get(name)
    ours = form or find(name)
    if ours is None:
        raise unknown(name)
    rest, given, theirs = _bind(name, function, args, keywords)
    defaults = {word: p.default for word, p in theirs.items() if p.default is not p.empty}
    known = _parameters_of(ours)
    if form:
        return form(*rest, **_clean(name, given, defaults, known))
    required = [given.pop(word) for word, p in theirs.items() if p.default is p.empty and word in given]
    options = {word: value for word, value in defaults.items() if isinstance(value, (bool, int, str, tuple)) and word in known}
    return ours(*required, **{**options, **_clean(name, given, defaults, known)})


def _name_of(function, who):
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise _core.WrongTypeError(f"{who}: needs a function of NumPy, but got {_hints.brief(function)} [{who}.function]")
    return name


def call_ufunc(ufunc, method, inputs, keywords):
    name = _name_of(ufunc, "__array_ufunc__")
    if method == "__call__" and name == "divmod":
        return tuple(call_ufunc(part, method, inputs, keywords) for part in _halves_of_divmod())
    if method == "__call__":
        op = find(name)
        if op is None:
            raise unknown(name)
        dtype = keywords.get("dtype")
        keywords = {word: value for word, value in keywords.items() if word != "dtype"}
        return _in_dtype(name, op, dtype, inputs, _clean(name, keywords, {"out": None, "casting": "same_kind"}, _parameters_of(op)))
    table = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS}.get(method, {})
    name = f"{name}.{method}"
    if ufunc.__name__ not in table:
        raise unknown(name)
    op = public(table[ufunc.__name__])
    keywords = {"axis": 0, **keywords}  # a ufunc reduces the first axis, where our ops reduce all
    return op(*inputs, **_clean(name, keywords, {"dtype": None, "out": None, "keepdims": False}, _parameters_of(op)))


def _halves_of_divmod():
    import numpy

    return numpy.floor_divide, numpy.remainder


def _in_dtype(name, op, dtype, inputs, keywords):
    """The op computed in `dtype`: that of its inputs, as a ufunc has it."""
    out = op(*inputs, **keywords)
    if dtype is None or out.dtype is _core.dtype(dtype):
        return out
    cast = public("cast")
    if out.dtype is not _core.bool:
        inputs = [x if type(x) in (bool, int, float, complex) else cast(x, dtype) for x in inputs]
        out = op(*inputs, **keywords)
    if out.dtype is not _core.dtype(dtype):
        raise no_meaning(name, "dtype", dtype)
    return out
