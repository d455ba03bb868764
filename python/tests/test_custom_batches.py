"""Custom functions without a batching rule under vmap: batched as the ops they are made of, rules and all."""

import numpy as np
import pytest

import weft as wf


class Saves(wf.Function):
    """w * x^2 with a gradient of its own; saves inputs, an output, what is neither, and numbers."""

    @staticmethod
    def forward(ctx, x, w, power):
        square = x * x
        out = square * w
        ctx.save_for_backward(x, out, square)
        ctx.w, ctx.power = w, power
        return out, wf.sum(x)

    @staticmethod
    def backward(ctx, g, h):
        x, out, square = ctx.saved_tensors
        return g * out * ctx.power + x + h, wf.sum(g * square * 5.0 + ctx.w), None


@wf.custom_gradient
def pulled(x, w):
    e = wf.exp(x * w)
    return e, lambda g: (g * e * 3.0, wf.sum(g * x * 2.0))


@wf.custom_jvp
def pushed(x, w):
    return wf.sin(x) * w


@pushed.defjvp
def _(primals, tangents):
    x, w = primals
    return wf.cos(x) * w * tangents[0] * 7.0 + wf.sin(x) * tangents[1] * 2.0


def saves(x, w):
    out, total = Saves.apply(x, w, 3)
    return out * total


FUNCTIONS = [saves, pulled, pushed]
X = wf.tensor(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
W = wf.tensor(np.float32([0.5, -1.5, 2.0, 0.25]))


def forms(f):
    """What is made of f, by name: a function of xs and ws of a batch."""
    total = lambda x, w: wf.sum(f(x, w))
    weighed = lambda x, w: wf.sum(wf.vmap(f)(x, w) * wf.cos(x))
    return {
        "vmap": wf.vmap(f),
        "vmap(grad)": wf.vmap(wf.grad(total, argnums=(0, 1))),
        "grad(vmap)": wf.grad(weighed, argnums=(0, 1)),
        "vmap(jvp)": wf.vmap(lambda x, w: wf.jvp(f, (x, w), (wf.cos(x), wf.sin(w)))[1]),
        "jvp(vmap)": lambda x, w: wf.jvp(wf.vmap(f), (x, w), (wf.cos(x), wf.sin(w)))[1],
        "vmap(grad(grad))": wf.vmap(wf.grad(lambda x, w: wf.sum(wf.grad(total)(x, w)), argnums=(0, 1))),
        "grad(grad(vmap))": wf.grad(lambda x, w: wf.sum(wf.grad(weighed)(x, w)), argnums=(0, 1)),
        "grad(vmap(grad))": wf.grad(lambda x, w: wf.sum(wf.vmap(wf.grad(total))(x, w)), argnums=(0, 1)),
    }


def leaves(out):
    return [t.numpy() for t in (out if isinstance(out, tuple) else (out,))]


@pytest.mark.parametrize("form", list(forms(saves)))
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_bits_of_functions(f, form):
    """vmap of f has the bits of vmap of what is traced of it, and of the same inside of a function."""
    now = leaves(forms(f)[form](X, W))
    inside = leaves(wf.function(forms(f)[form])(X, W))
    assert all(np.array_equal(one, other) for one, other in zip(now, inside, strict=True))
    if "grad(grad" not in form and "vmap(grad)" not in form[1:]:  # sums of higher orders may be taken in another order
        traced = leaves(forms(wf.function(f))[form](X, W))
        assert all(np.array_equal(one, other) for one, other in zip(now, traced, strict=True))


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_examples_one_by_one(f):
    total = lambda x, w: wf.sum(f(x, w))
    for batch, single in ((wf.vmap(f), f), (wf.vmap(wf.grad(total)), wf.grad(total))):
        expected = [single(X[i], W[i]).numpy() for i in range(4)]
        np.testing.assert_allclose(batch(X, W).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("decorate", [lambda f: f, wf.function], ids=["now", "function"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_examples_share_gets_all_they_give(f, decorate):
    """The gradient of an input without a batch axis is the sum over the examples."""
    w = wf.tensor(0.5)
    total = lambda w: wf.sum(wf.vmap(decorate(f), in_axes=(0, None))(X, w))
    expected = sum(wf.grad(lambda w: wf.sum(f(X[i], w)))(w).item() for i in range(4))
    found = wf.grad(total)(w)
    assert found.shape == ()
    np.testing.assert_allclose(found.item(), expected, rtol=1e-5)
    tangent = wf.jvp(total, (w,), (wf.tensor(1.0),))[1].item()
    by_example = sum(wf.jvp(lambda w: wf.sum(f(X[i], w)), (w,), (wf.tensor(1.0),))[1].item() for i in range(4))
    np.testing.assert_allclose(tangent, by_example, rtol=1e-5)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_batches_of_batches(f):
    x, w = wf.stack([X, X * 2.0]), wf.stack([W, W + 1.0])
    slope = wf.grad(lambda x, w: wf.sum(f(x, w)), argnums=(0, 1))
    found = leaves(wf.vmap(wf.vmap(slope))(x, w))
    for k in range(2):
        for one, other in zip(leaves(wf.vmap(slope)(x[k], w[k])), found):
            np.testing.assert_array_equal(one, other[k])


def test_it_runs_once_for_all_examples():
    calls = []

    class Counted(wf.Function):
        @staticmethod
        def forward(ctx, x):
            calls.append(("forward", x.shape))
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            calls.append(("backward", g.shape))
            return g * 2.0

    assert wf.vmap(wf.grad(lambda x: wf.sum(Counted.apply(x))))(X).tolist() == [[2.0] * 3] * 4
    assert calls == [("forward", (3,)), ("backward", (3,))]


def test_a_rule_that_was_given_wins():
    class Ruled(wf.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def batch(size, batched, x):
            return x * 100.0

    assert wf.vmap(Ruled.apply)(wf.ones(2)).tolist() == [100.0, 100.0]


def test_names_of_axes_are_seen_inside():
    @wf.custom_gradient
    def centred(x):
        return x - wf.pmean(x, "batch"), lambda g: g

    out = wf.vmap(centred, axis_name="batch")(wf.tensor([1.0, 3.0]))
    assert out.tolist() == [-1.0, 1.0]


def test_errors_speak_of_one_example():
    class Wide(wf.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            return wf.stack([g, g])

    with pytest.raises(wf.InvalidError) as raised:
        wf.vmap(wf.grad(lambda x: wf.sum(Wide.apply(x))))(X)
    message = ("Wide: its backward gives a gradient of shape [2, 3] for input 0, whose shape is [3]; they must be equal: sum it over "
               "the axes that were broadcast [Wide.shape]")
    assert str(raised.value).splitlines()[0] == message
    with pytest.raises(wf.InvalidError) as raised:
        wf.grad(lambda x: wf.sum(wf.vmap(Wide.apply)(x)))(X)
    assert str(raised.value).splitlines()[0] == message

    def outer(x):
        @wf.custom_gradient
        def closes(y):
            return x * y, lambda g: g

        return closes(wf.tensor(2.0))

    with pytest.raises(wf.InvalidError, match=r"closes: reads a value that is differentiated or batched and is not among its arguments"):
        wf.vmap(outer)(wf.tensor([1.0, 2.0]))
