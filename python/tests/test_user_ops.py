"""Ops defined in Python, and the checks that every op goes through."""

import numpy as np
import pytest

import weft as wf
from weft import testing

cube = wf.define_op("cube", compose=lambda x: x * x * x)


def scaled_sine(x, y, *, scale=2.0):
    """The sine of x, scaled, plus y."""
    return (scale * np.sin(x) + y).astype(x.dtype)


def scaled_sine_vjp(g, x, y, *, scale):
    return g * scale * wf.cos(x), g


def scaled_sine_jvp(tangents, x, y, *, scale):
    dx, dy = tangents
    return dx * scale * wf.cos(x) + dy


scaled = wf.define_op("tests.scaled_sine", kernel=scaled_sine, vjp=scaled_sine_vjp, jvp=scaled_sine_jvp,
                      inputs=["x: floating", "y: like x"])

A = wf.tensor([[0.5, -1.0, 2.0], [0.1, 0.2, 0.3]])
B = wf.tensor([1.0, 2.0, 3.0])


def test_compose():
    np.testing.assert_allclose(cube(A).numpy(), A.numpy() ** 3, rtol=1e-6)
    testing.check_op(cube, (A,), reference=lambda a: a**3)
    assert repr(cube) == "<weft op cube>" and "user-defined op cube" in cube.__doc__


def test_kernel():
    np.testing.assert_allclose(scaled(A, B, scale=3.0).numpy(), 3 * np.sin(A.numpy()) + B.numpy(), rtol=1e-6)
    assert scaled(A, 1).dtype is wf.float32 and scaled.__doc__.startswith("The sine of x")
    testing.check_op(scaled, (A, B), ((A, A), {"scale": -1.0}), reference=scaled_sine)


def test_wrong_gradient_is_found():
    wrong = wf.define_op("wrong_square", kernel=lambda x: x * x, vjp=lambda g, x: g * x)
    with pytest.raises(testing.CheckFailed, match="VJP"):
        testing.check_op(wrong, (B,))


def test_wrong_value_is_found():
    with pytest.raises(testing.CheckFailed, match="is expected"):
        testing.check_op(cube, (B,), reference=lambda a: a**2)


def test_errors():
    with pytest.raises(ValueError, match="there is an op named cube already"):
        wf.define_op("cube", compose=lambda x: x)
    with pytest.raises(TypeError, match="either compose= or kernel="):
        wf.define_op("nothing")
    with pytest.raises(TypeError, match="scaled_sine: scale must be a number, but got 'a'"):
        scaled(A, B, scale="a")
    double = wf.define_op("double_up", kernel=lambda x: x.astype("float64"))
    with pytest.raises(ValueError, match=r"double_up: its kernel gave f64\[3\] but its type is inferred as f32\[3\]"):
        double(B)
    failing = wf.define_op("failing", kernel=lambda x: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        failing(B)
    assert caught.value.__notes__ == ["in the rule 'run' of the op failing"]
    with pytest.raises(ValueError, match="broadcast"):
        scaled(A, wf.tensor([1.0, 2.0]))


def test_infer_and_several_outputs():
    parts = wf.define_op("sum_and_max", kernel=lambda x: (x.sum(), x.max()), outputs=["total: any", "most: any"],
                         infer=lambda x: [(x.dtype, ()), (x.dtype, ())])
    total, most = parts(B)
    assert (total.item(), most.item()) == (6.0, 3.0)
    testing.check_op(parts, (B,))


def test_built_in_ops_pass_the_checks():
    testing.check_op(wf.exp, (A,), reference=np.exp)
    testing.check_op(wf.add, (A, B), (A, wf.tensor(1.0)), reference=np.add)
    testing.check_op(wf.sum, ((A,), {"axis": 1}), ((A,), {}))
    testing.check_op(wf.reshape, ((A,), {"shape": (3, 2)}))


def test_many_inputs():
    six = wf.define_op("tests.six", compose=lambda a, b, c, d, e, f: a + b + c + d + e + f)
    assert six(*[wf.tensor([float(k)]) for k in range(6)]).tolist() == [15.0]
    assert six(wf.tensor([0.0]), *range(1, 6)).tolist() == [15.0]
    with pytest.raises(ValueError, match="at most 6 inputs"):
        wf.define_op("tests.seven", compose=lambda a, b, c, d, e, f, g: a)


def test_large_ops_inside_of_a_kernel_share_no_memory_in_a_trace():
    """A large op runs on a thread of its own: the output slot that it took there is not given out again."""
    def sums(x):
        first = wf.cumulative_sum(wf.asarray(x))
        second = wf.cumulative_sum(first)
        return (first + second).numpy()

    op = wf.define_op("tests.two_sums", kernel=sums)
    x = wf.ones(1 << 22)
    assert np.array_equal(wf.function(lambda x: op(x) * 1.0)(x).numpy(), (op(x) * 1.0).numpy())
