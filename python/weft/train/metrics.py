"""Metrics: measured batch by batch, exact over all examples whatever the sizes of the batches.

Their counts are Variables, so that traced steps update them. `update(output, target)` adds a batch, `result()` is the value.

>>> metric = wf.metrics.Accuracy()
>>> metric.update(wf.tensor([[2.0, 1.0], [0.0, 3.0]]), wf.tensor([0, 0]))
>>> metric.result()
0.5
"""

from .. import _core, _ops, nn

_sum, _argmax, _cast = _ops.op("", "sum"), _ops.op("", "argmax"), _ops.op("", "cast")
_zeros, _where, _one_hot = _ops.op("", "zeros"), _ops.op("", "where"), _ops.op("", "one_hot")


class Metric:
    """What metrics share: a name, and totals that are Variables. A subclass names its totals, {name: shape}."""

    name = ""
    totals = {}
    is_traced = True  # False: updated outside of traced steps

    def __init__(self, name=None):
        self.name = name or type(self).name
        self._variables = {key: _core.Variable(_zeros(shape, dtype=_core.float64), name=f"{self.name}_{key}", trainable=False)
                           for key, shape in self.totals.items()}

    def add(self, **terms):
        """Adds to totals."""
        for key, term in terms.items():
            term = _core._tensor(term, None, "metric")
            self._variables[key].assign_add(_cast(term, _core.float64))

    def total(self, key):
        """A total, as a number."""
        return self._variables[key].item()

    def update(self, output, target):
        raise NotImplementedError

    def result(self):
        raise NotImplementedError

    def reset(self):
        for variable in self._variables.values():
            variable.zero_()

    def state_dict(self):
        return {key: variable.value() for key, variable in self._variables.items()}

    def load_state_dict(self, state):
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
        self.add(sum=_sum(_cast(output, _core.float64)), count=float(1) if not output.shape else output.size)

    def result(self):
        return _ratio(self.total("sum"), self.total("count"))


def _predicted(output):
    """The class that an output names: of the greatest score, or above one half for one score an example."""
    if len(output.shape) >= 2 and output.shape[-1] != 1:
        return _argmax(output, axis=-1)
    scores = output[..., 0] if len(output.shape) >= 2 else output
    return _cast(scores > 0.5, _core.int64)


def _classes(output, target):
    """Targets as classes: they may be given one hot, too."""
    if len(target.shape) == len(output.shape) and len(output.shape) >= 2:
        return _argmax(target, axis=-1) if output.shape[-1] != 1 else _cast(target[..., 0] > 0.5, _core.int64)
    return _cast(target, _core.int64)


def _matches(hits):
    return _sum(_cast(hits, _core.float64))


class Accuracy(Metric):
    """The part of examples whose class is named rightly: by the greatest score, or, of one score an example, by one half."""

    name = "accuracy"
    totals = {"right": (), "count": ()}

    def update(self, output, target):
        hits = _predicted(output) == _classes(output, target)
        self.add(right=_matches(hits), count=_matches(hits | ~hits))

    def result(self):
        return _ratio(self.total("right"), self.total("count"))


class TopKAccuracy(Accuracy):
    """The part of examples whose class is among the `k` greatest scores."""

    def __init__(self, k=5, name=None):
        super().__init__(name or f"top_{k}_accuracy")
        self.k = k

    def update(self, output, target):
        best = _ops.op("", "topk")(output, self.k)[1]
        hits = _ops.op("", "any")(best == _classes(output, target)[..., None], axis=-1)
        self.add(right=_matches(hits), count=_matches(hits | ~hits))


