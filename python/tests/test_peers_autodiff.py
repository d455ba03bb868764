"""Random programs, 200 with Python's control flow and 500 with that of graphs, and complex functions: values and derivatives as in PyTorch and JAX."""

import os
import pathlib
import subprocess

import pytest

import weft as wf


def run_in_peers(script):
    """What a script of this folder prints, run where PyTorch and JAX are."""
    root = pathlib.Path(__file__).resolve().parents[2]
    peers = root / ".venv-peers" / "bin" / "python"
    if not peers.exists():
        pytest.skip("there is no .venv-peers (scripts/setup.sh --peers makes it)")
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(wf.__file__).parents[1])}
    if subprocess.run([peers, "-c", "import weft, torch, jax"], env=env, capture_output=True).returncode != 0:
        pytest.skip(".venv-peers cannot import weft, torch and jax: another Python version, or something is missing")
    # What JAX compiles is kept beside the build: only the first run takes long.
    cache = pathlib.Path(wf.__file__).parents[1] / "jax_cache"
    env |= {"JAX_COMPILATION_CACHE_DIR": str(cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    out = subprocess.run([peers, str(pathlib.Path(__file__).with_name(script))], env=env, capture_output=True, text=True,
                         timeout=900)
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout


def test_random_programs_agree_with_pytorch_and_jax():
    assert "200 of 200 programs agree" in run_in_peers("autodiff_peers.py")


def test_random_programs_with_loops_agree_with_pytorch_and_jax():
    assert "500 of 500 programs agree" in run_in_peers("staged_peers.py")


def test_complex_derivatives_agree_with_pytorch_and_jax():
    assert "10 complex functions agree" in run_in_peers("complex_peers.py")
