"""Every layer of wf.nn: eager and traced give the same bits, gradients reach every parameter, states round-trip."""

import numpy as np
import pytest

import layer_table
import weft as wf
from weft import nn

LAZY = [name for name, row in layer_table.ROWS.items() if row.lazy]
ALONE = ("Module", "Sequential", "ModuleList", "ModuleDict", "Model")


def leaves(tree):
    return [x for x in wf.tree.flatten(tree)[0] if isinstance(x, wf.Tensor)]


def same(a, b):
    return [wf.fingerprint(x) for x in leaves(a)] == [wf.fingerprint(x) for x in leaves(b)]


def made(row, mode="make"):
    wf.seed(3)
    return getattr(row, mode)()


def test_every_layer_has_a_row():
    classes = {name for name, value in vars(nn).items() if isinstance(value, type) and issubclass(value, nn.Module)}
    assert classes - set(ALONE) == {name.partition(" ")[0] for name in layer_table.ROWS}


@pytest.mark.parametrize("name", layer_table.ROWS)
def test_traced_equals_eager(name):
    row = layer_table.ROWS[name]
    layer, inputs = made(row), row.inputs()
    traced = wf.function(lambda *xs: layer(*xs))
    for mode in (False, True):
        layer.train(mode)
        start = layer.state_dict()
        wf.seed(1)
        eager = layer(*inputs)
        after = layer.state_dict()
        layer.load_state_dict(start)
        wf.seed(1)
        assert same(traced(*inputs), eager)
        assert same(layer.state_dict(), after)
    depends = any(word in type(layer).__name__ for word in ("Dropout", "BatchNorm", "Transformer", "RNN", "GRU", "LSTM", "Attention"))
    assert traced.trace_count == 1 or depends


@pytest.mark.parametrize("name", [name for name, row in layer_table.ROWS.items() if made(row).parameters()])
def test_gradients_reach_every_parameter(name):
    row = layer_table.ROWS[name]
    layer, inputs = made(row), row.inputs()

    def loss():
        out = leaves(layer(*inputs))
        return sum((wf.sum(wf.sin(x * (k + 1.0))) for k, x in enumerate(out)), wf.tensor(0.0))

    wf.seed(1)
    loss().backward()
    eager = {key: v.grad.value() for key, v in layer.named_parameters()}
    assert all(wf.any(g != 0.0).item() or key.endswith("in_proj_bias") for key, g in eager.items())

    def by_values(values):
        out = leaves(nn.functional_call(layer, values, *inputs))
        return sum((wf.sum(wf.sin(x * (k + 1.0))) for k, x in enumerate(out)), wf.tensor(0.0))

    values = {key: v.value() for key, v in layer.named_parameters()}
    for gradient in (wf.grad(by_values), wf.function(wf.grad(by_values))):
        wf.seed(1)
        assert same(gradient(values), eager)


@pytest.mark.parametrize("name", [name for name, row in layer_table.ROWS.items() if made(row).state_dict()])
def test_states_round_trip(name):
    row = layer_table.ROWS[name]
    layer, other, inputs = made(row), row.make(), row.inputs()
    report = other.load_state_dict(layer.state_dict())
    assert report and report.matched == list(layer.state_dict())
    assert same(other.eval()(*inputs), layer.eval()(*inputs))


@pytest.mark.parametrize("name", LAZY)
def test_sizes_come_with_the_first_call(name):
    row = layer_table.ROWS[name]
    layer, lazy, traced, inputs = made(row), made(row, "lazy"), made(row, "lazy"), row.inputs()
    with pytest.raises(ValueError, match=r"has no parameters yet: its input size was left out.*\[Module.size\]"):
        lazy.parameters()
    out = layer(*inputs)
    assert same(lazy(*inputs), out)
    assert same(wf.function(lambda *xs: traced(*xs))(*inputs), out)  # made while it is traced
    assert same(lazy.state_dict(), layer.state_dict()) and same(traced.state_dict(), layer.state_dict())
    assert repr(lazy) == repr(layer)
    by_state = made(row, "lazy")
    assert by_state.load_state_dict(layer.state_dict())


