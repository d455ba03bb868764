"""The rows of traced functions: a call of a tiny network, a long scan with its gradient, a step of training as one function.

Each system in its own best form: ours as wf.function, PyTorch eager and by torch.compile, JAX by jit, TensorFlow by tf.function,
Keras by train_on_batch.
"""

from __future__ import annotations

from derivative_rows import mlp_weights
from rows import Row


def tiny_weights(np):
    rng = np.random.default_rng(9)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in ((4, 16), (16,), (16, 16), (16,), (16, 2), (2,))]


def jax_modules():
    import jax
    import jax.numpy as jnp

    return jax, jnp


def tensorflow():
    import os

    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    return tf


def keras_step(layers_in, x, y):
    """Without XLA, which takes longer for these: 21 ms, not 6, for LeNet-5."""
    tf = tensorflow()
    import keras

    model = keras.Sequential(layers_in(keras.layers))
    model.compile(keras.optimizers.SGD(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
    kx, ky = tf.constant(x), tf.constant(y)
    return lambda: model.train_on_batch(kx, ky)


def network_in(tanh, matmul=lambda a, b: a @ b):
    def network(x, w1, b1, w2, b2, w3, b3):
        return matmul(tanh(matmul(tanh(matmul(x, w1) + b1), w2) + b2), w3) + b3
    return network


def tiny_rows(wf, torch, np):
    """A network 4-16-16-2 on one example, without gradients; weights are Variables, or what stands for them."""
    x, weights = np.ones((1, 4), np.float32), tiny_weights(np)

    def make():
        wx, ws = wf.asarray(x), [wf.Variable(w, trainable=False) for w in weights]
        traced = wf.function(lambda x: network_in(wf.tanh)(x, *ws))
        tx, ts = torch.from_numpy(x), [torch.from_numpy(w) for w in weights]
        compiled = torch.compile(lambda x: network_in(torch.tanh)(x, *ts))
        jax, jnp = jax_modules()
        jx, js = jnp.asarray(x), [jnp.asarray(w) for w in weights]
        jitted = jax.jit(network_in(jnp.tanh))
        tf = tensorflow()
        fx, fs = tf.constant(x), [tf.Variable(w, trainable=False) for w in weights]
        graph = tf.function(lambda x: network_in(tf.tanh, tf.matmul)(x, *fs))

        def torch_eager():
            with torch.no_grad():
                return network_in(torch.tanh)(tx, *ts)

        def torch_compiled():
            with torch.no_grad():
                return compiled(tx)

        return {"weft": lambda: traced(wx), "torch": torch_eager, "torch.compile": torch_compiled,
                "jax": lambda: jitted(jx, *js).block_until_ready(), "tf": lambda: graph(fx)}

    yield Row("call of a network 4-16-16-2, batch 1", make=make)


def scan_rows(wf, torch, np):
    """1,000 steps of a recurrence with a state of 8 floats, its value and its gradient."""
    rng = np.random.default_rng(10)
    start, weight = rng.standard_normal(8, dtype=np.float32), rng.standard_normal(8, dtype=np.float32) * 0.1
    steps = rng.standard_normal((1000, 8), dtype=np.float32)

    def make():
        def weft_loss(w, h, xs):
            end, _ = wf.scan(lambda h, x: (wf.tanh(h * w + x), None), h, xs)
            return wf.sum(end)

        traced = wf.function(wf.value_and_grad(weft_loss))
        wargs = wf.asarray(weight), wf.asarray(start), wf.asarray(steps)
        jax, jnp = jax_modules()

        def jax_loss(w, h, xs):
            return jnp.sum(jax.lax.scan(lambda h, x: (jnp.tanh(h * w + x), None), h, xs)[0])

        jitted = jax.jit(jax.value_and_grad(jax_loss))
        jargs = jnp.asarray(weight), jnp.asarray(start), jnp.asarray(steps)
        tw = torch.from_numpy(weight.copy()).requires_grad_()
        th, txs = torch.from_numpy(start), torch.from_numpy(steps)

        def torch_loop():
            tw.grad, h = None, th
            for x in txs:
                h = torch.tanh(h * tw + x)
            h.sum().backward()

        return {"weft": lambda: traced(*wargs), "torch": torch_loop,
                "jax": lambda: jax.block_until_ready(jitted(*jargs))}

    yield Row("scan of 1,000 steps, 8 floats, and gradient", make=make)


def step_rows(wf, torch, np):
    """A step of training of an MLP 784-128-10 on 32 examples as one function: forward, backward, SGD."""
    rng = np.random.default_rng(7)
    x, chosen = rng.standard_normal((32, 784), dtype=np.float32), np.eye(10, dtype=np.float32)[rng.integers(0, 10, 32)]

    def make():
        return {"weft": weft_step(wf, np, x, chosen), **torch_steps(torch, np, x, chosen), "jax": jax_step(np, x, chosen),
                "tf": tf_step(np, x, chosen), "keras": keras_step(keras_mlp_in, x, chosen.argmax(axis=-1))}

    yield Row("MLP 784-128-10, batch 32, a step as one function", make=make)


def weft_step(wf, np, x, chosen):
    weights = [wf.Variable(w) for w in mlp_weights(np)]

    def loss(ws, x, y):
        return -wf.sum(wf.log_softmax(wf.relu(x @ ws[0] + ws[1]) @ ws[2] + ws[3], axis=-1) * y) / 32

    @wf.function
    def step(x, y):
        value, grads = wf.value_and_grad(loss)(weights, x, y)
        for w, g in zip(weights, grads):
            w.assign_sub(g * 1e-3)
        return value

    wx, wy = wf.asarray(x), wf.asarray(chosen)
    return lambda: step(wx, wy)


def torch_steps(torch, np, x, chosen):
    tx, ty = torch.from_numpy(x), torch.from_numpy(chosen)

    def loss(ws):
        return -(torch.log_softmax(torch.relu(tx @ ws[0] + ws[1]) @ ws[2] + ws[3], dim=-1) * ty).sum() / 32

    def step_with(loss):
        ws = [torch.from_numpy(w).requires_grad_() for w in mlp_weights(np)]
        sgd = torch.optim.SGD(ws, lr=1e-3)

        def step():
            sgd.zero_grad()
            loss(ws).backward()
            sgd.step()

        return step

    return {"torch": step_with(loss), "torch.compile": step_with(torch.compile(loss))}


def jax_step(np, x, chosen):
    jax, jnp = jax_modules()

    def loss(ws, x, y):
        hidden = jnp.maximum(x @ ws[0] + ws[1], 0)
        return -(jax.nn.log_softmax(hidden @ ws[2] + ws[3]) * y).sum() / 32

    @jax.jit
    def step(ws, x, y):
        value, grads = jax.value_and_grad(loss)(ws, x, y)
        return value, [w - 1e-3 * g for w, g in zip(ws, grads)]

    state = [[jnp.asarray(w) for w in mlp_weights(np)]]
    jx, jy = jnp.asarray(x), jnp.asarray(chosen)

    def run():
        value, state[0] = step(state[0], jx, jy)
        jax.block_until_ready((value, state[0]))

    return run


def tf_step(np, x, chosen):
    tf = tensorflow()
    ws = [tf.Variable(w) for w in mlp_weights(np)]
    fx, fy = tf.constant(x), tf.constant(chosen)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, ws[0]) + ws[1]), ws[2]) + ws[3]
            loss = -tf.reduce_sum(tf.nn.log_softmax(logits) * y) / 32
        for w, g in zip(ws, tape.gradient(loss, ws)):
            w.assign_sub(g * 1e-3)
        return loss

    return lambda: step(fx, fy)


def keras_mlp_in(layers):
    return [layers.Dense(128, activation="relu"), layers.Dense(10)]


FAMILIES = (tiny_rows, scan_rows, step_rows)
