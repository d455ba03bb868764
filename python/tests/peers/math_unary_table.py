"""Elementwise functions of one tensor: ours, PyTorch's, JAX's."""

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import torch
from vocabulary import (Input, away_from_zero, between, call, entry, given, integers, ints, normal,
    positive, special)

INF, NAN = float("inf"), float("nan")
EDGES = given([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, INF, -INF, NAN, 1e-30, -1e-30])


def above_one(*shape):
    return between(1.2, 4.0, *shape)


def inside_one(*shape):
    return between(-0.9, 0.9, *shape)


def probability(*shape):
    return between(0.05, 0.95, *shape)


def fractional(*shape):
    """Numbers that are not near an integer, where rounding jumps."""
    return Input(lambda g: g.integers(-4, 4, shape) + g.uniform(0.1, 0.4, shape) + 0.5
        * g.integers(0, 2, shape))


def smooth(name, theirs, jax_function, make=normal, complex=True, edges="", **rest):
    """Rank 2, 0, and 3 with a size of 0; half floats, complex; the edges, by one peer alone where
    the other has a convention that is not ours."""
    calls = [call(make(3, 4)), call(make()), call(make(2, 0, 3), dtypes=("float32",), only="torch")]
    calls += [special(EDGES, only=edges)]
    return entry(name, theirs, jax_function, *calls, half=True, complex=complex,
                 wrong=[call(normal(2), normal(2), normal(2))], **rest)


def plain(name, theirs, jax_function, *calls, **rest):
    return entry(name, theirs, jax_function, *calls, wrong=[call(), call(normal(2), unknown=1)],
        **rest)


SMOOTH = [
    smooth("negative", torch.negative, jnp.negative),
    smooth("abs", torch.abs, jnp.abs, away_from_zero),
    smooth("sqrt", torch.sqrt, jnp.sqrt, positive),
    smooth("rsqrt", torch.rsqrt, jax.lax.rsqrt, positive),
    smooth("square", torch.square, jnp.square),
    smooth("reciprocal", torch.reciprocal, jnp.reciprocal, away_from_zero),
    smooth("exp", torch.exp, jnp.exp),
    smooth("expm1", torch.expm1, jnp.expm1),
    smooth("exp2", torch.exp2, jnp.exp2),
    smooth("log", torch.log, jnp.log, positive),
    smooth("log1p", torch.log1p, jnp.log1p, positive),
    smooth("log2", torch.log2, jnp.log2, positive),
    smooth("log10", torch.log10, jnp.log10, positive),
    smooth("sin", torch.sin, jnp.sin),
    smooth("cos", torch.cos, jnp.cos),
    smooth("tan", torch.tan, jnp.tan),
    smooth("asin", torch.asin, jnp.arcsin, inside_one),
    smooth("acos", torch.acos, jnp.arccos, inside_one),
    smooth("atan", torch.atan, jnp.arctan),
    smooth("sinh", torch.sinh, jnp.sinh),
    smooth("cosh", torch.cosh, jnp.cosh),
    smooth("tanh", torch.tanh, jnp.tanh),
    smooth("asinh", torch.asinh, jnp.arcsinh),
    smooth("acosh", torch.acosh, jnp.arccosh, above_one),
    smooth("atanh", torch.atanh, jnp.arctanh, inside_one),
    smooth("sigmoid", torch.sigmoid, jax.nn.sigmoid, complex=False),
    smooth("sinc", torch.sinc, jnp.sinc, away_from_zero, complex=False),
    smooth("erf", torch.erf, jsp.erf, complex=False),
    smooth("erfc", torch.erfc, jsp.erfc, complex=False),
    smooth("erfinv", torch.erfinv, jsp.erfinv, inside_one, complex=False),
    smooth("lgamma", torch.lgamma, jsp.gammaln, positive, complex=False),
    smooth("digamma", torch.digamma, jsp.digamma, positive, complex=False, edges="torch",
          torch_looser=1e3,
          why="JAX has NaN at 0, where it is infinite; PyTorch's trigamma is good to 1e-9"),
    smooth("logit", torch.logit, jsp.logit, probability, complex=False),
    smooth("cbrt", None, jnp.cbrt, away_from_zero, complex=False),
    smooth("real", torch.real, jnp.real),
    smooth("conj", lambda x: torch.conj(x).resolve_conj(), jnp.conj),
    smooth("sign", torch.sign, jnp.sign, away_from_zero, complex=False, edges="jax",
           why="sign(NaN) is NaN, as in the array API; 0 in PyTorch"),
    plain("sign", torch.sgn, None, call(normal(3, 4)), dtypes=("complex64", "complex128"),
          why="the gradient of x/|x|, as in PyTorch; JAX has 0"),
    smooth("floor", torch.floor, jnp.floor, fractional, complex=False),
    smooth("ceil", torch.ceil, jnp.ceil, fractional, complex=False),
    smooth("round", torch.round, jnp.round, fractional, complex=False),
    plain("round", torch.round, None, call(fractional(3, 4), decimals=1),
          call(normal(7), decimals=3), call(given([12.0, 15.0, 25.0, -25.0]), decimals=-1)),
    plain("round", None, jnp.round, call(fractional(3, 4), decimals=1), complex=True),
    smooth("trunc", torch.trunc, jnp.trunc, fractional, complex=False),
]

