"""Every optimizer for 50 steps, and every schedule for 40 moves, as in PyTorch."""

from peer_runs import run_in_peers


def test_optimizers_and_schedules_agree_with_pytorch():
    assert "24 optimizers and 19 schedules agree" in run_in_peers("optim_peers.py", "torch")
