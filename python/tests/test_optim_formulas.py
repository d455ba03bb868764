"""Lion and LAMB, which PyTorch does not have, for 50 steps beside the formulas of their papers, in NumPy's float64."""

import numpy as np
import pytest

import weft as wf

STEPS, SHAPES = 50, [(3, 4), (5,), (2, 3, 2), ()]


def _gradients(step):
    """Not smooth in the step, and of both signs."""
    return [np.asarray(np.sin(1.7 * step + 0.9 * np.arange(max(1, int(np.prod(shape))))).reshape(shape) * (1 + 0.1 * k))
            for k, shape in enumerate(SHAPES)]


def _start():
    return [np.asarray(np.cos(np.arange(max(1, int(np.prod(shape)))) + k).reshape(shape)) for k, shape in enumerate(SHAPES)]


def _lion(p, g, slots, t, lr, betas, weight_decay):
    """Chen et al. 2023, algorithm 2; decay is taken off as in AdamW."""
    m = slots.get("m", np.zeros_like(p))
    direction = np.sign(betas[0] * m + (1 - betas[0]) * g)
    slots["m"] = betas[1] * m + (1 - betas[1]) * g
    return p - lr * (direction + weight_decay * p)


def _lamb(p, g, slots, t, lr, betas, weight_decay, eps=1e-6):
    """You et al. 2020, algorithm 2, with the identity for phi."""
    slots["m"] = betas[0] * slots.get("m", 0.0) + (1 - betas[0]) * g
    slots["v"] = betas[1] * slots.get("v", 0.0) + (1 - betas[1]) * g * g
    m, v = slots["m"] / (1 - betas[0] ** t), slots["v"] / (1 - betas[1] ** t)
    direction = m / (np.sqrt(v) + eps) + weight_decay * p
    length, step = np.sqrt(np.sum(p * p)), np.sqrt(np.sum(direction * direction))
    return p - lr * (length / step if length > 0 and step > 0 else 1.0) * direction


CASES = [(kind, formula, {"lr": lr, "betas": betas, "weight_decay": decay})
         for kind, formula in ((wf.optim.Lion, _lion), (wf.optim.LAMB, _lamb))
         for lr, betas, decay in ((0.02, (0.9, 0.99), 0.0), (0.05, (0.5, 0.8), 0.1))]


@pytest.mark.parametrize("dtype, tolerance", (("float64", 1e-10), ("float32", 2e-4)))
@pytest.mark.parametrize("is_traced", (False, True))
@pytest.mark.parametrize("kind, formula, keywords", CASES)
def test_fifty_steps(kind, formula, keywords, is_traced, dtype, tolerance):
    wanted, slots = _start(), [{} for _ in SHAPES]
    parameters = [wf.Variable(wf.tensor(value.astype(dtype))) for value in wanted]
    optimizer = kind(parameters, **keywords)

    def step(*gradients):
        optimizer.apply_gradients(zip(gradients, parameters))

    run = wf.function(step) if is_traced else step
    for t in range(1, STEPS + 1):
        gradients = _gradients(t)
        wanted = [formula(p, g, held, t, **keywords) for p, g, held in zip(wanted, gradients, slots)]
        run(*[wf.tensor(g.astype(dtype)) for g in gradients])
        for have, want in zip(parameters, wanted):
            assert np.max(np.abs(have.numpy() - want) / (1 + np.abs(want))) <= tolerance, f"{kind.__name__}, step {t}"


def test_a_group_that_is_added_later_is_scheduled():
    optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=1.0)
    schedule = wf.optim.schedules.Exponential(optimizer, 0.5)
    schedule.step()
    optimizer.add_param_group({"params": [wf.Variable(1.0)], "lr": 8.0})
    schedule.step()
    assert schedule.rates == [0.25, 2.0]
    other = wf.optim.SGD([wf.Variable(1.0)], lr=3.0)
    other.add_param_group({"params": [wf.Variable(1.0)], "lr": 5.0})
    again = wf.optim.schedules.Exponential(other, 0.5)
    again.load_state_dict(schedule.state_dict())
    assert again.rates == [0.25, 2.0]
