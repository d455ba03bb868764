"""Gradients through ops that cut and join: sizes stay symbols, so other lengths need no other trace."""

import numpy as np
import pytest

import weft as wf

PICKED = wf.tensor([0, 2, 1])
CASES = {
    "concat": lambda x, y: wf.concat([x, y * 2.0, x]),
    "concat_flat": lambda x, y: wf.concat([x, y * 2.0], axis=None),
    "slice": lambda x, y: x[1:-1] * x[2:],
    "slice_by_steps": lambda x, y: x[::2],
    "slice_backwards": lambda x, y: x[::-1] * x,
    "slice_by_a_size": lambda x, y: x[: x.shape[0] // 2] * 3.0,
    "slice_between_sizes": lambda x, y: x[x.shape[0] // 4 : x.shape[0] // 2],
    "slice_from_a_size": lambda x, y: x[-(x.shape[0] // 2):],
    "slice_beyond": lambda x, y: x[: x.shape[0] + 3] * x,
    "row_at_a_size": lambda x, y: x[x.shape[0] - 1] * x[x.shape[0] // 2],
    "pad": lambda x, y: wf.pad(x, (2,), (3,)),
    "pad_in_front": lambda x, y: wf.pad(x, (2,), (0,), y[0]),
    "stack": lambda x, y: wf.stack([x, x * x]),
    "split": lambda x, y: wf.split(x, [x.shape[0] // 2, x.shape[0] - x.shape[0] // 2])[1],
    "roll": lambda x, y: wf.roll(x, 3) * x,
    "roll_back": lambda x, y: wf.roll(x, -3) * x,
    "take": lambda x, y: wf.take(x, PICKED),
    "index": lambda x, y: x[PICKED],
    "flip": lambda x, y: wf.flip(x) * x,
    "tile": lambda x, y: wf.tile(x, (2,)),
    "update": lambda x, y: x.at[1:3].set(0.0) * x,
    "two_axes": lambda x, y: (x[:, None] * y[None, :])[: x.shape[0] // 2, 1:],
}


@pytest.mark.parametrize("name", CASES)
def test_lengths_need_no_further_traces(name):
    loss = lambda x, y: wf.sum(CASES[name](x, y) ** 2)
    inside, outside = wf.function(wf.grad(loss, argnums=(0, 1), unconnected="zero")), wf.function(loss)
    rng = np.random.default_rng(0)
    for length in [*range(8, 24), 100, 333]:
        x, y = (wf.tensor(rng.normal(size=n).astype(np.float32)) for n in (length, length + 2))
        now = wf.grad(loss, argnums=(0, 1), unconnected="zero")(x, y)
        around = wf.grad(outside, argnums=(0, 1), unconnected="zero")(x, y)
        for a, b, c in zip(now, inside(x, y), around):
            np.testing.assert_array_equal(b.numpy(), a.numpy())
            np.testing.assert_array_equal(c.numpy(), a.numpy())
    assert inside.trace_count <= 2 and outside.trace_count <= 2, inside.trace_log()


def test_a_thousand_lengths():
    f = wf.function(wf.grad(lambda x: wf.sum(wf.roll(wf.concat([x[1:], wf.pad(x, (1,), (2,)), wf.take(x, PICKED)]), 2) ** 2)))
    for length in range(4, 1004):
        assert f(wf.ones(length)).shape == (length,)
    assert f.trace_count <= 2, f.trace_log()


def test_a_size_out_of_range_raises():
    """A function tells the sizes of its call, as the op does without a trace; a graph has only their names."""
    f = wf.function(lambda x: x[x.shape[0] + 1])
    with pytest.raises(wf.OutOfRangeError) as caught:
        f(wf.ones(4))
    assert str(caught.value).splitlines()[0] == \
        "slice: index 5 is out of range for axis 0 of shape [4]; indices go from -4 to 3 [slice.range]"
    with wf.Graph():
        x = wf.placeholder("f32[n]")
        with pytest.raises(wf.OutOfRangeError, match=r"index n\+1 is out of range for axis 0 of shape \[n\].*\[slice.range\]"):
            x[x.shape[0] + 1]
