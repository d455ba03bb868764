"""What fit takes: sources that are empty, single or used up, splits, lists, weights of classes, callbacks, several outputs."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


def compiled(loss="cross_entropy", outputs=3, **options):
    wf.seed(0)
    model = nn.Linear(4, outputs)
    model.compile(wf.optim.SGD(model.parameters(), lr=0.1), loss, **options)
    return model


def batches(rows=16):
    for k in range(0, 50, rows):
        yield X[k:k + rows], Y[k:k + rows]


def unbatched(x, y):
    return wf.data.Dataset.from_tensor_slices((x, y))


class Typo(wf.callbacks.Callback):
    def on_epoch_ends(self, epoch, logs):
        pass


class Keras(wf.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        pass


@pytest.mark.parametrize("call, text", [
    (lambda m: m.fit(X[:0], Y[:0]), "fit: there are no rows to train with [fit.rows]"),
    (lambda m: m.evaluate(X[:0], Y[:0]), "evaluate: there are no rows to evaluate [evaluate.rows]"),
    (lambda m: m.fit(unbatched(X, Y).batch(4).take(0)), "fit: the dataset has no batch to train with [fit.batches]"),
    (lambda m: m.fit(X, Y, validation_data=unbatched(X, Y).batch(4).take(0), verbose=0),
     "fit: the dataset has no batch to validate with [fit.batches]"),
    (lambda m: m.evaluate(unbatched(X, Y).batch(4).take(0)), "evaluate: the dataset has no batch to evaluate with [evaluate.batches]"),
    (lambda m: m.fit(batches(), epochs=3, verbose=0), "fit: there is nothing left to train with: a generator is gone through once; give a "
     "wf.data.Dataset.from_generator(function), which begins anew each epoch [fit.batches]"),
    (lambda m: m.fit(unbatched(X, Y)), "fit: x has the shape [4] and y of [], as one example has it; models take batches: write "
     "dataset.batch(32) [fit.batch]"),
    (lambda m: m.fit(unbatched(X, X[:, :1])), "fit: x has the shape [4] and y of [1], as one example has it; models take batches: write "
     "dataset.batch(32) [fit.batch]"),
    (lambda m: m.evaluate(unbatched(X, Y)), "evaluate: x has the shape [4] and y of [], as one example has it; models take batches: "
     "write dataset.batch(32) [evaluate.batch]"),
    (lambda m: m.fit(X, Y, validation_split=1.0), "fit: validation_split is 1.0; it lies between 0 and 1 [fit.validation_split]"),
    (lambda m: m.fit(X, Y, validation_split=2), "fit: validation_split is 2; it lies between 0 and 1 [fit.validation_split]"),
    (lambda m: m.fit(X, Y, validation_split=-1), "fit: validation_split is -1; it lies between 0 and 1 [fit.validation_split]"),
    (lambda m: m.fit(X, Y, validation_split=0.001), "fit: validation_split is 0.001, which is none of 50 rows; make it greater "
     "[fit.validation_split]"),
    (lambda m: m.fit(unbatched(X, Y).batch(4), validation_split=0.2), "fit: validation_split is 0.2 of a dataset; give validation_data "
     "[fit.validation_split]"),
    (lambda m: m.fit(X, Y, callbacks=[3]), "fit: a callback is 3; it is an object of wf.callbacks, or of a class that is made of "
     "wf.callbacks.Callback [fit.callbacks]"),
    (lambda m: m.fit(X, Y, callbacks=[wf.callbacks.TerminateOnNaN]), "fit: a callback is the class TerminateOnNaN; give an object: "
     "TerminateOnNaN() [fit.callbacks]"),
    (lambda m: m.fit(X, Y, callbacks=[Keras()]), "fit: Keras has 'on_train_batch_end', which nobody calls; weft calls this "
     "on_batch_end(self, batch, compiled) [fit.callbacks]"),
    (lambda m: m.fit(X, Y, callbacks=Typo()), "fit: Typo has 'on_epoch_ends', which nobody calls; did you mean 'on_epoch_end'? "
     "[fit.callbacks]"),
    (lambda m: m.fit(X, class_weight={0: 2.0}), "fit: there are weights of classes for no targets; they need one target, of classes "
     "[fit.class_weight]"),
])
def test_mistakes_are_told(call, text):
    with pytest.raises(wf.Error) as error:
        call(compiled())
    assert str(error.value).partition("\n")[0] == text


def test_lists_and_none():
    one, other = compiled(metrics=None), compiled(metrics=wf.metrics.Accuracy())
    history = one.fit(([X[:32], Y[:32]] for _ in range(2)), validation_data=[X, Y], callbacks=None, verbose=0)
    again = other.fit(((X[:32], Y[:32]) for _ in range(2)), validation_data=(X, Y), verbose=0)
    assert history["val_loss"] == again["val_loss"] and list(again.history) == ["loss", "accuracy", "val_loss", "val_accuracy"]


def test_classes_without_a_weight_have_one():
    targets = Y + (X[:, 1] > 0)  # three classes
    each = [2.0 if y == 0 else 1.0 for y in targets]
    model = compiled()
    wanted = (nn.cross_entropy(model(X), targets, reduction="none").numpy() * each).mean()
    for weights in ({0: 2.0}, {np.int64(0): 2}, {0: 2.0, 1: 1.0, 2: 1.0, 7: 3.0}):
        assert compiled().train_on_batch(X, targets, class_weight=weights)["loss"] == pytest.approx(wanted, rel=1e-6)
    one_hot = np.eye(3, dtype=np.float32)[targets]
    assert compiled().train_on_batch(X, one_hot, class_weight={0: 2.0})["loss"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("shape", ((50, 1), (50,)))
@pytest.mark.parametrize("dtype", (np.float32, np.int64))
def test_weights_of_yes_and_no(shape, dtype):
    model = compiled("binary_cross_entropy_with_logits", 1) if shape == (50, 1) else None
    targets = Y.reshape(shape)
    if model is None:  # one number an example
        model = nn.Sequential([nn.Linear(4, 1), lambda x: x[:, 0]])
        model.compile("sgd", "binary_cross_entropy_with_logits")
    each = nn.binary_cross_entropy_with_logits(model(X), wf.tensor(targets.astype(np.float32)), reduction="none").numpy().ravel()
    wanted = (each * np.where(Y == 1, 3.0, 1.0)).mean()
    if dtype == np.float32:
        assert model.train_on_batch(X, targets.astype(dtype), class_weight={1: 3.0})["loss"] == pytest.approx(wanted, rel=1e-6)
    else:
        from weft.train.class_weights import class_table, weights_of

        assert weights_of(class_table({1: 3.0}, "fit"), wf.tensor(targets), "fit").numpy().tolist() == np.where(Y == 1, 3.0, 1.0).tolist()


class Heads(nn.Module):
    def __init__(self, makes):
        self.side, self.size, self._makes = nn.Linear(4, 2), nn.Linear(4, 1), makes

    def forward(self, x):
        return self._makes(self.side(x), self.size(x))


@pytest.mark.parametrize("keys, makes", [(("side", "size"), lambda a, b: {"side": a, "size": b}), ((0, 1), lambda a, b: (a, b))])
@pytest.mark.parametrize("eager", (False, True))
def test_a_loss_for_each_output(keys, makes, eager):
    first, second = keys
    wf.seed(1)
    model = Heads(makes)
    targets = makes(wf.tensor(Y), wf.tensor(X[:, :1]))
    model.compile("adam", {first: "cross_entropy", second: "mse"}, {first: ["accuracy", "auc"], second: "r2"}, run_eagerly=eager)
    out = model(wf.tensor(X))
    logs = model.evaluate(wf.tensor(X), targets, batch_size=50)
    alone = [nn.cross_entropy(out[first], targets[first]).item(), nn.mse_loss(out[second], targets[second]).item()]
    assert logs["loss"] == pytest.approx(sum(alone), rel=1e-6) and list(logs) == ["loss", f"{first}_accuracy", f"{first}_auc",
                                                                                  f"{second}_r2"]
    assert logs[f"{first}_accuracy"] == pytest.approx((out[first].numpy().argmax(1) == Y).mean())
    history = model.fit(wf.tensor(X), targets, epochs=5, verbose=0)
    assert history["loss"][-1] < history["loss"][0]
    model.compile("adam", {first: "cross_entropy", "other": "mse"})
    with pytest.raises(wf.InvalidError, match=rf"compile: there is no output 'other'; there are {first}, {second} \[compile.outputs\]"):
        model.evaluate(wf.tensor(X), targets)
    model.compile("adam", ["cross_entropy", "mse"] if keys == (0, 1) else {first: "cross_entropy"}, "accuracy")
    with pytest.raises(wf.InvalidError, match="accuracy: there are 2 outputs and 2 targets of a batch; it measures one of each"):
        model.evaluate(wf.tensor(X), targets)


class Raised(wf.callbacks.Callback):
    """Sends Ctrl-C somewhere."""

    def __init__(self, where):
        self.where = where

    def on_epoch_end(self, epoch, logs):
        if self.where == "end":
            os.kill(os.getpid(), signal.SIGINT)


def slow(count, at, seconds):
    """Batches, of which one takes long; a timer sends Ctrl-C while it is waited for."""
    for k in range(count):
        if k == at:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            time.sleep(seconds)
        yield X[:16], Y[:16]


def test_interrupts_while_data_are_waited_for(ctrl_c):
    start = time.perf_counter()
    history = compiled().fit(slow(5, 3, 8.0), verbose=0)
    assert time.perf_counter() - start < 4.0 and history.stop_reason == "interrupted" and history.epoch == []
    source = wf.data.Dataset.from_generator(lambda: slow(5, 3, 8.0)).prefetch(1)
    start = time.perf_counter()
    history = compiled().fit(source, verbose=0)
    assert time.perf_counter() - start < 4.0 and history.stop_reason == "interrupted"


@pytest.mark.parametrize("at", (2, 18, 41))
@pytest.mark.parametrize("ahead", (False, True))
def test_interrupts_in_the_making_of_a_batch_lose_no_element(at, ahead, tmp_path, ctrl_c):
    asked = []

    def one(k):
        if asked and k.item() == at:
            asked.clear()
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            for _ in range(40):
                time.sleep(0.05)
        return wf.take(wf.tensor(X), k, axis=0), wf.take(wf.tensor(Y), k, axis=0)

    def run(folder):
        model = compiled(metrics=["accuracy"])
        source = wf.data.Dataset.range(50).shuffle(50, seed=3).map(one).batch(8)
        history = model.fit(source.prefetch(1) if ahead else source, epochs=2, resume=folder, verbose=0)
        return wf.fingerprint(model.state_dict()), history.history, history.stop_reason

    wanted = run(tmp_path / "whole")
    asked.append(True)
    assert run(tmp_path / "parts")[2] == "interrupted"
    assert run(tmp_path / "parts") == wanted


def test_interrupts_in_validation_leave_the_epoch_open(tmp_path, ctrl_c):
    def run(validation, folder=None):
        model = compiled(metrics=["accuracy"])
        return model, model.fit(X, Y, epochs=1, batch_size=16, validation_data=validation, resume=folder, verbose=0)

    whole, wanted = run(wf.data.Dataset.from_generator(lambda: (((X[:16], Y[:16])) for _ in range(5))))
    start = time.perf_counter()
    _, history = run(slow(5, 3, 8.0), tmp_path)
    assert time.perf_counter() - start < 4.0 and history.stop_reason == "interrupted" and history.epoch == []
    again, history = run(wf.data.Dataset.from_generator(lambda: (((X[:16], Y[:16])) for _ in range(5))), tmp_path)
    assert history.history == wanted.history and history.stop_reason is None
    assert wf.fingerprint(again.state_dict()) == wf.fingerprint(whole.state_dict())


def test_an_interrupt_after_the_last_step_is_told(ctrl_c):
    assert compiled().fit(X, Y, callbacks=[Raised("end")], verbose=0).stop_reason == "interrupted"


def test_saves_that_fail_are_warned_of(tmp_path, monkeypatch):
    model, fails = compiled(), [True, True, False]
    folder, log = tmp_path / "kept", tmp_path / "missing" / "log.csv"

    class Disk(wf.callbacks.Callback):
        """Full for two epochs; the folder of the log comes in the third."""

        def on_epoch_begin(self, epoch):
            is_full = fails[epoch]
            for one in (checkpoint, self.run.callbacks[-1]):
                real = type(one.manager).save
                one.manager.save = _full if is_full else real.__get__(one.manager)
            if not is_full:
                log.parent.mkdir()

    def _full(*args, **options):
        raise OSError(28, "No space left on device")

    checkpoint = wf.callbacks.ModelCheckpoint(folder)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        history = model.fit(X, Y, epochs=3, callbacks=[Disk(), checkpoint, wf.callbacks.CSVLogger(log)], resume=tmp_path / "run", verbose=0)
    assert history.epoch == [0, 1, 2] and len(history["loss"]) == 3
    assert len(history.warnings) == 6 and [str(one.message) for one in told] == history.warnings
    assert history.warnings[0].startswith("ModelCheckpoint: step 2 could not be saved: [Errno 28] No space left on device; training goes on")
    assert any(re.match(r"CSVLogger: '.*log.csv' could not be written: No such file or directory; training goes on", one)
               for one in history.warnings)
    assert checkpoint.manager.steps() == [6] and len(log.read_text().splitlines()) == 4


def test_groups_keep_their_own_rates():
    def rates(callback, epochs=1):
        model = nn.Sequential([nn.Linear(4, 8), nn.Linear(8, 2)])
        optimizer = wf.optim.SGD([{"params": model[0].parameters(), "lr": 0.1}, {"params": model[1].parameters(), "lr": 0.01}])
        model.compile(optimizer, "cross_entropy")
        model.fit(X, Y, epochs=epochs, callbacks=[callback], verbose=0)
        return [group["lr"] for group in optimizer.param_groups]

    assert rates(wf.callbacks.LearningRateScheduler(lambda epoch: 0.2)) == pytest.approx([0.2, 0.02])
    assert rates(wf.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)) == pytest.approx([0.05, 0.005])
    flat = wf.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=100.0, min_lr=0.004)
    assert rates(flat, 4) == pytest.approx([0.0125, 0.004])


def test_matrices_of_all_epochs_come_back(tmp_path):
    def run(epochs):
        model = compiled(metrics=[wf.metrics.ConfusionMatrix(3)])
        return model.fit(X, Y, epochs=epochs, resume=tmp_path, verbose=0)

    first, history = run(2), run(3)
    assert len(history["loss"]) == len(history["confusion_matrix"]) == 3
    assert [wf.fingerprint(one) for one in history["confusion_matrix"][:2]] == [wf.fingerprint(one) for one in first["confusion_matrix"]]


@pytest.mark.parametrize("options, fit, text", [
    ({"metrics": ["accuracy"]}, {}, "resume: the run was saved with no metrics, and has accuracy now; compile it as it was, or take "
     "another folder [resume.metrics]"),
    ({"precision": "float16"}, {}, "resume: the run was saved with plain losses, and has scaled losses now; compile it as it was, or take "
     "another folder [resume.precision]"),
    ({"accumulate": 2}, {}, "resume: the run was saved with single gradients, and has accumulated gradients now; compile it as it was, or "
     "take another folder [resume.accumulate]"),
    ({}, {"batch_size": 8}, "resume: the run was saved with batches of 16 rows, and has batches of 8 rows now; go on as it was, or take "
     "another folder [resume.batch_size]"),
    ({}, {"class_weight": {1: 2.0}}, "resume: the run was saved with class weights of 1, and has class weights [1.0, 2.0] now; go on as it "
     "was, or take another folder [resume.class_weight]"),
])
def test_runs_that_were_compiled_otherwise_are_refused(options, fit, text, tmp_path):
    class Stop(wf.callbacks.Callback):
        def on_batch_end(self, batch, compiled):
            if batch == 1:
                self.run.stop("interrupted")

    compiled().fit(X, Y, batch_size=16, callbacks=[Stop()], resume=tmp_path, verbose=0)
    with pytest.raises(wf.InvalidError) as error:
        compiled(**options).fit(X, Y, **{"batch_size": 16, **fit}, callbacks=[Stop()], resume=tmp_path, verbose=0)
    assert str(error.value).partition("\n")[0] == text


FRAMES = """
import time
import weft as wf
model = wf.nn.Linear(4, 2)
model.compile("adam", "cross_entropy", ["accuracy", "perplexity", wf.metrics.TopKAccuracy(2)])

