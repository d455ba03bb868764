"""Callbacks in a real training, with real checkpoints: what is named, kept, taken up again."""

import resource

import numpy as np
import pytest

import weft as wf
from weft import nn
from weft.train import callbacks

RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)


class Momentum:
    """An optimizer with a state, of plain ops."""

    def __init__(self, parameters, lr=0.1):
        self.lr, self.pairs = lr, [(v, wf.Variable(wf.zeros_like(v.value()), trainable=False)) for v in parameters]

    def apply_gradients(self, pairs):
        for (gradient, v), (_, speed) in zip(pairs, self.pairs):
            speed.assign(speed.read() * 0.9 + gradient)
            v.assign_sub(speed.read() * self.lr)

    def state_dict(self):
        return {"lr": self.lr, "speed": [speed.value() for _, speed in self.pairs]}

    def load_state_dict(self, state):
        self.lr = state["lr"]
        for (_, speed), value in zip(self.pairs, state["speed"]):
            speed.assign(value)


def trained(given, epochs=3, run_eagerly=False, batch_size=16, **options):
    wf.seed(4)
    model = nn.Sequential([nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 2)])
    model.compile(Momentum(model.parameters()), "cross_entropy", metrics=["accuracy"], run_eagerly=run_eagerly)
    return model, model.fit(X, Y, epochs=epochs, batch_size=batch_size, verbose=0, callbacks=given, **options)


class Kill(callbacks.Callback):
    def __init__(self, at):
        self.at = at

    def on_batch_begin(self, batch):
        if self.run.step == self.at:
            raise MemoryError


@pytest.mark.parametrize("run_eagerly", [True, False])
@pytest.mark.parametrize("at, every", [(0, 1), (1, 1), (4, 1), (5, 2), (7, None), (11, 3)])
def test_a_run_that_was_killed_ends_with_the_same_bits(at, every, run_eagerly, tmp_path):
    def given(*more):
        return [callbacks.EarlyStopping("val_loss", patience=9), callbacks.CSVLogger(tmp_path / "log.csv"), *more,
                callbacks.Resume(tmp_path / "run", every_steps=every)]

    options = {"run_eagerly": run_eagerly, "validation_split": 0.2, "batch_size": 8}
    whole, history = trained(given()[:-1], **options)
    wanted = (tmp_path / "log.csv").read_text()
    with pytest.raises(MemoryError):
        trained(given(Kill(at)), **options)
    wf.rand(3)  # whatever else was drawn meanwhile
    model, again = trained(given(callbacks.Callback()), **options)
    assert wf.fingerprint(model.state_dict()) == wf.fingerprint(whole.state_dict())
    assert again.history == history.history and (tmp_path / "log.csv").read_text() == wanted


def test_checkpoints_of_a_model_come_back(tmp_path):
    saving = callbacks.ModelCheckpoint(tmp_path / "kept", every_steps=1, monitor="loss", max_to_keep=1)
    model, history = trained([saving])
    best = int(np.argmin(history["loss"]))
    assert saving.manager.best_step() == 3 * (best + 1) and saving.manager.latest_step() == 9
    last = wf.fingerprint(model.state_dict())
    for v in model.parameters():
        v.zero_()
    saving.manager.restore_latest()
    assert wf.fingerprint(model.state_dict()) == last


def test_the_best_weights_come_back():
    kept = {}
    noting = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: kept.setdefault(epoch, wf.fingerprint(noting.model.state_dict())))
    stopping = callbacks.EarlyStopping("val_accuracy", patience=2, restore_best_weights=True)
    model, history = trained([noting, stopping], epochs=12, validation_split=0.3)
    assert wf.fingerprint(model.state_dict()) == kept[stopping.best_epoch]
    assert history["val_accuracy"][stopping.best_epoch] == max(history["val_accuracy"])


@pytest.mark.parametrize("run_eagerly", [True, False])
def test_the_op_and_the_records_of_a_nan_are_named(run_eagerly):
    class Logs(nn.Module):
        def __init__(self):
            self.inner = nn.Linear(4, 2)

        def forward(self, x):
            return self.inner(wf.log(x))

    x = np.abs(X) + 0.1
    x[23] = 0.0
    wf.seed(0)
    model, ending = Logs(), callbacks.TerminateOnNaN()
    start = wf.fingerprint(model.state_dict())
    model.compile(Momentum(model.parameters(), lr=0.0), "cross_entropy", run_eagerly=run_eagerly)
    history = model.fit(x, Y, epochs=2, batch_size=16, verbose=0, callbacks=[ending], shuffle=False)
    assert ending.op == "log" and ending.records == [23] and ending.line.rpartition("/")[2].startswith("test_callbacks_fit.py:")
    assert history.stop_reason == ("the loss or a gradient is not finite in epoch 1, batch 2: "
                                   f"log gave -inf of finite inputs at {ending.line}; record 23 is the cause")
    assert wf.fingerprint(model.state_dict()) == start


