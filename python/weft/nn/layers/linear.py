"""Layers that multiply by matrices."""

from ... import _core, _hints, _ops, _shape
from ..._users import as_it_is
from .. import init
from ..module import Layer, Module

linear = _ops.op("nn", "linear")


class Identity(Module):
    """Gives what it is given."""

    def forward(self, x):
        return x


class Linear(Layer):
    """`x @ weight.T + bias` along the last axis; weight is [out_features, in_features].

    With `in_features=None` the size is that of the first input. Weight and bias begin as in PyTorch, uniform in
    1 / sqrt(in_features) around 0; `weight_init="glorot_uniform", bias_init="zeros"` is Keras's choice.
    """

    def __init__(self, in_features=None, out_features=None, bias=True, *, dtype=None, weight_init=None, bias_init=None,
                 key=None):
        if out_features is None:
            raise _core.WrongTypeError("Linear: out_features is missing; Linear(None, n) takes the size of the input from the "
                                       "first call [Linear.count]")
        self.in_features, self.out_features = in_features, out_features
        self._has_bias, self._init = _hints.as_flag(bias, type(self).__name__, "bias"), (weight_init, bias_init)
        self.weight = self.bias = None
        self._begin(in_features, key, dtype)

    def _parameters(self, size):
        self.in_features = size
        usual = init.fan_in_uniform(size)
        weight_init, bias_init = (init.chosen(one, usual, "Linear") for one in self._init)
        return {"weight": ((self.out_features, size), weight_init),
                "bias": ((self.out_features,) if self._has_bias else None, bias_init)}

    def forward(self, x):
        if self._is_pending():
            self._complete(x.shape[-1])
        return linear(*self._lowered(x, self.weight, self.bias))

    def extra_repr(self):
        return f"{self.in_features}, {self.out_features}" + ("" if self._has_bias else ", bias=False")


class Bilinear(Layer):
    """`a @ weight[k] @ b + bias[k]` for each output k: a product of two inputs. Begins as Linear does.

    Sizes of inputs that are None are those of the first ones.
    """

    def __init__(self, in1_features=None, in2_features=None, out_features=None, bias=True, *, dtype=None, weight_init=None,
                 bias_init=None, key=None):
        if out_features is None:
            raise _core.WrongTypeError("Bilinear: out_features is missing; Bilinear(None, None, n) takes the sizes of the inputs "
                                       "from the first call [Bilinear.count]")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self._has_bias, self._init = _hints.as_flag(bias, type(self).__name__, "bias"), (weight_init, bias_init)
        self.weight = self.bias = None
        self._begin(None if in2_features is None else in1_features, key, dtype)

    def _size_of(self, state):
        if "weight" not in state:
            return None
        self.in2_features = state["weight"].shape[2]
        return state["weight"].shape[1]

    def _parameters(self, size):
        self.in1_features = size
        usual = init.fan_in_uniform(size)
        weight_init, bias_init = (init.chosen(one, usual, "Bilinear") for one in self._init)
        return {"weight": ((self.out_features, size, self.in2_features), weight_init),
                "bias": ((self.out_features,) if self._has_bias else None, bias_init)}

    def forward(self, a, b):
        if self._is_pending():
            self._know(a.shape[-1], b.shape[-1])
        a, b, weight, bias = self._lowered(a, b, self.weight, self.bias)
        out = _shape.einsum("...i,oij,...j->...o", a, weight, b)
        return out if bias is None else out + bias

    @as_it_is
    def _know(self, in1, in2):
        """Makes the parameters; sizes that were named stay."""
        self.in2_features = int(in2) if self.in2_features is None else self.in2_features
        self._complete(in1 if self.in1_features is None else self.in1_features)

    def extra_repr(self):
        return f"{self.in1_features}, {self.in2_features}, {self.out_features}" + ("" if self._has_bias else ", bias=False")
