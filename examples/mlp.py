"""A network of layers tells two spirals apart, and draws what it thinks of them.

  .venv/bin/python examples/mlp.py
"""

import weft as wf
from three_ways import require, trained

POINTS, HIDDEN, STEPS, RATE = 200, 64, 1500, 0.5


def spirals(key):
    """Points [n, 2] on two arms that wind around each other, and the arm of each."""
    arm = wf.arange(POINTS) % 2
    t = wf.random.uniform(key.fold_in(0), (POINTS,)) * 0.85 + 0.15
    angle = t * 11.0 + arm * 3.1415927
    points = wf.stack([t * wf.cos(angle), t * wf.sin(angle)], axis=1)
    return points + wf.random.normal(key.fold_in(1), (POINTS, 2)) * 0.02, arm


def new_weights():
    key = wf.random.Key(7)
    widths = [2, HIDDEN, HIDDEN, 2]
    weights = []
    for i in range(3):
        weight = wf.random.glorot_normal(key.fold_in(i), (widths[i], widths[i + 1])) * 3.0
        weights.append(wf.Variable(weight, name=f"layer{i}/weight"))
        weights.append(wf.Variable(wf.zeros(widths[i + 1]), name=f"layer{i}/bias"))
    return weights


def logits(weights, x):
    w0, b0, w1, b1, w2, b2 = weights
    x = wf.tanh(x @ w0 + b0)
    x = wf.tanh(x @ w1 + b1)
    return x @ w2 + b2


def loss_of(weights, x, labels):
    return wf.nn.cross_entropy(logits(weights, x), labels)


def picture(weights, rows=17, columns=33):
    """What the network says at each place of the disc."""
    y, x = wf.meshgrid(wf.linspace(1, -1, rows), wf.linspace(-1, 1, columns), indexing="ij")
    arm = wf.argmax(logits(weights, wf.stack([x, y], axis=2)), axis=-1)
    mark = wf.where(x * x + y * y < 1.1, arm, 2)
    return "\n".join("".join(".# "[m] for m in row).rstrip() for row in mark.tolist())


def main():
    x, labels = spirals(wf.random.Key(2024))
    weights = trained(new_weights, loss_of, RATE, {"x": "f32[batch, 2]", "labels": "i64[batch]"}, [(x, labels)] * STEPS)
    right = (wf.argmax(logits(weights, x), axis=-1) == labels).astype(wf.float32).mean().item()
    print(f"{right:.1%} of the points are on the right side")
    print(picture(weights))
    require(right > 0.98, "the spirals are not told apart")


if __name__ == "__main__":
    main()
