"""The zoo's models take ten steps eagerly, as a function and by fit, on one thread and on two: the bytes of parameters, buffers
and optimizer are equal, and the losses are PyTorch's, which zoo_losses.json keeps (zoo_peers.py computes them)."""

import json
import pathlib

import numpy as np
import pytest

import weft as wf
import zoo
import zoo_examples
from peer_runs import run_in_peers
from zoo import WeftSystem

LOSSES = json.loads(pathlib.Path(__file__).with_name("zoo_losses.json").read_text())
# PyTorch's losses are in float64; ten steps in float32 stay this close to them.
TOLERANCE = 2e-4


@pytest.fixture(params=[1, 2], ids=["1 thread", "2 threads"])
def threads(request):
    before = wf.num_threads()
    wf.set_num_threads(request.param)
    yield request.param
    wf.set_num_threads(before)


def begun(model):
    values = zoo.starting_values({name: tuple(p.shape) for name, p in model.named_parameters()})
    for name, parameter in model.named_parameters():
        parameter.assign(wf.tensor(values[name]))
    return model


def bytes_of(tree):
    """Of everything in it, by name."""
    if isinstance(tree, dict):
        return {name: bytes_of(part) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [bytes_of(part) for part in tree]
    return wf.tensor(tree).numpy().tobytes() if not isinstance(tree, (str, type(None))) else tree


def state_of(*parts):
    """Of models and optimizers."""
    return [bytes_of(part.state_dict()) for part in parts]


def by_steps(name, wrap):
    """Trained step by step: the losses, and the state."""
    new, batches, loss, optimizer, keywords = zoo.MODELS[name]
    model, loss = begun(new(WeftSystem)), getattr(WeftSystem, loss)
    optimizer = getattr(wf.optim, optimizer)(model.parameters(), **keywords)
    step = wrap(lambda x, y: optimizer.minimize(lambda: loss(model(x), y)))
    losses = [step(wf.tensor(x), wf.tensor(y)).item() for x, y in batches()]
    return losses, state_of(model, optimizer)


def by_backward(name):
    new, batches, loss, optimizer, keywords = zoo.MODELS[name]
    model, loss, losses = begun(new(WeftSystem)), getattr(WeftSystem, loss), []
    optimizer = getattr(wf.optim, optimizer)(model.parameters(), **keywords)
    for x, y in batches():
        optimizer.zero_grad()
        value = loss(model(wf.tensor(x)), wf.tensor(y))
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return losses, state_of(model, optimizer)


def by_fit(name):
    new, batches, loss, optimizer, keywords = zoo.MODELS[name]
    model, loss = begun(new(WeftSystem)), getattr(WeftSystem, loss)
    optimizer = getattr(wf.optim, optimizer)(model.parameters(), **keywords)
    model.compile(optimizer, lambda output, target: loss(output, target))
    history = model.fit([(wf.tensor(x), wf.tensor(y)) for x, y in batches()], epochs=1, verbose=0)
    return history["loss"], state_of(model, optimizer)


def differing(a, b, path=""):
    """The names under which two states differ."""
    if isinstance(a, dict):
        return [name for key in a for name in differing(a[key], b[key], f"{path}.{key}")]
    if isinstance(a, list):
        return [name for i, (x, y) in enumerate(zip(a, b)) for name in differing(x, y, f"{path}[{i}]")]
    return [] if a == b else [path]


@pytest.mark.parametrize("name", zoo.MODELS)
def test_ten_steps(name, threads):
    losses, state = by_backward(name)
    np.testing.assert_allclose(losses, LOSSES[name], rtol=TOLERANCE, atol=TOLERANCE)
    for way, other in {"minimize": by_steps(name, lambda f: f), "function": by_steps(name, wf.function)}.items():
        assert other[0] == losses, way
        assert differing(other[1], state) == [], way
    mean, fitted = by_fit(name)
    np.testing.assert_allclose(mean, [np.mean(losses)], rtol=1e-6)
    assert differing(fitted, state) == []


def gan(wrap):
    forge, judged = begun(zoo.forger(WeftSystem)), begun(zoo.judge(WeftSystem))
    forging, judging = (wf.optim.Adam(model.parameters(), **zoo.GAN_ADAM) for model in (forge, judged))

    def step(genuine, z):
        of_judge, of_forger = zoo.gan_losses(WeftSystem, forge, judged, genuine, z)
        return judging.minimize(of_judge), forging.minimize(of_forger)

    step = wrap(step)
    losses = [loss.item() for genuine, z in zoo.gan_batches() for loss in step(wf.tensor(genuine), wf.tensor(z))]
    return losses, state_of(forge, judged, forging, judging)


def gan_by_fit():
    """`fit` has one optimizer, the forger's; the judge, no part of the model, takes its step in the forward pass."""
    forge, judged = begun(zoo.forger(WeftSystem)), begun(zoo.judge(WeftSystem))
    forging, judging = (wf.optim.Adam(model.parameters(), **zoo.GAN_ADAM) for model in (forge, judged))

    class Game(wf.nn.Module):
        def __init__(self):
            self.forge = forge

        def forward(self, genuine, z):
            of_judge, of_forger = zoo.gan_losses(WeftSystem, self.forge, judged, genuine, z)
            judging.minimize(of_judge)
            return of_forger()

    game = Game()
    game.compile(forging, WeftSystem.output)
    history = game.fit([((wf.tensor(genuine), wf.tensor(z)), wf.zeros(16)) for genuine, z in zoo.gan_batches()], epochs=1, verbose=0)
    return history["loss"], state_of(forge, judged, forging, judging)


def test_ten_rounds_of_a_gan(threads):
    losses, state = gan(lambda f: f)
    np.testing.assert_allclose(losses, LOSSES["gan"], rtol=TOLERANCE, atol=TOLERANCE)
    traced = gan(wf.function)
    assert traced[0] == losses
    assert differing(traced[1], state) == []
    mean, fitted = gan_by_fit()
    np.testing.assert_allclose(mean, [np.mean(losses[1::2])], rtol=1e-6)
    assert differing(fitted, state) == []


# Models that draw numbers, from a key or from the default generator: PyTorch draws others.

class DrawingVAE(wf.nn.Module):
    """The loss of the VAE on a batch, by draws of the batch's number, which each of its rows has."""

    def __init__(self):
        self.inner = zoo_examples.program("train/vae").VAE(16)

    def forward(self, x, number):
        return self.inner(x, wf.random.Key(22).fold_in(number[0]))


def vae():
    model = begun(DrawingVAE())
    batches = [((wf.sigmoid(wf.tensor(x)), wf.full(16, k)), wf.zeros(16)) for k, (x, _) in enumerate(zoo.points(16, 1, 16))]
    return model, wf.optim.Adam(model.parameters(), lr=2e-3), WeftSystem.output, batches


def with_dropout():
    model = begun(zoo_examples.program("train/cnn").network(8))
    batches = [((wf.tensor(x),), wf.tensor(y)) for x, y in zoo.images(1, 8, 8, classes=10)]
    return model, wf.optim.Adam(model.parameters(), lr=5e-3), wf.nn.cross_entropy, batches


def drawn_steps(new, wrap):
    model, optimizer, loss, batches = new()
    step = wrap(lambda x, y: optimizer.minimize(lambda: loss(model(*x), y)))
    wf.seed(22)
    losses = [step(x, y).item() for x, y in batches]
    return losses, state_of(model, optimizer)


def drawn_by_fit(new):
    model, optimizer, loss, batches = new()
    model.compile(optimizer, lambda output, target: loss(output, target))
    wf.seed(22)
    return model.fit(batches, epochs=1, verbose=0)["loss"], state_of(model, optimizer)


@pytest.mark.parametrize("new", [vae, with_dropout])
def test_ten_steps_with_draws(new, threads):
    losses, state = drawn_steps(new, lambda f: f)
    traced = drawn_steps(new, wf.function)
    assert traced[0] == losses
    assert differing(traced[1], state) == []
    mean, fitted = drawn_by_fit(new)
    np.testing.assert_allclose(mean, [np.mean(losses)], rtol=1e-6)
    assert differing(fitted, state) == []


def test_ten_steps_of_chains(threads):
    """bayesian_hmc draws samples: it minimizes nothing, so `fit` does not apply, and its draws are not PyTorch's. Its chains go
    through the same samples eagerly, as a function of a step and as a scan of steps."""
    module = zoo_examples.program("train/bayesian_hmc")
    x, y = module.observed(wf.random.Key(5))
    starts, key = wf.zeros((module.CHAINS, module.WEIGHTS), dtype=wf.float64), wf.random.Key(6)

    def advance(weights, i):
        keys = key.fold_in(i).split(module.CHAINS)
        return wf.vmap(module.transition, in_axes=(0, 0, None, None))(weights, keys, x, y)

    def samples(step):
        weights, out = starts, []
        for i in range(zoo.STEPS):
            weights, is_new = step(weights, wf.tensor(i))
            out.append((weights.tolist(), is_new.tolist()))
        return out

    eager = samples(advance)
    assert samples(wf.function(advance)) == eager
    drawn, is_new = module.walk(starts, key, wf.arange(zoo.STEPS), x, y)
    assert list(zip(drawn.tolist(), is_new.tolist())) == eager
    assert sum(map(sum, is_new.tolist())) > 0.9 * zoo.STEPS * module.CHAINS


def test_the_losses_are_those_of_pytorch():
    assert f"{len(LOSSES)} models have the losses of the file" in run_in_peers("zoo_peers.py", "torch")
