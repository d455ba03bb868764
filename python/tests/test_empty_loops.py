"""Loops and branches without examples, without steps and without elements, under every transformation."""

import numpy as np
import pytest
import weft as wf


def while_loop(steps):
    return lambda x: wf.sum(wf.while_loop(lambda i, r: i < steps, lambda i, r: (i + 1, wf.sin(r) * x), (wf.tensor(0), x))[1])


def while_of_value(x):
    return wf.while_loop(lambda r: r < 10.0, lambda r: r * 1.5 + 0.1, wf.sum(x * x) + 0.1)


def fori_loop(steps):
    return lambda x: wf.sum(wf.fori_loop(0, steps, lambda i, r: wf.sin(r) * x, x))


def fori_loop_by_tensors(steps):
    return lambda x: wf.sum(wf.fori_loop(wf.tensor(0), wf.tensor(steps), lambda i, r: wf.sin(r) * x, x))


def scan(steps):
    def f(x):
        carry, rows = wf.scan(lambda c, _: (wf.sin(c) * x, c * x), x, None, length=steps)
        return wf.sum(carry) + wf.sum(rows)
    return f


def scan_of_rows(x):
    carry, rows = wf.scan(lambda c, r: (wf.sin(c) * r, c * r), wf.sum(x), wf.reshape(x, (-1,)))
    return carry + wf.sum(rows)


def branches(x):
    return wf.sum(wf.cond(wf.sum(x) > 0, wf.sin, lambda x: x * x, x))


def cases(x):
    return wf.sum(wf.switch_case(wf.cast(wf.sum(x), "int64"), [wf.sin, wf.cos, lambda x: x * x], x))


def rows_mapped(x):
    return wf.sum(wf.map(wf.sin, wf.reshape(x, (-1,))))


def nested(x):
    def step(i, r):
        return i + 1, wf.fori_loop(wf.tensor(0), i, lambda j, r: wf.sin(r) * x, r)
    return wf.sum(wf.while_loop(lambda i, r: i < 3, step, (wf.tensor(0), x))[1])


PROGRAMS = {"while_of_value": while_of_value, "scan_of_rows": scan_of_rows, "cond": branches, "switch_case": cases,
            "map": rows_mapped, "nested": nested}
for make in (while_loop, fori_loop, fori_loop_by_tensors, scan):
    PROGRAMS |= {f"{make.__name__}_{steps}": make(steps) for steps in (0, 2)}


def transformed(f):
    slope = wf.grad(f)
    return {
        "vmap": wf.vmap(f),
        "vmap(grad)": wf.vmap(slope),
        "vmap(jvp)": wf.vmap(lambda x: wf.jvp(f, (x,), (x,))[1]),
        "vmap(jvp(grad))": wf.vmap(lambda x: wf.jvp(slope, (x,), (x,))[1]),
        "vmap(grad(grad))": wf.vmap(wf.grad(lambda x: wf.sum(slope(x) * slope(x)))),  # two loops that are one
        "grad(vmap)": wf.grad(lambda x: wf.sum(wf.vmap(f)(x))),
        "grad(vmap(grad))": wf.grad(lambda x: wf.sum(wf.vmap(slope)(x) ** 2)),
        "vmap(vmap(grad))": lambda x: wf.vmap(wf.vmap(slope))(wf.stack([x, x])),
    }


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2,)])
def test_batches(name, shape):
    x = wf.tensor(np.linspace(-0.9, 0.8, int(np.prod(shape)), dtype=np.float32).reshape(shape))
    for how, f in transformed(PROGRAMS[name]).items():
        now, later = f(x).numpy(), wf.function(f)(x).numpy()
        assert now.tobytes() == later.tobytes() and now.shape == later.shape, how
        inner = () if how == "vmap" or how == "vmap(jvp)" else shape[1:]
        assert now.shape == ((2,) if how == "vmap(vmap(grad))" else ()) + shape[:1] + inner, how


def test_second_derivatives_of_two_loops_that_are_one():
    def f(x):
        return wf.while_loop(lambda i, r: i < 4, lambda i, r: (i + 1, wf.sin(r) * x), (wf.tensor(0), x))[1]

    slope = wf.grad(f)
    both = wf.grad(lambda x: slope(x) * slope(x))
    x = wf.tensor([0.3, 0.7])
    wanted = [both(e).item() for e in x]
    assert wf.function(wf.vmap(both))(x).numpy().tolist() == wanted
