"""Shapes: reshaping, moving, joining, cutting, padding; ours, PyTorch's, JAX's. And einsum."""

import jax.numpy as jnp
import torch
import torch.nn.functional as F
from vocabulary import bools, call, dims, entry, integers, normal

KINDS = dict(complex=True, half=True)


def padded(x, before, after, value=None, mode="constant"):
    """PyTorch counts axes from the last; its words for modes are others, and only for images."""
    both = list(zip(before, after))
    if mode == "constant":
        return F.pad(x, [n for pair in reversed(both) for n in pair],
            value=0.0 if value is None else value)
    for axis, (low, high) in enumerate(both):
        size = x.shape[axis]
        place = torch.arange(-low, size + high)
        if mode == "edge":
            place = place.clamp(0, size - 1)
        elif mode == "wrap":
            place = place % size
        else:
            period = 2 * size - 2 if mode == "reflect" else 2 * size
            place = place % period
            place = torch.where(place < size, place,
                (period if mode == "reflect" else period - 1) - place)
        x = x.index_select(axis, place)
    return x


def jax_padded(x, before, after, value=None, mode="constant"):
    rest = {"constant_values": 0 if value is None else value} if mode == "constant" else {}
    return jnp.pad(x, list(zip(before, after)), mode=mode, **rest)


MOVING = [
    entry("reshape", torch.reshape, jnp.reshape, call(normal(3, 4), shape=(2, 6)),
          call(normal(2, 3, 4), shape=(-1, 4)), call(normal(1), shape=()),
          call(integers(0, 9, 4), shape=(2, 2)),
          wrong=[call(normal(3, 4), shape=(5, 3)), call(normal(3, 4), shape=(-1, -1))], **KINDS),
    entry("permute_dims", lambda x, axes: torch.permute(x, axes), jnp.transpose,
          call(normal(2, 3, 4), axes=(2, 0, 1)), call(normal(3, 4), axes=(-1, 0)),
          wrong=[call(normal(3, 4), axes=(0, 0)), call(normal(3, 4), axes=(0, 1, 2))], **KINDS),
    entry("expand_dims", lambda x, axis=0: torch.unsqueeze(x, axis), jnp.expand_dims,
          call(normal(3, 4), axis=1), call(normal(3), axis=-1), call(normal(), axis=0),
          wrong=[call(normal(3), axis=3)], **KINDS),
    entry("squeeze", dims(torch.squeeze), jnp.squeeze, call(normal(1, 3, 1), axis=0),
          call(normal(1, 3, 1), axis=(0, -1)), wrong=[call(normal(1, 3), axis=2)], **KINDS),
    entry("broadcast_to", lambda x, shape: torch.broadcast_to(x, shape), jnp.broadcast_to,
          call(normal(3, 1), shape=(2, 3, 4)), call(normal(), shape=(2, 2)),
          wrong=[call(normal(3), shape=(4,)), call(normal(2, 3), shape=(3,))], **KINDS),
    entry("moveaxis", torch.moveaxis, jnp.moveaxis, call(normal(2, 3, 4), 0, 2),
          call(normal(2, 3, 4), source=(0, 1), destination=(-1, 0)),
          wrong=[call(normal(2, 3), 2, 0), call(normal(2, 3), (0, 1), (0,))], **KINDS),
    entry("swapaxes", torch.swapaxes, jnp.swapaxes, call(normal(2, 3, 4), 0, -1),
          call(normal(2, 3), 1, 1), wrong=[call(normal(2, 3), 0, 2)], **KINDS),
    entry("flip", lambda x, axis=None: torch.flip(x,
          tuple(range(x.dim())) if axis is None else (axis,) if isinstance(axis, int) else axis),
          jnp.flip, call(normal(3, 4)), call(normal(3, 4), axis=1),
          call(normal(2, 3, 4), axis=(0, -1)), wrong=[call(normal(3), axis=1)], **KINDS),
    entry("roll", lambda x, shift, axis=None: torch.roll(x, shift, axis), jnp.roll,
          call(normal(3, 4), 2), call(normal(3, 4), -5, axis=1),
          call(normal(3, 4), (1, 2), axis=(0, 1)), call(bools(7), 3),
          wrong=[call(normal(3), 1, axis=1)], **KINDS),
    entry("rot90", lambda x, k=1, axes=(0, 1): torch.rot90(x, k, axes), jnp.rot90,
          call(normal(3, 4)), *(call(normal(2, 3, 4), k=k, axes=(1, 2)) for k in (-1, 2, 3)),
          wrong=[call(normal(3, 4), axes=(0, 0)), call(normal(3))], **KINDS),
    entry("tile", torch.tile, jnp.tile, call(normal(3, 4), (2, 1)), call(normal(3, 4), (2,)),
          call(normal(3), (2, 1, 2)), wrong=[call(normal(3), (-1,))], **KINDS),
    entry("repeat", lambda x, repeats, axis=None: torch.repeat_interleave(x,
          torch.as_tensor(repeats), dim=axis), jnp.repeat, call(normal(3, 4), 2),
          call(normal(3, 4), 2, axis=1), call(normal(3, 4), (0, 2, 1), axis=0, only="torch"),
          wrong=[call(normal(3, 4), 2, axis=2)], **KINDS),
    entry("atleast_1d", torch.atleast_1d, jnp.atleast_1d, call(normal()), call(normal(3)),
          wrong=[call(normal(2), other=3)]),
    entry("atleast_2d", torch.atleast_2d, jnp.atleast_2d, call(normal()), call(normal(3)),
          call(normal(2, 3)), wrong=[call(normal(2), other=3)]),
    entry("atleast_3d", torch.atleast_3d, jnp.atleast_3d, call(normal()), call(normal(3)),
          call(normal(2, 3)), wrong=[call(normal(2), other=3)]),
]

