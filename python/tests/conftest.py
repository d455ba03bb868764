"""Settings of the tests of the Python package."""

from hypothesis import settings

settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("quick")
