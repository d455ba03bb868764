"""The rows of neural-network ops: norms, softmax, a loss, attention, embedding and recurrent networks, forward and with their gradients."""

from __future__ import annotations

from rows import Row


def both_ways(name, weft_inputs, torch_inputs, weft_op, torch_op, gradient, flops=0, bytes=(0, 0)):
    """A row of the op alone and one with the gradients of all its inputs; `bytes` of both."""
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
    yield Row(name, {"weft": lambda: weft_op(*plain_w), "torch": lambda: torch_op(*plain_t)}, flops=flops,
              bytes=bytes[0])
    yield Row(f"{name}, and gradients", {"weft": weft_step, "torch": torch_step}, flops=3 * flops,
              bytes=bytes[1])


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
                         (wf.asarray(g), torch.from_numpy(g)), bytes=(2 * g.nbytes, 5 * g.nbytes))
    g = draw(32, 64, 56, 56)
    mean, var = np.zeros(64, np.float32), np.ones(64, np.float32)
    wm, wv, tm, tv = wf.asarray(mean), wf.asarray(var), torch.from_numpy(mean), torch.from_numpy(var)
    ws, ts = variables(wf, torch, [draw(32, 64, 56, 56), draw(64), draw(64)])
    yield from both_ways("batch_norm [32, 64, 56, 56]", ws, ts,
                         lambda x, w, b: wf.nn.batch_norm(x, wm, wv, w, b, training=True)[0],
                         lambda x, w, b: functional.batch_norm(x, tm, tv, w, b, training=True),
                         (wf.asarray(g), torch.from_numpy(g)), bytes=(3 * g.nbytes, 8 * g.nbytes))


def softmax_rows(wf, torch, np):
    rng = np.random.default_rng(14)
    x, g = (rng.standard_normal((8192, 768), dtype=np.float32) for _ in range(2))
    ws, ts = variables(wf, torch, [x])
    yield from both_ways("softmax [8192, 768]", ws, ts, lambda v: wf.softmax(v, axis=-1),
                         lambda v: torch.softmax(v, -1), (wf.asarray(g), torch.from_numpy(g)),
                         bytes=(2 * g.nbytes, 5 * g.nbytes))


def loss_rows(wf, torch, np):
    """The loss of a language model: rows of logits, one class each. PyTorch's cross_entropy is these two ops."""
    rng = np.random.default_rng(15)
    logits, classes = rng.standard_normal((2048, 32000), dtype=np.float32), rng.integers(0, 32000, 2048)
    wc, tc = wf.asarray(classes), torch.from_numpy(classes)
    functional, one = torch.nn.functional, np.float32(1)
    ws, ts = variables(wf, torch, [logits])
    gradient = wf.asarray(one), torch.tensor(one)
    yield from both_ways("cross_entropy [2048, 32000]", ws, ts, lambda v: wf.nn.cross_entropy(v, wc),
                         lambda v: functional.cross_entropy(v, tc), gradient)
    yield from both_ways("log_softmax, nll_loss [2048, 32000]", ws, ts,
                         lambda v: wf.nn.nll_loss(wf.log_softmax(v, axis=-1), wc),
                         lambda v: functional.nll_loss(functional.log_softmax(v, -1), tc), gradient)


def attention_rows(wf, torch, np):
    rng = np.random.default_rng(12)
    for batch, time in ((8, 128), (1, 1024)):
        shape = (batch, 12, time, 64)
        g, *arrays = (rng.standard_normal(shape, dtype=np.float32) for _ in range(4))
        gradient = (wf.asarray(g), torch.from_numpy(g))
        flops = 4 * batch * 12 * time * time * 64
        for label, options in (("", {}), (" causal", {"is_causal": True})):
            ws, ts = variables(wf, torch, arrays)
            yield from both_ways(f"attention B{batch} H12 T{time} d64{label}", ws, ts,
                                 lambda *x, o=options: wf.nn.scaled_dot_product_attention(*x, **o),
                                 lambda *x, o=options: torch.nn.functional.scaled_dot_product_attention(*x, **o),
                                 gradient, flops=flops // 2 if options else flops)


def embedding_rows(wf, torch, np):
    rng = np.random.default_rng(13)
    for rows, width, shape in ((30000, 768, (32, 128)), (50000, 256, (8192,))):
        indices = rng.integers(0, rows, shape)
        wi, ti = wf.asarray(indices), torch.from_numpy(indices)
        g = rng.standard_normal((*shape, width), dtype=np.float32)
        ws, ts = variables(wf, torch, [rng.standard_normal((rows, width), dtype=np.float32)])
        yield from both_ways(f"embedding [{rows}, {width}] of {list(shape)}", ws, ts,
                             lambda w, i=wi: wf.nn.embedding(i, w),
                             lambda w, i=ti: torch.nn.functional.embedding(i, w),
                             (wf.asarray(g), torch.from_numpy(g)))


def recurrent_rows(wf, torch, np):
    """PyTorch's functions are what nn.LSTM, nn.GRU and nn.RNN call."""
    rng = np.random.default_rng(16)
    gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1}
    shapes = ((64, 32, 256, 1, False), (128, 1, 128, 1, False), (64, 32, 256, 2, True))
    for kind, (time, batch, size, layers, both) in ((kind, shape) for shape in shapes for kind in gates):
        rows, sides = gates[kind] * size, 2 if both else 1

        def draw(*shape):
            return rng.uniform(-1, 1, shape).astype(np.float32) / np.float32(size**0.5)

        weights = [draw(*shape) for index in range(layers * sides)
                   for shape in ((rows, size if index < sides else sides * size), (rows, size), (rows,), (rows,))]
        x, g = (rng.standard_normal((time, batch, width), dtype=np.float32) for width in (size, sides * size))
        ws, ts = variables(wf, torch, [x, *weights])
        first = np.zeros((layers * sides, batch, size), np.float32)
        wh, th = [wf.asarray(first)] * (2 if kind == "lstm" else 1), torch.from_numpy(first)
        th = (th, th) if kind == "lstm" else th
        label = f"{kind} T{time} B{batch} H{size}" + (f", {layers} layers both ways" if both else "")
        yield from both_ways(
            label, ws, ts,
            lambda x, *w, f=getattr(wf.nn, kind), h=wh, n=layers, b=both: f(x, *h, w, num_layers=n, bidirectional=b)[0],
            lambda x, *w, f=getattr(torch, kind), h=th, n=layers, b=both: f(x, h, w, True, n, 0.0, True, b, False)[0],
            (wf.asarray(g), torch.from_numpy(g)), flops=2 * time * batch * sum(w.size for w in weights if w.ndim == 2))


FAMILIES = (norm_rows, softmax_rows, loss_rows, attention_rows, embedding_rows, recurrent_rows)
