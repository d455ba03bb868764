"""Conventions where a derivative does not exist or a formula would give NaN, in every mode; docs/ops.md states them."""

import math

import pytest

import weft as wf

INF, NAN = math.inf, math.nan


def f64(x):
    return wf.tensor(x, dtype=wf.float64)


def flat(tensors):
    return [value for t in tensors for value in t.reshape((-1,)).tolist()]


def check(f, args, gradients, second=None):
    """The gradient of sum(f) by grad, by the tape and column by column in forward mode; H times ones, three ways."""
    args = [f64(a) for a in args]
    every = tuple(range(len(args)))
    total = lambda *a: f(*a).sum()  # noqa: E731
    slopes = wf.grad(total, every, unconnected="zero")
    expected = flat([f64(g) for g in gradients])
    assert flat(slopes(*args)) == pytest.approx(expected, nan_ok=True, rel=1e-12), "grad"
    variables = [wf.Variable(a) for a in args]
    total(*variables).backward()
    taped = [wf.zeros(v.shape, dtype=wf.float64) if v.grad is None else v.grad for v in variables]
    assert flat(taped) == pytest.approx(expected, nan_ok=True, rel=1e-12), "backward"
    forward = [wf.jacfwd(total, i)(*args) for i in every]
    assert flat(forward) == pytest.approx(expected, nan_ok=True, rel=1e-12), "jacfwd"
    if second is None:
        return
    expected = flat([f64(s) for s in second])
    ones = [wf.ones(a.shape, dtype=wf.float64) for a in args]
    assert flat(wf.hvp(total, args, ones)) == pytest.approx(expected, nan_ok=True, rel=1e-12), "hvp"
    reverse = wf.grad(lambda *a: sum(g.sum() for g in slopes(*a)), every, unconnected="zero")
    assert flat(reverse(*args)) == pytest.approx(expected, nan_ok=True, rel=1e-12), "reverse over reverse"
    along = lambda *a: wf.jvp(total, a, ones)[1]  # noqa: E731
    assert wf.jvp(along, args, ones)[1].item() == pytest.approx(sum(expected), nan_ok=True, rel=1e-12), "jvp of jvp"


@pytest.mark.parametrize("name, f, x, gradient, second", [
    ("sqrt", lambda x: wf.where(x > 0, wf.sqrt(x), 0.0), [-1, 0, 4], [0, 0, 0.25], [0, 0, -1 / 32]),
    ("log", lambda x: wf.where(x > 0, wf.log(x), x), [-1, 0, 4], [1, 1, 0.25], [0, 0, -1 / 16]),
    ("sinc", lambda x: wf.where(x == 0, 1.0, wf.sin(x) / x), [0, math.pi], [0, -1 / math.pi], [0, 2 / math.pi**2]),
    ("overflow", lambda x: wf.where(x < 1, wf.exp(x), x), [0, 1e4], [1, 1], [1, 0]),
    ("reciprocal", lambda x: wf.where(x != 0, 1 / x, x), [0, 2], [1, -0.25], [0, 0.25]),
    ("power", lambda x: wf.where(x > 0, x**0.5, x), [-1, 0, 4], [1, 1, 0.25], [0, 0, -1 / 32]),
    ("a chain", lambda x: wf.where(x > 0, wf.log(wf.sqrt(x) / x), 0.0), [-1, 0, 1], [0, 0, -0.5], [0, 0, 0.5]),
    ("NaN in the argument", lambda x: wf.where(wf.isnan(x), 0.0, x * x), [NAN, 3], [0, 6], [0, 2]),
    ("inf in the argument", lambda x: wf.where(wf.isinf(x), 0.0, wf.tanh(x) * x * 0 + x * x), [INF, 3], [0, 6], [0, 2]),
    ("a row op", lambda x: wf.where(x > -INF, wf.softmax(x, axis=0) * 0 + x, 0.0), [1, 2], [1, 1], [0, 0]),
])
def test_where_lets_nothing_through_from_the_branch_not_taken(name, f, x, gradient, second):
    check(f, [x], [gradient], [second])


@pytest.mark.parametrize("name, f, slope", [
    ("softmax", lambda x: wf.softmax(x, axis=1), 0),
    ("log_softmax", lambda x: wf.log_softmax(x, axis=1), 0),
    ("max", lambda x: wf.max(x, axis=1, keepdims=True), 0.5),
    ("prod", lambda x: wf.prod(x, axis=1, keepdims=True), 2),
])
@pytest.mark.parametrize("hidden", [[-INF, -INF], [INF, 0], [NAN, 1]])
def test_where_hides_rows(name, f, slope, hidden):
    # Equal elements: softmax is flat, max splits its slope, each factor of a product is the other's slope.
    x = [hidden, [2, 2]]
    check(lambda x: wf.where(f64([[0], [1]]) > 0, f(x), 0.0), [x], [[[0, 0], [slope] * 2]])


def test_where_with_two_arguments():
    check(lambda x, y: wf.where(y == 0, 0.0, x / y), [[1, 1], [0, 2]], [[0, 0.5], [0, -0.25]], [[0, -0.25], [0, 0]])
    check(lambda x, y: wf.where(x > 0, wf.atan2(y, x) * wf.log(x), y), [[0, 1], [3, 0]], [[0, 0], [1, 0]])


