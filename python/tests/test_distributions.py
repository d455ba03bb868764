"""Draws against their distributions: fixed keys, Kolmogorov-Smirnov and chi-square tests, moments, implicit gradients."""

import numpy as np
import pytest
from scipy import special, stats

import weft as wf

N = 20000
KEY = wf.random.Key(2024)
LIMIT = 1e-3  # a correct sampler passes for this key; a wrong one is off by orders of magnitude


def draws(f, *args, **options):
    return np.asarray(f(KEY, *args, **options)).astype(np.float64)


def fits(sample, distribution):
    return stats.kstest(sample.ravel(), distribution.cdf).pvalue > LIMIT


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, distribution", [
    ("exponential", stats.expon), ("gumbel", stats.gumbel_r), ("laplace", stats.laplace), ("logistic", stats.logistic),
    ("cauchy", stats.cauchy), ("normal", stats.norm), ("uniform", stats.uniform)])
def test_transformed_draws(name, distribution, dtype):
    x = draws(getattr(wf.random, name), (N,), dtype=dtype)
    assert np.all(np.isfinite(x)) and fits(x, distribution)
    if name not in ("uniform", "normal", "exponential"):
        y = draws(getattr(wf.random, name), (N,), dtype=dtype, loc=-1.0, scale=2.5)
        assert fits(y, distribution(loc=-1, scale=2.5))


@pytest.mark.parametrize("alpha", [0.02, 0.3, 1.0, 2.5, 40.0, 1e4, 1e7])
def test_gamma(alpha):
    assert fits(draws(wf.random.gamma, wf.tensor(alpha, dtype="float64"), shape=(N,)), stats.gamma(alpha))


@pytest.mark.parametrize("a, b", [(0.1, 0.2), (1, 1), (2, 5), (300, 20)])
def test_beta(a, b):
    x = draws(wf.random.beta, wf.tensor(a, dtype="float64"), wf.tensor(b, dtype="float64"), shape=(N,))
    assert fits(x, stats.beta(a, b))


def test_dirichlet():
    alpha = np.array([0.5, 2.0, 7.0])
    x = draws(wf.random.dirichlet, wf.asarray(alpha), shape=(N,))
    assert x.shape == (N, 3) and np.allclose(x.sum(-1), 1)
    for k in range(3):  # marginals are beta distributed
        assert fits(x[:, k], stats.beta(alpha[k], alpha.sum() - alpha[k]))


def chi_square(sample, distribution):
    """The p-value of counts, with values of expected count below 5 joined."""
    low, high = distribution.ppf(1e-3), distribution.ppf(1 - 1e-3)
    edges = np.unique(np.linspace(low, high, 40).astype(int))
    cdf = np.concatenate([[0], distribution.cdf(edges), [1]])
    counts = np.histogram(sample, np.concatenate([[-0.5], edges + 0.5, [np.inf]]))[0]
    expected = np.diff(cdf) * sample.size
    keep = expected >= 5
    total = expected[keep].sum()
    return stats.chisquare(counts[keep], expected[keep] * counts[keep].sum() / total).pvalue


@pytest.mark.parametrize("rate", [0.3, 5.0, 9.99, 10.0, 37.5, 1000.0, 1e6])
def test_poisson(rate):
    x = draws(wf.random.poisson, wf.tensor(rate, dtype="float64"), shape=(N,))
    assert chi_square(x, stats.poisson(rate)) > LIMIT
    assert np.all(np.asarray(wf.random.poisson(KEY, wf.zeros((50,)))) == 0)


@pytest.mark.parametrize("n, p", [(1, 0.3), (20, 0.1), (30, 0.5), (30, 0.9), (1000, 0.02), (1000, 0.4), (10**6, 0.7)])
def test_binomial(n, p):
    x = draws(wf.random.binomial, n, wf.tensor(p, dtype="float64"), shape=(N,))
    assert x.min() >= 0 and x.max() <= n and chi_square(x, stats.binom(n, p)) > LIMIT
    assert np.all(np.asarray(wf.random.binomial(KEY, n, wf.ones((9,)))) == n)


