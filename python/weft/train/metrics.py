"""Metrics: measured batch by batch, exact over all examples whatever the sizes of the batches.

Their counts are Variables, so that traced steps update them. `update(output, target)` adds a batch, `result()` is the value.

>>> metric = wf.metrics.Accuracy()
>>> metric.update(wf.tensor([[2.0, 1.0], [0.0, 3.0]]), wf.tensor([0, 0]))
>>> metric.result()
0.5
"""

from .. import _core, _hints, _ops, nn
from .._hints import brief as _brief
from .._graph import eager
from .._users import users
from . import scores as _scores
from .losses import Several, options_of, part_of
from .scores import matches as _matches

_mean = _ops.op("", "mean")
_sum, _cast = _ops.op("", "sum"), _ops.op("", "cast")
_zeros, _where, _one_hot = _ops.op("", "zeros"), _ops.op("", "where"), _ops.op("", "one_hot")


class Metric:
    """What metrics share: a name, and totals that are Variables. A subclass names its totals, {name: shape}."""

    name = ""
    totals = {}
    is_traced = True  # False: updated outside of traced steps
    # What outputs are, and which targets count nothing: compile() sets them as the loss has them.
    scores = "classes"  # scores of classes; "probabilities" and "logits": each element says yes or no
    axis = -1  # of classes
    ignore_index = None

    def __init__(self, name=None):
        if name is not None:
            _hints.need_text(name, type(self).__name__, "name")
        self.name = name or type(self).name
        self._variables = {key: _core.Variable(_zeros(shape, dtype=_core.float64), name=f"{self.name}_{key}", trainable=False)
                           for key, shape in self.totals.items()}

    def add(self, **terms):
        """Adds to totals."""
        for key, term in terms.items():
            term = _core._tensor(term, None, "metric")
            if _core._is_graph_value(term):  # totals are updated now, but a graph's value exists only in a run: this raises
                _core._argument_value(term, self.name, "an argument")
            if key not in self._variables:
                raise self._no_total(key)
            self._variables[key].assign_add(_cast(term, _core.float64))

    def follow(self, loss):
        """Understands outputs and targets as a loss does."""
        if isinstance(loss, nn.BCEWithLogitsLoss) or loss is nn.binary_cross_entropy_with_logits:
            self.scores = "logits"
        elif isinstance(loss, nn.BCELoss) or loss is nn.binary_cross_entropy:
            self.scores = "probabilities"
        options = options_of(loss)
        self.axis, self.ignore_index = options.get("axis", -1), options.get("ignore_index")

    def total(self, key):
        """A total, as a number."""
        if not isinstance(key, str) or key not in self._variables:
            raise self._no_total(key)
        return self._variables[key].item()

    def _no_total(self, key):
        return _core.InvalidError(f"{self.name}: has no total {_hints.brief(key)}; it has {', '.join(self._variables) or 'none'} "
                                  "[Metric.total]")

    def update(self, output, target):
        raise self._undefined("update(self, output, target)")

    def result(self):
        raise self._undefined("result(self)")

    def _undefined(self, method):
        return _core.MissingRuleError(f"{type(self).__name__}: has no {method.partition('(')[0]}; define {method} in the class "
                                      "[Metric.update]")

    def reset(self):
        for variable in self._variables.values():
            variable.zero_()

    def state_dict(self):
        return {key: variable.value() for key, variable in self._variables.items()}

    def load_state_dict(self, state):
        _hints.need_state(state, self.name or type(self).__name__, self._variables)
        for key, variable in self._variables.items():
            variable.assign(state[key])

    def __repr__(self):
        return f"<{self.name}: {self.result()}>"


def _ratio(a, b):
    return a / b if b else float("nan")


class Mean(Metric):
    """The mean of numbers: of the loss, for example."""

    name = "mean"
    totals = {"sum": (), "count": ()}

    def update_by(self, value, count):
        """Adds a mean over `count` examples."""
        self.add(sum=_cast(value, _core.float64) * _cast(count, _core.float64), count=count)

    def update(self, output, target=None):
        output = _core._tensor(output, None, self.name)
        self.add(sum=_sum(_cast(output, _core.float64)), count=float(1) if not output.shape else output.size)

    def result(self):
        return _ratio(self.total("sum"), self.total("count"))


