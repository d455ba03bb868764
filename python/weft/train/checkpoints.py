"""Callbacks that save: checkpoints of a model, and of a whole run, which can be taken up again."""

import math

from .. import _core
from .callback import Callback, mode_of


def _manager(folder, max_to_keep, best, **objects):
    import weft

    return weft.CheckpointManager(folder, max_to_keep=max_to_keep, best=best, **objects)


def _count(value, who, name, least):
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise _core.InvalidError(f"{who}: {name} is {value!r:.60}; it is {least} or more, or None [{who}.{name}]")
    return value


def _tried(callback, action):
    """Whether a checkpoint was saved. If not, training goes on, and the next one is tried."""
    try:
        action()
    except (OSError, _core.Error) as error:
        who, reason = type(callback).__name__, str(error).partition("\n")[0]
        callback.run.warn(f"{who}: step {callback.run.step} could not be saved: {reason}; training goes on [{who}.save]")
        return False
    return True


class ModelCheckpoint(Callback):
    """Saves the model and its optimizer while it is trained; `manager.restore_latest()` or `manager.restore(manager.best_step())` of this
    callback brings one back. One that cannot be saved is warned of, in `history.warnings` too, and training goes on.

    Arguments:
        folder: where checkpoints are kept
        every_steps: saves after so many steps
        every_epochs: saves after so many epochs; None saves by steps alone
        monitor: a number by which the best one is kept, however old it is
        mode: "min" if less is better, "max" if more is; "auto" goes by the name
        max_to_keep: how many of the last are kept
    """

    def __init__(self, folder, every_steps=None, every_epochs=1, monitor=None, mode="auto", max_to_keep=5):
        if mode not in ("auto", "min", "max"):
            raise _core.InvalidError(f"ModelCheckpoint: mode is {mode!r:.60}; it is 'min', 'max' or 'auto' [ModelCheckpoint.mode]")
        self.folder, self.monitor, self.max_to_keep = folder, monitor, max_to_keep
        self.every_steps = _count(every_steps, "ModelCheckpoint", "every_steps", 1)
        self.every_epochs = _count(every_epochs, "ModelCheckpoint", "every_epochs", 1)
        self._best = None if monitor is None else (monitor, mode_of(monitor) if mode == "auto" else mode)
        self.manager = None

    def on_train_begin(self):
        self.manager = _manager(self.folder, self.max_to_keep, self._best, model=self.model, optimizer=self.run.compiled.optimizer)

    def on_batch_end(self, batch, compiled):
        if self.every_steps and self.run.step % self.every_steps == 0:
            _tried(self, lambda: self.manager.save(self.run.step))

    def on_epoch_end(self, epoch, logs):
        if not self.every_epochs or (epoch + 1) % self.every_epochs:
            return
        if self.monitor is not None and self.monitor not in logs:
            raise _core.InvalidError(f"ModelCheckpoint: there is no '{self.monitor}' to watch; there are {', '.join(logs)} "
                                     "[ModelCheckpoint.monitor]")
        numbers = {name: float(value) for name, value in logs.items() if isinstance(value, (int, float)) and math.isfinite(value)}
        is_measured = self.monitor is None or self.monitor in numbers
        _tried(self, lambda: self.manager.save(self.run.step, metrics=numbers if is_measured else None))

    def on_train_end(self):
        _tried(self, self.manager.wait)


class Resume(Callback):
    """Lets a run go on where it was stopped, with the same bits: what `fit(resume=folder)` uses.

    It takes up the latest checkpoint of the folder when the training begins, and saves the model and the run (epoch, step, place in the
    data, optimizer, metrics, other callbacks, random state) after each epoch, when it is interrupted, and every `every_steps` steps. It
    is the last of all callbacks, so that the others' states are saved as they are after the step. A run that has come to its end, by its
    epochs or because a callback stopped it after one, is at its end when it is taken up, too.
    """

    def __init__(self, folder, every_steps=None, max_to_keep=2):
        self.folder, self.max_to_keep = folder, max_to_keep
        self.every_steps = _count(every_steps, "Resume", "every_steps", 1)
        self.manager = None
        self.resumed_step = None  # where this run was taken up; None if it began anew
        self._saved, self._reason = None, None

    def on_train_begin(self):
        if self.run.callbacks[-1] is not self:
            raise _core.InvalidError("Resume: stands before other callbacks, whose states it could not save as they are after a step; "
                                     "put it last [Resume.order]")
        self.manager = _manager(self.folder, self.max_to_keep, None, model=self.model, run=self.run)
        try:
            self.resumed_step = self.manager.restore_latest()
        except _core.InvalidError as error:
            reason = str(error).partition("\n")[0]
            if "[resume." in reason:  # of the run itself, in the words of who resumes
                raise
            raise _core.InvalidError(f"resume: what is saved in '{self.folder}' is of another model or optimizer: {reason}; take another "
                                     "folder for this one [resume.model]") from None
        self._saved = self._place()
        if self.resumed_step is not None and (self.run.epoch >= self.run.epochs or self.run.stop_reason is not None):
            why = f" ({self.run.stop_reason})" if self.run.stop_reason else f" of {self.run.epochs}"
            self.run.note(f"resume: the run in '{self.folder}' has come to its end after epoch {self.run.epoch}{why}; nothing is left to "
                          "train")

    def _place(self):
        return self.run.epoch, self.run.batch, self.run.step

    def _save(self):
        if self._saved != self._place() and _tried(self, lambda: self.manager.save(self.run.step)):
            self._saved = self._place()

    def on_batch_end(self, batch, compiled):
        # A step that was refused, since its numbers are not finite, is none to go on from.
        if self.every_steps and self.run.step % self.every_steps == 0 and self.run.stop_reason is None:
            self._save()

    def on_epoch_end(self, epoch, logs):
        self._reason = self.run.stop_reason
        self._save()

    def on_train_end(self):
        if self.run.stop_reason == "interrupted":
            self._save()
        _tried(self, self.manager.wait)

    def state_dict(self):
        return {"stop_reason": self._reason}

    def load_state_dict(self, state):
        self._reason = state.get("stop_reason")
        if self._reason is not None:
            self.run.stop(self._reason)
