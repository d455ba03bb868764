"""Random numbers and dropout: the distributions of ours, JAX's and PyTorch's."""

import jax
import numpy
import torch
import torch.distributions as D
import torch.nn.functional as F
import weft as wf
from draws import MANY, draws
from vocabulary import call, given, ints, normal

R, I = jax.random, jax.nn.initializers
NEGATIVE = [call(shape=(-1,))]


def logistic(loc, scale):
    return D.TransformedDistribution(D.Uniform(0.0, 1.0),
        [D.SigmoidTransform().inv, D.AffineTransform(loc, scale)])


def scaled(name, family):
    """A family of location and scale."""
    options = dict(loc=2.0, scale=0.5)
    return draws(f"random.{name}", lambda key, shape, loc=0.0, scale=1.0,
        dtype="float32": family(loc, scale).sample(shape), call(shape=MANY),
        call(shape=(200, 100), **options), call(shape=MANY, dtype="float64"), by_torch=True,
        wrong=NEGATIVE, slopes=[("loc", {**options, "shape": MANY, "dtype": wf.float64}, 1.0)])


ALPHA = 2.5
PLAIN = [
    draws("random.uniform", lambda key, shape, low=0.0, high=1.0, dtype="float32": D.Uniform(low,
          high).sample(shape), call(shape=MANY), call(shape=MANY, low=-2.0, high=3.0),
          call(shape=MANY, dtype="float64"), by_torch=True, wrong=NEGATIVE,
          slopes=[("high", dict(shape=MANY, low=0.0, high=2.0, dtype=wf.float64), 0.5)]),
    draws("random.normal", lambda key, shape, mean=0.0, std=1.0, dtype="float32": D.Normal(mean,
          std).sample(shape), call(shape=MANY), call(shape=(200, 100), mean=2.0, std=0.5),
          call(shape=MANY, dtype="float64"), by_torch=True, wrong=NEGATIVE,
          slopes=[("mean", dict(shape=MANY, mean=1.0, dtype=wf.float64), 1.0),
          ("std", dict(shape=MANY, std=2.0, dtype=wf.float64), 0.0)]),
    draws("random.lognormal", lambda key, shape, mean=0.0, sigma=1.0,
          dtype="float32": D.LogNormal(mean, sigma).sample(shape), call(shape=MANY),
          call(shape=(200, 100), mean=2.0, sigma=0.5), call(shape=MANY, dtype="float64"),
          by_torch=True, wrong=NEGATIVE,
          slopes=[("mean", dict(shape=MANY, mean=0.0, sigma=0.5, dtype=wf.float64), 2.718281828 ** 0.125)]),
    draws("random.exponential", lambda key, shape, scale=1.0,
          dtype="float32": D.Exponential(1 / scale).sample(shape), call(shape=MANY),
          call(shape=MANY, scale=2.0), call(shape=MANY, dtype="float64"), by_torch=True,
          wrong=NEGATIVE, slopes=[("scale", dict(shape=MANY, scale=2.0, dtype=wf.float64), 1.0)]),
    scaled("gumbel", D.Gumbel), scaled("laplace", D.Laplace), scaled("logistic", logistic),
        scaled("cauchy", D.Cauchy),
    draws("random.rademacher", lambda key, shape, dtype="float32": 2
          * D.Bernoulli(0.5).sample(shape) - 1, call(shape=MANY), call(shape=MANY, dtype="float64"),
          by_torch=True, wrong=NEGATIVE),
    draws("random.randint", lambda key, low, high, shape, dtype="int64": torch.randint(low, high,
          shape), call(low=-3, high=8, shape=MANY), call(0, 200, MANY, dtype="uint8"),
          by_torch=True, same_dtype=False, wrong=[call(low=3, high=3, shape=(2,))]),
    draws("random.bernoulli", lambda key, p,
          shape=(): D.Bernoulli(torch.as_tensor(p)).sample(shape) > 0, call(p=0.3, shape=MANY),
          call(given([0.2] * 20000)), by_torch=True, wrong=[call(p=0.3, shape=(-1,))]),
    draws("random.truncated_normal", lambda key, lower, upper, shape=None,
          dtype="float32": R.truncated_normal(key, lower, upper, shape, dtype),
          call(-1.0, 2.0, shape=MANY), call(3.0, 5.0, shape=MANY, dtype="float64"),
          law=lambda x: x.min() >= -1, wrong=[call(-1.0, 1.0, shape=(-1,))]),
]

