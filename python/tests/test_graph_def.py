"""GraphDefs that real TensorFlow imports and runs to our numbers."""

from peer_runs import run_in_peers


def test_tensorflow_runs_our_graphs():
    assert "4 graphs agree" in run_in_peers("graph_def_peer.py", "tensorflow", seconds=600)
