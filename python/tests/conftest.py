"""Settings of the tests of the Python package."""

import os

from hypothesis import settings

os.environ.setdefault("WEFT_VERIFY", "1")  # graphs are verified after every pass

settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("quick")