def test_a_cotangent_of_zero_stays_zero():
    assert wf.multiply_no_nan(f64([INF, NAN, 2]), f64([0, 0, 3])).tolist() == [0, 0, 6]
    # Its derivative by the factor that is zero is the other factor, as for any product.
    check(lambda g: wf.multiply_no_nan(f64([5, 2]), g), [[0, 3]], [[5, 2]], [[0, 0]])
    check(lambda a, g: wf.multiply_no_nan(a, g), [[5, 2], [0, 3]], [[0, 3], [5, 2]], [[1, 1], [1, 1]])


@pytest.mark.parametrize("name, f, x, gradient, second", [
    ("relu after", lambda x: wf.relu(wf.sqrt(x)), [0, 4], [0, 0.25], [0, -1 / 32]),
    ("relu before", lambda x: wf.sqrt(wf.relu(x)), [-1, 4], [0, 0.25], [0, -1 / 32]),
    ("clip after", lambda x: wf.clip(wf.log(x), 0.0, 1.0), [0, 2], [0, 0.5], [0, -0.25]),
    ("clip before", lambda x: wf.log(wf.clip(x, 0.0, 9.0)), [-1, 2], [0, 0.5], [0, -0.25]),
    ("maximum after", lambda x: wf.maximum(wf.log(x), -1.0), [0, 2], [0, 0.5], [0, -0.25]),
    ("maximum before", lambda x: wf.sqrt(wf.maximum(x, 0.0)), [-1, 4], [0, 0.25], [0, -1 / 32]),
    ("minimum before", lambda x: wf.sqrt(wf.minimum(x, 0.0) + 4), [-4, 4], [INF, 0], [-INF, 0]),
    ("max before", lambda x: wf.sqrt(wf.max(x, axis=1)), [[-1, 0], [4, 2]], [[0, INF], [0.25, 0]], None),
])
def test_selections_let_nothing_through(name, f, x, gradient, second):
    check(f, [x], [gradient], None if second is None else [second])


def test_products_with_a_zero_cotangent_have_their_second_derivative():
    # d/dx of x * exp(x) is 0 * exp(x) + ... at x = 0: the zero is a value, not a path that is missing.
    check(lambda x: x * wf.exp(x), [[0]], [[1]], [[2]])
    check(lambda x: wf.square(x) * wf.sin(x), [[0]], [[0]], [[0]])
    check(lambda x, y: wf.tanh(x) * wf.exp(y), [[0], [0]], [[1], [0]], [[1], [1]])


