"""The rows of derivatives: a taped op, small steps of training, per-example gradients, a long tape."""

from __future__ import annotations

from rows import Row


def ten_sums(a, b):
    """As in a user's function: the time is that of the ops, hardly that of the call around them."""
    a + b
    a + b
    a + b
    a + b
    a + b
    a + b
    a + b
    a + b
    a + b
    a + b


def ten_products(a, b):
    a * b
    a * b
    a * b
    a * b
    a * b
    a * b
    a * b
    a * b
    a * b
    a * b


def taped_op_rows(wf, torch, np):
    a = np.full(64, 1.0, np.float32)
    wa, wb = wf.Variable(a), wf.Variable(a)
    ta, tb = (torch.from_numpy(a.copy()).requires_grad_() for _ in range(2))
    for name, run in (("add", ten_sums), ("multiply", ten_products)):
        yield Row(f"taped {name} f32[64]", {"weft": lambda f=run: f(wa, wb), "torch": lambda f=run: f(ta, tb)}, ops=10)


def layer_rows(wf, torch, np):
    """tanh(x @ W + b) with one row, forward and backward."""
    rng = np.random.default_rng(5)
    x, weight, bias = (rng.standard_normal(shape, dtype=np.float32) * 0.1 for shape in ((1, 32), (32, 32), (32,)))
    wx, ww, wb = wf.asarray(x), wf.Variable(weight), wf.Variable(bias)
    tx = torch.from_numpy(x)
    tw, tb = (torch.from_numpy(v).requires_grad_() for v in (weight, bias))

    def weft_step():
        ww.grad = wb.grad = None
        wf.tanh(wx @ ww + wb).sum().backward()

    def torch_step():
        tw.grad = tb.grad = None
        torch.tanh(tx @ tw + tb).sum().backward()

    yield Row("tanh(x @ W + b), x[1, 32], and gradients", {"weft": weft_step, "torch": torch_step})


def mlp_weights(np):
    rng = np.random.default_rng(6)
    shapes = (784, 128), (128,), (128, 10), (10,)
    return [rng.standard_normal(shape, dtype=np.float32) * 0.05 for shape in shapes]


def mlp_rows(wf, torch, np):
    """A step of training of an MLP 784-128-10 on 32 examples: forward, backward, SGD."""
    rng = np.random.default_rng(7)
    x, labels = rng.standard_normal((32, 784), dtype=np.float32), rng.integers(0, 10, 32)
    chosen = np.eye(10, dtype=np.float32)[labels]
    wx, wy, ws = wf.asarray(x), wf.asarray(chosen), [wf.Variable(w) for w in mlp_weights(np)]
    tx, ty = torch.from_numpy(x), torch.from_numpy(chosen)
    ts = [torch.from_numpy(w).requires_grad_() for w in mlp_weights(np)]
    weft_sgd, torch_sgd = wf.optim.SGD(ws, lr=1e-3), torch.optim.SGD(ts, lr=1e-3)

    def weft_step():
        weft_sgd.zero_grad()
        logits = wf.relu(wx @ ws[0] + ws[1]) @ ws[2] + ws[3]
        (-(wf.log_softmax(logits, axis=-1) * wy).sum() / 32).backward()
        weft_sgd.step()

    def torch_step():
        torch_sgd.zero_grad()
        logits = torch.relu(tx @ ts[0] + ts[1]) @ ts[2] + ts[3]
        (-(torch.log_softmax(logits, dim=-1) * ty).sum() / 32).backward()
        torch_sgd.step()

    yield Row("MLP 784-128-10, batch 32, SGD step", {"weft": weft_step, "torch": torch_step})


def per_example_rows(wf, torch, np):
    """vmap(grad(mlp_loss)) over 256 examples; the peers do the same without compiling."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((256, 784), dtype=np.float32)
    chosen = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 256)]
    weights = mlp_weights(np)

    def loss_in(lib, log_softmax):
        def loss(ws, x, y):
            hidden = lib.maximum(x @ ws[0] + ws[1], 0)
            return -(log_softmax(hidden @ ws[2] + ws[3]) * y).sum()
        return loss

    weft_loss = loss_in(wf, lambda z: wf.log_softmax(z, axis=-1))
    weft_all = wf.vmap(wf.grad(weft_loss), in_axes=(None, 0, 0))
    wargs = [wf.asarray(w) for w in weights], wf.asarray(x), wf.asarray(chosen)
    runs = {"weft": lambda: weft_all(*wargs)}

    def torch_loss(ws, x, y):
        return -(torch.log_softmax(torch.relu(x @ ws[0] + ws[1]) @ ws[2] + ws[3], dim=-1) * y).sum()

    torch_all = torch.func.vmap(torch.func.grad(torch_loss), in_dims=(None, 0, 0))
    targs = [torch.from_numpy(w) for w in weights], torch.from_numpy(x), torch.from_numpy(chosen)
    runs["torch"] = lambda: torch_all(*targs)
    try:
        import jax
        import jax.numpy as jnp

        jax_all = jax.vmap(jax.grad(loss_in(jnp, jax.nn.log_softmax)), in_axes=(None, 0, 0))
        jargs = [jnp.asarray(w) for w in weights], jnp.asarray(x), jnp.asarray(chosen)
        runs["jax"] = lambda: jax.block_until_ready(jax_all(*jargs))
    except ImportError:
        pass
    yield Row("vmap(grad(mlp_loss)), 256 examples", runs)


def long_tape_rows(wf, torch, np):
    """A chain of scalar products, forward and backward; only Weft, for the peer takes many seconds."""
    start = wf.Variable(1.0)

    def chain():
        start.grad = None
        x = start
        for _ in range(1_000_000):
            x = x * 1.0000001
        x.backward()

    yield Row("10^6 scalar products and their gradient", {"weft": chain})


FAMILIES = (taped_op_rows, layer_rows, mlp_rows, per_example_rows, long_tape_rows)
