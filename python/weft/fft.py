"""Fourier transforms."""

from . import _hints, _ops

_ops.fill("fft", globals())


def __getattr__(name):
    raise _hints.missing("weft.fft", name)