class Slow(wf.callbacks.Callback):
    def on_batch_end(self, batch, compiled):
        time.sleep(0.04)

model.fit(wf.zeros((40, 4)), wf.zeros(40, dtype=wf.int64), batch_size=4, callbacks=[Slow()], verbose=1)
"""


@pytest.mark.parametrize("columns", (200, 120, 100, 80, 50, 30, 12))
def test_bars_are_never_wider_than_the_terminal(columns):
    out = subprocess.run([sys.executable, "-c", FRAMES], env={**os.environ, "COLUMNS": str(columns)}, capture_output=True)
    shown = out.stdout.decode().split("\r")
    frames, total = shown[1:-1], shown[-1]
    assert out.returncode == 0 and len(frames) > 2 and max(map(len, frames)) < columns
    assert ("samples/s" in frames[-1]) == (columns >= 120) and ("[" in frames[-1]) == (columns >= 100)
    assert ("loss" in frames[-1]) == (columns >= 30) and ("accuracy" in frames[-1]) == (columns >= 80)
    assert all(name in total for name in ("loss", "accuracy", "perplexity", "top_2_accuracy")) and total.endswith("\n")


def test_a_bar_with_three_metrics_has_room_on_eighty_columns():
    code = FRAMES.replace('["accuracy", "perplexity", wf.metrics.TopKAccuracy(2)]', '["accuracy", "auc", "f1"]')
    out = subprocess.run([sys.executable, "-c", code], env={**os.environ, "COLUMNS": "80"}, capture_output=True)
    frame = out.stdout.decode().split("\r")[1:-1][-1]
    assert out.returncode == 0 and len(frame) < 80
    assert re.match(r"(epoch )?1/1  \[=+\.*\] \d+/10  loss \S+  accuracy \S+  auc \S+  f1 \S+  \d+(\.\d+)?k?/s", frame), frame


@pytest.mark.parametrize("rate, text", [(0.4, "0/s"), (999.4, "999/s"), (999.6, "1k/s"), (12345.0, "12.3k/s"), (999_499.0, "999k/s"),
                                        (999_600.0, "1M/s"), (2.5e6, "2.5M/s")])
def test_rates_where_there_is_little_room(rate, text):
    from weft.train.progress import _shortened

    assert _shortened(rate) == text


def test_terminals_are_asked_for_their_width():
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen([sys.executable, "-c", FRAMES], env=environment, stdout=follower) as child:
        os.close(follower)
        out = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            out += part
    os.close(leader)
    frames = out.decode().split("\r")[1:-2]
    assert child.returncode == 0 and len(frames) > 2 and 20 < max(map(len, frames)) < 40


def test_a_list_of_batches_is_a_source():
    given = list(batches())
    model, other = compiled(), compiled()
    history = model.fit(given, epochs=3, validation_data=given, verbose=0)
    assert history["loss"] == other.fit(wf.data.Dataset.from_tensor_slices((X, Y)).batch(16), epochs=3, verbose=0)["loss"]
    assert wf.fingerprint(model.state_dict()) == wf.fingerprint(other.state_dict()) and len(history["val_loss"]) == 3
    assert model.evaluate(given) == pytest.approx(model.evaluate(X, Y, batch_size=16))
    weighted = compiled().fit([(x, y, np.full(len(y), 2.0)) for x, y in given], verbose=0)
    assert weighted["loss"][0] > 1.5 * history["loss"][0]


def test_pairs_are_inputs_where_the_model_gives_the_loss():
    class Paired(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(4, 3)

        def forward(self, pairs):
            return sum(wf.nn.cross_entropy(self.layer(x), y) for x, y in pairs)

    model = Paired()
    model.compile("sgd")
    assert model.fit([(X, Y), (X, Y)], batch_size=10, verbose=0)["loss"]


@pytest.mark.parametrize("call, text", [
    (lambda m: m.fit((X, Y), verbose=0), "fit: the model is called with the 2 parts of x, and Linear.forward does not take them; targets "
     "stand beside x, fit(x, y), and a batch is (x, y) or (x, y, weights), where x of several inputs is a tuple of its own: ((a, b), y) "
     "[fit.inputs]"),
    (lambda m: m.fit(wf.data.Dataset.from_tensor_slices((X, Y, Y, Y)).batch(8), verbose=0), "fit: the model is called with the 4 parts of "
     "x, and Linear.forward does not take them; targets stand beside x, fit(x, y), and a batch is (x, y) or (x, y, weights), where x of "
     "several inputs is a tuple of its own: ((a, b), y) [fit.inputs]"),
    (lambda m: m.evaluate({"a": X}, Y), "evaluate: the model is called with the parts of x named a, and Linear.forward does not take them; "
     "targets stand beside x, evaluate(x, y), and a batch is (x, y) or (x, y, weights), where x of several inputs is a tuple of its own: "
     "((a, b), y) [evaluate.inputs]"),
    (lambda m: m.predict((X, Y)), "predict: the model is called with the 2 parts of x, and Linear.forward does not take them; predict takes "
     "no targets, and a batch is (x, y) or (x, y, weights), where x of several inputs is a tuple of its own: ((a, b), y) [predict.inputs]"),
    (lambda m: m.fit("abc", Y), "fit: x is the text 'abc'; it is a tensor or an array with an example in each row, or a dataset [fit.rows]"),
    (lambda m: m.fit(X, "abc"), "fit: y is the text 'abc'; it is a tensor or an array with an example in each row, or a dataset [fit.rows]"),
    (lambda m: m.fit(X.tolist(), Y.tolist()), "fit: x is a list that has numbers in it, and each of them would be an input of its own; make "
     "an array of it: wf.tensor(x) [fit.rows]"),
    (lambda m: m.fit(X, Y.tolist()), "fit: y is a list that has numbers in it, and each of them would be an input of its own; make an array "
     "of it: wf.tensor(y) [fit.rows]"),
    (lambda m: m.fit(tuple(batches())), "fit: there are 16 rows in x, but 2 in another part; each row is one example; batches are a list of "
     "(x, y), without a y beside it, or a dataset [fit.rows]"),
    (lambda m: m.fit(list(batches()), Y), "fit: there are 16 rows in x, but 2 in another part; each row is one example; batches are a list "
     "of (x, y), without a y beside it, or a dataset [fit.rows]"),
])
def test_what_is_no_source_is_told_by_its_cause(call, text):
    with pytest.raises(wf.Error) as error:
        call(compiled())
    assert str(error.value).partition("\n")[0] == text


@pytest.mark.parametrize("act", [lambda m, source: m.fit(source, verbose=1), lambda m, source: m.evaluate(source, verbose=1)])
def test_a_bar_ends_its_line_before_an_error_is_told(act, capsys):
    def failing():
        yield from batches()
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        act(compiled(), failing())
    out = capsys.readouterr().out
    assert out.startswith("\r") and out.endswith("\n") and out.count("\n") == 1