COUNTS = [
    draws("random.poisson", lambda key, rate, shape=None,
          dtype="int64": D.Poisson(rate).sample(shape).long(), call(3.5, shape=MANY),
          call(40.0, shape=MANY, dtype="int32"), by_torch=True, wrong=[call(3.5, shape=(-1,))]),
    draws("random.binomial", lambda key, n, p, shape=None, dtype="int64": D.Binomial(n,
          torch.tensor(p)).sample(shape).long(), call(10, 0.3, shape=MANY),
          call(200, 0.6, shape=MANY, dtype="int32"), by_torch=True,
          wrong=[call(10, 0.3, shape=(-1,))]),
    draws("random.categorical", lambda key, logits, axis=-1, shape=None: R.categorical(key, logits,
          axis, shape), call(given([0.1, 1.0, -1.0, 0.5]), shape=MANY),
          call(given([[0.3] * 20000, [1.0] * 20000]), axis=0), same_dtype=False,
          wrong=[call(given([0.0, 1.0]), axis=1)]),
]


def displacement(x):
    return numpy.abs(x - numpy.arange(x.size))


def is_permutation(x):
    return numpy.array_equal(numpy.sort(x), numpy.arange(x.size))


SHAPES = [
    draws("random.gamma", lambda key, alpha, scale=1.0, shape=None: D.Gamma(alpha,
          1 / scale).sample(shape), call(ALPHA, shape=MANY), call(0.3, scale=2.0, shape=MANY),
          wrong=[call(1.0, shape=(-1,))], by_torch=True,
          slopes=[("alpha", dict(alpha=ALPHA, shape=MANY), 1.0),
          ("alpha", dict(alpha=0.4, scale=2.0, shape=MANY), 2.0)]),
    draws("random.beta", lambda key, a, b, shape=None: D.Beta(a, b).sample(shape),
          call(2.0, 3.0, shape=MANY), call(0.5, 0.4, shape=MANY),
          wrong=[call(1.0, 2.0, shape=(-1,))], by_torch=True,
          slopes=[("a", dict(a=2.0, b=3.0, shape=MANY), 3.0 / 25),
          ("b", dict(a=2.0, b=3.0, shape=MANY), -2.0 / 25)]),
    draws("random.dirichlet", lambda key, alpha,
          shape=None: D.Dirichlet(torch.tensor(alpha)).sample(shape),
          call(given([2.0, 0.7, 1.1]), shape=(8000,)), view=lambda x: x[..., 0], by_torch=True,
          law=lambda x: numpy.allclose(x.sum(-1), 1, atol=1e-5),
          wrong=[call(given([1.0, 2.0]), shape=(-1,))]),
    draws("random.multivariate_normal", lambda key, mean, cov, shape=None: R.multivariate_normal(key,
          mean, cov, shape), call(given([1.0, -2.0]), given([[2.0, 0.6], [0.6, 1.0]]), shape=MANY),
          view=lambda x: x[..., 0] + 2 * x[..., 1],
          wrong=[call(given([1.0, 2.0]), given([[1.0]])), call(given([0.0]), given([[1.0]]), shape=(-1,))]),
    draws("random.permutation", lambda key, n: torch.randperm(n), call(20000), by_torch=True,
          view=displacement, law=is_permutation, wrong=[call(-1)]),
    draws("random.shuffle", lambda key, x, axis=0: R.permutation(key, x, axis),
          call(ints(range(20000))), call(ints([range(9000)] * 2), axis=1),
          view=lambda x: displacement(x[0] if x.ndim > 1 else x), same_dtype=False,
          law=lambda x: is_permutation(x[0] if x.ndim > 1 else x), wrong=[call(normal(3), axis=1)]),
    draws("random.choice", lambda key, x, p=None, shape=(), replace=True, axis=0: R.choice(key, x,
          shape, replace, p, axis), call(7, shape=MANY),
          call(ints([3, 5, 9]), p=given([0.2, 0.5, 0.3]), shape=MANY),
          call(ints(range(20000)), shape=(15000,), replace=False),
          call(ints([[1, 2, 3]]), shape=MANY, axis=1), same_dtype=False,
          wrong=[call(3, shape=(4,), replace=False)]),
    draws("random.split", lambda key, count=2: R.bits(key, (count, 2), "uint32"), call(count=9000),
          wrong=[call(count=-1)]),
    draws("random.fold_in", lambda key, data: R.bits(key, (*data.shape, 2), "uint32"),
          call(ints(range(9000))), wrong=[call(normal(3))]),
    draws("random.orthogonal", lambda key, shape, dtype="float32", gain=1.0: I.orthogonal(gain)(key,
          shape, dtype), call(shape=(60, 60)), call(shape=(90, 40), gain=2.0, dtype="float64"),
          wrong=[call(shape=(3,))], law=lambda q: numpy.allclose(q.T @ q,
          numpy.eye(q.shape[1]) * (1 if q.shape[1] == 60 else 4), atol=1e-5)),
]

