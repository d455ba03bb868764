"""Shows that a module that forgot its field list does not compile, and that the message says what to write."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

from files import ROOT

PROGRAM = """
#include "weft/nn/linear.h"

struct Net : weft::nn::Module<Net> {{
  weft::nn::Linear first{{4, 2}};
  {fields}
  weft::Tensor forward(const weft::Tensor& x) const {{ return first(x); }}
}};

int main() {{ return static_cast<int>(Net().parameters().size()); }}
"""
LIST = 'static constexpr auto fields = weft::fields_of(weft::nn::field("first", &Net::first));'
NONE = "static constexpr auto fields = weft::nn::kNoFields;"
MESSAGE = "this module has members but no field list, so that none of its parameters would be found: give it"


def flags(build):
    with open(os.path.join(build, "compile_commands.json")) as file:
        for entry in json.load(file):
            if entry["file"].endswith("weft/nn/linear.cc"):
                return [flag for flag in shlex.split(entry["command"]) if flag.startswith(("-I", "-std="))]
    raise LookupError("weft/nn/linear.cc is not compiled")


def compiled(build, compiler, fields):
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "file.cc")
        with open(file, "w") as out:
            out.write(PROGRAM.format(fields=fields))
        command = [compiler, *flags(build), f"-I{ROOT}", "-O0", "-c", file, "-o", os.path.join(place, "file.o")]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=build)


def main(build, compiler):
    problems = []
    for fields in (LIST, NONE):
        done = compiled(build, compiler, fields)
        if done.returncode != 0:
            problems.append(f"a module with `{fields}` does not compile: {done.stderr}")
    done = compiled(build, compiler, "")
    if done.returncode == 0 or MESSAGE not in done.stderr:
        problems.append(f"a module without a field list: {done.stderr or 'it compiles'}")
    print(*problems, f"{len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
