"""Equivalent forms of one computation give the same bits, however often they ran before and whoever writes meanwhile."""

import threading

import numpy as np
import pytest

import weft as wf


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("rows", [1, 3, 32])
@pytest.mark.parametrize("features", [(16, 64), (64, 64), (64, 8), (100, 10), (600, 33)])
def test_linear_has_the_bits_of_a_product(rows, features):
    takes, gives = features
    x, w, b = wf.asarray(numbers(rows, takes)), wf.asarray(numbers(gives, takes, seed=1)), wf.asarray(numbers(gives, seed=2))
    turned = wf.asarray(np.ascontiguousarray(np.asarray(w).T))
    expected = np.asarray(x @ turned + b)
    weight = wf.asarray(numbers(gives, takes, seed=1))  # nobody else has its address: packed copies may be kept
    variables = wf.Variable(numbers(gives, takes, seed=1)), wf.Variable(numbers(gives, seed=2))
    traced = wf.function(lambda x: wf.nn.linear(x, weight, b))
    held = wf.function(lambda x: wf.nn.linear(x, *variables))
    with wf.no_grad():
        for _ in range(4):
            for form in (lambda x: wf.nn.linear(x, weight, b), traced, held):
                assert np.array_equal(np.asarray(form(x)), expected)


def test_linear_of_weights_that_change():
    """Updates in place, from eager code and from a traced function: the next call has the new weights."""
    x, term = wf.asarray(numbers(1, 64)), wf.asarray(numbers(64, 64, seed=2))
    v = wf.Variable(numbers(64, 64, seed=1))
    read = wf.function(lambda x: wf.nn.linear(x, v))
    write = wf.function(lambda: v.assign_sub(term))
    with wf.no_grad():
        for i in range(6):
            for _ in range(3):
                now = np.asarray(read(x))
            assert np.array_equal(now, np.asarray(x @ (v + 0).T))
            v.assign_add(term * 0.5) if i % 2 else write()


def test_weights_that_a_loop_carries():
    """A loop rewrites the memory of what it carries: no packed copy of an earlier step is used."""
    x, image = wf.asarray(numbers(2, 64)), wf.asarray(numbers(1, 8, 9, 9))
    w, taps = wf.asarray(numbers(64, 64, seed=1)), wf.asarray(numbers(16, 8, 3, 3, seed=2))

    def step(i, w, taps, total):
        y, z = wf.nn.linear(x, w), wf.nn.conv2d(image, taps, padding=1)
        return i + 1, w * 0.75, taps * 0.5, total + y.mean() + z.mean()

    zero = wf.asarray(np.float32(0))
    state = (wf.asarray(0), w, taps, zero)
    for _ in range(9):
        state = step(*state)
    loop = wf.function(lambda w, taps: wf.while_loop(lambda i, *_: i < 9, step, (wf.asarray(0), w, taps, zero))[3])
    with wf.no_grad():
        assert loop(w, taps).item() == state[3].item()


def test_linear_while_others_write():
    """Each result is that of one of the values that the Variable had."""
    x, term = wf.asarray(numbers(1, 64)), wf.asarray(numbers(64, 64, seed=2))
    v = wf.Variable(numbers(64, 64, seed=1))
    read = wf.function(lambda x: wf.nn.linear(x, v))
    with wf.no_grad():
        value, allowed = v + 0, set()
        for _ in range(40):
            allowed.add(np.asarray(x @ value.T).tobytes())
            value = value + term
        wrong, ended = [], threading.Event()

        def reader():
            with wf.no_grad():
                while not ended.is_set():
                    if np.asarray(read(x)).tobytes() not in allowed:
                        wrong.append(1)

        threads = [threading.Thread(target=reader) for _ in range(3)]
        for t in threads:
            t.start()
        for _ in range(39):
            v.assign_add(term)
            np.asarray(read(x))
        ended.set()
        for t in threads:
            t.join()
    assert not wrong


@pytest.mark.parametrize("make", [wf.optim.Adam, wf.optim.SGD])
def test_traced_apply_gradients_is_a_step(make):
    shapes = [(64, 64), (64,), (3,), ()] * 3
    gradients = [wf.asarray(numbers(*s, seed=i)) for i, s in enumerate(shapes)]

    def made():
        variables = [wf.Variable(numbers(*s, seed=100 + i)) for i, s in enumerate(shapes)]
        return variables, make(variables, lr=1e-2)

    (eager, first), (traced, second) = made(), made()
    run = wf.function(lambda gs: second.apply_gradients(zip(gs, traced)))
    for v, g in zip(eager, gradients):
        v.grad = g
    held = None
    for i in range(5):
        first.step()
        run(gradients)
        if i == 2:
            held = traced[0] + 0, traced[0].value()  # a holder keeps what it has: this value is not written in place
        for a, b in zip(eager, traced):
            assert np.array_equal(np.asarray(a.value()), np.asarray(b.value()))
    assert np.array_equal(np.asarray(held[0]), np.asarray(held[1]))
