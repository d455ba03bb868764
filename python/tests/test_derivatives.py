"""grad, vjp, jvp, linearize, Jacobians, checkpoint: arguments, trees, nesting, levels."""

import dataclasses

import numpy as np
import pytest

import weft as wf


@dataclasses.dataclass
class Layer:
    weight: wf.Tensor
    bias: wf.Tensor


def cube(x):
    return (x**3).sum()


def test_argnums_choose_arguments():
    def f(a, b, c):
        return a * b * b + c

    assert wf.grad(f)(2.0, 3.0, 1.0).item() == 9
    assert [g.item() for g in wf.grad(f, argnums=(0, 1))(2.0, 3.0, 1.0)] == [9, 12]
    assert wf.grad(f, argnums=-2)(2.0, 3.0, 1.0).item() == 12
    value, (da, dc) = wf.value_and_grad(f, argnums=(0, 2))(2.0, 3.0, 1.0)
    assert value.item() == 19 and da.item() == 9 and dc.item() == 1
    with pytest.raises(IndexError, match=r"argnums has 3, but there are 2 arguments \[grad.argnums\]"):
        wf.grad(lambda a, b: a, argnums=3)(1.0, 2.0)


def test_more_results_come_as_aux():
    def f(x):
        y = x * x
        return y.sum(), {"y": y, "name": "squares"}

    (value, aux), slope = wf.value_and_grad(f, has_aux=True)(wf.tensor([1.0, 2.0]))
    assert value.item() == 5 and slope.tolist() == [2, 4]
    assert aux["y"].tolist() == [1, 4] and aux["name"] == "squares"
    assert (aux["y"] + 1).tolist() == [2, 5]  # it has left the transformation
    slope, aux = wf.grad(f, has_aux=True)(wf.tensor([1.0, 2.0]))
    assert slope.tolist() == [2, 4] and aux["y"].tolist() == [1, 4]


def test_gradients_have_the_form_of_the_argument():
    layers = {"first": [Layer(wf.ones((2, 3)), wf.zeros(3))], "rest": (wf.ones(()),)}

    def loss(tree):
        layer = tree["first"][0]
        return (wf.ones((1, 2)) @ layer.weight + layer.bias).sum() * tree["rest"][0]

    slopes = wf.grad(loss)(layers)
    assert isinstance(slopes["first"][0], Layer) and isinstance(slopes["rest"], tuple)
    assert slopes["first"][0].weight.tolist() == [[1] * 3] * 2
    assert slopes["rest"][0].item() == 6


def test_pullbacks_and_pushforwards_are_adjoint():
    rng = np.random.default_rng(0)
    a, b = (wf.tensor(rng.standard_normal((3, 3))) for _ in range(2))
    da, db, g = (wf.tensor(rng.standard_normal((3, 3))) for _ in range(3))

    def f(a, b):
        return wf.sin(a @ b) * a

    value, pull = wf.vjp(f, a, b)
    same_value, tangent = wf.jvp(f, (a, b), (da, db))
    ga, gb = pull(g)
    assert value.tolist() == same_value.tolist()
    assert (g * tangent).sum().item() == pytest.approx(((ga * da) + (gb * db)).sum().item(), rel=1e-12)
    again, push = wf.linearize(f, a, b)
    assert np.allclose(push(da, db).numpy(), tangent.numpy(), rtol=1e-13)
    assert np.allclose(push(2 * da, 2 * db).numpy(), 2 * tangent.numpy(), rtol=1e-13)
    assert again.tolist() == value.tolist()


@pytest.mark.parametrize("jacobian", [wf.jacfwd, wf.jacrev])
def test_jacobians_have_the_shape_of_output_and_input(jacobian):
    x = wf.tensor([[1.0, 2.0, 3.0]])
    whole = jacobian(lambda x: wf.concat([x * x, x], axis=0))(x)
    assert whole.shape == (2, 3, 1, 3)
    assert np.array_equal(whole.numpy()[0, :, 0], np.diag([2.0, 4.0, 6.0]))
    by_name = jacobian(lambda a, b: {"sum": a + b, "product": a * b}, argnums=(0, 1))(2.0, 3.0)
    assert [g.item() for g in by_name["product"]] == [3, 2]


def test_hessians():
    x = wf.tensor([1.0, 2.0])
    assert wf.hessian(cube)(x).tolist() == [[6, 0], [0, 12]]
    assert wf.hessian(lambda x: wf.vmap(lambda e: e**3)(x).sum())(x).tolist() == [[6, 0], [0, 12]]
    direction = wf.tensor([1.0, -1.0])
    (along,) = wf.hvp(cube, (x,), (direction,))
    assert along.tolist() == [6, -12]


ORDERS = {
    "reverse over reverse": lambda f: wf.grad(lambda x: wf.grad(f)(x).sum()),
    "forward over reverse": lambda f: lambda x: wf.jvp(wf.grad(f), (x,), (wf.ones_like(x),))[1],
    "reverse over forward": lambda f: wf.grad(lambda x: wf.jvp(f, (x,), (wf.ones_like(x),))[1]),
}