@pytest.mark.parametrize("name", layer_table.ROWS)
def test_mixed_precision(name):
    row = layer_table.ROWS[name]
    layer, inputs = made(row).eval(), row.inputs()
    exact = leaves(layer(*inputs))
    kept = [v.dtype for v in layer.parameters()]
    low = leaves(layer.compute_in(wf.bfloat16)(*inputs))
    assert [v.dtype for v in layer.parameters()] == kept
    for a, b in zip(exact, low):
        assert wf.max(wf.abs(a - b.astype(a.dtype))).item() <= 0.05 * max(1.0, wf.max(wf.abs(a)).item())
    if layer.parameters() and not type(layer).__name__.startswith("Transformer"):
        assert low[0].dtype is wf.bfloat16


@pytest.mark.parametrize("name", layer_table.ROWS)
def test_repr_is_what_makes_it(name):
    text = repr(layer_table.ROWS[name].make())
    assert text.startswith(name.partition(" ")[0] + "(") and text.endswith(")")


def test_the_same_key_gives_the_same_parameters():
    key = wf.random.Key(5)
    a, b = nn.Linear(3, 2, key=key), nn.Linear(3, 2, key=key)
    assert same(a.state_dict(), b.state_dict())
    wf.seed(9)
    c = nn.Linear(3, 2)
    wf.seed(9)
    assert same(c.state_dict(), nn.Linear(3, 2).state_dict())
    assert not same(c.state_dict(), nn.Linear(3, 2).state_dict())


def test_parameters_begin_as_stated():
    layer = nn.Linear(100, 50)
    assert 0.09 < wf.max(wf.abs(layer.weight)).item() <= 0.1 and 0.0 < wf.max(wf.abs(layer.bias)).item() <= 0.1
    conv = nn.Conv2d(4, 64, 5)
    assert 0.09 < wf.max(wf.abs(conv.weight)).item() <= 0.1
    keras = nn.Linear(100, 50, weight_init="glorot_uniform", bias_init="zeros")
    assert 0.19 < wf.max(wf.abs(keras.weight)).item() <= 0.2 and wf.max(wf.abs(keras.bias)).item() == 0
    table = nn.Embedding(1000, 20, padding_idx=3)
    assert abs(wf.std(table.weight).item() - 1.0) < 0.02 and wf.max(wf.abs(table.weight[3])).item() == 0
    lstm = nn.LSTM(3, 25)
    assert 0.19 < wf.max(wf.abs(lstm.weight_ih_l0)).item() <= 0.2