@pytest.mark.parametrize("a, b", [(-2, 2), (-np.inf, np.inf), (-0.5, 0.7), (0.1, 0.3), (3, np.inf), (6, 6.1), (-9, -8), (-1, 5)])
def test_truncated_normal(a, b):
    x = draws(wf.random.truncated_normal, wf.tensor(a, dtype="float64"), wf.tensor(b, dtype="float64"), shape=(N,))
    assert x.min() >= a and x.max() <= b and fits(x, stats.truncnorm(a, b))


def test_categorical_and_choice():
    p = np.array([0.1, 0.2, 0.0, 0.7])
    x = np.asarray(wf.random.categorical(KEY, wf.log(wf.asarray(p)), shape=(N,)))
    y = np.asarray(wf.random.choice(KEY, 4, shape=(N,), p=wf.asarray(p)))
    for sample in (x, y):
        counts = np.bincount(sample, minlength=4)
        assert counts[2] == 0 and stats.chisquare(counts[p > 0], N * p[p > 0]).pvalue > LIMIT
    even = np.bincount(np.asarray(wf.random.choice(KEY, 7, shape=(N,))), minlength=7)
    assert stats.chisquare(even).pvalue > LIMIT
    once = np.asarray(wf.random.choice(KEY, wf.arange(100), shape=(100,), replace=False))
    assert sorted(once.tolist()) == list(range(100))
    keys = KEY.split(4000)
    first = np.asarray(wf.vmap(lambda k: wf.random.choice(k, 4, shape=(2,), replace=False, p=wf.asarray(p)))(keys))
    assert np.all(first[:, 0] != first[:, 1]) and not np.any(first == 2)
    counts = np.bincount(first[:, 0], minlength=4)
    assert stats.chisquare(counts[p > 0], 4000 * p[p > 0]).pvalue > LIMIT


def test_shuffle_and_rademacher():
    x = np.arange(60).reshape(20, 3)
    y = np.asarray(wf.random.shuffle(KEY, wf.asarray(x)))
    assert sorted(map(tuple, y)) == sorted(map(tuple, x)) and not np.array_equal(x, y)
    signs = draws(wf.random.rademacher, (N,))
    assert set(signs) == {-1, 1} and abs(signs.mean()) < 4 / np.sqrt(N)


@pytest.mark.parametrize("name, variance", [("glorot_uniform", 2 / 700), ("glorot_normal", 2 / 700), ("he_uniform", 2 / 300),
                                            ("he_normal", 2 / 300), ("lecun_uniform", 1 / 300), ("lecun_normal", 1 / 300)])
def test_initializers(name, variance):
    x = draws(getattr(wf.random, name), (400, 300))  # [outputs, inputs], as nn.linear has them
    assert abs(x.mean()) < 5 * np.sqrt(variance / x.size)
    assert abs(x.var() / variance - 1) < 0.03
    bound = np.sqrt(3 * variance) if "uniform" in name else 2 * np.sqrt(variance) / 0.8796256610342398
    assert np.abs(x).max() <= bound * (1 + 1e-6)
    y = draws(getattr(wf.random, name), (3, 300, 400), in_axis=-2, out_axis=-1)
    assert abs(y.var() / (variance / 3) - 1) < 0.03


@pytest.mark.parametrize("draw", [
    lambda k, a: wf.random.gamma(k, a), lambda k, a: wf.random.beta(k, a, a + 1), lambda k, a: wf.random.dirichlet(k, a),
    lambda k, a: wf.random.poisson(k, a * 9), lambda k, a: wf.random.binomial(k, 50, a / 9),
    lambda k, a: wf.random.truncated_normal(k, -a, a), lambda k, a: wf.random.categorical(k, a),
    lambda k, a: wf.random.shuffle(k, a), lambda k, a: wf.random.choice(k, a, shape=(3,))])
def test_batches_draw_as_their_examples_do(draw):
    keys, a = KEY.split(5), wf.asarray(np.random.default_rng(0).uniform(0.2, 8, (5, 6)).astype(np.float32))
    together = np.asarray(wf.vmap(draw)(keys, a))
    alone = np.stack([np.asarray(draw(keys[i], a[i])) for i in range(5)])
    assert np.array_equal(together, alone)


