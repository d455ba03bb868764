"""Random programs, 200 with Python's control flow and 500 with that of graphs, and complex functions: values and derivatives as in PyTorch and JAX."""

from peer_runs import run_in_peers


def test_random_programs_agree_with_pytorch_and_jax():
    assert "200 of 200 programs agree" in run_in_peers("autodiff_peers.py", "torch", "jax")


def test_random_programs_with_loops_agree_with_pytorch_and_jax():
    assert "500 of 500 programs agree" in run_in_peers("staged_peers.py", "torch", "jax")


def test_complex_derivatives_agree_with_pytorch_and_jax():
    assert "10 complex functions agree" in run_in_peers("complex_peers.py", "torch", "jax")
