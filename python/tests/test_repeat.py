"""repeat in graphs and functions: by a number, by counts that have values, by counts that only a run knows."""

import numpy as np
import pytest

import weft as wf

X = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.mark.parametrize("repeats, axis", [(3, 0), (2, None), (0, 1), (np.array([2, 0, 1]), 0)], ids=str)
def test_counts_with_values(repeats, axis):
    counts = wf.tensor(repeats) if isinstance(repeats, np.ndarray) else repeats
    f = wf.function(lambda x: wf.repeat(x, counts, axis=axis) * 2.0)
    assert np.array_equal(f(wf.tensor(X)).numpy(), np.repeat(X, repeats, axis) * 2)
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, None), name="x")
        y = wf.repeat(x, counts, axis=axis)
    assert np.array_equal(wf.Session(g).run(y, {x: X}), np.repeat(X, repeats, axis))
    if isinstance(repeats, int):
        assert f(wf.ones((7, 4))).shape == np.repeat(np.ones((7, 4)), repeats, axis).shape and f.trace_count == 1


@pytest.mark.parametrize("counts, axis", [([2, 0, 1], 0), ([5, 5, 0], 0), ([0, 0, 0], 0), (3, 0), (2, None), ([1, 4], 1)], ids=str)
def test_counts_that_only_a_run_knows(counts, axis):
    expected = np.repeat(X, counts, axis)
    f = wf.function(lambda x, n: wf.repeat(x, n, axis=axis) * 2.0)
    assert np.array_equal(f(wf.tensor(X), wf.tensor(counts)).numpy(), expected * 2)
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, None), name="x")
        n = wf.placeholder(wf.int64, shape=(None,) * np.ndim(counts), name="n")
        y = wf.identity(wf.repeat(x, n, axis=axis), name="y")
    assert np.array_equal(wf.Session(g).run(y, {x: X, n: counts}), expected)
    assert np.array_equal(wf.Session(wf.Graph.parse(str(g))).run("y", {"x": X, "n": counts}), expected)
    slope = lambda x, n: wf.grad(lambda x: wf.sum(wf.repeat(x, n, axis=axis) ** 2))(x)
    now = slope(wf.tensor(X), wf.tensor(counts)).numpy()
    assert np.array_equal(wf.function(slope)(wf.tensor(X), wf.tensor(counts)).numpy(), now)


def test_one_trace_serves_all_counts():
    f = wf.function(lambda x, n: wf.repeat(x, n))
    for counts in ([1, 2, 3], [0, 0, 1], [4, 4, 4]):
        assert f(wf.tensor(X[:, 0]), wf.tensor(counts)).tolist() == np.repeat(X[:, 0], counts).tolist()
    assert f.trace_count == 1


def test_errors():
    f = wf.function(lambda x, n: wf.repeat(x, n))
    with pytest.raises(wf.InvalidError) as raised:
        f(wf.ones(2), wf.tensor([1, -2]))
    assert str(raised.value).splitlines()[0] == "repeat: repeats has the negative number -2; counts are at least 0 [repeat.negative]"
    with pytest.raises(wf.InvalidError) as raised:
        wf.vmap(lambda n: wf.repeat(wf.ones(2), n))(wf.tensor([1, 2]))
    assert str(raised.value).splitlines()[0] == (
        "repeat: how often elements are repeated differs between the examples of a vmap, so there is no common shape; pass counts that "
        "all examples share [repeat.batch]")
    assert wf.vmap(lambda x: wf.repeat(x, wf.tensor([1, 2])))(wf.ones((3, 2))).shape == (3, 3)
