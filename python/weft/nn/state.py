"""Loading what a module has saved."""

from collections.abc import Mapping

from .. import _array_api, _core, _ops
from .._hints import brief as _brief


class LoadReport:
    """What load_state_dict did: names that matched, names that the state lacks (missing) or has beyond the module
    (unexpected), and {name: why} of those whose values do not fit (mismatched)."""

    __slots__ = ("matched", "missing", "unexpected", "mismatched")

    def __init__(self, matched, missing, unexpected, mismatched):
        self.matched, self.missing, self.unexpected, self.mismatched = matched, missing, unexpected, mismatched

    def __bool__(self):
        """Whether all of it fits."""
        return not (self.missing or self.unexpected or self.mismatched)

    def __repr__(self):
        parts = [f"{len(self.matched)} matched"]
        parts += [f"{word}: {', '.join(map(str, names))}" for word, names in
                  (("missing", self.missing), ("unexpected", self.unexpected)) if names]
        parts += [f"{name}: {why}" for name, why in self.mismatched.items()]
        return f"<{'; '.join(parts)}>"


def load(module, state, strict):
    """Assigns the values of `state` to the Variables of the module."""
    from .module import _walk

    if not isinstance(state, Mapping):
        raise _core.WrongTypeError(f"load_state_dict: the state is {_brief(state)}; it is what state_dict() gives, a dict of tensors by "
                                   "name, such as wf.load(file) reads [load_state_dict.state]")
    _complete_by(module, state)
    names, firsts = {}, {}
    for name, thing, _, _ in _walk(module, "", need_all=True, is_repeated=True):
        if isinstance(thing, _core.Variable):
            names[name] = thing
            firsts.setdefault(id(thing), name)
    values, mismatched = {}, {}
    for name, variable in names.items():
        if name not in state:
            continue
        value = _core._tensor(state[name], None, "load_state_dict")
        why = _misfit(value, variable)
        if why:
            mismatched[name] = why
        else:
            values[name] = value.astype(variable.dtype)
            first = firsts[id(variable)]
            if first in values and not is_same(values[first], values[name]):
                del values[name]
                mismatched[name] = f"it is the same as {first} in the module, but not in the state"
    found = {id(names[name]) for name in (*values, *mismatched)}
    report = LoadReport(list(values), [name for which, name in firsts.items() if which not in found],
                        [name for name in state if name not in names], mismatched)
    if strict and not report:
        raise _core.InvalidError(f"load_state_dict: the state does not fit {type(module).__name__}: {report!r}; with "
                                 "strict=False what matches is loaded [load_state_dict.match]")
    for name, value in values.items():
        names[name].assign(value)
    return report


def _misfit(value, variable):
    """Why a value cannot be assigned, or nothing. Dtypes may widen, never narrow."""
    if value.shape != variable.shape:
        return f"its shape is {list(value.shape)}, but the module's is {list(variable.shape)}"
    if value.dtype is not variable.dtype and _array_api.promote_types(value.dtype, variable.dtype) is not variable.dtype:
        return f"its dtype is {value.dtype}, but the module's is {variable.dtype}"
    return ""


def is_same(a, b):
    """Whether two tensors are one, or have equal values; traced ones have none yet."""
    if a is b:
        return True
    if _core._stages() or a.shape != b.shape:
        return False
    return bool(_ops.op("", "all")((a == b) | ((a != a) & (b != b))).item())


def _complete_by(module, state):
    """Makes the parameters of layers whose input size was left out, by the shapes of the state."""
    for name, layer in module.named_modules():
        if layer.__dict__.get("_key") is not None:
            prefix = f"{name}." if name else ""
            size = layer._size_of({key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)})
            if size is not None:
                layer._complete(size)