@pytest.mark.parametrize("order", ORDERS)
def test_second_derivatives_in_every_order(order):
    x = wf.tensor([0.3, -0.7], dtype=wf.float64)
    expected = -np.sin(x.numpy())
    assert np.allclose(ORDERS[order](lambda x: wf.sin(x).sum())(x).numpy(), expected, rtol=1e-14)


def test_three_deep():
    x = wf.tensor([0.5, 2.0], dtype=wf.float64)

    def second(x):
        return wf.jvp(wf.grad(lambda x: (x**4).sum()), (x,), (wf.ones_like(x),))[1].sum()

    assert np.allclose(wf.grad(second)(x).numpy(), 24 * x.numpy())
    assert np.allclose(wf.vmap(wf.grad(wf.grad(wf.grad(lambda x: x**4))))(x).numpy(), 24 * x.numpy())


def test_levels_are_told_apart():
    # The classical cases in which a derivative taken inside takes the outer one's perturbation for its own.
    assert wf.grad(lambda x: x * wf.grad(lambda y: x + y)(1.0))(1.0).item() == 1
    assert wf.grad(lambda x: x * wf.grad(lambda y: x * y)(2.0))(3.0).item() == 6
    forward = wf.jvp(lambda x: x * wf.jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,))[1]
    assert forward.item() == 1
    mixed = wf.jvp(lambda x: x * wf.grad(lambda y: x * y * y)(2.0), (3.0,), (1.0,))[1]
    assert mixed.item() == 24

    # A function that closes over the outer variable and is called in the inner derivative (Siskind and Pearlmutter).
    def shifted(f, offset):
        return wf.grad(lambda h: f(h + offset))(0.0)

    assert wf.grad(lambda x: shifted(lambda y: x * y * y, x))(2.0).item() == 8


def test_a_tape_inside_of_a_transformation_and_the_other_way_round():
    def slope_by_tape(x):
        with wf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    assert wf.grad(slope_by_tape)(2.0).item() == 12
    assert wf.vmap(slope_by_tape)(wf.tensor([1.0, 2.0])).tolist() == [3, 12]
    v = wf.Variable(2.0)
    wf.grad(lambda x: x * x * v)(3.0).backward()
    assert v.grad.item() == 6


def test_leaked_tracers_name_the_line_that_made_them():
    leaked = []

    def leak(x):
        leaked.append(x * 2)
        return (x * x).sum()

    for transform in (lambda: wf.grad(leak)(wf.ones(2)), lambda: wf.vmap(leak)(wf.ones((2, 2))),
                      lambda: wf.jvp(leak, (wf.ones(2),), (wf.ones(2),))):
        leaked.clear()
        transform()
        with pytest.raises(ValueError, match=r"multiply at .*test_derivatives\.py:\d+.*\[add\.escaped\]"):
            leaked[0] + 1.0
        assert "test_derivatives.py" in repr(leaked[0])


def test_checkpoint_gives_the_same_bits_and_computes_twice():
    runs = []

    def block(x):
        runs.append(1)
        return wf.tanh(wf.sin(x) * x)

    x = wf.tensor(np.linspace(-2, 2, 9, dtype=np.float32))
    plain = wf.grad(lambda x: block(x).sum())(x)
    runs.clear()
    again = wf.grad(lambda x: wf.checkpoint(block)(x).sum())(x)
    assert len(runs) == 2 and plain.tolist() == again.tolist()
    v = wf.Variable(x)
    wf.checkpoint(block)(v).sum().backward()
    assert v.grad.tolist() == plain.tolist()


def test_complex_derivatives_are_stated_and_hold():
    z = wf.tensor([1 + 2j, -0.5 + 0.25j])
    slope = wf.grad(lambda z: (wf.abs(z) ** 2).sum())(z)
    assert np.allclose(slope.numpy(), 2 * z.numpy(), rtol=1e-6)
    _, tangent = wf.jvp(lambda z: z * z, (z,), (wf.ones_like(z),))
    assert np.allclose(tangent.numpy(), 2 * z.numpy(), rtol=1e-6)


def test_a_whole_tree_can_be_held_constant():
    def loss(tree):
        return tree["a"] * wf.stop_gradient(tree)["b"][0]

    slopes = wf.grad(loss, unconnected="zero")({"a": wf.tensor(2.0), "b": [wf.tensor(3.0)]})
    assert slopes["a"].item() == 3 and slopes["b"][0].item() == 0


def test_detached_values_are_constants_of_transformations_too():
    x = wf.tensor([1.0, 2.0])
    assert wf.grad(lambda x: (x.detach() * x).sum())(x).tolist() == [1, 2]
    assert wf.jvp(lambda x: x.detach() * x, (x,), (wf.ones(2),))[1].tolist() == [1, 2]
    assert wf.vmap(wf.grad(lambda x: x.detach() * x))(x).tolist() == [1, 2]


