"""Making tensors: ours, PyTorch's, JAX's."""

import jax.numpy as jnp
import torch
from vocabulary import call, entry, integers, ints, normal

# Ours and PyTorch make float32 unless told; JAX, with 64 bits allowed, float64.
FLOAT32 = dict(same_dtype=False, why="float32 without a dtype, as in PyTorch; JAX has float64")


def filled(name):
    calls = [call((2, 3)), call(4), call((), dtype="float64"), call((2, 0), dtype="int32"),
        call((2,), dtype="bool"), call((2,), dtype="complex64")]
    return entry(name, lambda shape, **k: getattr(torch, name)(shape, **k), getattr(jnp, name),
        *calls, **FLOAT32, wrong=[call((-1, 2)), call("shape")])


def like(name):
    return entry(name, getattr(torch, name), getattr(jnp, name), call(normal(2, 3)),
        call(integers(0, 9, 4)), call(normal(2, 3), dtype="int64"), half=True, complex=True,
        wrong=[call(normal(2), other=1)])


def torch_arange(*bounds, dtype=None, start=None, stop=None, step=None):
    named = [each for each in (start, stop, step) if each is not None]
    return torch.arange(*(bounds or named), dtype=dtype)


def torch_linspace(start, stop, num, dtype=None, endpoint=True):
    if endpoint:
        return torch.linspace(start, stop, num, dtype=dtype)
    return torch.linspace(start, stop, num + 1, dtype=dtype)[:-1]


def torch_eye(n_rows, n_cols=None, k=0, dtype=torch.float32):
    return torch.diagflat(torch.ones(n_rows + (n_cols or n_rows), dtype=dtype), 0)[:n_rows].roll(k,
        1)[:, :n_cols or n_rows]


ENTRIES = [
    filled("zeros"), filled("ones"),
    entry("empty", lambda shape, **k: torch.zeros(shape, **k), None, call((2, 3)),
          call((2,), dtype="int32"), wrong=[call((-1,))],
          why="ours is zeros, so that no result depends on chance"),
    entry("empty_like", lambda x, **k: torch.zeros_like(x, **k), None,
          call(normal(2, 3), grad=False), call(integers(0, 9, 4), dtype="float64"),
          wrong=[call(normal(2), other=1)]),
    like("zeros_like"), like("ones_like"),
    entry("full", torch.full, jnp.full, call((2, 3), 0.7), call((2,), 7), call((2,), True),
          call((2, 2), fill_value=0.1, dtype="float64"), call((), 2, dtype="int32"), **FLOAT32,
          wrong=[call((-1,), 0.0)]),
    entry("full_like", torch.full_like, jnp.full_like, call(normal(2, 3), 0.1),
          call(ints([1, 2]), 7), call(normal(2), fill_value=3, dtype="int32"), half=True,
          wrong=[call(normal(2), "seven")]),
    entry("arange", torch_arange, jnp.arange, call(5), call(2, 9), call(9, 2, -2),
          call(0.0, 1.0, 0.3), call(5, dtype="float32"),
          call(start=1, stop=4, step=2, dtype="int32"), **FLOAT32, wrong=[call(0, 5, 0)]),
    entry("linspace", torch_linspace, jnp.linspace, call(0.0, 1.0, 5),
          call(2.0, -3.0, num=4, endpoint=False), call(0.0, 1.0, 1),
          call(0.0, 10.0, 11, dtype="float64"), call(-1.0, 1.0, 0), **FLOAT32,
          wrong=[call(0.0, 1.0, -1)]),
    *(entry(f"{name}_indices", lambda n, k=0, m=None, f=theirs: tuple(f(n, n if m is None else m, k)),
            function, call(3), call(4, 1), call(4, k=-1, m=6), call(3, -1, 2), call(0), call(2, 9),
            grad=False, jit=False, same_dtype=False, why="JAX's places are int32",
            wrong=[call(-1, only="torch")])
      for name, theirs, function in (("tril", torch.tril_indices, jnp.tril_indices),
                                     ("triu", torch.triu_indices, jnp.triu_indices))),
    entry("eye", torch_eye, lambda n_rows, n_cols=None, k=0, **rest: jnp.eye(n_rows, n_cols, k,
          **rest), call(3), call(3, 5), call(4, n_cols=3, k=0, dtype="int64"),
          call(3, 3, k=1, only="jax"), call(3, 4, k=-2, only="jax"), **FLOAT32, wrong=[call(-1)]),
]
