"""Trains a small network to read handwritten digits, in seconds, and draws nine of them with what it read.

  .venv/bin/python examples/digits.py [where to put the picture]

The 1797 digits of 8 x 8 pixels come inside the scikit-learn package: nothing is downloaded.
"""

import pathlib
import struct
import sys
import time
import zlib

import weft as wf

HIDDEN, EPOCHS, BATCH = 128, 40, 64


def load(key):
    """Pixels [n, 64] in 0..1 and labels [n], shuffled, as (train, test)."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("digits: needs the scikit-learn package, which scripts/setup.sh installs into .venv")
    data = load_digits()
    order = wf.random.permutation(key, len(data.target))
    pixels = wf.take(wf.tensor(data.data, dtype=wf.float32) / 16, order, axis=0)
    labels = wf.take(wf.tensor(data.target), order, axis=0)
    test = len(data.target) // 5
    return (pixels[test:], labels[test:]), (pixels[:test], labels[:test])


def layer(key, inputs, outputs, name):
    """Weights whose outputs have the variance of their inputs, and a bias of zeros."""
    scale = (2 / inputs) ** 0.5
    return [wf.Variable(wf.random.normal(key, (inputs, outputs)) * scale, name=f"{name}.weight"),
            wf.Variable(wf.zeros(outputs), name=f"{name}.bias")]


def logits(parameters, pixels):
    weight1, bias1, weight2, bias2 = parameters
    return wf.relu(pixels @ weight1 + bias1) @ weight2 + bias2


def loss_of(parameters, pixels, labels):
    chosen = wf.one_hot(labels, 10) * wf.log_softmax(logits(parameters, pixels), axis=-1)
    return -wf.sum(chosen) / len(labels)


@wf.no_grad
def read(parameters, pixels):
    return wf.argmax(logits(parameters, pixels), axis=-1)


def accuracy(parameters, pixels, labels):
    return (read(parameters, pixels) == labels).astype(wf.float32).mean().item()


def train(parameters, data, test, key):
    pixels, labels = data
    optimizer = wf.optim.Adam(parameters, lr=2e-3)
    begin = time.perf_counter()
    for epoch in range(EPOCHS):
        order = wf.random.permutation(key.fold_in(epoch), len(labels))
        total = 0.0
        for start in range(0, len(labels), BATCH):
            batch = order[start:start + BATCH]
            loss = loss_of(parameters, wf.take(pixels, batch, axis=0), wf.take(labels, batch, axis=0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        progress(epoch, total / len(labels), accuracy(parameters, *test), time.perf_counter() - begin)


def progress(epoch, loss, right, seconds):
    """One line that is written again and again; where nobody watches, every eighth one is kept."""
    done = epoch + 1
    bar = "#" * (24 * done // EPOCHS)
    line = f"[{bar:<24}] epoch {done:2}/{EPOCHS}  loss {loss:.4f}  test accuracy {right:.1%}  {seconds:.1f} s"
    if sys.stdout.isatty():
        print(f"\r{line}", end="\n" if done == EPOCHS else "", flush=True)
    elif done % 8 == 0:
        print(line, flush=True)


# The picture. Letters are rows of dots; a canvas is a list of rows of [red, green, blue].

PAPER, INK, GREEN, RED = [250, 248, 243], [60, 56, 50], [36, 122, 70], [196, 48, 43]
GLYPHS = {
    "0": ".###. #...# #..## #.#.# ##..# #...# .###.", "1": "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    "2": ".###. #...# ....# ...#. ..#.. .#... #####", "3": ".###. #...# ....# ..##. ....# #...# .###.",
    "4": "...#. ..##. .#.#. #..#. ##### ...#. ...#.", "5": "##### #.... ####. ....# ....# #...# .###.",
    "6": "..##. .#... #.... ####. #...# #...# .###.", "7": "##### ....# ...#. ..#.. ..#.. .#... .#...",
    "8": ".###. #...# #...# .###. #...# #...# .###.", "9": ".###. #...# #...# .#### ....# ...#. .##..",
    "a": "..... ..... .###. ....# .#### #...# .####", "d": "....# ....# .#### #...# #...# #...# .####",
    "e": "..... ..... .###. #...# ##### #.... .###.", "n": "..... ..... #.##. ##..# #...# #...# #...#",
    "o": "..... ..... .###. #...# #...# #...# .###.", "r": "..... ..... #.##. ##..# #.... #.... #....",
    "s": "..... ..... .#### #.... .###. ....# ####.", "t": ".#... .#... ####. .#... .#... .#..# ..##.",
}


def fill(canvas, x, y, width, height, colour):
    for row in canvas[y:y + height]:
        row[x:x + width] = [colour] * width


def write(canvas, x, y, text, colour, scale=2):
    for place, character in enumerate(text):
        for line, dots in enumerate(GLYPHS.get(character, "").split()):
            for column, dot in enumerate(dots):
                if dot == "#":
                    fill(canvas, x + (6 * place + column) * scale, y + line * scale, scale, scale, colour)


def draw(pixels, answers, labels):
    """Nine digits, three to a row, and below each what the network read."""
    zoom, margin, caption = 20, 18, 30
    cell = 8 * zoom + margin
    width, height = 3 * cell + margin, 3 * (cell + caption) + margin
    canvas = [[PAPER] * width for _ in range(height)]
    for i, (digit, answer, label) in enumerate(zip(pixels, answers, labels)):
        left, top = margin + i % 3 * cell, margin + i // 3 * (cell + caption)
        for j, dark in enumerate(digit):
            shade = [round(p + (q - p) * dark) for p, q in zip([255, 255, 255], INK)]
            fill(canvas, left + j % 8 * zoom, top + j // 8 * zoom, zoom, zoom, shade)
        text = f"read {answer}" if answer == label else f"read {answer} not {label}"
        write(canvas, left, top + 8 * zoom + 8, text, GREEN if answer == label else RED)
    return canvas


def save_png(path, canvas):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(canvas[0]), len(canvas), 8, 2, 0, 0, 0)  # 8 bits of red, green and blue
    rows = b"".join(b"\0" + bytes(part for colour in row for part in colour) for row in canvas)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
                     + chunk(b"IEND", b""))


def nine(answers, labels):
    """The first nine test digits, the last of them a mistake if there is one."""
    wrong = [i for i in range(len(labels)) if answers[i] != labels[i]]
    return list(range(8)) + [next((i for i in wrong if i > 7), 8)]


def main(path):
    key = wf.random.Key(2024)
    data, test = load(key.fold_in(0))
    parameters = layer(key.fold_in(1), 64, HIDDEN, "first") + layer(key.fold_in(2), HIDDEN, 10, "second")
    print(f"{len(data[1])} digits to learn from, {len(test[1])} to be tested with, "
          f"{sum(p.size for p in parameters)} parameters")
    train(parameters, data, test, key.fold_in(3))
    answers, labels = read(parameters, test[0]).tolist(), test[1].tolist()
    right = sum(a == b for a, b in zip(answers, labels)) / len(labels)
    print(f"read {right:.2%} of the test digits right")
    shown = nine(answers, labels)
    save_png(path, draw([test[0][i].tolist() for i in shown], [answers[i] for i in shown], [labels[i] for i in shown]))
    print(f"nine of them: {path}")
    if right < 0.96:
        sys.exit(f"digits: {right:.2%} is below the 96 % that this network reaches elsewhere")


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "build" / "digits.png")
