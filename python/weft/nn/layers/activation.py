"""Activations as modules: each calls the function of its name."""

from ... import _core, _ops
from .. import init
from ..module import Layer, Module


class _Activation(Module):
    """A function with some options, which its `words` name with their defaults."""

    words = {}

    def __init__(self, *args, **keywords):
        who, given = type(self).__name__, dict(zip(self.words, args))
        names = f"its arguments are {', '.join(self.words)}"
        if len(args) > len(self.words):
            raise _core.WrongTypeError(f"{who}: {names if self.words else 'takes no arguments'} [{who}.count]")
        for name in keywords:
            if name not in self.words or name in given:
                hint = _core.keyword_hint(name, list(self.words)) or (names if self.words else "it takes none")
                raise _core.WrongTypeError(f"{who}: has no argument '{name}'; {hint} [{who}.keyword]")
        for name, usual in self.words.items():
            setattr(self, name, keywords.get(name, given.get(name, usual)))
        self._options = {name: getattr(self, name) for name in self.words}

    def forward(self, x):
        return self.function(x, **self._options)

    def extra_repr(self):
        return ", ".join(f"{name}={self._options[name]!r}" for name, usual in self.words.items() if self._options[name] != usual)


def _activation(name, op, module="nn", **words):
    function = _ops.op(module, op)
    doc = f"The function {'nn.' if module else ''}{op} as a module."
    return type(name, (_Activation,), {"function": staticmethod(function), "words": words, "__doc__": doc, "__module__": __name__})


ReLU = _activation("ReLU", "relu", "")
ReLU6 = _activation("ReLU6", "relu6")
LeakyReLU = _activation("LeakyReLU", "leaky_relu", negative_slope=0.01)
ELU = _activation("ELU", "elu", alpha=1.0)
CELU = _activation("CELU", "celu", alpha=1.0)
SELU = _activation("SELU", "selu")
GELU = _activation("GELU", "gelu", "", approximate="none")
GLU = _activation("GLU", "glu", axis=-1)
SwiGLU = _activation("SwiGLU", "swiglu", axis=-1)
SiLU = _activation("SiLU", "silu")
Mish = _activation("Mish", "mish")
Hardsigmoid = _activation("Hardsigmoid", "hardsigmoid")
Hardswish = _activation("Hardswish", "hardswish")
Hardtanh = _activation("Hardtanh", "hardtanh", min_val=-1.0, max_val=1.0)
LogSigmoid = _activation("LogSigmoid", "log_sigmoid")
LogSoftmax = _activation("LogSoftmax", "log_softmax", "", axis=-1)
Softmax = _activation("Softmax", "softmax", "", axis=-1)
Softplus = _activation("Softplus", "softplus", beta=1.0)
Softsign = _activation("Softsign", "softsign")
Sigmoid = _activation("Sigmoid", "sigmoid", "")
Tanh = _activation("Tanh", "tanh", "")
Threshold = _activation("Threshold", "threshold", threshold=0.0, value=0.0)


class PReLU(Layer):
    """leaky_relu with a slope that is learned, one for all or one a channel (None: as many as the first input
    has channels); it begins as 0.25, as in PyTorch."""

    function = staticmethod(_ops.op("nn", "prelu"))

    def __init__(self, num_parameters=1, init=0.25, *, dtype=None, key=None):
        self.num_parameters, self._initial = num_parameters, init
        self.weight = None
        self._begin(num_parameters, key, dtype)

    def _size_of(self, state):
        return state["weight"].shape[0] if "weight" in state else None

    def _parameters(self, size):
        self.num_parameters = size
        return {"weight": ((size,), init.constant(self._initial))}

    def forward(self, x):
        if self._is_pending():
            self._complete(x.shape[1] if len(x.shape) > 1 else 1)
        return self.function(*self._lowered(x, self.weight))

    def extra_repr(self):
        return f"{self.num_parameters}"
