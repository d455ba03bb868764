"""Layers load the state dicts of PyTorch's, and give the same results, gradients and running statistics."""

from peer_runs import run_in_peers


def test_layers_agree_with_pytorch():
    assert ", 0 differences" in run_in_peers("layers_peer.py", "torch")
