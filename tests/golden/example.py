"""Runs an example in C++ and in Python: both print what is kept, and build the graph that is kept.

  example.py build/release/examples/mlp [the Python that has weft]

WEFT_WRITE_GOLDEN=1 writes what the C++ program prints, for the diff of a commit.
"""

import difflib
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLES = FOLDER.parent.parent / "examples"


def printed(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compare(path, text, command):
    """Ends the program with a diff unless the file holds the text."""
    kept = path.read_text() if path.exists() else ""
    if text != kept:
        lines = difflib.unified_diff(kept.splitlines(), text.splitlines(), str(path), " ".join(command), lineterm="")
        sys.exit("\n".join(lines))


def main(program, python=None):
    name = pathlib.Path(program).name
    commands = [[program]] + ([[python, str(EXAMPLES / f"{name}.py")]] if python else [])
    for options, path in (([], FOLDER / "accounts" / f"{name}.txt"), (["--graph"], FOLDER / "ir" / f"model_{name}.weft")):
        if "WEFT_WRITE_GOLDEN" in os.environ:
            path.write_text(printed([program] + options))
        for command in commands:
            compare(path, printed(command + options), command + options)


if __name__ == "__main__":
    main(*sys.argv[1:])
