"""vmap: axes, trees, names, randomness, nesting, and what it refuses."""

import numpy as np
import pytest

import weft as wf

RNG = np.random.default_rng(0)
A = RNG.standard_normal((3, 4, 5), dtype=np.float32)


@pytest.mark.parametrize("axis", range(-3, 3))
def test_examples_may_lie_along_any_axis(axis):
    out = wf.vmap(lambda x: wf.sum(x * x, axis=0), in_axes=axis)(wf.tensor(A))
    loop = [wf.sum(wf.tensor(example) ** 2, axis=0).numpy() for example in np.moveaxis(A, axis, 0)]
    assert out.numpy().tobytes() == np.stack(loop).tobytes()


@pytest.mark.parametrize("axis", range(-3, 3))
def test_results_may_have_them_along_any_axis(axis):
    out = wf.vmap(lambda x: x * 2, out_axes=axis)(wf.tensor(A))
    assert np.array_equal(out.numpy(), np.moveaxis(2 * A, 0, axis))


def test_trees_and_arguments_that_all_examples_share():
    def f(tree, shared):
        return {"sum": tree["a"] + shared, "pair": (tree["b"], shared)}

    tree = {"a": wf.tensor([1.0, 2.0]), "b": wf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])}
    out = wf.vmap(f, in_axes=({"a": 0, "b": 0}, None), out_axes={"sum": 0, "pair": (1, 0)})(tree, 10.0)
    assert out["sum"].tolist() == [11, 12]
    assert out["pair"][0].tolist() == [[1, 4], [2, 5], [3, 6]] and out["pair"][1].tolist() == [10, 10]
    prefix = wf.vmap(f, in_axes=(0, None))(tree, 10.0)
    assert prefix["sum"].tolist() == [11, 12]


def test_the_size_may_be_given_where_no_argument_has_it():
    assert wf.vmap(lambda: wf.ones(2), axis_size=3)().shape == (3, 2)
    with pytest.raises(ValueError, match=r"\[vmap\."):
        wf.vmap(lambda x, y: x + y)(wf.ones(2), wf.ones(3))


def test_named_axes_nest():
    def f(x):
        return wf.psum(x, "rows"), wf.pmean(x, "columns"), wf.axis_index("rows") * 10 + wf.axis_index("columns")

    over_columns = wf.vmap(f, axis_name="columns")
    total, mean, index = wf.vmap(over_columns, axis_name="rows")(wf.tensor([[1.0, 2.0], [3.0, 5.0]]))
    assert total.tolist() == [[4, 7], [4, 7]]
    assert mean.tolist() == [[1.5, 1.5], [4, 4]]
    assert index.tolist() == [[0, 1], [10, 11]]
    with pytest.raises(ValueError, match="rows"):
        wf.psum(wf.ones(()), "rows")


def test_per_example_gradients():
    w = wf.tensor([[0.5, -1.0], [2.0, 0.25]])
    x = wf.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])

    def loss(w, x):
        return wf.tanh(x @ w).sum()

    each = wf.vmap(wf.grad(loss), in_axes=(None, 0))(w, x)
    loop = [wf.grad(loss)(w, x[i]).numpy() for i in range(3)]
    assert each.numpy().tobytes() == np.stack(loop).tobytes()
    whole = wf.grad(lambda w: wf.vmap(loss, in_axes=(None, 0))(w, x).sum())(w)
    assert np.allclose(whole.numpy(), np.sum(loop, axis=0), rtol=1e-5)


def test_draws_from_keys_are_those_without_vmap():
    keys = wf.random.Key(7).split(4)

    def draw(key):
        return wf.random.normal(key, (3,)), wf.random.randint(key, 0, 100, (2,)), wf.random.permutation(key, 5)

    batched = wf.vmap(draw)(keys)
    for i in range(4):
        for part, alone in zip(batched, draw(keys[i])):
            assert part[i].tolist() == alone.tolist()


def test_the_default_generator_needs_a_word():
    x = wf.zeros((3, 2))
    with pytest.raises(ValueError, match=r"\[vmap.randomness\]"):
        wf.vmap(lambda x: x + wf.randn(2))(x)
    same = wf.vmap(lambda x: x + wf.randn(2), randomness="same")(x).numpy()
    assert (same[0] == same[1]).all() and (same[0] == same[2]).all()
    different = wf.vmap(lambda x: x + wf.randn(2), randomness="different")(x).numpy()
    assert len({row.tobytes() for row in different}) == 3


def test_out_of_range_indices_raise_under_vmap():
    table = wf.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(IndexError):
        wf.vmap(lambda i: wf.take(table, i, axis=0))(wf.tensor([0, 5]))
