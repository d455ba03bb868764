"""Compares random programs with control flow of graphs with PyTorch and JAX, which run Python's; run in .venv-peers.

    PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/staged_peers.py [--jax-every 1]
"""

import argparse

from autodiff_peers import TOLERANCE, compare, finish  # first: it sets how JAX runs
import numpy
from staged_backends import JaxHost, TorchHost, WeftStaged, Writing
from staged_programs import SIZES, inputs_at, make_staged_program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jax-every", type=int, default=50,
                        help="JAX runs each of so many programs, for the time that compiling takes; PyTorch runs them all")
    options = parser.parse_args()
    failed, worst, runs = 0, {}, {}
    for seed in range(options.first, options.first + options.count):
        program = make_staged_program(seed, [Writing("float64") for _ in SIZES], numpy)
        inputs, along = inputs_at(program, SIZES[0], numpy)
        failures = []
        for dtype in TOLERANCE:
            if dtype == "float32" and seed % 10 != 0:
                continue
            ours = WeftStaged(dtype).derivatives(program, inputs, along)
            for name, peer in {"PyTorch": TorchHost, "JAX": JaxHost}.items():
                if name == "JAX" and (seed % options.jax_every != 0 or dtype == "float32"):
                    continue
                runs[name, dtype] = runs.get((name, dtype), 0) + 1
                failures += compare(program, dtype, name, ours, peer(dtype).derivatives(program, inputs, along), worst)
        if failures:
            failed += 1
            print(program, *failures, sep="\n")
    finish(options.count, failed, worst, runs)


if __name__ == "__main__":
    main()
