"""Runs clang-tidy, with the project's .clang-tidy, on one file of every kind; their headers are looked at too."""

import concurrent.futures
import json
import os
import subprocess
import sys

from files import ROOT

# clang-tidy takes seconds a file, so one file stands for its kind.
FILES = [
    "weft/base/error.cc",
    "weft/base/thread_pool.cc",
    "weft/core/allocator.cc",
    "weft/core/tensor.cc",
    "weft/expr/interpret.cc",
    "weft/op/apply.cc",
    "weft/op/attrs.cc",
    "weft/ops/math/logaddexp.cc",
    "weft/ops/reduce/sum.cc",
    "weft/ops/shape/slice.cc",
    "weft/kernels/map.cc",
]


def tidy(name, flags):
    command = ["clang-tidy-19", "--quiet", "--warnings-as-errors=*", name, "--", "-std=c++20", *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def main(build):
    with open(os.path.join(build, "compile_commands.json")) as file:
        known = {os.path.relpath(entry["file"], ROOT) for entry in json.load(file)}
    gone = [name for name in FILES if name not in known]
    failed = [f"{name} is not compiled any more: name another" for name in gone]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for code, output in pool.map(lambda name: tidy(name, ["-I."]), set(FILES) - set(gone)):
            if code != 0:
                failed.append(output)
    print(*failed, f"{len(FILES)} files, {len(failed)} with complaints", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