def test_arrays_of_what_is_differentiated_are_refused():
    for take in (lambda x: x.numpy(), np.asarray, np.from_dlpack):
        with pytest.raises(TypeError, match=r"its gradient lost.*stop_gradient\(x\).*\[tensor.gradient\]"):
            wf.grad(lambda x: x * wf.tensor(take(x)))(wf.tensor(1.0))
        assert wf.grad(lambda x: x * wf.tensor(take(wf.stop_gradient(x))))(wf.tensor(3.0)).item() == 3
    assert wf.grad(lambda x: x * float((x > 0).numpy()))(2.0).item() == 1
    v = wf.Variable(2.0)
    assert (v * v).numpy() == 4  # with a tape people look at values all the time


@pytest.mark.parametrize("take", [float, int, complex, lambda x: x.item(), lambda x: x.tolist()])
def test_numbers_of_what_is_differentiated_are_refused(take):
    x = wf.tensor(3.0)
    for run in (lambda f: wf.grad(f)(x), lambda f: wf.jvp(f, (x,), (x,)), lambda f: wf.vmap(wf.grad(f))(x[None]),
                lambda f: wf.grad(lambda x: wf.jvp(f, (x,), (wf.tensor(1.0),))[1])(x)):
        with pytest.raises(TypeError, match=r"\[tensor.(gradient|concrete)\]"):
            run(lambda x: x * take(x))
    assert wf.grad(lambda x: wf.real(x * take(wf.stop_gradient(x))))(x).item() == 3
    assert wf.jvp(lambda x: x * take(x.detach()), (x,), (wf.tensor(1.0),))[1].item() == 3

    def inside_no_grad(x):
        with wf.no_grad():
            scale = take(x)
        return wf.real(x * scale)

    assert wf.grad(inside_no_grad)(x).item() == 3
    v = wf.Variable(3.0)
    assert take(v * v) == 9  # a tape lets them pass, as PyTorch and TensorFlow do
    with wf.GradientTape() as tape:
        y = wf.real(v * take(v))
    assert tape.gradient(y, v).item() == 3


def test_control_flow_and_printing_follow_values_under_grad():
    shown = []

    def f(x):
        shown.append(f"{x:.2f}")
        return x * x if x > 1 and bool(x) else -x

    assert wf.grad(f)(3.0).item() == 6 and wf.grad(f)(0.5).item() == -1
    assert wf.grad(wf.checkpoint(f))(3.0).item() == 6
    assert shown == ["3.00", "0.50", "3.00", "3.00"]


def test_complex_losses_are_refused():
    z = wf.tensor(1.0 + 2.0j)
    for call in (wf.grad(lambda z: z * z), wf.value_and_grad(lambda z: z * z)):
        with pytest.raises(TypeError, match=r"take real\(y\) or abs\(y\).*vjp.*\[grad.complex\]"):
            call(z)
    with pytest.raises(TypeError, match=r"\[hessian.complex\]"):
        wf.hessian(lambda z: wf.abs(z))(z)
    v = wf.Variable(z)
    with pytest.raises(TypeError, match=r"give the cotangent to start with.*\[backward.complex\]"):
        (v * v).backward()
    (v * v).backward(gradient=1.0)
    assert v.grad.item() == 2 - 4j  # the conjugate of f'
    with wf.GradientTape(persistent=True) as tape:
        y = v * v
    with pytest.raises(TypeError, match=r"\[GradientTape.gradient.complex\]"):
        tape.gradient(y, v)
    assert tape.gradient(y, v, output_gradients=wf.tensor(1.0 + 0j)).item() == 2 - 4j
    assert tape.jacobian(y, v).item() == 2 + 4j


def test_complex_jacobians_agree_in_both_modes():
    z = wf.tensor([1.0 + 2.0j, 3.0 - 1.0j])
    x = wf.tensor([1.0, 2.0])
    for mode in (wf.jacfwd, wf.jacrev):
        assert mode(lambda z: z * z)(z).tolist() == [[2 + 4j, 0], [0, 6 - 2j]]
        assert mode(lambda x: x * x * 1j)(x).tolist() == [[2j, 0], [0, 4j]]
        assert mode(lambda z: wf.real(z * wf.conj(z)))(z).tolist() == [[2 - 4j, 0], [0, 6 + 2j]]
        by_x, by_z = mode(lambda x, z: x * z, (0, 1))(x, z)
        assert by_x.tolist() == [[1 + 2j, 0], [0, 3 - 1j]] and by_z.tolist() == [[1, 0], [0, 2]]
    # one number cannot say all of a function that is not holomorphic
    assert wf.jacfwd(wf.conj)(z[0]).item() == 1 and wf.jacrev(wf.conj)(z[0]).item() == 1
