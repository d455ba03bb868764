"""Errors raised in Python, and laws of ops, say the same inside of vmap, jvp, a tape, a graph and a function.

The op suite does this for every law of every op; here are calls as users write them.
"""

import itertools

import numpy as np
import pytest

import weft as wf

F = np.float32


def ones(*shape):
    return np.ones(shape, F)


FIRST = np.zeros(1, np.int64)

# A function of tensors, its arguments for one example, and the whole text.
CALLS = [
    (lambda x, v, i: x.at[i].set(v), (ones(5), ones(1, 2), FIRST),
     "set_at: a value of shape [1, 2] does not fit the indexed places, of shape [1]; it must broadcast to that shape "
     "[set_at.value]"),
    (lambda x, v, i: x.at[i].add(v), (ones(5), ones(1, 1, 2), FIRST),
     "add_at: a value of shape [1, 1, 2] does not fit the indexed places, of shape [1]; it must broadcast to that shape "
     "[add_at.value]"),
    (lambda w: wf.nn.conv(wf.ones((1, 1, 1)), w), (ones(),),
     "conv: weight has shape [], but x has shape [1, 1, 1]; it must be [taps.., channels of a group, filters] with an "
     "axis of taps for each axis of space [conv.weight]"),
    (wf.nn.conv2d, (ones(1, 1, 2, 2), ones()),
     "conv2d: weight has shape []; it must be [filters, channels / groups, taps..] with 2 axes of taps [conv2d.weight]"),
    (lambda v, i: wf.scatter_nd(v, i, 1), (ones(1), FIRST),
     "scatter_nd: a value of shape [1] does not fit the indexed places, of shape []; it must broadcast to that shape "
     "[scatter_nd.value]"),
    (lambda x: wf.sum(x, axis=-3), (ones(2, 3),),
     "sum: axis -3 is out of range for shape [2, 3]; axes go from -2 to 1 [sum.axis]"),
    (lambda x: wf.cumulative_sum(x, axis=-3), (ones(2, 3),),
     "cumulative_sum: axis -3 is out of range for shape [2, 3]; axes go from -2 to 1 [cumulative_sum.axis]"),
    (wf.add, (ones(2), ones(3)),
     "add: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes must be equal or 1 [add.broadcast]"),
    (wf.matmul, (ones(2, 3), ones(2, 3)),
     "matmul: shapes [2, 3] and [2, 3] do not fit: a has 3 columns but b has 2 rows; they must be equal [matmul.inner]"),
    (lambda x: x.reshape(4), (ones(2, 3),),
     "reshape: cannot reshape [2, 3] with 6 elements to [4] with 4; the number of elements must stay [reshape.count]"),
    (lambda x: x[3], (ones(2, 3),),
     "slice: index 3 is out of range for axis 0 of shape [2, 3]; indices go from -2 to 1 [slice.range]"),
    (wf.matrix_transpose, (ones(2),),
     "matrix_transpose: x has shape [2], but needs two axes at least [matrix_transpose.rank]"),
    (lambda x: wf.associative_scan(wf.add, x, axis=2), (ones(2, 3),),
     "associative_scan: axis 2 is out of range for shape [2, 3] [associative_scan.axis]"),
    (lambda x: wf.linalg.norm(x, axis=(0, 1, 2)), (ones(2, 3, 4),),
     "norm: x has shape [2, 3, 4] and axis is (0, 1, 2); a norm is of vectors (one axis) or of matrices (two): say which "
     "axis [norm.axes]"),
    (lambda a, b: wf.tensordot(a, b, axes=1), (ones(2, 3), ones(2, 3)),
     "tensordot: axis -1 of a has size 3 but axis 0 of b has size 2; they must be equal [tensordot.size]"),
    (lambda a, b: wf.einsum("ij,jk->ik", a, b), (ones(2, 3), ones(2, 3)),
     "einsum: label j has size 3 in operand 0 and 2 in operand 1; they must be equal, or 1 in one of the operands "
     "[einsum.size]"),
    (lambda x: np.split(x, 2), (ones(5),),
     "numpy.split: axis 0 of shape [5] cannot be cut into 2 equal parts [numpy.split]"),
    (lambda x: wf.nn.BatchNorm1d(3)(x), (ones(2, 3, 4, 5),),
     "BatchNorm1d: x has 4 axes; it needs 2 or 3 [BatchNorm1d.rank]"),
    (lambda x: wf.pad(x, [[1, 2], [3, 4]]), (ones(2),),
     "pad: before [1, 3] and after [2, 4] do not fit shape [2]; give one number for each of its 1 axes [pad.count]"),
    (lambda x: wf.scan(lambda c, r: (c + r, c), wf.ones(2), x), (ones(),),
     "scan: an input to go through has rank 0 and no rows [scan.rows]"),
    (lambda x: wf.while_loop(lambda x: x < 1, lambda x: wf.stack([x, x]), x), (ones(),),
     "while_loop: init is f32[] before and f32[2] after the body; it must keep its dtype and shape: cast or "
     "reshape it [while_loop.type]"),
    (lambda x: wf.cond(x > 0, lambda: 1.0, lambda: 2.0), (ones(2),),
     "cond: the predicate has shape [2]; it must be one value, of rank 0: reduce it with any or all [cond.predicate]"),
    (lambda x, axis: wf.softmax(x, axis=axis), (ones(2, 3), np.zeros(2, np.int64)),
     "softmax: axis must be an integer, but got weft.Tensor [softmax.argument]"),
    (wf.nn.scaled_dot_product_attention, (ones(2, 3), ones(2, 4), ones(2, 3)),
     "scaled_dot_product_attention: q, k and v have shapes [2, 3], [2, 4] and [2, 3]; they must be [.., heads, queries, "
     "features], [.., heads, keys, features] and [.., heads, keys, ..], where q may have a multiple of the heads with "
     "enable_gqa [scaled_dot_product_attention.shape]"),
]


