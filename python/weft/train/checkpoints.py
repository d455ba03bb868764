"""Callbacks that save: checkpoints of a model, and of a whole run, which can be taken up again."""

import math

from .. import _core, _hints
from .callback import Callback, mode_of
from .given import whole


def _manager(folder, max_to_keep, best, asynchronous, **objects):
    import weft

    return weft.CheckpointManager(folder, max_to_keep=max_to_keep, best=best, asynchronous=asynchronous, **objects)


def _every(given, who, name):
    return None if given is None else whole(given, who, name, 1, "None, or ")


class _Saving(Callback):
    """What callbacks that save share: a checkpoint that could not be saved is told of, training goes on, and the next one is tried."""

    manager = None
    asynchronous = False
    _under_way = None  # the step of a save that may not be done

    def _tried(self, step, action):
        """Whether it went well."""
        try:
            action()
        except (OSError, _core.Error) as error:
            who, reason = type(self).__name__, str(error).partition("\n")[0]
            self.run.warn(f"{who}: step {step} could not be saved: {reason}; training goes on [{who}.save]")
            return False
        return True

    def _is_done(self):
        """Waits for the save under way; whether it went well."""
        step, self._under_way = self._under_way, None
        return step is None or self._tried(step, self.manager.wait)

    def _saves(self, metrics=None):
        """Whether this step was saved, or its files are being written."""
        step = self.run.step
        is_saved = self._tried(step, lambda: self.manager.save(step, metrics=metrics))
        self._under_way = step if self.asynchronous and is_saved else None
        return is_saved


class ModelCheckpoint(_Saving):
    """Saves the model and its optimizer while it is trained; `manager.restore_latest()` or `manager.restore(manager.best_step())` of this
    callback brings one back. One that cannot be saved is warned of, in `history.warnings` too, and training goes on.

    Arguments:
        folder: where checkpoints are kept
        every_steps: saves after so many steps
        every_epochs: saves after so many epochs; None saves by steps alone
        monitor: a number by which the best one is kept, however old it is
        mode: "min" if less is better, "max" if more is; "auto" goes by words in the name, such as loss, error, acc, f1, iou
        max_to_keep: how many of the last are kept
        asynchronous: whether files are written beside the training, which waits only if the one before is not done; what went wrong
            is told when the next one is saved
    """

    @_hints.spoken
    def __init__(self, folder, every_steps=None, every_epochs=1, monitor=None, mode="auto", max_to_keep=5, asynchronous=False):
        _hints.need_choice(mode, "ModelCheckpoint", "mode", "min", "max", "auto")
        self.folder, self.monitor, self.max_to_keep, self.asynchronous = folder, monitor, max_to_keep, bool(asynchronous)
        self.every_steps = _every(every_steps, "ModelCheckpoint", "every_steps")
        self.every_epochs = _every(every_epochs, "ModelCheckpoint", "every_epochs")
        self._best = None if monitor is None else (monitor, mode_of("ModelCheckpoint", monitor) if mode == "auto" else mode)

    def on_train_begin(self):
        self.manager = _manager(self.folder, self.max_to_keep, self._best, self.asynchronous, model=self.model,
                                optimizer=self.run.compiled.optimizer)

    def on_batch_end(self, batch, compiled):
        if self.every_steps and self.run.step % self.every_steps == 0:
            self._is_done()
            self._saves()

    def on_epoch_end(self, epoch, logs):
        if not self.every_epochs or (epoch + 1) % self.every_epochs:
            return
        if self.monitor is not None and self.monitor not in logs:
            raise _core.InvalidError(f"ModelCheckpoint: there is no '{self.monitor}' to watch; there are {', '.join(logs)} "
                                     "[ModelCheckpoint.monitor]")
        numbers = {name: float(value) for name, value in logs.items() if isinstance(value, (int, float)) and math.isfinite(value)}
        is_measured = self.monitor is None or self.monitor in numbers
        self._is_done()
        self._saves(numbers if is_measured else None)

    def on_train_end(self):
        self._is_done()


class Resume(_Saving):
    """Lets a run go on where it was stopped, with the same bits: what `fit(resume=folder)` uses.

    It takes up the latest checkpoint of the folder when the training begins, and saves the model and the run (epoch, step, place in the
    data, optimizer, metrics, other callbacks, random state) after each epoch, when it is interrupted, and every `every_steps` steps. It
    is the last of all callbacks, so that the others' states are saved as they are after the step. A run that has come to its end, by its
    epochs or because a callback stopped it after one, is at its end when it is taken up, too. With `asynchronous` files are written
    beside the training.
    """

    @_hints.spoken
    def __init__(self, folder, every_steps=None, max_to_keep=2, asynchronous=False):
        self.folder, self.max_to_keep, self.asynchronous = folder, max_to_keep, bool(asynchronous)
        self.every_steps = _every(every_steps, "Resume", "every_steps")
        self.resumed_step = None  # where this run was taken up; None if it began anew
        self._saved, self._reason = None, None

    def on_train_begin(self):
        if self.run.callbacks[-1] is not self:
            raise _core.InvalidError("Resume: stands before other callbacks, whose states it could not save as they are after a step; "
                                     "put it last [Resume.order]")
        self.manager = _manager(self.folder, self.max_to_keep, None, self.asynchronous, model=self.model, run=self.run)
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
        if self._saved == self._place():
            return
        self._wait()
        if self._saves():
            self._saved = self._place()

    def _wait(self):
        if not self._is_done():
            self._saved = None

    def on_batch_end(self, batch, compiled):
        # A step that was refused, since its numbers are not finite, is none to go on from.
        if self.every_steps and self.run.step % self.every_steps == 0 and self.run.stop_reason is None:
            self._save()

    def on_epoch_end(self, epoch, logs):
        self._reason = self.run.stop_reason
        self._save()

    def on_train_end(self):
        self._wait()
        if self.run.stop_reason == "interrupted":
            self._save()
        self._wait()

    def state_dict(self):
        return {"stop_reason": self._reason}

    def load_state_dict(self, state):
        self._reason = state.get("stop_reason")
        if self._reason is not None:
            self.run.stop(self._reason)
