"""Frozen parameters stay as they are in steps and in fit, and learn again when they are thawed; precision and modes come back."""

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
MAKERS = [wf.optim.SGD, wf.optim.Adam, wf.optim.AdamW, wf.optim.NAdam, wf.optim.LAMB, wf.optim.Adafactor, wf.optim.Rprop]


def network():
    wf.seed(3)
    return nn.Sequential([nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)])


def prints(model):
    return [wf.fingerprint(module.state_dict()) for module in (model[0], model[2])]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_step_leaves_frozen_parameters_and_their_state(make):
    model = network()
    optimizer = make(model.parameters(), lr=0.1)
    nn.cross_entropy(model(X), Y).backward()
    optimizer.step()
    model[0].freeze()
    before, state = prints(model), optimizer.state_dict()
    optimizer.zero_grad()
    nn.cross_entropy(model(X), Y).backward()
    optimizer.step()
    after = prints(model)
    assert after[0] == before[0] and after[1] != before[1] and optimizer.steps == 2
    for name, value in optimizer.state_dict().items():
        if name.startswith(("state.0.", "state.1.")):
            assert wf.fingerprint(value) == wf.fingerprint(state[name])
    model.unfreeze()
    optimizer.minimize(lambda: nn.cross_entropy(model(X), Y))
    assert prints(model)[0] != before[0]


def test_a_step_of_some_is_the_step_of_an_optimizer_of_those():
    model, other = network(), network()
    model[0].freeze()
    for optimizer, net in ((wf.optim.Adam(model.parameters(), lr=0.1), model), (wf.optim.Adam(other[2].parameters(), lr=0.1), other)):
        for _ in range(3):
            optimizer.minimize(lambda net=net: nn.cross_entropy(net(X), Y))
    assert prints(model) == prints(other)


def test_one_that_learns_but_is_not_used_still_raises():
    used, unused = wf.Variable([1.0]), wf.Variable([1.0], name="unused")
    optimizer = wf.optim.SGD([used, unused])
    (used * used).sum().backward()
    with pytest.raises(wf.InvalidError, match=r"parameters\[1\] \('unused'\) has no gradient; call backward\(\)"):
        optimizer.step()
    unused.trainable = False
    optimizer.step()
    assert unused.item() == 1.0 and used.item() != 1.0


def test_a_group_that_is_frozen_counts_no_steps():
    a, b = wf.Variable([1.0]), wf.Variable([1.0])
    optimizer = wf.optim.Adam([{"params": [a]}, {"params": [b]}], lr=0.1)
    a.trainable = False
    for _ in range(2):
        optimizer.minimize(lambda: (a * b).sum())
    state = optimizer.state_dict()
    assert state["groups.0.steps"].item() == 0 and state["groups.1.steps"].item() == 2 and optimizer.steps == 2


def test_lbfgs_forgets_the_curve_of_other_parameters():
    a, b = wf.Variable([3.0, -2.0]), wf.Variable([5.0, 1.0])
    optimizer = wf.optim.LBFGS([a, b], lr=0.5, max_iter=2)
    loss = lambda: ((a - 1.0) ** 2).sum() + ((b + 1.0) ** 2).sum()  # noqa: E731
    optimizer.step(loss)
    a.trainable = False
    before = a.numpy().tolist()
    for _ in range(20):
        optimizer.step(loss)
    assert a.numpy().tolist() == before and np.allclose(b.numpy(), -1.0, atol=1e-3)


def test_minimize_in_a_function_sees_what_is_frozen():
    a, b = wf.Variable([3.0]), wf.Variable([5.0])
    optimizer = wf.optim.SGD([a, b], lr=0.1)
    step = wf.function(lambda: optimizer.minimize(lambda: (a * a + b * b).sum()))
    step()
    a.trainable, kept = False, a.item()
    step()
    assert a.item() == kept and b.item() == pytest.approx(5.0 * 0.64)
    a.trainable = True
    step()
    assert a.item() == pytest.approx(kept * 0.8)


