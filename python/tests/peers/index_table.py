"""Indexing, gathering and scattering: ours, PyTorch's, JAX's."""

import jax
import jax.numpy as jnp
import torch
from vocabulary import bools, call, distinct, entry, integers, ints, normal

I, J = ints([0, 2, -2]), ints([1, 0, 3])
OUTSIDE = ints([0, 5])
# JAX clamps or drops indices that are out of range; ours and PyTorch raise.
OUT = dict(only="torch")


def along(name, theirs, jax_function, *calls, wrong, **rest):
    return entry(name, theirs, jax_function, *calls, wrong=wrong, complex=True, half=True, **rest)



def torch_take(x, i, axis=None, batch_axes=0):
    if batch_axes:
        return torch.stack([torch_take(*one, axis - 1, batch_axes - 1) for one in zip(x, i)])
    return x.flatten()[i] if axis is None else x[(slice(None),) * axis + (i,)]


def jax_take(x, i, axis=None, batch_axes=0):
    if batch_axes:
        return jnp.stack([jax_take(*one, axis - 1, batch_axes - 1) for one in zip(x, i)])
    return jnp.take(x, i, axis)


GATHERS = [
    along("take", torch_take, jax_take,
          call(normal(3, 4), ints([0, 2, 2]), axis=1),
          call(normal(3, 4), ints([[0, -1], [1, 2]]), axis=0), call(normal(4), ints([3, 0])),
          call(normal(3, 4), ints(1), axis=0),
          call(normal(2, 3, 4), ints([[0, -1], [1, 2]]), axis=1, batch_axes=1),
          wrong=[call(normal(3), OUTSIDE, axis=0, **OUT), call(normal(3), ints([0]), axis=1)]),
    along("gather", lambda x, i, axis: torch.take_along_dim(x, i % x.shape[axis], axis),
          lambda x, i, axis: jnp.take_along_axis(x, i, axis),
          call(normal(3, 4), integers(-4, 4, 3, 2), axis=1),
          call(normal(3, 4), integers(0, 3, 2, 4), axis=0),
          call(normal(2, 3, 4), integers(0, 3, 1, 5, 4), axis=1),
          wrong=[call(normal(3, 4), integers(0, 2, 2, 2), axis=1),
          call(normal(3, 4), integers(0, 2, 3, 4), axis=2)]),
    along("take_along_axis", lambda x, i, axis=-1: torch.take_along_dim(x, i, axis),
          jnp.take_along_axis, call(normal(3, 4), integers(0, 4, 3, 2)),
          call(normal(3, 4), integers(0, 3, 2, 4), axis=0),
          wrong=[call(normal(3, 4), integers(0, 2, 2, 2)),
          call(normal(3, 4), integers(0, 2, 3, 4), axis=2)]),
    along("index_select", lambda x, i, axis: torch.index_select(x, axis, i),
          lambda x, i, axis: jnp.take(x, i, axis), call(normal(3, 4), ints([0, 2, 2]), axis=1),
          call(normal(3, 4), ints([1]), axis=0),
          wrong=[call(normal(3), OUTSIDE, axis=0, **OUT),
          call(normal(3), ints([[0]]), axis=0, **OUT)]),
    along("gather_nd", lambda x, i: x[tuple(i.unbind(-1))],
          lambda x, i: x[tuple(jnp.moveaxis(i, -1, 0))], call(normal(3, 4), ints([[0, 1], [2, 3]])),
          call(normal(3, 4), ints([[0], [2]])),
          call(normal(2, 3, 4), ints([[[0, 1, 2]], [[1, 2, 0]]])),
          wrong=[call(normal(3), ints([[5]]), **OUT), call(normal(3), ints([[0, 0]]))]),
    entry("nonzero", lambda x: torch.nonzero(x, as_tuple=True), jnp.nonzero,
          call(ints([[0, 1, 2], [3, 0, 0]])), call(bools(7)), grad=False, jit=False,
          wrong=[call(ints(3), only="jax")]),
    entry("argwhere", torch.argwhere, jnp.argwhere, call(ints([[0, 1, 2], [3, 0, 0]])),
          call(bools(7)), grad=False, jit=False, wrong=[call(ints([1]), 3)]),
    along("masked_select", torch.masked_select, lambda x, mask: x[jnp.broadcast_to(mask, x.shape)],
          call(normal(3, 4), bools(3, 4)), call(normal(3, 4), bools(4)), jit=False,
          wrong=[call(normal(3, 4), bools(3)), call(normal(3), integers(0, 2, 3), **OUT)]),
    along("masked_fill", lambda x, mask, value: torch.where(mask, value, x),
          lambda x, mask, value: jnp.where(mask, value, x),
          call(normal(3, 4), bools(3, 4), normal()), call(normal(3, 4), bools(4), 0.1),
          wrong=[call(normal(3), bools(4), 1.0)]),
    entry("one_hot", lambda x, num_classes, dtype=torch.float32: torch.nn.functional.one_hot(x,
          num_classes).to(dtype), lambda x, num_classes, dtype="float32": jnp.asarray(x[...,
          None] == jnp.arange(num_classes), dtype), call(ints([0, 2, 1]), 3),
          call(ints([[0, 2], [1, 1]]), 4, dtype="int64"), wrong=[call(OUTSIDE, 3, **OUT)]),
]


