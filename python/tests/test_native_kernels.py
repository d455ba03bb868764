"""Kernels written by hand, around the edges of their blocks: against NumPy, and the same bits in every layout, batch, tier and
number of threads."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import weft as wf


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture(params=[1, 2])
def threads(request):
    before = wf.num_threads()
    wf.set_num_threads(request.param)
    yield request.param
    wf.set_num_threads(before)


def same_bits(a, b):
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


# put_along_axis and other updates whose indices count along all axes but one.


@pytest.mark.parametrize("shape", [(7,), (5, 9), (3, 300), (300, 3), (4, 5, 130), (2, 129, 3), (1, 1), (2, 0, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float64, np.complex128])
def test_put_along_axis(rng, threads, shape, dtype):
    for axis in range(len(shape)):
        for count in (1, shape[axis], 2 * shape[axis] + 1):
            if shape[axis] == 0 and count > 0:
                continue
            where = shape[:axis] + (count,) + shape[axis + 1:]
            x, values = (rng.integers(-50, 50, s).astype(dtype) for s in (shape, where))
            indices = rng.integers(-shape[axis], shape[axis], where) if shape[axis] else np.zeros(where, np.int64)
            expected = x.copy()
            for at in np.ndindex(*where):  # in order: the last value stays
                place = at[:axis] + (indices[at],) + at[axis + 1:]
                expected[place] = values[at]
            for kind in (np.int64, np.int32):
                out = wf.put_along_axis(wf.asarray(x), wf.asarray(indices.astype(kind)), wf.asarray(values), axis=axis)
                assert same_bits(out, expected)


def test_put_along_axis_strided_and_broadcast(rng, threads):
    x = wf.asarray(rng.standard_normal((40, 33), dtype=np.float32))
    indices, values = rng.integers(0, 33, (40, 20)), rng.standard_normal((20, 40), dtype=np.float32).T
    expected = np.array(x)
    np.put_along_axis(expected, indices, values, 1)
    assert not np.array_equal(expected, np.asarray(x))
    turned = wf.asarray(np.ascontiguousarray(indices.T)).T
    got = wf.put_along_axis(x, turned, wf.asarray(np.ascontiguousarray(values.T)).T, axis=1)
    rows = np.asarray(wf.put_along_axis(x, wf.asarray(indices), wf.asarray(values.copy()), axis=1))
    assert same_bits(got, rows)
    one_row = np.array(x)
    for j, i in enumerate(indices[0]):
        one_row[:, i] = 7
    assert same_bits(wf.put_along_axis(x, wf.asarray(indices[:1]), 7.0, axis=1), one_row)


@pytest.mark.parametrize("name", ["set", "add", "multiply", "min", "max"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_updates_of_a_batch(rng, threads, name, dtype):
    x = rng.integers(-9, 9, (6, 11, 4)).astype(dtype)
    indices, values = rng.integers(-11, 11, (6, 30)), rng.integers(-3, 4, (6, 30, 4)).astype(dtype)

    def one(x, i, v):
        return getattr(x.at[i], name)(v)

    parts = [wf.asarray(a) for a in (x, indices, values)]
    together = wf.vmap(one)(*parts)
    for b in range(6):
        assert same_bits(together[b], one(*(p[b] for p in parts)))


def test_put_along_axis_names_the_index_out_of_range():
    with pytest.raises(IndexError, match=r"put_along_axis: index 5 at position \[1, 2\] is out of range for axis 1 with size 5"):
        wf.put_along_axis(wf.zeros((2, 5)), wf.asarray([[0, 1, 2], [3, 4, 5]]), 1.0, axis=1)


# solve_triangular.

SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 65, 100, 129]


def triangle(rng, n, dtype):
    return (rng.standard_normal((n, n)) + 2 * n * np.eye(n)).astype(dtype)


def by_substitution(a, b, upper, unit):
    """The order of operations that Weft states, in exact products of float32: each step is rounded once."""
    n = len(b)
    x = np.zeros_like(b)
    for i in reversed(range(n)) if upper else range(n):
        total = b[i]
        for j in reversed(range(i + 1, n)) if upper else range(i):
            total = np.float32(np.longdouble(total) - np.longdouble(a[i, j]) * np.longdouble(x[j]))
        x[i] = total if unit else total / a[i, i]
    return x


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_solve_triangular_follows_its_order(rng, n, upper, unit):
    a, b = triangle(rng, n, np.float32) / (n if unit else 1), rng.standard_normal(n, dtype=np.float32)
    a = a.astype(np.float32)
    got = wf.linalg.solve_triangular(wf.asarray(a), wf.asarray(b), upper=upper, unit_diagonal=unit)
    assert same_bits(got, by_substitution(a, b, upper, unit))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", SIZES + [200])
def test_solve_triangular_has_one_result_per_column(rng, threads, n, dtype):
    solve = wf.linalg.solve_triangular
    a, b = triangle(rng, n, dtype), rng.standard_normal((n, 40)).astype(dtype)
    wa, wb = wf.asarray(a), wf.asarray(b)
    by_columns = wf.asarray(np.ascontiguousarray(a.T)).T
    spread = wf.asarray(np.repeat(np.repeat(a, 2, 0), 3, 1))[::2, ::3]
    backwards = wf.asarray(np.ascontiguousarray(a[::-1, ::-1]))[::-1, ::-1]
    for upper in (False, True):
        for adjoint in (False, True):
            for unit in (False, True):
                how = dict(upper=upper, adjoint=adjoint, unit_diagonal=unit)
                if unit:  # keep the solution finite
                    wa2, others = wa / (4.0 * n * n), [m / (4.0 * n * n) for m in (by_columns, spread, backwards)]
                else:
                    wa2, others = wa, [by_columns, spread, backwards]
                whole = np.asarray(solve(wa2, wb, **how))
                t = np.triu(np.asarray(wa2)) if upper else np.tril(np.asarray(wa2))
                if unit:
                    np.fill_diagonal(t, 1)
                np.testing.assert_allclose((t.T if adjoint else t) @ whole, b, rtol=1e-3, atol=2e-4)
                for count in (1, 2, 3, 8, 9, 16, 17, 33):
                    assert same_bits(solve(wa2, wb[:, :count], **how), whole[:, :count].copy())
                assert same_bits(solve(wa2, wb[:, 5], **how), whole[:, 5].copy())
                for other in others:
                    assert same_bits(solve(other, wb, **how), whole)
                    assert same_bits(solve(other, wb[:, :1], **how), whole[:, :1].copy())


def test_solve_triangular_of_batches(rng, threads):
    solve = wf.linalg.solve_triangular
    a = np.stack([triangle(rng, 20, np.float32) for _ in range(7)])
    b = rng.standard_normal((7, 20, 3), dtype=np.float32)
    a[2, 5, 3] = np.inf
    a[3, 0, 9] = np.nan  # above the diagonal: not read
    b[4, 2, 1] = np.nan
    out = np.asarray(solve(wf.asarray(a), wf.asarray(b)))
    assert np.isnan(out[2]).all() and np.isfinite(out[[0, 1, 3, 5, 6]]).all()
    assert np.isnan(out[4, :, 1]).all() and np.isfinite(out[4][:, [0, 2]]).all()
    for i in range(7):
        assert same_bits(out[i].copy(), solve(wf.asarray(a[i]), wf.asarray(b[i])))
        assert same_bits(out[i][:, 1].copy(), solve(wf.asarray(a[i]), wf.asarray(b[i, :, 1].copy())))
    assert solve(wf.zeros((0, 0)), wf.zeros((0, 2))).shape == (0, 2)
    assert solve(wf.eye(3), wf.zeros((3, 0))).shape == (3, 0)
    a[5, 4, 4] = 0
    for columns in (1, 3):
        with pytest.raises(ValueError, match=r"matrix \[5\] of the batch is singular: element 4 of its diagonal is 0"):
            solve(wf.asarray(a), wf.asarray(b[..., :columns].copy()))


@pytest.mark.parametrize("n", [17, 40])
def test_solve_triangular_finds_what_is_not_finite_wherever_it_is(rng, n):
    for i, j in [(0, 0), (n - 1, 0), (n - 1, n - 1), (n // 2, n // 2), (n - 1, n - 2), (16, 3)]:
        a = triangle(rng, n, np.float32)
        a[i, j] = -np.inf
        for upper, m in ((False, a), (True, a.T.copy())):
            assert np.isnan(np.asarray(wf.linalg.solve_triangular(wf.asarray(m), wf.ones(n), upper=upper))).all()
            other = np.asarray(wf.linalg.solve_triangular(wf.asarray(m), wf.ones(n), upper=not upper))
            assert np.isnan(other).all() == (i == j)


# cdist.


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("coordinates", [0, 1, 3, 7, 8, 9, 16, 31])
def test_cdist(rng, threads, coordinates, dtype):
    for n, m in ((1, 1), (2, 17), (5, 16), (50, 33), (97, 15)):
        a, b = (rng.standard_normal((s, coordinates)).astype(dtype) for s in (n, m))
        exact = np.sqrt(((a[:, None].astype(np.float64) - b[None].astype(np.float64)) ** 2).sum(-1))
        whole = np.asarray(wf.nn.cdist(wf.asarray(a), wf.asarray(b)))
        np.testing.assert_allclose(whole, exact, rtol=2e-3 if dtype == np.float16 else 1e-5)
        for i in (0, n // 2, n - 1):
            j = m - 1 - i % m
            assert same_bits(wf.nn.cdist(wf.asarray(a[i:i + 1]), wf.asarray(b[j:])), whole[i:i + 1, j:].copy())


# segment_min and segment_max of many rows a segment.


@pytest.mark.parametrize("rows, segments", [(1, 1), (63, 2), (64, 2), (5000, 7), (5000, 160), (100, 100)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int16])
def test_segment_extrema(rng, threads, rows, segments, dtype):
    ids, data = rng.integers(0, segments, rows), rng.integers(-999, 999, rows).astype(dtype)
    if dtype != np.int16:
        data[rng.random(rows) < 0.01] = np.nan
        data[rng.random(rows) < 0.2] = -0.0
    for of, combine in ((wf.segment_min, np.minimum), (wf.segment_max, np.maximum)):
        out = np.asarray(of(wf.asarray(data), wf.asarray(ids), segments))
        for s in range(segments):
            if (ids == s).any():
                np.testing.assert_equal(out[s], combine.reduce(data[ids == s]))
        few = np.asarray(of(wf.asarray(data), wf.asarray(ids), 1000 + segments))[:segments]  # the other loop
        assert out.tobytes() == few.tobytes() or rows < segments
    for bad in (-1, segments, 2**62, -2**63):
        ids[rows // 2] = bad
        with pytest.raises(IndexError):
            wf.segment_min(wf.asarray(data), wf.asarray(ids), segments)


# eye and permutation.


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex128"])
def test_eye_is_the_same_in_a_graph(threads, dtype):
    for rows, columns, k in ((0, 3, 0), (3, 0, 0), (1, 1, 0), (5, 5, 0), (4, 9, 3), (4, 9, 8), (4, 9, 9), (9, 4, -5), (9, 4, -9),
                             (300, 301, 1)):
        expected = np.eye(rows, columns, k, dtype=dtype)
        assert same_bits(wf.eye(rows, columns, k=k, dtype=dtype), expected)
        assert same_bits(wf.function(lambda: wf.eye(rows, columns, k=k, dtype=dtype))(), expected)


def test_permutation_is_one():
    key = wf.random.Key(3)
    for n in (0, 1, 2, 63, 64, 65, 66, 127, 128, 129, 1000):
        out = np.asarray(wf.random.permutation(key, n))
        assert sorted(out.tolist()) == list(range(n))
    # Draws depend on the key and the position alone: these stay what they were.
    assert np.asarray(wf.random.permutation(wf.random.Key(0), 8)).tolist() == [5, 4, 2, 3, 7, 6, 1, 0]
    many = np.asarray(wf.random.permutation(wf.random.Key(7), 100_003))
    assert hashlib.sha256(many.tobytes()).hexdigest().startswith("a94b571ea4888434")


TIERS = """
import hashlib, numpy as np, weft as wf
rng = np.random.default_rng(1)
h = hashlib.sha256()
add = lambda t: h.update(np.asarray(t).tobytes())
for n in (3, 16, 33, 70):
    for dtype in (np.float32, np.float64):
        a = (rng.standard_normal((n, n)) + n * np.eye(n)).astype(dtype)
        b = rng.standard_normal((n, 40)).astype(dtype)
        for columns in (1, 5, 40):
            for upper in (False, True):
                add(wf.linalg.solve_triangular(wf.asarray(a), wf.asarray(b[:, :columns].copy()), upper=upper))
        for d in (1, 3, 8, 21):
            points = [wf.asarray(rng.standard_normal((count, d)).astype(dtype)) for count in (n, 20)]
            add(wf.nn.cdist(*points))
    add(wf.random.permutation(wf.random.Key(n), 1000 + n))
print(h.hexdigest())
"""


def test_every_tier_has_the_same_bits():
    digests = set()
    for isa in ("portable", "avx2", "avx512"):
        done = subprocess.run([sys.executable, "-c", TIERS], env={**os.environ, "WEFT_ISA": isa}, capture_output=True, text=True)
        if done.returncode != 0:
            assert "WEFT_ISA" in done.stderr, done.stderr  # the CPU lacks it
            continue
        digests.add(done.stdout)
    assert len(digests) == 1
