"""Checks the repository's layout: READMEs, opening comments, short examples, no path of anyone's machine."""

import pathlib
import re
import sys

from files import ROOT, project_files, sources

MACHINE_PATH = re.compile(r"/(?:work|home|root|Users|mnt)/\w")
TEXT = (".cc", ".h", ".inc", ".c", ".py", ".pyi", ".sh", ".md", ".txt", ".cmake", ".json", ".toml", ".map", ".svg")


def folders_without_readme(files):
    folders = {parent for name in files for parent in pathlib.PurePath(name).parents}
    with_readme = {pathlib.PurePath(name).parent for name in files if name.endswith("README.md")}
    hidden = {folder for folder in folders if folder.parts and folder.parts[0].startswith(".")}
    return [f"{folder}/ has no README.md" for folder in sorted(folders - with_readme - hidden)]


def problems_of(name):
    path = ROOT / name
    if path.suffix not in TEXT or path.is_symlink():
        return
    lines = path.read_text().split("\n")
    if name.startswith("examples/train/") and path.suffix in (".cc", ".py") and len(lines) > 150:
        yield f"{name}: has {len(lines) - 1} lines; examples/README.md says that each is below 150"
    if path.suffix in (".cc", ".h") and not lines[0].startswith("// "):
        yield f"{name}:1: should open with a comment that says what the file is"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line) and name != "tests/integration/layout.py":
            yield f"{name}:{number}: names a path of some machine: {line.strip()}"


def main():
    files = project_files()
    problems = folders_without_readme(files)
    for name in files:
        problems += problems_of(name)
    print(*problems, f"{len(files)} files ({len(sources())} of them C++), {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
