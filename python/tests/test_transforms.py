"""Derivatives and batching from Python: tape, transformations, nesting, messages."""

import functools
from collections import OrderedDict

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
    with pytest.raises(wf.InvalidError, match="nothing that the tape recorded used it"):
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


def test_what_a_function_gives_beside_its_value():
    def f(x):
        return x * x, {"sum": x.sum(), "name": "square"}

    x = wf.tensor([1.0, 2.0])
    for jacobian in (wf.jacrev, wf.jacfwd):
        rows, aux = jacobian(f, has_aux=True)(x)
        assert rows.tolist() == [[2, 0], [0, 4]] and aux["sum"].item() == 3 and aux["name"] == "square"
    value, direction, aux = wf.jvp(f, (x,), (wf.ones(2),), has_aux=True)
    assert value.tolist() == [1, 4] and direction.tolist() == [2, 4] and aux["sum"].item() == 3
    value, push, aux = wf.linearize(f, x, has_aux=True)
    assert push(wf.ones(2)).tolist() == [2, 4] and aux["sum"].item() == 3
    second, aux = wf.hessian(lambda x: ((x ** 3).sum(), x * 2), has_aux=True)(x)
    assert second.tolist() == [[6, 0], [0, 12]] and aux.tolist() == [2, 4]
    rows, aux = wf.vmap(wf.jacfwd(f, has_aux=True))(wf.ones((3, 2)))
    assert rows.shape == (3, 2, 2) and aux["sum"].tolist() == [2, 2, 2]
    with pytest.raises(wf.WrongTypeError, match="jacrev: with has_aux=True the function must give a pair"):
        wf.jacrev(wf.sin, has_aux=True)(x)


def test_jacobians_take_keywords():
    assert wf.jacrev(lambda x, n: x * n)(wf.ones(1), n=3).tolist() == [[3]]
    assert wf.hessian(lambda x, n: (x ** n).sum())(wf.ones(1), n=3).tolist() == [[6]]


def test_keywords_of_vmap_are_batched():
    x, y = wf.tensor([1.0, 2.0]), wf.tensor([10.0, 20.0])
    assert wf.vmap(lambda x, y: x + y)(x, y=y).tolist() == [11, 22]
    assert wf.vmap(lambda *, p: p["x"] * p["y"])(p={"x": x, "y": y}).tolist() == [10, 40]
    assert wf.vmap(lambda x, y: x + y.sum(), in_axes=1)(wf.ones((1, 2)), y=wf.ones((2, 3))).tolist() == [[4], [4]]
    assert wf.vmap(lambda x, mode: x * 2 if mode == "twice" else x)(x, mode="twice").tolist() == [2, 4]
    assert wf.vmap(functools.partial(lambda x, n: x * n, n=3))(x).tolist() == [3, 6]
    with pytest.raises(wf.InvalidError, match="vmap: y has 3 examples along axis 0 but the batch has 2"):
        wf.vmap(lambda x, y: x + y)(x, y=wf.ones(3))


def test_trees_carry_what_is_no_tensor():
    tree = {"w": wf.tensor([1.0, 2.0]), "activation": wf.tanh, "name": "layer", "bias": None, "dtype": wf.float32}

    def loss(p, scale=1.0):
        assert p["name"] == "layer" and p["bias"] is None and p["dtype"] is wf.float32
        return (p["activation"](p["w"]) * scale).sum()

    slopes = wf.grad(loss)(tree)
    assert slopes["name"] == "layer" and slopes["activation"] is wf.tanh and slopes["w"].shape == (2,)
    assert wf.vmap(loss, in_axes=({"w": 0, "activation": None, "name": None, "bias": None, "dtype": None},))(tree).shape == (2,)
    assert wf.checkpoint(loss)(tree).item() == loss(tree).item()
    leaves, form = wf.tree.flatten(tree)
    assert len(leaves) == 1 and "'layer'" in repr(form) and wf.tree.unflatten(form, leaves) == tree
    assert wf.tree.flatten({"a": "x"})[1] != wf.tree.flatten({"a": "y"})[1]
    assert wf.tree.map(lambda x: x * 2, ["a", 3, 1.5, None]) == ["a", 6, 3.0, None]


def test_an_ordered_dict_stays_one_in_its_order():
    weights = OrderedDict(b=wf.tensor(2.0), a=wf.tensor(3.0))
    slopes = wf.grad(lambda w: w["a"] * w["a"] * w["b"])(weights)
    assert type(slopes) is OrderedDict and list(slopes) == ["b", "a"]
    assert (slopes["b"].item(), slopes["a"].item()) == (9, 12)
    with pytest.raises(ValueError, match=r"OrderedDict\(\{'b': \*, 'a': \*\}\)"):
        wf.tree.map(lambda x, y: x, weights, [1.0])


def test_numbers_in_trees_are_tensors():
    slopes = wf.grad(lambda p: p["w"] * p["scale"])({"w": 2.0, "scale": 3.0})
    assert slopes["w"].item() == 3 and slopes["scale"].item() == 2
    with pytest.raises(TypeError, match=r'grad: p\["n"\] has dtype int64, which has no derivatives'):
        wf.grad(lambda p: p["w"] * p["n"])({"w": 2.0, "n": 3})


def test_no_grad_may_end_in_any_order():
    x = wf.Variable(2.0)
    first, second = wf.no_grad(), wf.no_grad()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    with pytest.raises(wf.Error, match="no_grad"):
        (x * x).backward()
    second.__exit__(None, None, None)
    (x * x).backward()
    assert x.grad.item() == 4


def test_checkpoint_knows_axes_and_draws_nothing_when_it_runs_again():
    f = wf.checkpoint(lambda x: x * x * wf.axis_index("row") + wf.psum(x * x, "row") + wf.pmean(x, "row"))
    total = lambda x: wf.vmap(f, axis_name="row")(x).sum()
    assert wf.grad(total)(wf.tensor([1.0, 2.0, 3.0])).tolist() == [7, 17, 31]
    wf.seed(3)
    expected = [wf.rand(2), wf.rand(2)][1].tolist()
    wf.seed(3)
    wf.grad(lambda x: wf.checkpoint(lambda x: (x * wf.rand(2)).sum())(x))(wf.ones(2))
    assert wf.rand(2).tolist() == expected


def test_jvp_refuses_integers():
    with pytest.raises(TypeError, match=r"\[jvp.dtype\]"):
        wf.jvp(lambda n: n * n, (wf.tensor(3),), (wf.tensor(1),))
