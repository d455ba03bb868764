"""Statistics and what NumPy has around them: histograms, covariances, medians of numbers, triangles, rounding to decimals."""

import numpy as np
import pytest
import weft as wf

RNG = np.random.default_rng(3)
X = RNG.standard_normal((4, 30))


def message(call):
    with pytest.raises(wf.Error) as caught:
        call()
    return str(caught.value).partition("\n")[0]


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_nanmedian(axis):
    holes = np.where(X > 1, np.nan, X)
    assert np.allclose(wf.nanmedian(wf.tensor(holes), axis=axis).numpy(), np.nanmedian(holes, axis=axis), rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_medians_of_the_least_and_the_greatest(dtype):
    least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    for low, high, wanted in ((least, least, least), (least, 2 * least, 2 * least), (-least, least, 0), (most, most, most),
                              (-most, most, 0), (-np.inf, most, -np.inf), (np.inf, np.inf, np.inf)):
        x = wf.tensor(np.array([high, low], dtype))
        assert wf.median(x).item() == wf.nanmedian(x).item() == wanted


@pytest.mark.parametrize("options", [{}, {"bins": 4}, {"bins": 7, "range": (-1.0, 0.5)}, {"bins": [-2.0, 0.0, 0.1, 3.0]},
                                     {"bins": 5, "density": True}, {"bins": 6, "weights": RNG.random(X.shape)}])
def test_histogram(options):
    counts, edges = wf.histogram(wf.tensor(X), **options)
    wanted, wanted_edges = np.histogram(X, **options)
    assert np.allclose(counts.numpy(), wanted, rtol=1e-13) and np.allclose(edges.numpy(), wanted_edges, rtol=1e-14)


def test_histogram_of_integers_and_ends():
    x = np.array([1, 2, 2, 3, 3, 3, 9])
    counts, edges = wf.histogram(wf.tensor(x), 4)
    wanted, wanted_edges = np.histogram(x, 4)
    assert counts.tolist() == wanted.tolist() and edges.tolist() == wanted_edges.tolist()
    assert wf.histogram(wf.tensor([2.0, 2.0]), 2)[1].tolist() == np.histogram([2.0, 2.0], 2)[1].tolist()
    assert wf.histogram(wf.tensor([0.0, np.nan, 1.0]), 2, range=(0.0, 1.0))[0].tolist() == [1, 1]
    assert wf.histogram(wf.tensor([0.5, 7.0]), [-np.inf, 0.5, 1.0, np.inf])[0].tolist() == [0, 1, 1]
    many = wf.vmap(lambda row: wf.histogram(row, 5)[0])(wf.tensor(X)).numpy()
    assert many.tolist() == [np.histogram(row, 5)[0].tolist() for row in X]


@pytest.mark.parametrize("dtype", [wf.float32, wf.float64])
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.1, 0.7), (-1 / 3, 1e6), (-3e38, 3e38)])
def test_edges_of_a_histogram_are_those_of_linspace(dtype, ends):
    for bins in (1, 7, 10, 301):
        counts, edges = wf.histogram(wf.tensor([ends[0], ends[1]], dtype=dtype), bins, range=ends)
        assert edges.tolist() == wf.linspace(*ends, bins + 1, dtype=dtype).tolist()
        assert sum(counts.tolist()) == 2


@pytest.mark.parametrize("low, high", [(0, 1), (-2, 2), (0.1, 0.7), (-1 / 3, 1e6), (3, 3)])
def test_points_and_bins_are_those_of_numpy(low, high):
    for bins in (1, 2, 7, 10, 49, 301):
        points = np.linspace(low, high, bins + 1)
        assert wf.linspace(low, high, bins + 1, dtype=wf.float64).tolist() == points.tolist()
        without = wf.linspace(low, high, bins, dtype=wf.float64, endpoint=False)
        assert without.tolist() == np.linspace(low, high, bins, endpoint=False).tolist()
        on_edges = np.concatenate([points, low + (high - low) * np.arange(bins) / bins])
        counts, edges = wf.histogram(wf.tensor(on_edges), bins, range=(low, high))
        wanted, wanted_edges = np.histogram(on_edges, bins, range=(low, high))
        assert counts.tolist() == wanted.tolist() and edges.tolist() == wanted_edges.tolist()


