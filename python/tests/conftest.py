"""Settings of the tests of the Python package."""

import os
import signal

import pytest
from hypothesis import settings

os.environ.setdefault("WEFT_VERIFY", "1")  # graphs are verified after every pass
os.environ.setdefault("WEFT_CHECK_PLANS", "1")  # the memory of every plan is checked, and poisoned when it is dead

settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("quick")


@pytest.fixture
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, also where a shell's background job ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