class Accuracy(Metric):
    """The part of examples whose class is named rightly: by the greatest score, or, of one score an example, by one half, of
    logits by 0. After `binary_cross_entropy`, with logits or without, each element says yes or no."""

    name = "accuracy"
    totals = {"right": (), "count": ()}

    def update(self, output, target):
        batch = _scores.read(self, output, target)
        self._add_hits(_scores.predicted(self, batch) == batch.classes, batch.classes)

    def _add_hits(self, hits, classes):
        counted = _scores.counted(self, classes)
        self.add(right=_matches(hits & counted), count=_matches(counted))

    def result(self):
        return _ratio(self.total("right"), self.total("count"))


class TopKAccuracy(Accuracy):
    """The part of examples whose class is among the `k` greatest scores."""

    def __init__(self, k=5, name=None):
        super().__init__(f"top_{k}_accuracy" if name is None else name)
        self.k = k

    def update(self, output, target):
        scores, classes, has_classes = _scores.read(self, output, target)
        if not has_classes:
            raise _core.InvalidError(f"{self.name}: the output has shape {list(scores.shape)}, one score for each answer; the best of them "
                                     f"are of scores of classes [{self.name}.classes]")
        best = _ops.op("", "topk")(scores, self.k)[1]
        self._add_hits(_ops.op("", "any")(best == classes[..., None], axis=-1), classes)


class _Binary(Metric):
    """Metrics of one class against the rest: of scores above `threshold`, or of the class `of` among several.

    Without `of` it is class 1 of two; without `threshold` one half, of logits 0.
    """

    totals = {"true_positives": (), "false_positives": (), "false_negatives": ()}

    def __init__(self, of=None, threshold=None, name=None):
        super().__init__(name)
        self.of, self.threshold = of, threshold

    def update(self, output, target):
        batch = _scores.read(self, output, target)
        if batch.has_classes and self.of is None and batch.scores.shape[-1] > 2:
            raise _core.InvalidError(f"{self.name}: the output has scores of {int(batch.scores.shape[-1])} classes; name the one that counts: "
                                     f"wf.metrics.{type(self).__name__}(of=1) [{self.name}.classes]")
        of = 1 if self.of is None else self.of
        said = _scores.predicted(self, batch, self.threshold) == of
        true, counted = batch.classes == of, _scores.counted(self, batch.classes)
        self.add(true_positives=_matches(said & true & counted), false_positives=_matches(said & ~true & counted),
                 false_negatives=_matches(~said & true & counted))


class Precision(_Binary):
    """Of those said to be of a class, the part that is."""

    name = "precision"

    def result(self):
        return _ratio(self.total("true_positives"), self.total("true_positives") + self.total("false_positives"))


class Recall(_Binary):
    """Of those of a class, the part that was said to be."""

    name = "recall"

    def result(self):
        return _ratio(self.total("true_positives"), self.total("true_positives") + self.total("false_negatives"))


class F1(_Binary):
    """The harmonic mean of precision and recall."""

    name = "f1"

    def result(self):
        right = 2 * self.total("true_positives")
        return _ratio(right, right + self.total("false_positives") + self.total("false_negatives"))


class ConfusionMatrix(Metric):
    """How often each class (row) was said to be each class (column); its result is a matrix."""

    name = "confusion_matrix"

    def __init__(self, num_classes, name=None):
        self.num_classes = num_classes
        self.totals = {"counts": (num_classes, num_classes)}
        super().__init__(name)

    def update(self, output, target):
        batch = _scores.read(self, output, target)
        classes = batch.classes.reshape((-1,))
        counted = _scores.counted(self, classes)
        true = _one_hot(_where(counted, classes, 0), self.num_classes) * _cast(counted, _core.float32)[:, None]
        said = _one_hot(_scores.predicted(self, batch).reshape((-1,)), self.num_classes)
        self.add(counts=_cast(true, _core.float64).mT @ _cast(said, _core.float64))

    def result(self):
        return self._variables["counts"].value().astype(_core.int64)


class MSE(Metric):
    """The mean of squared errors."""

    name = "mse"
    totals = {"sum": (), "count": ()}

    def _errors(self, output, target):
        output, target = _scores.one_of_each(self, output, target)
        _scores.need_same(self, output, target, output, target, "they must be equal")
        return _cast(output, _core.float64) - _cast(target, _core.float64)

    def update(self, output, target):
        errors = self._errors(output, target)
        self.add(sum=_sum(errors * errors), count=_matches(errors == errors) + _matches(errors != errors))

    def result(self):
        return _ratio(self.total("sum"), self.total("count"))


