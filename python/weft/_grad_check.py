"""grad_check: are the derivatives of a function what differences say?"""

from . import _core, _hints, _tree
from ._hints import brief as _brief


class GradCheckReport:
    """What was compared: `passed`, `entries` (one per comparison), `ops` of a function that failed; str() is readable."""

    def __init__(self, passed, summary, entries, ops):
        self.passed, self.entries, self.ops, self._summary = passed, entries, ops, summary

    def __bool__(self):
        return self.passed

    def __str__(self):
        return f"grad_check: {self._summary}"

    __repr__ = __str__


def _leaf_names(tree, path, names):
    """A name for each leaf as one would write it: args[0]['w']."""
    if isinstance(tree, dict):
        for key in sorted(tree, key=lambda key: (str(type(key)), key)):
            _leaf_names(tree[key], f"{path}[{key!r}]", names)
    elif isinstance(tree, tuple) and hasattr(tree, "_fields"):
        for name in tree._fields:
            _leaf_names(getattr(tree, name), f"{path}.{name}", names)
    elif isinstance(tree, (list, tuple)):
        for i, item in enumerate(tree):
            _leaf_names(item, f"{path}[{i}]", names)
    elif hasattr(type(tree), "__dataclass_fields__"):
        for name in type(tree).__dataclass_fields__:
            _leaf_names(getattr(tree, name), f"{path}.{name}", names)
    elif tree is not None:
        names.append(path)


def _is_array(leaf):
    return (isinstance(leaf, (_core.Tensor, _core.Variable, float, complex))
            or (hasattr(leaf, "dtype") and hasattr(leaf, "__array__")))


def grad_check(f, args, order=1, modes=("jvp", "vjp"), *, directions=2, seed=0, raise_on_failure=True):
    """Checks the derivatives of `f` at `args` up to `order` (1 to 3); returns a report, or raises with it.

    Everything is computed in float64. Along random directions of each argument, forward mode ("jvp") is compared with
    central differences, and reverse mode ("vjp") with forward mode by `<u, J v> == <J* u, v>`. Orders above the first
    check the derivatives of derivatives, in every nesting of the modes. Arguments are trees; what is not floating is
    held constant.

    >>> wf.grad_check(lambda x, w: wf.tanh(x @ w), (wf.ones((2, 3)), wf.ones((3, 2))), order=2)
    grad_check: all 48 checks passed
    """
    _hints.need_function(f, "grad_check")
    for name, number in (("order", order), ("directions", directions), ("seed", seed)):
        if not isinstance(number, int):
            raise _core.WrongTypeError(f"grad_check: {name} must be an integer, but got {_brief(number)} "
                                       "[grad_check.argument]")
    args = tuple(args) if isinstance(args, (list, tuple)) else (args,)
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    for mode in modes:
        if mode not in ("jvp", "vjp"):
            raise _core.InvalidError(f"grad_check: {mode!r} is no mode; modes are 'jvp' and 'vjp' [grad_check.modes]")
    leaves, form = _tree.flatten(args)
    names = []
    _leaf_names(args, "args", names)
    places = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]

    def flat(tensors):
        given = list(leaves)
        for place, tensor in zip(places, tensors):
            given[place] = tensor
        out = _tree.flatten(f(*_tree.unflatten(form, given)))[0]
        return [_core._tensor(leaf, None, "grad_check") for leaf in out if leaf is not None]

    inputs = [_core._tensor(leaves[i], None, "grad_check") for i in places]
    report = GradCheckReport(*_core._grad_check(flat, inputs, [names[i] for i in places], order, "jvp" in modes,
                                                "vjp" in modes, directions, seed))
    if raise_on_failure and not report.passed:
        from .testing import CheckFailed

        raise CheckFailed(f"{report} [grad_check.mismatch]")
    return report
