"""Functions with derivatives of their own, in every mode."""

import pytest

import weft as wf


class OddSquare(wf.Function):
    """A square whose backward pass says 3 x instead of 2 x, so that one sees which rule ran."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 3


def test_function_runs_its_own_backward_in_every_mode():
    assert OddSquare.apply(wf.tensor(2.0)).item() == 4
    assert wf.grad(OddSquare.apply)(2.0).item() == 6
    assert wf.grad(wf.grad(OddSquare.apply))(2.0).item() == 3
    assert wf.jvp(OddSquare.apply, (2.0,), (1.0,))[1].item() == 6
    v = wf.Variable(2.0)
    OddSquare.apply(v).backward()
    assert v.grad.item() == 6


def test_vmap_needs_a_word():
    with pytest.raises(wf.MissingRuleError, match="per_example"):
        wf.vmap(OddSquare.apply)(wf.ones(3))

    class Looped(OddSquare):
        per_example = True

    assert wf.vmap(wf.grad(Looped.apply))(wf.tensor([1.0, 2.0])).tolist() == [3, 6]


def test_several_inputs_and_outputs():
    class SumAndProduct(wf.Function):
        @staticmethod
        def forward(ctx, a, b, scale):
            ctx.save_for_backward(a, b)
            ctx.scale = scale
            return (a + b) * scale, a * b

        @staticmethod
        def backward(ctx, g_sum, g_product):
            a, b = ctx.saved_tensors
            assert ctx.needs_input_grad == (True, True)
            return g_sum * ctx.scale + g_product * b, g_sum * ctx.scale + g_product * a, None

    f = lambda a, b: sum(SumAndProduct.apply(a, b, 2))  # noqa: E731
    assert [t.item() for t in wf.grad(f, (0, 1))(wf.tensor(3.0), wf.tensor(5.0))] == [7, 5]


def test_custom_gradient_and_its_second_order():
    @wf.custom_gradient
    def log1pexp(x):
        e = wf.exp(x)
        return wf.log1p(e), lambda g: g * (1 - 1 / (1 + e))

    assert wf.grad(log1pexp)(0.0).item() == 0.5
    assert wf.grad(wf.grad(log1pexp))(0.0).item() == 0.25


def test_custom_jvp_gives_both_modes():
    @wf.custom_jvp
    def f(x):
        return x * x

    @f.defjvp
    def _(primals, tangents):
        return primals[0] * tangents[0] * 3

    assert wf.jvp(f, (2.0,), (1.0,))[1].item() == 6
    assert wf.grad(f)(2.0).item() == 6


def test_checkpoint_computes_again_and_gives_the_same_bits():
    calls = []

    def f(x):
        calls.append(1)
        return wf.tanh(wf.sin(x) * x)

    x = wf.random.normal(wf.random.Key(0), (16,))
    plain = wf.grad(lambda t: f(t).sum())(x)
    calls.clear()
    again = wf.grad(lambda t: wf.checkpoint(f)(t).sum())(x)
    assert len(calls) == 2 and again.tolist() == plain.tolist()
