"""100,000 random bad calls in a process of their own: none ends it, every error names its op and an argument."""

import os
import pathlib
import subprocess
import sys


def test_bad_calls():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    script = pathlib.Path(__file__).with_name("fuzz_calls.py")
    out = subprocess.run([sys.executable, str(script), "100000", "1"], capture_output=True, text=True, timeout=300, env=env)
    assert out.returncode == 0 and out.stdout.strip().endswith("100000 errors"), out.stdout + out.stderr[-2000:]
