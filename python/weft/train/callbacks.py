"""Callbacks: what is done while a model is trained.

>>> model = wf.nn.Linear(2, 1)
>>> stopping = wf.callbacks.EarlyStopping("val_loss", patience=3, restore_best_weights=True)
>>> logger = wf.callbacks.CSVLogger("log.csv")

They are given to fit: `model.fit(x, y, callbacks=[stopping, logger])`.
"""

import json

from .. import _core, _hints
from .._hints import brief as _brief
from .._files import write_whole
from ..optim.schedules import Plateau
from .callback import Callback, Watcher, groups_of as _groups_of
from .checkpoints import ModelCheckpoint, Resume
from .given import whole
from .not_finite import TerminateOnNaN

__all__ = ["CSVLogger", "Callback", "EarlyStopping", "LambdaCallback", "LearningRateScheduler", "ModelCheckpoint", "ReduceLROnPlateau",
           "Resume", "TerminateOnNaN"]


class EarlyStopping(Watcher):
    """Ends a training when a number has not become better for `patience` epochs.

    Arguments:
        monitor: the number that is watched
        patience: how many epochs without progress there may be
        min_delta: what counts as progress
        mode: "min" if less is better, "max" if more is; "auto" goes by words in the name, such as loss, error, acc, f1, iou
        restore_best_weights: whether the model ends with the parameters of its best epoch; one that is interrupted keeps the last
    """

    @_hints.spoken
    def __init__(self, monitor="val_loss", patience=0, min_delta=0.0, mode="auto", restore_best_weights=False):
        super().__init__(monitor, mode, min_delta)
        self.patience = whole(patience, "EarlyStopping", "patience", 0, "a number of epochs, ")
        self.restore_best_weights = restore_best_weights
        self.on_train_begin()

    def on_train_begin(self):
        self.best, self.best_epoch, self.wait, self._weights = None, None, 0, None

    def on_epoch_end(self, epoch, logs):
        value = self.watched(logs)
        if self.is_better(value):
            self.best, self.best_epoch, self.wait = value, epoch, 0
            if self.restore_best_weights:
                self._weights = self.model.state_dict()
            return
        self.wait += 1
        if self.wait >= max(self.patience, 1):
            best = "" if self.best is None else f"; it was best in epoch {self.best_epoch + 1}, {self.best:.4g}"
            self.run.stop(f"early stopping: {self.monitor} has not become better for {self.wait} epoch{'s' * (self.wait != 1)}{best}")

    def on_train_end(self):
        if self._weights is not None and self.run.stop_reason != "interrupted":
            self.model.load_state_dict(self._weights)

    def state_dict(self):
        return {"best": self.best, "best_epoch": self.best_epoch, "wait": self.wait, "weights": self._weights}

    def load_state_dict(self, state):
        _hints.need_state(state, "EarlyStopping", ("best", "best_epoch", "wait", "weights"), is_optional=True)
        if state:
            self.best, self.best_epoch, self.wait, self._weights = state["best"], state["best_epoch"], state["wait"], state["weights"]


class LearningRateScheduler(Callback):
    """Sets the learning rate.

    Arguments:
        schedule: a function of the epoch, or of the epoch and the rate there is, that gives the rate; or an object of
            wf.optim.schedules, which moves on after every epoch. Of several groups of parameters a function of the epoch gives the
            first one's rate, and the others keep their proportion to it; one of both is asked for each.
        every: "epoch", or "step" for an object that moves on after every step

    >>> halved = wf.callbacks.LearningRateScheduler(lambda epoch: 0.1 * 0.5 ** (epoch // 10))
    """

    @_hints.spoken
    def __init__(self, schedule, every="epoch"):
        if not hasattr(schedule, "step") and not callable(schedule):
            raise _core.WrongTypeError(f"LearningRateScheduler: schedule is {_brief(schedule)}; it is a function of the epoch, or an object of "
                                       "wf.optim.schedules [LearningRateScheduler.schedule]")
        if not isinstance(every, str) or every not in ("epoch", "step") or (every == "step" and not hasattr(schedule, "step")):
            raise _core.InvalidError(f"LearningRateScheduler: every is {_brief(every)}; it is 'epoch', or 'step' for an object of "
                                     "wf.optim.schedules [LearningRateScheduler.every]")
        if isinstance(schedule, Plateau):
            raise _core.WrongTypeError("LearningRateScheduler: schedule is a Plateau, which moves by a number that is watched; take "
                                       "wf.callbacks.ReduceLROnPlateau(monitor) [LearningRateScheduler.schedule]")
        self.schedule, self.every = schedule, every
        self._moves = hasattr(schedule, "step")
        self._parts = []  # the groups' rates by the first one's

    def on_train_begin(self):
        rates = [group["lr"] for group in _groups_of(self)]
        self._parts = [rate / rates[0] if rates[0] else 1.0 for rate in rates]

    def on_epoch_begin(self, epoch):
        if self._moves:
            return
        takes_rate = _count_of(self.schedule) == 2
        first = None if takes_rate else float(self.schedule(epoch))
        for group, part in zip(_groups_of(self), self._parts):
            group["lr"] = float(self.schedule(epoch, group["lr"])) if takes_rate else first * part

    def on_epoch_end(self, epoch, logs):
        if self._moves and self.every == "epoch":
            self.schedule.step()

    def on_batch_end(self, batch, compiled):
        if self._moves and self.every == "step":
            self.schedule.step()

    def state_dict(self):
        return {"schedule": self.schedule.state_dict()} if hasattr(self.schedule, "state_dict") else {}

    def load_state_dict(self, state):
        if "schedule" in _hints.as_dict(state, "LearningRateScheduler", "state"):
            self.schedule.load_state_dict(state["schedule"])


