"""Runs a script of this folder where the peers are: in .venv-peers, with the Weft that is tested."""

import os
import pathlib
import subprocess

import pytest

import weft as wf


def run_in_peers(script, *needs, seconds=900):
    """What the script prints; the test is skipped where the venv, or one of the packages that it needs, is missing."""
    folder = pathlib.Path(__file__).resolve().parent
    python = folder.parents[1] / ".venv-peers" / "bin" / "python"
    if not python.exists():
        pytest.skip("there is no .venv-peers (scripts/setup.sh --peers makes it)")
    built = pathlib.Path(wf.__file__).parents[1]
    # What JAX compiles is kept beside the build: only the first run takes long.
    env = {**os.environ, "PYTHONPATH": str(built), "JAX_COMPILATION_CACHE_DIR": str(built / "jax_cache"),
           "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    if subprocess.run([python, "-c", f"import {', '.join(['weft', *needs])}"], env=env, capture_output=True).returncode != 0:
        pytest.skip(f".venv-peers cannot import weft, {', '.join(needs)}: another Python version, or something is missing")
    out = subprocess.run([python, str(folder / script)], env=env, capture_output=True, text=True, timeout=seconds)
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout
