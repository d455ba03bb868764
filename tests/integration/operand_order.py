"""No expression of the library applies ops in two of its operands: C++ leaves open which one goes first.

The first to be applied stands first in graphs, and gradients are summed in reverse order of use, so compilers would
give other graphs and other last bits. clang's AST knows what is called, also where a formula that is generic over
{Expr, Tensor} meets Tensors. Lists in braces have an order; `a(x).f(b(x))` has one, too.
"""

import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

from files import ROOT, project_files

# Where ops are applied. Below these folders there are none.
FOLDERS = ("weft/op/", "weft/ops/", "weft/state/", "weft/transform/", "weft/trace/", "weft/control/", "weft/nn/", "weft/optim/",
           "weft/compile/", "weft/runtime/", "weft/io/", "weft/train/")
# What most of these files include, parsed once.
COMMON = '#include "weft/op/apply.h"\n#include "weft/ops/math/operators.h"\n'
MOST_ARGUMENTS = 8
FILES_AT_ONCE = 8

# A call that gives Tensors by value counts as an op, unless it only makes a number or takes a tree of tensors apart:
# those of Tensor itself, which is older than ops, and some by name. What kernels do with their operands is written
# into no graph.
QUERY = """
set output diag
set bind-root false
let tensor hasName("::weft::Tensor")
let ofTensor hasDeclaration(cxxRecordDecl(tensor))
let tensors classTemplateSpecializationDecl(unless(hasName("::std::span")), hasAnyTemplateArgument(refersToType(ofTensor)))
let parts has(fieldDecl(hasType(cxxRecordDecl(anyOf(tensor, tensors)))))
let holder hasDeclaration(cxxRecordDecl(anyOf(tensor, tensors, parts)))
let reference functionDecl(returns(hasCanonicalType(referenceType())))
let number functionDecl(hasAnyName("::weft::scalar_like", "::weft::strong_scalar"))
let tree functionDecl(hasAnyName("flattened", "rebuilt", "only_or_all"))
let plain functionDecl(anyOf(reference, number, tree, cxxMethodDecl(ofClass(hasName("::weft::Tensor")))))
let later lambdaExpr(hasAncestor(expr(equalsBoundNode("whole"))))
let op callExpr(hasType(hasUnqualifiedDesugaredType(recordType(holder))), unless(callee(plain)), unless(hasAncestor(later)))
let some expr(anyOf(op, hasDescendant(op)))
let two anyOf(%s)
let native callee(cxxMethodDecl(ofClass(hasName("::weft::Native"))))
m callExpr(unless(isExpansionInSystemHeader()), unless(native), expr().bind("whole"), two)
m cxxConstructExpr(unless(isExpansionInSystemHeader()), unless(isListInitialization()), expr().bind("whole"), two)
""" % ", ".join(f"allOf(hasArgument({left}, some), hasArgument({right}, some))"
                for left in range(MOST_ARGUMENTS) for right in range(left + 1, MOST_ARGUMENTS))

QUERIES = QUERY.count("\nm ")
FOUND = re.compile(r'^(\S+):(\d+):\d+: note: "whole" binds here\n[ \d]+\|(.*)$', re.MULTILINE)


class Checker:
    """Asks clang about files; what it said about a text is kept in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.query = self.written("query", QUERY)
        self.flags = ["-std=c++20", f"-I{ROOT}"]
        common = self.written("common.h", COMMON)
        subprocess.run(["clang++-19", *self.flags, "-x", "c++-header", common, "-o", common + ".pch"], check=True)
        self.flags += ["-include-pch", common + ".pch"]

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def kept(self, name):
        digest = hashlib.sha256(QUERY.encode() + (ROOT / name).read_bytes()).hexdigest()
        return os.path.join(self.folder, digest)

    def ask(self, names):
        """Complaints about some files and the headers they include; {} if there are none."""
        command = ["clang-query-19", "-f", self.query, *names, "--", *self.flags]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        answers = len(re.findall(r"^\d+ match(?:es)?\.$", done.stdout, re.MULTILINE))
        if done.returncode != 0 or answers != QUERIES or "error: " in done.stderr:
            return {f"clang-query failed on {' '.join(names)}": done.stdout[-2000:] + done.stderr[-2000:]}
        found = {f"{os.path.relpath(os.path.join(ROOT, path), ROOT)}:{line}": code.strip()
                 for path, line, code in FOUND.findall(done.stdout)}
        if not found:
            for name in names:
                self.written(os.path.basename(self.kept(name)), "{}")
        return found


def main(build, *chosen):
    checker = Checker(os.path.join(build, "operand_order"))
    names = chosen or [name for name in project_files()
                       if name.startswith(FOLDERS) and name.endswith(".cc") and not name.endswith("_test.cc")]
    asked = [name for name in names if not os.path.exists(checker.kept(name))]
    groups = [asked[i:i + FILES_AT_ONCE] for i in range(0, len(asked), FILES_AT_ONCE)]
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for some in pool.map(checker.ask, groups):
            found.update(some)
    for place in sorted(found):
        print(f"{place}: two operands apply ops, and C++ does not say which is first; give one a name: {found[place]}")
    print(f"{len(names)} files, {len(asked)} of them new, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
