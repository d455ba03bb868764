"""Elementwise functions and activations against NumPy, the defaults of their options, and the gradients of those options."""

import math

import numpy as np
import pytest

import weft as wf

RNG = np.random.default_rng(3)
X = RNG.uniform(-4, 4, (5, 7))
Y = RNG.uniform(-4, 4, (7,))
UNIT = RNG.uniform(-0.99, 0.99, (5, 7))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def close(got, expected, rel=1e-13):
    assert got.dtype == wf.float64
    np.testing.assert_allclose(got.numpy(), expected, rtol=rel, atol=1e-14)


@pytest.mark.parametrize("name, theirs, x", [
    ("asin", np.arcsin, UNIT), ("acos", np.arccos, UNIT), ("atan", np.arctan, X), ("asinh", np.arcsinh, X),
    ("acosh", np.arccosh, 1 + abs(X)), ("atanh", np.arctanh, UNIT), ("sinh", np.sinh, X), ("cosh", np.cosh, X),
    ("cbrt", np.cbrt, X), ("exp2", np.exp2, X), ("log2", np.log2, abs(X)), ("log10", np.log10, abs(X)), ("sinc", np.sinc, X),
    ("signbit", np.signbit, X), ("positive", np.positive, X), ("angle", np.angle, X), ("nan_to_num", np.nan_to_num, X),
    ("erf", np.vectorize(math.erf), X), ("erfc", np.vectorize(math.erfc), X), ("lgamma", np.vectorize(math.lgamma), X)])
def test_of_one_argument_as_numpy(name, theirs, x):
    got = getattr(wf, name)(wf.tensor(x))
    np.testing.assert_allclose(got.numpy(), theirs(x), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", ["hypot", "copysign", "nextafter", "fmod", "fmax", "fmin", "logaddexp2", "heaviside", "atan2"])
def test_of_two_arguments_as_numpy(name):
    theirs = np.arctan2 if name == "atan2" else getattr(np, name)
    close(getattr(wf, name)(wf.tensor(X), wf.tensor(Y)), theirs(X, Y))


@pytest.mark.parametrize("name", ["asin", "acos", "atan", "asinh", "acosh", "atanh", "sinh", "cosh", "exp2", "log2", "log10", "angle"])
def test_of_complex_numbers_as_numpy(name):
    z = X + 1j * RNG.uniform(-3, 3, X.shape)
    theirs = getattr(np, {"a": "arc" + name[1:]}.get(name[0], name) if name != "angle" else name)
    np.testing.assert_allclose(getattr(wf, name)(wf.tensor(z)).numpy(), theirs(z), rtol=1e-12)


@pytest.mark.parametrize("name, options, formula", [
    ("relu6", {}, lambda x: np.clip(x, 0, 6)),
    ("leaky_relu", {}, lambda x: np.where(x > 0, x, 0.01 * x)),
    ("leaky_relu", {"negative_slope": 0.2}, lambda x: np.where(x > 0, x, 0.2 * x)),
    ("prelu", {"weight": wf.tensor(0.25, dtype=wf.float64)}, lambda x: np.where(x > 0, x, 0.25 * x)),
    ("elu", {}, lambda x: np.where(x > 0, x, np.expm1(x))),
    ("elu", {"alpha": 2.0}, lambda x: np.where(x > 0, x, 2 * np.expm1(x))),
    ("celu", {"alpha": 2.0}, lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    ("selu", {}, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    ("silu", {}, lambda x: x * sigmoid(x)),
    ("mish", {}, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    ("gelu", {"approximate": "tanh"}, lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    ("gelu", {"approximate": "none"}, lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))),
    ("hardtanh", {}, lambda x: np.clip(x, -1, 1)),
    ("hardtanh", {"min_val": -2, "max_val": 0.5}, lambda x: np.clip(x, -2, 0.5)),
    ("hardsigmoid", {}, lambda x: np.clip(x + 3, 0, 6) / 6),
    ("hardswish", {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("softplus", {}, lambda x: np.log1p(np.exp(x))),
    ("softplus", {"beta": 3.0}, lambda x: np.log1p(np.exp(3 * x)) / 3),
    ("softsign", {}, lambda x: x / (1 + abs(x))),
    ("log_sigmoid", {}, lambda x: np.log(sigmoid(x))),
    ("threshold", {"threshold": 0.5, "value": -7.0}, lambda x: np.where(x > 0.5, x, -7)),
])
def test_activations(name, options, formula):
    close(getattr(wf.nn, name)(wf.tensor(X), **options), formula(X), rel=1e-12)


def test_gated_units_halve_an_axis():
    x = RNG.uniform(-3, 3, (4, 6))
    a, b = np.split(x, 2, axis=0)
    close(wf.nn.glu(wf.tensor(x), axis=0), a * sigmoid(b))
    close(wf.nn.swiglu(wf.tensor(x), axis=0), a * sigmoid(a) * b)
    with pytest.raises(wf.InvalidError, match=r"it must be even, to be halved \[glu.even\]"):
        wf.nn.glu(wf.ones((2, 3)))


def test_a_slope_may_be_learned():
    x = wf.tensor([-2.0, 3.0], dtype=wf.float64)
    slope = wf.grad(lambda a: wf.nn.leaky_relu(x, a).sum())(wf.tensor(0.1, dtype=wf.float64))
    assert slope.item() == -2
    weight = wf.grad(lambda w: wf.nn.prelu(wf.ones((2, 3, 4)) * -1.0, w).sum())(wf.full((3,), 0.5))
    assert weight.tolist() == [-8, -8, -8]


def test_gradients_of_the_gamma_family():
    x = wf.tensor([0.5, 1.0, 3.5], dtype=wf.float64)
    first = wf.grad(lambda x: wf.lgamma(x).sum())
    second = wf.grad(lambda x: first(x).sum())
    third = wf.grad(lambda x: second(x).sum())
    close(first(x), wf.digamma(x).numpy())
    close(second(x)[1:2], [math.pi**2 / 6])
    close(third(x)[1:2], [-2 * 1.2020569031595942])  # -2 zeta(3)
    close(second(x), wf.polygamma(x, n=1).numpy())


def test_what_replaces_nan_and_infinities():
    x = wf.tensor([math.nan, math.inf, -math.inf, 1.0])
    greatest = float(np.finfo(np.float32).max)
    assert wf.nan_to_num(x).tolist() == [0, greatest, -greatest, 1]
    assert wf.nan_to_num(x, nan=2.0, posinf=3.0, neginf=4.0).tolist() == [2, 3, 4, 1]
    assert wf.nan_to_num(wf.tensor([1, 2])).dtype == wf.int64


def test_integers():
    a, b = wf.tensor([7, -7]), wf.tensor([3, 3])
    assert wf.fmod(a, b).tolist() == [1, -1]
    assert wf.fmax(a, b).dtype == wf.int64
    assert wf.asin(wf.tensor([0, 1])).dtype == wf.float32