def test_gradients_that_are_given_in_a_function_see_what_is_frozen():
    a, b = wf.Variable([3.0]), wf.Variable([5.0])
    optimizer = wf.optim.SGD([a, b], lr=0.1)

    @wf.function
    def step():
        with wf.GradientTape() as tape:
            loss = (a * a + b * b).sum()
        optimizer.apply_gradients(zip(tape.gradient(loss, [a, b], unconnected="zero"), [a, b]))

    step()
    a.trainable, kept = False, a.item()
    step()
    assert a.item() == kept and b.item() == pytest.approx(5.0 * 0.64)


@pytest.mark.parametrize("eager", (False, True))
@pytest.mark.parametrize("optimizer", ("adam", "object"))
@pytest.mark.parametrize("accumulate", (1, 2))
def test_fit_sees_what_is_frozen(eager, optimizer, accumulate):
    model = network()
    how = wf.optim.SGD(model.parameters(), lr=0.1) if optimizer == "object" else optimizer
    model.compile(how, "cross_entropy", run_eagerly=eager, accumulate=accumulate)
    model.fit(X, Y, batch_size=16, verbose=0)
    before = prints(model)
    model[0].freeze()
    model.fit(X, Y, batch_size=16, verbose=0)
    frozen = prints(model)
    assert frozen[0] == before[0] and frozen[1] != before[1]
    model.unfreeze()
    model.fit(X, Y, batch_size=16, verbose=0)
    assert prints(model)[0] != before[0]


def test_what_is_frozen_before_compile_stays():
    model = network()
    model[0].freeze()
    before = prints(model)
    model.compile("adam", "cross_entropy", accumulate=2)
    model.fit(X, Y, verbose=0)
    after = prints(model)
    assert after[0] == before[0] and after[1] != before[1]


@pytest.mark.parametrize("precision", (None, "bfloat16", "float16"))
@pytest.mark.parametrize("eager", (False, True))
def test_gradients_are_accumulated_in_any_precision(precision, eager):
    model = network()
    model.compile(wf.optim.SGD(model.parameters(), lr=0.1), "cross_entropy", precision=precision, accumulate=4, run_eagerly=eager)
    model.fit(X, Y, batch_size=8, epochs=1, verbose=0)
    assert model._compiled.optimizer.steps == 2


def test_precision_is_that_of_the_last_compile():
    model = network()
    model.compile("adam", "cross_entropy", precision="bfloat16")
    assert model(wf.tensor(X)).dtype is wf.bfloat16
    model.compile("adam", "cross_entropy")
    assert model(wf.tensor(X)).dtype is wf.float32 and model[0].compute_dtype is None
    model.compute_in(wf.bfloat16)  # what was set by hand stays
    model.compile("adam", "cross_entropy")
    assert model[0].compute_dtype is wf.bfloat16
    model.compile("adam", "cross_entropy", precision="float16")
    model.compile("adam", "cross_entropy")
    assert model[0].compute_dtype is wf.bfloat16


@pytest.mark.parametrize("given, hint", [
    ("mixed_float16", "weft calls this 'float16'"), ("bf16", "weft calls this 'bfloat16'"),
    ("tf32", "it is one of bfloat16, float16, float32, float64"), (16, "it is one of bfloat16, float16, float32, float64")])
def test_unknown_precisions_are_refused(given, hint):
    with pytest.raises(wf.InvalidError) as error:
        network().compile("adam", "cross_entropy", precision=given)
    assert str(error.value) == f"compile: precision is {given!r}; {hint} [compile.precision]"


def test_each_module_is_in_its_mode_again():
    model = nn.Sequential([nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2)])
    model.compile("adam", "cross_entropy")
    model[1].eval()
    for act in (lambda: model.predict(X), lambda: model.evaluate(X, Y), lambda: model.train_on_batch(X, Y),
                lambda: model.fit(X, Y, validation_data=(X, Y), verbose=0)):
        act()
        assert model.training and model[0].training and not model[1].training
