"""Loops that read Variables: derivatives of every order, batches of them and traces, each with eager's numbers."""

import numpy as np
import pytest
import weft as wf

F64 = wf.float64


def _while(x, w):
    return wf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, wf.sin(s) * w * x), (wf.tensor(0), x))[1]


def _until(x, w):
    """Its number of steps depends on values."""
    return wf.while_loop(lambda s: s < 2.0, lambda s: s * (1.2 + w * w) + 0.1 * wf.cos(x), x)


def _python_while(x, w):
    i, s = 0, x
    while wf.sum(s) < 3.0 and i < 6:
        s = s * (1.3 + w * x)
        i = i + 1
    return s


def _python_for(x, w):
    s = x
    for i in range(5):
        s = wf.sin(s) * w + x
        if s > 1.5:
            break
    return s


def _nested(x, w):
    def inner(s):
        return wf.while_loop(lambda j, r: j < 3, lambda j, r: (j + 1, wf.sin(r) * w + x), (wf.tensor(0), s))[1]

    return wf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, inner(s) * w), (wf.tensor(0), x))[1]


def _in_cond(x, w):
    return wf.cond(x > 0.25, lambda: _while(x, w), lambda: wf.cos(x) * w)


def _of_cond(x, w):
    def step(i, s):
        return i + 1, wf.cond(s > 0.1, lambda: wf.sin(s) * w, lambda: s * s + w * x)

    return wf.while_loop(lambda i, s: i < 4, step, (wf.tensor(0), x))[1]


def _of_scan(x, w):
    def rows(s):
        return wf.scan(lambda c, r: (c * r * w + x, c), s, wf.tensor([0.5, 0.75, 1.25], F64))[0]

    return wf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, rows(s)), (wf.tensor(0), x))[1]


def _in_scan(x, w):
    return wf.scan(lambda c, r: (_while(c * r, w) + x, c), x, wf.tensor([0.5, 0.75, 1.25], F64))[0]


PROGRAMS = [_while, _until, _python_while, _python_for, _nested, _in_cond, _of_cond, _of_scan, _in_scan]
ONE = wf.tensor(0.3, F64)
TWO = wf.tensor([0.3, 0.2], F64)


def _one_by_one(f):
    """As vmap, where Python decides by the values of one example."""
    return lambda xs: wf.stack([f(x) for x in xs])


MODES = {
    "grad": lambda f, vmap=wf.vmap: wf.grad(f)(ONE),
    "grad(grad)": lambda f, vmap=wf.vmap: wf.grad(wf.grad(f))(ONE),
    "grad(grad(grad))": lambda f, vmap=wf.vmap: wf.grad(wf.grad(wf.grad(f)))(ONE),
    "hessian": lambda f, vmap=wf.vmap: wf.hessian(f)(ONE),
    "jvp(grad)": lambda f, vmap=wf.vmap: wf.jvp(wf.grad(f), (ONE,), (wf.tensor(1.5, F64),))[1],
    "grad(jvp)": lambda f, vmap=wf.vmap: wf.grad(lambda x: wf.jvp(f, (x,), (wf.tensor(1.5, F64),))[1])(ONE),
    "vmap(grad)": lambda f, vmap=wf.vmap: vmap(wf.grad(f))(TWO),
    "vmap(grad(grad))": lambda f, vmap=wf.vmap: vmap(wf.grad(wf.grad(f)))(TWO),
    "grad(vmap(grad))": lambda f, vmap=wf.vmap: wf.grad(lambda x: wf.sum(vmap(wf.grad(f))(x)))(TWO),
    "function(grad(grad))": lambda f, vmap=wf.vmap: wf.function(wf.grad(wf.grad(f)))(ONE),
    "function(vmap(grad))": lambda f, vmap=wf.vmap: wf.function(wf.vmap(wf.grad(f)))(TWO),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives_with_a_variable(program, mode):
    vmap = _one_by_one if program in (_python_while, _python_for) else wf.vmap
    w = wf.Variable(wf.tensor(0.7, F64))

    def plain(x):
        return program(x, w)

    expected, found = MODES[mode](plain, vmap), MODES[mode](wf.function(plain))
    assert np.allclose(found.numpy(), expected.numpy(), rtol=1e-12, atol=0)
    # What is recorded of them for the Variable leads back to it.
    gradients = []
    for result in (expected, found):
        wf.sum(result).backward()
        gradients.append(w.grad.numpy())
        w.grad = None
    assert np.allclose(gradients[1], gradients[0], rtol=1e-12, atol=0)


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives_of_an_argument_that_steps_read(program):
    w = wf.tensor(0.7, F64)

    def plain(x, v):
        return program(x, v)

    for k in (0, 1):
        for j in (0, 1):
            def mixed(f, k=k, j=j):
                return wf.grad(wf.grad(f, argnums=k), argnums=j)(ONE, w)

            assert np.allclose(mixed(wf.function(plain)).numpy(), mixed(plain).numpy(), rtol=1e-12, atol=0)


def test_second_derivative_is_a_difference_of_first_ones():
    w = wf.Variable(wf.tensor(0.7, F64))
    f = wf.function(lambda x: _while(x, w))
    h = 1e-5
    slope = (wf.grad(f)(ONE + h) - wf.grad(f)(ONE - h)) / (2 * h)
    assert np.allclose(wf.grad(wf.grad(f))(ONE).numpy(), slope.numpy(), rtol=1e-7)


def test_steps_that_were_not_kept():
    """Little memory for what a loop keeps: the steps between are computed again, in derivatives of derivatives too."""
    w = wf.Variable(wf.tensor(0.9, F64))

    def loop(x, **limit):
        return wf.while_loop(lambda i, s: i < 50, lambda i, s: (i + 1, wf.sin(s) * w + 0.3 * x), (wf.tensor(0), x), **limit)[1]

    few, all_of_them = wf.function(lambda x: loop(x, max_saved_bytes=64)), wf.function(loop)
    for mode in ("grad(grad)", "vmap(grad)", "grad(vmap(grad))"):
        assert np.array_equal(MODES[mode](few).numpy(), MODES[mode](all_of_them).numpy())
