"""A small transformer learns to sort digits: lists of every length through one trace.

  .venv/bin/python examples/transformer.py
"""

import weft as wf
from three_ways import require, trained

WIDTH, HEADS, LAYERS, LONGEST = 32, 4, 2, 8
BATCH, STEPS, RATE = 32, 400, 0.1


def lists(key, length):
    """Lists of digits [n, length], and the same lists in order."""
    digits = wf.random.randint(key, 0, 10, (BATCH, length))
    return digits, wf.sort(digits, axis=-1)


def new_weights():
    key = wf.random.Key(11)
    weights = []

    def add(name, *shape):
        value = wf.random.glorot_normal(key.fold_in(len(weights)), shape)
        weights.append(wf.Variable(value, name=name))

    def add_norm(name):
        weights.extend([wf.Variable(wf.ones(WIDTH), name=f"{name}/scale"),
                        wf.Variable(wf.zeros(WIDTH), name=f"{name}/shift")])

    add("digits", 10, WIDTH)
    add("places", LONGEST, WIDTH)
    for i in range(LAYERS):
        add_norm(f"layer{i}/norm1")
        add(f"layer{i}/qkv", WIDTH, 3 * WIDTH)
        add(f"layer{i}/attended", WIDTH, WIDTH)
        add_norm(f"layer{i}/norm2")
        add(f"layer{i}/wide", WIDTH, 4 * WIDTH)
        add(f"layer{i}/narrow", 4 * WIDTH, WIDTH)
    add("output", WIDTH, 10)
    return weights


def layer(x, scale1, shift1, qkv, attended, scale2, shift2, wide, narrow):
    q, k, v = wf.split(wf.nn.layer_norm(x, scale1, shift1) @ qkv, (WIDTH, WIDTH, WIDTH), axis=-1)
    x = x + wf.nn.multi_head_attention(q, k, v, HEADS) @ attended
    return x + wf.gelu(wf.nn.layer_norm(x, scale2, shift2) @ wide) @ narrow


def logits(weights, digits):
    places = wf.cumulative_sum(wf.ones_like(digits[0])) - 1  # 0, 1, 2, ...: as many as there are today
    x = wf.nn.embedding(digits, weights[0]) + wf.nn.embedding(places, weights[1])
    for i in range(LAYERS):
        x = layer(x, *weights[2 + 8 * i:10 + 8 * i])
    return x @ weights[-1]


def loss_of(weights, digits, in_order):
    return wf.nn.cross_entropy(logits(weights, digits), in_order)


def main():
    key = wf.random.Key(2017)
    batches = [lists(key.fold_in(step), 3 + step % 6) for step in range(STEPS)]
    types = {"digits": "i64[batch, length]", "in_order": "i64[batch, length]"}
    weights = trained(new_weights, loss_of, RATE, types, batches)
    digits, in_order = lists(key.fold_in(STEPS), LONGEST)
    answer = wf.argmax(logits(weights, digits), axis=-1)
    right = (answer == in_order).astype(wf.float32).mean().item()
    print(f"{right:.1%} of the digits of new lists are in their places:")
    for given, sorted_ in zip(digits[:3].tolist(), answer[:3].tolist()):
        print(f"  {' '.join(map(str, given))}  ->  {' '.join(map(str, sorted_))}")
    require(right > 0.9, "the lists are not sorted")


if __name__ == "__main__":
    main()