def torch_put(x, i, values, axis=-1):
    return torch.scatter(x, axis, i, values.expand(i.shape))


SCATTERS = [
    along("scatter_add", lambda x, i, u, axis: torch.scatter_add(x, axis, i, u), None,
          call(normal(3, 4), integers(0, 4, 3, 6), normal(3, 6), axis=1),
          call(normal(3), ints([0, 0, 2]), normal(3), axis=0),
          wrong=[call(normal(3), ints([0, 5]), normal(2), axis=0, **OUT)]),
    along("put_along_axis", torch_put,
          lambda x, i, v, axis=-1: jnp.put_along_axis(x, i, v, axis, inplace=False),
          call(normal(3, 4), ints([[0, 2], [1, 3], [3, 0]]), normal(3, 2)),
          call(normal(3, 4), ints([[2, 0, 1, 2]]), normal(1, 4), axis=0),
          call(normal(3, 4), ints([[0], [1], [3]]), normal(1, 1)),
          wrong=[call(normal(3, 4), ints([[0], [1], [7]]), normal(3, 1), **OUT)]),
    along("scatter_nd", lambda u, i, shape: torch.zeros(shape,
          dtype=u.dtype).index_put(tuple(i.unbind(-1)), u, True),
          lambda u, i, shape: jnp.zeros(shape, u.dtype).at[tuple(jnp.moveaxis(i, -1, 0))].add(u),
          call(normal(3), ints([[0], [2], [0]]), shape=(4,)),
          call(normal(2, 3), ints([[1], [0]]), shape=(2, 3)),
          call(normal(2), ints([[1, 0], [1, 0]]), shape=(2, 3)),
          wrong=[call(normal(1), ints([[7]]), shape=(4,), **OUT)]),
]


def torch_index(x, indices, axes, at=0):
    """The axes of the indices stand behind `at` of the others."""
    others = [a for a in range(x.dim()) if a not in axes]
    joint = torch.broadcast_tensors(*indices)
    read = x.permute(*axes, *others)[joint]
    rank = joint[0].dim()
    return read.permute(*range(rank, rank + at), *range(rank), *range(rank + at, read.dim()))


def jax_place(x, indices, axes):
    index = [slice(None)] * x.ndim
    for axis, each in zip(axes, indices):
        index[axis] = each
    return x.at[tuple(index)]


TWO = dict(axes=(0, 1), at=0)
READS = along("index_at", torch_index, None, call(normal(3, 4), [I, J], axes=(0, 1)),
              call(normal(2, 3, 4), [I, J], axes=(1, 2), at=1),
                  call(normal(3, 2, 4), [I, J], axes=(0, 2), at=0),
              call(normal(3, 4), [ints([[0], [2]]), J], axes=(0, 1)),
                  call(normal(3, 4), [I], axes=(0,)),
              wrong=[call(normal(3, 4), [ints([9]), ints([0])], axes=(0, 1))])


def updates(name, method, make, theirs, both=True):
    """x.at[i, j].method(value); a place is named twice where that means one thing."""
    twice = [call(make(3, 4), make(3), [ints([0, 0, 1]), ints([2, 2, 1])], **TWO)] if both else []
    return entry(name, theirs, None if method == "multiply" else  # JAX has no gradient of it
                 lambda x, v, indices, axes, at=0: getattr(jax_place(x, indices, axes), method)(v),
                 call(make(3, 4), make(3), [I, J], axes=(0, 1), at=0),
                     call(make(3, 4), make(3, 4), [I], axes=(0,)),
                 call(make(3, 4), make(), [I, J], **TWO), *twice,
                 wrong=[call(make(3, 4), make(3), [ints([0, 9, 1]), J], **TWO, **OUT),
                        call(make(3, 4), make(2), [I, J], **TWO)])


