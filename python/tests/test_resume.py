"""A run that is stopped at any step, or killed, and taken up again ends with the bytes of one that was not."""

import datetime
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(3)
X = RNG.normal(size=(70, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
EPOCHS, STEPS = 3, 15  # five batches in each epoch, the last one smaller


# Other steps and moments each day; a failing test has the seed in its name, and WEFT_SEED repeats it.
SEED = int(os.environ.get("WEFT_SEED") or datetime.date.today().toordinal())
KILLS = 100 if os.environ.get("WEFT_LONG") else 8


class StopAt(wf.callbacks.Callback):
    """Ends the run after a step."""

    def __init__(self, step):
        self.step = step

    def on_batch_begin(self, batch):
        if self.run.step == self.step:
            self.run.stop("interrupted")


class Tell(wf.callbacks.Callback):
    """Tells who reads its output which step begins."""

    def on_batch_begin(self, batch):
        print(self.run.step, flush=True)


def run(folder, eager, stop=None, asynchronous=False):
    """Trains, or goes on to train; gives what there is at the end."""
    wf.seed(11)
    model = nn.Sequential([nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2)])
    optimizer = wf.optim.AdamW(model.parameters(), lr=0.01)
    schedule = wf.optim.schedules.Cosine(optimizer, 15)
    model.compile(optimizer, "cross_entropy", metrics=["accuracy", "f1"], run_eagerly=eager)
    callbacks = [wf.callbacks.LearningRateScheduler(schedule, every="step")]
    callbacks += [] if stop is None else [stop]
    callbacks += [] if folder is None else [wf.callbacks.Resume(folder, every_steps=1, asynchronous=asynchronous)]
    history = model.fit(X, Y, epochs=EPOCHS, batch_size=16, verbose=0, callbacks=callbacks)
    return wf.fingerprint([model.state_dict(), optimizer.state_dict(), wf.random.normal(wf.random.next_key(), (2,))]), history.history


@pytest.fixture(scope="module")
def uninterrupted():
    return run(None, True)


def trials(count, first):
    """(seed, step, whether eager, threads): all modes and numbers of threads in turn."""
    draws = [(SEED + k, random.Random(SEED + k)) for k in range(first, first + count)]
    return [pytest.param(seed, draw.randrange(1, STEPS), k % 2 == 0, 1 + k // 2 % 2, id=f"seed={seed}")
            for k, (seed, draw) in enumerate(draws)]


@pytest.mark.parametrize("seed, step, eager, threads", trials(12, 0))
def test_stopped_and_taken_up(seed, step, eager, threads, tmp_path, uninterrupted):
    before = wf.num_threads()
    try:
        wf.set_num_threads(threads)
        run(tmp_path, eager, StopAt(step), asynchronous=seed % 3 == 0)
        assert run(tmp_path, eager, asynchronous=seed % 3 == 1) == uninterrupted
    finally:
        wf.set_num_threads(before)


def killed(code, step, pause):
    """Runs code in another process, and kills that after a step has begun and a pause; whether it had not ended by itself."""
    places = [str(pathlib.Path(wf.__file__).parents[1]), str(pathlib.Path(__file__).parent)]
    child = subprocess.Popen([sys.executable, "-c", f"import test_resume as t; {code}"], text=True, stdout=subprocess.PIPE,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join(places)})
    with child:
        for line in child.stdout:
            if int(line) == step:
                time.sleep(pause)
                break
        child.kill()
        child.stdout.read()
    assert child.returncode in (0, -signal.SIGKILL)
    return child.returncode != 0


# In a step, in the save after it, or between: a step takes some milliseconds.
@pytest.mark.parametrize("seed, step, eager, threads", trials(KILLS, 12))
def test_killed_and_taken_up(seed, step, eager, threads, tmp_path, uninterrupted):
    pause, before = random.Random(seed).uniform(0.0, 0.006), wf.num_threads()
    try:
        wf.set_num_threads(threads)
        code = f"t.wf.set_num_threads({threads}); t.run({str(tmp_path)!r}, {eager}, t.Tell(), asynchronous={seed % 2 == 0})"
        assert killed(code, step, pause) or step > STEPS - 6
        assert run(tmp_path, eager) == uninterrupted
    finally:
        wf.set_num_threads(before)


@pytest.mark.parametrize("seed, step, eager, threads", trials(KILLS // 4, 1000))
def test_pipelines_are_taken_up_when_they_were_killed(seed, step, eager, threads, tmp_path):
    whole = run_pipeline(None, EPOCHS)
    killed(f"t.run_pipeline({str(tmp_path)!r}, t.EPOCHS, t.Tell())", step, random.Random(seed).uniform(0.0, 0.006))
    assert run_pipeline(tmp_path, EPOCHS) == whole


def run_pipeline(folder, epochs, stop=None, features=4, buffer=None):
    """The same with batches of a dataset, which are shuffled, all of them or those of a buffer, and read ahead."""
    wf.seed(11)
    dataset = wf.data.Dataset.from_tensor_slices((X, Y))
    if buffer is not None:
        dataset = dataset.filter(lambda x, y: True)  # what is a stream is shuffled in a buffer
    dataset = dataset.shuffle(buffer, seed=2).batch(16).prefetch(2)
    model = nn.Linear(features, 2)
    model.compile("adam", "cross_entropy")
    callbacks = ([] if stop is None else [stop]) + ([] if folder is None else [wf.callbacks.Resume(folder, every_steps=1)])
    history = model.fit(dataset, epochs=epochs, verbose=0, callbacks=callbacks)
    return wf.fingerprint(model.state_dict()), history.history


@pytest.mark.parametrize("features", [4, None])
@pytest.mark.parametrize("step", [1, 4, 5, 6, 10, 13])
def test_pipelines_are_taken_up_where_they_were(step, features, tmp_path):
    uninterrupted = run_pipeline(None, EPOCHS)
    assert run_pipeline(None, EPOCHS, features=features) == uninterrupted
    run_pipeline(tmp_path, EPOCHS, StopAt(step), features)
    assert run_pipeline(tmp_path, EPOCHS, features=features) == uninterrupted


@pytest.mark.parametrize("step", [1, 4, 5, 6, 13])
@pytest.mark.parametrize("buffer", [7, 30])
def test_pipelines_with_a_buffer_are_taken_up_where_they_were(step, buffer, tmp_path):
    uninterrupted = run_pipeline(None, EPOCHS, buffer=buffer)
    assert uninterrupted != run_pipeline(None, EPOCHS)
    run_pipeline(tmp_path, EPOCHS, StopAt(step), buffer=buffer)
    assert run_pipeline(tmp_path, EPOCHS, buffer=buffer) == uninterrupted


def test_pipelines_go_on_after_an_epoch(tmp_path):
    run_pipeline(tmp_path, 2)
    assert run_pipeline(tmp_path, EPOCHS) == run_pipeline(None, EPOCHS)


def run_compiled(folder, options, stop=None, first=1.0):
    """The same, compiled in other ways; `first` scales the first layer, so that gradients of float16 overflow."""
    wf.seed(11)
    model = nn.Sequential([nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2)])
    model[4].weight.assign(model[4].weight * first)
    optimizer = wf.optim.Adam(model.parameters(), lr=0.01)
    model.compile(optimizer, "cross_entropy", metrics=["accuracy"], **options)
    callbacks = ([] if stop is None else [stop]) + ([] if folder is None else [wf.callbacks.Resume(folder, every_steps=1)])
    history = model.fit(X, Y, epochs=EPOCHS, batch_size=16, verbose=0, callbacks=callbacks)
    return wf.fingerprint([model.state_dict(), model._compiled.state_dict()]), history.history


@pytest.mark.parametrize("step", [1, 3, 4, 5, 8, 14])
@pytest.mark.parametrize("options", [
    {"precision": "float16"}, {"precision": "bfloat16"}, {"accumulate": 3}, {"accumulate": 2, "precision": "float16", "clip_norm": 0.5},
    {"precision": "float16", "run_eagerly": True}], ids=str)
def test_precisions_and_accumulated_gradients_are_taken_up(options, step, tmp_path):
    scale = 300.0 if options.get("precision") == "float16" else 1.0
    uninterrupted = run_compiled(None, options, first=scale)
    run_compiled(tmp_path, options, StopAt(step), first=scale)
    assert run_compiled(tmp_path, options, first=scale) == uninterrupted


def test_steps_of_float16_are_left_out_in_these_runs():
    """So that the scale, and the count of good steps since, are part of what is taken up."""
    wf.seed(11)
    model = nn.Linear(4, 2)
    model.compile("sgd", "cross_entropy", precision="float16")
    before = model._compiled.scaler.state_dict()
    model.fit(X * 1e3, Y, verbose=0)
    assert wf.fingerprint(model._compiled.scaler.state_dict()) != wf.fingerprint(before)


# Callbacks that have a state.


def run_watched(folder, callbacks):
    wf.seed(11)
    model = nn.Linear(4, 2)
    model.compile("adam", "cross_entropy")
    return model.fit(X, Y, epochs=EPOCHS, batch_size=16, verbose=0, callbacks=callbacks, resume=folder)


def test_other_callbacks_with_a_state_are_another_run(tmp_path):
    stopping, csv = wf.callbacks.EarlyStopping("loss", patience=9), wf.callbacks.ReduceLROnPlateau("loss", patience=5)
    run_watched(tmp_path, [stopping, StopAt(7)])
    with pytest.raises(wf.InvalidError, match=r"resume: the run was saved with the callbacks EarlyStopping, Resume, and has "
                                              r"ReduceLROnPlateau, Resume now; go on as it was, or take another folder "
                                              r"\[resume\.callbacks\]"):
        run_watched(tmp_path, [csv])
    with pytest.raises(wf.InvalidError, match=r"and has Resume now; .* \[resume\.callbacks\]"):
        run_watched(tmp_path, [])
    # Those without a state may come and go.
    history = run_watched(tmp_path, [Tell(), wf.callbacks.TerminateOnNaN(), wf.callbacks.EarlyStopping("loss", patience=9)])
    assert history.epoch == [0, 1, 2]
