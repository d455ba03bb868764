"""fit: epochs of steps, with what people watch around them."""

import contextlib
import itertools

from .. import _core, _ops, random
from . import batches as _batches
from .evaluating import measured
from .history import History
from .interrupts import Interrupts
from .profiling import watched
from .progress import shown_by

_take = _ops.op("", "take")


class Fit:
    """One run of training. `state_dict()` holds where it stands, so that it can be taken up again."""

    def __init__(self, model, compiled, x, y, epochs, batch_size, validation_data, callbacks, class_weight, initial_epoch,
                 verbose, shuffle, validation_split, resume):
        self.model, self.compiled, self.epochs = model, compiled, epochs
        self.epoch, self.step, self.batch = initial_epoch, 0, 0
        self.stop_reason = None
        self._key = None  # of the order of this epoch
        self._shuffles = shuffle
        self._validation = validation_data
        self._batch_size = batch_size
        self._source = x if _batches.is_dataset(x) else _batches.Rows(x, y, batch_size, "fit")
        if _batches.is_dataset(x) and y is not None:
            raise _core.InvalidError("fit: x is a dataset, which gives targets too, but there is a y; leave it out [fit.y]")
        if validation_split:
            self._source, self._validation = self._source.split(validation_split)
        self._weights = _class_table(class_weight)
        self.history = History()
        self.callbacks = list(callbacks)
        if resume is not None:
            from .callbacks import Resume

            self.callbacks.append(Resume(resume))
        self._progress = shown_by(verbose)
        self._careful = [callback for callback in self.callbacks if callback.checks_gradients]
        self._iterator = None
        self._begun = None  # a pass that was begun to see its first element: the first epoch goes on with both
        self._taken_up = None  # the dataset's position, if the run was taken up

    # Where it stands.

    def state_dict(self):
        out = {"epoch": self.epoch, "step": self.step, "batch": self.batch, "history": self.history.state_dict(),
               "compiled": self.compiled.state_dict(),
               "callbacks": {str(k): callback.state_dict() for k, callback in enumerate(self.callbacks)}}
        if self._key is not None:
            out["key"] = self._key.__weft_tensor__
        if hasattr(self._iterator, "state_dict"):
            out["iterator"] = self._iterator.state_dict()
        return out

    def load_state_dict(self, state):
        self.epoch, self.step, self.batch = int(state["epoch"]), int(state["step"]), int(state["batch"])
        self.history.load_state_dict(state["history"])
        self.compiled.load_state_dict(state["compiled"])
        for k, callback in enumerate(self.callbacks):
            callback.load_state_dict(state.get("callbacks", {}).get(str(k), {}))
        self._key = random.Key(state["key"]) if "key" in state else None
        self._taken_up = state.get("iterator")

    # The loop.

    def run(self):
        with Interrupts() as interrupts, contextlib.ExitStack() as stack:
            stack.callback(self.model.train, self.model.training)
            self._prepare()
            self._tell("on_train_begin")
            while self.epoch < self.epochs and self.stop_reason is None:
                self._run_epoch(interrupts)
            self._tell("on_train_end")
        self.history.stop_reason = self.stop_reason
        return self.history

    def stop(self, reason):
        """Ends the training after this step, or this epoch if it is between two."""
        self.stop_reason = self.stop_reason or reason

    def _prepare(self):
        x = None
        if self.compiled.waits and isinstance(self._source, _batches.Rows):
            x = next(self._source.batches(None), [None])[0]
        elif self.compiled.waits:
            iterator = iter(self._source)
            ahead = list(itertools.islice(iterator, 1))
            self._begun = iterator, ahead
            x = _batches.pair_of(ahead[0], "fit")[0] if ahead else None
        if x is not None or not self.compiled.waits:
            self.compiled.prepare(x)
        for callback in self.callbacks:
            callback.run, callback.model = self, self.model

    def _run_epoch(self, interrupts):
        if self.batch == 0:
            self.compiled.reset()
            self._key = random.next_key() if self._shuffles and isinstance(self._source, _batches.Rows) else None
            self._tell("on_epoch_begin", self.epoch)
        self._progress.begin(self.epoch, self.epochs, _batches.length_of(self._source), self.batch)
        self.model.train()
        for x, y, numbers in watched(self._items(), self.history.times):
            count = _batches.count_of(x)
            self._tell("on_batch_begin", self.batch)
            self._step(x, y, numbers, count)
            self.batch += 1
            self.step += 1
            self._progress.advance(count, self.compiled)
            self._tell("on_batch_end", self.batch - 1, self.compiled)
            if interrupts.asked:
                self.stop("interrupted")
            if self.stop_reason is not None:
                break
        else:
            self._end_epoch()
            return
        self._progress.leave(self.stop_reason)

    def _items(self):
        if isinstance(self._source, _batches.Rows):
            yield from self._source.batches(self._source.order(self._key), self.batch)
            return
        self._iterator, ahead = self._begun or (iter(self._source), [])
        self._begun = None
        if self._taken_up is not None:
            self._iterator, ahead = iter(self._source), []
            self._iterator.load_state_dict(self._taken_up)
            self._taken_up = None
            if self.batch == 0:  # saved at the end of a pass, which another one follows
                self._iterator = iter(self._source)
        items = itertools.chain(ahead, self._iterator)
        if self.batch and not hasattr(self._iterator, "load_state_dict"):
            for _ in range(self.batch):  # a source without a position is read again up to here
                next(items, None)
        for item in items:
            yield (*_batches.pair_of(item, "fit"), None)

    def _step(self, x, y, numbers, count):
        weight = None if self._weights is None else _take(self._weights, y, axis=0)
        size = _core._tensor(float(count), None, "fit")
        if self._careful:
            loss, gradients, out, is_finite = self.compiled.gradient_step(x, y, weight, size)
            if not is_finite.item():
                for callback in self._careful:
                    callback.on_not_finite(self, x, y, weight, numbers and numbers())
                return
            self.compiled.update_step(gradients, out, y, loss, size)
        else:
            _, out = self.compiled.train_step(x, y, weight, size)
        for metric in self.compiled.metrics:
            if not metric.is_traced:
                metric.update(out, y)

    def _end_epoch(self):
        logs = self.compiled.logs()
        if self._validation is not None:
            logs |= measured(self.model, self.compiled, self._validation, None, self._batch_size, "val_")
        self.history.add(self.epoch, logs)
        self._progress.end(logs)
        ended = self.epoch
        self.epoch, self.batch = self.epoch + 1, 0
        self._tell("on_epoch_end", ended, logs)

    def _tell(self, word, *args):
        for callback in self.callbacks:
            getattr(callback, word)(*args)


def _class_table(class_weight):
    """Weights by class, as a tensor."""
    if class_weight is None:
        return None
    if not isinstance(class_weight, dict) or not all(isinstance(k, int) and k >= 0 for k in class_weight):
        raise _core.WrongTypeError(f"fit: class_weight is {class_weight!r:.60}; it is a dict from classes to weights "
                                   "[fit.class_weight]")
    return _core._tensor([float(class_weight.get(k, 1.0)) for k in range(max(class_weight) + 1)], _core.float32, "fit")


def train_once(model, compiled, x, y, class_weight):
    """A step on one batch, and what was measured of it."""
    x, y = _batches.pair_of((x, y), "train_on_batch")
    compiled.prepare(x)
    compiled.reset()
    was = model.training
    try:
        model.train()
        table = _class_table(class_weight)
        weight = None if table is None else _take(table, y, axis=0)
        _, out = compiled.train_step(x, y, weight, _core._tensor(float(_batches.count_of(x)), None, "train_on_batch"))
        for metric in compiled.metrics:
            if not metric.is_traced:
                metric.update(out, y)
    finally:
        model.train(was)
    return compiled.logs()