def put(accumulate):
    return lambda x, v, indices, axes, at=0: x.index_put(tuple(indices), v, accumulate)


def reduced(how):
    """PyTorch's index_reduce, along axis 0 of the axes taken as one."""
    def function(x, v, indices, axes, at=0):
        rows = x.shape[:len(axes)]
        place = torch.zeros_like(indices[0])
        for each, size in zip(indices, rows):
            if bool((each >= size).any()):
                raise IndexError("out of range")
            place = place * size + each % size
        flat = x.reshape(-1, *x.shape[len(axes):])
        return flat.index_reduce(0, place, v.expand(*place.shape, *x.shape[len(axes):]),
            how).reshape(x.shape)

    return function


INDEX = [(slice(None), 1), (Ellipsis, 0), (slice(0, 3, 2), None, slice(None, None)), (-1,),
    (slice(1, None), slice(-2, None))]
ADVANCED = [
    entry("Tensor.__getitem__", lambda x, *i: x[i], lambda x, *i: x[i], call(normal(3, 4), I, J),
          call(normal(3, 4), I), call(normal(2, 3, 4), slice(None), I, J),
          call(normal(3, 2, 4), I, slice(None), J), call(normal(3, 4), I, slice(1, 3)),
          call(normal(3, 4), ints([[0], [2]]), J), *(call(normal(3, 4), *index) for index in INDEX),
          ours=lambda x, *i: x[i]),
    entry("slice", lambda x, index: x[index], lambda x, index: x[index],
          *(call(normal(3, 4), index=index) for index in INDEX),
          wrong=[call(normal(3, 4), (3,), **OUT), call(normal(3), (0, 0))]),
    entry("slice_update", lambda x, value, index: (lambda out: (out.__setitem__(index, value),
          out)[1])(x.clone()), lambda x, value, index: x.at[index].set(value),
          call(normal(3, 4), normal(3), (slice(None), 1)),
          call(normal(3, 4), normal(), index=(Ellipsis, 0)),
          call(normal(3, 4), normal(2, 1, 4), (slice(0, 3, 2), None)),
          wrong=[call(normal(3, 4), normal(2), (slice(None), 1))]),
]



def torch_window(x, starts, sizes):
    """The index of the window: negative starts count from the end, and it lies inside of x."""
    if not len(starts) == len(sizes) == x.dim():
        raise IndexError("a start and a size for each axis")
    index = []
    for start, size, whole in zip((int(start) for start in starts), sizes, x.shape):
        if size > whole:
            raise IndexError("larger than x")
        start = min(max(start + whole if start < 0 else start, 0), whole - size)
        index.append(slice(start, start + size))
    return tuple(index)


def torch_write(x, update, starts):
    out = x.clone()
    out[torch_window(x, starts, update.shape)] = update
    return out


PLACES = [[ints(1), ints(0)], [ints(-1), ints(2)], [ints(9), ints(-9)],
    [ints(0, "int32"), ints(1, "int32")]]
WINDOWS = [
    along("dynamic_slice", lambda x, starts, sizes: x[torch_window(x, starts, sizes)],
          lambda x, starts, sizes: jax.lax.dynamic_slice(x, starts, sizes),
          *(call(normal(3, 4), place, sizes=(2, 3)) for place in PLACES),
          call(normal(5), [ints(3)], (0,), grad=False), call(normal(5), [ints(3)], (5,)),
          wrong=[call(normal(3, 4), [ints(0)], (1, 1)), call(normal(3), [ints(0)], (4,)),
          call(normal(3), [ints(0)], (1, 1))]),
    along("dynamic_update_slice", torch_write,
          lambda x, update, starts: jax.lax.dynamic_update_slice(x, update, starts),
          *(call(normal(3, 4), normal(2, 3), place) for place in PLACES),
          call(normal(5), normal(5), starts=[ints(3)]),
          wrong=[call(normal(3, 4), normal(1, 1), [ints(0)]), call(normal(3), normal(4), [ints(0)]),
          call(normal(3), normal(1, 1), [ints(0)])]),
]

ENTRIES = GATHERS + SCATTERS + WINDOWS + [
    READS, updates("set_at", "set", normal, put(False), both=False),
        updates("add_at", "add", normal, put(True)),
    updates("multiply_at", "multiply", distinct, reduced("prod"), both=False),
    updates("min_at", "min", distinct, reduced("amin")),
        updates("max_at", "max", distinct, reduced("amax")),
    *ADVANCED,
]
