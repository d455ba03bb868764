"""The rows of training: a whole step (forward, backward, optimizer) of networks made of modules.

Each system in its own best form: ours as wf.function, PyTorch eager, JAX by jit, TensorFlow by tf.function and Keras by train_on_batch,
both in their own layout of images.
"""

from __future__ import annotations

from graph_rows import jax_modules, keras_step, tensorflow
from rows import Row

# --- LeNet-5 on 64 digits, SGD ---

LENET_SHAPES = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,))


def lenet_weights(np):
    rng = np.random.default_rng(12)
    return [rng.standard_normal(shape, dtype=np.float32) * 0.1 for shape in LENET_SHAPES]


def lenet_rows(wf, torch, np):
    rng = np.random.default_rng(11)
    x, y = rng.standard_normal((64, 1, 28, 28), dtype=np.float32), rng.integers(0, 10, 64)

    def make():
        return {"weft": weft_lenet(wf, np, x, y), "torch": torch_lenet(torch, np, x, y), "jax": jax_lenet(np, x, y),
                "tf": tf_lenet(np, x, y), "keras": keras_step(keras_lenet_in, x.transpose(0, 2, 3, 1), y)}

    yield Row("LeNet-5, batch 64, SGD, a step as one function", make=make)


def lenet_in(nn):
    """As both we and PyTorch write it."""
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def weft_step_of(wf, optimizer, loss):
    return wf.function(lambda x, y: optimizer.minimize(lambda: loss(x, y)))


def torch_step_of(torch, model, optimizer, x, y):
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)

    def step():
        optimizer.zero_grad()
        logits = model(tx)
        torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), ty.reshape(-1)).backward()
        optimizer.step()

    return step


def weft_lenet(wf, np, x, y):
    model = lenet_in(wf.nn)
    for parameter, value in zip(model.parameters(), lenet_weights(np)):
        parameter.assign(value)
    step = weft_step_of(wf, wf.optim.SGD(model.parameters(), lr=0.01), lambda x, y: wf.nn.cross_entropy(model(x), y))
    wx, wy = wf.asarray(x), wf.asarray(y)
    return lambda: step(wx, wy)


def torch_lenet(torch, np, x, y):
    model = lenet_in(torch.nn)
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), lenet_weights(np)):
            parameter.copy_(torch.from_numpy(value))
    return torch_step_of(torch, model, torch.optim.SGD(model.parameters(), lr=0.01), x, y)


def jax_lenet(np, x, y):
    jax, jnp = jax_modules()

    def conv(x, w, b, padding):
        return jax.lax.conv_general_dilated(x, w, (1, 1), [(padding, padding)] * 2) + b[:, None, None]

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss(ws, x, y):
        x = pool(jax.nn.relu(conv(x, ws[0], ws[1], 2)))
        x = pool(jax.nn.relu(conv(x, ws[2], ws[3], 0))).reshape(x.shape[0], -1)
        x = jax.nn.relu(x @ ws[4].T + ws[5])
        x = jax.nn.relu(x @ ws[6].T + ws[7]) @ ws[8].T + ws[9]
        return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean()

    @jax.jit
    def step(ws, x, y):
        value, grads = jax.value_and_grad(loss)(ws, x, y)
        return value, [w - 0.01 * g for w, g in zip(ws, grads)]

    state, jx, jy = [[jnp.asarray(w) for w in lenet_weights(np)]], jnp.asarray(x), jnp.asarray(y)

    def run():
        value, state[0] = step(state[0], jx, jy)
        jax.block_until_ready((value, state[0]))

    return run


def tf_lenet(np, x, y):
    """Channels last, as TensorFlow has them on processors."""
    tf = tensorflow()
    weights = [w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T for w in lenet_weights(np)]
    ws = [tf.Variable(w) for w in weights]
    fx, fy = tf.constant(x.transpose(0, 2, 3, 1)), tf.constant(y)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, ws[0], 1, "SAME"), ws[1])), 2, 2, "VALID")
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, ws[2], 1, "VALID"), ws[3])), 2, 2, "VALID")
            h = tf.nn.relu(tf.matmul(tf.reshape(h, (64, 400)), ws[4]) + ws[5])
            h = tf.matmul(tf.nn.relu(tf.matmul(h, ws[6]) + ws[7]), ws[8]) + ws[9]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h))
        for w, g in zip(ws, tape.gradient(loss, ws)):
            w.assign_sub(g * 0.01)
        return loss

    return lambda: step(fx, fy)


def keras_lenet_in(layers):
    return [layers.Conv2D(6, 5, padding="same", activation="relu"), layers.MaxPool2D(2), layers.Conv2D(16, 5, activation="relu"),
            layers.MaxPool2D(2), layers.Flatten(), layers.Dense(120, activation="relu"), layers.Dense(84, activation="relu"),
            layers.Dense(10)]


# --- a small character model: 4 layers of width 128, 12 texts of 64 letters, AdamW ---

LAYERS, WIDTH, HEADS, LENGTH, TEXTS, LETTERS = 4, 128, 4, 64, 12, 65


def gpt_in(nn, attend, layers=LAYERS, width=WIDTH, length=LENGTH):
    """As both we and PyTorch write it; `attend` mixes queries, keys and values, side by side in one tensor, causally."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down, self.gelu = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.GELU()

        def forward(self, x):
            x = x + self.out(attend(self.qkv(self.norm1(x))))
            return x + self.down(self.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters, self.places = nn.Embedding(LETTERS, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, LETTERS)

        def forward(self, x):
            return self.head(self.norm(self.blocks(self.letters(x) + self.places.weight)))

    return Gpt()


def weft_attend(wf, heads):
    def attend(qkv):
        batch, length, width = qkv.shape
        parts = wf.permute_dims(wf.reshape(qkv, (batch, length, 3, heads, width // 3 // heads)), (2, 0, 3, 1, 4))
        mixed = wf.nn.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        return wf.reshape(wf.permute_dims(mixed, (0, 2, 1, 3)), (batch, length, width // 3))
    return attend


def torch_attend(torch, heads):
    def attend(qkv):
        batch, length, width = qkv.shape
        q, k, v = qkv.view(batch, length, 3, heads, width // 3 // heads).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return mixed.transpose(1, 2).reshape(batch, length, width // 3)
    return attend


def weft_gpt(wf, x, y, heads=HEADS, **sizes):
    model = gpt_in(wf.nn, weft_attend(wf, heads), **sizes)
    step = weft_step_of(wf, wf.optim.AdamW(model.parameters(), lr=1e-3),
                        lambda x, y: wf.nn.cross_entropy(wf.reshape(model(x), (-1, LETTERS)), wf.reshape(y, (-1,))))
    wx, wy = wf.asarray(x), wf.asarray(y)
    return lambda: step(wx, wy)


def torch_gpt(torch, x, y, heads=HEADS, **sizes):
    model = gpt_in(torch.nn, torch_attend(torch, heads), **sizes)
    return torch_step_of(torch, model, torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True), x, y)


def gpt_rows(wf, torch, np):
    rng = np.random.default_rng(13)
    x, y = rng.integers(0, LETTERS, (2, TEXTS, LENGTH))
    yield Row("char-GPT, 4 layers, width 128, 12 x 64, AdamW, a step as one function",
              make=lambda: {"weft": weft_gpt(wf, x, y), "torch": torch_gpt(torch, x, y)})


FAMILIES = (lenet_rows, gpt_rows)
