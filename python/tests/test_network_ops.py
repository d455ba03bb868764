"""What the op suite cannot see of neural-network ops: gradients left out on purpose, draws, several calls at once."""

import numpy as np
import pytest

import weft as wf


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_the_padding_row_of_an_embedding_has_no_gradient():
    weight = wf.Variable(drawn(5, 3))
    wf.nn.embedding(wf.asarray([[1, 2], [4, 1]]), weight, padding_idx=1).sum().backward()
    assert weight.grad.numpy().sum(axis=1).tolist() == [0, 0, 3, 0, 3]


def test_dropout_keeps_the_expectation_and_nothing_changes_without_training():
    key, x = wf.random.Key(0), wf.ones((10000,))
    out = wf.nn.dropout(key, x, p=0.25).numpy()
    assert set(np.unique(out).tolist()) == {0.0, np.float32(4 / 3)}
    assert abs(out.mean() - 1) < 0.02
    assert (wf.nn.dropout(key, x, p=0.25, train=False).numpy() == 1).all()


def test_alpha_dropout_keeps_mean_and_variance():
    out = wf.nn.alpha_dropout(wf.random.Key(1), wf.random.normal(wf.random.Key(2), (100000,)), p=0.3).numpy()
    assert abs(out.mean()) < 0.02 and abs(out.std() - 1) < 0.02


def test_batch_norm_gives_no_gradient_to_running_statistics():
    x, mean = wf.Variable(drawn(4, 3, 2)), wf.asarray(np.zeros(3, np.float32))
    out, new_mean, new_var = wf.nn.batch_norm(x, mean, wf.ones((3,)), training=True, momentum=0.5)
    np.testing.assert_allclose(new_mean.numpy(), x.numpy().mean(axis=(0, 2)) / 2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(new_var.numpy(), 0.5 + x.numpy().var(axis=(0, 2), ddof=1) / 2, rtol=1e-5)
    (out * out).sum().backward()
    assert np.abs(x.grad.numpy()).max() < 1e-3  # the sum of squares is fixed but for eps


def test_attention_with_dropout_needs_a_key_and_leaves_out_weights():
    q, k, v = (wf.asarray(drawn(2, 5, 4, seed=s)) for s in range(3))
    with pytest.raises(ValueError, match=r"\[scaled_dot_product_attention.key\]"):
        wf.nn.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    ones = wf.ones((2, 5, 4))
    out = wf.nn.scaled_dot_product_attention(q, k, ones, key=wf.random.Key(0), dropout_p=0.5).numpy()
    assert out.min() < 1 < out.max()


@pytest.mark.parametrize("keys", [1, 255, 256, 257, 600])
def test_attention_is_what_whole_matrices_give(keys):
    q, k, v = drawn(1, 130, 8), drawn(1, keys, 8, seed=1), drawn(1, keys, 8, seed=2)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(8)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    out = wf.nn.scaled_dot_product_attention(*map(wf.asarray, (q, k, v))).numpy()
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", [(None, None), (None, "features"), ("rows", None)])
@pytest.mark.parametrize("fed", [(True, True, True), (True, False, False), (False, True, True), (False, False, True)])
def test_attention_has_its_scale_where_a_run_finds_the_features(fed, sizes, is_causal):
    """1 / sqrt(features), also if no operand has its last size before the graph runs."""
    rng = np.random.default_rng(0)
    given = [wf.tensor(rng.standard_normal(shape), dtype=wf.float32) for shape in [(5, 6), (7, 6), (7, 3)]]
    loss = lambda *x: wf.sum(wf.nn.scaled_dot_product_attention(*x, is_causal=is_causal) ** 2)  # noqa: E731
    with wf.Graph() as g:
        operands = [wf.placeholder(x.dtype, [None if size is None else own for size, own in zip(sizes, x.shape)]) if is_fed else x
                    for x, is_fed in zip(given, fed)]
        out = wf.nn.scaled_dot_product_attention(*operands, is_causal=is_causal)
        placeholders = [x for x, is_fed in zip(operands, fed) if is_fed]
        slopes = wf.gradients(wf.sum(out ** 2), placeholders)
    feeds = dict(zip(placeholders, [x for x, is_fed in zip(given, fed) if is_fed]))
    got, *got_slopes = wf.Session(g).run([out, *slopes], feeds)
    assert np.array_equal(got, wf.nn.scaled_dot_product_attention(*given, is_causal=is_causal).numpy())
    wanted = wf.grad(loss, argnums=(0, 1, 2))(*given)
    for a, b in zip(got_slopes, [slope for slope, is_fed in zip(wanted, fed) if is_fed]):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("options", [{"dropout_p": 0.5, "key": wf.random.Key(3)}, {"mask": [[True, False], [True, True]]}])
def test_attention_with_options_has_its_scale_where_a_run_finds_the_features(options):
    q = wf.tensor([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0]])
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, None))
        out = wf.nn.scaled_dot_product_attention(x, x, x, **options)
    np.testing.assert_allclose(wf.Session(g).run(out, {x: q}), wf.nn.scaled_dot_product_attention(q, q, q, **options).numpy(), rtol=1e-6)


