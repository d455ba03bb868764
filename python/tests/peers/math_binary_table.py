"""Elementwise functions of two and three tensors: ours, PyTorch's, JAX's."""

import jax.numpy as jnp
import jax.scipy.special as jsp
import torch
from vocabulary import (Input, away_from_zero, between, bools, call, distinct, entry, given,
    integers, normal, positive, special)

INF, NAN = float("inf"), float("nan")
LEFT = given([0.0, -0.0, 1.0, -1.0, 2.5, INF, -INF, NAN, INF, 0.0, -3.5])
RIGHT = given([-0.0, 0.0, 2.0, 0.5, NAN, INF, INF, 1.0, 2.0, NAN, 2.0])

ONES = given([[1.0, 1.0], [1.0, 1.0]])


def halves(*shape):
    """Numbers that lie between multiples of each other: quotients never jump."""
    return Input(lambda g: g.integers(1, 4, shape) + 0.5)


def binary(name, theirs, jax_function, a=normal, b=normal, edges="", **rest):
    """Equal shapes, broadcast both ways, a scalar, sizes of 0, the edges; misfits are refused."""
    calls = [call(a(3, 4), b(3, 4)), call(a(2, 1, 4), b(3, 1)), call(a(), b(3)),
             call(a(0, 4), b(1, 4), dtypes=("float32",), only="torch")]
    calls += [special(LEFT, RIGHT, only=edges)] if edges is not None else []
    return entry(name, theirs, jax_function, *calls, half=True,
        wrong=[call(a(3), b(4)), call(a(2, 3), b(3, 2))], **rest)


def whole(name, theirs, jax_function, *dtypes, low=-7, high=8, divisor=False):
    """Integers, with a divisor that is not 0 where there is one."""
    second = (lambda dtype: integers(1, high, 4, dtype=dtype)) if divisor else (
        lambda dtype: integers(low, high, 4, dtype=dtype))
    return entry(name, theirs, jax_function,
        *(call(integers(low, high, 3, 4, dtype=dtype), second(dtype)) for dtype in dtypes),
        wrong=[call(integers(0, 2, 3), integers(0, 2, 4))])


FLOATING = [
    binary("add", torch.add, jnp.add, complex=True),
    binary("subtract", torch.subtract, jnp.subtract, complex=True),
    binary("multiply", torch.multiply, jnp.multiply, complex=True),
    binary("divide", torch.divide, jnp.divide, b=away_from_zero, complex=True),
    binary("pow", torch.pow, jnp.power, a=positive),
    binary("floor_divide", torch.floor_divide, jnp.floor_divide, b=halves, edges=None, grad=False,
           why="PyTorch has no gradient of it; ours is 0"),
    binary("remainder", torch.remainder, jnp.remainder, b=halves, edges=None),
    binary("fmod", torch.fmod, jnp.fmod, b=halves),
    binary("maximum", torch.maximum, jnp.maximum),
    binary("minimum", torch.minimum, jnp.minimum),
    binary("fmax", torch.fmax, jnp.fmax),
    binary("fmin", torch.fmin, jnp.fmin),
    binary("atan2", torch.atan2, jnp.arctan2, a=away_from_zero, b=away_from_zero),
    binary("logaddexp", torch.logaddexp, jnp.logaddexp),
    binary("logaddexp2", torch.logaddexp2, jnp.logaddexp2),
    binary("hypot", torch.hypot, jnp.hypot, a=away_from_zero, b=away_from_zero),
    binary("copysign", torch.copysign, jnp.copysign, a=away_from_zero, b=away_from_zero),
    binary("nextafter", torch.nextafter, jnp.nextafter, grad=False, dtypes=("float32", "float64")),
    binary("xlogy", torch.xlogy, jsp.xlogy, b=positive),
    binary("xlog1py", torch.special.xlog1py, jsp.xlog1py, b=positive),
    binary("heaviside", torch.heaviside, jnp.heaviside, a=away_from_zero, grad=False, edges="jax",
          why="heaviside(NaN) is NaN, as in NumPy; PyTorch has 0, and no gradient"),
    binary("equal", torch.eq, jnp.equal, complex=True),
    binary("not_equal", torch.ne, jnp.not_equal, complex=True),
    binary("less", torch.lt, jnp.less),
    binary("less_equal", torch.le, jnp.less_equal),
    binary("greater", torch.gt, jnp.greater),
    binary("greater_equal", torch.ge, jnp.greater_equal),
    binary("logical_and", torch.logical_and, jnp.logical_and),
    binary("logical_or", torch.logical_or, jnp.logical_or),
    binary("logical_xor", torch.logical_xor, jnp.logical_xor),
]

