"""compile, fit, evaluate, predict, train_on_batch: what they compute, show, raise, and that traced equals eager bit for bit."""

import io
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(1)
X = RNG.normal(size=(50, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)


def network(dropout=0.2):
    return nn.Sequential([nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(dropout), nn.Linear(16, 2)])


def trained(eager, epochs=3, optimizer=wf.optim.Adam, threads=None, **options):
    wf.seed(4)
    model = network()
    settings = {key: options.pop(key) for key in ("precision", "clip_norm", "accumulate") if key in options}
    model.compile(optimizer(model.parameters(), lr=1e-2), "cross_entropy", metrics=["accuracy"], run_eagerly=eager, **settings)
    history = model.fit(X, Y, epochs=epochs, batch_size=16, verbose=0, **options)
    return model, history


@pytest.mark.parametrize("options", [{}, {"class_weight": {0: 2.0, 1: 0.5}}, {"shuffle": False}, {"validation_split": 0.2},
                                     {"clip_norm": 0.1}, {"accumulate": 2}, {"precision": "bfloat16"}, {"precision": "float16"}], ids=str)
def test_traced_steps_have_the_bits_of_eager_ones(options):
    traced, eager = trained(False, **dict(options)), trained(True, **dict(options))
    assert wf.fingerprint(traced[0].state_dict()) == wf.fingerprint(eager[0].state_dict())
    assert traced[1].history == eager[1].history
    assert traced[1]["loss"][-1] < traced[1]["loss"][0]


def test_fit_of_views_has_the_same_bits():
    """Rows in one piece are gathered ahead, others by an op."""
    found = []
    for x in (wf.tensor(X), wf.tensor(np.concatenate([X, X], axis=1))[:, :4], wf.tensor(np.ascontiguousarray(X.T)).T):
        wf.seed(4)
        model = network()
        model.compile(wf.optim.Adam(model.parameters(), lr=1e-2), "cross_entropy")
        model.fit(x, Y, epochs=2, batch_size=16, verbose=0)
        found.append(wf.fingerprint(model.state_dict()))
    assert found[0] == found[1] == found[2]


def test_fit_is_the_loop_that_people_write():
    wf.seed(4)
    model = network()
    optimizer = wf.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        order = wf.random.permutation(wf.random.next_key(), 50)
        for k in range(0, 50, 16):
            rows = order[k:k + 16]
            x, y = wf.take(wf.tensor(X), rows, axis=0), wf.take(wf.tensor(Y), rows, axis=0)
            optimizer.zero_grad()
            nn.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert wf.fingerprint(model.state_dict()) == wf.fingerprint(trained(True, epochs=2)[0].state_dict())


def test_a_step_keeps_nothing_for_a_backward_pass():
    layers, x = 8, wf.random.normal(wf.random.Key(0), (256, 64))
    model = wf.nn.Sequential([layer for _ in range(layers) for layer in (wf.nn.Linear(64, 64), wf.nn.Tanh())])
    model.compile(wf.optim.SGD(model.parameters(), lr=0.1), loss="mse")
    for _ in range(2):
        model.train_on_batch(x, x)
    before = wf.memory.live()
    wf.memory.reset_peak()
    model.train_on_batch(x, x)
    assert wf.memory.peak() - before < layers * x.nbytes  # what the layers gave is in an arena that is there already
    assert wf.memory.live() == before


@pytest.mark.parametrize("features", [4, None])
def test_fit_reads_the_passes_that_a_loop_reads(features):
    def dataset():
        return wf.data.Dataset.from_tensor_slices((X, Y)).shuffle(seed=3).batch(16)

    wf.seed(4)
    model = nn.Linear(4, 2)
    optimizer, batches = wf.optim.Adam(model.parameters()), dataset()
    for _ in range(2):
        for x, y in batches:
            optimizer.minimize(lambda: nn.cross_entropy(model(x), y))

    wf.seed(4)
    fitted = nn.Linear(features, 2)
    fitted.compile("adam", "cross_entropy")
    fitted.fit(dataset(), epochs=2, verbose=0)
    assert wf.fingerprint(fitted.state_dict()) == wf.fingerprint(model.state_dict())


def test_measures_are_those_of_all_examples():
    model, _ = trained(False)
    logs = model.evaluate(X, Y, batch_size=16)
    model.eval()
    out = model(wf.tensor(X))
    assert logs["loss"] == pytest.approx(nn.cross_entropy(out, wf.tensor(Y)).item(), rel=1e-6)
    assert logs["accuracy"] == np.mean(out.numpy().argmax(1) == Y)
    assert wf.fingerprint(model.predict(X, batch_size=7)) == wf.fingerprint(out)
    assert model.training is False
    model.train()
    model.evaluate(X, Y)
    assert model.training is True


def test_sizes_and_optimizers_by_name():
    model = nn.Sequential([nn.Linear(None, 8), nn.ReLU(), nn.Linear(None, 2)])
    model.compile("adamw", "cross_entropy")
    assert model.fit(X, Y, verbose=0).history.keys() == {"loss"}
    assert model[0].in_features == 4
    with pytest.raises(ValueError, match=r"compile: there is no loss 'mean_squared_error'; weft calls this 'mse' \[compile.loss\]"):
        model.compile("adam", "mean_squared_error")
    with pytest.raises(ValueError, match=r"compile: there is no optimizer 'adan'; did you mean 'adam'\? \[compile.optimizer\]"):
        model.compile("adan", "mse")


def test_iterables_of_batches():
    model = nn.Linear(4, 2)
    model.compile("sgd", "cross_entropy", metrics=["accuracy"])

    class Batches:
        def __iter__(self):
            return iter([(X[:20], Y[:20]), (X[20:], Y[20:])])

        def __len__(self):
            return 2

    history = model.fit(Batches(), epochs=2, validation_data=Batches(), verbose=0)
    assert len(history["val_accuracy"]) == 2
    assert model.evaluate(Batches())["loss"] == pytest.approx(history["val_loss"][-1])
    with pytest.raises(ValueError, match=r"fit: x is a dataset, which gives targets too, but there is a y; leave it out \[fit.y\]"):
        model.fit(Batches(), Y)


def test_several_inputs():
    class Two(nn.Module):
        def __init__(self):
            self.a, self.b = nn.Linear(4, 2), nn.Linear(4, 2)

        def forward(self, left, right):
            return self.a(left) + self.b(right)

    for x in ((X, X * 2), {"left": X, "right": X * 2}):
        model = Two()
        model.compile("adam", "cross_entropy")
        assert model.fit(x, Y, epochs=2, verbose=0)["loss"][1] > 0
        assert model.predict(x).shape == (50, 2)


@pytest.mark.parametrize("call, text", [
    (lambda m: nn.Linear(4, 2).fit(X, Y), "fit: Linear does not know how it is trained; call model.compile(optimizer, loss) first [fit.compile]"),
    (lambda m: m.fit(X, Y[:3]), "fit: there are 50 rows in x, but 3 in another part; each row is one example [fit.rows]"),
    (lambda m: m.fit(X, Y, batch_size=0), "fit: batch_size is 0; it is 1 or more [fit.batch_size]"),
    (lambda m: m.fit(X, Y, verbose=7), "fit: verbose is 7; it is 0, 1, 2 or 'auto' [fit.verbose]"),
    (lambda m: m.fit(X, Y, class_weight=[1.0]), "fit: class_weight is [1.0]; it is a dict from classes to weights [fit.class_weight]"),
    (lambda m: m.compile("adam", "mse", accumulate=0), "compile: accumulate is 0; it is a number of batches, 1 or more [compile.accumulate]"),
    (lambda m: m.predict(X[:0]), "predict: there are no rows to compute [predict.rows]"),
])
def test_mistakes_are_told(call, text):
    model = nn.Linear(4, 2)
    model.compile("adam", "cross_entropy")
    with pytest.raises(wf.Error) as error:
        call(model)
    assert str(error.value).partition("\n")[0] == text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_and_bars(monkeypatch):
    model = nn.Linear(4, 2)
    model.compile("adam", "cross_entropy", metrics=["accuracy"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    model.fit(X, Y, epochs=2)
    lines = sys.stdout.getvalue().splitlines()
    assert len(lines) == 2 and lines[0].startswith("epoch 1/2  loss ") and lines[1].endswith(" samples/s")
    monkeypatch.setattr(sys, "stdout", Terminal())
    model.fit(X, Y, epochs=1)
    text = sys.stdout.getvalue()
    assert "\r" in text and text.endswith("\n") and "[" in text and " left" in text and "/2  loss" in text
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    model.fit(X, Y, verbose=0)
    model.evaluate(X, Y)
    model.predict(X)
    assert sys.stdout.getvalue() == ""


def test_interrupts_end_after_the_step(ctrl_c):
    model = nn.Linear(4, 2)
    model.compile(wf.optim.SGD(model.parameters(), lr=0.1), "cross_entropy")
    before = wf.fingerprint(model.state_dict())

    class Slow:
        def __iter__(self):
            for _ in range(1000):
                time.sleep(0.01)
                yield X, Y

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    history = model.fit(Slow(), epochs=5, verbose=0)
    timer.join()
    assert history.stop_reason == "interrupted" and history.epoch == []
    assert wf.fingerprint(model.state_dict()) != before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_mixed_precision_learns():
    exact = trained(False, epochs=60)[1]["loss"]
    assert exact[-1] < 0.75 * exact[0]
    for precision in ("bfloat16", "float16"):
        model, history = trained(False, epochs=60, precision=precision)
        assert history["loss"][-1] < 1.1 * exact[-1], precision
        assert {v.dtype for v in model.parameters()} == {wf.float32}


def test_steps_whose_scaled_gradients_overflow_are_left_out():
    from weft.train.scaling import LossScaler

    scaler = LossScaler(scale=4.0, growth_interval=2)
    gradients, is_finite = scaler.unscale([wf.tensor([4.0, 8.0])])
    assert gradients[0].tolist() == [1.0, 2.0] and is_finite.item()
    scaler.update(is_finite)
    scaler.update(is_finite)
    assert scaler.value == 8.0 and scaler.state_dict()["good_steps"].item() == 0
    _, is_finite = scaler.unscale([wf.tensor([wf.inf])])
    scaler.update(is_finite)
    assert scaler.value == 4.0


@pytest.mark.parametrize("arguments, text", [
    (("adamm", "mse"), "compile: there is no optimizer 'adamm'; did you mean 'adam' or 'adamw'? [compile.optimizer]"),
    ((3, "mse"), "compile: optimizer is 3; it is an object of wf.optim, or the name of one, 'adam' [compile.optimizer]"),
    (("adam", "mse", ["acc"]), "compile: there is no metric 'acc'; weft calls this 'accuracy' [compile.metrics]"),
])
def test_compile_refuses_at_once(arguments, text):
    with pytest.raises(wf.Error) as error:
        wf.nn.Linear(None, 2).compile(*arguments)
    assert str(error.value).partition("\n")[0] == text
