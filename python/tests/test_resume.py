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


def run_pipeline(folder, epochs, stop=None, features=4):
    """The same with batches of a dataset, which are shuffled and read ahead."""
    wf.seed(11)
    dataset = wf.data.Dataset.from_tensor_slices((X, Y)).shuffle(seed=2).batch(16).prefetch(2)
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


def test_pipelines_go_on_after_an_epoch(tmp_path):
    run_pipeline(tmp_path, 2)
    assert run_pipeline(tmp_path, EPOCHS) == run_pipeline(None, EPOCHS)
