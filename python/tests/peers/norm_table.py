"""Normalisation, linear maps, embeddings and attention: ours, PyTorch's, JAX's."""

import jax
import torch
import torch.nn.functional as F
from vocabulary import bools, call, entry, integers, ints, normal, positive

ROUNDING = dict(looser=8, why="sums of squares in other orders; gradients cancel")
INF = float("inf")


def over_last(function):
    """PyTorch wants the shape of the last axes, ours how many they are."""
    def normalised(x, weight=None, bias=None, axes=1, eps=1e-5):
        return function(x, tuple(x.shape[i] for i in range(-axes, 0)), weight, bias, eps)

    return normalised


def torch_rms(x, shape, weight, bias, eps):
    out = F.rms_norm(x, shape, weight, eps)
    return out if bias is None else out + bias


def jax_layer(x, weight=None, bias=None, axes=1, eps=1e-5):
    over = tuple(range(-axes, 0))
    out = jax.nn.standardize(x, axis=over, epsilon=eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def torch_batch(x, running_mean=None, running_var=None, weight=None, bias=None, training=False,
    momentum=0.1, eps=1e-5, axis=1):
    """With the new running statistics as results; without old ones they are the batch's own."""
    x = x.movedim(axis, 1)
    own = running_mean is None
    mean = torch.zeros(x.shape[1], dtype=x.dtype) if own else running_mean.clone()
    var = torch.ones(x.shape[1], dtype=x.dtype) if own else running_var.clone()
    out = F.batch_norm(x, mean, var, weight, bias, training, 1.0 if own else momentum, eps)
    return out.movedim(1, axis), mean, var


def per_group(name, theirs, *leading):
    calls = [call(normal(2, 6, 5), *leading),
        call(normal(2, 6, 4, 3), *leading, normal(6), normal(6)),
        call(normal(2, 6, 5), *leading, weight=normal(6), bias=normal(6), eps=1e-2)]
    return entry(f"nn.{name}", theirs, None, *calls,
        wrong=[call(normal(2, 6, 5), *leading, normal(5))], **ROUNDING)


STATISTICS = (normal(3).fixed(), positive(3).fixed())
NORMS = [
    entry(f"nn.{name}", over_last(theirs), jax_function, call(normal(4, 6)),
          call(normal(4, 6), normal(6), normal(6)),
          call(normal(2, 3, 4), normal(3, 4), normal(3, 4), axes=2),
          call(normal(4, 6), weight=normal(6), eps=1e-2), call(normal(4, 6), bias=normal(6)),
          wrong=[call(normal(4, 6), normal(5)), call(normal(3, 2), axes=3)], **ROUNDING)
    for name, theirs, jax_function in [("layer_norm", F.layer_norm, jax_layer),
        ("rms_norm", torch_rms, None)]
] + [
    per_group("group_norm", lambda x, groups, weight=None, bias=None, eps=1e-5: F.group_norm(x,
        groups, weight, bias, eps), 3),
    per_group("instance_norm", lambda x, weight=None, bias=None, eps=1e-5: F.instance_norm(
        x, weight=weight, bias=bias, eps=eps)),
    entry("nn.batch_norm", torch_batch, None, call(normal(4, 3, 5), *STATISTICS),
          call(normal(4, 3, 2, 2), *STATISTICS, normal(3), normal(3), training=True),
          call(normal(4, 3), *STATISTICS, training=True, momentum=0.3, eps=1e-2),
          call(normal(4, 3, 5), training=True),
          call(normal(4, 5, 3), *STATISTICS, weight=normal(3), bias=normal(3), training=True,
          axis=-1), call(normal(4, 5, 3), *STATISTICS, weight=normal(3), axis=2),
          wrong=[call(normal(4, 3), normal(2), normal(2)),
          call(normal(1, 3), *STATISTICS, training=True)], **ROUNDING),
]


def bag(indices, weight, offsets=None, per_sample_weights=None, mode="mean", padding_idx=None):
    return F.embedding_bag(indices, weight, offsets, mode=mode,
        per_sample_weights=per_sample_weights, padding_idx=padding_idx)


WEIGHT, IDS = normal(6, 3), ints([[0, 2, 2], [5, 1, 0]])
TABLES = [
    entry("nn.linear", F.linear, lambda x, w, bias=None: x @ w.T + (0 if bias is None else bias),
          call(normal(4, 3), normal(5, 3)), call(normal(2, 4, 3), normal(5, 3), normal(5)),
          call(normal(3), normal(5, 3)), half=True,
          wrong=[call(normal(4, 3), normal(5, 4)), call(normal(4, 3), normal(5, 3), normal(4))]),
    entry("nn.embedding", F.embedding, None, call(IDS, WEIGHT),
          call(integers(0, 6, 4, dtype="int32"), WEIGHT), call(IDS, WEIGHT, padding_idx=2),
          wrong=[call(ints([0, 6]), WEIGHT), call(normal(3), WEIGHT)]),
    entry("nn.embedding_bag", bag, None,
          *(call(IDS, WEIGHT, mode=mode) for mode in ("mean", "sum", "max")),
          *(call(ints([0, 2, 2, 5, 1]), WEIGHT, ints([0, 2, 2]), mode=mode)
          for mode in ("mean", "sum", "max")),
          call(ints([0, 2, 2, 5, 1]), WEIGHT, ints([0, 2, 2]), mode="max", padding_idx=5),
          call(IDS, WEIGHT, per_sample_weights=normal(2, 3), mode="sum"),
          call(IDS, WEIGHT, padding_idx=2),
          call(ints([0, 2, 2, 5, 1]), WEIGHT, ints([0, 2]), normal(5), mode="sum", padding_idx=5),
          wrong=[call(IDS, WEIGHT, mode="other"), call(IDS, WEIGHT, ints([0, 1])),
          call(ints([[0, 9]]), WEIGHT)]),
]


def torch_sdpa(q, k, v, mask=None, is_causal=False, **rest):
    if mask is not None and is_causal:  # PyTorch takes one of them
        causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
        mask, is_causal = (mask & causal if mask.dtype == torch.bool
            else mask.masked_fill(~causal, -INF)), False
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal, **rest)


