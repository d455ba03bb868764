"""Sorting, searching, sets, segments and counting: ours, PyTorch's, JAX's."""

import jax
import jax.numpy as jnp
import torch
import weft as wf
from vocabulary import (Input, bools, call, dims, distinct, entry, given, integers, ints, normal,
    positive, special)

NAN, INF = float("nan"), float("inf")
TIES = ints([[3, 1, 3, 1], [2, 2, 1, 3]])


def ascending(*shape):
    return Input(lambda g: g.standard_normal(shape).cumsum(-1) ** 3 + 10
        * g.uniform(1, 2, shape).cumsum(-1), differentiated=False)


def torch_sort(which):
    return lambda x, axis=-1, descending=False, stable=True: torch.sort(x, dim=axis,
        descending=descending, stable=stable)[which]


def torch_histogram(x, bins=10, range=None, weights=None, density=False):
    edges = {} if range is None else {"range": range}
    return torch.histogram(x, bins, weight=weights, density=density, **edges)


def jax_topk(x, k, axis=-1, largest=True, sorted=True):
    moved = jnp.moveaxis(x if largest else -x, axis, -1)
    values, places = jax.lax.top_k(moved, k)
    return jnp.moveaxis(values if largest else -values, -1, axis), jnp.moveaxis(places, -1, axis)


SORTS = [
    entry("sort", torch_sort(0), jnp.sort, call(distinct(3, 4)),
          call(distinct(3, 4, 2), axis=1, descending=True),
          call(distinct(20), stable=True, descending=False), call(TIES), call(bools(7)),
          special(given([NAN, 1.0, -INF, INF, 0.0])), half=True,
          wrong=[call(normal(2, 3), axis=2)]),
    entry("argsort", torch_sort(1), jnp.argsort, call(distinct(3, 4)),
          call(distinct(3, 4, 2), axis=1, descending=True), call(TIES, stable=True),
          call(TIES, stable=True, descending=True), special(given([NAN, 1.0, -INF, INF, 0.0])),
          wrong=[call(normal(2, 3), axis=2)]),
    entry("topk", dims(torch.topk), jax_topk, call(distinct(3, 7), k=3),
          call(distinct(3, 7, 2), k=2, axis=1), call(distinct(30), k=5, largest=False, sorted=True),
          call(distinct(4), k=4), same_dtype=False, why="JAX's places are int32",
          wrong=[call(normal(2, 3), k=4), call(normal(2, 3), k=1, axis=2)]),
    entry("searchsorted", lambda s, v, sorter=None, side="left": torch.searchsorted(s, v, side=side,
          sorter=sorter), lambda s, v, sorter=None, side="left": jnp.searchsorted(s, v, side=side,
          sorter=sorter), call(ascending(9), normal(3, 4).fixed()),
          call(ints([1, 2, 2, 3]), ints([0, 2, 3, 9]), side="right"),
          call(ints([1, 2, 2, 3]), ints([0, 2, 3, 9]), side="left"),
          call(ints([3, 1, 2]), ints([2, 3, 0]), sorter=ints([1, 2, 0])), grad=False,
          same_dtype=False, why="JAX's places are int32",
          wrong=[call(normal(3), normal(3), side="middle")]),
    entry("median", lambda x, axis=None, keepdims=False: torch.quantile(x, 0.5, dim=axis,
          keepdim=keepdims), jnp.median, call(distinct(3, 5)), call(distinct(3, 4), axis=1),
          call(distinct(5, 3), axis=0, keepdims=True),
          call(distinct(3, 4, 2), axis=(0, 2), only="jax"), special(given([1.0, NAN, 2.0])),
          wrong=[call(normal(2, 3), axis=2)],
          why="the mean of the middle two, as in NumPy; PyTorch's median is the lower"),
    entry("nanmedian", lambda x, axis=None, keepdims=False: torch.nanquantile(x, 0.5, dim=axis,
          keepdim=keepdims), jnp.nanmedian, call(distinct(3, 5)), call(distinct(3, 4), axis=1),
          call(distinct(5, 3), axis=0, keepdims=True),
          call(distinct(3, 4, 2), axis=(0, 2), only="jax"),
          special(given([[1.0, NAN, 2.0], [NAN, NAN, NAN], [INF, 3.0, 4.0]]), axis=1),
          wrong=[call(normal(2, 3), axis=2)],
          why="the mean of the middle two, as in NumPy; PyTorch's nanmedian is the lower"),
    entry("histogram", torch_histogram, lambda x, bins=10, range=None, weights=None,
          density=False: jnp.histogram(x, bins, range, weights, density), call(normal(3, 5)),
          call(normal(20), 4), call(normal(20), bins=5, range=(-1.0, 1.5)),
          call(normal(20), given([-2.0, -0.5, 0.0, 2.0])), call(normal(20), 4, density=True),
          call(normal(20), 4, range=(-3.0, 3.0), weights=positive(20)), grad=False,
          same_dtype=False, why="theirs counts in floats; PyTorch has no gradient",
          wrong=[call(normal(3), 0, only="torch"), call(given([0.0, INF]), 4, only="torch"),
          call(normal(3), 4, range=(1.0, 0.0), only="torch")]),
    entry("quantile", dims(torch.quantile), jnp.quantile, call(distinct(3, 5), 0.3),
          call(distinct(3, 5), given([0.1, 0.9]), axis=1),
          call(distinct(5, 3), 0.75, axis=0, keepdims=True),
          wrong=[call(normal(2, 3), 0.5, axis=2)]),
    entry("percentile", None, jnp.percentile, call(distinct(3, 5), 30.0),
          call(distinct(3, 5), given([10.0, 90.0]), axis=1),
          call(distinct(5, 3), 75.0, axis=0, keepdims=True),
          wrong=[call(normal(2, 3), 50.0, axis=2)]),
    entry("isin", lambda x, values, invert=False: torch.isin(x, values, invert=invert), jnp.isin,
          call(integers(0, 5, 3, 4), integers(0, 5, 3)), call(TIES, ints([1, 2]), invert=True),
          call(given([1.0, NAN, 2.0, INF]), given([NAN, 2.0, INF])), grad=False,
          wrong=[call(normal(2), normal(2), unknown=1)]),
]

