"""Builds and runs the project in consumer/ against the installed Weft, shared and static."""

import pathlib
import subprocess
import sys

from installed import build_project, run


def main(build, compiler):
    programs = build_project(pathlib.Path(__file__).parent / "consumer", build, compiler)
    for program in ("consumer", "consumer_static"):
        run(programs / program)
    needed = run("ldd", programs / "consumer_static", stdout=subprocess.PIPE, text=True).stdout
    if "libweft" in needed:
        sys.exit("consumer_static loads libweft.so")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
