"""wf.function: traced once, then a graph."""

import re
import contextlib
import functools

import numpy as np
import pytest

import weft as wf


def test_a_new_size_is_no_new_trace():
    @wf.function
    def f(x):
        return wf.softmax(x @ wf.ones((3, 4)), axis=-1) * x.shape[0]

    for n in list(range(2, 30)) + [0]:
        x = wf.tensor(np.random.default_rng(n).normal(size=(n, 3)).astype(np.float32))
        expected = wf.softmax(x @ wf.ones((3, 4)), axis=-1) * n
        assert np.array_equal(f(x).numpy(), expected.numpy())
    log = f.trace_log()
    assert log[0] == "the first call" and len(log) == 2 and "has 0" in log[1]  # of no elements it is another graph


def test_a_size_made_of_another_broadcasts_where_it_is_one():
    def f(x, y):
        return wf.sum(wf.maximum(x[:, 1:], y) * y)

    traced = wf.function(f)
    for m in (4, 2, 3):
        x, y = (wf.tensor(np.random.default_rng(m).normal(size=s).astype(np.float32)) for s in ((3, m), (3, 3)))
        if m == 3:
            with pytest.raises(wf.InvalidError, match="do not broadcast"):
                traced(x, y)
            continue
        assert np.array_equal(traced(x, y).numpy(), f(x, y).numpy())
        assert np.array_equal(wf.grad(traced)(x, y).numpy(), wf.grad(f)(x, y).numpy())
        assert np.array_equal(wf.function(wf.grad(f))(x, y).numpy(), wf.grad(f)(x, y).numpy())


def test_ten_thousand_lengths_make_at_most_two_traces():
    @wf.function
    def f(x):
        return wf.sum(wf.tanh(x) * x)

    data = wf.tensor(np.random.default_rng(0).normal(size=12000).astype(np.float32))
    for n in range(1, 10001):
        f(data[:n])
    assert f.trace_count <= 2
    assert np.array_equal(f(data[:777]).numpy(), wf.sum(wf.tanh(data[:777]) * data[:777]).numpy())


def test_why_it_traced_again():
    @wf.function
    def f(x, scale=1.0):
        return x * scale

    f(wf.tensor([1.0, 2.0]))
    f(wf.tensor([1, 2]))
    f(wf.tensor([[1.0]]))
    f(wf.tensor([1.0, 2.0]), scale=2.0)
    log = f.trace_log()
    assert len(log) == 4
    assert "float32" in log[1] and "int64" in log[1]
    assert "axes" in log[2]
    assert log[3].startswith("`scale` is given, 2.0; pass numbers that vary as tensors; called at ")


def test_an_assumption_that_breaks_is_named():
    @wf.function
    def f(x):
        return x * 2.0 if x.shape[0] > 3 else x + 1.0

    assert f(wf.tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert f(wf.tensor([1.0, 2.0, 3.0])).tolist() == [2.0, 3.0, 4.0]
    assert f(wf.tensor([1.0, 2.0, 3.0, 4.0])).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert f.trace_count == 2
    assert "assumed" in f.trace_log()[1] and "test_functions.py" in f.trace_log()[1]


def test_values_read_outside_are_checked():
    class Model:
        training = True

    model = Model()
    rate = [0.5]
    factor = 2.0

    @wf.function
    def f(x):
        y = x * factor
        return y * 10.0 if model.training else y

    assert f(wf.tensor(1.0)).item() == 20.0
    model.training = False
    assert f(wf.tensor(1.0)).item() == 2.0
    factor = 3.0
    assert f(wf.tensor(1.0)).item() == 3.0
    model.training = True
    factor = 2.0
    assert f(wf.tensor(1.0)).item() == 20.0
    assert f.trace_count == 3
    assert rate


def test_a_training_step_is_one_function():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(32, 8)).astype(np.float32), rng.normal(size=(32, 1)).astype(np.float32)

    def train(decorate):
        w = wf.Variable(wf.tensor(np.ones((8, 1), np.float32)), name="w")

        def step(x, y):
            loss, g = wf.value_and_grad(lambda u: wf.mean((x @ u - y) ** 2))(w)
            w.assign_sub(g * 0.1)
            return loss

        run = decorate(step)
        losses = [run(wf.tensor(x), wf.tensor(y)).item() for _ in range(20)]
        return losses, w.numpy(), run

    eager = train(lambda f: f)
    traced = train(wf.function)
    assert eager[0] == traced[0] and np.array_equal(eager[1], traced[1])
    assert traced[2].trace_count == 1
    assert traced[0][-1] < traced[0][0]


