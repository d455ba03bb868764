"""Derivatives and batching from Python: tape, transformations, nesting, messages."""

import pytest

import weft as wf


def test_backward_adds_to_grad():
    x = wf.Variable([1.0, 2.0, 3.0])
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 4, 6]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5, 7, 9]
    x.grad = None
    assert x.grad is None


def test_second_backward_says_what_to_do():
    x = wf.Variable(2.0)
    loss = x * x
    loss.backward()
    with pytest.raises(wf.InvalidError, match="retain_graph"):
        loss.backward()


def test_assignment_cuts_history_and_keeps_what_was_computed():
    x = wf.Variable(2.0)
    y = x * x
    x.assign(5.0)
    y.backward()
    assert x.grad.item() == 4 and x.item() == 5
    x -= 1.0
    assert x.item() == 4
    x.assign_add(wf.tensor(2.0))
    assert x.item() == 6


def test_transformations_nest():
    cube = lambda x: x * x * x  # noqa: E731
    assert wf.grad(wf.grad(wf.grad(cube)))(2.0).item() == 6
    assert wf.jvp(wf.grad(cube), (2.0,), (1.0,))[1].item() == 12
    assert wf.vmap(wf.grad(wf.grad(cube)))(wf.tensor([1.0, 2.0])).tolist() == [6, 12]
    assert wf.grad(lambda x: wf.vmap(cube)(x).sum())(wf.tensor([1.0, 2.0])).tolist() == [3, 12]
    assert wf.hessian(lambda x: (x**3).sum())(wf.tensor([1.0, 2.0])).tolist() == [[6, 0], [0, 12]]


def test_levels_are_not_confused():
    f = lambda x: x * wf.grad(lambda y: x + y)(1.0)  # noqa: E731
    assert wf.grad(f)(1.0).item() == 1


def test_trees():
    tree = {"w": wf.ones(3), "b": [wf.zeros(3)]}
    slope = wf.grad(lambda p: (p["w"] * 2 + p["b"][0]).sum())(tree)
    assert slope["w"].tolist() == [2, 2, 2] and slope["b"][0].tolist() == [1, 1, 1]


def test_tape_in_the_manner_of_tensorflow():
    w = wf.Variable(3.0)
    with wf.GradientTape() as outer, wf.GradientTape() as inner:
        y = w * w * w
    with pytest.raises(wf.InvalidError, match="did not watch"):
        inner.gradient(y, wf.tensor(1.0))
    with wf.GradientTape() as outer:
        with wf.GradientTape() as inner:
            y = w * w * w
        slope = inner.gradient(y, w)
    assert slope.item() == 27 and outer.gradient(slope, w).item() == 18


def test_a_gradient_that_does_not_exist_says_where_the_path_ends():
    with pytest.raises(wf.InvalidError, match=r"ends at equal .*test_transforms.py:\d+"):
        wf.grad(lambda x: wf.floor(x) == x)(2.0)
    assert wf.grad(lambda x, y: y * 1.0, unconnected="zero")(2.0, 3.0).item() == 0


def test_no_grad_records_nothing():
    x = wf.Variable(2.0)
    with wf.no_grad():
        y = x * x
    with pytest.raises(wf.InvalidError, match="no_grad"):
        y.backward()


def test_a_tracer_that_escapes_raises():
    leaked = []
    wf.grad(lambda x: leaked.append(x * 2) or x * 1.0)(1.0)
    with pytest.raises(wf.InvalidError, match="ended"):
        leaked[0] + 1


def test_stop_gradient_on_every_path_is_named():
    with pytest.raises(wf.InvalidError, match=r"ends at stop_gradient .*test_transforms.py:\d+"):
        wf.grad(lambda x: wf.stop_gradient(x) * 2)(2.0)
    assert wf.grad(lambda x: wf.stop_gradient(x) * x)(2.0).item() == 2