def test_the_implicit_gradient_keeps_the_distribution_function():
    rng = np.random.default_rng(1)
    alpha = np.concatenate([rng.uniform(0.05, 1, 60), rng.uniform(1, 20, 60), rng.uniform(20, 9000, 40)])
    slope = wf._core.op("random.loggamma_draws.slope")
    for u in (1e-4, 0.02, 0.3, 0.5, 0.9, 0.9999):
        step = alpha * 1e-5
        x = [special.gammaincinv(alpha + s * step, u) for s in (-1, 0, 1)]
        keep = x[0] > 1e-200
        wanted = ((np.log(x[2]) - np.log(x[0])) / (2 * step))[keep]
        got = np.asarray(slope(wf.asarray(alpha), wf.asarray(np.log(np.maximum(x[1], 1e-300)))))[keep]
        assert np.allclose(got, wanted, rtol=2e-6), np.max(np.abs(got / wanted - 1))
    big = np.array([2e4, 1e6, 1e9])
    for u in (0.01, 0.5, 0.99):
        x = [special.gammaincinv(big * (1 + s * 1e-4), u) for s in (-1, 0, 1)]
        wanted = (np.log(x[2]) - np.log(x[0])) / (2e-4 * big)
        assert np.allclose(np.asarray(slope(wf.asarray(big), wf.asarray(np.log(x[1])))), wanted, rtol=1e-5)


def test_gradients_of_expectations():
    """d/dalpha E[x] = 1 for gamma; d/da E[x] = b / (a + b)^2 for beta; scales and locations pass through."""
    alpha = wf.tensor(2.5, dtype="float64")
    g = wf.grad(lambda a: wf.random.gamma(KEY, a, shape=(N,)).mean())(alpha)
    assert abs(float(g) - 1) < 0.03
    a, b = 2.0, 3.0
    g = wf.grad(lambda v: wf.random.beta(KEY, v, wf.tensor(b, dtype="float64"), shape=(N,)).mean())(wf.tensor(a, dtype="float64"))
    assert abs(float(g) - b / (a + b) ** 2) < 0.01
    g = wf.grad(lambda v: wf.random.dirichlet(KEY, v, shape=(N,))[:, 0].mean())(wf.tensor([1.0, 2.0, 3.0], dtype="float64"))
    assert np.allclose(np.asarray(g), [5 / 36, -1 / 36, -1 / 36], atol=0.006)
    g = wf.grad(lambda s: wf.random.exponential(KEY, (N,), scale=s).mean())(wf.tensor(3.0))
    assert abs(float(g) - 1) < 0.03
    g = wf.grad(lambda m: wf.random.gumbel(KEY, (10,), loc=m).mean())(wf.tensor(3.0))
    assert abs(float(g) - 1) < 1e-6


def test_orthogonal():
    for shape in ((40, 40), (10, 50), (50, 10), (3, 4, 20)):
        q = draws(wf.random.orthogonal, shape, dtype="float64").reshape(-1, shape[-1])
        gram = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
        assert np.allclose(gram, np.eye(len(gram)), atol=1e-14)
    keys = KEY.split(3000)
    q = np.asarray(wf.vmap(lambda k: wf.random.orthogonal(k, (2, 2), dtype="float64", gain=2.0))(keys)) / 2
    angles = np.arctan2(q[:, 1, 0], q[:, 0, 0])  # uniform, as are the signs of the determinant
    assert fits((angles + np.pi) / (2 * np.pi), stats.uniform) and abs(np.linalg.det(q).mean()) < 0.08


def test_second_derivatives_of_gamma_draws():
    """Of a draw x(alpha) at one value of the distribution function, against differences of SciPy's inverse; in all modes."""
    alpha = np.concatenate([np.linspace(0.05, 1, 7), np.linspace(1.5, 20, 7), [150.0, 3000.0, 2e4, 1e6]])
    for u in (1e-3, 0.3, 0.5, 0.9, 0.9999):
        h = alpha * 2e-3
        x = [special.gammaincinv(alpha + s * h, u) for s in (-1, 0, 1)]
        keep = x[0] > 1e-200
        wanted = ((np.log(x[0]) + np.log(x[2]) - 2 * np.log(x[1])) / h**2)[keep]
        a, log_x = wf.asarray(alpha[keep]), wf.asarray(np.log(x[1])[keep])
        slope = np.asarray(wf._core.op("random.loggamma_draws.slope")(a, log_x))
        in_alpha, in_log_x = map(np.asarray, wf._core.op("random.loggamma_draws.curvature")(a, log_x))
        assert np.allclose(in_alpha + in_log_x * slope, wanted, rtol=2e-5)


