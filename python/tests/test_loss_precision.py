"""Losses are computed and given in float32 whatever the precision of the model, in loops of one's own as in fit."""

import numpy as np
import pytest

import weft as wf
from weft import nn

X, Y = wf.random.normal(wf.random.Key(0), (6, 4)), wf.tensor([0, 1, 2, 2, 1, 0])
REAL = wf.random.uniform(wf.random.Key(1), (6, 3))

FUNCTIONS = {
    "cross_entropy": lambda out: nn.cross_entropy(out, Y),
    "cross_entropy of probabilities": lambda out: nn.cross_entropy(out, REAL),
    "nll_loss": lambda out: nn.nll_loss(nn.log_softmax(out), Y),
    "mse_loss": lambda out: nn.mse_loss(out, REAL.astype(out.dtype)),
    "l1_loss": lambda out: nn.l1_loss(out, REAL.astype(out.dtype)),
    "huber_loss": lambda out: nn.huber_loss(out, REAL.astype(out.dtype)),
    "smooth_l1_loss": lambda out: nn.smooth_l1_loss(out, REAL.astype(out.dtype)),
    "binary_cross_entropy": lambda out: nn.binary_cross_entropy(nn.sigmoid(out), REAL.astype(out.dtype)),
    "with logits": lambda out: nn.binary_cross_entropy_with_logits(out, REAL.astype(out.dtype)),
    "kl_div": lambda out: nn.kl_div(out, REAL.astype(out.dtype)),
    "hinge_loss": lambda out: nn.hinge_loss(out, REAL.astype(out.dtype)),
    "gaussian_nll_loss": lambda out: nn.gaussian_nll_loss(out, REAL.astype(out.dtype), wf.ones_like(out)),
    "triplet_margin_loss": lambda out: nn.triplet_margin_loss(out, out * 0.5, out - 1.0),
    "a module": lambda out: nn.CrossEntropyLoss()(out, Y),
    "a module for pairs": lambda out: nn.MSELoss()(out, REAL.astype(out.dtype)),
    "none": lambda out: nn.cross_entropy(out, Y, reduction="none"),
}


@pytest.mark.parametrize("dtype", [wf.bfloat16, wf.float16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_losses_of_a_loop_of_ones_own_are_float32(name, dtype):
    model = nn.Linear(4, 3).compute_in(dtype)
    loss = FUNCTIONS[name]
    out = model(X)
    assert out.dtype is dtype and loss(out).dtype is wf.float32
    assert np.allclose(loss(out).numpy(), loss(out.astype(wf.float32)).numpy(), rtol=2e-2, atol=2e-2)  # of targets that are not rounded
    traced = wf.function(lambda x: wf.sum(loss(model(x))))
    assert traced(X).dtype is wf.float32 and np.allclose(traced(X).item(), wf.sum(loss(model(X))).item(), rtol=1e-6)
    value, slope = wf.value_and_grad(lambda out: wf.sum(loss(out)))(out)
    assert value.dtype is wf.float32 and slope.dtype is dtype


def test_a_loop_in_bfloat16_learns_and_keeps_parameters_in_float32():
    wf.seed(0)
    model = nn.Linear(4, 3).compute_in(wf.bfloat16)
    optimizer = wf.optim.Adam(model.parameters(), lr=0.05)
    step = wf.function(lambda x, y: optimizer.minimize(lambda: nn.cross_entropy(model(x), y)))
    losses = [step(X, Y) for _ in range(40)]
    assert all(loss.dtype is wf.float32 for loss in losses) and losses[-1].item() < 0.7 * losses[0].item()
    assert all(p.dtype is wf.float32 for p in model.parameters())