VALUES = ints([[3, 1, 3], [1, 7, -2]])
SETS = [
    entry("unique_values", torch.unique, jnp.unique, call(VALUES),
          call(given([2.0, 1.0, 2.0, -0.5])), grad=False, jit=False, wrong=[call()]),
    entry("unique_counts", lambda x: torch.unique(x, return_counts=True),
          lambda x: tuple(jnp.unique_counts(x)), call(VALUES), call(given([2.0, 1.0, 2.0, -0.5])),
          grad=False, jit=False, same_dtype=False, why="JAX's counts are int32", wrong=[call()]),
    entry("unique_inverse", lambda x: torch.unique(x, return_inverse=True),
          lambda x: tuple(jnp.unique_inverse(x)), call(VALUES), call(given([2.0, 1.0, 2.0, -0.5])),
          grad=False, jit=False, same_dtype=False, why="JAX's places are int32", wrong=[call()]),
    entry("unique_all", None, lambda x: tuple(jnp.unique_all(x)), call(VALUES),
          call(given([2.0, 1.0, 2.0, -0.5])), grad=False, jit=False, same_dtype=False,
          why="JAX's places and counts are int32", wrong=[call()]),
    entry("bincount", lambda x, weights=None, minlength=0, length=None: torch.bincount(x, weights,
          max(minlength, length or 0)),
          lambda x, weights=None, minlength=0, length=None: jnp.bincount(x, weights,
          minlength=minlength, length=length), call(ints([1, 3, 1, 0])),
          call(ints([1, 3, 1, 0]), minlength=7), call(ints([1, 3, 1, 0]), length=6),
          call(ints([1, 3, 1]), normal(3).fixed(), dtypes=("float64",)), jit=False, grad=False,
          same_dtype=False, why="JAX counts in int32; PyTorch has no gradient for the weights",
          wrong=[call(ints([1, -1]), only="torch")]),
]