class _Binary(Metric):
    """Metrics of one class against the rest: of scores above `threshold`, or of the class `of` among several."""

    totals = {"true_positives": (), "false_positives": (), "false_negatives": ()}

    def __init__(self, of=1, threshold=0.5, name=None):
        super().__init__(name)
        self.of, self.threshold = of, threshold

    def update(self, output, target):
        if len(output.shape) >= 2 and output.shape[-1] != 1:
            said = _argmax(output, axis=-1) == self.of
        else:
            said = (output[..., 0] if len(output.shape) >= 2 else output) > self.threshold
        true = _classes(output, target) == self.of
        self.add(true_positives=_matches(said & true), false_positives=_matches(said & ~true), false_negatives=_matches(~said & true))


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
        true = _one_hot(_classes(output, target).reshape((-1,)), self.num_classes)
        said = _one_hot(_predicted(output).reshape((-1,)), self.num_classes)
        self.add(counts=_cast(true, _core.float64).mT @ _cast(said, _core.float64))

    def result(self):
        return self._variables["counts"].value().astype(_core.int64)


class MSE(Metric):
    """The mean of squared errors."""

    name = "mse"
    totals = {"sum": (), "count": ()}

    def _errors(self, output, target):
        if output.shape != target.shape:
            raise _core.InvalidError(f"{self.name}: the output has shape {list(output.shape)} and the target {list(target.shape)}; they "
                                     f"must be equal [{self.name}.shape]")
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
    """The part of the target's variance that is explained: 1 - errors / variance."""

    name = "r2"
    totals = {"sum": (), "count": (), "targets": (), "squares": ()}

    def update(self, output, target):
        super().update(output, target)
        target = _cast(target, _core.float64)
        self.add(targets=_sum(target), squares=_sum(target * target))

    def result(self):
        spread = self.total("squares") - _ratio(self.total("targets") ** 2, self.total("count"))
        return 1.0 - _ratio(self.total("sum"), spread)


class Perplexity(Metric):
    """exp of the mean cross entropy of the classes: how many of them are as good as even."""

    name = "perplexity"
    totals = {"sum": (), "count": ()}

    def update(self, output, target):
        each = nn.cross_entropy(output, target, reduction="none")
        self.add(sum=_sum(_cast(each, _core.float64)), count=_matches(each == each) + _matches(each != each))

    def result(self):
        import math

        mean = _ratio(self.total("sum"), self.total("count"))
        return float("inf") if mean > 700 else math.exp(mean)


class AUC(Metric):
    """The area under the curve of true over false positives: how often a positive example has a greater score than a negative
    one, ties counted by half. Exact: all scores are kept."""

    name = "auc"
    is_traced = False

    def __init__(self, name=None):
        super().__init__(name)
        self._scores, self._targets = [], []

    def update(self, output, target):
        scores = output if len(output.shape) == 1 else output[..., -1]
        self._scores.append(_cast(scores, _core.float64).numpy().ravel())
        self._targets.append(_classes(output, target).numpy().ravel() > 0)

    def result(self):
        import numpy as np

        if not self._scores:
            return float("nan")
        scores, is_positive = np.concatenate(self._scores), np.concatenate(self._targets)
        positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
        if not positives or not negatives:
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
        self._scores, self._targets = [state["scores"].numpy()], [state["targets"].numpy()]


_NAMES = {"accuracy": Accuracy, "top_k_accuracy": TopKAccuracy, "precision": Precision, "recall": Recall, "f1": F1, "auc": AUC,
          "mse": MSE, "mae": MAE, "r2": R2, "perplexity": Perplexity}


class _Function(Mean):
    """A function of (output, target) as a metric: the mean of what it gives."""

    def __init__(self, function):
        super().__init__(getattr(function, "__name__", "metric"))
        self._function = function

    def update(self, output, target):
        super().update(self._function(output, target))


def metric_of(given, loss=None):
    """The metric that was given, by itself, by name or as a function."""
    if isinstance(given, Metric):
        return given
    if isinstance(given, str):
        if given not in _NAMES:
            hint = _core.did_you_mean(given, list(_NAMES)) or f"there are {', '.join(_NAMES)}"
            raise _core.InvalidError(f"compile: there is no metric '{given}'; {hint} [compile.metrics]")
        return _NAMES[given]()
    if isinstance(given, type) and issubclass(given, Metric):
        return given()
    if callable(given):
        return _Function(given)
    raise _core.WrongTypeError(f"compile: a metric is {given!r:.60}; it is a name, an object of wf.metrics or a function "
                               "[compile.metrics]")
