"""The rows of neural-network ops: norms, attention and embedding, forward and with their gradients."""

from __future__ import annotations

from rows import Row


def both_ways(name, weft_inputs, torch_inputs, weft_op, torch_op, gradient, flops=0):
    """A row of the op alone and one with the gradients of all its inputs."""
    wg, tg = gradient

    def weft_step():
        for v in weft_inputs:
            v.grad = None
        weft_op(*weft_inputs).backward(gradient=wg)

    def torch_step():
        for v in torch_inputs:
            v.grad = None
        torch_op(*torch_inputs).backward(tg)

    plain_w, plain_t = [v.value() for v in weft_inputs], [v.detach() for v in torch_inputs]
    yield Row(name, {"weft": lambda: weft_op(*plain_w), "torch": lambda: torch_op(*plain_t)}, flops=flops)
    yield Row(f"{name}, and gradients", {"weft": weft_step, "torch": torch_step}, flops=3 * flops)


def variables(wf, torch, arrays):
    return [wf.Variable(a) for a in arrays], [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]


def norm_rows(wf, torch, np):
    rng = np.random.default_rng(11)

    def draw(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    functional = torch.nn.functional
    g = draw(8192, 768)
    ws, ts = variables(wf, torch, [draw(8192, 768), draw(768), draw(768)])
    yield from both_ways("layer_norm [8192, 768]", ws, ts, wf.nn.layer_norm,
                         lambda x, w, b: functional.layer_norm(x, (768,), w, b),
                         (wf.asarray(g), torch.from_numpy(g)))
    g = draw(32, 64, 56, 56)
    mean, var = np.zeros(64, np.float32), np.ones(64, np.float32)
    wm, wv, tm, tv = wf.asarray(mean), wf.asarray(var), torch.from_numpy(mean), torch.from_numpy(var)
    ws, ts = variables(wf, torch, [draw(32, 64, 56, 56), draw(64), draw(64)])
    yield from both_ways("batch_norm [32, 64, 56, 56]", ws, ts,
                         lambda x, w, b: wf.nn.batch_norm(x, wm, wv, w, b, training=True)[0],
                         lambda x, w, b: functional.batch_norm(x, tm, tv, w, b, training=True),
                         (wf.asarray(g), torch.from_numpy(g)))


def attention_rows(wf, torch, np):
    rng = np.random.default_rng(12)
    for batch, time in ((8, 128), (1, 1024)):
        shape = (batch, 12, time, 64)
        g, *arrays = (rng.standard_normal(shape, dtype=np.float32) for _ in range(4))
        ws, ts = variables(wf, torch, arrays)
        yield from both_ways(f"attention B{batch} H12 T{time} d64", ws, ts, wf.nn.scaled_dot_product_attention,
                             torch.nn.functional.scaled_dot_product_attention,
                             (wf.asarray(g), torch.from_numpy(g)), flops=4 * batch * 12 * time * time * 64)


def embedding_rows(wf, torch, np):
    rng = np.random.default_rng(13)
    indices = rng.integers(0, 30000, (32, 128))
    wi, ti = wf.asarray(indices), torch.from_numpy(indices)
    g = rng.standard_normal((32, 128, 768), dtype=np.float32)
    ws, ts = variables(wf, torch, [rng.standard_normal((30000, 768), dtype=np.float32)])
    yield from both_ways("embedding [30000, 768] of [32, 128]", ws, ts, lambda w: wf.nn.embedding(wi, w),
                         lambda w: torch.nn.functional.embedding(ti, w), (wf.asarray(g), torch.from_numpy(g)))


FAMILIES = (norm_rows, attention_rows, embedding_rows)