def test_numbers_of_python_are_exact_edges():
    x = wf.tensor([0.1, 0.3], dtype=wf.float64)
    assert wf.histogram(x, 10, range=(0, 1))[0].tolist() == np.histogram(x.numpy(), 10, range=(0, 1))[0].tolist()
    assert wf.histogram(x, [0.1, 0.2, 0.3])[0].tolist() == [1, 1]
    assert wf.histogram(x, 2, range=(0.1, 0.3))[0].tolist() == [1, 1]


def test_histograms_without_ends():
    infinite = wf.tensor([0.0, np.inf])
    wanted = "histogram: x goes from 0.0 to inf; without a range its elements must be finite [histogram.range]"
    assert message(lambda: wf.histogram(infinite)) == wanted
    assert message(lambda: wf.grad(lambda x: wf.sum(wf.histogram(x)[1]))(infinite)) == wanted
    wanted = "histogram: edge 1 is 0.0 and the one before it 1.0; edges must ascend [histogram.edges]"
    assert message(lambda: wf.histogram(wf.zeros(3), [1.0, 0.0])) == wanted
    slope = wf.grad(lambda range: wf.sum(wf.histogram(wf.zeros(3), 4, range=range)[1]))(wf.tensor([-1.0, 3.0]))
    assert slope.tolist() == [2.5, 2.5]


@pytest.mark.parametrize("x, y", [(X, None), (X[0], None), (X, X[1] ** 2), (X[0], X[1]), (X + 1j * X[::-1], None)])
def test_covariances(x, y):
    given = (wf.tensor(x),) if y is None else (wf.tensor(x), wf.tensor(y))
    assert np.allclose(wf.cov(*given).numpy(), np.cov(x, y), rtol=1e-13)
    assert np.allclose(wf.cov(*given, correction=0).numpy(), np.cov(x, y, ddof=0), rtol=1e-13)
    assert np.allclose(wf.corrcoef(*given).numpy(), np.corrcoef(x, y), rtol=1e-13)


def test_covariances_of_columns():
    assert np.allclose(wf.cov(wf.tensor(X), rowvar=False).numpy(), np.cov(X, rowvar=False), rtol=1e-13)
    assert np.allclose(wf.corrcoef(wf.tensor(X), rowvar=False).numpy(), np.corrcoef(X, rowvar=False), rtol=1e-13)


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariances_of_one_variable_where_sizes_are_not_known(name):
    f, x = getattr(wf, name), np.random.default_rng(3).standard_normal((4, 5)).astype(np.float32)
    eager = f(wf.tensor(x)).numpy()
    with wf.Graph() as g:
        p, one = wf.placeholder(wf.float32, (None, 5), "p"), wf.placeholder(wf.float32, (1, None), "one")
        both = f(p), wf.vmap(f)(wf.stack([p, p]))
        number = f(one)
    s = wf.Session(g)
    assert np.array_equal(s.run(both[0], {p: x}), eager) and np.array_equal(s.run(both[1], {p: x}), [eager, eager])
    assert number.shape == () and s.run(number, {one: x[:1]}) == f(wf.tensor(x[:1])).item()
    for value in both:
        with pytest.raises(wf.InvalidError, match=rf"^{name}: there is 1 variable, for which the result is a number, but the graph does "
                                                  rf"not know so and has a matrix; give the placeholder this size.*\[{name}.variables\]"):
            s.run(value, {p: x[:1]})
    traced = wf.function(lambda x: f(x[1:]))
    for rows in (4, 3, 2, 4):
        got, expected = traced(wf.tensor(x[:rows])), f(wf.tensor(x[1:rows]))
        assert got.shape == expected.shape and np.array_equal(got.numpy(), expected.numpy())


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_one_variable_has_a_number(name):
    for x, rowvar in ((X[:1], True), (X[:, :1], False), (X[0], True), (X[0], False)):
        got, wanted = getattr(wf, name)(wf.tensor(x), rowvar=rowvar), getattr(np, name)(x, rowvar=rowvar)
        assert got.shape == wanted.shape == () and np.allclose(got.item(), wanted)
    assert getattr(wf, name)(wf.zeros((0, 3))).shape == (0, 0)