def jax_sdpa(q, k, v, mask=None, is_causal=False, scale=None, enable_gqa=False):
    turned = (x.swapaxes(1, 2) for x in (q, k, v))
    kind = {} if mask is None else {"mask" if mask.dtype == bool else "bias": mask}
    return jax.nn.dot_product_attention(*turned, is_causal=is_causal, scale=scale,
        **kind).swapaxes(1, 2)


def by_heads(q, k, v, num_heads, mask=None, is_causal=False, scale=None):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-2, -3) for x in (q, k, v))
    return torch_sdpa(q, k, v, mask, is_causal, scale=scale).transpose(-2, -3).flatten(-2)


def grouped(q, k, v, mask=None, causal=False, scale=1.0):
    """softmax(scale q k^T + mask) v with a group axis in q, and the logarithm of the sum of weights."""
    scores = scale * (q @ k.unsqueeze(2).mT)
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -INF)
    return torch.softmax(scores, -1) @ v.unsqueeze(2), torch.logsumexp(scores, -1, keepdim=True)


def qkv(queries=5, keys=7, heads=2, kv_heads=2, features=4):
    return normal(2, heads, queries, features), normal(2, kv_heads, keys, features), normal(2,
        kv_heads, keys, features)


ATTENTION = [
    entry("nn.scaled_dot_product_attention", torch_sdpa, jax_sdpa, call(*qkv()),
          call(*qkv(6, 6), is_causal=True), call(*qkv(), mask=normal(5, 7).fixed()),
          call(*qkv(), mask=normal(2, 2, 5, 7)),
          call(*qkv(2, 3), mask=ints([[1, 0, 1], [0, 1, 1]], dtype="bool")),
          call(*qkv(), scale=0.3), call(*qkv(heads=4), enable_gqa=True),
          call(*qkv(130, 300, 1, 1, 8), is_causal=True, only="torch"),
          call(*qkv(40, 70, 2, 2, 16), is_causal=True, only="torch"),
          call(*qkv(300, 300, 1, 1, 8), mask=normal(300, 300), is_causal=True, only="torch"),
          call(*qkv(150, 270, 4, 2, 8), mask=bools(150, 270), enable_gqa=True, only="torch"),
          call(*qkv(3, 3), mask=normal(3, 3), is_causal=True),
          call(normal(5, 4), normal(7, 4), normal(7, 3), only="torch"),
          call(normal(2, 1, 3, 4), normal(1, 2, 5, 4), normal(2, 2, 5, 4), only="torch"),
          wrong=[call(normal(2, 2, 5, 4), normal(2, 2, 7, 3), normal(2, 2, 7, 3)),
          call(*qkv(), mask=bools(5, 6)), call(*qkv(heads=3), enable_gqa=True)], looser=8,
          jax_looser=1e6, why="sums in other orders; JAX takes the softmax in float32"),
    entry("nn.multi_head_attention", by_heads, None,
          call(normal(2, 5, 8), normal(2, 7, 8), normal(2, 7, 8), num_heads=2),
          call(normal(2, 5, 8), normal(2, 5, 8), normal(2, 5, 8), 4, is_causal=True),
          call(normal(2, 5, 8), normal(2, 7, 8), normal(2, 7, 8), 2, mask=normal(5, 7)),
          call(normal(2, 5, 8), normal(2, 7, 8), normal(2, 7, 8), 2, scale=0.3),
          wrong=[call(normal(2, 5, 8), normal(2, 7, 8), normal(2, 7, 8), 3)], **ROUNDING),
    entry("nn.flash_attention", grouped, None,
          call(normal(2, 2, 3, 5, 4), normal(2, 2, 7, 4), normal(2, 2, 7, 4)),
          call(normal(1, 2, 1, 6, 4), normal(1, 2, 6, 4), normal(1, 2, 6, 4), causal=True, scale=0.5),
          call(normal(1, 2, 1, 5, 4), normal(1, 2, 7, 4), normal(1, 2, 7, 4),
          normal(1, 2, 1, 5, 7)), wrong=[call(normal(2, 2, 3, 5, 4), normal(2, 2, 7, 3),
          normal(2, 2, 7, 4))], **ROUNDING),
]

ENTRIES = NORMS + TABLES + ATTENTION