def test_gradient_tape_inside():
    w = wf.Variable(wf.tensor([1.0, 2.0]))

    @wf.function
    def slope(x):
        with wf.GradientTape() as tape:
            loss = wf.sum((w * x) ** 2)
        return tape.gradient(loss, w)

    assert slope(wf.tensor([3.0, 1.0])).tolist() == [18.0, 4.0]
    assert slope(wf.tensor([1.0, 1.0])).tolist() == [2.0, 4.0]
    assert slope.trace_count == 1


def test_a_tape_inside_sums_over_all_reads_of_a_variable():
    """Each read gives the same leaf, until the Variable is written."""
    v, x = wf.Variable(wf.tensor([1.0, 2.0])), wf.tensor([3.0, 4.0])
    product = wf.function(lambda x: x * v * v)

    def slope(compute, sources):
        def f(x):
            with wf.GradientTape() as tape:
                loss = wf.sum(compute(x))
            return tape.gradient(loss, sources)
        return f

    for compute in (lambda x: x * v * v, product, lambda x: wf.cond(True, lambda: x * v * v, lambda: x) * 1.0,
                    lambda x: v * wf.scan(lambda c, r: (c + r * v, None), wf.zeros((2,)), wf.reshape(x, (2, 1)))[0][0]):
        right = slope(compute, v)(x).tolist()
        inner = wf.function(slope(compute, [v]))
        assert slope(compute, [v])(x)[0].tolist() == right
        assert inner(x)[0].tolist() == right
        assert wf.function(lambda x: inner(x))(x)[0].tolist() == right
    with wf.Graph() as g:
        given = wf.placeholder(wf.float32, shape=(2,))
        slopes = slope(lambda x: x * v * v, [v])(given)
    with wf.Session(g) as session:
        assert session.run(slopes[0], {given: x}).tolist() == [6.0, 16.0]

    @wf.function
    def written_between(x):
        with wf.GradientTape() as tape:
            loss = wf.sum(x * v * v)
            v.assign_add(wf.ones((2,)))
            loss = loss + wf.sum(v * v)
        return tape.gradient(loss, v)  # of what it holds now

    assert written_between(x).tolist() == [4.0, 6.0] and v.tolist() == [2.0, 3.0]


