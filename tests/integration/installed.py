"""Installs Weft into a fresh folder of the build; helps tests build projects against it.

  installed.py BUILD
"""

import os
import pathlib
import shutil
import subprocess
import sys

# The installed package must not lean on what finds the build.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, **{"env": ENVIRONMENT, **options})


def prefix_of(build):
    return pathlib.Path(build).resolve() / "tests" / "installed"


def build_project(source, build, compiler):
    """Configures and builds the project at `source` from nothing; returns its build folder."""
    folder = pathlib.Path(build).resolve() / "tests" / f"{source.name}_build"
    shutil.rmtree(folder, ignore_errors=True)
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix_of(build)}",
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", stdout=subprocess.DEVNULL)
    run("cmake", "--build", folder)
    return folder


def main(build):
    shutil.rmtree(prefix_of(build), ignore_errors=True)
    run("cmake", "--install", build, "--prefix", prefix_of(build), stdout=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