JOINING = [
    entry("flatten", lambda x, start_axis=0, end_axis=-1: torch.flatten(x, start_axis, end_axis),
          lambda x, start_axis=0, end_axis=-1: x.reshape(
              torch.flatten(torch.empty(x.shape), start_axis, end_axis).shape),
          call(normal(3, 4)), call(normal(2, 3, 4), start_axis=1), call(normal()),
          call(normal(2, 3, 4, 2), start_axis=-3, end_axis=2),
          wrong=[call(normal(2, 3), start_axis=2), call(normal(2, 3), start_axis=1, end_axis=0)],
          **KINDS),
    entry("ravel", torch.ravel, jnp.ravel, call(normal(3, 4)), call(normal()), call(bools(2, 2)),
          wrong=[call(normal(2), unknown=3)], **KINDS),
    entry("vstack", lambda xs: torch.vstack(list(xs)), lambda xs: jnp.vstack(xs),
          call([normal(3), normal(3)]), call([normal(2, 3), normal(3)]), call([normal(), normal()]),
          call([normal(2, 3, 2), normal(1, 3, 2)]), wrong=[call([normal(2, 3), normal(2)])],
          **KINDS),
    entry("hstack", lambda xs: torch.hstack(list(xs)), lambda xs: jnp.hstack(xs),
          call([normal(3), normal(2)]), call([normal(2, 3), normal(2, 1)]),
          call([normal(), normal(2)]), wrong=[call([normal(2, 3), normal(3, 3)])], **KINDS),
    entry("chunk", lambda x, chunks, axis=0: torch.chunk(x, chunks, axis), None,
          call(normal(6, 2), 3), call(normal(2, 7), chunks=3, axis=-1), call(normal(5), 4),
          call(normal(0, 2), 3, grad=False), wrong=[call(normal(3), 0), call(normal(3), 2, axis=1)],
          **KINDS),
    entry("concat", lambda xs, axis=0: torch.cat([x.flatten() for x in xs] if axis is None
          else list(xs), axis or 0), lambda xs, axis=0: jnp.concat(xs, axis=axis),
          call([normal(2, 3), normal(4, 3)]),
          call([normal(2, 3), normal(2, 1), normal(2, 0)], axis=-1), call([normal(1)]),
          call([normal(2, 3), normal(2)], axis=None),
          wrong=[call([normal(2, 3), normal(2, 4)]), call([normal(2)], axis=1)], **KINDS),
    entry("stack", lambda xs, axis=0: torch.stack(list(xs), axis),
          lambda xs, axis=0: jnp.stack(xs, axis=axis), call([normal(2, 3), normal(2, 3)]),
          call([normal(2), normal(2), normal(2)], axis=-1),
          wrong=[call([normal(2), normal(3)]), call([normal(2)], axis=2)], **KINDS),
    entry("unstack", torch.unbind, lambda x, axis=0: jnp.unstack(x, axis=axis), call(normal(3, 4)),
          wrong=[call(normal())], **KINDS),
    entry("unstack", dims(torch.unbind), lambda x, axis=0: jnp.unstack(x, axis=axis),
          call(normal(2, 3, 2), axis=-1), wrong=[call(normal(2), axis=1)]),
    entry("split", lambda x, sizes, axis=0: torch.split(x, list(sizes), axis),
          lambda x, sizes, axis=0: tuple(jnp.split(x,
          [sum(sizes[:i]) for i in range(1, len(sizes))], axis)), call(normal(5, 2), sizes=(2, 3)),
          call(normal(2, 6), sizes=(1, 0, 5), axis=-1),
          wrong=[call(normal(5), sizes=(2, 2), only="torch"),
          call(normal(5), sizes=(5,), axis=1, only="torch")], **KINDS),
    entry("broadcast_arrays", torch.broadcast_tensors, jnp.broadcast_arrays,
          call(normal(3, 1), normal(4)), call(normal(), normal(2, 2), normal(1, 2)),
          wrong=[call(normal(3), normal(4))]),
    entry("meshgrid", torch.meshgrid, jnp.meshgrid,
          *(call(normal(3), normal(4), indexing=indexing) for indexing in ("xy", "ij")),
          call(normal(3), normal(2), normal(4), indexing="ij"),
          wrong=[call(normal(3), normal(2, 2), indexing="xy", only="jax"),
          call(normal(3), normal(2), indexing="yx")]),
    entry("pad", padded, jax_padded, call(normal(3, 4), (1, 0), (2, 3)),
          call(normal(3), before=(1,), after=(2,), value=0.7, grad=False),
          *(call(normal(3, 4), (1, 2), (2, 3), mode=mode)
          for mode in ("reflect", "symmetric", "edge", "wrap")),
          call(integers(0, 9, 3), (1,), (1,)),
          wrong=[call(normal(3), (1,), (1,), mode="other", only="jax")]),
]

