"""Functions with derivatives of their own in graphs: their rules are part of the graph, in every mode and order."""

import numpy as np
import pytest

import weft as wf


class Cube(wf.Function):
    """Saves a value that is neither input nor output; the derivative is wrong on purpose, so that one sees it."""

    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, g):
        (square,) = ctx.saved_tensors
        return g * square * 3.5


class Exp(wf.Function):
    """Saves its output, which higher orders go through."""

    @staticmethod
    def forward(ctx, x):
        y = wf.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 2.0


class Again(wf.Function):
    """Its derivative is made of itself, without end."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return wf.exp(x)

    @staticmethod
    def backward(ctx, g):
        return g * Again.apply(ctx.saved_tensors[0]) * 0.5


class Pair(wf.Function):
    """Two inputs, one without a gradient; two outputs."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + 1.0

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h * 2.0, None


@wf.custom_gradient
def soft(x, y):
    e = wf.exp(x)
    return wf.log1p(e) * y, lambda g: (g * (1 - 1 / (1 + e)) * y, g * e)


@wf.custom_jvp
def sine(x):
    return wf.sin(x)


@sine.defjvp
def _(primals, tangents):
    return wf.cos(primals[0]) * tangents[0] * 1.5


@wf.custom_jvp
def own(x):
    return wf.sin(x)


@own.defjvp
def _(primals, tangents):
    return (1.0 - own(primals[0])) * tangents[0]


def kept(x):
    return wf.checkpoint(lambda z: wf.tanh(wf.sin(z)) * z)(x)


FUNCTIONS = {
    "saves_a_value": lambda x: Cube.apply(x * 2.0) * x,
    "saves_its_output": Exp.apply,
    "calls_itself": Again.apply,
    "two_outputs": lambda x: Pair.apply(x, x * 2.0)[0] * Pair.apply(x, x)[1],
    "custom_gradient": lambda x: soft(x, wf.full_like(X, 3.0)),
    "custom_jvp": sine,
    "custom_jvp_of_itself": own,
    "checkpoint": kept,
}
X = wf.tensor(np.linspace(-1, 1, 5).astype(np.float32))


