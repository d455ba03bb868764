"""Normalisation, with running statistics where they belong.

All begin with a weight of 1 and a bias of 0. Norms are computed in float32 under mixed precision.
"""

from ... import _core, _hints, _misfits, _ops
from .. import init
from ..module import Layer

batch_norm, group_norm = _ops.op("nn", "batch_norm"), _ops.op("nn", "group_norm")
instance_norm, layer_norm, rms_norm = (_ops.op("nn", name) for name in ("instance_norm", "layer_norm", "rms_norm"))


class _Norm(Layer):
    def _raised(self, x):
        """The input as norms are computed, in float32."""
        return x if self.compute_dtype is None else x.astype(_core.float32)

    def _given(self, x):
        """A result in the dtype that others compute in."""
        return x if self.compute_dtype is None else x.astype(self.compute_dtype)

    def _size_of(self, state):
        return next((value.shape[0] for value in state.values() if len(value.shape) == 1), None)


class _BatchNorm(_Norm):
    """What batch norms share. In training the batch's own statistics are used, and the running ones move towards them by
    `momentum`, or with None are the mean over all batches; else the running ones are."""

    ranks = ()

    def __init__(self, num_features=None, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, *, axis=1, dtype=None,
                 key=None):
        _hints.need_integer(axis, type(self).__name__, "axis")
        self.num_features, self.eps, self.momentum, self.axis = num_features, eps, momentum, axis
        self._affine = _hints.as_flag(affine, type(self).__name__, "affine")
        self._tracks = _hints.as_flag(track_running_stats, type(self).__name__, "track_running_stats")
        self.weight = self.bias = self.running_mean = self.running_var = self.num_batches_tracked = None
        self._begin(num_features, key, dtype)

    def _parameters(self, size):
        self.num_features = size
        shape = (size,) if self._affine else None
        if self._tracks:
            self.register_buffer("running_mean", init.zeros(None, (size,), self._dtype))
            self.register_buffer("running_var", init.ones(None, (size,), self._dtype))
            self.register_buffer("num_batches_tracked", init.zeros(None, (), _core.int64))
        return {"weight": (shape, init.ones), "bias": (shape, init.zeros)}

    def forward(self, x):
        try:
            rank = len(x.shape)
        except AttributeError:
            raise _misfits.no_tensor(type(self).__name__, "x", x) from None
        if rank not in self.ranks:
            who = type(self).__name__
            raise _core.InvalidError(f"{who}: x has {rank} axes; it needs {' or '.join(map(str, self.ranks))} [{who}.rank]")
        if self._is_pending():
            self._complete(x.shape[self.axis])
        x = self._raised(x)
        uses_batch = self.training or not self._tracks
        step = 1.0 if self.momentum is None else self.momentum  # moved by 1, they are the batch's own
        out, mean, var = batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, uses_batch, step, self.eps,
                                    self.axis)
        if self.training and self._tracks:
            count = self.num_batches_tracked + 1
            if self.momentum is None:
                mean, var = (before + (now - before) / count.astype(now.dtype)
                             for before, now in ((self.running_mean, mean), (self.running_var, var)))
            for place, value in ((self.running_mean, mean), (self.running_var, var), (self.num_batches_tracked, count)):
                if isinstance(place, _core.Variable):  # and no value that functional_call was given
                    place.assign(value if value.dtype is place.dtype else value.astype(place.dtype))  # x may be wider
        return self._given(out)

    def extra_repr(self):
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Batch norm of [batch, channels] or [batch, channels, length]."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of [batch, channels, height, width].

    >>> norm = wf.nn.BatchNorm2d(3)
    >>> norm(wf.ones((2, 3, 4, 4))).shape, norm.num_batches_tracked.item()
    ((2, 3, 4, 4), 1)
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch norm of [batch, channels, depth, height, width]."""

    ranks = (5,)


class _RowNorm(_Norm):
    """Norms over the last axes, as many as `normalized_shape` names."""

    def __init__(self, normalized_shape=None, eps=1e-5, elementwise_affine=True, bias=True, *, dtype=None, key=None):
        is_list = isinstance(normalized_shape, (list, tuple))
        self.normalized_shape = tuple(normalized_shape) if is_list else (normalized_shape,)
        self.eps, self._affine = eps, _hints.as_flag(elementwise_affine, type(self).__name__, "elementwise_affine")
        self._has_bias = self._affine and _hints.as_flag(bias, type(self).__name__, "bias")
        self.weight = self.bias = None
        self._begin(self.normalized_shape[-1] if self.normalized_shape else 0, key, dtype)

    def _size_of(self, state):
        return state["weight"].shape[-1] if "weight" in state else None

    def _parameters(self, size):
        self.normalized_shape = (*self.normalized_shape[:-1], size) if self.normalized_shape else ()
        return {"weight": (self.normalized_shape if self._affine else None, init.ones),
                "bias": (self.normalized_shape if self._has_bias else None, init.zeros)}

    def forward(self, x):
        if self._is_pending():
            self._complete(x.shape[-1])
        return self._given(self.function(self._raised(x), self.weight, self.bias, len(self.normalized_shape), self.eps))

    def extra_repr(self):
        return f"{self.normalized_shape[0] if len(self.normalized_shape) == 1 else self.normalized_shape}, eps={self.eps}"


class LayerNorm(_RowNorm):
    """`(x - mean) / sqrt(variance + eps) * weight + bias` over the last axes, which have the shape `normalized_shape`.

    >>> wf.nn.LayerNorm(4)(wf.ones((2, 4))).tolist()[0]
    [0.0, 0.0, 0.0, 0.0]
    """

    function = staticmethod(layer_norm)


class RMSNorm(_RowNorm):
    """`x / sqrt(mean of squares + eps) * weight` over the last axes."""

    function = staticmethod(rms_norm)

    def __init__(self, normalized_shape=None, eps=1e-5, elementwise_affine=True, *, dtype=None, key=None):
        super().__init__(normalized_shape, eps, elementwise_affine, bias=False, dtype=dtype, key=key)


class GroupNorm(_Norm):
    """Normalizes groups of channels of each example: `num_channels / num_groups` channels together."""

    def __init__(self, num_groups, num_channels=None, eps=1e-5, affine=True, *, dtype=None, key=None):
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self._affine = _hints.as_flag(affine, type(self).__name__, "affine")
        self.weight = self.bias = None
        self._begin(num_channels, key, dtype)

    def _parameters(self, size):
        self.num_channels = size
        shape = (size,) if self._affine else None
        return {"weight": (shape, init.ones), "bias": (shape, init.zeros)}

    def forward(self, x):
        if self._is_pending():
            self._complete(x.shape[1])
        return self._given(group_norm(self._raised(x), self.num_groups, self.weight, self.bias, self.eps))

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}"


class _InstanceNorm(_Norm):
    """Normalizes each channel of each example by itself."""

    ranks = ()

    def __init__(self, num_features=None, eps=1e-5, affine=False, *, dtype=None, key=None):
        self.num_features, self.eps, self._affine = num_features, eps, _hints.as_flag(affine, type(self).__name__, "affine")
        self.weight = self.bias = None
        self._begin(num_features if self._affine else 0, key, dtype)

    def _parameters(self, size):
        shape = (size,) if self._affine else None
        self.num_features = size if self._affine else self.num_features
        return {"weight": (shape, init.ones), "bias": (shape, init.zeros)}

    def forward(self, x):
        try:
            rank = len(x.shape)
        except AttributeError:
            raise _misfits.no_tensor(type(self).__name__, "x", x) from None
        if rank not in self.ranks:
            who = type(self).__name__
            raise _core.InvalidError(f"{who}: x has {rank} axes; it needs {' or '.join(map(str, self.ranks))} [{who}.rank]")
        if self._is_pending():
            self._complete(x.shape[1])
        return self._given(instance_norm(self._raised(x), self.weight, self.bias, self.eps))

    def extra_repr(self):
        return f"{self.num_features}, eps={self.eps}"


class InstanceNorm1d(_InstanceNorm):
    """Instance norm of [batch, channels, length]."""

    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance norm of [batch, channels, height, width]."""

    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Instance norm of [batch, channels, depth, height, width]."""

    ranks = (5,)