class MAE(MSE):
    """The mean of absolute errors."""

    name = "mae"

    def update(self, output, target):
        errors = _ops.op("", "abs")(self._errors(output, target))
        self.add(sum=_sum(errors), count=_matches(errors == errors) + _matches(errors != errors))


class R2(MSE):
    """The part of the target's variance that is explained: 1 - errors / variance, the mean of all columns.

    A column whose targets are all equal has 1 if it is met, and 0 if not, as in scikit-learn.
    """

    name = "r2"
    totals = {}  # by column, made by the first batch: "count", and "mean", "spread" and "errors" of each column

    def update(self, output, target):
        errors = _columns(self._errors(output, target))
        target = _columns(_cast(_core._tensor(target, None, self.name), _core.float64))
        self._make(target.shape[1])
        # The spreads of two parts about their own means make the spread of both (Chan, Golub and LeVeque 1979).
        count = _matches(target[:, 0] == target[:, 0]) + _matches(target[:, 0] != target[:, 0])
        mean = _sum(target, axis=0) / count
        apart = target - mean
        before, old = self._variables["count"].read(), self._variables["mean"].read()
        total, shift = before + count, mean - old
        self._variables["count"].assign(total)
        self._variables["mean"].assign(old + shift * (count / total))
        self.add(spread=_sum(apart * apart, axis=0) + shift * shift * (before * count / total), errors=_sum(errors * errors, axis=0))

    def _make(self, columns):
        columns = int(columns)
        if not self._variables:
            with eager():
                self._variables = {key: _core.Variable(_zeros(shape, dtype=_core.float64), name=f"{self.name}_{key}", trainable=False)
                                   for key, shape in {"count": (), **dict.fromkeys(("mean", "spread", "errors"), (columns,))}.items()}
        held = self._variables["mean"].shape[0]
        if held != columns:
            raise _core.InvalidError(f"{self.name}: the output has {columns} columns and had {held}; make a metric for each model "
                                     f"[{self.name}.columns]")

    def load_state_dict(self, state):
        _hints.need_state(state, self.name, ("count", "mean", "spread", "errors"), is_optional=True)
        if state:
            self._make(_core._tensor(state["mean"], None, self.name, "mean").size)
        super().load_state_dict(state)

    def result(self):
        if not self._variables or self.total("count") < 2:
            return float("nan")
        spread, errors = self._variables["spread"].value(), self._variables["errors"].value()
        of_equal = _cast(errors == 0.0, _core.float64)
        return _mean(_where(spread == 0.0, of_equal, 1.0 - errors / _where(spread == 0.0, 1.0, spread))).item()


def _columns(x):
    """A row for each example."""
    if not x.shape:
        raise _core.InvalidError("R2: the outputs are one number; there is one for each example of a batch [R2.rank]")
    return x[:, None] if len(x.shape) == 1 else x if len(x.shape) == 2 else x.reshape((x.shape[0], -1))


class Perplexity(Metric):
    """exp of the mean cross entropy of the classes: how many of them are as good as even."""

    name = "perplexity"
    totals = {"sum": (), "count": ()}

    def update(self, output, target):
        output, target = _scores.classes_last(self, output, target)
        each = nn.cross_entropy(output, target, ignore_index=self.ignore_index, reduction="none")
        is_one = _matches(each == each) + _matches(each != each) if self.ignore_index is None else _matches(_scores.counted(self, target))
        self.add(sum=_sum(_cast(each, _core.float64)), count=is_one)

    def result(self):
        import math

        mean = _ratio(self.total("sum"), self.total("count"))
        return float("inf") if mean > 700 else math.exp(mean)


