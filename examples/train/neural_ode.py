"""A neural ODE: a network learns the law of the pendulum from how some of them swing (Chen et al. 2018).

  .venv/bin/python examples/train/neural_ode.py [--quick]

A full run takes 3000 steps in 4 s. Pendulums that it has not seen are then foretold to 0.01 (the root of the mean square of
angle and speed, which reach 2), for three times as long as any was watched. neural_ode.cc is the twin in C++.

The network says how fast angle and speed change; our own solver, that of Runge and Kutta in a `scan`, makes a path of it. It
is written for one path and vmapped, and takes any function: the truth goes through it as well. The loss compares paths, so
its gradient goes through the solver.
"""

import argparse
import sys

import weft as wf
from weft import nn

SECONDS, WATCHED, FORETOLD = 0.2, 15, 45  # between two looks, and how many there are
PENDULUMS, LEARNING_RATE = 64, 0.02


def pendulum(state):
    """The truth: how angle and speed change under gravity and some friction."""
    angle, speed = state[0], state[1]
    return wf.stack([speed, -wf.sin(angle) - 0.1 * speed])


def solve(field, start, looks):
    """The states along a path, one for each look."""

    def advance(state, _):
        k1 = field(state)
        k2 = field(state + k1 * (SECONDS / 2))
        k3 = field(state + k2 * (SECONDS / 2))
        k4 = field(state + k3 * SECONDS)
        after = state + (k1 + 2.0 * (k2 + k3) + k4) * (SECONDS / 6)
        return after, after

    return wf.scan(advance, start, wf.arange(looks))[1]


def paths(field, starts, looks):
    return wf.vmap(lambda start: solve(field, start, looks))(starts)


def starts(key, count):
    """Angles and speeds with which pendulums are let go."""
    return wf.random.uniform(key, (count, 2), low=-1.5, high=1.5)


def train(model, begun, watched, steps):
    optimizer = wf.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    schedule = wf.optim.schedules.Cosine(optimizer, steps)

    @wf.function
    def step(begun, watched):
        loss = optimizer.minimize(lambda: nn.mse_loss(paths(model, begun, WATCHED), watched))
        schedule.step()
        return loss

    for i in range(1, steps + 1):
        loss = step(begun, watched)
        if i % (steps // 5) == 0:
            print(f"step {i:4}  loss {loss.item():.7f}")


def main(quick):
    key = wf.random.Key(2018)
    wf.seed(2018)
    model = nn.Sequential([nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2)])
    begun = starts(key.fold_in(0), PENDULUMS)
    train(model, begun, paths(pendulum, begun, WATCHED), steps=300 if quick else 3000)

    unseen = starts(key.fold_in(1), 100)
    truth, foretold = paths(pendulum, unseen, FORETOLD), paths(model, unseen, FORETOLD)
    print("angle after    in truth   foretold")
    for look in range(4, FORETOLD, 10):
        print(f"{(look + 1) * SECONDS:7.1f} s    {truth[0, look, 0].item():8.4f}   {foretold[0, look, 0].item():8.4f}")
    off = foretold - truth
    error = wf.sqrt(wf.mean(off * off)).item()
    print(f"{FORETOLD * SECONDS:.0f} s of 100 unseen pendulums are foretold to {error:.6f}")
    bound = 0.12 if quick else 0.015
    if not error < bound:
        sys.exit(f"neural_ode: {error:.6f} is not below {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="300 steps, not 3000, and a bound of 0.12, not 0.015")
    main(parser.parse_args().quick)
