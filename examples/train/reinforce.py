"""REINFORCE on a cart-pole of our own: a network learns to balance a pole by pushing its cart left and right (Williams 1992).

  .venv/bin/python examples/train/reinforce.py [--quick]

A full run plays 100 rounds of 64 games in 3 s. In fresh games the pole then stands for all of 500 steps; at first it stood for
20. reinforce.cc is the twin in C++.

The physics (Barto, Sutton and Anderson 1983) and a game, which is a `scan` of pushes, are written for one cart; `vmap` plays
many at once. Games, gradient and update are one traced function.
"""

import argparse
import sys

import weft as wf
from weft import nn

LENGTH, GAMES, FRESH = 500, 64, 200  # steps of a game; games in a round, and for the test
DISCOUNT, LEARNING_RATE = 0.99, 0.01


def pushed(state, is_right):
    """0.02 s later: the place and the speed of the cart, the angle of the pole and its speed."""
    place, speed, angle, turn = wf.unstack(state)
    force = wf.where(is_right, 10.0, -10.0)
    sine, cosine = wf.sin(angle), wf.cos(angle)
    pull = (force + 0.05 * turn * turn * sine) / 1.1  # of 1 kg and 0.1 kg; the pole is 1 m long
    bend = (9.8 * sine - cosine * pull) / (2 / 3 - cosine * cosine * (0.05 / 1.1))
    drive = pull - bend * cosine * (0.05 / 1.1)
    return state + 0.02 * wf.stack([speed, drive, turn, bend])


def stands(state):
    """Is the pole within 12 degrees, and the cart on its track?"""
    return wf.logical_and(wf.abs(state[2]) < 0.2095, wf.abs(state[0]) < 2.4)


def game(policy, start, chances):
    """The states, what was done, and 1 for each step until the pole fell. A step goes right if its chance is below the policy's."""

    def step(carry, chance):
        state, is_up = carry
        is_right = chance < wf.sigmoid(policy(state)[0])
        after = pushed(state, is_right)
        return (after, wf.logical_and(is_up, stands(after))), (state, is_right, is_up)

    states, is_right, is_up = wf.scan(step, (start, wf.tensor(True)), chances)[1]
    return states, is_right.astype(wf.float32), is_up.astype(wf.float32)


def games(policy, key, count):
    def one(key):
        start = wf.random.uniform(key.fold_in(0), (4,), low=-0.05, high=0.05)
        return game(policy, start, wf.random.uniform(key.fold_in(1), (LENGTH,)))

    return wf.vmap(one)(key.split(count))


def gains(is_up):
    """How much longer the pole stood after each step than after the same step of other games; what is far counts less."""
    ahead = wf.linear_recurrence(wf.full_like(is_up, DISCOUNT), wf.flip(is_up, axis=1), axis=1)
    worth = wf.flip(ahead, axis=1)
    usual = wf.sum(worth, axis=0) / wf.maximum(wf.sum(is_up, axis=0), 1.0)
    return is_up * (worth - usual) / wf.std(worth)


def surprise(policy, states, is_right, gain):
    """The loss: the better a step was, and the less likely, the more is learnt."""
    logits = policy(states)[..., 0]
    return wf.sum(gain * nn.binary_cross_entropy_with_logits(logits, is_right, reduction="none")) / states.shape[0]


def train(policy, key, rounds):
    optimizer = wf.optim.Adam(policy.parameters(), lr=LEARNING_RATE)

    @wf.function
    def step(key):
        states, is_right, is_up = wf.stop_gradient(games(policy, key, GAMES))
        gain = gains(is_up)
        optimizer.minimize(lambda: surprise(policy, states, is_right, gain))
        return wf.sum(is_up) / GAMES

    for i in range(1, rounds + 1):
        steps = step(key.fold_in(i))
        if i == 1 or i % (rounds // 5) == 0:
            print(f"round {i:3}  the pole stands for {steps.item():.1f} steps")


def main(quick):
    key = wf.random.Key(1983)
    wf.seed(1983)
    policy = nn.Sequential([nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1)])
    train(policy, key, rounds=25 if quick else 100)

    steps = (wf.sum(games(policy, key, FRESH)[2]) / FRESH).item()
    print(f"in {FRESH} fresh games the pole stands for {steps:.3f} of {LENGTH} steps")
    bound = 60 if quick else 475
    if not steps > bound:
        sys.exit(f"reinforce: {steps:.3f} is not above {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="25 rounds, not 100, and a bound of 60 steps, not 475")
    main(parser.parse_args().quick)