def test_batch_axes_of_attention_broadcast():
    q, k, v = (wf.asarray(drawn(*s)) for s in ((2, 1, 3, 4), (1, 2, 5, 4), (2, 2, 5, 4)))
    whole = [wf.broadcast_to(x, (2, 2, *x.shape[2:])) for x in (q, k, v)]
    gradients = wf.grad(lambda *x: wf.nn.scaled_dot_product_attention(*x).sum(), argnums=(0, 1, 2))(q, k, v)
    assert wf.array_equal(wf.nn.scaled_dot_product_attention(q, k, v), wf.nn.scaled_dot_product_attention(*whole))
    assert [g.shape for g in gradients] == [q.shape, k.shape, v.shape]


def test_heads_drop_weights_by_a_key():
    q, k = (wf.asarray(drawn(2, 5, 4, seed=s)) for s in range(2))
    out = wf.nn.multi_head_attention(q, k, wf.ones((2, 5, 4)), num_heads=2, key=wf.random.Key(0), dropout_p=0.5).numpy()
    assert out.min() < 1 < out.max()


def test_a_sequence_is_its_cell_step_by_step():
    x, h, c = (wf.asarray(drawn(*s)) for s in ((4, 2, 3), (1, 2, 5), (1, 2, 5)))
    w_ih, w_hh, b_ih, b_hh = (wf.asarray(drawn(*s, seed=7)) for s in ((20, 3), (20, 5), (20,), (20,)))
    out, last_h, last_c = wf.nn.lstm(x, h, c, [w_ih, w_hh, b_ih, b_hh])
    hs, state, cell = [], h[0], c[0]
    for t in range(4):
        state, cell = wf.nn.lstm_cell(x[t], state, cell, w_ih, w_hh, b_ih + b_hh)
        hs.append(state.numpy())
    np.testing.assert_allclose(out.numpy(), np.stack(hs), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last_h.numpy()[0], state.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last_c.numpy()[0], cell.numpy(), rtol=1e-5, atol=1e-6)


GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}


def recurrent(kind, features, size, layers=1, directions=1, batch=2):
    """First states and weights of a network, drawn."""
    rows, weights = GATES[kind] * size, []
    for index in range(layers * directions):
        fed = features if index < directions else size * directions
        weights += [drawn(rows, fed, seed=index), drawn(rows, size, seed=index + 10),
                    drawn(rows, seed=index + 20), drawn(rows, seed=index + 30)]
    states = [drawn(layers * directions, batch, size, seed=s) for s in range(2 if kind == "lstm" else 1)]
    return states, [0.3 * w for w in weights]


@pytest.mark.parametrize("kind", GATES)
def test_no_steps_of_time_give_the_first_states(kind):
    states, weights = recurrent(kind, 3, 4, layers=2, directions=2)
    v = [wf.Variable(s) for s in states]
    out, *last = getattr(wf.nn, kind)(wf.zeros((0, 2, 3)), *v, weights, num_layers=2, bidirectional=True)
    assert out.shape == (0, 2, 8)
    for first, now in zip(states, last):
        assert (now.numpy() == first).all()
    last[0].sum().backward()
    assert (v[0].grad.numpy() == 1).all()


@pytest.mark.parametrize("kind", GATES)
def test_dropout_is_between_layers_and_needs_a_key(kind):
    states, weights = recurrent(kind, 3, 4, layers=3)
    x, run, key = drawn(5, 2, 3), getattr(wf.nn, kind), wf.random.Key(4)
    options = {"num_layers": 3, "dropout": 0.4}
    plain = run(x, *states, weights, num_layers=3)
    with pytest.raises(wf.InvalidError, match=rf"{kind}: dropout is 0.4 without a key; .* \[{kind}.key\]"):
        run(x, *states, weights, **options)
    same = run(x, *states, weights, num_layers=3, key=key)
    assert all((a.numpy() == b.numpy()).all() for a, b in zip(plain, same))
    out, last = wf.asarray(x), []
    for layer in range(3):
        own = [s[layer:layer + 1] for s in states]
        out, *ends = run(out, *own, weights[4 * layer:4 * layer + 4])
        last.append(ends[0].numpy()[0])
        if layer < 2:
            out = wf.nn.dropout(wf.random.fold_in(key, layer), out, p=0.4)
    dropped = run(x, *states, weights, key=key, **options)
    assert (dropped[0].numpy() == out.numpy()).all()
    assert (dropped[1].numpy() == np.stack(last)).all()
    assert (run(x, *states, weights, num_layers=3, dropout=1.0, key=key)[1].numpy()[0] == last[0]).all()


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("shape", [(3, 1, 5), (3, 2, 20), (2, 17, 40), (2, 40, 33), (2, 3, 600)])
def test_examples_do_not_see_the_batch_they_travel_in(kind, shape):
    time, batch, size = shape
    states, weights = recurrent(kind, 3, size, batch=batch)
    x, run = drawn(time, batch, 3), getattr(wf.nn, kind)

    def gradients(x, states):
        v = [wf.Variable(a) for a in (x, *states)]
        out = run(v[0], *v[1:], weights)[0]
        (out * out).sum().backward()
        return [out.numpy()] + [a.grad.numpy() for a in v]

    together = gradients(x, states)
    for b in {0, batch - 1}:
        alone = gradients(x[:, b:b + 1], [s[:, b:b + 1] for s in states])
        assert all((a[:, b:b + 1] == one).all() for a, one in zip(together, alone))
