"""Initializers: functions of a key, a shape and a dtype that give the first values of parameters.

Layers take one as `weight_init=` and `bias_init=`: a function, or its name here.

>>> wf.nn.init.constant(0.5)(wf.random.Key(0), (2,), wf.float32)
tensor([0.5, 0.5], dtype=float32)
>>> layer = wf.nn.Linear(4, 2, weight_init="glorot_uniform", bias_init="zeros")
"""

from .. import _array_api, _core, _hints, random
from .._hints import brief as _brief

_full = _array_api.full


def zeros(key, shape, dtype=_core.float32):
    """Zeros."""
    return _full(shape, 0.0, dtype=dtype)


def ones(key, shape, dtype=_core.float32):
    """Ones."""
    return _full(shape, 1.0, dtype=dtype)


def constant(value):
    """The initializer that gives `value` everywhere."""
    return lambda key, shape, dtype=_core.float32: _full(shape, value, dtype=dtype)


def uniform(low=-0.05, high=0.05):
    """The initializer that draws from [low, high)."""
    return lambda key, shape, dtype=_core.float32: random.uniform(key, shape, low, high, dtype=dtype)


def normal(std=0.05, mean=0.0):
    """The initializer that draws normal numbers."""
    return lambda key, shape, dtype=_core.float32: random.normal(key, shape, mean, std, dtype=dtype)


def truncated_normal(std=0.05):
    """The initializer that draws normal numbers, those beyond two deviations drawn again."""
    def draw(key, shape, dtype=_core.float32):
        return random.truncated_normal(key, -2.0, 2.0, shape, dtype=dtype) * std

    return draw


def orthogonal(gain=1.0):
    """The initializer that gives a matrix with orthogonal rows or columns, times `gain`."""
    return lambda key, shape, dtype=_core.float32: random.orthogonal(key, shape, dtype=dtype, gain=gain)


def fan_in_uniform(fan_in):
    """The initializer that draws from the interval of 1 / sqrt(fan_in) around 0: PyTorch's for layers with weights."""
    fan_in = _hints.as_number(fan_in, "fan_in_uniform", "fan_in")
    bound = fan_in ** -0.5 if fan_in > 0 else 0.0
    return uniform(-bound, bound)


glorot_uniform, glorot_normal = random.glorot_uniform, random.glorot_normal
he_uniform, he_normal = random.he_uniform, random.he_normal
lecun_uniform, lecun_normal = random.lecun_uniform, random.lecun_normal

_PLAIN = {name: globals()[name] for name in ("zeros", "ones", "glorot_uniform", "glorot_normal", "he_uniform", "he_normal",
                                             "lecun_uniform", "lecun_normal")}
_PLAIN |= {"uniform": uniform(), "normal": normal(), "truncated_normal": truncated_normal(), "orthogonal": orthogonal()}


def chosen(given, default, who):
    """The initializer that a layer was given, by itself or by name."""
    if given is None:
        return default
    if callable(given):
        return given
    if isinstance(given, str) and given in _PLAIN:
        return _PLAIN[given]
    hint = _core.did_you_mean(given, list(_PLAIN)) if isinstance(given, str) else ""
    raise _core.InvalidError(f"{who}: there is no initializer {_brief(given)}; {hint or 'it is a function of key, shape and dtype, or one of ' + ', '.join(_PLAIN)} "
                             f"[{who}.init]")


def __getattr__(name):
    raise _hints.missing("weft.nn.init", name)