def ended(*given, columns=4):
    wf.seed(0)
    model = nn.Sequential([lambda x: wf.log(x + 10.0), nn.Linear(columns, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)])
    ending = callbacks.TerminateOnNaN()
    model.compile("sgd", "cross_entropy")
    history = model.fit(*given, batch_size=16 if len(given) == 2 else None, verbose=0, callbacks=[ending])
    return ending, history.stop_reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -10.0])  # the last is finite, and the mean of its batch is not
@pytest.mark.parametrize("source", ["rows", "dataset"])
def test_a_record_that_spoils_its_batch_is_named(value, source):
    x = X.copy()
    x[23, 1] = value
    dataset = wf.data.Dataset.from_tensor_slices((x, Y)).shuffle(seed=2).batch(16).prefetch(2)
    ending, reason = ended(x, Y) if source == "rows" else ended(dataset)
    assert ending.records == [23] and reason.endswith("; record 23 is the cause")


def test_records_of_files_are_named_by_their_lines(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,class\n" + "".join(f"{'' if i == 6 else '1.5'},{i},{i % 2}\n" for i in range(12)))
    rows = wf.data.csv(str(path)).map(lambda row: (wf.stack([row["a"], row["b"]]), row["class"]))
    ending, reason = ended(rows.shuffle(12, seed=2).batch(4), columns=2)
    assert [origin.partition(", offset")[0] for origin in ending.origins] == [f"{path}, line 8"]
    assert reason.endswith(f"; example {ending.records[0]} ({ending.origins[0]}) is the cause")


def test_saves_beside_the_training_say_that_the_disk_is_full(tmp_path):
    def fit(epochs):
        saving = callbacks.ModelCheckpoint(tmp_path, asynchronous=True)
        return saving, model.fit(np.ones((32, 400), np.float32), np.zeros(32, np.int64), epochs=epochs, callbacks=[saving], verbose=0)

    wf.seed(0)
    model, limits = nn.Linear(400, 2), resource.getrlimit(resource.RLIMIT_FSIZE)
    model.compile("adam", "cross_entropy")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        with pytest.warns(RuntimeWarning):
            saving, history = fit(3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(history["loss"]) == 3 and len(history.warnings) == 3 and saving.manager.steps() == []
    for step, text in enumerate(history.warnings, 1):  # the last is told at the end
        assert text.startswith(f"ModelCheckpoint: step {step} could not be saved: ") and "File too large" in text
        assert text.endswith("; training goes on [ModelCheckpoint.save]")
    saving, history = fit(2)
    assert saving.manager.steps() == [1, 2] and not history.warnings
    fresh = nn.Linear(400, 2)
    fresh.compile("adam", "cross_entropy")
    wf.CheckpointManager(tmp_path, model=fresh, optimizer=fresh._compiled.optimizer).restore_latest()
    assert wf.fingerprint(fresh) == wf.fingerprint(model)


@pytest.mark.parametrize("metrics", [["accuracy"], ["accuracy", "auc", "f1", "r2"]], ids=len)
@pytest.mark.parametrize("act", [lambda m, x, y: m.evaluate(x, y), lambda m, x, y: m.predict(x)], ids=["evaluate", "predict"])
def test_what_a_callback_measures_is_no_part_of_the_epoch(act, metrics):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 4)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int64 if len(metrics) == 1 else np.float32)
    y = y if len(metrics) == 1 else y[:, None]

    def history(callbacks):
        wf.seed(2)
        model = wf.nn.Linear(4, 2 if len(metrics) == 1 else 1)
        model.compile("adam", "cross_entropy" if len(metrics) == 1 else "mse", metrics=metrics)
        callbacks = [wf.callbacks.LambdaCallback(on_batch_end=lambda batch, compiled: one(model)) for one in callbacks]
        return model.fit(x, y, epochs=2, batch_size=10, verbose=0, callbacks=callbacks, validation_data=(x, y)).history

    assert history([lambda model: act(model, x[:7], y[:7])]) == history([])


def test_a_history_is_a_mapping():
    model = wf.nn.Linear(2, 1)
    model.compile("sgd", "mse")
    history = model.fit(np.ones((4, 2), np.float32), np.ones((4, 1), np.float32), epochs=2, verbose=0)
    assert "loss" in history and "val_loss" not in history and list(history) == ["loss"]
    assert dict(history) == history.history == dict(history.items()) and list(history.keys()) == ["loss"]
    assert list(history.values()) == [history["loss"]] and history.get("val_loss") is None
    with pytest.raises(wf.OutOfRangeError, match=r"History: has no 'acc'; it has loss \[History\.name\]"):
        history["acc"]


def test_warnings_name_the_line_that_called_fit(tmp_path):
    (tmp_path / "file").write_text("")
    model = wf.nn.Linear(2, 1)
    model.compile("sgd", "mse")
    logger = wf.callbacks.CSVLogger(tmp_path / "missing" / "log.csv")
    for callback in (wf.callbacks.ModelCheckpoint(tmp_path / "file" / "folder"), logger):
        with pytest.warns(RuntimeWarning, match="training goes on") as caught:
            model.fit(wf.ones((4, 2)), wf.ones((4, 1)), verbose=0, callbacks=[callback])
        assert caught[0].filename == __file__
