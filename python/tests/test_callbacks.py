"""Callbacks, told of a training that has what they need of the real one."""

import copy
import csv
import doctest
import math
import os
import types

import numpy as np
import pytest

import weft as wf
from weft import nn
from weft.train import callback, callbacks, checkpoints


class Run:
    """A training without steps: each epoch's logs are given, and every step adds one to the model's weight."""

    def __init__(self, logs, given, steps=2, epochs=None):
        self.given, self.steps = logs, steps
        self.model = nn.Linear(1, 1)
        self.model.weight.assign([[0.0]])
        self.compiled = types.SimpleNamespace(optimizer=Optimizer(), logs=lambda: {})
        self.callbacks = list(given)
        self.epoch = self.step = self.batch = 0
        self.epochs = len(logs) if epochs is None else epochs
        self.history = types.SimpleNamespace(stop_reason=None)
        self.stop_reason = None
        for one in self.callbacks:
            one.run, one.model = self, self.model

    def stop(self, reason):
        self.stop_reason = self.stop_reason or reason

    def note(self, text):
        self.noted = text

    def origins(self):
        return []

    def tell(self, word, *args):
        for one in self.callbacks:
            getattr(one, word)(*args)

    def run(self):
        self.tell("on_train_begin")
        while self.epoch < self.epochs and self.stop_reason is None:
            if self.batch == 0:
                self.tell("on_epoch_begin", self.epoch)
            while self.batch < self.steps and self.stop_reason is None:
                self.tell("on_batch_begin", self.batch)
                self.model.weight.assign_add([[1.0]])
                self.batch, self.step = self.batch + 1, self.step + 1
                self.tell("on_batch_end", self.batch - 1, self.compiled)
            if self.stop_reason is not None:
                break
            ended, self.epoch, self.batch = self.epoch, self.epoch + 1, 0
            self.tell("on_epoch_end", ended, self.given[ended])
        self.tell("on_train_end")
        return self

    @property
    def weight(self):
        return self.model.weight.item()

    def state_dict(self):
        return {"place": [self.epoch, self.step, self.batch], "callbacks": [one.state_dict() for one in self.callbacks]}

    def load_state_dict(self, state):
        self.epoch, self.step, self.batch = state["place"]
        for one, kept in zip(self.callbacks, state["callbacks"]):
            one.load_state_dict(kept)


class Optimizer:
    def __init__(self):
        self.param_groups = [{"lr": 1.0}]

    @property
    def lr(self):
        return self.param_groups[0]["lr"]

    def state_dict(self):
        return {"lr": self.lr}

    def load_state_dict(self, state):
        self.param_groups[0]["lr"] = state["lr"]


class Manager:
    """CheckpointManager in memory."""

    folders = {}

    def __init__(self, folder, max_to_keep=5, best=None, asynchronous=False, **objects):
        self.kept = self.folders.setdefault(str(folder), {})
        self.max_to_keep, self.best, self.objects, self.waits, self.asynchronous = max_to_keep, best, objects, 0, asynchronous

    def save(self, step, metrics=None):
        self.kept.pop(step, None)
        self.kept[step] = metrics, {name: copy.deepcopy(one.state_dict()) for name, one in self.objects.items()}

    def restore_latest(self):
        if not self.kept:
            return None
        step = list(self.kept)[-1]
        for name, one in self.objects.items():
            one.load_state_dict(copy.deepcopy(self.kept[step][1][name]))
        return step

    def wait(self):
        self.waits += 1


@pytest.fixture(autouse=True)
def manager(monkeypatch):
    Manager.folders = {}
    monkeypatch.setattr(wf, "CheckpointManager", Manager, raising=False)
    return Manager


def losses(*values, name="loss"):
    return [{name: value} for value in values]


def test_early_stopping_waits_and_says_why():
    stopping = callbacks.EarlyStopping("val_loss", patience=2, min_delta=0.1)
    run = Run(losses(3.0, 2.0, 1.95, 2.5, 1.0, name="val_loss"), [stopping]).run()
    assert run.epoch == 4 and stopping.best == 2.0 and stopping.best_epoch == 1
    assert run.stop_reason == "early stopping: val_loss has not become better for 2 epochs; it was best in epoch 2, 2"
    assert run.weight == 8  # what the last step left