IDS = ints([0, 2, 0, 1, 2])


def reduced(how):
    """PyTorch's segments: a scatter with a reduction into nothing, ids of any order."""
    def segment(data, segment_ids, num_segments):
        places = segment_ids.reshape(-1, *[1] * (data.dim() - 1)).expand_as(data)
        start = torch.zeros(num_segments, *data.shape[1:], dtype=data.dtype)
        return start.scatter_reduce(0, places, data, how, include_self=False)

    return segment


SEGMENTS = [
    entry(f"segment_{name}", reduced(how), function, call(make(5), IDS, 3),
          call(make(5, 4), IDS, num_segments=3), call(ints([4, 5, 6, 7, 8]), IDS, 3),
          wrong=[call(normal(5), ints([[0, 1]]), 3)])
    for name, how, function, make in [("sum", "sum", jax.ops.segment_sum, normal),
        ("prod", "prod", None, positive), ("max", "amax", jax.ops.segment_max, distinct),
        ("min", "amin", jax.ops.segment_min, distinct)]
] + [entry("segment_mean", reduced("mean"), None, call(normal(5), IDS, 3),
    call(normal(5, 4), IDS, num_segments=3), wrong=[call(normal(5), ints([[0, 1]]), 3)])]


def batched(function):
    """One segment problem per row."""
    return lambda data, ids, n, batch_axes: torch.stack([function(d, i, n) for d,
        i in zip(data, ids)])


def loop(a, b, axis):
    """x[i] = a[i] x[i-1] + b[i], as it is said."""
    state, out = None, []
    for x, y in zip(a.unbind(axis), b.unbind(axis)):
        state = y if state is None else x * state + y
        out.append(state)
    return torch.stack(out, axis)


def jax_recurrence(a, b, axis):
    both = jax.lax.associative_scan(lambda p, q: (q[0] * p[0], q[0] * p[1] + q[1]), (a, b),
        axis=axis)
    return both[1]


OTHERS = [
    entry(f"segment_{name}", batched(reduced(how)), None,
          call(distinct(2, 5, 3), ints([[0, 2, 0, 1, 2], [1, 1, 0, 2, 0]]), 3, batch_axes=1))
    for name, how in [("sum", "sum"), ("prod", "prod"), ("max", "amax"), ("min", "amin"),
        ("mean", "mean")]
] + [
    entry("linear_recurrence", loop, jax_recurrence, call(normal(3, 6), normal(3, 6), axis=1),
          call(normal(5, 2), normal(5, 2), axis=0), wrong=[call(normal(3), normal(3), axis=1)]),
    entry("diff", lambda x, prepend=None, append=None, axis=-1, n=1: torch.diff(x, n, axis, prepend,
          append), jnp.diff, call(normal(3, 4)), call(normal(3, 4), axis=0, n=2),
          call(normal(5), prepend=normal(1), append=normal(2)), call(integers(-5, 5, 3, 4)),
          wrong=[call(normal(3), axis=1), call(normal(3), n=-1)]),
    entry("associative_scan", None, lambda f, x, **rest: jax.lax.associative_scan(getattr(jnp, f),
          x, **rest), call("add", normal(7, 2)), call("multiply", positive(6), reverse=True),
          call("maximum", distinct(3, 5), axis=1),
          ours=lambda f, x, **rest: wf.associative_scan(getattr(wf, f), x, **rest),
          wrong=[call("add", normal(3), axis=1)]),
]

ENTRIES = SORTS + SETS + SEGMENTS + OTHERS
