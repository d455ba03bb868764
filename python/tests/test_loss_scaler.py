"""LossScaler in loops of one's own: what fit does for float16, by hand, eager and traced."""

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


def network():
    wf.seed(3)
    return nn.Sequential([nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)])


def by_hand(traced, scale=2.0 ** 16, steps=4):
    model = network()
    model.compute_in(wf.float16)
    optimizer, scaler = wf.optim.Adam(model.parameters(), lr=0.01), wf.train.LossScaler(scale, growth_interval=3)

    loss = nn.CrossEntropyLoss().compute_in(wf.float16)

    def step(x, y):
        with wf.GradientTape() as tape:
            target = scaler.scale(loss(model(x), y))
        is_finite = scaler.step(optimizer, tape.gradient(target, model.parameters()))
        scaler.update()
        return is_finite

    step = wf.function(step) if traced else step
    good = [bool(step(wf.tensor(X[k:k + 16]), wf.tensor(Y[k:k + 16])).item()) for k in range(0, 16 * steps, 16)]
    return wf.fingerprint(model), good, scaler


@pytest.mark.parametrize("scale", [2.0 ** 10, 2.0 ** 40])  # the second is too large for the first steps
def test_steps_by_hand_are_traced_with_the_same_bits(scale):
    eager, good, scaler = by_hand(False, scale)
    assert by_hand(True, scale)[:2] == (eager, good)
    assert good == [scale < 2.0 ** 20] * 4
    assert scaler.value == (scale * 2 if scale < 2.0 ** 20 else scale / 16)


def test_steps_by_hand_are_those_of_fit():
    model = network()
    model.compile(wf.optim.Adam(model.parameters(), lr=0.01), "cross_entropy", precision="float16")
    model.fit(X, Y, batch_size=16, shuffle=False, verbose=0)
    assert by_hand(False)[0] == wf.fingerprint(model)


def test_gradients_that_backward_left():
    w = wf.Variable(3.0)
    optimizer, scaler = wf.optim.SGD([w], lr=0.25), wf.train.LossScaler(8.0, growth_interval=1)
    scaler.scale(w * w).backward()
    assert w.grad.item() == 48.0
    assert scaler.step(optimizer).item() and w.item() == 1.5 and scaler.value == 8.0
    scaler.update()
    assert scaler.value == 16.0
    optimizer.zero_grad()
    scaler.scale(w * float("inf")).backward()
    assert not scaler.step(optimizer).item() and w.item() == 1.5
    scaler.update()
    assert scaler.value == 8.0


def test_unscaled_gradients_and_states():
    scaler = wf.train.LossScaler(4.0)
    gradients, is_finite = scaler.unscale([wf.tensor([8.0]), wf.tensor([2.0])])
    assert [g.item() for g in gradients] == [2.0, 0.5] and is_finite.item()
    assert not scaler.unscale([wf.tensor([float("nan")])])[1].item()
    scaler.update(False)
    other = wf.train.LossScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.value == 2.0 and wf.fingerprint(other) == wf.fingerprint(scaler)


@pytest.mark.parametrize("act, text", [
    (lambda: wf.train.LossScaler(0.0), "LossScaler: scale is 0.0; it is finite, and greater than 0 [LossScaler.scale]"),
    (lambda: wf.train.LossScaler(growth_interval=0),
     "LossScaler: growth_interval is 0; it is a number of steps, 1 or more [LossScaler.growth_interval]"),
    (lambda: wf.train.LossScaler().update(),
     "LossScaler: update() comes after step(), or is told whether gradients were finite [LossScaler.update]"),
    (lambda: wf.train.LossScaler().step(wf.optim.SGD([wf.Variable(1.0)])),
     "LossScaler: a parameter has no gradient; call scaler.scale(loss).backward() first, or give the gradients [LossScaler.gradients]"),
    (lambda: wf.train.LossScaler().step(wf.optim.SGD([wf.Variable(1.0)]), []),
     "LossScaler: there are 0 gradients for 1 parameters; give one for each [LossScaler.gradients]")])
def test_what_is_wrong_is_said(act, text):
    with pytest.raises(wf.InvalidError) as error:
        act()
    assert str(error.value).partition("\n")[0] == text