def test_early_stopping_gives_the_best_weights_back():
    run = Run(losses(3.0, 1.0, 2.0, 2.0), [callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True)]).run()
    assert run.epoch == 4 and run.weight == 4
    run = Run(losses(3.0, 1.0, 2.0), [callbacks.EarlyStopping("loss", patience=9, restore_best_weights=True)]).run()
    assert run.stop_reason is None and run.weight == 4

    class Interrupt(callbacks.Callback):
        def on_epoch_end(self, epoch, logs):
            if epoch == 2:
                self.run.stop("interrupted")

    run = Run(losses(3.0, 1.0, 2.0, 2.0), [callbacks.EarlyStopping("loss", patience=9, restore_best_weights=True), Interrupt()]).run()
    assert run.weight == 6


def test_modes_and_numbers_that_are_none():
    assert callbacks.EarlyStopping("val_accuracy").mode == "max" and callbacks.EarlyStopping("val_loss").mode == "min"
    run = Run(losses(0.5, 0.6, 0.6, name="accuracy"), [callbacks.EarlyStopping("accuracy", patience=1)]).run()
    assert run.stop_reason == "early stopping: accuracy has not become better for 1 epoch; it was best in epoch 2, 0.6"
    run = Run(losses(math.nan, math.nan), [callbacks.EarlyStopping("loss", patience=2)]).run()
    assert run.stop_reason == "early stopping: loss has not become better for 2 epochs"


def test_a_callback_forgets_the_training_before():
    stopping = callbacks.EarlyStopping("loss", patience=1)
    Run(losses(1.0, 2.0), [stopping]).run()
    assert Run(losses(9.0, 8.0), [stopping]).run().stop_reason is None


def test_rates_by_a_function_of_the_epoch():
    seen = []
    noting = callbacks.LambdaCallback(on_batch_end=lambda batch, compiled: seen.append(compiled.optimizer.lr))
    Run([{}] * 3, [callbacks.LearningRateScheduler(lambda epoch: 0.1 * (epoch + 1)), noting], steps=1).run()
    assert seen == pytest.approx([0.1, 0.2, 0.3])
    seen.clear()
    Run([{}] * 3, [callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2), noting], steps=1).run()
    assert seen == [0.5, 0.25, 0.125]


def test_rates_by_an_object_that_moves():
    class Moving:
        count = 0

        def step(self):
            self.count += 1

        def state_dict(self):
            return {"count": self.count}

        def load_state_dict(self, state):
            self.count = state["count"]

    by_epoch, by_step = callbacks.LearningRateScheduler(Moving()), callbacks.LearningRateScheduler(Moving(), every="step")
    Run([{}] * 3, [by_epoch, by_step], steps=4).run()
    assert by_epoch.schedule.count == 3 and by_step.schedule.count == 12
    again = callbacks.LearningRateScheduler(Moving())
    again.load_state_dict(by_step.state_dict())
    assert again.schedule.count == 12


def test_rates_fall_on_a_plateau():
    falling = callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=2, cooldown=1, min_lr=0.3)
    seen = []
    noting = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(run.compiled.optimizer.lr))
    run = Run(losses(3, 3, 3, 3, 3, 3, 2, 2, 2), [falling, noting])
    run.run()
    # Two epochs without progress, one of rest, two again, down to the least rate.
    assert seen == [1, 1, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3]
    again = callbacks.ReduceLROnPlateau("loss")
    again.load_state_dict(falling.state_dict())
    assert again.best == 2.0


def test_csv(tmp_path):
    path = tmp_path / "log.csv"
    logs = [{"loss": 0.5, "acc": 0.1, "matrix": np.zeros((2, 2))}, {"loss": 1 / 3, "acc": math.nan}]
    Run(logs, [callbacks.CSVLogger(path)]).run()
    assert path.read_text() == "epoch,loss,acc\n0,0.5,0.1\n1,0.3333333333333333,nan\n"
    run = Run([None, {"loss": 0.25, "val_loss": 2}, {"loss": 0.125}], [callbacks.CSVLogger(path, append=True)])
    run.epoch = 1  # the second epoch is done again
    run.run()
    assert list(csv.DictReader(path.open())) == [
        {"epoch": "0", "loss": "0.5", "acc": "0.1", "val_loss": ""}, {"epoch": "1", "loss": "0.25", "acc": "", "val_loss": "2"},
        {"epoch": "2", "loss": "0.125", "acc": "", "val_loss": ""}]
    Run(losses(1.0), [callbacks.CSVLogger(path)]).run()
    assert path.read_text() == "epoch,loss\n0,1.0\n"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(wf.InvalidError) as caught:
        Run(losses(1.0), [callbacks.CSVLogger(path, append=True)]).run()
    assert str(caught.value) == (f"CSVLogger: '{path}' is there, but has no numbers in a column 'epoch'; name another file, or write "
                                 "append=False [CSVLogger.append]")


