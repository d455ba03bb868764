"""Where is the comet? Newton's method solves Kepler's equation, and is differentiated through.

  .venv/bin/python examples/newton.py

E - e sin E = M gives the angle E of a body on its orbit from the mean anomaly M, a measure of time, and the eccentricity
e of the orbit. Newton's method takes as many steps as it needs: a `while_loop`, whose gradient runs it backwards. The
theorem of implicit functions knows the same slopes in closed form: dE/dM = 1 / (1 - e cos E), dE/de = sin E dE/dM.
"""

import sys

import weft as wf
from three_ways import print_graph, require

ORBITS = {"Earth": 0.0167, "Mars": 0.0934, "Pluto": 0.2488, "Halley": 0.9671}


def solve(mean, e):
    """The angle E, to the last digits of float64."""

    def goes_on(angle, step):
        return wf.max(wf.abs(step)) > 1e-12

    def newton(angle, step):
        error = angle - e * wf.sin(angle) - mean
        slope = 1.0 - e * wf.cos(angle)
        step = error / slope
        return angle - step, step

    return wf.while_loop(goes_on, newton, (mean + e, wf.ones_like(mean)))[0]


def solve_in_python(mean, e):
    """The same with Python's own `while`: a function that is traced makes a `while_loop` of it."""
    angle, step = mean + e, wf.ones_like(mean)
    while wf.max(wf.abs(step)) > 1e-12:
        error = angle - e * wf.sin(angle) - mean
        slope = 1.0 - e * wf.cos(angle)
        step = error / slope
        angle = angle - step
    return angle


def slopes(solver):
    """(E, dE/dM, dE/de) of every orbit: each angle depends on its own orbit only, so the sum has their slopes."""

    def solved(mean, e):
        angle, pull = wf.vjp(solver, mean, e)
        return angle, *pull(wf.ones_like(angle))

    return solved


def main():
    with wf.Graph() as graph:
        mean = wf.placeholder("f64[orbits]", name="mean")
        e = wf.placeholder("f64[orbits]", name="e")
        angle = solve(mean, e)
        by_mean, by_e = wf.gradients(angle, [mean, e])
    if "--graph" in sys.argv[1:]:
        print_graph(graph)

    es = wf.tensor(list(ORBITS.values()), dtype=wf.float64)
    means = wf.full_like(es, 1.0)
    traced = wf.function(slopes(solve_in_python))
    ways = {"eager": slopes(solve)(means, es),
            "session": wf.Session(graph).run((angle, by_mean, by_e), {mean: means, e: es}),
            "function": traced(means, es)}
    for name, values in ways.items():
        print(f"  {name:<10}{wf.fingerprint([wf.tensor(value) for value in values])}")
    require(len({wf.fingerprint([wf.tensor(value) for value in values]) for values in ways.values()}) == 1,
            "the three ways differ")

    angles, d_mean, d_e = ways["function"]
    theory_mean = 1.0 / (1.0 - es * wf.cos(angles))
    theory_e = wf.sin(angles) * theory_mean
    for name, *row in zip(ORBITS, angles.tolist(), d_mean.tolist(), d_e.tolist()):
        print(f"{name:<8} E {row[0]:.12f}   dE/dM {row[1]:.9f}   dE/de {row[2]:.9f}")
    error = max(wf.max(wf.abs(d_mean - theory_mean)).item(), wf.max(wf.abs(d_e - theory_e)).item())
    print(f"the implicit function theorem agrees to {error:.0e}")
    require(error < 1e-12, "the slopes are not those of the theorem")

    hundred = wf.linspace(0.1, 3.0, 100, dtype=wf.float64)
    traced(hundred, wf.full_like(hundred, 0.5))
    require(traced.trace_count == 1, "another number of orbits was traced again")


if __name__ == "__main__":
    main()
