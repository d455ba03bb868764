"""einsum, padding and rearranging against NumPy, also through NumPy's own functions."""

import random

import numpy as np
import pytest

import weft as wf


def random_equation(rng, sizes):
    """An equation and the shapes of its operands: repeated letters, ellipses, a result or none."""
    letters = list(sizes)
    terms, shapes = [], []
    with_dots = rng.random() < 0.3
    dots = [rng.choice([1, 2]) for _ in range(rng.randint(1, 2))]
    for _ in range(rng.randint(1, 4)):
        term = [rng.choice(letters) for _ in range(rng.randint(0, 3))]
        shape = [sizes[letter] for letter in term]
        if with_dots and rng.random() < 0.7:
            own = [rng.choice([n, 1]) for n in dots[rng.randint(0, len(dots)):]]
            place = rng.randint(0, len(term))
            term.insert(place, "...")
            shape[place:place] = own
        terms.append("".join(term))
        shapes.append(tuple(shape))
    equation = ",".join(terms)
    if rng.random() < 0.8:
        known = sorted({letter for term in terms for letter in term.replace("...", "")})
        result = rng.sample(known, rng.randint(0, len(known)))
        if "..." in equation:
            result.insert(rng.randint(0, len(result)), "...")
        equation += "->" + "".join(result)
    return equation, shapes


def test_einsum_is_numpys():
    rng, draws = random.Random(7), np.random.default_rng(7)
    for _ in range(400):
        equation, shapes = random_equation(rng, {"a": 2, "b": 3, "c": 2, "D": 3})
        operands = [draws.normal(size=shape) for shape in shapes]
        expected = np.einsum(equation, *operands)
        got = wf.einsum(equation, *map(wf.tensor, operands))
        assert got.shape == expected.shape, equation
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12, err_msg=f"{equation} {shapes}")


def test_gradients_of_einsum():
    rng, draws = random.Random(8), np.random.default_rng(8)
    for _ in range(12):
        equation, shapes = random_equation(rng, {"a": 2, "b": 3})
        wf.grad_check(lambda *xs: wf.einsum(equation, *xs), [wf.tensor(draws.normal(size=s)) for s in shapes])


def test_einsum_contracts_in_the_cheap_order():
    """ik,kj first would multiply 200 * 200 * 200 numbers afterwards; kj,jl first makes two small products."""
    a, b, c = wf.ones((200, 2)), wf.ones((2, 200)), wf.ones((200, 200))
    seen = []
    with wf.observe(lambda record: seen.append([tuple(x.shape) for x in record.inputs]) if record.op == "matmul" else None):
        wf.einsum("ik,kj,jl->il", a, b, c)
    assert sorted(seen) == [[(2, 200), (200, 200)], [(200, 2), (2, 200)]]


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric", "edge", "wrap"])
@pytest.mark.parametrize("widths", [1, (2, 1), ((0, 3), (2, 0)), ((5, 4), (7, 9))])
def test_pad_is_numpys(mode, widths):
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.pad(wf.tensor(a), widths, mode=mode).numpy(), np.pad(a, widths, mode=mode))


@pytest.mark.parametrize("call", [
    lambda m, x: m.roll(x, 2, axis=1), lambda m, x: m.rot90(x, 3), lambda m, x: m.tile(x, (2, 2)),
    lambda m, x: m.repeat(x, 2, axis=0), lambda m, x: m.moveaxis(x, 0, 1), lambda m, x: m.swapaxes(x, 0, 1),
    lambda m, x: m.tril(x), lambda m, x: m.triu(x, 1), lambda m, x: m.diag(x, 1), lambda m, x: m.diff(x, 2),
    lambda m, x: m.count_nonzero(x), lambda m, x: m.argwhere(x), lambda m, x: m.where(x)[1],
    lambda m, x: m.take_along_axis(x, m.nonzero(x)[0][None, :1] * 0, 1), lambda m, x: m.atleast_3d(x),
    lambda m, x: m.einsum("ij,kj->ik", x, x), lambda m, x: m.meshgrid(x[0], x[1])[0],
    lambda m, x: m.broadcast_arrays(x, x[:1])[1]])
def test_functions_by_numpys_names(call):
    a = np.arange(12.0).reshape(3, 4)
    expected = call(np, a)
    got = call(np, wf.tensor(a))  # NumPy hands our tensors to us
    assert isinstance(got, wf.Tensor)
    np.testing.assert_array_equal(got.numpy(), expected)
    np.testing.assert_array_equal(np.asarray(call(wf, wf.tensor(a))), expected) if "diff" not in call.__code__.co_names else None


def test_numpy_does_not_write_into_tensors():
    with pytest.raises(TypeError, match="tensors never change"):
        np.put_along_axis(wf.zeros((2, 2)), np.array([[0], [1]]), 1.0, 1)


def test_windows_of_images():
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 6))
    columns = wf.nn.unfold(wf.tensor(x), (2, 3), stride=2, padding=(1, 0))
    assert columns.shape == (2, 18, 6)
    counts = wf.nn.fold(wf.nn.unfold(wf.ones((1, 1, 4, 4)), 3), (4, 4), 3)
    assert counts[0, 0].tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [2, 4, 4, 2], [1, 2, 2, 1]]
    image = wf.tensor(x[:, :, :4])
    assert np.array_equal(wf.nn.pixel_shuffle(wf.nn.pixel_unshuffle(image, 2), 2).numpy(), image.numpy())
    assert np.array_equal(wf.nn.depth_to_space(wf.nn.space_to_depth(image.mT, 1), 1).numpy(), image.mT.numpy())


def test_roll_along_no_axes():
    x = np.arange(6).reshape(2, 3)
    for shift, axis in [(1, ()), ((), 1), ((), ()), (1, (0, 1)), ((1, 2), 1)]:
        assert np.array_equal(wf.roll(wf.tensor(x), shift, axis=axis).numpy(), np.roll(x, shift, axis)), (shift, axis)


@pytest.mark.parametrize("f, value", [(wf.logsumexp, -np.inf), (wf.linalg.vector_norm, 0.0), (wf.sum, 0.0)])
def test_reductions_of_no_elements_whose_number_only_a_run_knows(f, value):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, None))
        y = f(x + 0.0, axis=1)
    for _ in range(3):
        filled = wf.full((64,), 7.0) * 1.0  # memory that a result may get again
        del filled
        assert wf.Session(g).run(y, {x: np.zeros((4, 0), np.float32)}).tolist() == [value] * 4
    assert wf.function(f)(wf.zeros((0, 3))).item() == value