def test_every_word_reaches_a_lambda():
    words = []

    def noting(word):
        return lambda *args: words.append((word, *args[:1]))

    every = {name: noting(name) for name in vars(callback.Callback) if name.startswith("on_") and name != "on_not_finite"}
    Run([{}], [callbacks.LambdaCallback(**every)], steps=1).run()
    assert words == [("on_train_begin",), ("on_epoch_begin", 0), ("on_batch_begin", 0), ("on_batch_end", 0), ("on_epoch_end", 0), ("on_train_end",)]


def test_checkpoints_by_steps_and_epochs(manager):
    saving = callbacks.ModelCheckpoint("a", every_steps=3, every_epochs=2, monitor="val_f1", max_to_keep=4)
    Run([{"val_f1": 0.5, "loss": 1}, {"val_f1": 0.75, "loss": 2, "m": np.ones(2)}, {"val_f1": math.nan}, {"val_f1": math.nan, "loss": 3}],
        [saving]).run()
    kept = manager.folders["a"]
    assert list(kept) == [3, 4, 6, 8]
    assert kept[3][0] is None and kept[4][0] == {"val_f1": 0.75, "loss": 2.0} and kept[8][0] is None
    assert kept[6][1]["model"]["weight"].tolist() == [[6.0]] and kept[6][1]["optimizer"] == {"lr": 1.0}
    assert saving.manager.best == ("val_f1", "max") and saving.manager.max_to_keep == 4 and saving.manager.waits == 0


def test_checkpoints_beside_the_training_are_waited_for(manager):
    saving = callbacks.ModelCheckpoint("a", every_steps=1, every_epochs=None, asynchronous=True)
    Run(losses(1, 2), [saving]).run()
    assert list(manager.folders["a"]) == [1, 2, 3, 4] and saving.manager.waits == 4 and saving.manager.asynchronous


class Kill(callbacks.Callback):
    """Ends the process, as far as the run can see."""

    def __init__(self, at):
        self.at = at

    def on_batch_begin(self, batch):
        if self.run.step == self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("every", [None, 1, 2])
@pytest.mark.parametrize("at", range(6))
def test_a_killed_run_goes_on_where_it_was(at, every, tmp_path):
    def callbacks_of(*more):
        return [callbacks.EarlyStopping("loss", patience=1, restore_best_weights=True), callbacks.ReduceLROnPlateau("loss", patience=1),
                callbacks.CSVLogger(tmp_path / "log.csv"), *more, callbacks.Resume("a", every_steps=every)]

    logs = losses(3.0, 2.0, 2.5, 1.0)
    whole = Run(logs, [*callbacks_of()[:-1], callbacks.Callback()]).run()
    wanted = (tmp_path / "log.csv").read_text()
    with pytest.raises(KeyboardInterrupt):
        Run(logs, callbacks_of(Kill(at))).run()
    again = callbacks_of(callbacks.Callback())
    run = Run(logs, again).run()
    reached = at if every == 1 else at // 2 * 2  # an epoch has two steps
    assert again[-1].resumed_step == (reached or None)
    assert (run.weight, run.step, run.epoch, run.stop_reason) == (whole.weight, 6, 3, whole.stop_reason)
    assert (tmp_path / "log.csv").read_text() == wanted and again[0].best == 2.0
    done = Run(logs, callbacks_of(callbacks.Callback())).run()  # at its end: nothing is computed
    assert (done.step, done.stop_reason, done.weight) == (6, whole.stop_reason, whole.weight)


def test_an_interrupted_run_is_saved_at_its_step(manager):
    class Interrupt(callbacks.Callback):
        def on_batch_begin(self, batch):
            if self.run.step == 2:
                self.run.stop("interrupted")

    Run(losses(1, 2, 3), [Interrupt(), callbacks.Resume("a")], steps=5).run()
    assert list(manager.folders["a"]) == [3]
    resume = callbacks.Resume("a")
    run = Run(losses(1, 2, 3), [callbacks.Callback(), resume], steps=5).run()
    assert resume.resumed_step == 3 and run.weight == 15 and run.stop_reason is None


def test_a_refused_step_is_not_saved(manager):
    class Refuse(callbacks.Callback):
        def on_batch_begin(self, batch):
            if self.run.step == 2:
                self.run.stop("the loss is not finite")

    Run(losses(1), [Refuse(), callbacks.Resume("a", every_steps=1)], steps=5).run()
    assert list(manager.folders["a"]) == [1, 2]


