"""Compares values, gradients and second derivatives of random programs with PyTorch and JAX; run in .venv-peers.

    PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/autodiff_peers.py [--jax-every 1]
"""

import argparse
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# JAX compiles every op for every shape and dtype, which is where the time goes; how fast it then runs does not matter.
os.environ.setdefault("JAX_DISABLE_JIT", "1")  # ops are shared between programs more often than functions made of them
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_multi_thread_eigen=false")

import numpy  # noqa: E402
from peer_backends import Jax, Torch, Weft  # noqa: E402
from random_programs import inputs_of, make_program  # noqa: E402

# How far two libraries may be apart, relative to the greatest element of what is compared (or 1): the rounding of a
# dozen ops and of their derivatives.
TOLERANCE = {"float32": {"value": 1e-5, "gradient": 5e-5, "second derivative": 2e-4},
             "float64": {"value": 1e-13, "gradient": 1e-12, "second derivative": 1e-11}}


def difference(got, expected):
    """The greatest error relative to the greatest element, or why there is none."""
    got, expected = numpy.asarray(got), numpy.asarray(expected)
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"is {got.dtype}{list(got.shape)} where {expected.dtype}{list(expected.shape)} is expected"
    if got.size == 0:
        return 0.0
    wide, reference = got.astype(numpy.float64), expected.astype(numpy.float64)
    error = numpy.max(numpy.abs(wide - reference) / max(1.0, numpy.max(numpy.abs(reference))))
    return float("inf") if numpy.isnan(error) else float(error)


def compare(program, dtype, peer, ours, theirs, worst):
    """Lines about what differs."""
    failures = []
    for what, values in ours.items():
        kind = "gradient" if what.startswith("slope") else what.split(" by ")[0]
        for i, (got, expected) in enumerate(zip(values, theirs[what.split(" by ")[0]])):
            got = got.numpy() if hasattr(got, "numpy") else got
            error = difference(got, expected)
            if isinstance(error, float):
                worst[dtype, kind] = max(worst.get((dtype, kind), 0.0), error)
                if error <= TOLERANCE[dtype][kind]:
                    continue
                error = f"is {numpy.asarray(got).tolist()}\n    where {peer} has {numpy.asarray(expected).tolist()} " \
                        f"(relative error {error:.3g})"
            failures.append(f"  {dtype}, {what} of v{i} {error}")
    return failures


def finish(count, failed, worst, runs):
    """Prints what was compared and how far it was off; ends the program."""
    for (dtype, kind), error in sorted(worst.items()):
        print(f"worst {dtype} {kind}: {error:.2g}")
    for (name, dtype), times in sorted(runs.items()):
        print(f"{times} programs compared with {name} in {dtype}")
    print(f"{count - failed} of {count} programs agree")
    sys.exit(1 if failed else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jax-every", type=int, default=4,
                        help="JAX runs each of so many programs (in float32 a quarter of these), for the time that "
                             "compiling takes; PyTorch runs them all in both dtypes")
    parser.add_argument("--show", action="store_true", help="print every program")
    options = parser.parse_args()
    builder = Weft("float64")
    backends = {dtype: (Weft(dtype), {"PyTorch": Torch(dtype), "JAX": Jax(dtype)}) for dtype in TOLERANCE}
    failed, worst, runs = 0, {}, {}
    for seed in range(options.first, options.first + options.count):
        program = make_program(seed, builder, numpy)
        if options.show:
            print(program)
        inputs, along = inputs_of(program, numpy)
        failures = []
        for dtype, (weft, peers) in backends.items():
            ours = weft.derivatives(program, inputs, along)
            for name, peer in peers.items():
                every = options.jax_every * (1 if dtype == "float64" else 4)
                if name == "JAX" and seed % every != 0:
                    continue
                runs[name, dtype] = runs.get((name, dtype), 0) + 1
                failures += compare(program, dtype, name, ours, peer.derivatives(program, inputs, along), worst)
        if failures:
            failed += 1
            print(program, *failures, sep="\n")
    finish(options.count, failed, worst, runs)


if __name__ == "__main__":
    main()
