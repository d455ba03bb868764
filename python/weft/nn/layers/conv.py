"""Convolutions, and what undoes their shapes."""

from ... import _core, _hints, _ops
from ..._hints import brief as _brief
from .. import init
from ..module import Layer

_pad = _ops.op("", "pad")
_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # as PyTorch and as pad call them


class _Conv(Layer):
    """What all convolutions share. Weight and bias begin as in PyTorch, uniform in 1 / sqrt(fan_in) around 0, where fan_in is
    the number of inputs of one output; `weight_init="glorot_uniform", bias_init="zeros"` is Keras's choice. `padding_mode` is
    "zeros", or how the elements go on: "reflect", "replicate" or "circular"."""

    axes = 0  # of space
    is_transposed = False
    padding_mode = "zeros"

    def __init__(self, in_channels=None, out_channels=None, kernel_size=None, stride=1, padding=0, dilation=1, groups=1,
                 bias=True, padding_mode="zeros", *, data_format="", dtype=None, weight_init=None, bias_init=None, key=None):
        who = type(self).__name__
        if out_channels is None or kernel_size is None:
            word = "out_channels" if out_channels is None else "kernel_size"
            raise _core.WrongTypeError(f"{who}: {word} is missing; {who}(None, channels, size) takes the channels of the input "
                                       f"from the first call [{who}.count]")
        self.in_channels, self.out_channels = in_channels, out_channels
        is_number = isinstance(kernel_size, int)
        self.kernel_size = (kernel_size,) * self.axes if is_number else tuple(_hints.as_list(kernel_size, who, "kernel_size"))
        for name, value in (("out_channels", out_channels), ("groups", groups), *(("kernel_size", size) for size in self.kernel_size)):
            _hints.need_integer(value, who, name)
        if groups < 1:
            raise _core.InvalidError(f"{who}: groups is {groups}; it is 1 or more [{who}.groups]")
        if in_channels is not None:
            _hints.need_integer(in_channels, who, "in_channels")
        if len(self.kernel_size) != self.axes:
            raise _core.InvalidError(f"{who}: kernel_size is {kernel_size}, but there are {self.axes} axes of space "
                                     f"[{who}.kernel_size]")
        for count in (in_channels, out_channels):
            if count is not None and count % groups:
                raise _core.InvalidError(f"{who}: {count} channels do not divide into {groups} groups [{who}.groups]")
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.data_format = data_format
        _hints.need_choice(padding_mode, who, "padding_mode", "zeros", *_MODES)
        self.padding_mode = padding_mode
        if padding_mode != "zeros":
            self._widths()  # what it does not know raises here
        self._has_bias, self._init = _hints.as_flag(bias, who, "bias"), (weight_init, bias_init)
        self.weight = self.bias = None
        self._begin(in_channels, key, dtype)

    def _parameters(self, size):
        self.in_channels = size
        rows, columns = (size, self.out_channels) if self.is_transposed else (self.out_channels, size)
        shape = (rows, columns // self.groups, *self.kernel_size)
        fan_in = shape[1]
        for extent in self.kernel_size:
            fan_in *= extent
        usual, who = init.fan_in_uniform(fan_in), type(self).__name__
        weight_init, bias_init = (init.chosen(one, usual, who) for one in self._init)
        return {"weight": (shape, weight_init), "bias": ((self.out_channels,) if self._has_bias else None, bias_init)}

    def _size_of(self, state):
        if "weight" not in state:
            return None
        shape = state["weight"].shape
        return shape[0] if self.is_transposed else shape[1] * self.groups

    def _channels(self, x):
        """The size of the axis of channels."""
        return x.shape[-1 if self._is_last() else -self.axes - 1]

    def _is_last(self):
        return self.data_format in ("channels_last", "NHWC", "NWC", "NDHWC")

    def _widths(self):
        """How many elements are put before and behind each axis of space."""
        given, who = self.padding, type(self).__name__
        if isinstance(given, str) and given.lower() == "valid":
            return [(0, 0)] * self.axes
        if isinstance(given, str) and given.lower() == "same" and self.stride in (1, (1,) * self.axes, [1] * self.axes):
            steps = (self.dilation,) * self.axes if isinstance(self.dilation, int) else self.dilation
            spans = [step * (extent - 1) for step, extent in zip(steps, self.kernel_size)]
            return [(span // 2, span - span // 2) for span in spans]  # an odd one at the end
        widths = [given] * self.axes if isinstance(given, int) else given
        if isinstance(widths, str) or len(widths) != self.axes:
            raise _core.InvalidError(f"{who}: padding is {_brief(given)}; with padding_mode={self.padding_mode!r} it is a number, one for each "
                                     f"axis of space, 'valid', or 'same' with a stride of 1 [{who}.padding]")
        return [(width, width) for width in widths]

    def _padded(self, x):
        """The input with its elements continued on the axes of space."""
        channels = [(0, 0)] if self._is_last() else []
        outer = [(0, 0)] * (len(x.shape) - self.axes - len(channels))
        before, after = zip(*outer, *self._widths(), *channels)
        return _pad(x, before=before, after=after, mode=_MODES[self.padding_mode])

    def _words(self):
        """(name, value, usual value) of what the function is told."""
        return [("stride", self.stride, 1), ("padding", self.padding, 0), ("dilation", self.dilation, 1),
                ("groups", self.groups, 1)]

    def extra_repr(self):
        size = self.kernel_size[0] if len(set(self.kernel_size)) == 1 else self.kernel_size
        words = [f"{name}={value}" for name, value, usual in self._words() if value != usual]
        words += [] if self._has_bias else ["bias=False"]
        words += [] if self.padding_mode == "zeros" else [f"padding_mode={self.padding_mode}"]
        return ", ".join([f"{self.in_channels}, {self.out_channels}, {size}", *words])

    def forward(self, x):
        if self._is_pending():
            self._complete(self._channels(x))
        x, weight, bias = self._lowered(x, self.weight, self.bias)
        options = {name: value for name, value, _ in self._words()}
        if self.padding_mode != "zeros":
            x, options["padding"] = self._padded(x), 0
        return self.function(x, weight, bias, **options, data_format=self.data_format)


class Conv1d(_Conv):
    """Convolution of [batch, channels, length]; weight is [out_channels, in_channels / groups, kernel_size]."""

    axes = 1
    function = staticmethod(_ops.op("nn", "conv1d"))


class Conv2d(_Conv):
    """Convolution of [batch, channels, height, width]; weight is [out_channels, in_channels / groups, *kernel_size].

    >>> wf.nn.Conv2d(3, 8, 3, padding=1)(wf.ones((2, 3, 5, 5))).shape
    (2, 8, 5, 5)
    """

    axes = 2
    function = staticmethod(_ops.op("nn", "conv2d"))


class Conv3d(_Conv):
    """Convolution of [batch, channels, depth, height, width]."""

    axes = 3
    function = staticmethod(_ops.op("nn", "conv3d"))


class _ConvTranspose(_Conv):
    """What transposed convolutions share: their weight is [in_channels, out_channels / groups, *kernel_size]."""

    is_transposed = True

    def __init__(self, in_channels=None, out_channels=None, kernel_size=None, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, *, data_format="", dtype=None, weight_init=None, bias_init=None, key=None):
        self.output_padding = output_padding
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         data_format=data_format, dtype=dtype, weight_init=weight_init, bias_init=bias_init, key=key)

    def _words(self):
        return [*super()._words(), ("output_padding", self.output_padding, 0)]


class ConvTranspose1d(_ConvTranspose):
    """The transpose of Conv1d: from its results' shape to its inputs'."""

    axes = 1
    function = staticmethod(_ops.op("nn", "conv_transpose1d"))


class ConvTranspose2d(_ConvTranspose):
    """The transpose of Conv2d: from its results' shape to its inputs'.

    >>> wf.nn.ConvTranspose2d(8, 3, 2, stride=2)(wf.ones((2, 8, 5, 5))).shape
    (2, 3, 10, 10)
    """

    axes = 2
    function = staticmethod(_ops.op("nn", "conv_transpose2d"))


class ConvTranspose3d(_ConvTranspose):
    """The transpose of Conv3d: from its results' shape to its inputs'."""

    axes = 3
    function = staticmethod(_ops.op("nn", "conv_transpose3d"))