@pytest.mark.parametrize("second", [lambda f: wf.grad(wf.grad(f)), lambda f: wf.grad(lambda a: wf.jvp(f, (a,), (wf.ones_like(a),))[1]),
                                    lambda f: lambda a: wf.jvp(wf.grad(f), (a,), (wf.ones_like(a),))[1], wf.hessian])
def test_second_derivatives_of_expectations(second):
    """E[x^2] = a (a + 1) of gamma; of beta, E[x] = a / (a + b); of Dirichlet draws, the same of their marginals."""
    at = wf.tensor(7.0, dtype="float64")
    assert abs(float(second(lambda a: (wf.random.gamma(KEY, a, shape=(N,)) ** 2).mean())(at)) - 2) < 0.02
    a, b = 2.0, wf.tensor(3.0, dtype="float64")
    of_beta = second(lambda a: wf.random.beta(KEY, a, b, shape=(N,)).mean())
    assert abs(float(of_beta(wf.tensor(a, dtype="float64"))) + 2 * 3 / (a + 3) ** 3) < 0.002
    of_dirichlet = second(lambda a: wf.random.dirichlet(KEY, wf.stack([a, b]), shape=(N,))[:, 0].mean())
    assert abs(float(of_dirichlet(wf.tensor(a, dtype="float64"))) + 2 * 3 / (a + 3) ** 3) < 0.002


def test_a_path_without_a_rule_raises_beside_one_that_has_it():
    at = wf.tensor(7.0, dtype="float64")
    cube = lambda a: (wf.random.gamma(KEY, a, shape=(5,)) ** 2).mean()
    for third in (wf.grad(wf.grad(wf.grad(cube))), lambda a: wf.jvp(wf.grad(wf.grad(cube)), (a,), (wf.ones_like(a),))):
        with pytest.raises(wf.MissingRuleError, match="ends at loggamma_draws.curvature .*test_distributions"):
            third(at)
    bounded = lambda a: (a * wf.random.truncated_normal(KEY, -a, a, shape=(5,))).sum()
    with pytest.raises(wf.MissingRuleError, match="ends at truncated_draws .*test_distributions.*stop_gradient"):
        wf.grad(bounded)(at)
    held = wf.grad(lambda a: (a * wf.random.truncated_normal(KEY, *(wf.stop_gradient(t) for t in (-a, a)), shape=(5,))).sum())(at)
    assert abs(float(held) * 7 - float(bounded(at))) < 1e-12


@pytest.mark.parametrize("traced", [lambda f: f, lambda f: lambda p: wf.grad(lambda s: (f(p * s) * s).sum())(wf.ones(()))])
@pytest.mark.parametrize("draw, parameter, law", [
    (lambda p: wf.random.bernoulli(KEY, p), 1.5, "bernoulli.p"), (lambda p: wf.random.bernoulli(KEY, p), np.nan, "bernoulli.p"),
    (lambda p: wf.random.uniform(KEY, (3,), low=p, high=1.0), 2.0, "uniform.interval"),
    (lambda p: wf.random.categorical(KEY, p), [-np.inf, -np.inf], "categorical.logits"),
    (lambda p: wf.random.choice(KEY, 3, shape=(1,), p=p), [0.0, 0.0, 0.0], "choice.enough"),
    (lambda p: wf.random.choice(KEY, 3, shape=(1,), p=p), [-1.0, 1.0, 1.0], "choice.weights")])
def test_parameters_of_no_distribution_raise(traced, draw, parameter, law):
    with pytest.raises(ValueError, match=rf"\[{law}\]"):
        traced(draw)(wf.tensor(parameter))
