"""Every entry of the tables in peers/ agrees with PyTorch and JAX, and no op is without one."""

import os
import pathlib
import subprocess

import pytest

import weft as wf


def test_the_table_of_peers_agrees():
    root = pathlib.Path(__file__).resolve().parents[2]
    peers = root / ".venv-peers" / "bin" / "python"
    if not peers.exists():
        pytest.skip("there is no .venv-peers (scripts/setup.sh --peers makes it)")
    built = pathlib.Path(wf.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(built)}
    if subprocess.run([peers, "-c", "import weft, torch, jax"], env=env,
        capture_output=True).returncode != 0:
        pytest.skip(".venv-peers cannot import weft, torch and jax: another Python, or none there")
    # What JAX compiles is kept beside the build: only the first run takes long.
    env |= {"JAX_COMPILATION_CACHE_DIR": str(built / "jax_cache"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    script = pathlib.Path(__file__).with_name("peers") / "run.py"
    out = subprocess.run([peers, str(script)], env=env, capture_output=True, text=True, timeout=900)
    assert out.returncode == 0, out.stdout + out.stderr
    assert ", 0 differences" in out.stdout
