"""Errors speak in the name of what was called, of its arguments, and in the shapes that were given."""

import numpy as np
import pytest

import weft as wf

X = wf.ones((2, 3, 8, 8))
W = wf.ones((4, 3, 3, 3))
KEY = wf.random.Key(0)


def message(call):
    with pytest.raises(Exception) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("call, text", [
    (lambda: wf.nn.conv2d(wf.ones((2, 8, 8, 5)), W, data_format="NHWC"),
     "conv2d: x has shape [2, 8, 8, 5] with 5 channels, but weight has shape [4, 3, 3, 3] with 3 for each of 1 groups; their "
     "product must be equal to it [conv2d.channels]"),
    (lambda: wf.nn.conv2d(wf.ones((2, 3, 2, 2)), W),
     "conv2d: the window covers 3 places of axis 2, which has 2 with its padding (x has shape [2, 3, 2, 2]); it must cover at "
     "least 1 and fit in [conv2d.window]"),
    (lambda: wf.nn.conv2d(wf.ones((2, 2, 3)), W, data_format="NHWC"),
     "conv2d: the window covers 3 places of axis 0, which has 2 with its padding (x has shape [2, 2, 3]); it must cover at "
     "least 1 and fit in [conv2d.window]"),
    (lambda: wf.nn.conv2d(X, W, padding="all"), 'conv2d: padding is "all"; it must be "same", "valid" or numbers [conv2d.padding]'),
    (lambda: wf.nn.max_pool2d(X, 9),
     "max_pool2d: the window covers 9 places of axis 2 with padding 0 and 0 (x has shape [2, 3, 8, 8]); it must fit in, and "
     "always over some element [max_pool2d.window]"),
    (lambda: wf.nn.avg_pool2d(X, 0), "avg_pool2d: kernel_size is [0, 0]; it must be at least 1 [avg_pool2d.positive]"),
    (lambda: wf.nn.embedding(wf.tensor([7]), wf.ones((3, 2))),
     "embedding: index 7 at position [0] is out of range for axis 0 with size 3 [embedding.range]"),
    (lambda: wf.nn.embedding(wf.tensor([0.5]), wf.ones((3, 2))),
     "embedding: indices has dtype float32, but must be integer; cast it first [embedding.dtype]"),
    (lambda: wf.random.poisson(KEY, -1.0), "poisson: a rate is -1.0; rates go from 0 to 1e15 [poisson.rate]"),
    (lambda: wf.random.binomial(KEY, 3, 2.0),
     "binomial: there are 3.0 trials with probability 2.0; trials are whole numbers from 0 to 1e15, probabilities go from 0 to 1 "
     "[binomial.range]"),
    (lambda: wf.tensor([1]) & 1.0,
     "bitwise_and: b has dtype float32, but must be boolean or integer; cast it first [bitwise_and.dtype]"),
    (lambda: 1.0 | wf.tensor([1]),
     "bitwise_or: a has dtype float32, but must be boolean or integer; cast it first [bitwise_or.dtype]"),
    (lambda: wf.nn.kl_div(wf.ones(2), wf.ones(2), reduction="average"),
     'kl_div: reduction is "average"; it must be "mean", "batchmean", "sum" or "none" [kl_div.reduction]'),
    (lambda: wf.nn.dropout(wf.ones(4), 0.5),
     "dropout: key has dtype float32, but must be uint32; make one with random.Key(seed), which draws take before anything else "
     "[dropout.dtype]"),
    (lambda: wf.nn.layer_norm(wf.ones((2, 4)), (4,)),
     "layer_norm: weight has shape [1], but the last 1 axes of x have shape [4]; they must be equal, and axes says how many are "
     "normalised [layer_norm.affine]"),
])
def test_ops_made_of_others_speak_in_their_own_name(call, text):
    assert message(call) == text


def test_the_notes_keep_the_inner_call():
    with pytest.raises(IndexError) as caught:
        wf.nn.embedding(wf.tensor([7]), wf.ones((3, 2)))
    assert caught.value.op == "embedding" and caught.value.law == "embedding.range"
    assert any(note.startswith("in take(x: float32[3, 2], indices: int64[1]") for note in caught.value.notes)


def test_padding_by_word_in_either_spelling():
    same, valid = wf.nn.conv2d(X, W, padding="same"), wf.nn.conv2d(X, W, padding="VALID")
    assert same.shape == (2, 4, 8, 8) and valid.shape == (2, 4, 6, 6)
    assert wf.nn.conv2d(X, W, padding="SAME").tolist() == same.tolist()


