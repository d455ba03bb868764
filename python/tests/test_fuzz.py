"""Random calls of the public API in worker processes: none ends or blocks its process, raises an internal error, or differs by mode."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from call_fuzz import examples, programs, targets

HERE = pathlib.Path(__file__).parent
COUNT = int(os.environ.get("WEFT_FUZZ_CALLS", 200_000))
SEED = "1"  # the same calls for every commit, so that a rare finding fails no change that has nothing to do with it; --long takes new seeds


def drive(*arguments, **environment):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *(p for p in sys.path if p)]), **environment}
    return subprocess.run([sys.executable, "-m", "call_fuzz.drive", *arguments], capture_output=True, text=True, env=env, cwd=HERE)


def test_calls_neither_crash_nor_hang_nor_differ():
    out = drive("--count", str(COUNT), "--seed", SEED)
    assert out.returncode == 0, out.stdout[-20000:] + out.stderr[-2000:]
    succeeded, known = map(int, re.search(r"(\d+) of (\d+) public callables succeeded", out.stdout).groups())
    assert succeeded >= 0.85 * known or COUNT < 200_000, out.stdout[-500:]


def test_every_public_callable_is_called_or_excluded_with_a_reason():
    assert set(targets.EXCLUDED) <= targets.everything() and all(targets.EXCLUDED.values())
    assert set(targets.walk()) == targets.everything() - set(targets.EXCLUDED)
    assert targets.modules_left_out() == []
    assert targets.classes_without_receiver() == []


def test_programs_follow_from_seed_and_number():
    texts = [programs.generate("seed", i).text for i in range(300)]
    assert texts == [programs.generate("seed", i).text for i in range(300)]
    assert len(set(texts)) > 290 and {programs.generate("seed", i).mode for i in range(300)} == set(programs.MODES)
    for text in texts:
        compile(text, "program", "exec")


def test_examples_succeed():
    out = subprocess.run([sys.executable, "-m", "call_fuzz.examples"], capture_output=True, text=True, cwd=HERE,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *(p for p in sys.path if p)])})
    assert out.returncode == 0, out.stdout[-3000:] + out.stderr[-2000:]


@pytest.mark.parametrize("planted, kind, shrink", [("__import__('ctypes').string_at(0) or «1»", "crash: SIGSEGV", 1),
                                                   ("sum(range(10**12)) or «1»", "hang: hang", 0),
                                                   ("exec('raise SystemError') or «1»", "internal: SystemError", 1)])
def test_planted_defects_are_found_and_the_run_goes_on(planted, kind, shrink):
    out = drive("--count", "2", "--seed", "1", "--jobs", "1", "--shrink", str(shrink), WEFT_FUZZ_PLANTED=planted, WEFT_FUZZ_PATIENCE="6")
    assert out.returncode == 1 and f"== {kind}" in out.stdout and "2 calls of seed 1" in out.stdout, out.stdout + out.stderr
    assert f"result = {planted.partition('«')[0]}" in out.stdout, out.stdout


def test_programs_stand_alone():
    """What is printed for a finding runs by itself."""
    from call_fuzz import shrink

    name, slots = next((n, s) for n, s in examples.everything() if n == "feeds")
    text = shrink.standalone(programs.Program(name, slots.template, tuple(slots.arguments), ("",) * len(slots.arguments)))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p and pathlib.Path(p) != HERE)}
    out = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=60)
    assert out.returncode == 0, out.stderr