def _count_of(function):
    """How many arguments a function must be given; 1 for those of C that do not tell."""
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)


class ReduceLROnPlateau(Watcher):
    """Multiplies the learning rate, of each group of parameters its own, by `factor` when a number has not become better for
    `patience` epochs.

    Arguments:
        monitor: the number that is watched
        factor: what the rate is multiplied by
        patience: how many epochs without progress there may be
        min_delta: what counts as progress
        mode: "min" if less is better, "max" if more is; "auto" goes by words in the name, such as loss, error, acc, f1, iou
        cooldown: epochs after a change that are not counted
        min_lr: the least rate
    """

    @_hints.spoken
    def __init__(self, monitor="val_loss", factor=0.1, patience=10, min_delta=1e-4, mode="auto", cooldown=0, min_lr=0.0):
        super().__init__(monitor, mode, min_delta)
        if not 0.0 < _hints.as_number(factor, "ReduceLROnPlateau", "factor") < 1.0:
            raise _core.InvalidError(f"ReduceLROnPlateau: factor is {_brief(factor)}; it lies between 0 and 1 [ReduceLROnPlateau.factor]")
        self.patience, self.cooldown = (whole(value, "ReduceLROnPlateau", name, 0, "a number of epochs, ")
                                        for name, value in (("patience", patience), ("cooldown", cooldown)))
        self.factor, self.min_lr = factor, min_lr
        self.on_train_begin()

    def on_train_begin(self):
        self.best, self.wait, self._rest = None, 0, 0

    def on_epoch_end(self, epoch, logs):
        value = self.watched(logs)
        if self.is_better(value):
            self.best, self.wait = value, 0
        elif not self._rest:
            self.wait += 1
            if self.wait >= max(self.patience, 1):
                for group in _groups_of(self):
                    group["lr"] = max(group["lr"] * self.factor, self.min_lr)
                self.wait, self._rest = 0, self.cooldown + 1
        self._rest = max(self._rest - 1, 0)

    def state_dict(self):
        return {"best": self.best, "wait": self.wait, "rest": self._rest}

    def load_state_dict(self, state):
        _hints.need_state(state, "ReduceLROnPlateau", ("best", "wait", "rest"), is_optional=True)
        if state:
            self.best, self.wait, self._rest = state["best"], state["wait"], state["rest"]


class CSVLogger(Callback):
    """Writes a line for each epoch to a CSV file, which is whole at any time. A file that cannot be written is warned of, and tried
    again after the next epoch.

    Arguments:
        path: the file
        append: whether lines of earlier epochs that are in the file stay; those of a run that is resumed always do
    """

    @_hints.spoken
    def __init__(self, path, append=False):
        self.path, self.append = path, append
        self._rows = []

    def on_train_begin(self):
        self._rows = _read_rows(self.path) if self.append else []

    def on_epoch_end(self, epoch, logs):
        # Of epochs that are done again the last account counts.
        self._rows = [row for row in self._rows if int(row["epoch"]) < epoch]
        logs = dict(_hints.as_dict(logs, "CSVLogger", "logs"))
        numbers = {name: repr(value) for name, value in logs.items() if isinstance(value, (int, float))}
        self._rows.append({"epoch": str(epoch), **numbers})
        try:
            write_whole(self.path, _csv(self._rows))
        except OSError as error:
            self.run.warn(f"CSVLogger: '{self.path}' could not be written: {error.strerror}; training goes on [CSVLogger.write]")

    def state_dict(self):
        return {"rows": json.dumps(self._rows)}

    def load_state_dict(self, state):
        _hints.need_state(state, "CSVLogger", ("rows",), is_optional=True)
        if state:
            _hints.need_text(state["rows"], "CSVLogger", "rows")
            self._rows = json.loads(state["rows"])


def _read_rows(path):
    import csv
    import os

    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if any("epoch" not in row or not (row["epoch"] or "").isdigit() for row in rows):
        raise _core.InvalidError(f"CSVLogger: '{path}' is there, but has no numbers in a column 'epoch'; name another file, or write "
                                 "append=False [CSVLogger.append]")
    return rows


def _csv(rows):
    import csv
    import io

    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


_WORDS = [name for name in vars(Callback) if name.startswith("on_") and name != "on_not_finite"]


class LambdaCallback(Callback):
    """A callback of functions, named as the methods of Callback are.

    >>> losses = []
    >>> noting = wf.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: losses.append(logs["loss"]))
    """

    def __init__(self, **functions):
        for name, function in functions.items():
            if name not in _WORDS:
                hint = _core.did_you_mean(name, _WORDS) or f"there are {', '.join(_WORDS)}"
                raise _core.WrongTypeError(f"LambdaCallback: there is no '{name}'; {hint} [LambdaCallback.name]")
            if not callable(function):
                raise _core.WrongTypeError(f"LambdaCallback: {name} is {_brief(function)}; it is a function [LambdaCallback.function]")
            setattr(self, name, function)