MATRICES = [
    *(entry(name, lambda x, k=0, f=theirs: f(x, k), jax_function, call(normal(3, 4)),
        call(normal(2, 4, 3), k=1), call(normal(3, 3), k=-1), call(bools(3, 3)),
        wrong=[call(normal(3))], **KINDS) for name, theirs,
        jax_function in [("tril", torch.tril, jnp.tril), ("triu", torch.triu, jnp.triu)]),
    entry("diag", lambda x, k=0: torch.diag(x, k), jnp.diag, call(normal(3)), call(normal(3), k=-1),
          call(normal(3, 4), k=1), call(normal(4, 3)), wrong=[call(normal(2, 3, 4))], **KINDS),
    entry("diag_embed", lambda x, offset=0, axis1=-2, axis2=-1: torch.diag_embed(x, offset, axis1,
          axis2), None, call(normal(2, 3)), call(normal(2, 3), offset=1),
          call(normal(2, 3), offset=-2, axis1=0, axis2=2),
          wrong=[call(normal(2), axis1=0, axis2=0), call(normal())], **KINDS),
]

EQUATIONS = [("ij,jk->ik", (3, 4), (4, 2)), ("ij->ji", (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)),
    ("ij->", (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)), ("i,j->ij", (3,), (4,)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("abc,cd,ae->bde", (2, 3, 4), (4, 5), (2, 3)),
    ("ij,ij", (3, 4), (3, 4)), ("i...,i...->...", (3, 4), (3, 4)), ("ba", (3, 4)),
    ("ab,bc,cd,de->ae", (2, 3), (3, 4), (4, 2), (2, 3)), ("ab,b->a", (3, 1), (4,))]
SUMS = [entry("einsum", torch.einsum, jnp.einsum,
    *(call(equation, *(normal(*shape) for shape in shapes)) for equation, *shapes in EQUATIONS),
    complex=True, wrong=[call("ij,jk->ik", normal(3, 4), normal(3, 4)), call("ij->k", normal(2, 2)),
    call("ij", normal(2))])]

ENTRIES = MOVING + JOINING + MATRICES + SUMS
