"""What a newcomer tries: names, keywords and forms of other libraries are taken, or answered with what to write."""

import numpy as np
import pytest

import weft as wf

X = wf.tensor([[4.0, 1.0], [2.0, 3.0]])


def message(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("where, name, hint", [
    (wf, "conjugate", "weft calls this conj"), (wf, "true_divide", "weft calls this divide"),
    (wf, "vdot", "use wf.vecdot(wf.ravel(a), wf.ravel(b))"), (wf, "flatnonzero", "use wf.nonzero(wf.ravel(x))[0]"),
    (wf, "isneginf", "use x == -wf.inf"), (wf, "rollaxis", "use wf.moveaxis"), (wf, "clamp_min", "use wf.clip(x, min=value)"),
    (wf, "clamp_max", "use wf.clip(x, max=value)"), (wf, "pinverse", "use wf.linalg.pinv(x)"),
    (wf, "swapdims", "use wf.swapaxes(x, axis1, axis2)"), (wf, "split_with_sizes", "weft calls this split"),
    (wf, "randn_like", "wf.randn(*x.shape)"), (wf, "var_mean", "use wf.var(x, axis, correction=1) and wf.mean(x, axis)"),
    (wf.random, "integers", "use wf.random.randint(key, low, high, shape)"),
    (wf.random, "xavier_uniform", "use wf.random.glorot_uniform(key, shape)"),
    (wf.random, "kaiming_normal", "use wf.random.he_normal(key, shape)"),
    (wf.nn, "initializers", "weights are drawn by wf.random"), (wf.nn, "rnn", "use wf.nn.rnn_tanh or wf.nn.rnn_relu"),
    (X.at[0], "power", "as in x.at[index].set(f(x[index]))"),
])
def test_names(where, name, hint):
    text = message(getattr, where, name)
    assert f"'{name}'; " in text and hint in text and not hasattr(where, name)


def test_what_the_names_advise_is_right():
    x = X.numpy()
    assert wf.vecdot(wf.ravel(X), wf.ravel(X)).item() == np.vdot(x, x)
    assert wf.nonzero(wf.ravel(X - 4))[0].tolist() == np.flatnonzero(x - 4).tolist()
    assert wf.random.normal(wf.random.Key(0), X.shape, dtype=X.dtype).shape == wf.randn(*X.shape).shape == X.shape
    assert wf.random.he_normal(wf.random.Key(0), (2, 3)).shape == wf.random.glorot_uniform(wf.random.Key(0), (2, 3)).shape
    assert X.at[0].set(X[0] ** 2).tolist() == [[16, 1], [2, 3]]
    tolerance = 0.1
    assert wf.linalg.matrix_rank(X, rtol=(tolerance / wf.linalg.svdvals(X)[0]).item()).item() == 2
    assert wf.linalg.matrix_rank(wf.ones((2, 0, 3)), rtol=wf.ones(2)).tolist() == [0, 0]


@pytest.mark.parametrize("call, hint", [
    (lambda: wf.pad(X, 1, constant_values=2.0), "pad: has no argument 'constant_values'; weft calls this value [pad.keyword]"),
    (lambda: wf.pad(X, pad_width=1), "pad: has no argument 'pad_width'; weft calls this before [pad.keyword]"),
    (lambda: wf.searchsorted(X[0], X[0], right=True),
     "searchsorted: has no argument 'right'; use side=\"right\", or \"left\" [searchsorted.keyword]"),
    (lambda: wf.linalg.pinv(X, rcond=1e-3), "pinv: has no argument 'rcond'; weft calls this rtol [pinv.keyword]"),
    (lambda: wf.linalg.lstsq(X, X, rcond=1e-3), "lstsq: has no argument 'rcond'; weft calls this rtol [lstsq.keyword]"),
    (lambda: wf.linalg.matrix_rank(X, tol=0.1),
     "matrix_rank: has no argument 'tol'; rtol is a part of the greatest singular value: rtol = tol / "
     "wf.linalg.svdvals(x)[0] [matrix_rank.keyword]"),
    (lambda: wf.linalg.solve_triangular(X, X, lower=True),
     "solve_triangular: has no argument 'lower'; the lower triangle is meant unless upper=True [solve_triangular.keyword]"),
    (lambda: wf.linalg.solve_triangular(X, X, unitriangular=True),
     "solve_triangular: has no argument 'unitriangular'; weft calls this unit_diagonal [solve_triangular.keyword]"),
    (lambda: wf.linalg.svd(X, some=True), "svd: has no argument 'some'; use full_matrices=False for some=True [svd.keyword]"),
    (lambda: wf.quantile(X, 0.5, method="nearest"),
     "quantile: has no argument 'method'; nothing is left to choose: quantiles are interpolated linearly [quantile.keyword]"),
    (lambda: wf.pad(X, 1, mode="replicate"),
     'pad: mode is "replicate", which is "edge" here; it must be "constant", "reflect", "symmetric", "edge" or "wrap" [pad.mode]'),
    (lambda: wf.pad(X, (1, 1, 2, 2)),
     "pad: without after, before must be a number, a pair, or a (before, after) pair for each axis, but got (1, 1, 2, 2) "
     "[pad.argument]"),
    (lambda: wf.nn.conv2d(wf.ones((1, 1, 4, 4)), wf.ones((1, 1, 2, 2)), padding=((1, 0),)),
     "conv2d: padding is one pair; give a (before, behind) pair for each axis of space [conv2d.argument]"),
    (lambda: wf.expand_dims(X, (0, -4)),
     "expand_dims: axes [0, -4] name an axis of a result of rank 4 twice; name each axis once [expand_dims.axis_twice]"),
    (lambda: wf.vmap(wf.bincount)(wf.ones((2, 3), wf.int64)),
     "bincount: x is only known when the graph runs, or differs between the examples of a vmap, but its greatest number "
     "decides the length; give length [bincount.concrete]"),
    (lambda: wf.vmap(wf.arange)(wf.tensor([1, 2])),
     "arange: stop is only known when the graph runs, or differs between the examples of a vmap, but decides a shape; pass a "
     "number [arange.concrete]"),
    (lambda: wf.arange(3).at[0].set(1.5),
     "at: x has dtype int64, but with the value (a float) the result would have float32; an update keeps the dtype of x: cast "
     "the value, or x first [at.dtype]"),
    (lambda: wf.__array_namespace_info__().dtypes(device="gpu"),
     "dtypes: device is 'gpu', but the only device is 'cpu' [dtypes.device]"),
    (lambda: wf.__array_namespace_info__().default_dtypes(device="gpu"),
     "default_dtypes: device is 'gpu', but the only device is 'cpu' [default_dtypes.device]"),
    (lambda: wf.help("numpy.nosuch"), "help: weft has nothing under the name 'numpy.nosuch' [help.topic]"),
])
def test_arguments(call, hint):
    assert message(call) == hint


@pytest.mark.parametrize("widths", [1, (1,), (1, 2), ((1, 2),), ((1, 0), (2, 3)), [[0, 1], [1, 0]], np.array([[1, 0], [2, 3]])])
def test_pad_takes_numpys_widths(widths):
    assert wf.pad(X, widths).tolist() == np.pad(X.numpy(), widths).tolist()
    assert wf.pad(X, widths, mode="edge").tolist() == X.pad(widths, mode="edge").tolist() == np.pad(X.numpy(), widths, "edge").tolist()


def test_pad_of_pairs_has_derivatives_and_batches():
    assert wf.grad(lambda x: (wf.pad(x, 1) * 2).sum())(X).tolist() == [[2, 2], [2, 2]]
    assert wf.vmap(lambda x: wf.pad(x, (1, 0), value=7.0))(X).tolist() == [[7, 4, 1], [7, 2, 3]]
    assert wf.pad(X, (1, 0), (0, 1), 5.0).shape == (3, 3) and wf.pad(wf.tensor(1.0), 1).shape == ()


@pytest.mark.parametrize("axis", [(0, 2), (-1, 0), [1], (), (0, 1, 2), 1, -1])
def test_expand_dims_takes_tuples(axis):
    assert wf.expand_dims(X, axis).shape == np.expand_dims(X.numpy(), tuple(axis) if isinstance(axis, list) else axis).shape


def test_padding_of_a_convolution_may_be_pairs():
    x, weight = wf.ones((1, 1, 4, 4)), wf.ones((1, 1, 2, 2))
    pairs = wf.nn.conv2d(x, weight, padding=((1, 0), (0, 1)))
    assert pairs.tolist() == wf.nn.conv2d(x, weight, padding=(1, 0, 0, 1)).tolist()
    assert wf.nn.conv1d(x[0, :, 0], weight[0, :, :1], padding=[(2, 0)]).shape == (1, 5)


def test_einsum_of_nested_lists():
    assert wf.einsum("ij->ji", [[1, 2], [3, 4]]).tolist() == [[1, 3], [2, 4]]
    assert wf.einsum("ij->ji", [X]).tolist() == X.T.tolist() and wf.einsum("i->", [2.0]).item() == 2
    assert wf.einsum("ij,jk", [X, X]).tolist() == wf.einsum("ij,jk", X, X).tolist()


def test_buffers_are_arrays():
    import array

    assert wf.asarray(bytearray(b"abc")).tolist() == [97, 98, 99] and wf.asarray(array.array("d", [1.5])).tolist() == [1.5]


@pytest.mark.parametrize("topic, head", [
    ("numpy.concatenate", "numpy.concatenate is wf.concat here."), ("np.sum", "np.sum is wf.sum here."),
    ("numpy.linalg.norm", "numpy.linalg.norm is wf.linalg.norm here."), ("jnp.concatenate", "jnp.concatenate is wf.concat here."),
    ("torch.nn.functional.relu", "torch.nn.functional.relu is wf.relu here."), ("tf.concat", "tf.concat is wf.concat here."),
    ("numpy.dot", "numpy.dot: use a @ b, or wf.matmul(a, b)"),
])
def test_help_knows_other_libraries(topic, head, capsys):
    wf.help(topic)
    assert capsys.readouterr().out.startswith(head + "\n")


@pytest.mark.parametrize("op, theirs, words", [
    ("split", ("numpy", "split"), "points to cut at"), ("split", ("jax", "numpy.split"), "points to cut at"),
    ("nn.interpolate", ("jax", "image.resize"), "nearest-exact"), ("nn.interpolate", ("tf", "image.resize"), "a = -0.5"),
    ("nn.gru", ("tf", "keras.layers.GRU"), "z, r, h"), ("nn.gru_cell", ("tf", "keras.layers.GRUCell"), "z, r, h"),
])
def test_what_is_otherwise_is_said(op, theirs, words):
    assert words in wf._core.describe(op)["differs"][theirs]