@pytest.mark.parametrize("make, text", [
    (lambda: nn.Linear(3), "Linear: out_features is missing; Linear(None, n) takes the size of the input from the first call [Linear.count]"),
    (lambda: nn.Bilinear(3, 4), "Bilinear: out_features is missing; Bilinear(None, None, n) takes the sizes of the inputs from the first call [Bilinear.count]"),
    (lambda: nn.MultiheadAttention(None, 2), "MultiheadAttention: embed_dim is missing; it is the size of the results, too, which no input tells [MultiheadAttention.count]"),
    (lambda: nn.Conv2d(3, 4), "Conv2d: kernel_size is missing; Conv2d(None, channels, size) takes the channels of the input from the first call [Conv2d.count]"),
    (lambda: nn.Conv2d(3, 4, (1, 2, 3)), "Conv2d: kernel_size is (1, 2, 3), but there are 2 axes of space [Conv2d.kernel_size]"),
    (lambda: nn.Conv2d(3, 4, 3, groups=2), "Conv2d: 3 channels do not divide into 2 groups [Conv2d.groups]"),
    (lambda: nn.Linear(2, 2, weight_init="glorot_norm"), "Linear: there is no initializer 'glorot_norm'; did you mean 'glorot_normal'? [Linear.init]"),
    (lambda: nn.Dropout(1.5), "Dropout: p is 1.5; a probability is between 0 and 1 [Dropout.probability]"),
    (lambda: nn.MultiheadAttention(7, 2), "MultiheadAttention: 7 features do not divide into 2 heads [MultiheadAttention.heads]"),
    (lambda: nn.BatchNorm2d(3)(wf.ones((2, 3))), "BatchNorm2d: x has 2 axes; it needs 4 [BatchNorm2d.rank]"),
    (lambda: nn.RNN(2, 3, nonlinearity="sin"), "RNN: nonlinearity is 'sin'; it is 'tanh' or 'relu' [RNN.nonlinearity]"),
    (lambda: nn.GRU(2), "GRU: hidden_size is missing; GRU(None, n) takes the size of the input from the first call [GRU.count]"),
    (lambda: nn.MSELoss(axis=1), "MSELoss: has no argument 'axis'; its arguments are reduction [MSELoss.keyword]"),
    (lambda: nn.ReLU(0.5), "ReLU: takes no arguments [ReLU.count]"),
    (lambda: nn.ELU(slope=0.5), "ELU: has no argument 'slope'; its arguments are alpha [ELU.keyword]"),
    (lambda: nn.Linear(-3, 2), "Linear: weight would be [2, -3]; sizes are at least 0 [Linear.size]"),
    (lambda: nn.Linear(2, 2, dtype=wf.int32), "Linear: dtype is weft.int32; parameters are floats, such as wf.float32 [Linear.dtype]"),
])
def test_mistakes_are_told(make, text):
    with pytest.raises(wf.Error) as error:
        make()
    assert str(error.value).partition("\n")[0] == text


def test_attention_masks():
    x = wf.random.normal(wf.random.Key(0), (2, 4, 8))
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    causal = wf.arange(4)[:, None] >= wf.arange(4)
    out, weights = layer(x, x, x, is_causal=True, need_weights=True)
    plain, none = layer(x, x, x, mask=causal)
    assert none is None and weights.shape == (2, 4, 4)
    assert wf.max(wf.abs(out - plain)).item() < 1e-6
    assert wf.max(wf.abs(wf.where(causal, 0.0, weights))).item() == 0
    there = wf.tensor([[True, True, False, False], [True, True, True, True]])
    short, _ = layer(x, x, x, key_mask=there)
    alone, _ = layer(x[:1], x[:1, :2], x[:1, :2])
    assert wf.max(wf.abs(short[0] - alone[0])).item() < 1e-6
    with pytest.raises(TypeError, match="weft calls this mask, and True means that a query sees a key"):
        layer(x, x, x, attn_mask=causal)


@pytest.mark.parametrize("left_out, named, inputs", [
    (lambda key: nn.LayerNorm(None, key=key), lambda key: nn.LayerNorm(5, key=key), [(2, 5)]),
    (lambda key: nn.LayerNorm((3, None), key=key), lambda key: nn.LayerNorm((3, 5), key=key), [(2, 3, 5)]),
    (lambda key: nn.RMSNorm(key=key), lambda key: nn.RMSNorm(5, key=key), [(2, 5)]),
    (lambda key: nn.PReLU(None, key=key), lambda key: nn.PReLU(3, key=key), [(2, 3, 5)]),
    (lambda key: nn.Bilinear(None, None, 3, key=key), lambda key: nn.Bilinear(5, 4, 3, key=key), [(2, 5), (2, 4)]),
    (lambda key: nn.Bilinear(5, None, 3, key=key), lambda key: nn.Bilinear(5, 4, 3, key=key), [(2, 5), (2, 4)]),
])
def test_sizes_that_the_first_call_tells(left_out, named, inputs):
    """The same layer as with the sizes named: by a call, in a function, and by a saved state."""
    xs = [wf.random.normal(wf.random.Key(k), shape) for k, shape in enumerate(inputs)]
    layer, whole = left_out(wf.random.Key(7)), named(wf.random.Key(7))
    with pytest.raises(ValueError, match=r"has no parameters yet"):
        list(layer.parameters())
    assert wf.fingerprint(layer(*xs)) == wf.fingerprint(whole(*xs))
    assert wf.fingerprint(layer.state_dict()) == wf.fingerprint(whole.state_dict()) and repr(layer) == repr(whole)
    assert wf.fingerprint(wf.function(left_out(wf.random.Key(7)))(*xs)) == wf.fingerprint(whole(*xs))
    other = left_out(wf.random.Key(8))
    other.load_state_dict(whole.state_dict())
    assert wf.fingerprint(other(*xs)) == wf.fingerprint(whole(*xs))