def test_transformations_and_functions_nest():
    def f(x):
        return wf.sum(wf.sin(x) * x)

    x = wf.tensor([0.5, 1.5, -2.0])
    slope = wf.grad(f)(x)
    assert np.array_equal(wf.grad(wf.function(f))(x).numpy(), slope.numpy())
    assert np.array_equal(wf.function(wf.grad(f))(x).numpy(), slope.numpy())
    second = wf.hessian(f)(x).numpy()
    np.testing.assert_allclose(wf.hessian(wf.function(f))(x).numpy(), second, rtol=1e-6)
    batch = wf.tensor(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    assert np.array_equal(wf.vmap(wf.function(f))(batch).numpy(), wf.vmap(f)(batch).numpy())
    outer = wf.function(lambda v: wf.function(f)(v) * 2.0)
    np.testing.assert_array_equal(outer(x).numpy(), (f(x) * 2.0).numpy())


def test_the_ambient_tape_sees_through():
    w = wf.Variable(wf.tensor([1.0, 2.0]))
    f = wf.function(lambda x: wf.sum(w * x * x))
    x = wf.Variable(wf.tensor([3.0, 4.0]))
    f(x).backward()
    assert w.grad.numpy().tolist() == [9.0, 16.0]
    assert x.grad.numpy().tolist() == [6.0, 16.0]


def test_backward_inside_says_what_to_take_instead():
    w = wf.Variable(wf.tensor([1.0, 2.0]))

    @wf.function
    def step(x):
        wf.sum(w * x).backward()

    with pytest.raises(wf.InvalidError, match=r"backward: the value is one of a graph.*take value_and_grad, a "
                                              r"GradientTape.*\[backward.staged\]"):
        step(wf.tensor([3.0, 1.0]))
    with wf.Graph():
        loss = wf.sum(w * w)
    with pytest.raises(wf.InvalidError, match=r"or gradients here.*\[backward.staged\]"):
        loss.backward()


def test_draws_are_those_of_eager():
    f = wf.function(lambda x: x + wf.randn(3))
    wf.seed(7)
    first, second = f(wf.zeros(3)).numpy(), f(wf.zeros(3)).numpy()
    wf.seed(7)
    assert np.array_equal(first, wf.randn(3).numpy()) and np.array_equal(second, wf.randn(3).numpy())


def test_recursion_is_refused():
    @wf.function
    def f(x):
        return f(x) + 1.0

    with pytest.raises(wf.InvalidError, match="calls itself while it is traced"):
        f(wf.tensor(1.0))


def test_max_traces():
    @wf.function(max_traces=2)
    def f(x, n):
        return x * n

    f(wf.tensor(1.0), 1)
    f(wf.tensor(1.0), 2)
    with pytest.raises(wf.InvalidError, match="was traced 2 times"):
        f(wf.tensor(1.0), 3)


@pytest.mark.parametrize("count", [0, -1, None, 2.0, True])
def test_max_traces_is_a_number(count):
    with pytest.raises(wf.InvalidError, match=r"function: max_traces is .*; it is a number of traces, at least 1 "
                                              r"\[function.max_traces\]"):
        wf.function(lambda x: x, max_traces=count)


def test_sizes_that_are_none_are_sizes_of_their_own():
    f = wf.function(lambda x, y: wf.sum(x) + wf.sum(y), input_signature=[(wf.float32, (None,)), (wf.float32, (None,))])
    assert f(wf.ones(4), wf.ones(5)).item() == 9.0
    assert f(wf.ones(4), wf.ones(4)).item() == 8.0 and f.trace_count == 1
    g = wf.function(lambda x, y: x, input_signature=["f32[s0]", (wf.float32, (None,))])  # a name of the user's is not taken
    assert g(wf.ones(4), wf.ones(5)).shape == (4,)
    with pytest.raises(wf.InvalidError):
        wf.function(lambda x, y: x, input_signature=["f32[n]", "f32[n]"])(wf.ones(4), wf.ones(5))


def test_functions_that_give_nothing_at_once_are_refused():
    async def later(x):
        return x

    def many(x):
        yield x

    with pytest.raises(wf.WrongTypeError, match=r"function: later is async, and a graph gives all its results at once; write it "
                                                r"without async \[function.argument\]"):
        wf.function(later)
    with pytest.raises(wf.WrongTypeError, match=r"function: many is a generator, .*; return a list or a tuple"):
        wf.function(many)


def test_a_function_of_the_gradient_of_a_function():
    f = wf.function(lambda x: wf.sum(x * x * x))
    slope = wf.function(wf.grad(f))
    for x in (wf.tensor([1.0, 2.0]), wf.tensor([1.0, 2.0, 3.0])):
        assert slope(x).tolist() == (3 * x * x).tolist()
    assert slope.trace_count == 1 and slope.__name__ == f.__name__


def test_static_positions():
    for position in (1, -1):
        f = wf.function(lambda x, names: x * len(names), static_argnums=position)
        for _ in range(2):  # equal sets, not the same one; by keyword, too
            assert f(wf.tensor(2.0), frozenset(["a", "b"])).item() == 4.0
            assert f(wf.tensor(2.0), names=frozenset(["a", "c"])).item() == 4.0
        assert f.trace_count == 2
    g = wf.function(lambda x, pair: x * pair[1], static_argnums=1)
    assert g(wf.tensor(2), (1, 3)).dtype == wf.int64 and g(wf.tensor(2), (1, 3.0)).dtype != wf.int64
    with pytest.raises(wf.InvalidError, match=r"static_argnums has 2, but there are 2 arguments by position"):
        wf.function(lambda x, n: x, static_argnums=2)
    with pytest.raises(wf.WrongTypeError, match=r"static_argnums has 'n'; it is a list of positions"):
        wf.function(lambda x, n: x, static_argnums=["n"])


def test_concrete_functions_print():
    f = wf.function(lambda x: wf.exp(x))
    text = str(f.get_concrete_function(wf.tensor([1.0, 2.0])).graph)
    assert text.startswith("weft 1\n") and "exp(%x) : f32[n]" in text


def test_trees_in_and_out():
    f = wf.function(lambda pair, k: {"sum": pair[0] + pair[1]["b"], "k": k})
    out = f((wf.tensor(1.0), {"b": wf.tensor(2.0)}), None)
    assert out["sum"].item() == 3.0 and out["k"] is None


def test_a_variable_is_made_outside():
    with pytest.raises(wf.InvalidError, match=r"is known only when the graph runs, and a Variable has a value from the "
                                              r"beginning.*\[Variable.traced\]"):
        wf.function(lambda x: wf.Variable(x))(wf.ones(2))


def _halved(x):
    y = wf.sum(x * x)
    while y > 4.0:
        y = y * 0.5
    return y * 2.0 if wf.sum(x) > 0 else -y


@wf.custom_gradient
def _steep(x):
    return x * 2.0 if x > 0 else x * 3.0, lambda g: g * 5.0 if g > 0 else g


class _Steep(wf.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2.0 if x > 0 else x * 3.0

    @staticmethod
    def backward(ctx, g):
        return g * 7.0 if g > 0 else g


@wf.custom_jvp
def _pushed(x):
    return x * 2.0 if x > 0 else x


@_pushed.defjvp
def _along(primals, tangents):
    return tangents[0] * 4.0 if primals[0] > 0 else tangents[0]


_VECTOR, _SCALAR = wf.tensor([1.0, 2.0, 3.0]), wf.tensor(2.0)


@pytest.mark.parametrize(("f", "x"), [
    (wf.grad(_halved), _VECTOR), (wf.value_and_grad(_halved), _VECTOR), (wf.hessian(_halved), _VECTOR),
    (wf.jacfwd(_halved), _VECTOR), (wf.jacrev(_halved), _VECTOR), (wf.grad(wf.checkpoint(_halved)), _VECTOR),
    (lambda x: wf.jvp(_halved, (x,), (x,)), _VECTOR), (lambda x: wf.vjp(_halved, x)[1](_SCALAR), _VECTOR),
    (lambda x: wf.linearize(_halved, x)[1](x), _VECTOR), (functools.partial(wf.hvp, _halved), ((_VECTOR,), (_VECTOR,))),
    (_steep, _SCALAR), (wf.grad(_steep), _SCALAR), (_Steep.apply, _SCALAR), (wf.grad(_Steep.apply), _SCALAR),
    (_pushed, _SCALAR), (wf.grad(_pushed), _SCALAR), (wf.jacfwd(_pushed), _SCALAR)])
def test_transformations_given_to_function_are_rewritten(f, x):
    arguments = x if isinstance(x, tuple) else (x,)
    expected, found = f(*arguments), wf.function(f)(*arguments)
    pairs = zip(expected, found) if isinstance(expected, tuple) else [(expected, found)]
    for one, other in pairs:
        one, other = (value[0] if isinstance(value, tuple) else value for value in (one, other))
        assert np.array_equal(one.numpy(), other.numpy())


def test_a_batch_given_to_function_is_rewritten():
    f = wf.function(wf.vmap(wf.grad(lambda x: x ** 3 if x > 1 else x ** 2)))
    assert f(_VECTOR).tolist() == [2.0, 12.0, 27.0]


@pytest.mark.parametrize("read", [lambda x: x.item(), lambda x: x.numpy()])
def test_a_handler_does_not_take_what_has_no_value_yet(read):
    @wf.function
    def f(x):
        try:
            return wf.ones(2) * read(x)
        except Exception:
            return x * 17.0

    with pytest.raises(wf.Error, match=r"\.concrete\]"):
        f(wf.tensor(2))


def test_handlers_take_what_python_decides():
    @wf.function
    def f(x, d):
        try:
            factor = d["k"]
            with contextlib.suppress(IndexError):
                factor = factor + [][0]
        except KeyError:
            factor = 3.0
        return x * factor if x > 0 else x

    assert (f(_SCALAR, {}).item(), f(_SCALAR, {"k": 2.0}).item()) == (6.0, 4.0)


def test_a_handler_around_cond_is_refused():
    @wf.function
    def f(x):
        try:
            return wf.cond(x > 0, lambda: x * {}["k"], lambda: x)
        except KeyError:
            return x * 2.0

    with pytest.raises(wf.WrongTypeError, match=r"leaves then of wf.cond.*\[function.try\]"):
        f(_SCALAR)


def test_a_failed_assert_is_an_assertion_error():
    @wf.function
    def f(x):
        assert x > 0, "positive numbers only"
        return x

    with pytest.raises(AssertionError, match="positive numbers only") as caught:
        f(-_SCALAR)
    assert isinstance(caught.value, (wf.InvalidError, wf.FailedAssertion)) and caught.value.law == "assert.holds"


@pytest.mark.parametrize("dtype", [wf.int8, wf.int32, wf.float16, wf.float32, wf.float64])
def test_a_number_of_a_branch_takes_the_dtype_of_what_it_meets(dtype):
    @wf.function
    def f(x, v):
        n = 2 if x > 0 else 1
        if x > 1:
            n = n + 1
        return v * (2 if x > 0 else 1), v + n

    out, more = f(_SCALAR, wf.ones(2, dtype=dtype))
    assert out.dtype == dtype and out.tolist() == [2, 2] and more.tolist() == [4, 4]
    if dtype.kind != "signed integer":
        g = wf.function(lambda x, v: v * (0.5 if x > 0 else 1))
        assert g(_SCALAR, wf.ones(2, dtype=dtype)).dtype == (dtype if "floating" in dtype.kind else wf.float32)


def test_an_integer_that_is_no_float_is_not_joined_with_a_float():
    assert wf.function(lambda x: 16777217 if x > 0 else 1.5)(_SCALAR) == 16777217.0
    with pytest.raises(wf.WrongTypeError, match=r"9007199254740993.*\[function.if_dtype\]"):
        wf.function(lambda x: 2 ** 53 + 1 if x > 0 else 1.5)(_SCALAR)


def test_a_handler_around_scan_is_refused():
    @wf.function
    def f(x):
        try:
            return wf.scan(lambda c, row: (c + {}["k"], None), _SCALAR, x)[0]
        except KeyError:
            return x[0]

    with pytest.raises(wf.WrongTypeError, match=r"leaves the function of wf.scan.*\[function.try\]"):
        f(_VECTOR)


def test_the_loss_of_a_tape_is_returned():
    w = wf.Variable([1.0, 2.0])

    @wf.function
    def step(x):
        with wf.GradientTape() as tape:
            loss = wf.sum((w * x - 1) ** 2)
        w.assign_sub(tape.gradient(loss, w) * 0.1)
        return loss

    assert step(wf.tensor([1.0, 2.0])).item() == 9.0
    assert w.numpy().tolist() == pytest.approx([1.0, 0.8])


def test_a_traced_tensor_in_a_new_global_is_refused():
    space = {"wf": wf, "__name__": __name__}
    exec("def f(x):\n    global left\n    left = x * 2\n    return x", space)
    with pytest.raises(wf.WrongTypeError, match=r"`left` is left with a traced float32.*function.leak"):
        wf.function(space["f"])(wf.ones(2))


def test_a_variable_as_an_argument_arrives_as_its_value():
    with pytest.raises(AttributeError, match="arrives as its value; write one that it reads from outside"):
        wf.function(lambda v: v.assign_add(1.0))(wf.Variable(1.0))


LAYERS = [
    (lambda: wf.nn.Linear(6, 3), (2, 4), "linear.features"), (lambda: wf.nn.Conv1d(6, 3, 2), (2, 4, 5), "conv1d.channels"),
    (lambda: wf.nn.Conv2d(3, 4, 3), (2, 5, 8, 8), "conv2d.channels"), (lambda: wf.nn.BatchNorm1d(4), (3, 5), "batch_norm.channels"),
    (lambda: wf.nn.ConvTranspose2d(3, 4, 3), (2, 5, 8, 8), "conv_transpose2d.channels"),
    (lambda: wf.nn.BatchNorm1d(4), (3, 5, 2), "batch_norm.channels"), (lambda: wf.nn.BatchNorm2d(4), (2, 3, 5, 5), "batch_norm.channels"),
    (lambda: wf.nn.GroupNorm(2, 4), (2, 6, 3), "group_norm.channels"), (lambda: wf.nn.LayerNorm(4), (2, 5), "layer_norm.affine"),
    (lambda: wf.nn.RMSNorm(4), (2, 5), "rms_norm.affine"), (lambda: wf.nn.LSTM(4, 3), (2, 5, 6), "lstm.weights"),
    (lambda: wf.nn.GRU(4, 3), (2, 5, 6), "gru.weights"), (lambda: wf.nn.RNN(4, 3), (2, 5, 6), "rnn_tanh.weights"),
    (lambda: wf.nn.MaxPool2d(9), (2, 3, 4, 4), "max_pool2d.window"), (lambda: wf.nn.PixelShuffle(2), (2, 3, 4, 4), "pixel_shuffle.multiple"),
]


def first(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("make, shape, law", LAYERS, ids=[f"{law}-{len(shape)}" for _, shape, law in LAYERS])
def test_sizes_that_do_not_fit_are_told_by_the_op_that_was_called(make, shape, law):
    """As without a trace; also where the call is recorded for derivatives, whose rules meet the sizes first."""
    layer, x = make(), wf.ones(shape)
    with pytest.raises(ValueError) as error:
        layer(x)
    assert error.value.law == law
    message = re.escape(str(error.value).split("\n")[0])
    traced = wf.function(layer)
    for _ in range(3):  # the last ones find the trace of the first
        with pytest.raises(ValueError, match=f"^{message}"):
            traced(x)
    with pytest.raises(ValueError, match=f"^{message}"):
        wf.grad(wf.function(lambda x: wf.sum(first(layer(x)))))(x)
    with pytest.raises(ValueError, match=f"^{message}"):
        wf.function(wf.grad(lambda x: wf.sum(first(layer(x)))))(x)


def test_a_call_that_fails_while_it_runs_is_not_made_again(capsys):
    @wf.function
    def f(x, i):
        print("once")
        assert i > 0, "no"
        return x

    for _ in range(3):
        with pytest.raises(wf.FailedAssertion, match="no"):
            f(wf.ones(3), wf.tensor(0))
        assert capsys.readouterr().out == "once\n"


def test_sizes_that_do_not_fit_raise_where_nothing_needs_the_product():
    @wf.function
    def rows(x):
        return (x @ wf.ones((4, 3))).shape[0]

    assert int(rows(wf.ones((2, 4)))) == 2
    traced = wf.function(lambda x: (x @ wf.ones((4, 3))).shape[0])
    with pytest.raises(wf.InvalidError, match=r"matmul: shapes \[2, 5\] and \[4, 3\] do not fit"):
        traced(wf.ones((2, 5)))


@pytest.mark.parametrize("is_traced_before", [False, True])
@pytest.mark.parametrize("use", [lambda f: lambda x: f(x), lambda f: lambda x: wf.grad(lambda x: f(x).sum())(x),
                                 lambda f: lambda x: wf.vmap(f)(wf.stack([x, x])),
                                 lambda f: lambda x: wf.cond(x.sum() > 0, f, lambda x: x, x),
                                 lambda f: lambda x: wf.function(lambda x: f(x))(x)],
                         ids=["call", "grad", "vmap", "cond", "twice"])
def test_sizes_that_an_inner_function_branches_on_are_watched_by_the_outer_one(use, is_traced_before):
    def branching(x):
        return x * 0.0 if x.shape[0] > 4 else x * 2.0 + 1.0

    inner = wf.function(branching)
    if is_traced_before:
        inner(wf.ones(2))
    outer = wf.function(use(inner))
    for n in (2, 6, 3, 7):
        assert outer(wf.ones(n)).tolist() == use(branching)(wf.ones(n)).tolist()
    assert len(outer.trace_log()) == 2


def test_static_arguments_by_name():
    f = wf.function(lambda x, names, *, scale=(1,): x * len(names) * len(scale), static_argnames=("names", "scale"))
    assert f(wf.ones(2), ("a", "b")).tolist() == [2, 2]
    assert f(wf.ones(2), names=("a", "b"), scale=(1, 2, 3)).tolist() == [6, 6]
    assert f(wf.ones(3), names=("a", "b"), scale=(1, 2, 3)).tolist() == [6, 6, 6]
    assert len(f.trace_log()) == 2
    assert wf.function(lambda x, **rest: x * len(rest["n"]), static_argnames="n")(wf.ones(1), n="abc").tolist() == [3]

    class Model:
        @wf.function(static_argnames="mode")
        def run(self, x, mode="plain"):
            return x if mode == "plain" else -x

    assert Model().run(wf.ones(1), mode="other").tolist() == [-1] and Model().run(wf.ones(1), "plain").tolist() == [1]
    with pytest.raises(wf.InvalidError, match=r"static_argnames has 'm', but the arguments are x, n; give names of arguments"):
        wf.function(lambda x, n: x, static_argnames="m")
    with pytest.raises(wf.WrongTypeError, match=r"static_argnames has 1; it is a list of names"):
        wf.function(lambda x, n: x, static_argnames=[1])


def test_the_types_of_results_without_computing_them():
    def f(x, w, n):
        return {"y": wf.relu(x @ w), "more": [x.sum(axis=0).astype("float64"), x.shape[0], x[x > 0]], "name": "f"}

    large = wf.TensorSpec((2**40, 3))  # no memory has this
    found = wf.eval_shape(f, large, "f32[3, 5]", 7)
    assert found["y"] == wf.TensorSpec((2**40, 5)) and found["name"] == "f"
    assert [(one.shape, one.dtype) for one in found["more"]] == [((3,), wf.float64), ((), wf.int64), ((None,), wf.float32)]
    assert repr(found["y"]) == f"TensorSpec(shape=({2**40}, 5), dtype=float32)"
    assert wf.eval_shape(wf.function(lambda x: x[:2]), wf.ones((4, 2))).shape == (2, 2)
    assert wf.eval_shape(lambda x: (x, x[:2], x @ x.mT), wf.TensorSpec((None, 3))) == (
        wf.TensorSpec((None, 3)), wf.TensorSpec((2, 3)), wf.TensorSpec((None, None)))
    assert wf.eval_shape(lambda x, y: x + y.sum(), "f32[n, 3]", y="f32[8]").shape == (None, 3)
    pair = wf.TensorSpec((None, 3), wf.float32), wf.TensorSpec((3, 2), wf.float32)
    assert wf.eval_shape(lambda b: b[0] @ b[1], pair) == wf.TensorSpec((None, 2))
    assert wf.eval_shape(lambda b, how: b["x"] @ b["w"][0] if how == ["sum"] else b["x"], {"x": "f32[n, 3]", "w": ["f32[3, 2]"]},
                         how=["sum"]) == wf.TensorSpec((None, 2))
    assert wf.eval_shape(lambda key, b: wf.random.normal(key, (3,)) + b[0], wf.random.Key(0), [wf.TensorSpec((2, 1)), None]).shape == (2, 3)
    for size in (2.5, wf.ones(3)):
        with pytest.raises(wf.WrongTypeError, match="TensorSpec: a size must be an integer|index: "):
            wf.TensorSpec((size,))
    with pytest.raises(wf.Error, match=r"matmul"):
        wf.eval_shape(f, "f32[2, 3]", "f32[4, 5]", 7)
    with pytest.raises(wf.WrongTypeError, match=r"eval_shape: needs a function, but got 3 \[eval_shape.argument\]"):
        wf.eval_shape(3)


def test_static_arguments_go_by_name():
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Rate:
        v: float

    @wf.function(static_argnames=("rate", "mode"))
    def f(x, mode="plain", *, rate):
        return x * rate.v if mode == "plain" else x * len(mode)

    x = wf.ones(1)
    assert f(x, rate=Rate(2.0)).item() == f(x, rate=Rate(2.0)).item() == 2.0 and f.trace_count == 1  # equal, not the same
    assert f(x, rate=Rate(3.0)).item() == 3.0 and f(x, ("a", "b"), rate=Rate(3.0)).item() == 2.0 and f.trace_count == 3

    class Layer:
        @wf.function(static_argnames="names")
        def scaled(self, x, names):
            return x * len(names)

    assert Layer().scaled(x, ("a", "b")).item() == 2.0 and Layer().scaled(x, names=("a",)).item() == 1.0
    with pytest.raises(wf.InvalidError, match=r"function: static_argnames has 'k', but the arguments are x; give names of arguments \[function.static\]"):
        wf.function(lambda x: x, static_argnames="k")
    with pytest.raises(wf.WrongTypeError, match=r"function: static_argnames has 3; it is a list of names \[function.static\]"):
        wf.function(lambda x: x, static_argnames=[3])
    with pytest.raises(wf.WrongTypeError, match=r"a static argument is \[1\], which has no hash"):
        f(x, rate=[1])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_arrays_that_cannot_be_written_keep_their_dtype(dtype, shape):
    array = (np.arange(6) % 2)[:int(np.prod(shape))].reshape(shape).astype(dtype)
    array.flags.writeable = False
    for given in (array, array.T, wf.tensor(array).numpy()):
        out = wf.function(lambda: wf.tensor(given))()
        assert out.numpy().dtype == given.dtype and np.array_equal(out.numpy(), given)
        with wf.Graph() as g:
            y = wf.identity(wf.asarray(given))
        assert wf.Session(g).run(y).dtype == given.dtype


def test_sizes_of_a_function_that_has_ended_are_refused():
    sizes = []
    with pytest.warns(UserWarning, match="function.changed"):
        wf.function(lambda x: (sizes.append(x.shape[0]), x)[1], input_signature=["f32[n]"])(wf.ones(2))
    with pytest.raises(wf.InvalidError, match="shape: the size n belongs to a function or graph that has ended; return it from there, or compute "
                       "with the size of a tensor that is used here \\[shape.symbolic\\]"):
        wf.function(lambda: wf.random.Key(0).fold_in(sizes[0]))()


@pytest.mark.parametrize("read", ["value", "detach"])
def test_the_value_of_a_variable_is_read_in_each_call(read):
    w = wf.Variable([1.0, 1.0])
    f = wf.function(lambda x: getattr(w, read)() * x)
    assert f(wf.ones(2)).tolist() == [1, 1]
    w.assign([5.0, 5.0])
    assert f(wf.ones(2)).tolist() == [5, 5] and f.trace_count == 1
    assert wf.function(lambda: (w.assign_add([1.0, 1.0]), w.value())[1])().tolist() == [6, 6]
    with wf.GradientTape() as tape:
        y = f(wf.ones(2))
    assert tape.gradient(y, w, unconnected="zero").tolist() == [0, 0]


def test_a_functional_step_trains_the_same_when_it_is_traced():
    def losses(wrap):
        layer = wf.nn.Linear(2, 1, key=wf.random.Key(0))

        def step(x):
            values = {name: v.value() for name, v in layer.named_parameters()}
            loss, gradients = wf.value_and_grad(lambda p: wf.mean(wf.nn.functional_call(layer, p, x)**2))(values)
            for name, v in layer.named_parameters():
                v.assign_sub(gradients[name] * 0.1)
            return loss

        step = wrap(step)
        return [step(wf.ones((4, 2))).item() for _ in range(4)]

    assert losses(wf.function) == losses(lambda f: f)
