"""The type stubs under mypy --strict: a typed program passes, and every wrong call of another is flagged."""

import os
import pathlib
import subprocess
import sys

import pytest

import weft as wf

FOLDER = pathlib.Path(__file__).with_name("typed")


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """{file: {line: message}} of one run over both programs and the stubs."""
    pytest.importorskip("mypy")
    env = {**os.environ, "MYPYPATH": str(pathlib.Path(wf.__file__).parents[1])}
    run = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path_factory.mktemp("mypy")),
           str(FOLDER / "good.py"), str(FOLDER / "bad.py")]
    out = subprocess.run(run, capture_output=True, text=True, env=env, timeout=300)
    assert out.stdout.rstrip().endswith("(checked 2 source files)"), out.stdout + out.stderr
    found = {}
    for line in out.stdout.splitlines():
        if ": error:" in line:
            file, number, message = line.split(":", 2)
            found.setdefault(pathlib.Path(file).name, {})[int(number)] = message
    return found


def test_a_typed_program_and_the_stubs_pass(findings):
    assert set(findings) == {"bad.py"}, findings


def test_wrong_calls_are_flagged(findings):
    lines = (FOLDER / "bad.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "  # " in line}
    assert set(findings["bad.py"]) == wrong and len(wrong) >= 8, findings


def test_the_typed_program_runs(tmp_path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    out = subprocess.run([sys.executable, str(FOLDER / "good.py")], cwd=tmp_path, capture_output=True, text=True, env=env, timeout=60)
    assert out.returncode == 0 and "sum sum.axis" in out.stdout, out.stderr
