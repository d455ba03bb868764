"""Every optimizer for 50 steps, and every schedule for 40 moves, as in PyTorch."""

import os
import pathlib
import subprocess

import pytest

import weft as wf


def test_optimizers_and_schedules_agree_with_pytorch():
    here = pathlib.Path(__file__).resolve()
    peers = here.parents[2] / ".venv-peers" / "bin" / "python"
    if not peers.exists():
        pytest.skip("there is no .venv-peers (scripts/setup.sh --peers makes it)")
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(wf.__file__).parents[1])}
    if subprocess.run([peers, "-c", "import weft, torch"], env=env, capture_output=True).returncode != 0:
        pytest.skip(".venv-peers cannot import weft and torch: another Python version, or something is missing")
    out = subprocess.run([peers, str(here.with_name("optim_peers.py"))], env=env, capture_output=True, text=True, timeout=600)
    assert out.returncode == 0, out.stdout + out.stderr
    assert "23 optimizers and 14 schedules agree" in out.stdout