REST = [
    plain("imag", torch.imag, jnp.imag, call(normal(3, 4)), call(normal()),
          dtypes=("complex64", "complex128")),
    plain("angle", torch.angle, jnp.angle, call(normal(3, 4)),
          call(away_from_zero(5), dtypes=("float32", "float64")),
          dtypes=("complex64", "complex128")),
    plain("polygamma", lambda x, n: torch.polygamma(n, x), lambda x, n: jsp.polygamma(n, x),
          call(positive(3, 4), n=1), call(positive(5), n=3), torch_looser=1e3,
          why="PyTorch's is good to 1e-9"),
    plain("signbit", torch.signbit, jnp.signbit, special(EDGES), call(ints([-3, 0, 2]))),
    plain("isnan", torch.isnan, jnp.isnan, special(EDGES), call(ints([1, 2]))),
    plain("isinf", torch.isinf, jnp.isinf, special(EDGES), call(ints([1, 2]))),
    plain("isfinite", torch.isfinite, jnp.isfinite, special(EDGES), call(ints([1, 2]))),
    plain("logical_not", torch.logical_not, jnp.logical_not, special(given([0.0, -0.0, 2.0, NAN])),
          call(integers(0, 2, 3, 4, dtype="bool"))),
    plain("bitwise_invert", torch.bitwise_not, jnp.bitwise_not, call(integers(-9, 9, 3, 4)),
          call(integers(0, 200, 5, dtype="uint8")), call(integers(0, 2, 5, dtype="bool"))),
    plain("nan_to_num", lambda x, nan=0.0, posinf=None, neginf=None: torch.nan_to_num(x, nan,
          posinf, neginf), jnp.nan_to_num, call(given([NAN, INF, -INF, 1.5, -0.0])),
          call(given([NAN, INF, -INF, 1.5]), nan=0.1, posinf=7.3, neginf=-8.1), call(ints([1, 2]))),
    plain("cast", lambda x, dtype: x.to(dtype), lambda x, dtype: x.astype(dtype),
          call(normal(3, 4), dtype="float32"), call(fractional(3, 4), dtype="int32"),
          call(integers(-5, 5, 4), dtype="float64"), call(normal(4), dtype="complex128"),
          call(integers(-1, 2, 4), dtype="bool"), looser=1e7,
          why="float64 through float32 keeps 24 bits; the gradient comes back as float64"),
    plain("positive", torch.positive, jnp.positive, call(normal(3)), call(ints([1, -2]))),
    plain("stop_gradient", torch.detach, jax.lax.stop_gradient, call(normal(3, 4)),
          call(ints([1, 2]))),
]

WHOLE = [
    entry(f"{name}", theirs, jax_function, call(integers(-7, 8, 3, 4, dtype=dtype)), grad=False)
    for name, theirs, jax_function, dtype in [
        ("abs", torch.abs, jnp.abs, "int32"), ("negative", torch.negative, jnp.negative, "int64"),
        ("sign", torch.sign, jnp.sign, "int16"), ("square", torch.square, jnp.square, "int32"),
        ("exp", torch.exp, None, "int64"), ("sqrt", torch.sqrt, None, "uint8")]
]

ENTRIES = SMOOTH + REST + WHOLE
