"""fit: epochs of steps, with what people watch around them."""

import itertools
import sys

from .. import _core, random
from .._hints import brief as _brief
from .._tape import no_grad
from . import batches as _batches
from .blame import told_of_layers
from .callback import Callback, listed_callbacks
from .class_weights import class_table, need_classes, weights_of
from .compiled import call
from .evaluating import measured, need_no_more, source_of
from .given import whole
from .history import History
from .interrupts import Interrupts
from .modes import mode_is
from .profiling import watched
from .progress import shown_by


class Fit:
    """One run of training. `state_dict()` holds where it stands, so that it can be taken up again."""

    def __init__(self, model, compiled, x, y, epochs, batch_size, validation_data, callbacks, class_weight, initial_epoch,
                 verbose, shuffle, validation_split, resume, sample_weight):
        self.model, self.compiled, self.epochs = model, compiled, whole(epochs, "fit", "epochs", 1, "a number of epochs, ")
        self.epoch, self.step, self.batch = whole(initial_epoch, "fit", "initial_epoch", 0, "a number of epochs, "), 0, 0
        self.stop_reason = None
        self._key = None  # of the order of this epoch
        _need_epochs(self.epochs, self.epoch)
        x = _batches.listed(x, y, compiled)
        self._shuffles = _shuffles(shuffle, x)
        self._source = x if _batches.is_dataset(x) else _batches.Rows(x, y, batch_size, "fit", sample_weight)
        if _batches.is_dataset(x):
            need_no_more(x, y, sample_weight, "fit")
        if isinstance(validation_data, list) and len(validation_data) not in (2, 3):  # those are x, y and weights
            validation_data = _batches.listed(validation_data, None, compiled)
        self._validation = None if validation_data is None else source_of(validation_data, None, batch_size, "fit")
        if _batches.is_dataset(x) and not isinstance(self._validation, _batches.Rows):
            _batches.need_no_batch_size(batch_size, "fit")
        if validation_split and validation_data is not None:
            raise _core.InvalidError("fit: there are validation_data and a validation_split; give one of them [fit.validation_split]")
        if validation_split:
            self._source, self._validation = _split(self._source, validation_split)
        self._weights = class_table(class_weight, "fit")
        self._knows_classes = self._weights is None
        self.history = History()
        self.callbacks = listed_callbacks(callbacks)
        if resume is not None:
            from .callbacks import Resume

            self.callbacks.append(resume if isinstance(resume, Resume) else Resume(resume))
        self._progress = shown_by(verbose)
        self._careful = [callback for callback in self.callbacks if callback.checks_gradients]
        self._iterator = None
        self._begun = None  # a pass that was begun to see its first element: the first epoch goes on with both
        self._taken_up = None  # the dataset's position, if the run was taken up, and how many batches are read again from there
        self._anchor = None  # the position when this pass was begun or taken up, and the batch there
        self._interrupts = None  # while it runs

    # Where it stands.

    def state_dict(self):
        out = {"epoch": self.epoch, "step": self.step, "batch": self.batch, "history": self.history.state_dict(),
               "compiled": self.compiled.state_dict(),
               "callbacks": {str(k): callback.state_dict() for k, callback in enumerate(self.callbacks)},
               "callback_names": {str(k): type(callback).__name__ for k, callback in self._stateful()}}
        if self._key is not None:
            out["key"] = self._key.__weft_tensor__
        out |= self._circumstances()
        if hasattr(self._iterator, "state_dict"):
            is_whole = self._interrupts is None or not self._interrupts.broke_off or self._anchor is None
            out["iterator"] = self._iterator.state_dict() if is_whole else self._anchor[0]
            out["again"] = 0 if is_whole else self.batch - self._anchor[1]
        return out

    def load_state_dict(self, state):
        self._need_same(state)
        self.epoch, self.step, self.batch = int(state["epoch"]), int(state["step"]), int(state["batch"])
        self.history.load_state_dict(state["history"])
        self.compiled.load_state_dict(state["compiled"])
        for callback, kept in self._kept_states(state):
            callback.load_state_dict(kept)
        self._key = random.Key(state["key"]) if "key" in state else None
        self._taken_up = (state["iterator"], int(state.get("again", 0))) if "iterator" in state else None

    def _stateful(self):
        """(number, callback) of those that have a state of their own."""
        return [(k, callback) for k, callback in enumerate(self.callbacks) if type(callback).state_dict is not Callback.state_dict]

    def _kept_states(self, state):
        """(callback, its state) of a run that was saved. Callbacks without a state may be others now, or stand elsewhere."""
        kept = state.get("callbacks", {})
        names = state.get("callback_names")
        if names is None:  # C++ keeps none
            return [(callback, kept[str(k)]) for k, callback in enumerate(self.callbacks) if kept.get(str(k))]
        return [(callback, kept[number]) for (_, callback), number in zip(self._stateful(), sorted(names, key=int))]

    def _circumstances(self):
        """What a run is made with beside the model, by the law that asks for the same again."""
        out = {"class_weight": [] if self._weights is None else self._weights.tolist()}
        if isinstance(self._source, _batches.Rows):
            return {"batch_size": self._source.batch_size, "rows": self._source.count, **out}
        length = _batches.length_of(self._source)
        return out if length is None else {"batches": length, **out}

    def _need_same(self, state):
        """With other batches or weights it would be another run."""
        told = {"batch_size": "batches of {} rows", "rows": "{} rows", "batches": "{} batches in an epoch", "class_weight": "class weights {}"}
        now = self._circumstances()
        names = state.get("callback_names", {})
        before, after = [names[k] for k in sorted(names, key=int)], [type(callback).__name__ for _, callback in self._stateful()]
        if names and before != after:
            raise _core.InvalidError(f"resume: the run was saved with the callbacks {', '.join(before)}, and has {', '.join(after)} now; "
                                     "go on as it was, or take another folder [resume.callbacks]")
        for law, words in told.items():
            if law in state and law in now and state[law] != now[law]:
                before, after = (words.format(one or "of 1") for one in (state[law], now[law]))
                raise _core.InvalidError(f"resume: the run was saved with {before}, and has {after} now; go on as it was, or take another "
                                         f"folder [resume.{law}]")

    # The loop.

    def run(self):
        with Interrupts() as self._interrupts, mode_is(self.model, True):
            self._prepare()
            object.__setattr__(self.model, "stop_training", False)  # a callback may set it, as in Keras
            self._tell("on_train_begin")
            self.compiled.is_fitting = True
            try:
                while self.epoch < self.epochs and self.stop_reason is None:
                    self._run_epoch()
                    self._asked_to_stop()
            except BaseException:
                self._progress.break_off()
                raise
            finally:
                self.compiled.is_fitting = False
            self._tell("on_train_end")
        self.history.stop_reason = self.stop_reason
        return self.history

    def stop(self, reason):
        """Ends the training after this step, or this epoch if it is between two."""
        self.stop_reason = self.stop_reason or reason

    def note(self, text):
        """Shows a line, unless nothing is to be shown."""
        self._progress.note(text)

    def warn(self, text):
        """Tells of what went wrong, though training goes on."""
        import warnings

        self.history.warnings.append(text)
        warnings.warn(text, RuntimeWarning, stacklevel=_level_of_users())

    def _asked_to_stop(self):
        if self._interrupts.asked:
            self.stop("interrupted")
        if self.model.stop_training:
            self.stop("stop_training was set")

    def _prepare(self):
        x = None
        if self.compiled.waits and isinstance(self._source, _batches.Rows):
            x = next(self._source.batches(None), [None])[0]
        elif self.compiled.waits:
            iterator = iter(self._source)
            ahead = list(itertools.islice(iterator, 1))
            self._begun = iterator, ahead
            x = _batches.parts_of(ahead[0], "fit")[0] if ahead else None
        if x is not None or not self.compiled.waits:
            self.compiled.prepare(x, "fit")
            if not any(parameter.trainable for parameter in self.model.parameters()):
                raise _core.InvalidError(f"fit: {_nothing_to_train(self.model)} [fit.parameters]")
        for callback in self.callbacks:
            callback.run, callback.model = self, self.model

    def _run_epoch(self):
        if self.batch == 0:
            self.compiled.reset()
            self._key = random.next_key() if self._shuffles and isinstance(self._source, _batches.Rows) else None
            self._tell("on_epoch_begin", self.epoch)
        self._progress.begin(self.epoch, self.epochs, _batches.length_of(self._source), self.batch)
        self.model.train()
        for x, y, weight, numbers in watched(self._items(), self.history.times):
            count = _batches.count_of(x)
            self._tell("on_batch_begin", self.batch)
            with told_of_layers(self.model, x, "fit"):
                self._step(x, y, weight, numbers, count)
            self.batch += 1
            self.step += 1
            self._progress.advance(count, self.compiled)
            self._tell("on_batch_end", self.batch - 1, self.compiled)
            self._asked_to_stop()
            if self.stop_reason is not None:
                break
        else:
            if self._end_epoch():
                return
        self._progress.leave(self.stop_reason)

    def _items(self):
        if isinstance(self._source, _batches.Rows):
            yield from self._source.batches(self._source.order(self._key), self.batch)
            return
        self._iterator, ahead = self._begun or (iter(self._source), [])
        self._begun, again = None, 0
        if self._taken_up is not None:
            self._iterator, ahead = iter(self._source), []
            position, again = self._taken_up
            self._iterator.load_state_dict(position)
            self._taken_up = None
            if self.batch == 0:  # saved at the end of a pass, which another one follows
                self._iterator = iter(self._source)
        if hasattr(self._iterator, "state_dict"):
            self._anchor = self._iterator.state_dict(), self.batch + len(ahead) - again
            for _ in range(again):
                next(self._iterator)
        items = itertools.chain(ahead, self._iterator)
        if self.batch and not hasattr(self._iterator, "load_state_dict"):
            for _ in range(self.batch):  # a source without a position is read again up to here
                next(items, None)
        for item in self._interrupts.waited(items):
            yield (*_batches.parts_of(item, "fit"), self._numbers)

    def _numbers(self):
        """The numbers of the records of this batch in its source, if the dataset knows them."""
        rows = getattr(self._iterator, "_rows", None)
        return (rows and rows()[0]) or None

    def origins(self):
        """Where each record of this batch was read, file and line, if the data tell; else nothing."""
        rows = getattr(self._iterator, "_rows", None)
        return rows()[1] if rows else []

    def _step(self, x, y, weight, numbers, count):
        weight = weights_of(self._weights, y, "fit", weight)
        if not self._knows_classes:
            with mode_is(self.model, False), no_grad():
                need_classes(self._weights, call(self.model, x), y, "fit")
            self._knows_classes = True
        size = _core._tensor(float(count), None, "fit")
        if self._careful:
            loss, gradients, out, is_finite = self.compiled.gradient_step(x, y, weight, size)
            if not is_finite.item():
                for callback in self._careful:
                    callback.on_not_finite(self, x, y, weight, numbers and numbers())
                return
            self.compiled.update_step(gradients, out, y, weight, loss, size)
        else:
            _, out = self.compiled.train_step(x, y, weight, size)
        for metric in self.compiled.metrics:
            if not metric.is_traced:
                metric.update(out, y)

    def _end_epoch(self):
        """Whether the epoch has ended: one that is interrupted stays open, and who takes it up goes on, or validates, first."""
        if self._interrupts.asked:  # while it waited for data
            self.stop("interrupted")
            return False
        if not self.batch:
            raise _batches.nothing_left(self._source, "fit", "train")
        logs = self.compiled.logs()
        if self._validation is not None:
            of_training = self.compiled.measures()
            found = measured(self.model, self.compiled, self._validation, "fit", "val_", interrupts=self._interrupts)
            if found is None:
                self.compiled.load_measures(of_training)
                self.stop("interrupted")
                return False
            logs |= found
        self.history.add(self.epoch, logs)
        self._progress.end(logs)
        ended = self.epoch
        self.epoch, self.batch = self.epoch + 1, 0
        self._tell("on_epoch_end", ended, logs)
        return True

    def _tell(self, word, *args):
        for callback in self.callbacks:
            getattr(callback, word)(*args)