class Compiled:
    """What TerminateOnNaN asks of the real one."""

    def __init__(self, model, loss):
        self.model, self.loss = model, loss

    def _loss(self, x, y, weight):
        out = self.model(x)
        return out, self.loss(out, y).mean()

    def _gradients(self, x, y, weight):
        parameters = self.model.parameters()
        with wf.GradientTape() as tape:
            out, loss = self._loss(x, y, weight)
        return loss, tape.gradient(loss, parameters), out


class Net(nn.Module):
    def __init__(self, function):
        self.weight = wf.Variable(1.0)
        self.register_buffer("calls", wf.tensor(0))
        self.function = function

    def forward(self, x):
        self.calls.assign_add(1)
        return self.function(x * self.weight)


def refused(function, x, y=None, numbers=None, loss=lambda out, y: (out - y) ** 2):
    model, ending = Net(function), callbacks.TerminateOnNaN()
    run = Run([], [ending])
    run.model, run.compiled, run.epoch, run.batch = model, Compiled(model, loss), 1, 4
    ending.model = model
    ending.on_batch_begin(4)
    model.calls.assign(5)  # what the refused step has done
    draws = wf._core._generator_state()
    x = wf.tensor(x)
    ending.on_not_finite(run, x, wf.zeros_like(x) if y is None else wf.tensor(y), None, numbers)
    assert model.calls.item() == 0 and wf._core._generator_state() == draws
    assert run.stop_reason == run.history.stop_reason
    return run.stop_reason, ending


def test_the_first_op_and_the_records_are_named():
    message, ending = refused(lambda x: wf.exp(wf.log(x) * 2.0), [1.0, 0.0, 2.0, -3.0], numbers=wf.tensor([40, 17, 5, 9]))
    line = ending.line
    assert ending.op == "log" and ending.records == [9] and line.rpartition("/")[2].startswith("test_callbacks.py:")
    assert message == ("the loss or a gradient is not finite in epoch 2, batch 5: "
                       f"log gave nan of finite inputs at {line}; record 9 is the cause")


def test_overflow_without_numbers_of_records():
    message, ending = refused(lambda x: wf.exp(x), [1.0, 100.0, 2.0, 200.0], loss=lambda out, y: out - y)
    assert message == ("the loss or a gradient is not finite in epoch 2, batch 5: "
                       f"exp gave inf of finite inputs at {ending.line}; examples 1, 3 are the cause")
    message, ending = refused(lambda x: wf.softmax(wf.where(x > 5.0, x, -math.inf)), [[9.0, 1.0], [2.0, 3.0]])
    assert ending.op.startswith("softmax") and "gave nan of infinite inputs" in message and ending.records == [1]


def test_a_gradient_alone():
    message, ending = refused(lambda x: wf.sqrt(wf.abs(x)), [1.0, 0.0, 4.0], numbers=range(7, 10), loss=lambda out, y: out)
    assert ending.records == [8] and message.endswith("; record 8 is the cause") and ending.op.startswith("sqrt")


def test_data_and_parameters_that_are_not_finite():
    message, ending = refused(lambda x: x, [1.0, math.nan, math.inf], numbers=range(3))
    assert message == "the loss or a gradient is not finite in epoch 2, batch 5: x has nan; records 1, 2 are the cause" and ending.op is None
    message, _ = refused(lambda x: x, [1.0, 2.0], y=[1.0, -math.inf])
    assert message == "the loss or a gradient is not finite in epoch 2, batch 5: y has -inf; example 1 is the cause"
    message, _ = refused(lambda x: x.sum() / (x.sum() - 3.0) * wf.ones(2), [1.0, 2.0], loss=lambda out, y: (out - out) * wf.ones_like(out[:1]))
    assert message.endswith("examples 0, 1 are the cause")
    message, ending = refused(lambda x: x * 2.0, [1.0, 2.0])
    assert message.endswith("no op gave such a number when the step was computed again; any of the 2 examples of the batch may be the cause")


def test_many_records_are_not_all_listed():
    message, ending = refused(lambda x: wf.log(x), [-1.0] * 12, numbers=range(100, 112))
    assert message.endswith("records 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, ... are the cause") and len(ending.records) == 12