BITS = ("bool", "uint8", "int32", "int64")
WHOLE = [
    whole("add", torch.add, jnp.add, "int64", "uint8", "int8", low=0),
    whole("subtract", torch.subtract, jnp.subtract, "int64", "int16"),
    whole("multiply", torch.multiply, jnp.multiply, "int64", "int32"),
    whole("divide", torch.divide, None, "int64", divisor=True),
    whole("floor_divide", torch.floor_divide, jnp.floor_divide, "int64", "int32", divisor=True),
    whole("remainder", torch.remainder, jnp.remainder, "int64", "int32", divisor=True),
    whole("fmod", torch.fmod, jnp.fmod, "int64", divisor=True),
    whole("maximum", torch.maximum, jnp.maximum, "int64", "uint8", low=0),
    whole("less", torch.lt, jnp.less, "int64", "uint8", low=0),
    whole("equal", torch.eq, jnp.equal, "int64", "bool", low=0),
    whole("pow", torch.pow, jnp.power, "int64", "int32", low=0, high=5),
    whole("bitwise_and", torch.bitwise_and, jnp.bitwise_and, *BITS, low=0),
    whole("bitwise_or", torch.bitwise_or, jnp.bitwise_or, *BITS, low=0),
    whole("bitwise_xor", torch.bitwise_xor, jnp.bitwise_xor, *BITS, low=0),
    whole("bitwise_left_shift", torch.bitwise_left_shift, jnp.left_shift, "int64", "int32", low=0),
    whole("bitwise_right_shift", torch.bitwise_right_shift, jnp.right_shift, "int64", "int32",
        low=0),
]

CHOOSING = [
    entry("where", torch.where, jnp.where, call(bools(3, 4), normal(3, 4), normal(3, 4)),
          call(bools(3, 1), normal(4), normal()),
          call(bools(4), integers(0, 9, 4), integers(0, 9, 4)), complex=True, half=True,
          wrong=[call(bools(3), normal(4), normal(4))]),
    entry("clip", torch.clamp, jnp.clip, call(distinct(3, 4), min=0.01, max=0.4),
          call(distinct(3, 4), min=0.01), call(distinct(3, 4), max=0.01),
          call(distinct(3, 4), between(-0.3, 0, 4), between(0.1, 0.4, 3, 1)),
          call(integers(-9, 9, 3, 4), min=-2, max=3),
          special(given([INF, -INF, NAN, 0.5]), min=0.0, max=1.0), half=True,
          wrong=[call(normal(3), normal(4), normal(3))]),
    entry("lerp", lambda a, b, weight: torch.lerp(a, b, torch.as_tensor(weight, dtype=a.dtype)),
          None, call(normal(3, 4), normal(3, 4), between(0, 1, 3, 4)),
          call(normal(3, 1), normal(4), between(-1, 2, 4)), call(normal(3), normal(3), 0.25),
          wrong=[call(normal(3), normal(4), 0.5)]),
    entry("isclose", torch.isclose, jnp.isclose, call(normal(3, 4), normal(3, 4), rtol=0.2, atol=0.3),
          call(integers(0, 3, 5), integers(0, 3, 5)), call(given([1.0, 2.0]), given([1.0000001, 3.0])),
          special(LEFT, RIGHT), special(LEFT, LEFT, equal_nan=True), grad=False,
          wrong=[call(normal(3), normal(4)), call(normal(3), normal(3), rtol="a")]),
    entry("allclose", lambda a, b, **options: torch.as_tensor(torch.allclose(a, b, **options)),
          jnp.allclose, call(normal(3, 4), normal(3, 4), rtol=0.2, atol=9.0),
          call(normal(3, 4), normal(3, 4), atol=0.1), special(LEFT, LEFT, equal_nan=True),
          special(LEFT, LEFT), grad=False, wrong=[call(normal(3), normal(4))]),
    entry("array_equal", None, jnp.array_equal, call(integers(0, 3, 5), integers(0, 3, 5)),
          call(ONES, ONES), call(normal(3), normal(2)), special(LEFT, LEFT, equal_nan=True),
          special(LEFT, LEFT), grad=False, wrong=[call(normal(3), normal(3), unknown=1)]),
    entry("array_equal", lambda a, b: torch.as_tensor(torch.equal(a, b)), None, call(ONES, ONES),
          call(normal(3), normal(2)), grad=False, wrong=[call(normal(3))]),
    entry("multiply_no_nan", lambda a, b: torch.where(b == 0, torch.zeros_like(a * b), a * b), None,
          call(normal(3, 4), away_from_zero(3, 4)),
          special(given([INF, NAN, 2.0]), given([0.0, 0.0, 3.0])),
          wrong=[call(normal(3), normal(4))]),
]

ENTRIES = FLOATING + WHOLE + CHOOSING
