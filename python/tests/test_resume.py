"""A run that is stopped at any step, or killed, and taken up again ends with the bytes of one that was not."""

import os
import pathlib
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(3)
X = RNG.normal(size=(70, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
EPOCHS, STEPS = 3, 15  # five batches in each epoch, the last one smaller


class StopAt(wf.callbacks.Callback):
    """Ends the run after a step, or the process."""

    def __init__(self, step, kills=False):
        self.step, self.kills = step, kills

    def on_batch_begin(self, batch):
        if self.run.step == self.step:
            if self.kills:
                os.kill(os.getpid(), signal.SIGKILL)
            self.run.stop("interrupted")


def run(folder, eager, stop=None):
    """Trains, or goes on to train; gives what there is at the end."""
    wf.seed(11)
    model = nn.Sequential([nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2)])
    optimizer = wf.optim.AdamW(model.parameters(), lr=0.01)
    schedule = wf.optim.schedules.Cosine(optimizer, 15)
    model.compile(optimizer, "cross_entropy", metrics=["accuracy", "f1"], run_eagerly=eager)
    callbacks = [wf.callbacks.LearningRateScheduler(schedule, every="step")]
    callbacks += [] if stop is None else [stop]
    callbacks += [] if folder is None else [wf.callbacks.Resume(folder, every_steps=1)]
    history = model.fit(X, Y, epochs=EPOCHS, batch_size=16, verbose=0, callbacks=callbacks)
    return wf.fingerprint([model.state_dict(), optimizer.state_dict(), wf.random.normal(wf.random.next_key(), (2,))]), history.history


@pytest.fixture(scope="module")
def uninterrupted():
    return run(None, True)


def trials():
    draw = random.Random(5)
    return [(draw.randrange(1, STEPS), k % 2 == 0, 1 + k // 2 % 2) for k in range(20)]


@pytest.mark.parametrize("step, eager, threads", trials())
def test_stopped_and_taken_up(step, eager, threads, tmp_path, uninterrupted):
    before = wf.num_threads()
    try:
        wf.set_num_threads(threads)
        run(tmp_path, eager, StopAt(step))
        assert run(tmp_path, eager) == uninterrupted
    finally:
        wf.set_num_threads(before)


@pytest.mark.parametrize("step, eager", [(1, False), (7, True), (12, False)])
def test_killed_and_taken_up(step, eager, tmp_path, uninterrupted):
    code = f"import test_resume as t; t.run({str(tmp_path)!r}, {eager}, t.StopAt({step}, kills=True))"
    places = [str(pathlib.Path(wf.__file__).parents[1]), str(pathlib.Path(__file__).parent)]
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(places)}, timeout=120,
                          capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert run(tmp_path, eager) == uninterrupted


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_dataset_goes_on_with_its_next_pass(epochs, tmp_path):
    """A run that ends with an epoch has read its dataset to the end: the next epoch reads it from the beginning, in another order."""
    def fitted(last, resume=None):
        wf.seed(2)
        model = nn.Linear(4, 1)
        model.compile(wf.optim.Adam(model.parameters()), "mse")
        batches = wf.data.Dataset.from_tensor_slices((X, X[:, :1])).shuffle(70, seed=3).batch(16)
        history = model.fit(batches, epochs=last, verbose=0, resume=resume)
        return wf.fingerprint(model.state_dict()), history.history

    fitted(epochs, tmp_path)
    assert fitted(3, tmp_path) == fitted(3)