WEIGHTS = dict(shape=(150, 200))
# In Keras's order: taps, channels, filters.
TAPS = dict(shape=(5, 60, 200), in_axis=-2, out_axis=-1, dtype="float64")
INITIALIZERS = [
    draws(f"random.{name}", lambda key, shape, in_axis=1, out_axis=0, dtype="float32",
          f=theirs: f(in_axis=in_axis, out_axis=out_axis)(key, shape, dtype), call(**WEIGHTS),
          call(**TAPS), wrong=[call(shape=(3,))])
    for name, theirs in [("glorot_uniform", I.glorot_uniform), ("glorot_normal", I.glorot_normal),
        ("he_uniform", I.he_uniform), ("he_normal", I.he_normal),
        ("lecun_uniform", I.lecun_uniform), ("lecun_normal", I.lecun_normal)]
] + [
    draws("random.variance_scaling", lambda key, shape, dtype="float32", scale=1.0, mode="fan_in",
          distribution="truncated_normal", in_axis=1, out_axis=0: I.variance_scaling(scale, mode,
          distribution, in_axis, out_axis)(key, shape, dtype),
          *(call(**WEIGHTS, mode=mode, distribution=distribution, scale=1.7) for mode,
          distribution in (("fan_in", "uniform"), ("fan_out", "normal"),
          ("fan_avg", "truncated_normal"))), call(**TAPS),
          wrong=[call(**WEIGHTS, mode="fan_up"), call(**WEIGHTS, distribution="other")]),
]


def theirs(function):
    return lambda key, x, p=0.5, train=True: function(torch.tensor(x), p, train)


def whole_channels(x):
    flat = x.reshape(*x.shape[:2], -1)
    return bool(((flat == 0).all(-1) | (flat != 0).all(-1)).all())


def dropout(name, function, *shape, **rest):
    calls = [call(normal(*shape), p=0.3), call(normal(*shape)),
        call(normal(*shape), 0.7, train=False), call(normal(*shape), p=0.0)]
    return draws(f"nn.{name}", theirs(function), *calls, by_torch=True,
        wrong=[call(normal(*shape), p=1.5)], **rest)


DROPOUT = [
    dropout("dropout", F.dropout, 200, 100), dropout("alpha_dropout", F.alpha_dropout, 200, 100,
            view=lambda x: x.round(4)),  # what is dropped differs in its last digit
    dropout("dropout1d", F.dropout1d, 100, 50, 2, law=whole_channels),
    dropout("dropout2d", F.dropout2d, 100, 50, 2, 2, law=whole_channels),
    dropout("dropout3d", F.dropout3d, 100, 50, 2, 1, 2, law=whole_channels),
    draws("nn.multi_head_attention",
          lambda key, q, k, v, dropout_p: F.scaled_dot_product_attention(*map(torch.tensor,
          (q, k, v)), dropout_p=dropout_p),
          call(normal(32, 60, 4), normal(32, 7, 4), normal(32, 7, 4), dropout_p=0.4),
          by_torch=True, covers=("key", "num_heads"),
          ours=lambda key, q, k, v, **rest: wf.nn.multi_head_attention(q, k, v, num_heads=1, key=key,
          **rest)),
    draws("nn.scaled_dot_product_attention",
          lambda key, q, k, v, dropout_p: F.scaled_dot_product_attention(*map(torch.tensor,
          (q, k, v)), dropout_p=dropout_p),
          call(normal(4, 8, 60, 4), normal(4, 8, 7, 4), normal(4, 8, 7, 4), dropout_p=0.4),
          by_torch=True, covers=("key",),
          ours=lambda key, q, k, v, **rest: wf.nn.scaled_dot_product_attention(q, k, v, key=key,
          **rest)),
]

ENTRIES = PLAIN + COUNTS + SHAPES + INITIALIZERS + DROPOUT
