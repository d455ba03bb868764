"""A small typed program: what users write must pass mypy --strict."""

import numpy as np
import weft as wf


def layer(x: wf.Tensor, weight: wf.Tensor, bias: wf.Tensor) -> wf.Tensor:
    return wf.relu(x @ weight + bias)


def main() -> None:
    key = wf.random.Key(0)
    k1, k2 = key.split(2)
    x: wf.Tensor = wf.random.normal(k1, (4, 8))
    y = layer(x, wf.random.uniform(k2, (8, 3), 0.0, 1.0), wf.zeros(3))
    total: wf.Tensor = y.sum(axis=0, keepdims=True)
    mean, std = wf.mean(y, axis=(0, 1)), wf.std(y)
    parts: tuple[wf.Tensor, ...] = wf.split(x, (2, 2), axis=0)
    z = 1.0 - x * 2 + np.float32(3) / (x + 1)
    z = z.reshape(2, 16).reshape((4, 8)).T[0, 1:, None, ...]
    z = wf.where(z > 0, z, 0.0).at[0].set(1.0).astype(wf.float64)
    c = wf.clip(x, max=1.0) if bool(wf.all(x == x)) else wf.concat([x, x], axis=0)
    shape: tuple[int, ...] = c.shape
    n: int = len(x) + x.ndim + int(mean) + shape[0]
    a: np.ndarray = x.numpy()
    for row in x:
        print(row.dtype.name, row.tolist(), float(std), n, a, parts, total, z)
    wf.nn.layer_norm(x, eps=1e-5)
    best = wf.topk(x, 2)
    some: wf.Tensor = best.values + x.topk(2).indices
    again: wf.Tensor = wf.unique_counts(x).counts + wf.unique_inverse(x).inverse_indices.sum() + x.unique_all().counts
    first = wf.zeros((1, 8, 1))
    last: wf.Tensor = wf.nn.gru(x[None].mT, first, [wf.ones((3, 4)), wf.ones((3, 1))], has_biases=False).h
    print(some, again, last, wf.nn.max_pool1d_with_indices(x, 2).indices, x.histogram(3).edges, x.svd(False).S, x.qr().Q)
    print(x.pad(1), wf.pad(x, ((1, 0), (0, 1))), x.expand_dims((0, 2)), x.tensordot(x, 2), (x @ x.mT).cond(1), x.matrix_norm(ord=1))
    wf.linalg.matmul(x, x.mT)
    w = wf.Variable(wf.ones((8, 3)), name="w")
    wf.save("w.safetensors", {"w": w}, metadata={"epoch": "1"})
    manager = wf.CheckpointManager("run", best=("loss", "min"), w=w)
    step: int | None = manager.restore_latest()
    print(wf.load_metadata("w.safetensors"), step, manager.steps(), wf.latest_checkpoint("run"), wf.random.generator_state())
    slope: wf.Tensor = wf.grad(lambda a: (a * a).sum())(x)
    print(w.shape, w.trainable, slope, wf.tensor([1.0], requires_grad=True), np.dtype(x.dtype))
    w.trainable = False
    w.requires_grad = True
    jacobian, aux = wf.jacrev(lambda a: (a * a, a), has_aux=True)(x)
    print(round(x), round(x, 2), jacobian, aux, wf.checkpoint(layer)(x, w, wf.zeros(3)))
    w *= 0.5
    w.assign_add(1.0)
    hidden = x @ w
    hidden.retain_grad()
    handle: wf.HookHandle = hidden.register_hook(lambda g: g * 2)
    with wf.observe(lambda seen: print(seen.op, seen.seconds, seen.outputs[0].shape)):
        loss = hidden.sum()
    print(wf.draw(loss).dot, wf.fingerprint([w, x]))
    loss.backward()
    print(hidden.grad)
    handle.remove()
    wf.seed(0)
    print(wf.finfo(wf.float32).eps, wf.isdtype(x.dtype, "real floating"), wf.rand(2, 3), wf.randn(2))
    wf.memory.trim()
    wf.testing.assert_close(x, x)
    try:
        x.sum(axis=3)
    except wf.OutOfRangeError as error:
        print(error.op, error.law)


main()