def test_help_explains_laws_of_what_an_op_is_made_of(capsys):
    for topic in ("nn.embedding.range", "nn.conv2d.window", "embedding.range"):
        wf.help(topic)
        assert topic.rpartition(".")[2] in capsys.readouterr().out


@pytest.mark.parametrize("call, text", [
    (lambda: wf.sort(X, axis=None),
     "sort: axis is None, which means nothing here; x.reshape(-1) has all elements along one axis, and the default is -1 "
     "[sort.argument]"),
    (lambda: wf.softmax(X, None),
     "softmax: axis is None, which means nothing here; x.reshape(-1) has all elements along one axis, and the default is -1 "
     "[softmax.argument]"),
    (lambda: wf.nn.mse_loss(X, X, reduction=None),
     'mse_loss: reduction is None, which means nothing here; "none" leaves the losses as they are, and the default is \'mean\' '
     "[mse_loss.argument]"),
    (lambda: wf.sum(X, keepdims=None),
     "sum: keepdims is None, which means nothing here; leave it out for its default, False [sum.argument]"),
    (lambda: wf.var(X, correction=None),
     "var: correction is None, which means nothing here; leave it out for its default, 0.0 [var.argument]"),
])
def test_none_is_no_default(call, text):
    assert message(call) == text


def test_none_where_it_means_something():
    assert wf.sum(X, axis=None).shape == () and wf.flip(X, axis=None).shape == X.shape
    assert wf.zeros(2, dtype=None).dtype is wf.float32 and wf.random.poisson(KEY, 1.0, dtype=None).dtype is wf.int64
    assert wf.nn.conv2d(X, W, data_format=None).shape == (2, 4, 6, 6)
    assert wf.fft.fft(wf.ones(4), norm=None).shape == (4,)
    assert wf.nn.layer_norm(X, None, None).shape == X.shape and wf.clip(X, None, 0.5).max().item() == 0.5
    assert np.sum(X, axis=None, keepdims=False).shape == ()


@pytest.mark.parametrize("call, text", [
    (lambda: wf.einsum("ij->i", wf.ones((2, 3)), optimize=True),
     "einsum: has no argument 'optimize'; the order of products is always optimised [einsum.keyword]"),
    (lambda: wf.ones(3).at[0].set(1.0, mode="drop"), "set: has no argument 'mode'; an index out of range raises [set.keyword]"),
    (lambda: wf.full((2, 2)), "full: argument 'fill_value' is missing [full.count]"),
    (lambda: wf.full((2, 2), 1, wf.int32),
     "full: takes 2 arguments by position at most (shape, fill_value; dtype, device by name), but got 3 [full.count]"),
    (lambda: wf.tensordot(1, 2, 3, 4), "tensordot: takes 3 arguments by position at most (a, b, axes), but got 4 [tensordot.count]"),
    (lambda: wf.asarray(obj=1), "asarray: argument 'obj' is given by position, not by name [asarray.keyword]"),
    (lambda: wf.tensor([1], data=[2]), "tensor: argument 'data' was given twice, by position and by name [tensor.keyword]"),
    (lambda: wf.linalg.norm(X, dim=1), "norm: has no argument 'dim'; weft calls this axis [norm.keyword]"),
    (lambda: wf.nn.scaled_dot_product_attention(X, X, X, attn_mask=None),
     "scaled_dot_product_attention: has no argument 'attn_mask'; weft calls this mask [scaled_dot_product_attention.keyword]"),
    (lambda: wf.nn.dropout(KEY, X, training=True), "dropout: has no argument 'training'; weft calls this train [dropout.keyword]"),
    (lambda: wf.nn.layer_norm(X, normalized_shape=(8,)),
     "layer_norm: has no argument 'normalized_shape'; how many of the last axes are normalised is said by axes, as in axes=1; "
     "weight and bias have their shape [layer_norm.keyword]"),
    (lambda: wf.unique_values(X, return_counts=True),
     "unique_values: has no argument 'return_counts'; use wf.unique_counts(x), which gives values and counts "
     "[unique_values.keyword]"),
    (lambda: wf.linalg.eigh(wf.eye(2), UPLO="L"),
     "eigh: has no argument 'UPLO'; both triangles are read: the matrix is taken as (x + x^H) / 2 [eigh.keyword]"),
])
def test_keywords_and_counts(call, text):
    assert message(call) == text


