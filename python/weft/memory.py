"""The memory of tensors: bytes in use, the most there were, what is kept for reuse."""

from . import _core


def live():
    """Bytes of tensors in use."""
    return _core._memory_stats()[0]


def peak():
    """The most bytes in use since the start or reset_peak()."""
    return _core._memory_stats()[1]


def cached():
    """Bytes held from the system but not in use."""
    return _core._memory_stats()[2]


def reset_peak():
    """Lets peak() start again from live()."""
    _core._reset_peak_memory()


def trim():
    """Gives free memory back to the system; returns how many bytes."""
    return _core._trim_memory()


def limit():
    """The most bytes that may be in use."""
    return _core._memory_limit()


def set_limit(bytes):
    """Sets the most bytes that may be in use; an allocation beyond it raises."""
    _core._set_memory_limit(bytes)
