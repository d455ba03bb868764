"""Installs Weft into a fresh folder, then builds and runs the consumer project against it, shared and static."""

import os
import pathlib
import shutil
import subprocess
import sys


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, **options)


def main(build, compiler):
    here = pathlib.Path(__file__).resolve().parent
    work = pathlib.Path(build) / "tests" / "consumer_work"
    shutil.rmtree(work, ignore_errors=True)
    prefix = work / "prefix"
    run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
    run("cmake", "-G", "Ninja", "-S", here / "consumer", "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", stdout=subprocess.DEVNULL)
    run("cmake", "--build", work / "build")
    # The installed package must not lean on the build: the library is found by the path CMake wrote.
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    for program in ("consumer", "consumer_static"):
        run(work / "build" / program, env=environment)
    needed = run("ldd", work / "build" / "consumer_static", capture_output=True, text=True).stdout
    if "libweft" in needed:
        sys.exit("consumer_static loads libweft.so")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
