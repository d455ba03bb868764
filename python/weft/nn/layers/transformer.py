"""Transformer layers (Vaswani et al. 2017), and stacks of them."""

from ... import _core, _hints, _ops
from ..._hints import brief as _brief
from .attention import MultiheadAttention
from .dropout import Dropout
from .linear import Linear
from ..module import Module
from .norm import LayerNorm


# What PyTorch calls the masks, whose True is the opposite.
_KEYS = "weft calls this key_mask, and True means that a key is there"
_SEES = "weft calls this mask, and True means that a query sees a key"
_SENTENCES = {"src_mask": _SEES, "tgt_mask": _SEES, "src_key_padding_mask": _KEYS, "tgt_key_padding_mask": _KEYS,
              "memory_key_padding_mask": "weft calls this memory_key_mask, and True means that a key is there",
              "tgt_is_causal": "weft calls this is_causal"}


def _activation(given):
    if callable(given):
        return given
    if given in ("relu", "gelu"):
        return _ops.op("", given)
    if given != "silu":
        raise _core.InvalidError(f"TransformerEncoderLayer: activation is {_brief(given)}; it is 'relu', 'gelu', 'silu' or a "
                                 "function [TransformerEncoderLayer.activation]")
    return _ops.op("nn", "silu")


class _TransformerLayer(Module):
    """What encoder and decoder layers share: attention to oneself, a network of two layers, norms around them."""

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, *, dtype=None):
        self._options = {"d_model": d_model, "nhead": nhead, "dim_feedforward": dim_feedforward, "dropout": dropout,
                         "activation": activation, "layer_norm_eps": layer_norm_eps, "batch_first": batch_first,
                         "norm_first": norm_first, "bias": bias, "dtype": dtype}
        self.norm_first, self.activation = norm_first, _activation(activation)
        self.self_attn = self._attention()
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)

    def _attention(self):
        made = self._options
        return MultiheadAttention(made["d_model"], made["nhead"], made["dropout"], made["bias"],
                                  batch_first=made["batch_first"], dtype=made["dtype"])

    def _norm(self):
        made = self._options
        return LayerNorm(made["d_model"], made["layer_norm_eps"], bias=made["bias"], dtype=made["dtype"])

    def _fed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _around(self, x, norm, drop, part):
        """x and what `part` makes of it, normalized before or after."""
        return x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))

    def fresh(self):
        """Another layer of the same kind, with parameters of its own."""
        return type(self)(**self._options)


class TransformerEncoderLayer(_TransformerLayer):
    """Attention to oneself, then a network of two layers, each added to its input and normalized: after that, or with
    `norm_first=True` before. `activation` is 'relu', 'gelu', 'silu' or a function.

    >>> wf.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(wf.ones((2, 5, 8))).shape
    (2, 5, 8)
    """

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.norm1, self.norm2 = self._norm(), self._norm()
        self.dropout1, self.dropout2 = Dropout(self.dropout.p), Dropout(self.dropout.p)

    def forward(self, x, mask=None, key_mask=None, is_causal=False, **unknown):
        """Arguments:
            x: [time, batch, features], or with `batch_first=True` [batch, time, features]
            mask: what queries see of keys, True where they do, or numbers that are added to the scores; it broadcasts to [batch,
                heads, queries, keys]
            key_mask: [batch, keys], True for keys that are there, False for padding: the opposite of PyTorch's src_key_padding_mask
            is_causal: whether each time sees itself and earlier ones alone
        """
        _hints.need_words(type(self).__name__, unknown, {}, _SENTENCES)

        def attended(x):
            return self.self_attn(x, x, x, mask, key_mask, is_causal)[0]

        x = self._around(x, self.norm1, self.dropout1, attended)
        return self._around(x, self.norm2, self.dropout2, self._fed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Attention to oneself, attention to `memory`, what the encoder gave, then a network of two layers."""

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.multihead_attn = self._attention()
        self.norm1, self.norm2, self.norm3 = self._norm(), self._norm(), self._norm()
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(self.dropout.p) for _ in range(3))

    def forward(self, x, memory, mask=None, memory_mask=None, key_mask=None, memory_key_mask=None, is_causal=False,
                **unknown):
        """Arguments:
            x: [time, batch, features], or with `batch_first=True` [batch, time, features]
            memory: what the encoder gave, with a time of its own
            mask, memory_mask: what queries see of x and of memory, True where they do, or numbers that are added to the scores; they
                broadcast to [batch, heads, queries, keys]
            key_mask, memory_key_mask: [batch, keys], True for keys that are there, False for padding: the opposite of PyTorch's
                tgt_key_padding_mask and memory_key_padding_mask
            is_causal: whether each time of x sees itself and earlier ones alone
        """
        _hints.need_words(type(self).__name__, unknown, {}, _SENTENCES)

        def attended(x):
            return self.self_attn(x, x, x, mask, key_mask, is_causal)[0]

        def remembered(x):
            return self.multihead_attn(x, memory, memory, memory_mask, memory_key_mask)[0]

        x = self._around(x, self.norm1, self.dropout1, attended)
        x = self._around(x, self.norm2, self.dropout2, remembered)
        return self._around(x, self.norm3, self.dropout3, self._fed_forward)


class _Stack(Module):
    def __init__(self, layer, num_layers, norm=None):
        who = type(self).__name__
        _hints.need_integer(num_layers, who, "num_layers")
        if not isinstance(layer, Module) or num_layers > 1 and not hasattr(layer, "fresh"):
            raise _core.WrongTypeError(f"{who}: layer must be a wf.nn.{who}Layer, or a module that has fresh(), which gives another "
                                       f"of its kind, but got {_hints.brief(layer)} [{who}.module]")
        self.layers = [layer if k == 0 else layer.fresh() for k in range(num_layers)]
        self.norm = norm


class TransformerEncoder(_Stack):
    """`num_layers` layers of the kind of `layer`, each with parameters of its own, and a norm behind them."""

    def forward(self, x, mask=None, key_mask=None, is_causal=False, **unknown):
        """Takes what the layers take: see TransformerEncoderLayer.forward."""
        _hints.need_words(type(self).__name__, unknown, {}, _SENTENCES)
        for layer in self.layers:
            x = layer(x, mask, key_mask, is_causal)
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(_Stack):
    """`num_layers` decoder layers of the kind of `layer`, each with parameters of its own, and a norm behind them."""

    def forward(self, x, memory, mask=None, memory_mask=None, key_mask=None, memory_key_mask=None, is_causal=False,
                **unknown):
        """Takes what the layers take: see TransformerDecoderLayer.forward."""
        _hints.need_words(type(self).__name__, unknown, {}, _SENTENCES)
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask, key_mask, memory_key_mask, is_causal)
        return x if self.norm is None else self.norm(x)
