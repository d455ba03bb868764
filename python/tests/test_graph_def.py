"""GraphDefs that real TensorFlow imports and runs to our numbers."""

import os
import pathlib
import subprocess

import pytest

import weft as wf


def test_tensorflow_runs_our_graphs():
    if not hasattr(wf, "Graph") or not hasattr(wf.Graph, "as_graph_def"):
        pytest.skip("there is no wf.Graph.as_graph_def yet")
    peers = pathlib.Path(__file__).resolve().parents[2] / ".venv-peers" / "bin" / "python"
    if not peers.exists():
        pytest.skip("there is no .venv-peers (scripts/setup.sh --peers makes it)")
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(wf.__file__).parents[1])}
    if subprocess.run([peers, "-c", "import weft, tensorflow"], env=env, capture_output=True).returncode != 0:
        pytest.skip(".venv-peers cannot import weft and tensorflow")
    script = pathlib.Path(__file__).with_name("graph_def_peer.py")
    out = subprocess.run([peers, str(script)], env=env, capture_output=True, text=True, timeout=600)
    assert out.returncode == 0, out.stdout + out.stderr
    assert "4 graphs agree" in out.stdout
