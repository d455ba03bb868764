"""Losses by name, and losses whose examples have weights."""

import functools
import inspect
import operator

from .. import _core, _hints, _ops, nn
from .._hints import brief as _brief
from .._users import users
from ..nn.layers.loss import _Loss

_NAMES = {"cross_entropy": nn.CrossEntropyLoss, "nll": nn.NLLLoss, "mse": nn.MSELoss, "mae": nn.L1Loss, "l1": nn.L1Loss,
          "huber": nn.HuberLoss, "smooth_l1": nn.SmoothL1Loss, "binary_cross_entropy": nn.BCELoss,
          "binary_cross_entropy_with_logits": nn.BCEWithLogitsLoss, "kl_div": nn.KLDivLoss, "hinge": nn.HingeLoss,
          "poisson_nll": nn.PoissonNLLLoss}
# What Keras calls them.
_ELSEWHERE = {"sparse_categorical_crossentropy": "cross_entropy", "categorical_crossentropy": "cross_entropy",
              "mean_squared_error": "mse", "mean_absolute_error": "mae", "binary_crossentropy": "binary_cross_entropy"}


_OF_LOGITS = ", of logits"  # Keras's takes probabilities by default


class Several:
    """A loss for each output, by name or by place: their sum."""

    def __init__(self, given):
        pairs = given.items() if isinstance(given, dict) else enumerate(_hints.as_list(given, "Several", "given"))
        self.parts = {key: loss_of(one) for key, one in pairs}

    def __call__(self, out, y):
        return self.summed(out, y, lambda loss, out, y: users(loss)(out, y))

    def summed(self, out, y, term):
        """The sum of term(loss, output, target)."""
        terms = [term(loss, part_of(out, key, "output"), part_of(y, key, "target")) for key, loss in self.parts.items()]
        return functools.reduce(operator.add, terms)

    def modules(self):
        """Of the losses that are modules."""
        return [module for loss in self.parts.values() if hasattr(loss, "modules") for module in loss.modules()]


def part_of(tree, key, what):
    """What a model of several outputs gives, or is to give, under a name or at a place."""
    names = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, (tuple, list)) else []
    if not isinstance(key, (str, int)) or key not in names:
        there = f"there are {', '.join(map(str, names))}" if names else "there is one"
        raise _core.InvalidError(f"compile: there is no {what} {_brief(key)}; {there} [compile.outputs]")
    return tree[key]


def loss_of(given):
    """The loss that was given, by itself, by name, or one for each output; without one, the model's own result is the loss."""
    if given is None:
        return None
    if isinstance(given, (dict, list, tuple)) and given:
        return Several(given)
    if isinstance(given, str):
        if given in _ELSEWHERE:
            raise _core.InvalidError(f"compile: there is no loss '{given}'; weft calls this '{_ELSEWHERE[given]}'"
                                     f"{_OF_LOGITS if _ELSEWHERE[given] == 'cross_entropy' else ''} [compile.loss]")
        if given not in _NAMES:
            hint = _core.did_you_mean(given, list(_NAMES)) or f"there are {', '.join(_NAMES)}"
            raise _core.InvalidError(f"compile: there is no loss '{given}'; {hint} [compile.loss]")
        return _NAMES[given]()
    if isinstance(given, type):
        return given()
    _hints.need_function(given, "compile")
    return given


def of_batch(loss, out, y, weight):
    """The loss of a batch, one number; with weights, one for each example, the mean of weighted losses."""
    value = _weighted(loss, out, y, weight)
    if not isinstance(value, _core.Tensor):
        raise _core.WrongTypeError(f"compile: the loss is {type(value).__name__}, {_brief(value)}; it is a tensor that is made of the model's "
                                   "outputs [compile.loss]")
    if value.shape or value.dtype.kind != "real floating":
        raise _core.WrongTypeError(f"compile: the loss of a batch is {value.dtype}{list(value.shape)}; it is one number, a float, such as the "
                                   "mean() of the losses of its examples [compile.loss]")
    return value


def _weighted(loss, out, y, weight):
    if loss is None and weight is not None:
        raise _core.InvalidError("fit: there are weights of examples, but what the model gives is the loss, without examples; weigh them in "
                                 "the model, or compile it with a loss [fit.weight]")
    if loss is None:
        return out if isinstance(out, _core.Tensor) else out[0]
    if y is None and isinstance(loss, _Loss):
        raise _core.InvalidError(f"fit: there are no targets, but {type(loss).__name__} compares outputs with targets; give them, as in "
                                 "fit(x, y), or compile without a loss a model that gives its own [fit.targets]")
    if weight is None:
        return users(loss)(out) if y is None else users(loss)(out, y)
    if isinstance(loss, Several):  # the weights of an example are those of all its outputs
        return loss.summed(out, y, lambda one, out, y: _weighted(one, out, y, weight))
    each = _each(loss, out, y)
    if weight.dtype is _core.float64 and each.dtype is not _core.float64:  # as NumPy makes them: no wish to compute in it
        weight = weight.astype(_core.float32)
    if each.shape[:len(weight.shape)] != weight.shape:
        raise _core.InvalidError(f"fit: the loss gives shape {list(each.shape)} for {list(weight.shape)} weights of examples; it "
                                 "must give one number for each example [fit.weight]")
    while len(weight.shape) < len(each.shape):
        weight = weight[..., None]
    return (each * weight).mean()


def options_of(loss):
    """The options of a loss of wf.nn, by name."""
    return loss._options if isinstance(loss, _Loss) else {}


def counted(loss, value, y, weight, count):
    """(loss, count) of a batch, for the mean of an epoch: a loss that leaves out targets is a mean of those that count, and
    counts as often. Where none does there is none, and it is not nan that the epoch has."""
    options = options_of(loss)
    if weight is not None or options.get("ignore_index") is None or options["reduction"] != "mean" or not isinstance(y, _core.Tensor):
        return value, count
    left = _ops.op("", "sum")((y != options["ignore_index"]).astype(_core.float64))
    return _ops.op("", "where")(left == 0.0, 0.0, value), left


def _each(loss, out, y):
    """The losses of the examples, one by one."""
    if hasattr(loss, "each"):
        return users(loss.each)(out, y)
    if "reduction" in inspect.signature(loss).parameters:
        return users(loss)(out, y, reduction="none")
    raise _core.InvalidError("fit: weights of examples need a loss with an argument 'reduction', as those of wf.nn have "
                             "[fit.weight]")
