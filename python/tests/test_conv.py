"""Convolutions from Python: words for padding, layouts in memory, gradients by the tape."""

import numpy as np
import pytest

import weft as wf


def conv2d_by_hand(x, weight, padding):
    (low, high), taps = padding, weight.shape[-1]
    x = np.pad(x, ((0, 0), (0, 0), (low, high), (low, high)))
    places = x.shape[-1] - taps + 1
    out = np.zeros((x.shape[0], weight.shape[0], places, places))
    for i in range(taps):
        for j in range(taps):
            part = x[:, :, i:i + places, j:j + places]
            out += np.einsum("nchw,fc->nfhw", part, weight[:, :, i, j])
    return out


@pytest.fixture
def operands():
    rng = np.random.default_rng(0)
    return rng.standard_normal((2, 3, 6, 6)), rng.standard_normal((4, 3, 3, 3))


@pytest.mark.parametrize("padding, zeros", [(0, (0, 0)), (1, (1, 1)), ("same", (1, 1)), ("valid", (0, 0)),
                                            ((1, 2, 1, 2), (1, 2))])
def test_padding_by_numbers_and_words(operands, padding, zeros):
    x, weight = operands
    out = wf.nn.conv2d(wf.asarray(x), wf.asarray(weight), padding=padding)
    np.testing.assert_allclose(out.numpy(), conv2d_by_hand(x, weight, zeros), rtol=1e-12)


def test_a_word_that_is_none():
    with pytest.raises(ValueError, match=r'padding is "full"; it must be "same", "valid" or numbers'):
        wf.nn.conv2d(wf.zeros((1, 1, 4, 4)), wf.zeros((1, 1, 3, 3)), padding="full")


def test_layouts_give_the_same_bits_and_stay_in_memory(operands):
    x, weight = (wf.asarray(v) for v in operands)
    first = wf.nn.conv2d(x, weight, padding=1)
    last = wf.nn.conv2d(wf.permute_dims(x, (0, 2, 3, 1)), weight, padding=1, data_format="NHWC")
    assert (wf.permute_dims(last, (0, 3, 1, 2)).numpy() == first.numpy()).all()
    assert first.numpy().strides == last.numpy().transpose(0, 3, 1, 2).strides  # channels innermost


def test_gradients_by_the_tape(operands):
    x, weight = (wf.Variable(v) for v in operands)
    wf.nn.conv2d(x, weight, stride=2, padding=1).sum().backward()
    step = 1e-6
    for variable, place in ((x, (1, 2, 3, 4)), (weight, (2, 1, 0, 2))):
        values = [wf.asarray(v) for v in operands]
        index = 0 if variable is x else 1
        sums = []
        for sign in (1, -1):
            moved = operands[index].copy()
            moved[place] += sign * step
            given = [wf.asarray(moved) if i == index else v for i, v in enumerate(values)]
            sums.append(wf.nn.conv2d(*given, stride=2, padding=1).sum().item())
        assert variable.grad.numpy()[place] == pytest.approx((sums[0] - sums[1]) / (2 * step), rel=1e-6)


def test_transposed_is_the_gradient(operands):
    x, weight = (wf.asarray(v) for v in operands)
    y, pull = wf.vjp(lambda a: wf.nn.conv2d(a, weight, stride=2, padding=1), x)
    spread = wf.nn.conv_transpose2d(y, weight, stride=2, padding=1, output_padding=1)
    assert (spread.numpy() == pull(y)[0].numpy()).all()


def test_channels_last_memory_is_kept_between_ops():
    """A convolution leaves its channels last in memory; what follows must not bring them forth."""
    def strides(x):
        return x.numpy().strides

    y = wf.nn.conv2d(wf.randn(2, 8, 6, 6), wf.randn(8, 8, 3, 3), padding=1)
    assert strides(y)[1] == 4
    for out in (wf.relu(y), y + y, y * 2.0, wf.where(y > 0, y, 0.0), wf.astype(y, wf.float32) + wf.randn(8, 1, 1),
                wf.nn.batch_norm(y, wf.zeros(8), wf.ones(8))[0]):
        assert strides(out) == strides(y)
    assert strides(wf.nn.max_pool2d(wf.relu(y), 2))[1] == 4


def test_reshape_shares_memory_of_what_lies_together():
    x = wf.permute_dims(wf.randn(2, 6, 6, 8), (0, 3, 1, 2))
    assert wf.reshape(x, (2, 8, 36)).numpy().strides == (6 * 6 * 8 * 4, 4, 8 * 4)
    assert wf.reshape(x, (16, 36)).numpy().strides == (36 * 4, 4)  # a copy: batch and channels lie apart
