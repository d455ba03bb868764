"""Derivatives of traced functions: nothing is computed twice, whatever order is asked for."""

import collections

import numpy as np
import pytest

import weft as wf


def network(weights, x):
    for w in weights[:-1]:
        x = wf.tanh(x @ w)
    return wf.sum((x @ weights[-1]) ** 2)


def values(*shape, seed=0):
    return wf.tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


@pytest.fixture
def weights():
    return [values(8, 16), values(16, 16, seed=1), values(16, 4, seed=2)]


def counted(f):
    """What runs while f does, without what moves no element."""
    counts = collections.Counter()
    with wf.observe(lambda event: counts.update([event.op])):
        f()
    return {op: n for op, n in counts.items() if op not in ("call", "reshape", "permute_dims", "broadcast_to", "split")}


def same_bits(a, b):
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_the_backward_pass_computes_nothing_of_the_forward_pass(weights):
    traced, x = wf.function(network), values(5, 8)
    now, outside = counted(lambda: wf.grad(network)(weights, x)), counted(lambda: wf.grad(traced)(weights, x))
    assert now["matmul"] == 8 and now["tanh"] == 2
    assert outside == now


def test_only_what_is_asked_for_is_saved(weights):
    """A part that no gradient goes through runs as it is: its values are not kept."""
    traced = wf.function(lambda frozen, w, x: wf.sum(wf.tanh(wf.tanh(x @ frozen) @ w)))
    x = values(5, 8)
    graph = str(wf.function(lambda w: wf.grad(traced, argnums=1)(weights[0], w, x))
                .get_concrete_function(weights[1]).graph)
    call = next(line for line in graph.splitlines() if "saves_for=[1]" in line)
    assert call.count("f32[") == 3  # the value, tanh(x @ frozen), which w is multiplied with, and the last tanh


def test_gradients_have_the_bits_of_the_tape_in_every_mode(weights):
    traced, x = wf.function(network), values(5, 8)
    slopes = lambda weights, x: wf.grad(traced)(weights, x)
    for f in (slopes, wf.function(slopes)):
        for a, b in zip(wf.grad(network)(weights, x), f(weights, x)):
            same_bits(a, b)

    def second(net):
        return lambda y: wf.grad(lambda z: wf.sum(wf.grad(lambda u: net(weights, u))(z) ** 2))(y)

    same_bits(second(network)(x), second(traced)(x))
    same_bits(second(network)(x), wf.function(second(traced))(x))
    rows = wf.stack([x, x * 2.0])
    one = lambda net: lambda y: wf.grad(lambda u: net(weights, u))(y)
    same_bits(wf.vmap(one(traced))(rows), wf.stack([one(network)(x), one(network)(x * 2.0)]))
    same_bits(wf.jvp(one(traced), (x,), (x,))[1], wf.jvp(one(network), (x,), (x,))[1])


def test_the_text_of_a_saving_call_runs_and_differentiates(weights):
    x = values(5, 8)
    slopes = wf.function(lambda ws, x: wf.grad(wf.function(network))(ws, x)).get_concrete_function(weights, x)
    assert "saves_of=[@network]" in str(slopes.graph)


def test_some_results_without_a_cotangent(weights):
    """What is not asked for adds nothing, not even zeros."""
    both = wf.function(lambda x: (wf.sum(x ** 2), wf.sum(wf.log(x))))
    zero = wf.tensor([0.0, 2.0])
    assert wf.grad(lambda x: both(x)[0])(zero).tolist() == [0.0, 4.0]
    assert wf.grad(lambda x: both(x)[1])(wf.tensor([2.0, 4.0])).tolist() == [0.5, 0.25]


def test_what_leads_nowhere_raises_as_without_a_function():
    first = lambda x, y: wf.sum(y)
    for f in (first, wf.function(first)):
        with pytest.raises(wf.InvalidError, match=r"does not depend on x.*\[grad.unconnected\]"):
            wf.grad(f, argnums=0)(wf.ones(2), wf.ones(2))


def test_effects_happen_once():
    calls = wf.Variable(wf.tensor(0.0))

    @wf.function
    def f(x):
        calls.assign_add(1.0)
        return wf.sum(x * wf.randn(3))

    x = wf.tensor([1.0, 2.0, 3.0])
    wf.seed(3)
    drawn = wf.randn(3), wf.randn(3)
    wf.seed(3)
    same_bits(wf.grad(f)(x), drawn[0])
    same_bits(wf.function(lambda x: wf.grad(f)(x))(x), drawn[1])
    assert calls.item() == 2.0


def test_variables_inside_get_their_gradients():
    w = wf.Variable(wf.tensor([1.0, 2.0]))
    wf.function(lambda x: wf.sum(wf.exp(w * x)))(wf.tensor([0.0, 1.0])).backward()
    same_bits(w.grad, wf.exp(wf.tensor([-float("inf"), 2.0])))


def test_a_branch_saves_what_it_computed():
    def f(x, p):
        return wf.sum(wf.cond(p, lambda: wf.tanh(wf.sin(x)), lambda: wf.exp(wf.exp(x)) * x))

    traced, x = wf.function(f), wf.tensor([0.5, -1.0])
    for p in (True, False):
        p = wf.tensor(p)
        once = counted(lambda: wf.grad(f)(x, p))
        ran = counted(lambda: wf.grad(traced)(x, p))
        for op in ("sin", "tanh", "exp"):
            assert ran.get(op, 0) == once.get(op, 0), (op, ran)
        same_bits(wf.grad(traced)(x, p), wf.grad(f)(x, p))
        second = lambda f: wf.grad(lambda y: wf.sum(wf.grad(f)(y, p) ** 2))(x)
        np.testing.assert_allclose(second(traced).numpy(), second(f).numpy(), rtol=1e-6)
        same_bits(wf.function(wf.grad(f))(x, p), wf.grad(f)(x, p))
    flags = wf.tensor([True, False, True])
    xs = wf.stack([x, x + 1.0, x - 1.0])
    lanes = wf.vmap(wf.grad(traced))(xs, flags)
    same_bits(lanes, wf.stack([wf.grad(f)(xs[i], flags[i]) for i in range(3)]))


def test_branches_that_save_values_of_other_shapes():
    def f(x, p):
        return wf.cond(p, lambda: wf.sum(wf.exp(x[:2]) ** 2), lambda: wf.sum(wf.tanh(x) @ wf.exp(x)))

    x = wf.tensor([0.5, -1.0, 2.0])
    for p in (True, False):
        for g in (wf.grad(wf.function(f)), wf.function(wf.grad(f))):
            same_bits(g(x, wf.tensor(p)), wf.grad(f)(x, wf.tensor(p)))


def test_new_sizes_need_no_new_trace(weights):
    traced = wf.function(network)
    for rows in range(2, 40):
        x = values(rows, 8, seed=rows)
        same_bits(wf.grad(traced, argnums=1)(weights, x), wf.grad(network, argnums=1)(weights, x))
    assert traced.trace_count == 1