def test_clip_gives_the_gradient_at_its_bounds():
    x = [-1, 0, 0.5, 1, 2]
    check(lambda x: wf.clip(x, 0.0, 1.0), [x], [[0, 1, 1, 1, 0]], [[0] * 5])
    check(lambda x, a, b: wf.clip(x, a, b), [x, [0] * 5, [1] * 5], [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
          [[0] * 5] * 3)


def test_maximum_and_minimum_split_ties_equally():
    check(wf.maximum, [[1, 2, 0, INF], [1, 1, 0, INF]], [[0.5, 1, 0.5, 0.5], [0.5, 0, 0.5, 0.5]], [[0] * 4] * 2)
    check(wf.minimum, [[1, 2, 0, INF], [1, 1, 0, INF]], [[0.5, 0, 0.5, 0.5], [0.5, 1, 0.5, 0.5]], [[0] * 4] * 2)
    check(lambda x: wf.maximum(x, 0.0), [[0, 1]], [[0.5, 1]])
    check(lambda x: wf.maximum(x, x), [[3]], [[1]], [[0]])


def test_max_and_min_split_ties_equally():
    check(wf.max, [[2, 5, 5]], [[0, 0.5, 0.5]], [[0] * 3])
    check(wf.min, [[2, 2, 2, 5]], [[1 / 3] * 3 + [0]], [[0] * 4])
    check(lambda x: wf.max(x, axis=0), [[[2, 5], [2, 1]]], [[[0.5, 1], [0.5, 0]]], [[[0, 0], [0, 0]]])
    check(lambda x: wf.max(x) ** 2, [[3, 3]], [[3, 3]], [[1, 1]])


def test_abs_relu_and_sign_have_slope_zero_at_zero():
    check(wf.abs, [[0, -2, 3]], [[0, -1, 1]], [[0] * 3])
    check(wf.relu, [[0, -2, 3]], [[0, 0, 1]], [[0] * 3])
    check(wf.sign, [[0, -2, 3]], [[0] * 3], [[0] * 3])


def test_sqrt_is_infinitely_steep_at_zero():
    check(wf.sqrt, [[0, 4]], [[INF, 0.25]], [[-INF, -1 / 32]])


def test_norm_and_std_have_gradient_zero_where_they_are_zero():
    check(wf.linalg.norm, [[0, 0]], [[0, 0]], [[0, 0]])
    check(lambda x: wf.linalg.norm(x, axis=1), [[[0, 0], [3, 4]]], [[[0, 0], [0.6, 0.8]]])
    check(lambda x: wf.linalg.norm(x, ord=3), [[0, 0]], [[0, 0]], [[0, 0]])
    check(lambda x: wf.linalg.norm(x, ord=1), [[0, -2]], [[0, -1]], [[0, 0]])
    check(wf.std, [[1, 1]], [[0, 0]], [[0, 0]])
    check(lambda x: wf.std(x, axis=1), [[[2, 2], [1, 3]]], [[[0, 0], [-0.5, 0.5]]], [[[0, 0], [0, 0]]])


def test_powers_at_zero_and_of_negative_numbers():
    check(lambda x: x**2, [[0, -2]], [[0, -4]], [[2, 2]])
    check(lambda x: x**0, [[0, -2]], [[0, 0]], [[0, 0]])
    check(lambda x: x**1, [[0, -2]], [[1, 1]], [[0, 0]])
    check(lambda x: x**3, [[0, -2]], [[0, 12]], [[0, -12]])
    check(lambda x: x**2.0, [[0, -2]], [[0, -4]], [[2, 2]])
    check(lambda x: x**0.5, [[0, 4]], [[INF, 0.25]], [[-INF, -1 / 32]])
    check(lambda x: x**-1, [[-2, 4]], [[-0.25, -1 / 16]], [[-0.25, 1 / 32]])
    check(lambda x: x**2.5, [[-2, 4]], [[NAN, 20]], [[NAN, 7.5]])
    check(lambda y: 0.0**y, [[0, 1, 2]], [[0, 0, 0]], [[0, 0, 0]])
    log2 = math.log(2)
    check(wf.pow, [[0, 0, 2], [0, 2, 0]], [[0, 0, 0], [0, 0, log2]],
          [[0, 2, 0.5], [0, 0, 0.5 + log2**2]])
    check(wf.pow, [[-2, -2], [2, 3]], [[-4, 12], [NAN, NAN]])


def test_pow_at_zero_to_the_zero_has_no_nan():
    check(wf.pow, [[0], [0]], [[0], [0]], [[0], [0]])


def test_logsumexp_of_rows_of_minus_infinity():
    check(lambda x: wf.logsumexp(x, axis=-1), [[[-INF, -INF], [-INF, 1], [2, 2]]], [[[0, 0], [0, 1], [0.5, 0.5]]],
          [[[0, 0], [0, 0], [0, 0]]])
    check(wf.logaddexp, [[-INF, -INF, 1], [-INF, 1, 1]], [[0.5, 0, 0.5], [0.5, 1, 0.5]], [[0] * 3] * 2)
    check(lambda x: wf.softmax(x, axis=-1)[..., 1], [[[-INF, 1], [2, 2]]], [[[0, 0], [-0.25, 0.25]]],
          [[[0, 0], [0, 0]]])


def test_prod_with_zeros():
    check(wf.prod, [[2, 0, 3]], [[0, 6, 0]], [[3, 5, 2]])
    check(wf.prod, [[2, 0, 3, 0]], [[0, 0, 0, 0]], [[0, 6, 0, 6]])
    check(wf.prod, [[0, 0, 0, 2]], [[0, 0, 0, 0]], [[0, 0, 0, 0]])
    check(lambda x: wf.prod(x, axis=1), [[[2, 0], [0, 0], [3, 4]]], [[[0, 2], [0, 0], [4, 3]]],
          [[[1, 1], [1, 1], [1, 1]]])


def test_cumulative_prod_with_zeros():
    check(wf.cumulative_prod, [[2, 0, 3]], [[1, 8, 0]], [[4, 6, 2]])
    check(wf.cumulative_prod, [[2, 0, 3, 0, 4]], [[1, 8, 0, 0, 0]], [[4, 36, 2, 30, 0]])
    check(lambda x: wf.cumulative_prod(x, axis=0), [[[0, 2], [0, 3]]], [[[1, 4], [0, 2]]], [[[1, 1], [1, 1]]])


def test_atan2_has_gradient_zero_at_the_origin():
    check(wf.atan2, [[0, 1], [0, 1]], [[0, 0.5], [0, -0.5]], [[0, -0.5], [0, 0.5]])


@pytest.mark.parametrize("dtype", [wf.float32, wf.float16, wf.bfloat16])
def test_other_dtypes_and_vmap(dtype):
    x = wf.tensor([0.0, 4.0], dtype=dtype)
    f = lambda x: wf.where(x > 0, wf.sqrt(x), 0.0)  # noqa: E731
    assert wf.vmap(wf.grad(f))(x).tolist() == [0, 0.25]
    assert wf.grad(lambda x: wf.vmap(f)(x).sum())(x).tolist() == [0, 0.25]
    assert wf.vmap(wf.grad(wf.grad(f)))(x).tolist() == [0, -1 / 32]


def test_complex_branches():
    x = wf.tensor([0j, 4 + 0j], dtype=wf.complex128)
    slope = wf.grad(lambda z: wf.real(wf.where(wf.abs(z) > 0, wf.sqrt(z), 0.0)).sum())(x)
    assert slope.tolist() == [0, 0.25]