def text_of(call):
    """What a call raises, without the notes; None if nothing."""
    try:
        call()
    except wf.Error as error:
        return str(error)


def in_graph(f, args):
    with wf.Graph() as graph:
        places = [wf.placeholder(str(x.dtype), x.shape) for x in args]
        out = f(*places)
    with wf.Session(graph) as session:
        session.run(out, dict(zip(places, args)))


def in_tape(f, args):
    args = [wf.tensor(x) for x in args]
    with wf.GradientTape() as tape:
        for x in args:
            if x.dtype == wf.float32:
                tape.watch(x)
        f(*args)


def in_jvp(f, args):
    moving = [i for i, x in enumerate(args) if x.dtype == F]

    def of_moving(*values):
        every = [wf.tensor(x) for x in args]
        for i, value in zip(moving, values):
            every[i] = value
        return f(*every)

    given = tuple(wf.tensor(args[i]) for i in moving)
    wf.jvp(of_moving, given, given)


MODES = {
    "jvp": in_jvp,
    "tape": in_tape,
    "variables": lambda f, args: f(*(wf.Variable(x) if x.dtype == F else wf.tensor(x) for x in args)),
    "graph": in_graph,
    "function": lambda f, args: wf.function(f)(*map(wf.tensor, args)),
}


@pytest.mark.parametrize("f, args, text", CALLS)
def test_eager(f, args, text):
    assert text_of(lambda: f(*map(wf.tensor, args))) == text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f, args, text", CALLS)
def test_mode(f, args, text, mode):
    assert text_of(lambda: MODES[mode](f, args)) == text


@pytest.mark.parametrize("f, args, text", CALLS)
def test_vmap(f, args, text):
    for batched in itertools.product([0, -1, None], repeat=len(args)):
        if all(axis is None for axis in batched):
            continue
        batch = [x if axis is None else np.stack([x] * 3, axis) for x, axis in zip(args, batched)]
        assert text_of(lambda: wf.vmap(f, in_axes=batched)(*map(wf.tensor, batch))) == text, batched


def test_an_index_of_each_example():
    """Alone, x[i] of an integer is a slice; in a batch it gathers: another op, and its law."""
    x, i = wf.ones((4, 5)), wf.zeros(4, dtype=wf.int64)
    for kind in ["set", "add", "multiply", "min", "max"]:
        text = text_of(lambda: wf.vmap(lambda x, v, i: getattr(x.at[i], kind)(v))(x, wf.ones((4, 1, 1)), i))
        assert text == (f"{kind}_at: a value of shape [1, 1] does not fit the indexed places, of shape []; it must "
                        f"broadcast to that shape [{kind}_at.value]")
