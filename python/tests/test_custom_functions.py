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


def test_per_example_runs_them_one_by_one():
    shapes = []

    class Looped(OddSquare):
        per_example = True

        @staticmethod
        def forward(ctx, x):
            shapes.append(x.shape)
            return OddSquare.forward(ctx, x)

    assert wf.vmap(wf.grad(Looped.apply))(wf.tensor([1.0, 2.0])).tolist() == [3, 6]
    assert shapes == [(), ()]


def test_a_batching_rule_of_its_own():
    calls = []

    class Scaled(OddSquare):
        @staticmethod
        def batch(size, batched, x):
            calls.append((size, batched, x.shape))
            return Scaled.apply(x)

    assert wf.vmap(Scaled.apply)(wf.tensor([1.0, 2.0, 3.0])).tolist() == [1, 4, 9]
    assert calls == [(3, (True,), (3,))]
    assert wf.vmap(wf.grad(Scaled.apply))(wf.tensor([1.0, 2.0])).tolist() == [3, 6]
    assert wf.grad(lambda x: wf.vmap(Scaled.apply)(x).sum())(wf.tensor([1.0, 2.0])).tolist() == [3, 6]
    assert wf.vmap(wf.vmap(Scaled.apply))(wf.tensor([[1.0, 2.0]])).tolist() == [[1, 4]]

    class Lost(OddSquare):
        @staticmethod
        def batch(size, batched, x):
            return x.sum()

    with pytest.raises(ValueError, match=r"output 0 of shape \[\].*first axis must count the 2 examples \[Lost.batch\]"):
        wf.vmap(Lost.apply)(wf.ones(2))


def test_batching_rules_of_custom_gradient_and_custom_jvp():
    def scaled_batch(size, batched, tree, factor):
        assert batched == ({"x": True}, False)
        return {"y": tree["x"] * factor}

    @wf.custom_gradient(batch=scaled_batch)
    def scaled(tree, factor):
        return {"y": tree["x"] * factor}, lambda g: ({"x": g["y"] * factor * 10}, None)

    x = wf.tensor([1.0, 2.0])
    run = wf.vmap(lambda x: scaled({"x": x}, wf.tensor(3.0))["y"])
    assert run(x).tolist() == [3, 6]
    assert wf.vmap(wf.grad(lambda x: scaled({"x": x}, wf.tensor(3.0))["y"]))(x).tolist() == [30, 30]

    @wf.custom_jvp
    def sine(x):
        return wf.sin(x)

    @sine.defjvp
    def _(primals, tangents):
        return tangents[0] * 7

    assert wf.vmap(sine)(x).tolist() == wf.sin(x).tolist()  # batched as what it is made of
    looped = wf.custom_jvp(per_example=True)(lambda x: wf.sin(x))
    looped.defjvp(lambda primals, tangents: tangents[0] * 7)
    assert wf.vmap(looped)(x).tolist() == wf.sin(x).tolist()
    sine.defbatch(lambda size, batched, x: wf.sin(x))
    assert wf.vmap(sine)(x).tolist() == wf.sin(x).tolist()
    assert wf.vmap(lambda x: wf.jvp(sine, (x,), (1.0,))[1])(x).tolist() == [7, 7]


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


def test_a_jvp_that_is_not_linear_raises_in_reverse():
    @wf.custom_jvp
    def f(x):
        return x * x

    @f.defjvp
    def _(primals, tangents):
        return primals[0] * tangents[0] ** 2

    assert wf.jvp(f, (2.0,), (3.0,))[1].item() == 18
    with pytest.raises(ValueError, match="not linear in the tangents: the derivative of square"):
        wf.grad(f)(2.0)


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


