"""Bayesian regression by Hamiltonian Monte Carlo: 128 chains draw the curves that fit some noisy points.

  .venv/bin/python examples/train/bayesian_hmc.py [--quick]

A full run draws 128 x 1000 samples in 2 s. Of a model that is linear in its weights, with normal noise, the answer is known
in closed form, which only the check uses: means come within 0.01 deviations of it, deviations within 1 %. bayesian_hmc.cc is
the twin in C++.

`potential` is all that is said of the model; `grad` drives the chains through it (Duane et al. 1987, Neal 2011). A step is
written for one chain and vmapped, the walk is a `scan`, and all of it is one traced function.
"""

import argparse
import sys

import weft as wf

TRUE, NOISE = [0.5, -1.0, 0.3, 1.2], 0.3  # weights of 1, x, x^2, x^3
POINTS, CHAINS, WEIGHTS, LEAPS, WARM_UP = 40, 128, 4, 12, 50
STEP = 0.04


def features(x):
    """1 and the powers of x, a row for each point."""
    square = x * x
    return wf.stack([wf.ones_like(x), x, square, square * x], axis=1)


def observed(key):
    """Places, and how high the curve is there, with noise."""
    x = wf.random.uniform(key.fold_in(0), (POINTS,), dtype=wf.float64, low=-1.0, high=1.0)
    noise = wf.random.normal(key.fold_in(1), (POINTS,), dtype=wf.float64)
    return x, features(x) @ wf.tensor(TRUE, dtype=wf.float64) + noise * NOISE


def potential(weights, x, y):
    """-log p(weights | x, y) up to a constant: normal noise, and a standard normal prior."""
    misfit = (features(x) @ weights - y) / NOISE
    return 0.5 * (wf.sum(misfit * misfit) + wf.sum(weights * weights))


def transition(weights, key, x, y):
    """The next sample of a chain, and whether it is a new one."""
    slope = wf.grad(lambda at: potential(at, x, y))
    # Paths of one length would bring some chains back to where they were.
    step = wf.random.uniform(key.fold_in(0), (), dtype=wf.float64, low=0.7, high=1.3) * STEP

    def leap(_, state):
        at, momentum = state
        at = at + step * momentum
        return at, momentum - step * slope(at)

    def energy(at, momentum):
        return potential(at, x, y) + 0.5 * wf.sum(momentum * momentum)

    kick = wf.random.normal(key.fold_in(1), (WEIGHTS,), dtype=wf.float64)
    end, momentum = wf.fori_loop(0, LEAPS, leap, (weights, kick - 0.5 * step * slope(weights)))
    momentum = momentum + 0.5 * step * slope(end)  # it was half a step ahead
    before = energy(weights, kick)
    gained = energy(end, momentum) - before
    is_new = wf.log(wf.random.uniform(key.fold_in(2), (), dtype=wf.float64)) < -gained
    return wf.where(is_new, end, weights), is_new


@wf.function
def walk(starts, key, steps, x, y):
    """Samples [steps, chains, weights] of chains that begin at `starts`, and which of them are new."""

    def advance(weights, i):
        keys = key.fold_in(i).split(CHAINS)
        after = wf.vmap(transition, in_axes=(0, 0, None, None))(weights, keys, x, y)
        return after[0], after

    return wf.scan(advance, starts, steps)[1]


def closed_form(x, y):
    """Means and deviations of the weights: the posterior is normal."""
    design = features(x) / NOISE
    covariance = wf.linalg.inv(design.T @ design + wf.eye(WEIGHTS, dtype=wf.float64))
    return covariance @ (design.T @ (y / NOISE)), wf.sqrt(wf.diagonal(covariance))


def main(quick):
    samples = 50 if quick else 1000
    key = wf.random.Key(1987)
    x, y = observed(key.fold_in(0))
    starts = wf.random.normal(key.fold_in(1), (CHAINS, WEIGHTS), dtype=wf.float64)
    drawn, is_new = walk(starts, key.fold_in(2), wf.arange(WARM_UP + samples), x, y)
    drawn = wf.reshape(drawn[WARM_UP:], (samples * CHAINS, WEIGHTS))

    mean, deviation = wf.mean(drawn, axis=0), wf.std(drawn, axis=0)
    exact_mean, exact_deviation = closed_form(x, y)
    print(f"{CHAINS} chains of {samples} samples, {wf.mean(is_new.astype(wf.float64)).item():.1%} of them new")
    print("  weight of   truth   by sampling        in closed form")
    table = zip(TRUE, mean.tolist(), deviation.tolist(), exact_mean.tolist(), exact_deviation.tolist())
    for i, (true, *by_sampling_and_exact) in enumerate(table):
        print("  x^{}        {:6.3f}   {:6.3f} +- {:.3f}    {:6.3f} +- {:.3f}".format(i, true, *by_sampling_and_exact))
    off = wf.max(wf.abs(mean - exact_mean) / exact_deviation).item()
    spread = wf.max(wf.abs(deviation / exact_deviation - 1.0)).item()
    print(f"means are off by {off:.6f} deviations, deviations by {spread:.6f} of themselves")
    bound = 0.06 if quick else 0.01
    if not max(off, spread) < bound:
        sys.exit(f"bayesian_hmc: {max(off, spread):.6f} is not below {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="50 samples of each chain, not 1000, and a bound of 0.06, not 0.01")
    main(parser.parse_args().quick)