def same_bits(a, b):
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rules_run_in_every_mode_and_order(name):
    f = FUNCTIONS[name]
    loss = lambda x: wf.sum(f(x))
    slope = wf.grad(loss)
    curve = wf.grad(lambda x: wf.sum(slope(x) ** 2))
    same_bits(wf.function(f)(X), f(X))
    same_bits(wf.function(slope)(X), slope(X))
    same_bits(wf.function(curve)(X), curve(X))
    traced = wf.function(loss)
    same_bits(wf.grad(traced)(X), slope(X))
    same_bits(wf.grad(lambda x: wf.sum(wf.grad(traced)(x) ** 2))(X), curve(X))
    third = lambda g: wf.grad(lambda x: wf.sum(wf.grad(lambda y: wf.sum(wf.grad(g)(y) ** 2))(x)))(X)
    np.testing.assert_allclose(third(traced).numpy(), third(loss).numpy(), rtol=1e-5)
    same_bits(wf.jvp(traced, (X,), (X,))[1], wf.jvp(loss, (X,), (X,))[1])
    same_bits(wf.function(lambda x: wf.jvp(loss, (x,), (x,))[1])(X), wf.jvp(loss, (X,), (X,))[1])
    rows = wf.stack([X, X + 1.0])
    same_bits(wf.vmap(wf.grad(traced))(rows), wf.stack([slope(X), slope(X + 1.0)]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_in_a_session(name):
    f = FUNCTIONS[name]
    with wf.Graph() as graph:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        slope, = wf.gradients(wf.sum(f(x)), [x])
        curve, = wf.gradients(wf.sum(slope ** 2), [x])
    with wf.Session(graph) as session:
        slopes, curves = session.run([slope, curve], {x: X.numpy()})
    eager = wf.grad(lambda x: wf.sum(f(x)))
    same_bits(slopes, eager(X))
    same_bits(curves, wf.grad(lambda x: wf.sum(eager(x) ** 2))(X))


def test_the_rule_is_part_of_the_graph():
    text = str(wf.function(lambda x: Cube.apply(x)).get_concrete_function(X).graph)
    assert 'custom_call(%x) {name="Cube", function=@Cube,' in text and "backward=[@Cube.backward]" in text
    runs = []

    class Counted(Cube):
        @staticmethod
        def forward(ctx, x):
            runs.append("forward")
            return Cube.forward(ctx, x)

        @staticmethod
        def backward(ctx, g):
            runs.append("backward")
            return Cube.backward(ctx, g)

    f = wf.function(lambda x: wf.sum(Counted.apply(x)))
    for _ in range(3):
        wf.grad(f)(X)
    assert runs == ["forward", "backward"]  # traced once each, and no Python after that


def test_what_is_saved_is_computed_once():
    counts = []
    f = wf.function(lambda x: wf.sum(Exp.apply(x)))
    wf.grad(f)(X)
    with wf.observe(lambda event: counts.append(event.op)):
        wf.grad(f)(X)
    assert counts.count("exp") == 1


def test_a_checkpoint_computes_again():
    counts = []
    f = wf.function(lambda x: wf.sum(kept(x)))
    for slope in (wf.grad(f), wf.function(lambda x: wf.grad(f)(x)), wf.function(wf.grad(lambda x: wf.sum(kept(x))))):
        slope(X)
        counts.clear()
        with wf.observe(lambda event: counts.append(event.op)):
            slope(X)
        assert counts.count("sin") >= 2


def test_checkpoints_with_draws_and_variables():
    w = wf.Variable(wf.tensor([1.0, 2.0, 3.0]))
    f = lambda x: wf.sum(wf.checkpoint(lambda z: wf.tanh(z * w) * wf.randn(3))(x))
    x = wf.tensor([0.5, 1.0, -1.0])
    wf.seed(1)
    f(x).backward()
    slope = w.grad.numpy()
    w.grad.zero_()
    wf.seed(1)
    wf.function(f)(x).backward()
    same_bits(w.grad, slope)
    wf.seed(1)
    value, inside = wf.function(wf.value_and_grad(f))(x)
    wf.seed(1)
    same_bits(inside, wf.grad(f)(x))


def test_values_read_beside_the_arguments_raise():
    def f(x):
        class Closed(wf.Function):
            @staticmethod
            def forward(ctx, a):
                return a * x

            @staticmethod
            def backward(ctx, g):
                return g * x

        return wf.sum(Closed.apply(x * 2.0))

    assert wf.function(f)(X).item() == f(X).item()
    for slope in (wf.grad(f), wf.grad(wf.function(f)), wf.function(wf.grad(f))):
        with pytest.raises(wf.InvalidError, match=r"Closed: reads a value .* \[Closed.closure\]"):
            slope(X)


def test_an_input_without_a_gradient():
    f = lambda x: wf.sum(Pair.apply(X, x)[0])
    for slope in (wf.grad(f), wf.function(wf.grad(f))):
        with pytest.raises(wf.InvalidError, match=r"gives nothing for input 1.*\[grad.unconnected\]"):
            slope(X)
    with pytest.raises(wf.InvalidError, match=r"does not depend on x.*\[grad.unconnected\]"):
        wf.grad(wf.function(f))(X)


def test_a_function_without_a_backward_pass_runs():
    class Plain(wf.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

    f = wf.function(lambda x: wf.sum(Plain.apply(x)))
    assert f(X).item() == wf.sum(X * 2.0).item()
    with pytest.raises(wf.MissingRuleError, match=r"\[Function.backward\]"):
        wf.grad(f)(X)


def test_ops_with_kernels_of_users_stay_nodes():
    doubled = wf.define_op("tests.doubled", kernel=lambda x: x * 2, vjp=lambda g, x: g * 2.0)
    f = wf.function(lambda x: wf.sum(doubled(x)))
    assert f(X).item() == wf.sum(X * 2.0).item()
    assert wf.grad(f)(X).tolist() == [2.0] * 5


def test_tapes_inside_of_functions():
    def slope(x):
        with wf.GradientTape() as tape:
            tape.watch(x)
            y = wf.sum(x ** 3)
        return tape.gradient(y, x)

    same_bits(wf.function(slope)(X), slope(X))
    same_bits(wf.grad(wf.function(lambda x: wf.sum(slope(x))))(X), wf.grad(lambda x: wf.sum(slope(x)))(X))
    stopped = lambda x: wf.sum(wf.stop_gradient(x) * x)
    same_bits(wf.grad(wf.function(stopped))(X), X)
    same_bits(wf.function(wf.grad(stopped))(X), X)


def test_backward_inside_of_a_function_names_its_line():
    w = wf.Variable(wf.tensor(2.0))

    @wf.function
    def step(x):
        (w * x).backward()

    with pytest.raises(wf.InvalidError, match=r"(?s)\[backward.staged\].*test_custom_in_graphs.py:\d+"):
        step(wf.tensor(1.0))
