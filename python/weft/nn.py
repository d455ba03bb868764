"""Neural-network functions."""

from . import _ops

_ops.fill("nn", globals())
_ops.add_shortcuts(globals(), ("layer_norm", "one_hot"))
