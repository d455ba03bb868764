"""Dropout: some elements, or whole channels, are 0 in training. Draws come from the default generator."""

from ... import _core, _hints, _ops, random
from ..module import Module


class _Dropout(Module):
    def __init__(self, p=0.5):
        who = type(self).__name__
        if not 0 <= _hints.as_number(p, who, "p") <= 1:
            raise _core.InvalidError(f"{who}: p is {p}; a probability is between 0 and 1 [{who}.probability]")
        self.p = p

    def forward(self, x):
        return self.function(random.next_key(), x, self.p) if self.training and self.p > 0 else x

    def extra_repr(self):
        return f"p={self.p}"


class Dropout(_Dropout):
    """Each element is 0 with probability `p` in training, the others are scaled by 1 / (1 - p)."""

    function = staticmethod(_ops.op("nn", "dropout"))


class Dropout1d(_Dropout):
    """Drops whole channels of [batch, channels, length]."""

    function = staticmethod(_ops.op("nn", "dropout1d"))


class Dropout2d(_Dropout):
    """Drops whole channels of [batch, channels, height, width]."""

    function = staticmethod(_ops.op("nn", "dropout2d"))


class Dropout3d(_Dropout):
    """Drops whole channels of [batch, channels, depth, height, width]."""

    function = staticmethod(_ops.op("nn", "dropout3d"))


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of what SELU gives."""

    function = staticmethod(_ops.op("nn", "alpha_dropout"))