def function_with(backward):
    class Twice(wf.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2 + y.sum()

    Twice.backward = staticmethod(backward)
    return lambda x, y: Twice.apply(x, y).sum()


@pytest.mark.parametrize("backward, text", [
    (lambda ctx, g: (wf.ones(7), None),
     "Twice: its backward gives a gradient of shape [7] for input 0, whose shape is [3]; they must be equal: sum it over "
     "the axes that were broadcast [Twice.shape]"),
    (lambda ctx, g: (g, g),
     "Twice: its backward gives a gradient of shape [3] for input 1, whose shape is [2]; they must be equal: sum it over "
     "the axes that were broadcast [Twice.shape]"),
    (lambda ctx, g: g,
     "Twice: its backward gives 1 gradient, but the function has 2 inputs; give one for each, None for those "
     "without [Twice.count]"),
    (lambda ctx, g: (g.astype(wf.int64), None),
     "Twice: its backward gives a gradient of dtype int64 for input 0, whose dtype is float32; they must be of one kind: "
     "cast it [Twice.dtype]"),
    (lambda ctx, g: ("g", None),
     "Twice: its backward gives str in place 0; give a tensor, or None where there is no derivative [Twice.backward]"),
])
def test_gradients_of_the_wrong_kind_raise(backward, text):
    f, x, y = function_with(backward), wf.ones(3), wf.ones(2)
    v = wf.Variable(x)
    for call in (lambda: wf.grad(f, unconnected="zero")(x, y), lambda: wf.jvp(f, (x, y), (x, y)),
                 lambda: f(v, wf.Variable(y)).backward()):
        with pytest.raises(wf.Error) as caught:
            call()
        assert str(caught.value) == text


def test_gradients_of_the_same_kind_take_the_dtype_of_the_input():
    f = function_with(lambda ctx, g: (g.astype(wf.float64), None))
    assert wf.grad(f)(wf.ones(3), wf.ones(2)).dtype == wf.float32


def test_unused_outputs_have_zero_gradients():
    class Pair(wf.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g2, g3):
            assert g3.tolist() == [0, 0]
            return g2 * 2 + g3 * 3

    assert wf.grad(lambda x: Pair.apply(x)[0].sum())(wf.ones(2)).tolist() == [2, 2]


def test_custom_gradient_says_what_it_needs():
    def message(f, *args):
        with pytest.raises(wf.Error) as caught:
            wf.grad(lambda *args: wf.custom_gradient(f)(*args).sum(), unconnected="zero")(*args)
        return str(caught.value)

    def alone(x):
        return x * 2

    def product(x, y):
        return x * y, lambda g: g * y

    x = wf.ones(3)
    assert message(alone, x) == ("alone: gives Tensor, but custom_gradient needs a pair: the value, and the function from "
                                 "its cotangent to those of the arguments [alone.backward]")
    assert message(product, x, x) == ("product: its backward gives 1 gradient, but the function has 2 inputs; give one for "
                                      "each, None for those without [product.count]")
    assert "of shape [7] for input 0, whose shape is [3]" in message(lambda x: (x, lambda g: wf.ones(7)), x)
    one = wf.custom_gradient(lambda x, k: (x * k, lambda g: (g * 10,)))
    assert wf.grad(lambda x: one(x, k=2).sum())(x).tolist() == [10, 10, 10]


def test_tangents_of_the_wrong_shape_raise():
    @wf.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: wf.ones(7))
    for call in (lambda: wf.jvp(f, (wf.ones(3),), (wf.ones(3),)), lambda: wf.grad(lambda x: f(x).sum())(wf.ones(3))):
        with pytest.raises(wf.InvalidError) as caught:
            call()
        assert str(caught.value) == ("f: its jvp gives a tangent of shape [7] for output 0, whose shape is [3]; they must "
                                     "be equal [f.shape]")


def test_checkpoint_follows_what_is_read_inside():
    w, x = wf.Variable(3.0), wf.Variable(2.0)
    wf.checkpoint(lambda t: w * t * t)(x).backward()
    assert x.grad.item() == 12 and w.grad.item() == 4
    assert wf.grad(lambda w: wf.checkpoint(lambda t: w * w * t)(w * 2))(3.0).item() == 54
    assert wf.vmap(wf.grad(wf.checkpoint(lambda t: t**3)))(wf.tensor([1.0, 2.0])).tolist() == [3, 12]


def test_custom_function_refuses_what_its_rules_would_lose():
    w = wf.Variable(3.0)
    scaled = wf.custom_gradient(lambda x: (w * x, lambda g: g))
    with pytest.raises(wf.InvalidError, match="not among its arguments"):
        scaled(2.0)


def test_a_forward_without_a_result_raises():
    class Forgot(wf.Function):
        @staticmethod
        def forward(ctx, x):
            x * 2

    for x in (2.0, wf.Variable(2.0)):
        with pytest.raises(wf.WrongTypeError, match="its forward gives None; it must give a tensor"):
            Forgot.apply(x)


def test_a_gradient_that_backward_leaves_out_is_named():
    class Silent(wf.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g, None

    with pytest.raises(ValueError, match="the backward of Silent gives nothing for input 1"):
        wf.grad(Silent.apply, 1)(2.0, 3.0)
    assert wf.grad(Silent.apply, 0)(2.0, 3.0).item() == 1
    v = wf.Variable(2.0)
    with wf.GradientTape() as tape:
        y = Silent.apply(1.0, v)
    with pytest.raises(ValueError, match="the backward of Silent gives nothing for input 1"):
        tape.gradient(y, v)
    with pytest.raises(ValueError, match="no gradient has reached a Variable: the backward of Silent gives nothing"):
        Silent.apply(1.0, v).backward()
    (Silent.apply(1.0, v) + v * 2).backward()  # another path gives one
    assert v.grad.item() == 2
    with pytest.raises(ValueError, match="no op leads from x to the output"):  # what was noted is forgotten
        wf.grad(lambda x, y: y * 1.0)(2.0, 3.0)


def test_attributes_of_the_context_count_as_saved():
    class Square(wf.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x, ctx.factor = x, 2.0
            return x * x

        @staticmethod
        def backward(ctx, g):
            return ctx.factor * ctx.x * g

    assert wf.hessian(Square.apply)(3.0).item() == 2
    assert wf.grad(lambda z: wf.grad(Square.apply)(z) + z * z)(3.0).item() == 8
