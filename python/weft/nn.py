"""Neural-network functions."""

from . import _hints, _ops

_ops.fill("nn", globals())
_ops.add_shortcuts(globals(), ("layer_norm", "one_hot"))


def __getattr__(name):
    raise _hints.missing("weft.nn", name)
