"""Pools: the greatest or the mean of each window."""

from ... import _ops
from ..module import Module


class _MaxPool(Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, data_format=""):
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.ceil_mode, self.data_format = ceil_mode, data_format

    def forward(self, x):
        return self.function(x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                             data_format=self.data_format)

    def extra_repr(self):
        return f"{self.kernel_size}" + (f", stride={self.stride}" if self.stride is not None else "")


class _AvgPool(Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *,
                 data_format=""):
        self.kernel_size, self.stride, self.padding, self.ceil_mode = kernel_size, stride, padding, ceil_mode
        self.count_include_pad, self.divisor_override, self.data_format = count_include_pad, divisor_override, data_format

    def forward(self, x):
        return self.function(x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                             self.divisor_override, data_format=self.data_format)

    extra_repr = _MaxPool.extra_repr


class _AdaptivePool(Module):
    def __init__(self, output_size, *, data_format=""):
        self.output_size, self.data_format = output_size, data_format

    def forward(self, x):
        return self.function(x, self.output_size, data_format=self.data_format)

    def extra_repr(self):
        return f"{self.output_size}"


class _AdaptiveMaxPool(_AdaptivePool):
    def forward(self, x):
        return self.function(x, self.output_size, data_format=self.data_format)[0]


def _pools(base, op, doc):
    """The classes for one, two and three axes of space."""
    name = "".join(word.capitalize() for word in op.split("_"))
    return [type(f"{name}{n}d", (base,), {"function": staticmethod(_ops.op("nn", f"{op}{n}d")), "__module__": __name__,
                                          "__doc__": f"{doc} Over {n} {'axis' if n == 1 else 'axes'} of space; its arguments are those of nn.{op}{n}d."})
            for n in (1, 2, 3)]


MaxPool1d, MaxPool2d, MaxPool3d = _pools(_MaxPool, "max_pool", "The greatest element of each window.")
AvgPool1d, AvgPool2d, AvgPool3d = _pools(_AvgPool, "avg_pool", "The mean of each window.")
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = _pools(
    _AdaptivePool, "adaptive_avg_pool", "The means of windows that give a result of a certain size.")
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = _pools(
    _AdaptiveMaxPool, "adaptive_max_pool", "The greatest elements of windows that give a result of a certain size.")
