"""Layers that only rearrange or compare."""

from ... import _hints, _ops
from ..module import Module

reshape = _ops.op("", "reshape")


class Flatten(Module):
    """Joins the axes from `start_axis` to `end_axis` into one: all but the batch, unless told.

    >>> wf.nn.Flatten()(wf.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_axis=1, end_axis=-1):
        _hints.need_integer(start_axis, "Flatten", "start_axis")
        _hints.need_integer(end_axis, "Flatten", "end_axis")
        self.start_axis, self.end_axis = start_axis, end_axis

    def forward(self, x):
        rank = len(x.shape)
        first, last = self.start_axis % rank, self.end_axis % rank
        return reshape(x, (*x.shape[:first], -1, *x.shape[last + 1:]))

    def extra_repr(self):
        return "" if (self.start_axis, self.end_axis) == (1, -1) else f"{self.start_axis}, {self.end_axis}"


class Unflatten(Module):
    """Divides an axis into axes of the sizes `sizes`."""

    def __init__(self, axis, sizes):
        _hints.need_integer(axis, "Unflatten", "axis")
        self.axis, self.sizes = axis, tuple(_hints.as_list(sizes, "Unflatten", "sizes"))

    def forward(self, x):
        axis = self.axis % len(x.shape)
        return reshape(x, (*x.shape[:axis], *self.sizes, *x.shape[axis + 1:]))

    def extra_repr(self):
        return f"{self.axis}, {self.sizes}"


class Upsample(Module):
    """Makes space larger by interpolation: to `size`, or by `scale_factor`."""

    function = staticmethod(_ops.op("nn", "interpolate"))

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=False, *, data_format=""):
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.data_format = align_corners, data_format

    def forward(self, x):
        return self.function(x, self.size, self.scale_factor, self.mode, self.align_corners, self.data_format)

    def extra_repr(self):
        return f"size={self.size}" if self.size is not None else f"scale_factor={self.scale_factor}"


class _ByFactor(Module):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return self.function(x, self.factor)

    def extra_repr(self):
        return f"{self.factor}"


class PixelShuffle(_ByFactor):
    """Moves channels into space: [.., channels * factor^2, h, w] becomes [.., channels, h * factor, w * factor]."""

    function = staticmethod(_ops.op("nn", "pixel_shuffle"))


class PixelUnshuffle(_ByFactor):
    """Moves space into channels: the opposite of PixelShuffle."""

    function = staticmethod(_ops.op("nn", "pixel_unshuffle"))


class Unfold(Module):
    """The windows of an image as columns."""

    function = staticmethod(_ops.op("nn", "unfold"))

    def __init__(self, kernel_size, dilation=(1, 1), padding=(0, 0), stride=(1, 1)):
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, x):
        return self.function(x, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"{self.kernel_size}"


class Fold(Module):
    """The sum of columns at the places of their windows: the transpose of Unfold."""

    function = staticmethod(_ops.op("nn", "fold"))

    def __init__(self, output_size, kernel_size, dilation=(1, 1), padding=(0, 0), stride=(1, 1)):
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, x):
        return self.function(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"{self.output_size}, {self.kernel_size}"


class CosineSimilarity(Module):
    """The cosine of the angle between two vectors along an axis."""

    function = staticmethod(_ops.op("nn", "cosine_similarity"))

    def __init__(self, axis=1, eps=1e-8):
        self.axis, self.eps = axis, eps

    def forward(self, a, b):
        return self.function(a, b, self.axis, self.eps)

    def extra_repr(self):
        return f"axis={self.axis}"
