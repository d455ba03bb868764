"""Runs an example of training, shortened, in C++ and in Python: both must reach what they state.

  run_quick.py build/release/examples/train/mlp [--python the Python that has weft] [--same]

--same: both must end with the same line.
"""

import argparse
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def last_line(command):
    """Of what it prints; ends the test if the command fails or prints nothing."""
    done = subprocess.run([*command, "--quick"], capture_output=True, text=True, errors="replace")
    print(f"{' '.join(command)}\n{done.stdout}{done.stderr}", flush=True)
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"{command[-1]} ended with {done.returncode}")
    return done.stdout.strip().splitlines()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--same", action="store_true")
    options = parser.parse_args()
    ends = [last_line([str(options.program)])]
    if options.python:
        ends.append(last_line([options.python, str(FOLDER / f"{options.program.name}.py")]))
    if options.same and len(set(ends)) > 1:
        sys.exit("C++ and Python end with other lines:\n" + "\n".join(ends))


if __name__ == "__main__":
    main()