@pytest.mark.parametrize("n, k, m", [(3, 0, None), (4, 1, 6), (4, -2, 3), (2, 9, 2), (2, -9, 2), (0, 0, None), (5, 1, 0)])
def test_indices_of_triangles(n, k, m):
    for ours, theirs in ((wf.tril_indices, np.tril_indices), (wf.triu_indices, np.triu_indices)):
        assert [i.tolist() for i in ours(n, k, m)] == [i.tolist() for i in theirs(n, k, m)]
    x = X[:3, :3]
    assert wf.tensor(x)[wf.triu_indices(3)].tolist() == x[np.triu_indices(3)].tolist()


def test_indices_of_a_triangle_that_memory_cannot_hold():
    with pytest.raises((wf.Error, MemoryError)):
        wf.tril_indices(2**62)
    most = 2**63 - 1
    for n in (2**62, most):
        assert [i.tolist() for i in wf.tril_indices(n, 1 - n)] == [[n - 1], [0]]
        assert [i.tolist() for i in wf.triu_indices(n, n - 1)] == [[0], [n - 1]]
        for k in (most, -most - 1):
            assert [len(wf.tril_indices(n, k, 0)[0]), len(wf.triu_indices(0, k, n)[0])] == [0, 0]
    assert [i.tolist() for i in wf.triu_indices(1, -most - 1, 2)] == [[0, 0], [0, 1]]
    assert [i.tolist() for i in wf.tril_indices(2, most, 1)] == [[0, 1], [0, 0]]
    rows, columns = wf.tril_indices(most, 3 - most)
    assert [most - i for i in rows.tolist()] == [3, 2, 2, 1, 1, 1] and columns.tolist() == [0, 0, 1, 0, 1, 2]


@pytest.mark.parametrize("decimals", [0, 1, 3, -1, -2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "complex128"])
def test_round(decimals, dtype):
    x = (RNG.standard_normal(200) * 500).astype(dtype)
    assert wf.round(wf.tensor(x), decimals=decimals).numpy().tolist() == np.round(x, decimals).tolist()
    assert round(wf.tensor(x), decimals).numpy().tolist() == np.round(x, decimals).tolist()


def test_round_at_the_edges():
    assert wf.round(wf.tensor([15, 25, -25, -35, 44]), decimals=-1).tolist() == [20, 20, -20, -40, 40]
    assert wf.round(wf.tensor([1e308, -np.inf, np.nan], dtype=wf.float64), decimals=5).tolist()[:2] == [1e308, -np.inf]
    assert wf.round(wf.tensor([2**62 + 1, -7]), decimals=2**62).tolist() == [2**62 + 1, -7]
    for places in range(23, 308):
        unit = float(f"1e{places}")
        assert wf.round(wf.tensor([3 * unit], dtype=wf.float64), decimals=-places).tolist() == [3 * unit]
    assert wf.grad(lambda x: wf.sum(wf.round(x, decimals=2)))(wf.tensor([1.234])).tolist() == [0.0]


@pytest.mark.parametrize("name", ["var", "std"])
def test_spread_of_complex_numbers_is_real(name):
    z = X + 1j * X[::-1] ** 2
    got = getattr(wf, name)(wf.tensor(z), axis=1, correction=1)
    assert got.dtype == wf.float64 and np.allclose(got.numpy(), getattr(np, name)(z, axis=1, ddof=1), rtol=1e-14)


