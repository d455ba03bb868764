"""Weights of classes: a table, and the weights of the examples of a batch."""

import math
import operator

from .. import _core, _ops
from .._hints import brief as _brief

_take, _where, _clip, _cast = (_ops.op("", name) for name in ("take", "where", "clip", "cast"))
_argmax, _floor = _ops.op("", "argmax"), _ops.op("", "floor")


def class_table(class_weight, who):
    """Weights by class, as a tensor; None if there are none."""
    if class_weight is None or class_weight == {}:
        return None
    try:
        weights = {operator.index(number): float(weight) for number, weight in class_weight.items()}
        is_right = min(weights) >= 0
    except (AttributeError, TypeError, ValueError):
        is_right = False
    if not is_right:
        raise _core.WrongTypeError(f"{who}: class_weight is {_brief(class_weight)}; it is a dict from classes to weights "
                                   f"[{who}.class_weight]")
    for number, weight in weights.items():
        if not 0.0 <= weight < math.inf:
            raise _core.InvalidError(f"{who}: class_weight gives class {number} the weight {weight:g}; weights are finite, and 0 or more "
                                     f"[{who}.class_weight]")
    return _core._tensor([weights.get(k, 1.0) for k in range(max(weights) + 1)], _core.float32, who)


def need_classes(table, out, y, who):
    """Raises for a weight of a class that the model, which gives `out` for targets `y`, does not tell."""
    if not isinstance(out, _core.Tensor) or not isinstance(y, _core.Tensor):
        return
    count = _class_count(out.shape, y)
    if count is not None and table.shape[0] > count:
        raise _core.InvalidError(f"{who}: class_weight names the class {table.shape[0] - 1}, but the model tells {count} classes apart; "
                                 f"the last one is {count - 1} [{who}.class_weight]")


def _class_count(out, y):
    """How many classes there are: the size of the axis that outputs have and targets lack, or two of one output an example; None: who
    knows."""
    if len(y.shape) >= 2 and y.shape[-1] > 1 and "floating" in y.dtype.kind:
        return y.shape[-1]
    shape = y.shape[:-1] if len(y.shape) >= 2 and y.shape[-1] == 1 else y.shape
    if len(out) == len(shape):
        return 2
    return max((max(out[k], 2) for k in range(1, len(out)) if out[:k] + out[k + 1:] == shape), default=None)


def weights_of(table, y, who, given=None):
    """The weights of the examples of a batch: of their classes, 1 for those that are not in the table, by those that are given."""
    if table is None:
        return given
    if not isinstance(y, _core.Tensor):
        raise _core.InvalidError(f"{who}: there are weights of classes for {'no' if y is None else 'several'} targets; they need one "
                                 f"target, of classes [{who}.class_weight]")
    classes, last = _classes(y), table.shape[0] - 1
    weights = _where((classes >= 0) & (classes <= last), _take(table, _clip(classes, 0, last), axis=0), 1.0)
    if given is None:
        return weights
    if given.shape != weights.shape[:len(given.shape)]:
        raise _core.InvalidError(f"{who}: there are weights of examples of shape {list(given.shape)}, and targets of {list(weights.shape)}; "
                                 f"it has a number for each example [{who}.sample_weight]")
    while len(given.shape) < len(weights.shape):
        given = given[..., None]
    return weights * given.astype(weights.dtype)


def _classes(y):
    """Targets as classes: of several floats an example, one hot, the place of the greatest."""
    is_floating = "floating" in y.dtype.kind
    if len(y.shape) >= 2 and y.shape[-1] == 1:
        y = y[..., 0]
    elif len(y.shape) >= 2 and is_floating:
        return _argmax(y, axis=-1)
    return _cast(_floor(y + 0.5) if is_floating else y, _core.int64)
