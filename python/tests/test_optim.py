"""Optimizers: a step does what its formula says, and a missing gradient is named."""

import pytest

import weft as wf
from weft import nn


def test_sgd_and_adam_descend():
    for make in (lambda p: wf.optim.SGD(p, lr=0.1, momentum=0.5), lambda p: wf.optim.Adam(p, lr=0.3)):
        x = wf.Variable([3.0, -2.0], name="x")
        optimizer = make([x])
        for _ in range(200):
            optimizer.zero_grad()
            (x * x).sum().backward()
            optimizer.step()
        assert wf.max(wf.abs(x)).item() < 0.05 and optimizer.steps == 200


def test_a_parameter_without_gradient_is_named():
    w = wf.Variable(1.0, name="w")
    with pytest.raises(wf.InvalidError, match=r"'w'.*no gradient.*\n.*test_optim.py"):
        wf.optim.SGD([w]).step()


def test_parameters_are_variables():
    with pytest.raises(wf.WrongTypeError, match="Variable"):
        wf.optim.Adam([wf.ones(3)])


def test_gradients_of_a_tape_are_applied():
    w = wf.Variable([1.0, 2.0], name="w")
    optimizer = wf.optim.SGD([w], lr=0.1)
    with wf.GradientTape() as tape:
        loss = (w * w).sum()
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
    assert w.numpy().tolist() == pytest.approx([0.8, 1.6])
    assert w.grad is None
    w.grad = wf.grad(lambda w: (w * w).sum())(w)
    optimizer.step()
    assert w.numpy().tolist() == pytest.approx([0.64, 1.28])
    with pytest.raises(TypeError, match=r"the Variable w holds f32\[2\] but the gradient is f32\[3\].*\[grad.type\]"):
        w.grad = wf.ones(3)


def test_adam_refuses_complex_parameters():
    with pytest.raises(TypeError, match=r"\[Adam.complex\]"):
        wf.optim.Adam([wf.Variable(3 + 4j)])


def test_zero_grad_takes_the_peers_keyword():
    w = wf.Variable([1.0])
    optimizer = wf.optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    with pytest.raises(ValueError, match="zero_grad: set_to_none is False"):
        optimizer.zero_grad(set_to_none=False)
    optimizer.zero_grad(set_to_none=True)
    assert w.grad is None


def test_lbfgs_differentiates_by_itself():
    x = wf.Variable([1.0, 2.0])
    optimizer = wf.optim.LBFGS([x])

    def closure():
        loss = wf.sum(x ** 2)
        loss.backward()
        return loss

    with pytest.raises(ValueError, match=r"LBFGS: the function calls backward, but step differentiates what it gives; leave zero_grad "
                                         r"and backward out of it \[LBFGS.backward\]"):
        optimizer.step(closure)


def test_an_optimizer_of_variables_that_the_module_no_longer_has():
    model = nn.Linear(2, 2)
    optimizer = wf.optim.SGD(model.parameters(), lr=0.1)
    model.to(wf.float64)
    model(wf.ones((1, 2))).sum().backward()
    with pytest.raises(wf.InvalidError) as error:
        optimizer.step()
    assert str(error.value).partition("\n")[0] == (
        "step: parameters[0] ('weight') has no gradient; call backward() on a loss that depends on it, or leave it out of the optimizer; a "
        "module that was changed since, by to(dtype) for example, has other Variables than these: make the optimizer after that "
        "[step.gradient]")


def test_a_group_without_params_is_told():
    v = wf.Variable(1.0)
    for given in ([{"lr": 1}], [{"params": [v], "lr": 1}, {"lr": 2}]):
        with pytest.raises(wf.InvalidError, match=r'Adam: a group has no "params"; it is a dict such as .* \[Adam.group\]'):
            wf.optim.Adam(given)
    assert len(wf.optim.Adam([{"w": v}]).parameters) == 1  # a tree of Variables
