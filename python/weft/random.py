"""Random numbers: counter-based, so that a draw depends on the key and the position alone."""

from . import _ops

_ops.fill("random", globals())
