"""Every op that users call by name is declared in what weft/weft.h includes."""

import re
import sys

from files import ROOT, sources

# constinit const OpDef kLogAddExp{ .name = "logaddexp", and extern const CompositeDef kMean, kVar;
DEFINED = re.compile(r'const (?:OpDef|CompositeDef) (k\w+)\{\s*\.name = "([^"]+)"')
DECLARED = re.compile(r"extern const (?:OpDef|CompositeDef) ([^;]+);")
INCLUDED = re.compile(r'#include "(weft/[^"]+)"')


def reached(header, seen):
    """The headers that this one brings, itself among them."""
    if header not in seen:
        seen.add(header)
        for other in INCLUDED.findall((ROOT / header).read_text()):
            reached(other, seen)
    return seen


def main():
    names, headers = {}, {}
    for source in sources():
        if source.startswith("weft/ops/"):
            text = (ROOT / source).read_text()
            names.update(DEFINED.findall(text))
            headers.update((name, source) for line in DECLARED.findall(text) for name in re.findall(r"k\w+", line))
    public = reached("weft/weft.h", set())
    # An op with a point in its name is a part of another one.
    asked = [symbol for symbol, name in names.items() if "." not in name]
    problems = [f"{headers.get(symbol, 'no header')}: declares {symbol} ({names[symbol]}), but weft/weft.h does not bring it"
                for symbol in sorted(asked) if headers.get(symbol) not in public]
    if len(asked) < 300:
        problems.append(f"only {len(asked)} ops are found: this test no longer reads their definitions")
    print(*problems, f"{len(asked)} ops, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
