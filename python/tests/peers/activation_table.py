"""Activation functions: ours, PyTorch's, JAX's."""

import jax
import torch
import torch.nn.functional as F
from vocabulary import away_from_zero, between, call, entry, given, normal, special

INF, NAN = float("inf"), float("nan")
EDGES = given([0.0, -0.0, INF, -INF, NAN, 100.0, -100.0, 1e-20])
# Ours has the limit at the infinities; the formula that the peers compute says inf/inf, NaN.
WITHOUT_LIMITS = given([0.0, -0.0, NAN, 100.0, -100.0, 1e-20])
LIMITS = dict(edges=WITHOUT_LIMITS, why="ours has the limit at the infinities, the peers NaN")


def activation(name, theirs, jax_function, *more, edges=EDGES, **rest):
    calls = [call(away_from_zero(3, 4)), call(away_from_zero()),
        call(between(-8, 8, 40), dtypes=("float32", "float64"))]
    calls += [*more, special(edges)]
    return entry(name, theirs, jax_function, *calls, half=True,
        wrong=[call(), call(normal(2), unknown=1)], **rest)


def along(name, theirs, jax_function, **rest):
    calls = [call(normal(3, 4)), call(normal(3, 4, 2), axis=1), call(normal(4), axis=0),
        call(normal(2, 6), axis=-1)]
    return entry(name, theirs, jax_function, *calls,
        wrong=[call(normal(2, 4), axis=2), call(normal(2, 4), axis=-3)], half=True, **rest)


def torch_axis(function):
    return lambda x, axis=-1: function(x, dim=axis)


def swiglu(x, axis=-1):
    a, b = x.chunk(2, axis)
    return F.silu(a) * b


def jax_swiglu(x, axis=-1):
    a, b = jax.numpy.split(x, 2, axis)
    return jax.nn.silu(a) * b


ENTRIES = [
    activation("relu", F.relu, jax.nn.relu),
    activation("nn.relu6", F.relu6, jax.nn.relu6),
    activation("nn.leaky_relu", F.leaky_relu, jax.nn.leaky_relu,
        call(away_from_zero(3, 4), negative_slope=0.2)),
    activation("nn.elu", F.elu, jax.nn.elu, call(away_from_zero(3, 4), alpha=0.7)),
    activation("nn.celu", F.celu, jax.nn.celu, call(away_from_zero(3, 4), alpha=0.7),
               torch_looser=1e4, why="PyTorch's gradient in float64 has 1 / alpha as a float32"),
    activation("nn.selu", F.selu, jax.nn.selu),
    activation("nn.silu", F.silu, jax.nn.silu, **LIMITS),
    activation("nn.mish", F.mish, jax.nn.mish, **LIMITS),
    activation("nn.hardsigmoid", F.hardsigmoid, jax.nn.hard_sigmoid, torch_looser=1e5,
               why="PyTorch's gradient in float64 has 1/6 as a float32"),
    activation("nn.hardswish", F.hardswish, jax.nn.hard_swish, **LIMITS),
    activation("nn.hardtanh", F.hardtanh,
        lambda x, min_val=-1.0, max_val=1.0: jax.numpy.clip(x, min_val, max_val),
        call(away_from_zero(3, 4), min_val=-0.6, max_val=1.7)),
    activation("nn.softplus", F.softplus, lambda x, beta=1.0: jax.nn.softplus(beta * x) / beta,
               call(normal(3, 4), beta=1.3)),
    activation("nn.softsign", F.softsign, jax.nn.soft_sign, **LIMITS),
    activation("nn.log_sigmoid", F.logsigmoid, jax.nn.log_sigmoid),
    activation("gelu", F.gelu, lambda x, approximate="none": jax.nn.gelu(x, approximate == "tanh"),
        call(normal(3, 4), approximate="tanh"), call(normal(3, 4), approximate="none"), **LIMITS),
    entry("nn.threshold", F.threshold, None, call(away_from_zero(3, 4), threshold=0.1, value=20.0),
          call(away_from_zero(5), threshold=-1.0, value=0.0), wrong=[call(normal(3))]),
    entry("nn.prelu", F.prelu, lambda x, weight: jax.numpy.where(x > 0, x, x * weight),
          call(away_from_zero(3, 4), between(0.1, 0.3, 1)),
          call(away_from_zero(3, 4), between(0.1, 0.3, 4), only="torch"),
          call(away_from_zero(2, 3, 4), between(0.1, 0.3, 3), only="torch"),
          wrong=[call(normal(3, 4), normal(3))]),
    along("softmax", torch_axis(torch.softmax), jax.nn.softmax),
    along("log_softmax", torch_axis(torch.log_softmax), jax.nn.log_softmax),
    entry("nn.glu", torch_axis(F.glu), jax.nn.glu, call(normal(3, 4)), call(normal(4, 3), axis=0),
          half=True, wrong=[call(normal(3)), call(normal(4), axis=1)]),
    entry("nn.swiglu", swiglu, jax_swiglu, call(normal(3, 4)), call(normal(4, 3), axis=0),
          wrong=[call(normal(4), axis=1)]),
]