class AUC(Metric):
    """The area under the curve of true over false positives: how often a positive example has a greater score than a negative
    one, ties counted by half. Of scores of two classes it is their difference that counts. Exact: all scores are kept. One that is nan
    has no order: the result is nan."""

    name = "auc"
    is_traced = False

    def __init__(self, name=None):
        super().__init__(name)
        self._scores, self._targets = [], []

    def update(self, output, target):
        scores, classes, has_classes = _scores.read(self, output, target)
        scores = _cast(scores, _core.float64)
        if has_classes:
            if scores.shape[-1] != 2:
                raise _core.InvalidError(f"{self.name}: the output has scores of {scores.shape[-1]} classes, but a curve is of two; watch "
                                         f"wf.metrics.ConfusionMatrix, or one class against the rest in a metric of your own "
                                         f"[{self.name}.classes]")
            scores = scores[..., 1] - scores[..., 0]
        counts = _scores.counted(self, classes).numpy()
        scores, targets = scores.numpy()[counts], classes.numpy()[counts]
        self._scores.append(scores)
        self._targets.append(targets > 0)

    def result(self):
        import numpy as np

        if not self._scores:
            return float("nan")
        scores, is_positive = np.concatenate(self._scores), np.concatenate(self._targets)
        positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
        if not positives or not negatives or np.isnan(scores).any():  # nan has no place in an order
            return float("nan")
        _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
        ends = np.cumsum(counts)
        ranks = (ends - (counts - 1) / 2.0)[place]  # the mean rank of equal scores
        return float((ranks[is_positive].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))

    def reset(self):
        self._scores, self._targets = [], []

    def state_dict(self):
        import numpy as np

        empty = np.zeros(0)
        return {"scores": _core._tensor(np.concatenate([empty, *self._scores]), None, "AUC"),
                "targets": _core._tensor(np.concatenate([empty > 0, *self._targets]), None, "AUC")}

    def load_state_dict(self, state):
        _hints.need_state(state, self.name, ("scores", "targets"))
        self._scores, self._targets = ([_core._tensor(state[key], None, self.name, key).numpy()] for key in ("scores", "targets"))


_NAMES = {"accuracy": Accuracy, "top_k_accuracy": TopKAccuracy, "precision": Precision, "recall": Recall, "f1": F1, "auc": AUC,
          "mse": MSE, "mae": MAE, "r2": R2, "perplexity": Perplexity}
# What Keras calls them.
_ELSEWHERE = {"acc": "accuracy", "categorical_accuracy": "accuracy", "sparse_categorical_accuracy": "accuracy", "binary_accuracy": "accuracy",
              "top_k_categorical_accuracy": "top_k_accuracy", "mean_squared_error": "mse", "mean_absolute_error": "mae", "f1_score": "f1"}


class _Function(Mean):
    """A function of (output, target) as a metric: the mean of what it gives for each example. Where it gives one number for a
    batch, that counts as often as the batch has rows."""

    def __init__(self, function):
        super().__init__(getattr(function, "__name__", "metric"))
        self._function = function

    def update(self, output, target):
        value = users(self._function)(output, target)
        if not isinstance(value, (_core.Tensor, float, int)) and not hasattr(value, "__array__"):
            raise _core.WrongTypeError(f"{self.name}: gave {_brief(value)}; a metric gives a number, or a tensor of one for each example "
                                       f"[{self.name}.value]")
        value = _core._tensor(value, None, self.name)
        if value.shape:
            super().update(value)
        else:
            self.update_by(value, _scores.rows_of(output))


class OfOutput(Metric):
    """A metric of one of several outputs, by name or by place: what `metrics={"digit": "accuracy"}` makes."""

    def __init__(self, of, metric, name=None):
        self.of, self.metric = of, _made(metric)
        self.name, self.is_traced = name or f"{of}_{self.metric.name}", self.metric.is_traced

    def follow(self, loss):
        self.metric.follow(loss.parts.get(self.of) if isinstance(loss, Several) else loss)

    def update(self, output, target):
        users(self.metric.update)(part_of(output, self.of, "output"), part_of(target, self.of, "target"))

    def result(self):
        return self.metric.result()

    def reset(self):
        self.metric.reset()

    def state_dict(self):
        return self.metric.state_dict()

    def load_state_dict(self, state):
        self.metric.load_state_dict(state)


def metric_of(given, loss=None):
    """The metric that was given, by itself, by name or as a function; it understands outputs as the loss does."""
    metric = _made(given)
    metric.follow(loss)
    return metric


def _made(given):
    if isinstance(given, Metric):
        return given
    if isinstance(given, str):
        if given not in _NAMES:
            known = f"weft calls this '{_ELSEWHERE[given]}'" if given in _ELSEWHERE else ""
            hint = known or _core.did_you_mean(given, list(_NAMES)) or f"there are {', '.join(_NAMES)}"
            raise _core.InvalidError(f"compile: there is no metric '{given}'; {hint} [compile.metrics]")
        return _NAMES[given]()
    if isinstance(given, type) and issubclass(given, Metric):
        return given()
    if callable(given):
        return _Function(given)
    raise _core.WrongTypeError(f"compile: a metric is {_brief(given)}; it is a name, an object of wf.metrics or a function "
                               "[compile.metrics]")
