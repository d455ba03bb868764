"""A thousand pendulums swing at once: an adaptive solver of differential equations, written for one and vmapped.

  .venv/bin/python examples/ode.py

x'' = -x - 2 c x' is a pendulum with friction c. The solver takes long steps where it may and short ones where it must
(Bogacki and Shampine 1989), in a `while_loop`; under `vmap` every pendulum has steps of its own, and one that has arrived
is left alone. Positions, and their slopes by where each pendulum began, are compared with the closed form.
"""

import sys

import weft as wf
from three_ways import print_graph, require

END, TOLERANCE = 6.0, 1e-8


def swing(state, friction):
    """The derivatives of position and speed."""
    position, speed = state
    return speed, -position - 2.0 * friction * speed


def moved(state, step, *slopes):
    """state + step * (weight * slope + ...), for pairs of a weight and a slope."""
    return tuple(x + step * sum(weight * slope[i] for weight, slope in slopes) for i, x in enumerate(state))


def solve(start, friction):
    """The position at END of a pendulum that is let go at `start`, and how many steps that took."""

    def goes_on(time, step, state, count):
        return time < END

    def advance(time, step, state, count):
        step = wf.minimum(step, END - time)
        k1 = swing(state, friction)
        k2 = swing(moved(state, step, (1 / 2, k1)), friction)
        k3 = swing(moved(state, step, (3 / 4, k2)), friction)
        better = moved(state, step, (2 / 9, k1), (1 / 3, k2), (4 / 9, k3))
        k4 = swing(better, friction)
        good = moved(state, step, (7 / 24, k1), (1 / 4, k2), (1 / 3, k3), (1 / 8, k4))
        error = wf.maximum(wf.abs(better[0] - good[0]), wf.abs(better[1] - good[1]))
        is_good = error <= TOLERANCE
        factor = wf.clip(0.9 * (TOLERANCE / error) ** (1 / 3), 0.2, 5.0)
        time = wf.where(is_good, time + step, time)
        state = tuple(wf.where(is_good, new, old) for new, old in zip(better, state))
        return time, step * wf.stop_gradient(factor), state, count + 1

    zero = wf.zeros_like(start)
    _, _, (position, _), count = wf.while_loop(goes_on, advance, (zero, zero + 0.01, (start, zero), wf.tensor(0)))
    return position, count


def closed_form(start, friction):
    """The position at END, and its slope by the start, which is linear."""
    frequency = wf.sqrt(1.0 - friction * friction)
    phase = frequency * END
    slope = wf.exp(-friction * END) * (wf.cos(phase) + friction / frequency * wf.sin(phase))
    return start * slope, slope


def main():
    with wf.Graph() as graph:
        start = wf.placeholder("f64[pendulums]", name="start")
        friction = wf.placeholder("f64[pendulums]", name="friction")
        position, count = wf.vmap(solve)(start, friction)
        slope, = wf.gradients(position, [start])
    if "--graph" in sys.argv[1:]:
        print_graph(graph)

    key = wf.random.Key(1989)
    starts = wf.random.uniform(key.fold_in(0), (1000,), dtype=wf.float64) * 2.0 + 0.5
    frictions = wf.random.uniform(key.fold_in(1), (1000,), dtype=wf.float64) * 0.9
    each = wf.vmap(wf.value_and_grad(solve, has_aux=True))
    traced = wf.function(each)
    ways = {"session": wf.Session(graph).run(((position, count), slope), {start: starts, friction: frictions}),
            "eager": each(starts, frictions), "function": traced(starts, frictions)}
    bits = {name: wf.fingerprint(((wf.tensor(p), wf.tensor(n)), wf.tensor(s))) for name, ((p, n), s) in ways.items()}
    for name, text in bits.items():
        print(f"  {name:<10}{text}")
    require(len(set(bits.values())) == 1, "the three ways differ")

    (positions, counts), slopes = ways["function"]
    exact, exact_slopes = closed_form(starts, frictions)
    print(f"{len(counts.tolist())} pendulums took {counts.min().item()} to {counts.max().item()} steps each")
    error, slope_error = wf.max(wf.abs(positions - exact)).item(), wf.max(wf.abs(slopes - exact_slopes)).item()
    print(f"positions are right to {error:.0e}, their slopes to {slope_error:.0e}")
    require(max(error, slope_error) < 1e-6, "the solver is off the closed form")


if __name__ == "__main__":
    main()