def test_tensordot_takes_axes_by_position():
    assert wf.tensordot(wf.ones((2, 3)), wf.ones((3, 4)), 1).shape == (2, 4)


def test_an_error_inside_is_not_taken_for_a_wrong_call():
    class Odd:
        def __iter__(self):
            raise TypeError("no")

    with pytest.raises(TypeError, match="axes must be a number"):
        wf.tensordot(wf.ones(2), wf.ones(2), axes=Odd())


@pytest.mark.parametrize("where, name, hint", [
    (wf, "ix_", "index with x[rows[:, None], columns]"),
    (wf.random, "t", "weft does not have Student's t yet"), (wf.random, "power", "weft does not have this distribution yet"),
    (wf, "index_add", "use x.at[indices].add(values)"), (wf, "scatter_reduce", "use x.at[indices].add(values), or multiply"),
    (wf, "scatter", "weft calls this set_at (jax) or put_along_axis (torch)"),
    (wf, "transpose", "weft calls this permute_dims (numpy, jax, tf) or swapaxes (torch)"),
    (X, "transpose", "weft calls this permute_dims (numpy, jax, tf) or swapaxes (torch)"),
    (wf, "digitize", "weft calls this searchsorted: ours takes the bins first"), (wf, "logistic", "the function is wf.sigmoid"),
    (wf.linalg, "eig", "for symmetric matrices use wf.linalg.eigh(x)"), (wf, "interp", "weft does not have it yet"),
    (wf, "frexp", "weft does not have it yet"), (wf, "addmm", "use c + a @ b"), (wf, "fliplr", "use wf.flip(x, axis=1)"),
    (wf, "nanquantile", "weft does not have it yet"), (X, "stride", "use x.strides"),
])
def test_hints_are_of_the_same_meaning(where, name, hint):
    text = message(lambda: getattr(where, name))
    assert "did you mean" not in text and hint in text


def test_what_the_hints_advise_is_right():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    w = wf.tensor(x)
    assert abs(wf.linalg.cond(w).item() - np.linalg.cond(x)) < 1e-9
    assert wf.flip(w, axis=1).tolist() == np.fliplr(x).tolist() and wf.flip(w, axis=0).tolist() == np.flipud(x).tolist()
    rows, columns = wf.tensor([1, 0]), wf.tensor([1])
    assert w[rows[:, None], columns].tolist() == x[np.ix_([1, 0], [1])].tolist()
    assert wf.sort(w, axis=0).tolist() == np.sort(x, axis=0).tolist()
    assert wf.tril(wf.ones((2, 3))).tolist() == np.tri(2, 3).tolist()
    assert wf.tensordot(w, w, ((-1,), (-1,))).tolist() == np.inner(x, x).tolist()
    assert [i.tolist() for i in wf.nonzero(wf.tril(wf.ones((2, 3))))] == [i.tolist() for i in np.tril_indices(2, 0, 3)]
    df, n = 5.0, 200_000
    k1, k2 = wf.random.Key(0).split(2)
    t = wf.random.normal(k1, (n,)) * wf.sqrt(df / (2 * wf.random.gamma(k2, df / 2, shape=(n,))))
    assert abs(wf.var(t).item() - df / (df - 2)) < 0.1


@pytest.mark.parametrize("call, expected", [
    (lambda x: np.digitize(x, np.array([0.0, 1.0, 2.0])), np.digitize(np.array([0.0, 0.5, 2.0]), [0.0, 1.0, 2.0])),
    (lambda x: np.digitize(x, np.array([0.0, 1.0, 2.0]), right=True), np.digitize(np.array([0.0, 0.5, 2.0]), [0.0, 1.0, 2.0], right=True)),
])
def test_numpy_functions_that_differ(call, expected):
    assert call(wf.tensor([0.0, 0.5, 2.0])).tolist() == expected.tolist()


def test_numpy_functions_of_the_first_two_axes():
    x = np.arange(24.0).reshape(2, 3, 4)
    assert np.diagonal(wf.tensor(x)).tolist() == np.diagonal(x).tolist()
    assert np.trace(wf.tensor(x), offset=1).tolist() == np.trace(x, offset=1).tolist()
    assert "weft has no op for it" in message(lambda: np.partition(wf.tensor(x), 1))


def test_what_is_otherwise_stands_in_the_docs():
    assert "Unlike torch median: of two middle elements it takes the lower, ours is their mean" in wf.median.__doc__
    entry = wf._core.describe("median")
    assert ("torch", "median") in entry["known_as"] and ("torch", "median") in entry["differs"]