@pytest.mark.parametrize("call, kind, message", [
    (lambda: callbacks.EarlyStopping("loss", mode="best"), wf.InvalidError,
     "EarlyStopping: mode is 'best'; it is 'min', 'max' or 'auto' [EarlyStopping.mode]"),
    (lambda: Run(losses(1.0), [callbacks.EarlyStopping()]).run(), wf.InvalidError,
     "EarlyStopping: there is no 'val_loss' to watch; there are loss; give fit validation_data [EarlyStopping.monitor]"),
    (lambda: Run([{"val_loss": 1, "loss": 2}], [callbacks.ReduceLROnPlateau("val_acc")]).run(), wf.InvalidError,
     "ReduceLROnPlateau: there is no 'val_acc' to watch; there are val_loss, loss [ReduceLROnPlateau.monitor]"),
    (lambda: callbacks.ReduceLROnPlateau(factor=2), wf.InvalidError,
     "ReduceLROnPlateau: factor is 2; it lies between 0 and 1 [ReduceLROnPlateau.factor]"),
    (lambda: callbacks.LearningRateScheduler(0.1), wf.WrongTypeError,
     "LearningRateScheduler: schedule is 0.1; it is a function of the epoch, or an object of wf.optim.schedules "
     "[LearningRateScheduler.schedule]"),
    (lambda: callbacks.LearningRateScheduler(lambda e: 1, every="step"), wf.InvalidError,
     "LearningRateScheduler: every is 'step'; it is 'epoch', or 'step' for an object of wf.optim.schedules [LearningRateScheduler.every]"),
    (lambda: callbacks.LambdaCallback(on_epoch=print), wf.WrongTypeError,
     "LambdaCallback: there is no 'on_epoch'; there are on_train_begin, on_train_end, on_epoch_begin, on_epoch_end, on_batch_begin, "
     "on_batch_end [LambdaCallback.name]"),
    (lambda: callbacks.LambdaCallback(on_epoch_end=3), wf.WrongTypeError,
     "LambdaCallback: on_epoch_end is 3; it is a function [LambdaCallback.function]"),
    (lambda: callbacks.ModelCheckpoint("a", every_steps=0), wf.InvalidError,
     "ModelCheckpoint: every_steps is 0; it is None, or 1 or more [ModelCheckpoint.every_steps]"),
    (lambda: Run(losses(1), [callbacks.ModelCheckpoint("a", monitor="f1")]).run(), wf.InvalidError,
     "ModelCheckpoint: there is no 'f1' to watch; there are loss [ModelCheckpoint.monitor]"),
    (lambda: Run(losses(1), [callbacks.Resume("a"), callbacks.CSVLogger("b")]).run(), wf.InvalidError,
     "Resume: stands before other callbacks, whose states it could not save as they are after a step; put it last [Resume.order]"),
])
def test_messages(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("module", [callback, callbacks, checkpoints])
def test_examples_in_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module, extraglobs={"wf": wf}).failed == 0
    assert not os.listdir()


def test_which_way_is_better_by_words_of_the_name():
    for name in ("val_loss", "rmse", "val_word_error", "mse_2", "Val_Loss"):
        assert callbacks.EarlyStopping(name).mode == "min"
    for name in ("val_acc", "val_iou", "mean_iou", "top_5_accuracy", "f1_2", "auc", "precision", "recall", "r2", "val_mAP"):
        assert callbacks.EarlyStopping(name).mode == "max"
    assert callbacks.EarlyStopping("bias", mode="min").mode == "min"
    for make in (callbacks.EarlyStopping, callbacks.ReduceLROnPlateau, lambda name: callbacks.ModelCheckpoint("a", monitor=name)):
        with pytest.raises(wf.InvalidError, match=r"'faces' does not tell whether less of it is better or more; give mode='min' or.*\.mode\]"):
            make("faces")


def test_schedules_that_are_functions_of_c():
    model = wf.nn.Linear(1, 1)
    optimizer = wf.optim.SGD(model.parameters(), lr=1.0)
    model.compile(optimizer, "mse")
    model.fit(wf.ones((2, 1)), wf.ones((2, 1)), epochs=2, verbose=0, callbacks=[callbacks.LearningRateScheduler([0.5, 0.25].__getitem__)])
    assert optimizer.lr == 0.25
    with pytest.raises(wf.WrongTypeError, match=r"is a Plateau.*take wf.callbacks.ReduceLROnPlateau.*\[LearningRateScheduler.schedule\]"):
        callbacks.LearningRateScheduler(wf.optim.schedules.Plateau(wf.optim.SGD(model.parameters(), lr=1.0)))


@pytest.mark.parametrize("make, name", [(wf.callbacks.EarlyStopping, "patience"), (wf.callbacks.ReduceLROnPlateau, "patience"),
                                        (wf.callbacks.ReduceLROnPlateau, "cooldown")])
@pytest.mark.parametrize("given", [-1, 1.5, "2"])
def test_numbers_of_epochs_are_whole(make, name, given):
    with pytest.raises(wf.InvalidError) as error:
        make(**{name: given})
    who = make.__name__
    assert str(error.value).partition("\n")[0] == f"{who}: {name} is {given!r}; it is a number of epochs, 0 or more [{who}.{name}]"
