"""Every law that code of weft/op, weft/ops or weft/eager can raise stands in a test, by name: [op.law]."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# cx.require(ok, "law", ...) and fail(Code::kX, who, "law", ...)
REQUIRED = re.compile(r'\brequire(?:_index|_type)?\([^;"]*?"(\w+)"', re.S)
FAILED = re.compile(r'\bfail\(\s*Code::\w+,\s*(?:"[\w.]+"|[\w.:()>-]+),\s*"(\w+)"', re.S)
DECLARED = re.compile(r'\bLaw\{"(\w+)"')
# t.error("law", ...), and whole messages: "... [op.law]", or built of pieces: ".law]"
TESTED = re.compile(r'\bt\.error\(\s*"(\w+)"|\[[\w. ]+\.(\w+)\]|"\.(\w+)\]"', re.S)


def labels(pattern, files):
    found = set()
    for file in files:
        for match in pattern.finditer(file.read_text()):
            found.add(next(group for group in match.groups() if group))
    return found


def folder(path):
    files = sorted((ROOT / path).glob("*"))
    tests = [f for f in files if f.name.endswith(("_test.cc", "_samples.h"))]
    return [f for f in files if f.suffix == ".cc" and f not in tests], tests


def main():
    families = sorted(p.relative_to(ROOT) for p in (ROOT / "weft/ops").iterdir() if p.is_dir())
    suite = list((ROOT / "tests/op_suite").glob("*.cc"))
    every_test = suite + [t for family in families for t in folder(family)[1]]
    every_test += [t for path in ("weft/op", "weft/eager", "weft/transform", "weft/runtime") for t in folder(path)[1]]
    missing = []
    for path in [pathlib.Path("weft/op"), pathlib.Path("weft/eager"), *families]:
        sources, tests = folder(path)
        # An op's laws are tested beside it; those of the machinery by any op.
        tests = tests + suite if path in families else every_test
        tested = labels(TESTED, tests)
        for source in sources:
            raised = set().union(*(labels(p, [source]) for p in (REQUIRED, FAILED, DECLARED)))
            missing += [f"{source.relative_to(ROOT)}: no test of {path.name} raises [{law}]"
                        for law in sorted(raised - tested)]
    print("\n".join(missing) or "every law has a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
