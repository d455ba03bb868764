"""Sorting, searching, sets, segments and running reductions against NumPy."""

import numpy as np
import pytest

import weft as wf

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"]


def values(dtype, shape, seed=0):
    """Random bits, so that signs, extremes, both zeros, infinities and NaN all occur, and ties."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind == "f":
        x = np.round(rng.normal(0, 3, shape), 1).astype(dtype)
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], dtype)
        return np.where(rng.random(shape) < 0.3, rng.choice(special, shape), x)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.5, x % 5, x).astype(dtype)


def same_bits(a, b):
    if a.dtype.kind == "f":
        return a.shape == b.shape and bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))))
    return np.array_equal(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, axis", [((1,), 0), ((17,), 0), ((5, 300), 1), ((300, 5), 0), ((3, 40, 4), 1), ((2, 70000), 1)])
def test_sort_and_argsort(dtype, shape, axis):
    x = values(dtype, shape)
    t = wf.asarray(x)
    order = np.argsort(x, axis=axis, kind="stable")
    assert np.array_equal(np.asarray(wf.argsort(t, axis=axis)), order)
    assert same_bits(np.asarray(wf.sort(t, axis=axis)), np.take_along_axis(x, order, axis))
    # Descending and stable: the order of the reversed keys, with ties as they came.
    down = np.flip(np.asarray(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis=axis, kind="stable")), axis)
    assert np.array_equal(np.asarray(wf.argsort(t, axis=axis, descending=True)), down)
    assert same_bits(np.asarray(wf.sort(t, axis=axis, descending=True)), np.take_along_axis(x, down, axis))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n, k", [(5, 5), (100, 3), (5000, 10), (5000, 4000), (40, 1), (70000, 1000)])
def test_topk(dtype, n, k):
    x = values(dtype, (3, n))
    for largest in (True, False):
        best, indices = wf.topk(wf.asarray(x), k, largest=largest)
        order = np.asarray(wf.argsort(wf.asarray(x), descending=largest))[:, :k]
        assert np.array_equal(np.asarray(indices), order)
        assert same_bits(np.asarray(best), np.take_along_axis(x, order, 1))


def test_sort_of_adversarial_rows():
    for n in (2, 15, 16, 17, 255, 256, 1000, 4096):
        for x in (np.arange(n), np.arange(n)[::-1], np.zeros(n), np.arange(n) % 2, np.repeat(np.arange(n), 3)[:n]):
            x = x.astype(np.float32)
            assert np.array_equal(np.asarray(wf.sort(wf.asarray(x))), np.sort(x))
            assert np.array_equal(np.asarray(wf.argsort(wf.asarray(x))), np.argsort(x, kind="stable"))


def test_the_gradient_follows_each_element():
    x, weights = wf.tensor([3.0, 1.0, 2.0]), wf.tensor([10.0, 20.0, 30.0])
    assert wf.grad(lambda v: (wf.sort(v) * weights).sum())(x).tolist() == [30, 10, 20]
    assert wf.grad(lambda v: wf.topk(v, 2)[0].sum())(x).tolist() == [1, 0, 1]
    assert wf.grad(lambda v: wf.median(v))(x).tolist() == [0, 0, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(dtype, side):
    x, v = np.sort(values(dtype, 200)), values(dtype, (7, 30), 1)
    t = wf.searchsorted(wf.asarray(x), wf.asarray(v), side=side)
    assert np.array_equal(np.asarray(t), np.searchsorted(x, v, side=side))
    unsorted = values(dtype, 200)
    order = np.argsort(unsorted, kind="stable")
    t = wf.searchsorted(wf.asarray(unsorted), wf.asarray(v), sorter=wf.asarray(order), side=side)
    assert np.array_equal(np.asarray(t), np.searchsorted(unsorted, v, side=side, sorter=order))


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_unique(dtype):
    x = values("float32", (20, 30)).astype(np.complex64) if dtype == "complex64" else values(dtype, (20, 30))
    if dtype == "complex64":
        x = np.nan_to_num(x, posinf=9, neginf=-9) * np.where(np.arange(600).reshape(20, 30) % 2, 1j, 1)
        x = x.astype(np.complex64)
    wanted, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True,
                                               equal_nan=False)
    got = wf.unique_all(wf.asarray(x))
    assert np.array_equal(np.asarray(got[0]), wanted, equal_nan=True)
    assert np.array_equal(np.asarray(got[1]), first)
    assert np.array_equal(np.asarray(got[2]), inverse.reshape(x.shape))
    assert np.array_equal(np.asarray(got[3]), counts)
    assert np.array_equal(np.asarray(wf.unique_values(wf.asarray(x))), wanted, equal_nan=True)
    assert got._fields == ("values", "indices", "inverse_indices", "counts")
    assert wf.unique_counts(wf.asarray(x))._fields == ("values", "counts")
    assert wf.unique_inverse(wf.asarray(x))._fields == ("values", "inverse_indices")


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_median_quantile_and_nan_reductions(axis):
    x = values("float64", (4, 5, 6))
    finite = np.where(np.isfinite(x), x, 2.5)
    t, f = wf.asarray(x), wf.asarray(finite)
    assert np.allclose(np.asarray(wf.median(f, axis=axis)), np.median(finite, axis=axis), rtol=1e-15)
    q = np.array([0.0, 0.1, 0.5, 0.77, 1.0])
    assert np.allclose(np.asarray(wf.quantile(f, wf.asarray(q), axis=axis)), np.quantile(finite, q, axis=axis), rtol=1e-14)
    holes = np.where(np.isnan(x), x, finite)
    h = wf.asarray(holes)
    for name in ("nansum", "nanmean", "nanmax", "nanmin"):
        assert np.allclose(np.asarray(getattr(wf, name)(h, axis=axis)), getattr(np, name)(holes, axis=axis), rtol=1e-14), name
    assert np.array_equal(np.asarray(wf.count_nonzero(t, axis=axis)), np.count_nonzero(x, axis=axis))


def test_running_reductions():
    x = values("float32", (7, 50))
    for axis in (0, 1):
        for name, accumulate in (("cummax", np.maximum), ("cummin", np.minimum)):
            got = np.asarray(getattr(wf, name)(wf.asarray(x), axis=axis))
            assert np.array_equal(got, accumulate.accumulate(x, axis=axis), equal_nan=True)
    y = np.random.default_rng(0).normal(0, 30, (4, 60))
    assert np.allclose(np.asarray(wf.logcumsumexp(wf.asarray(y), axis=1)), np.logaddexp.accumulate(y, axis=1), rtol=1e-14)
    z = values("int32", (3, 9))
    assert np.array_equal(np.asarray(wf.diff(wf.asarray(z), n=2, axis=0)), np.diff(z, n=2, axis=0))
    assert np.array_equal(np.asarray(wf.diff(wf.asarray(z), prepend=wf.asarray(z), append=7)), np.diff(z, prepend=z, append=np.int32(7)))


def test_segments():
    rng = np.random.default_rng(3)
    x, ids = rng.normal(size=(100, 3)), rng.integers(0, 7, 100)
    parts = [x[ids == s] for s in range(7)]
    t, i = wf.asarray(x), wf.asarray(ids)
    for name, reduce in (("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min), ("mean", np.mean)):
        got = np.asarray(getattr(wf, f"segment_{name}")(t, i, num_segments=7))
        assert np.allclose(got, [reduce(p, axis=0) for p in parts], rtol=1e-12), name
    assert np.array_equal(np.asarray(wf.bincount(i)), np.bincount(ids))
    assert np.array_equal(np.asarray(wf.bincount(i, minlength=12)), np.bincount(ids, minlength=12))
    assert np.allclose(np.asarray(wf.bincount(i, wf.asarray(x[:, 0]))), np.bincount(ids, x[:, 0]))
    # The order of addition is that of the rows, for any number of threads.
    y = rng.normal(size=30000).astype(np.float32)
    which = rng.integers(0, 3, 30000)
    wanted = np.zeros(3, np.float32)
    np.add.at(wanted, which, y)
    assert np.array_equal(np.asarray(wf.segment_sum(wf.asarray(y), wf.asarray(which), num_segments=3)), wanted)


def test_associative_scan():
    for n in range(1, 20):
        x = wf.arange(n)
        assert wf.associative_scan(lambda a, b: a + b, x).tolist() == np.cumsum(np.arange(n)).tolist()
        back = wf.associative_scan(lambda a, b: a + b, x, reverse=True).tolist()
        assert back == np.cumsum(np.arange(n)[::-1])[::-1].tolist()
    a, b = wf.asarray(np.random.default_rng(0).random((2, 4, 9)))

    def after(left, right):
        return {"a": right["a"] * left["a"], "b": right["a"] * left["b"] + right["b"]}

    out = wf.associative_scan(after, {"a": a, "b": b}, axis=1)["b"]
    assert np.allclose(np.asarray(out), np.asarray(wf.linear_recurrence(a, b, axis=1)), rtol=1e-13)
    g = wf.grad(lambda v: wf.associative_scan(lambda p, q: p * q, v, axis=1).sum())(a)
    assert np.allclose(np.asarray(g), np.asarray(wf.grad(lambda v: wf.cumulative_prod(v, axis=1).sum())(a)), rtol=1e-12)
    with pytest.raises(wf.InvalidError, match=r"associative_scan: the function gives float64\[\] for float64\[2, 9\]"):
        wf.associative_scan(lambda p, q: p.sum(), a)
    with pytest.raises(wf.OutOfRangeError, match=r"axis 2 is out of range for shape \[4, 9\] \[associative_scan.axis\]"):
        wf.associative_scan(lambda p, q: p, a, axis=2)


SETS = ["unique_values", "unique_counts", "unique_inverse", "unique_all"]


def parts(result):
    return [t.tolist() for t in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64"])
def test_unique_where_values_are_recorded_or_traced(name, dtype):
    f = getattr(wf, name)
    with wf.Graph() as g:
        place = wf.placeholder(dtype, (None, None), "x")
        fetched = f(place)
    traced, session = wf.function(lambda x: f(x)), wf.Session(g)
    for x in ([[2, 0, 2], [1, 1, 2]], [[1, 1, 1]], [[3]], np.zeros((0, 2)), [[4, 3], [2, 1]]):
        x = np.asarray(x).astype(dtype)
        expected = parts(f(wf.tensor(x)))
        assert parts(traced(wf.tensor(x))) == expected
        run = session.run(fetched, {place: x})
        assert parts(run) == expected
        with wf.GradientTape() as tape:
            value = wf.tensor(x)
            if dtype in ("float32", "complex64"):
                tape.watch(value)
            assert parts(f(wf.where(True, value, value))) == expected
    assert parts(f(wf.Variable([2.0, 1.0, 2.0]))) == parts(f(wf.tensor([2.0, 1.0, 2.0])))


def test_the_gradient_of_distinct_values_is_that_of_the_first_ones():
    weights = wf.tensor([1.0, 10.0, 100.0])

    def total(x):
        return wf.sum(wf.unique_values(x) * weights)

    x = wf.tensor([2.0, 0.5, 2.0, 1.0, 0.5])
    slope = [100.0, 1.0, 0.0, 10.0, 0.0]
    assert wf.grad(total)(x).tolist() == slope == wf.function(wf.grad(total))(x).tolist()
    v = wf.Variable(x)
    with wf.GradientTape() as tape:
        value = wf.sum(wf.unique_all(v).values * weights)
    assert tape.gradient(value, v).tolist() == slope
    assert wf.jvp(total, (x,), (wf.ones(5),))[1].item() == 111.0


@pytest.mark.parametrize("name", SETS)
def test_unique_under_vmap_says_what_to_do(name):
    f = getattr(wf, name)
    for x in (wf.ones((2, 3)), wf.ones((2, 3), dtype=wf.int64)):
        with pytest.raises(wf.InvalidError, match=rf"^{name}: how many distinct elements there are differs between the examples of a vmap, so "
                                                  rf"there is no common shape; call it outside of vmap.*\[{name}.batch\]"):
            wf.vmap(f)(x)
    counted = wf.vmap(lambda x: x * wf.sum(f(wf.tensor([3, 1, 3])) if name == "unique_values" else f(wf.tensor([3, 1, 3]))[0]))
    assert counted(wf.tensor([1, 2])).tolist() == [4, 8]  # what all examples share
