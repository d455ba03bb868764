"""Reductions and scans: ours, PyTorch's, JAX's."""

import jax
import jax.numpy as jnp
import torch
from vocabulary import (FLOATS, Input, bools, call, dims, distinct, entry, given, integers, ints,
    normal, positive, special)

NAN, INF = float("nan"), float("inf")
OUT_OF_RANGE = [call(normal(2, 3), axis=2), call(normal(2, 3), axis=-3)]


def with_nans(*shape):
    """A quarter NaN, never a whole column."""
    def draw(g):
        x = g.standard_normal(shape)
        x[0, ::2] = NAN
        return x

    return Input(draw, real=True)


def all_axes(function):
    """PyTorch's reductions that want a tuple of axes, or none."""
    def reduce(x, axis=None, keepdims=False, **rest):
        every = tuple(range(x.dim())) if axis is None else axis
        return function(x, dim=every, keepdim=keepdims, **rest)

    return reduce


def one_by_one(function):
    """PyTorch's reductions over one axis, applied to several from the last."""
    def reduce(x, axis=None, keepdims=False, **rest):
        axes = range(x.dim()) if axis is None else ([axis] if isinstance(axis, int) else axis)
        rank = x.dim()
        if any(not -rank <= a < rank for a in axes):
            raise IndexError(axes)
        for each in sorted((a if a >= 0 else a + rank for a in axes), reverse=True):
            x = function(x, dim=each, keepdim=keepdims, **rest)
        return x

    return reduce


def reduction(name, theirs, jax_function, *more, make=normal, **rest):
    """Every axis, one, several, the last; kept or dropped; size 0 along another axis."""
    calls = [call(make(3, 4)), call(make(3, 4, 2), axis=1),
        call(make(3, 4, 2), axis=(0, 2), keepdims=True), call(make(3, 4), axis=-1, keepdims=True),
        call(make(2, 0, 3), axis=0, only="torch"), *more]
    return entry(name, theirs, jax_function, *calls, wrong=OUT_OF_RANGE, **rest)


def scan(name, theirs, jax_function, *more, make=normal, **rest):
    calls = [call(make(3, 4), axis=1), call(make(3, 4, 2), axis=0), call(make(5), axis=-1), *more]
    return entry(name, theirs, jax_function, *calls, wrong=[call(normal(2, 3), axis=2)], **rest)


def extended(function, initial):
    """A running sum or product that may start with what it starts from."""
    def scanned(x, axis=None, dtype=None, include_initial=False):
        axis = 0 if axis is None else axis
        out = function(x, axis, dtype=dtype)
        if not include_initial:
            return out
        first = torch.full_like(out.narrow(axis, 0, 1), initial)
        return torch.cat([first, out], axis)

    return scanned


WHOLE = (call(integers(-4, 5, 3, 4)), call(integers(0, 5, 3, 4, dtype="uint8"), axis=0),
    call(bools(3, 4), axis=1))
KINDS = [
    reduction("sum", all_axes(torch.sum), jnp.sum, call(normal(3, 4), dtype="float64"),
        complex=True, half=True),
    entry("sum", torch.sum, None, call(integers(-4, 5, 3, 4)), call(bools(3, 4)),
          call(integers(0, 9, 5, dtype="int32"))),
    reduction("prod", one_by_one(torch.prod), jnp.prod,
              call(normal(3, 4), axis=1, dtype="float64", dtypes=FLOATS),
              call(normal(3, 4), axis=1, dtype="float64", dtypes=("complex128",)),
              complex=True),
    reduction("max", all_axes(torch.amax), jnp.max, *WHOLE[:2], make=distinct,
              dtypes=("float32", "float64")),
    reduction("min", all_axes(torch.amin), jnp.min, *WHOLE[:2], make=distinct),
    reduction("all", all_axes(torch.all), jnp.all, WHOLE[0], WHOLE[2], grad=False),
    reduction("any", all_axes(torch.any), jnp.any, WHOLE[0], WHOLE[2], special(given([0.0, NAN])),
        grad=False),
    reduction("mean", all_axes(torch.mean), jnp.mean, complex=True, half=True),
    reduction("logsumexp", all_axes(torch.logsumexp), jax.nn.logsumexp, special(given([INF, 1.0])),
              special(given([-INF, -INF])), special(given([[NAN, 1.0], [500.0, 500.0]]), axis=1)),
    reduction("nansum", all_axes(torch.nansum), jnp.nansum, call(with_nans(3, 4), axis=0),
        call(with_nans(3, 4)), call(with_nans(3, 4), axis=1, dtype="float64")),
    reduction("nanmean", all_axes(torch.nanmean), jnp.nanmean, call(with_nans(3, 4), axis=0),
        call(with_nans(3, 4))),
    entry("nanmax", None, jnp.nanmax, call(with_nans(3, 4), axis=0), call(with_nans(3, 4)),
          call(distinct(3, 4, 2), axis=(0, 2), keepdims=True), wrong=OUT_OF_RANGE),
    *(entry(name, None, function, call(with_nans(3, 4), axis=0), call(with_nans(3, 4), correction=1),
          call(distinct(3, 4, 2), axis=(0, 2), keepdims=True), wrong=OUT_OF_RANGE)
      for name, function in (("nanvar", lambda x, correction=0, **o: jnp.nanvar(x, ddof=correction, **o)),
                             ("nanstd", lambda x, correction=0, **o: jnp.nanstd(x, ddof=correction, **o)))),
    entry("nanmin", None, jnp.nanmin, call(with_nans(3, 4), axis=0), call(with_nans(3, 4)),
          call(distinct(3, 4, 2), axis=(0, 2), keepdims=True), wrong=OUT_OF_RANGE),
    reduction("count_nonzero", lambda x, axis=None, keepdims=False: all_axes(torch.sum)(x != 0,
        axis, keepdims), jnp.count_nonzero, *WHOLE, grad=False),
]

