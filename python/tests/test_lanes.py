"""Batches whose examples take different branches and different numbers of steps, under every nesting of transformations."""

import numpy as np
import pytest

import weft as wf

X, COUNTS = wf.tensor([0.5, 1.2, 2.0, 0.7]), wf.tensor([1, 3, 2, 0])
ONE = wf.tensor(1.0)


def power(x, n):
    """x to the n, in n steps."""
    return wf.fori_loop(0, n, lambda i, c: c * x, wf.tensor(1.0))


def until_large(x, n):
    """The number of steps follows from the values; n of them are there at least."""
    return wf.while_loop(lambda i, c: wf.logical_or(i < n, c < 3.0), lambda i, c: (i + 1, c * 1.5 + wf.sin(x) * c),
                         (wf.tensor(0), x * x))[1]


def loop_in_scan(x, n):
    def step(c, row):
        return wf.fori_loop(0, n, lambda i, d: d * x + row, c * x), c * c

    last, rows = wf.scan(step, wf.tensor(0.5), wf.tensor([0.25, -0.5]))
    return last * x + wf.sum(rows)


def loop_in_branch(x, n):
    return wf.cond(n > 1, lambda: power(x, n) * x, lambda: wf.sin(x) * x * x)


def branch_in_loop(x, n):
    return wf.fori_loop(0, n, lambda i, c: wf.cond(x > 1.0, lambda: c * x, lambda: c * x * x + wf.sin(c)), x * 1.0)


def tangent(f):
    return lambda x, n: wf.jvp(lambda x: f(x, n), (x,), (ONE,))[1]


def by_rows(f):
    """The derivative as a Jacobian, which is a vmap inside."""
    return lambda x, n: wf.jacrev(lambda x: f(x, n))(x)


def by_columns(f):
    return lambda x, n: wf.jacfwd(lambda x: f(x, n))(x)


grad = wf.grad
DERIVATIVES = {
    "grad": lambda f: grad(f),
    "grad(grad)": lambda f: grad(grad(f)),
    "jvp(grad)": lambda f: tangent(grad(f)),
    "grad(jvp)": lambda f: grad(tangent(f)),
    "jvp(jvp)": lambda f: tangent(tangent(f)),
    "jacrev(grad)": lambda f: by_rows(grad(f)),
    "jacfwd(grad)": lambda f: by_columns(grad(f)),
    "hessian": lambda f: lambda x, n: wf.hessian(lambda x: f(x, n))(x),
    "grad(grad(grad))": lambda f: grad(grad(grad(f))),
    "jvp(grad(grad))": lambda f: tangent(grad(grad(f))),
    "grad(jvp(grad))": lambda f: grad(tangent(grad(f))),
    "grad(grad(jvp))": lambda f: grad(grad(tangent(f))),
}


def test_derivatives_of_a_power():
    x, n = X.numpy().astype(float), COUNTS.numpy().astype(float)
    right = n
    for order, f in enumerate([grad(power), grad(grad(power)), grad(grad(grad(power)))], start=1):
        np.testing.assert_allclose(wf.vmap(f)(X, COUNTS).numpy(), right * x ** (n - order), rtol=1e-6)
        right = right * (n - order)


def one_by_one(f):
    return np.stack([f(X[i], COUNTS[i]).numpy() for i in range(len(COUNTS))])


@pytest.mark.parametrize("order", DERIVATIVES)
@pytest.mark.parametrize("program", [power, until_large, loop_in_scan, loop_in_branch, branch_in_loop])
def test_each_lane_is_its_own_example(program, order):
    f = DERIVATIVES[order](program)
    right = one_by_one(f)
    assert np.array_equal(wf.vmap(f)(X, COUNTS).numpy(), right)
    assert np.array_equal(wf.vmap(wf.function(f))(X, COUNTS).numpy(), right)
    assert np.array_equal(wf.function(wf.vmap(f))(X, COUNTS).numpy(), right)


@pytest.mark.parametrize("program", [power, until_large, loop_in_scan, loop_in_branch, branch_in_loop])
def test_the_batch_inside_of_derivatives(program):
    """Lanes do not meet, so derivatives of the sum are those of the lanes."""
    def summed(f):
        return lambda x: wf.sum(wf.vmap(f)(x, COUNTS))

    first, second, third = grad(program), grad(grad(program)), grad(grad(grad(program)))
    for inside, right in [(program, first), (first, second), (second, third)]:
        assert np.array_equal(grad(summed(inside))(X).numpy(), one_by_one(right))
    twice = grad(lambda x: wf.sum(grad(summed(program))(x)))
    assert np.array_equal(twice(X).numpy(), one_by_one(second))


def test_a_batch_of_batches():
    f = grad(grad(power))
    table = wf.vmap(wf.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(X, COUNTS)
    right = [[f(x, n).item() for n in COUNTS] for x in X]
    assert table.tolist() == right


Y = wf.tensor([1.0, 2.0])


@pytest.mark.parametrize("decorate", [lambda f: f, wf.function], ids=["now", "function"])
def test_only_the_choice_is_batched(decorate):
    chosen = decorate(wf.vmap(lambda p: wf.cond(p, lambda: Y, lambda: Y * 2)))
    assert chosen(wf.tensor([True, False])).tolist() == [[1.0, 2.0], [2.0, 4.0]]
    assert chosen(wf.tensor([False, False])).tolist() == [[2.0, 4.0], [2.0, 4.0]]
    numbered = decorate(wf.vmap(lambda i: wf.switch_case(i, [lambda: Y, lambda: Y * 2, lambda: wf.tensor([5.0, 6.0])])))
    assert numbered(wf.tensor([2, 0, 7])).tolist() == [[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]]
    nested = decorate(wf.vmap(wf.vmap(lambda p: wf.cond(p, lambda: Y, lambda: Y * 2))))
    assert nested(wf.tensor([[True], [False]])).tolist() == [[[1.0, 2.0]], [[2.0, 4.0]]]


def test_gradients_of_what_is_captured_by_a_batched_choice():
    def f(y):
        return wf.sum(wf.vmap(lambda p: wf.cond(p, lambda: y, lambda: y * y))(wf.tensor([True, False, False])))

    assert grad(f)(Y).tolist() == [1 + 2 * 2.0, 1 + 2 * 4.0]
