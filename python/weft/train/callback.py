"""Callback: what training tells of itself, and what callbacks that watch a number share."""

import math

from .. import _core, _hints
from .._hints import brief as _brief

# Parts of names, between _, of numbers that are better when they are less, or when they are greater.
_LESS = ("loss", "error", "err", "mse", "rmse", "mae", "mape", "perplexity", "nll", "bce", "entropy", "divergence", "distance", "cost",
         "wer", "cer")
_GREATER = ("accuracy", "acc", "precision", "recall", "f1", "auc", "r2", "iou", "miou", "dice", "map", "ap", "bleu", "ndcg")


class Callback:
    """What is told of a training: subclass it and write the methods that matter.

    `run` is the training itself: its `epoch`, `step` (of all epochs) and `batch` (of this one), its `compiled`, whose `optimizer` is at
    work, its `history`; `run.stop(reason)` ends it. `model` is the model.

    >>> class Counter(wf.callbacks.Callback):
    ...     batches = 0
    ...     def on_batch_end(self, batch, compiled):
    ...         self.batches += 1
    """

    run = None
    model = None
    checks_gradients = False  # True: on_not_finite is called, before parameters are changed, if the loss or a gradient is not finite

    def on_train_begin(self):
        """Before the first epoch."""

    def on_train_end(self):
        """After the last epoch, or the last step of a training that was stopped."""

    def on_epoch_begin(self, epoch):
        """Before an epoch; the first is 0."""

    def on_epoch_end(self, epoch, logs):
        """After an epoch and its validation: `logs` is {name: value} of what was measured. `run.epoch` is the next one by now."""

    def on_batch_begin(self, batch):
        """Before a step; the first of an epoch is 0."""

    def on_batch_end(self, batch, compiled):
        """After a step; `compiled.logs()` is {name: value} of this epoch so far."""

    def on_not_finite(self, run, x, y, weight, numbers):
        """Instead of a step whose loss or gradients are not finite: its batch, and the numbers of its records, if they are known.
        `run.origins()` has where they were read, if the data tell."""

    def state_dict(self):
        """What must be kept to go on later as if nothing had happened: numbers, texts, tensors, and lists and dicts of them."""
        return {}

    def load_state_dict(self, state):
        """Takes what `state_dict` gave."""


# What Keras and others call the words.
_ELSEWHERE = {"on_train_batch_begin": "on_batch_begin(self, batch)", "on_train_batch_end": "on_batch_end(self, batch, compiled)",
              "on_step_begin": "on_batch_begin(self, batch)", "on_step_end": "on_batch_end(self, batch, compiled)",
              "on_train_start": "on_train_begin(self)", "on_train_epoch_start": "on_epoch_begin(self, epoch)",
              "on_epoch_start": "on_epoch_begin(self, epoch)", "on_train_epoch_end": "on_epoch_end(self, epoch, logs)",
              "on_test_end": "on_epoch_end(self, epoch, logs), which comes after validation",
              "on_validation_end": "on_epoch_end(self, epoch, logs), which comes after validation"}
_WORDS = [name for name in vars(Callback) if name.startswith("on_")]


def listed_callbacks(given):
    """The callbacks of a training; raises for what is none, and for words that nobody would call."""
    callbacks = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    for one in callbacks:
        if isinstance(one, type):
            raise _core.WrongTypeError(f"fit: a callback is the class {one.__name__}; give an object: {one.__name__}() [fit.callbacks]")
        if not isinstance(one, Callback):
            raise _core.WrongTypeError(f"fit: a callback is {_brief(one)}; it is an object of wf.callbacks, or of a class that is made of "
                                       "wf.callbacks.Callback [fit.callbacks]")
        for name in dir(type(one)):
            if name.startswith("on_") and name not in _WORDS:
                _need_word(type(one).__name__, name)
    return callbacks


def _need_word(who, name):
    hint = f"weft calls this {_ELSEWHERE[name]}" if name in _ELSEWHERE else _core.did_you_mean(name, _WORDS)
    if hint:  # else it is a method of their own
        raise _core.InvalidError(f"fit: {who} has '{name}', which nobody calls; {hint} [fit.callbacks]")


class Watcher(Callback):
    """What callbacks share that watch a number of `logs`: whether it has become better."""

    def __init__(self, monitor, mode, min_delta):
        who = type(self).__name__
        _hints.need_choice(mode, who, "mode", "min", "max", "auto")
        _hints.need_text(monitor, who, "monitor")
        self.monitor, self.min_delta = monitor, abs(_hints.as_number(min_delta, who, "min_delta"))
        self.mode = mode_of(who, monitor) if mode == "auto" else mode
        self.best = None

    def watched(self, logs):
        """The number that is watched."""
        who = type(self).__name__
        value = _hints.as_dict(logs, who, "logs").get(self.monitor)
        if value is None:
            is_unmeasured = self.monitor.startswith("val_") and not any(name.startswith("val_") for name in logs)
            hint = "; give fit validation_data" if is_unmeasured else ""
            raise _core.InvalidError(f"{who}: there is no '{self.monitor}' to watch; there are {', '.join(logs) or 'no numbers'}{hint} "
                                     f"[{who}.monitor]")
        return float(value)

    def is_better(self, value):
        """Whether a number is better than the best, by `min_delta` at least; NaN never is."""
        if math.isnan(value):
            return False
        if self.best is None:
            return True
        return value < self.best - self.min_delta if self.mode == "min" else value > self.best + self.min_delta


def groups_of(callback):
    """The groups of the optimizer that is at work."""
    if callback.run is None:
        who = type(callback).__name__
        raise _core.InvalidError(f"{who}: no training is under way whose rate it could set; fit(callbacks=[...]) calls it [{who}.run]")
    return callback.run.compiled.optimizer.param_groups


def mode_of(who, monitor):
    """'max' for names of numbers that are better when they are greater, 'min' for those that are better when they are less."""
    _hints.need_text(monitor, who, "monitor")
    parts = monitor.lower().split("_")
    for mode, words in (("min", _LESS), ("max", _GREATER)):
        if any(part in words for part in parts):
            return mode
    raise _core.InvalidError(f"{who}: '{monitor}' does not tell whether less of it is better or more; give mode='min' or mode='max' "
                             f"[{who}.mode]")