@pytest.mark.parametrize("key_mask", ([[False] * 3, [True, False, True]], [[-np.inf] * 3, [0.0, -np.inf, 0.0]]))
def test_queries_that_see_no_key(key_mask):
    layer, x = nn.MultiheadAttention(4, 2, batch_first=True), wf.random.normal(wf.random.Key(0), (2, 3, 4))
    key_mask = wf.tensor(key_mask) if isinstance(key_mask[0][0], bool) else wf.tensor(key_mask, dtype=wf.float32)

    def attended(x, **options):
        return layer(x, x, x, key_mask=key_mask, **options)

    plain, (out, weights) = attended(x)[0], attended(x, need_weights=True)
    np.testing.assert_allclose(out.numpy(), plain.numpy(), atol=1e-6)
    assert weights[0].sum().item() == 0 and weights[1].sum().item() == pytest.approx(3)
    gradients = [wf.grad(lambda x: attended(x, need_weights=need)[0].sum())(x).numpy() for need in (False, True)]
    np.testing.assert_allclose(*gradients, atol=1e-6)


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("own, given", [(wf.float32, wf.float64), (wf.float32, wf.float16), (wf.float32, wf.bfloat16),
                                        (wf.float16, wf.float32), (wf.bfloat16, wf.float32)])
def test_batch_norm_keeps_its_statistics_in_their_dtype(own, given, momentum):
    x = wf.random.normal(wf.random.Key(0), (16, 3)).astype(given)
    norm, plain = nn.BatchNorm1d(3, dtype=own, momentum=momentum), nn.BatchNorm1d(3, momentum=momentum)
    traced = wf.function(nn.BatchNorm1d(3, dtype=own, momentum=momentum))
    for _ in range(2):
        out = norm(x)
        plain(x.astype(wf.float32))
        assert wf.fingerprint(traced(x)) == wf.fingerprint(out) and out.dtype is wf.result_type(own, given)
    assert norm.running_mean.dtype is norm.running_var.dtype is own
    np.testing.assert_allclose(norm.running_var.astype(wf.float32).numpy(), plain.running_var.numpy(), rtol=0.02)


@pytest.mark.parametrize("call, text", [
    (lambda x, keys: nn.TransformerEncoderLayer(8, 2, 8)(x, src_key_padding_mask=keys), "TransformerEncoderLayer: has no argument "
     "'src_key_padding_mask'; weft calls this key_mask, and True means that a key is there [TransformerEncoderLayer.keyword]"),
    (lambda x, keys: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 8), 1)(x, x, tgt_mask=keys), "TransformerDecoder: has no argument "
     "'tgt_mask'; weft calls this mask, and True means that a query sees a key [TransformerDecoder.keyword]"),
])
def test_masks_of_others_are_told_to_be_the_opposite(call, text):
    with pytest.raises(wf.WrongTypeError) as error:
        call(wf.ones((5, 2, 8)), wf.ones((2, 5)) > 0)
    assert str(error.value).partition("\n")[0] == text
