"""Checks that libweft.so exports Weft's own names only, and loads neither LLVM nor Python."""

import re
import subprocess
import sys

KIND = re.compile(r"(?:typeinfo|typeinfo name|vtable|VTT|guard variable|TLS (?:init|wrapper) function) for ")


def scope_of(name):
    """The qualified name that a demangled symbol is about: without kind, template arguments, parameters, result."""
    name = KIND.sub("", name).replace("(anonymous namespace)", "anonymous").replace("operator()", "operator_call")
    name = re.sub(r"operator[<>-]+=?>?", "operator_x", name)
    while (bare := re.sub(r"<[^<>]*>|\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]", "", name)) != name:
        name = bare
    return next((word for word in name.split() if word.startswith(("weft::", "weft_"))), name)


def output(*command, given=None):
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def main(library):
    mangled = [line.split()[2] for line in output("nm", "-D", "--defined-only", library).splitlines()]
    names = output("c++filt", given="\n".join(mangled)).splitlines()
    problems = []
    for name in names:
        if not scope_of(name).startswith(("weft::", "weft_")):
            problems.append(f"exports {name}")
    if not any(name.startswith("weft::add(") for name in names):
        problems.append("does not export weft::add")
    for line in output("readelf", "-d", library).splitlines():
        if "NEEDED" in line and re.search(r"LLVM|python|gtest|benchmark", line):
            problems.append(f"loads {line.split('[')[1].rstrip(']')}")
    print(*problems, f"{len(names)} exported symbols, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