def test_named_axes():
    x = wf.tensor([1.0, 2.0, 3.0])
    centred = wf.vmap(lambda t: t - wf.pmean(t, "batch"), axis_name="batch")
    assert centred(x).tolist() == [-1, 0, 1]
    assert wf.vmap(lambda t: wf.psum(t, "i") + wf.axis_index("i"), axis_name="i")(x).tolist() == [6, 7, 8]
    assert wf.vmap(lambda t: wf.psum(1.0, "i"), axis_name="i", out_axes=None)(x).item() == 3
    loss = lambda t: (wf.vmap(lambda e: wf.psum(e, "i") * e, axis_name="i")(t)).sum()  # noqa: E731
    assert wf.grad(loss)(x).tolist() == [12, 12, 12]
    nested = wf.vmap(wf.vmap(lambda t: wf.psum(t, "rows"), axis_name="columns"), axis_name="rows", out_axes=None)
    assert nested(wf.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist() == [4, 6]
    with pytest.raises(wf.InvalidError, match="axis_name"):
        wf.psum(x, "nowhere")


def test_randomness_under_vmap():
    with pytest.raises(wf.InvalidError, match="randomness"):
        wf.vmap(lambda t: t + wf.rand(2))(wf.zeros((3, 2)))
    same = wf.vmap(lambda t: t + wf.rand(2), randomness="same")(wf.zeros((3, 2)))
    assert same[0].tolist() == same[1].tolist()
    different = wf.vmap(lambda t: t + wf.rand(2), randomness="different")(wf.zeros((3, 2)))
    assert different[0].tolist() != different[1].tolist()
    keys = wf.random.Key(0).split(3)
    batched = wf.vmap(lambda k: wf.random.normal(k, (4,)))(keys)
    assert [row.tolist() for row in batched] == [wf.random.normal(keys[i], (4,)).tolist() for i in range(3)]


def test_a_tensor_that_requires_grad_is_a_variable():
    x = wf.tensor([1.0, 2.0], requires_grad=True)
    assert isinstance(x, wf.Variable)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert wf.tensor([1.0], wf.float64, True).dtype == wf.float64
    with pytest.raises(TypeError, match=r"which has no derivatives.*\[tensor.requires_grad\]"):
        wf.tensor([1, 2], requires_grad=True)


def test_in_place_subtraction_of_a_value_with_history_names_the_variable():
    v = wf.Variable([1.0, 2.0])
    x = v * 2.0
    with pytest.raises(ValueError, match=r"wf\.Variable\(x\).*\[subtract.in_place\]"):
        x -= 1.0
    x = x - 1.0
    assert x.tolist() == [1.0, 3.0]
    plain = wf.tensor([1.0, 2.0])
    same = plain
    plain -= 1.0  # another value for the name; the tensor is as it was
    assert plain.tolist() == [0.0, 1.0] and same.tolist() == [1.0, 2.0]
    v -= wf.ones(2)
    assert v.tolist() == [0.0, 1.0]

    def descend(a):
        a -= 1.0  # inside of a transformation names are rebound as ever
        return (a * a).sum()

    assert wf.grad(descend)(wf.tensor([3.0])).tolist() == [4.0]


def test_jacobians_of_several_arguments_and_trees():
    def f(a, p):
        return {"product": a * p["x"], "sum": a.sum()}

    a, p = wf.tensor([1.0, 2.0]), {"x": wf.tensor([3.0, 4.0])}
    for mode in (wf.jacrev, wf.jacfwd):
        both = mode(f, (0, 1))(a, p)
        assert both["product"][0].tolist() == [[3, 0], [0, 4]]
        assert both["product"][1]["x"].tolist() == [[1, 0], [0, 2]]
        assert both["sum"][1]["x"].tolist() == [0, 0]
        assert mode(f, 1)(a, p)["product"]["x"].tolist() == [[1, 0], [0, 2]]
    second = wf.hessian(lambda a, b: a * a * b, (0, 1))(2.0, 3.0)
    assert [[block.item() for block in row] for row in second] == [[6, 4], [4, 0]]
    with pytest.raises(wf.WrongTypeError, match="no derivatives"):
        wf.jacrev(lambda x: x == x)(a)
