"""Every entry of the tables in peers/ agrees with PyTorch and JAX, and no op is without one."""

from peer_runs import run_in_peers


def test_the_table_of_peers_agrees():
    assert ", 0 differences" in run_in_peers("peers/run.py", "torch", "jax")