def test_a_mean_of_complex_numbers_divides_as_numpy():
    for z in ([complex(np.nan, 1), 1 + 1j], [complex(np.inf, 1), 1 + 1j]):
        got, wanted = wf.mean(wf.tensor(np.array(z))).item(), np.mean(np.array(z))
        assert repr(got) == repr(complex(wanted))


def test_multi_dot():
    a, b, c, d = (RNG.standard_normal(s) for s in ((3, 7), (7, 2), (2, 9), (9,)))
    got = wf.linalg.multi_dot([wf.tensor(m) for m in (a, b, c, d)])
    assert np.allclose(got.numpy(), np.linalg.multi_dot([a, b, c, d]), rtol=1e-13)
    assert wf.linalg.multi_dot([a[0], b]).shape == (2,)


@pytest.mark.parametrize("p", [None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf])
def test_cond(p):
    a = RNG.standard_normal((2, 3, 3))
    assert np.allclose(wf.linalg.cond(wf.tensor(a), p).numpy(), np.linalg.cond(a, p), rtol=1e-10)
    if p not in (None, 2, -2):
        both = wf.tensor([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.5], [1.0, 3.0]]])
        assert wf.linalg.cond(both, p).tolist()[0] == np.inf
        slopes = wf.grad(lambda x: wf.linalg.cond(x, p)[1])(both).numpy()
        assert (slopes[0] == 0).all() and np.isfinite(slopes[1]).all() and (slopes[1] != 0).any()


def test_draws_of_normals():
    key = wf.random.Key(4)
    z = wf.random.normal(key, (1000,), dtype=wf.float64)
    draws = wf.random.lognormal(key, (1000,), mean=0.5, sigma=0.25, dtype=wf.float64)
    assert np.allclose(np.log(draws.numpy()), 0.5 + 0.25 * z.numpy())
    mean, cov = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 1.0]])
    vectors = wf.random.multivariate_normal(key, wf.tensor(mean), wf.tensor(cov), shape=(100_000,)).numpy()
    assert np.allclose(vectors.mean(0), mean, atol=0.02) and np.allclose(np.cov(vectors.T), cov, atol=0.03)


def test_one_covariance_for_many_draws_is_one_product():
    def total(cov):
        return wf.sum(wf.random.multivariate_normal(wf.random.Key(0), wf.zeros(8), cov, shape=(100,)))

    sizes = []
    with wf.observe(lambda seen: sizes.extend(out.size for out in seen.outputs)):
        wf.grad(total)(wf.eye(8))
    assert max(sizes) == 100 * 8  # no matrix for each draw


def test_dropout_of_a_sequence_needs_a_key():
    x, h, w = wf.ones((2, 1, 3)), wf.zeros((2, 1, 4)), [wf.ones((4, 3)), wf.ones((4, 4)), wf.ones((4, 4)), wf.ones((4, 4))]
    text = message(lambda: wf.nn.rnn_tanh(x, h, weights=w, num_layers=2, has_biases=False, dropout=0.5))
    assert text == ("rnn_tanh: dropout is 0.5 without a key; give one, random.Key(seed), or leave dropout out to drop nothing "
                    "[rnn_tanh.key]")
    one = [wf.nn.rnn_tanh(x, h[:1], weights=w[:2], has_biases=False, dropout=p)[0].tolist() for p in (0.0, 0.5)]
    assert one[0] == one[1]  # no layer follows: there is nothing to draw


def test_offsets_of_bags_under_vmap():
    weight = wf.ones((4, 2))
    offsets = wf.tensor([[0, 1], [1, 2]])
    text = message(lambda: wf.vmap(lambda o: wf.nn.embedding_bag(wf.tensor([0, 1, 2]), weight, o))(offsets))
    assert "the first offset is 1; the first bag must begin at 0 [embedding_bag.offsets]" in text