SPREAD = [
    entry(name, all_axes(theirs), lambda x, correction=0, f=function, **rest: f(x, ddof=correction,
          **rest), call(normal(3, 4), correction=0), call(normal(3, 4, 2), axis=1, correction=1),
          call(normal(3, 4, 2), axis=(0, 2), correction=0, keepdims=True),
          call(normal(6), axis=0, correction=2), call(normal(3, 4), axis=-1, correction=0.5),
          wrong=OUT_OF_RANGE, complex=True)
    for name, theirs, function in [("var", torch.var, jnp.var), ("std", torch.std, jnp.std)]
]

def joined(x, y, rowvar):
    """What torch.cov takes: all variables as rows."""
    rows = [x if x is None or x.ndim == 1 or rowvar else x.T for x in (x, y)]
    return rows[0] if y is None else torch.vstack([r if r.ndim == 2 else r[None] for r in rows])


TOGETHER = [
    entry("cov", lambda x, y=None, rowvar=True, correction=1: torch.cov(joined(x, y, rowvar),
          correction=correction), lambda x, y=None, rowvar=True, correction=1: jnp.cov(x, y, rowvar,
          ddof=correction), call(normal(3, 5)), call(normal(5, 3), rowvar=False),
          call(normal(3, 5), normal(5)), call(normal(3, 5), y=normal(2, 5), correction=0),
          call(normal(5)), call(normal(1, 5)), call(normal(5, 1), rowvar=False), complex=True, wrong=[call(normal(2, 3), normal(2, 4))]),
    entry("corrcoef", lambda x, y=None, rowvar=True: torch.corrcoef(joined(x, y, rowvar)),
          jnp.corrcoef, call(normal(3, 5)), call(normal(5, 3), rowvar=False),
          call(normal(3, 5), y=normal(5)), call(normal(1, 5)), wrong=[call(normal(2, 3), normal(2, 4))]),
]

NORMS = [
    entry(name, dims(torch.linalg.vector_norm),
          lambda x, axis=None, keepdims=False, ord=2.0: jnp.linalg.vector_norm(x, axis=axis,
          keepdims=keepdims, ord=ord), call(normal(3, 4)), call(normal(3, 4, 2), axis=1, ord=1.0),
          call(normal(3, 4), axis=0, ord=2.7, keepdims=True), call(normal(3, 4, 2), axis=(0, 2)),
          call(distinct(3, 4), axis=1, ord=INF, only="torch"),
          call(distinct(3, 4), axis=1, ord=-INF, only="torch"),
          call(normal(3, 4), axis=1, ord=0.0, grad=False), call(positive(3, 4), axis=1, ord=-1.7),
          wrong=OUT_OF_RANGE, complex=True)
    for name in ("norm", "linalg.vector_norm")
]

PLACES = [
    entry(name, dims(theirs), function, call(distinct(3, 4)), call(distinct(3, 4), axis=0),
          call(distinct(3, 4, 2), axis=1, keepdims=True), call(ints([3, 1, 3, 1])),
          special(given([1.0, NAN, 2.0])), wrong=OUT_OF_RANGE)
    for name, theirs, function in [("argmax", torch.argmax, jnp.argmax),
        ("argmin", torch.argmin, jnp.argmin)]
]

SCANS = [
    scan("cumulative_sum", extended(torch.cumsum, 0), jnp.cumulative_sum, call(normal(4)),
         call(normal(3, 4), axis=1, include_initial=True), call(normal(4), dtype="float64"),
         call(integers(-5, 5, 3, 4), axis=0), call(bools(5)), complex=True, half=True),
    scan("cumulative_prod", extended(torch.cumprod, 1), jnp.cumulative_prod, call(normal(4)),
        call(normal(3, 4), axis=1, include_initial=True),
        call(normal(4), dtype="float64", dtypes=FLOATS), call(given([1.0, 0.0, 2.0, 0.0])),
        call(integers(-5, 5, 3, 4), axis=0), complex=True),
    scan("logcumsumexp", dims(torch.logcumsumexp), jax.lax.cumlogsumexp,
        special(given([-INF, -INF, 1.0, INF]), axis=0)),
    scan("cummax", lambda x, axis: torch.cummax(x, axis)[0], jax.lax.cummax,
        call(ints([3, 1, 4, 1, 5]), axis=0), make=distinct),
    scan("cummin", lambda x, axis: torch.cummin(x, axis)[0], jax.lax.cummin,
        call(ints([3, 1, 4, 1, 5]), axis=0), make=distinct),
]

ENTRIES = KINDS + SPREAD + TOGETHER + NORMS + PLACES + SCANS
