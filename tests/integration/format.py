"""Checks that every C++ file is as clang-format would write it."""

import subprocess
import sys

from files import ROOT, sources


def main():
    done = subprocess.run(["clang-format-19", "--dry-run", "--Werror", "--ferror-limit=1", *sources()],
                          cwd=ROOT, check=False)
    if done.returncode != 0:
        print("clang-format-19 -i FILE puts it right")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
