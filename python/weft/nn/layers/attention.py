"""Attention of several heads, with its projections."""

from ... import _core, _graph, _hints, _ops, random
from .. import init
from .linear import Linear, linear
from ..module import Layer

attention = _ops.op("nn", "scaled_dot_product_attention")
softmax, where = _ops.op("", "softmax"), _ops.op("", "where")

_SENTENCES = {"attn_mask": "weft calls this mask, and True means that a query sees a key",
              "key_padding_mask": "weft calls this key_mask, and True means that a key is there"}


class MultiheadAttention(Layer):
    """Attention by `num_heads` heads over equal parts of `embed_dim` features.

    `layer(query, key, value)` gives the result and, with `need_weights=True`, the weights averaged over the heads, else
    None. Inputs are [time, batch, features], with `batch_first=True` [batch, time, features]. `mask` broadcasts to [batch,
    heads, queries, keys], `key_mask` is [batch, keys]; True means that a query sees a key, numbers are added to the scores. A
    query that sees no key attends to nothing: its weights are 0.
    Projections begin as in PyTorch: glorot_uniform with biases of 0, the last one as Linear does with a bias of 0.

    >>> x = wf.ones((2, 5, 8))
    >>> out, _ = wf.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    >>> out.shape
    (2, 5, 8)
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, *, kdim=None, vdim=None, batch_first=False, dtype=None,
                 key=None):
        if embed_dim is None:
            raise _core.WrongTypeError("MultiheadAttention: embed_dim is missing; it is the size of the results, too, which no "
                                       "input tells [MultiheadAttention.count]")
        _hints.need_integer(embed_dim, "MultiheadAttention", "embed_dim")
        _hints.need_integer(num_heads, "MultiheadAttention", "num_heads")
        if num_heads < 1 or embed_dim % num_heads:
            raise _core.InvalidError(f"MultiheadAttention: {embed_dim} features do not divide into {num_heads} heads "
                                     "[MultiheadAttention.heads]")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self._has_bias, self._is_joined = _hints.as_flag(bias, type(self).__name__, "bias"), self.kdim == self.vdim == embed_dim
        self._begin(None, key, dtype)
        with _graph.eager():
            last = self._key.fold_in(1)
        self._complete(embed_dim)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype, bias_init="zeros", key=last)

    def _parameters(self, size):
        glorot, bias = init.glorot_uniform, {"in_proj_bias": ((3 * size,) if self._has_bias else None, init.zeros)}
        if self._is_joined:
            return {"in_proj_weight": ((3 * size, size), glorot), **bias}
        return {"q_proj_weight": ((size, size), glorot), "k_proj_weight": ((size, self.kdim), glorot),
                "v_proj_weight": ((size, self.vdim), glorot), **bias}

    def _projected(self, query, key, value):
        """Query, key and value, each [batch, time, features]."""
        size, bias = self.embed_dim, self.in_proj_bias
        if self._is_joined and query is key and key is value:
            out = linear(*self._lowered(query, self.in_proj_weight, bias))
            return out[..., :size], out[..., size:2 * size], out[..., 2 * size:]
        if self._is_joined:
            weights = [self.in_proj_weight[k * size:(k + 1) * size] for k in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None if bias is None else bias[k * size:(k + 1) * size] for k in range(3)]
        return [linear(*self._lowered(*three)) for three in zip((query, key, value), weights, biases)]

    def _heads(self, x):
        """[batch, heads, time, features of a head]."""
        return x.reshape((*x.shape[:-1], self.num_heads, self.embed_dim // self.num_heads)).swapaxes(-2, -3)

    def forward(self, query, key, value, mask=None, key_mask=None, is_causal=False, need_weights=False, **unknown):
        _hints.need_words("MultiheadAttention", unknown, {}, _SENTENCES)
        if not self.batch_first:
            is_one = query is key and key is value
            query = query.swapaxes(0, 1)
            key, value = (query, query) if is_one else (key.swapaxes(0, 1), value.swapaxes(0, 1))
        q, k, v = [self._heads(x) for x in self._projected(query, key, value)]
        mask = _joined(mask, key_mask)
        drops = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            out, weights = self._with_weights(q, k, v, mask, is_causal, drops)
        else:
            out = attention(q, k, v, mask, random.next_key() if drops else None, is_causal, dropout_p=drops)
        out = self.out_proj(out.swapaxes(-2, -3).reshape((*query.shape[:-1], self.embed_dim)))
        return (out if self.batch_first else out.swapaxes(0, 1)), weights

    def _with_weights(self, q, k, v, mask, is_causal, drops):
        """The formula written out, for those who want to see the weights."""
        scores = (q @ k.mT) * (self.embed_dim // self.num_heads) ** -0.5
        if is_causal:
            rows, columns = _ops.op("", "arange")(q.shape[-2]), _ops.op("", "arange")(k.shape[-2])
            scores = where(rows[:, None] >= columns, scores, -float("inf"))
        if mask is not None:
            scores = where(mask, scores, -float("inf")) if mask.dtype is _core.bool else scores + mask
        if mask is None:
            weights = softmax(scores, -1)
        else:  # a query that sees no key attends to nothing, as in attention without weights
            is_blind = _ops.op("", "max")(scores, axis=-1, keepdims=True) == -float("inf")
            weights = where(is_blind, 0.0, softmax(where(is_blind, 0.0, scores), -1))
        used = _ops.op("nn", "dropout")(random.next_key(), weights, drops) if drops else weights
        return used @ v, weights.mean(axis=-3)

    def extra_repr(self):
        return f"{self.embed_dim}, {self.num_heads}"


def _joined(mask, key_mask):
    """One mask of both, that broadcasts to [batch, heads, queries, keys]."""
    if key_mask is None:
        return mask
    key_mask = key_mask[:, None, None, :]
    if mask is None:
        return key_mask
    if mask.dtype is _core.bool and key_mask.dtype is _core.bool:
        return _ops.op("", "logical_and")(mask, key_mask)
    both = [where(one, 0.0, -float("inf")) if one.dtype is _core.bool else one for one in (mask, key_mask)]
    return both[0] + both[1]