def _level_of_users():
    """The stacklevel, for who calls this, of the line of the user's that called fit."""
    from .._rewrite.conversion import is_ours  # late, like all that only tracing needs

    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def _shuffles(given, x):
    """Whether rows come in an order of each epoch's own."""
    if given is not None and not isinstance(given, bool):
        raise _core.InvalidError(f"fit: shuffle is {_brief(given)}; it is True or False [fit.shuffle]")
    if given and _batches.is_dataset(x):
        raise _core.InvalidError("fit: shuffle=True puts rows in memory into a new order, and x gives batches itself; write "
                                 "dataset.shuffle() before batch() [fit.shuffle]")
    return given is None or given


def _need_epochs(epochs, first):
    """Raises if there is no epoch to train."""
    if first >= epochs:
        raise _core.InvalidError(f"fit: initial_epoch is {first}, but training ends before epoch {epochs}, which epochs says; it counts "
                                 "those that are done, too [fit.epochs]")


def _split(source, part):
    is_number = isinstance(part, (int, float)) and not isinstance(part, bool)
    if not isinstance(source, _batches.Rows):
        raise _core.InvalidError(f"fit: validation_split is {_brief(part)} of a dataset; give validation_data [fit.validation_split]")
    if not is_number or not 0 < part < 1:
        raise _core.InvalidError(f"fit: validation_split is {_brief(part)}; it lies between 0 and 1 [fit.validation_split]")
    return source.split(part)


def _nothing_to_train(model):
    name = type(model).__name__
    if not model.parameters():
        return f"{name} has no parameters; there is nothing to train"
    return f"all parameters of {name} are frozen; there is nothing to train: unfreeze() some"


def train_once(model, compiled, x, y, class_weight, sample_weight):
    """A step on one batch, and what was measured of it."""
    x, y, weight = _batches.parts_of((x, y, sample_weight), "train_on_batch")
    compiled.prepare(x, "train_on_batch")
    weight = weights_of(class_table(class_weight, "train_on_batch"), y, "train_on_batch", weight)
    with compiled.apart(), mode_is(model, True), told_of_layers(model, x, "train_on_batch"):
        compiled.reset()
        _, out = compiled.train_step(x, y, weight, _core._tensor(float(_batches.count_of(x)), None, "train_on_batch"))
        for metric in compiled.metrics:
            if not metric.is_traced:
                metric.update(out, y)
        return compiled.logs()
