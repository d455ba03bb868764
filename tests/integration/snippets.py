"""Runs the programs in the documentation: every ```python and ```cpp block of README.md, CONTRIBUTING.md and docs/.

The Python blocks of a page run one after the other as one program. A C++ block that has a main() is compiled on its own;
other C++ blocks are pieces and are left alone. A block after the comment <!-- not run: reason --> is left alone too.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from files import ROOT, project_files

BLOCK = re.compile(r"(<!-- not run: [^\n]+ -->\n+)?^```(python|cpp)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_python(page, program, build):
    package = os.path.join(build, "python")
    if not os.path.isdir(os.path.join(package, "weft")):
        return None
    python = ROOT / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "snippet.py"  # a file: traced functions read their source
        source.write_text(program)
        done = subprocess.run([python if python.exists() else sys.executable, source], cwd=ROOT,
                              env={**os.environ, "PYTHONPATH": package}, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"{page}: Python: {done.stderr}"


def run_cpp(page, program, build, compiler):
    library = os.path.join(build, "weft")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "snippet.cc"
        source.write_text(program)
        compiled = subprocess.run(
            [compiler, "-std=c++20", "-Wall", "-Wextra", "-I", ROOT, source, "-o", source.with_suffix(""),
             f"-L{library}", "-lweft", f"-Wl,-rpath,{library}"], capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            return f"{page}: C++: {compiled.stderr}"
        done = subprocess.run([source.with_suffix("")], capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else f"{page}: C++ ended with {done.returncode}: {done.stderr}"


def main(build, compiler):
    problems, count = [], 0
    pages = [name for name in project_files() if name.endswith(".md") and ("/" not in name or name.startswith("docs/"))]
    for page in pages:
        blocks = [(language, body) for skipped, language, body in BLOCK.findall((ROOT / page).read_text()) if not skipped]
        python = "\n".join(body for language, body in blocks if language == "python")
        programs = [body for language, body in blocks if language == "cpp" and "int main(" in body]
        count += bool(python) + len(programs)
        if python:
            problems.append(run_python(page, python, build))
        problems += [run_cpp(page, body, build, compiler) for body in programs]
    problems = [problem for problem in problems if problem]
    print(*problems, f"{count} programs in {len(pages)} pages, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
