"""dynamic_slice and dynamic_update_slice: windows whose place is computed."""

import numpy as np
import pytest

import weft as wf

X = np.arange(20.0).reshape(5, 4)


def window(x, starts, sizes):
    """Where NumPy finds the window: negative starts count from the end, and the window lies inside."""
    places = []
    for start, size, extent in zip(starts, sizes, x.shape):
        begin = min(max(start + extent if start < 0 else start, 0), extent - size)
        places.append(slice(begin, begin + size))
    return tuple(places)


STARTS = [(0, 0), (1, 2), (3, 3), (4, 9), (-1, -2), (-9, 2**62), (-2**62, 0)]


@pytest.mark.parametrize("starts", STARTS)
def test_values(starts):
    x, sizes = wf.tensor(X), (2, 3)
    expected = X[window(X, starts, sizes)]
    assert np.array_equal(wf.dynamic_slice(x, starts, sizes), expected)
    assert np.array_equal(wf.dynamic_slice(x, [wf.tensor(s) for s in starts], sizes), expected)
    assert np.array_equal(wf.function(lambda x, i, j: wf.dynamic_slice(x, (i, j), sizes))(x, *map(wf.tensor, starts)), expected)
    update = -np.ones(sizes)
    changed = X.copy()
    changed[window(X, starts, sizes)] = update
    assert np.array_equal(wf.dynamic_update_slice(x, wf.tensor(update), starts), changed)
    assert np.array_equal(x, X)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_starts_of_every_width(dtype):
    """A start is read with its own width: what lies behind it in memory is no part of it."""
    numbers = wf.tensor(np.array([2, 1, 3], dtype))
    expected = X[window(X, (2, 1), (2, 3))]
    changed = X.copy()
    changed[window(X, (2, 1), (2, 3))] = -1.0
    for call in (lambda f: f, wf.function):
        read = call(lambda x, numbers: wf.dynamic_slice(x, [numbers[0], numbers[1]], (2, 3)))
        written = call(lambda x, numbers: wf.dynamic_update_slice(x, -wf.ones((2, 3), dtype="float64"), [numbers[0], numbers[1]]))
        assert np.array_equal(read(wf.tensor(X), numbers), expected)
        assert np.array_equal(written(wf.tensor(X), numbers), changed)


def test_batches_of_starts_and_of_tensors():
    starts = wf.tensor([0, 3, -1, 99])
    xs = wf.stack([wf.tensor(X) + 100 * i for i in range(4)])
    updates = wf.ones((4, 2, 1), dtype="float64")
    for in_axes in [(0, None, 0), (0, None, None), (None, None, 0), (None, 0, 0), (0, 0, 0), (0, 0, None)]:
        x = xs if in_axes[0] == 0 else xs[0]
        i = starts if in_axes[1] == 0 else starts[1]
        j = starts if in_axes[2] == 0 else starts[2]
        expected = [wf.dynamic_slice(x[k] if in_axes[0] == 0 else x, (i[k] if in_axes[1] == 0 else i, j[k] if in_axes[2] == 0 else j),
                                     (2, 1)) for k in range(4)]
        got = wf.vmap(lambda x, i, j: wf.dynamic_slice(x, (i, j), (2, 1)), in_axes=in_axes)(x, i, j)
        assert wf.fingerprint(got) == wf.fingerprint(wf.stack(expected))
        changed = [wf.dynamic_update_slice(x[k] if in_axes[0] == 0 else x, updates[k], (i[k] if in_axes[1] == 0 else i,
                                                                                       j[k] if in_axes[2] == 0 else j)) for k in range(4)]
        got = wf.vmap(lambda x, u, i, j: wf.dynamic_update_slice(x, u, (i, j)), in_axes=(in_axes[0], 0, *in_axes[1:]))(x, updates, i, j)
        assert wf.fingerprint(got) == wf.fingerprint(wf.stack(changed))


def test_gradients():
    x, starts = wf.tensor(X), (1, -1)
    gradient = wf.grad(lambda x: wf.sum(wf.dynamic_slice(x, starts, (2, 2)) ** 2))(x)
    expected = np.zeros_like(X)
    expected[window(X, starts, (2, 2))] = 2 * X[window(X, starts, (2, 2))]
    assert np.array_equal(gradient, expected)
    of_x, of_update = wf.grad(lambda x, u: wf.sum(wf.dynamic_update_slice(x, u, starts) * wf.tensor(X)), argnums=(0, 1))(
        x, wf.zeros((2, 2), dtype="float64"))
    assert np.array_equal(of_update, X[window(X, starts, (2, 2))])
    assert np.asarray(of_x).sum() == X.sum() - X[window(X, starts, (2, 2))].sum()


def test_a_cache_is_filled_in_a_loop():
    """What the ops are for: a buffer of fixed size whose rows are written as a loop runs."""
    @wf.function
    def squares(n):
        cache = wf.zeros((8, 1))
        for i in range(n):
            cache = wf.dynamic_update_slice(cache, wf.reshape(wf.cast(i * i, "float32"), (1, 1)), (i, 0))
        return cache

    assert squares(wf.tensor(5)).reshape(-1).tolist() == [0, 1, 4, 9, 16, 0, 0, 0]


@pytest.mark.parametrize("call, message", [
    (lambda x: wf.dynamic_slice(x, [0], (1, 1)),
     "dynamic_slice: got 1 starts for x of shape [5, 4]; give one for each axis [dynamic_slice.count]"),
    (lambda x: wf.dynamic_slice(x, [0, 0], (6, 1)),
     "dynamic_slice: the window has shape [6, 1], which does not fit x of shape [5, 4]: sizes of axis 0 go from 0 to 5 [dynamic_slice.size]"),
    (lambda x: wf.dynamic_slice(x, [0, 0], (-1, 1)),
     "dynamic_slice: the window has shape [-1, 1], which does not fit x of shape [5, 4]: sizes of axis 0 go from 0 to 5 [dynamic_slice.size]"),
])
def test_refusals(call, message):
    with pytest.raises(wf.Error) as raised:
        call(wf.tensor(X))
    assert str(raised.value).split("\n")[0] == message
