"""Shows that an include against the direction of the folders does not build, with the folders' own flags."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

from files import ROOT

# A folder, and a header that it must not see.
FORBIDDEN = [
    ("base", "weft/core/tensor.h"),
    ("core", "weft/op/op.h"),
    ("core", "weft/expr/expr.h"),
    ("expr", "weft/op/op.h"),
    ("op", "weft/ops/math/math.h"),
    ("op", "weft/kernels/map.h"),
    ("ops", "weft/kernels/map.h"),
    ("ops", "weft/codegen/generate.h"),
    ("kernels", "weft/op/op.h"),
]
# A folder, and a header that it does see: the check itself would notice if it found nothing.
ALLOWED = [("core", "weft/base/error.h"), ("ops", "weft/op/op.h"), ("kernels", "weft/core/tensor.h")]


def include_flags(build, folder):
    with open(os.path.join(build, "compile_commands.json")) as file:
        for entry in json.load(file):
            if os.path.relpath(entry["file"], ROOT).startswith(f"weft/{folder}/") \
                    and f"weft_{folder}.dir" in entry["command"]:
                return [flag for flag in shlex.split(entry["command"]) if flag.startswith("-I")]
    raise LookupError(f"no file of weft/{folder} is compiled")


def compile_include(build, folder, header):
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "file.cc")
        with open(file, "w") as out:
            out.write(f'#include "{header}"\n')
        command = ["g++", "-std=c++20", "-fsyntax-only", file, *include_flags(build, folder)]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def main(build):
    problems = []
    for folder, header in FORBIDDEN:
        done = compile_include(build, folder, header)
        if f"{header}: No such file or directory" not in done.stderr or not (ROOT / header).exists():
            problems.append(f"weft/{folder} can include {header}: {done.stderr or 'it compiles'}")
    for folder, header in ALLOWED:
        done = compile_include(build, folder, header)
        if done.returncode != 0:
            problems.append(f"weft/{folder} cannot include {header}: {done.stderr}")
    print(*problems, f"{len(FORBIDDEN)} includes refused, {len(ALLOWED)} allowed, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
