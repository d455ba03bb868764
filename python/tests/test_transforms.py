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
