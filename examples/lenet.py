"""LeNet reads digits that are drawn with noise at random places.

  .venv/bin/python examples/lenet.py
"""

import weft as wf
from three_ways import require, trained

SIZE, BATCH, STEPS, RATE = 20, 50, 150, 0.1
GLYPHS = (".###.#...##..###.#.###..##...#.###.", "..#...##....#....#....#....#...###.",
          ".###.#...#....#...#...#...#...#####", ".###.#...#....#..##.....##...#.###.",
          "...#...##..#.#.#..#.#####...#....#.", "######....####.....#....##...#.###.",
          "..##..#...#....####.#...##...#.###.", "#####....#...#...#...#....#....#...",
          ".###.#...##...#.###.#...##...#.###.", ".###.#...##...#.####....#...#..##..")


def drawn(digit, left, top):
    """The pixels of a digit, row by row, each dot two pixels wide and high."""
    pixels = [0.0] * (SIZE * SIZE)
    for y in range(14):
        for x in range(10):
            if GLYPHS[digit][y // 2 * 5 + x // 2] == "#":
                pixels[(top + y) * SIZE + left + x] = 1.0
    return pixels


def digits(key, count):
    """Images [n, 1, size, size] and their digits [n]."""
    labels = wf.random.randint(key.fold_in(0), 0, 10, (count,))
    places = wf.random.randint(key.fold_in(1), 0, SIZE - 13, (count, 2)).tolist()
    images = wf.tensor([drawn(d, x, y) for d, (x, y) in zip(labels.tolist(), places)])
    noise = wf.random.normal(key.fold_in(2), (count, 1, SIZE, SIZE)) * 0.2
    return images.reshape(count, 1, SIZE, SIZE) + noise, labels


def new_weights():
    key = wf.random.Key(5)
    shapes = {"conv1": (6, 1, 5, 5), "conv2": (16, 6, 5, 5), "full1": (144, 120), "full2": (120, 84), "full3": (84, 10)}
    weights = []
    for i, (name, shape) in enumerate(shapes.items()):
        is_conv = len(shape) == 4
        outputs, inputs = (shape[0], shape[1] * 25) if is_conv else (shape[1], shape[0])
        weight = wf.random.normal(key.fold_in(i), shape) * (2 / inputs) ** 0.5
        weights += [wf.Variable(weight, name=f"{name}/weight"), wf.Variable(wf.zeros(outputs), name=f"{name}/bias")]
    return weights


def logits(weights, x):
    c1, d1, c2, d2, w1, b1, w2, b2, w3, b3 = weights
    x = wf.nn.max_pool2d(wf.relu(wf.nn.conv2d(x, c1, d1, padding=2)), 2)  # [n, 6, 10, 10]
    x = wf.nn.max_pool2d(wf.relu(wf.nn.conv2d(x, c2, d2)), 2)  # [n, 16, 3, 3]
    x = wf.relu(x.reshape(-1, 144) @ w1 + b1)
    x = wf.relu(x @ w2 + b2)
    return x @ w3 + b3


def loss_of(weights, images, labels):
    return wf.nn.cross_entropy(logits(weights, images), labels)


def main():
    key = wf.random.Key(1998)
    batches = [digits(key.fold_in(step), BATCH) for step in range(STEPS)]
    types = {"images": f"f32[batch, 1, {SIZE}, {SIZE}]", "labels": "i64[batch]"}
    weights = trained(new_weights, loss_of, RATE, types, batches)
    images, labels = digits(key.fold_in(STEPS), 500)
    read = wf.argmax(logits(weights, images), axis=-1)
    right = (read == labels).astype(wf.float32).mean().item()
    print(f"read {right:.1%} of 500 new digits right, among them {' '.join(str(d) for d in read[:10].tolist())}")
    require(right > 0.9, "too many digits are misread")


if __name__ == "__main__":
    main()
