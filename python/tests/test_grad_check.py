"""grad_check from Python: user functions, custom rules, trees, and what it says of a wrong gradient."""

import dataclasses

import pytest

import weft as wf
from weft.testing import CheckFailed


def test_passes_a_network_to_third_order():
    params = {"w": wf.randn(3, 2), "b": [wf.zeros(2)]}
    report = wf.grad_check(lambda p, x: wf.log_softmax(wf.tanh(x @ p["w"] + p["b"][0])), (params, wf.randn(2, 3)),
                           order=3)
    assert report.passed and report and len(report.entries) == 2 * 3 * 2 * (1 + 2 + 4)
    assert str(report) == "grad_check: all 84 checks passed"
    assert {e["argument"] for e in report.entries} == {"args[0]['b'][0]", "args[0]['w']", "args[1]"}


def test_control_flow_of_the_language():
    def power(x, n):
        out = x
        while n > 1:
            out, n = out * x, n - 1
        return wf.sin(out) if out.sum() > 0 else wf.cos(out)

    assert wf.grad_check(power, (wf.tensor([0.7, 0.9]), 3), order=2)


class Cube(wf.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x**2


class WrongCube(Cube):
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x


def test_custom_functions():
    assert wf.grad_check(Cube.apply, wf.tensor([0.5, 2.0]), order=3)
    with pytest.raises(CheckFailed, match=r"order 1, jvp, args\[0\], direction 0: output 0 at \[\] is \S+ where \S+ is "
                                          r"expected \(relative error \S+, at most 1e-06\)") as failure:
        wf.grad_check(lambda x: WrongCube.apply(x).sum() * 2.0, wf.tensor([0.5, 2.0]))
    text = str(failure.value)
    assert text.startswith("grad_check: 4 of 4 checks failed\n") and text.endswith("[grad_check.mismatch]")
    assert "order 1, vjp, args[0], direction 1: <J* u, v> is " in text
    assert "the function's ops: WrongCube, sum, multiply" in text


def test_custom_jvp():
    @wf.custom_jvp
    def sine(x):
        return wf.sin(x)

    sine.defjvp(lambda primals, tangents: wf.cos(primals[0]) * tangents[0])
    assert wf.grad_check(sine, wf.tensor([0.5, 2.0]), order=2)
    sine.defjvp(lambda primals, tangents: wf.sin(primals[0]) * tangents[0])
    report = wf.grad_check(sine, wf.tensor([0.5, 2.0]), raise_on_failure=False)
    assert not report.passed and report.ops == ["sine"]


def test_one_mode_only():
    report = wf.grad_check(wf.exp, 0.5, modes="vjp", order=2)
    assert {e["what"] for e in report.entries} == {"vjp", "vjp of vjp"}
    wrong = wf.grad_check(WrongCube.apply, wf.tensor([0.5, 2.0]), modes=("vjp",), raise_on_failure=False)
    assert [e["passed"] for e in wrong.entries] == [False, False]


def test_names_of_leaves_and_kinks():
    @dataclasses.dataclass
    class Layer:
        weight: object
        bias: object

    layer = Layer(wf.ones(2), wf.tensor([0.0, 1.0]))
    with pytest.raises(CheckFailed, match=r"args\[0\].bias, direction 0: .* has a kink or a jump there"):
        wf.grad_check(lambda p: wf.relu(p.bias) * p.weight, (layer,))


def test_refusals():
    with pytest.raises(wf.InvalidError, match=r"'forward' is no mode; modes are 'jvp' and 'vjp' \[grad_check.modes\]"):
        wf.grad_check(wf.exp, 1.0, modes=("forward",))
    with pytest.raises(wf.InvalidError, match=r"order is 0; it is 1, 2 or 3 \[grad_check.order\]"):
        wf.grad_check(wf.exp, 1.0, order=0)
    with pytest.raises(wf.InvalidError, match=r"draw random numbers from a key \[grad_check.pure\]"):
        wf.grad_check(lambda x: x * wf.rand(2), wf.ones(2))
    with pytest.raises(wf.WrongTypeError, match=r"leave out the cast \[grad_check.dtype\]"):
        wf.grad_check(lambda x: x.astype(wf.float32), wf.ones(2))
