"""A small transformer learns to write, letter by letter: causal attention, AdamW, a rate that warms up and cools down.

  .venv/bin/python examples/train/char_gpt.py [--quick] [--data FOLDER]

On Shakespeare the loss of text that it has not read comes to 1.68 nats a letter in 2000 steps, 2 minutes on two cores. Without
that text it reads the documentation of Weft, which is easier. char_gpt.cc is the twin in C++.
"""

import argparse
import sys

import weft as wf
from letters import Letters, load_text
from weft import nn


class CharGPT(nn.Module):
    """What letter may come next, for each place of a text; a place sees only those before it."""

    def __init__(self, letters, context, width, heads, depth):
        self.context = context
        self.letter, self.place = (nn.Embedding(n, width, weight_init=nn.init.normal(0.02)) for n in (letters, context))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.stack = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width))
        self.out = nn.Linear(width, letters, bias=False)

    def forward(self, letters):
        places = wf.arange(letters.shape[-1])
        return self.out(self.stack(self.letter(letters) + self.place(places), is_causal=True))


def crops(numbers, context, batch):
    """Pieces of a text from all places, in an order drawn once: letters, and those that follow, each [batch, context]."""

    def crop(starts):
        piece = numbers[starts[:, None] + wf.arange(context + 1)]
        return piece[:, :-1], piece[:, 1:]

    return wf.data.Dataset.range(numbers.shape[0] - context).shuffle(seed=1).batch(batch).map(crop).prefetch(2)


def train(model, batches, steps):
    optimizer = wf.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.99), weight_decay=0.1)
    s, warm = wf.optim.schedules, steps // 10
    schedule = s.Sequential(optimizer, [s.Linear(optimizer, warm, start=0.01), s.Cosine(optimizer, steps - warm, lowest=0.1)], [warm])

    @wf.function
    def step(x, y):
        with wf.GradientTape() as tape:
            loss = nn.cross_entropy(model(x), y)
        gradients, _ = wf.optim.clip_by_global_norm(tape.gradient(loss, model.parameters()), 1.0)
        optimizer.apply_gradients(zip(gradients, model.parameters()))
        schedule.step()
        return loss

    total, each = 0.0, steps // 10
    for k, (x, y) in enumerate(batches.take(steps), 1):
        total += step(x, y).item()
        if k % each == 0:
            print(f"step {k}/{steps}  rate {optimizer.lr:.5f}  loss {total / each:.4f}", flush=True)
            total = 0.0


def mean_loss(model, batches):
    loss_of = wf.function(lambda x, y: nn.cross_entropy(model(x), y))
    return sum(loss_of(x, y).item() for x, y in batches) / len(batches)


def written(model, letters, count):
    """What the model writes if it hears itself, after an end of line. One trace serves all lengths."""

    @wf.function
    def following(key, text):
        return wf.random.categorical(key, model(text)[0, -1] / 0.8)

    numbers = letters.numbers(b"\n")
    for k in range(count):
        letter = following(wf.random.Key(1).fold_in(k), numbers[-model.context:].reshape(1, -1))
        numbers = wf.concat([numbers, letter.reshape(1)], axis=0)
    return letters.text(numbers[1:].tolist())


def main(options):
    context, width, depth, batch, steps, bound = (32, 32, 2, 8, 120, 3.3) if options.quick else (64, 128, 4, 16, 2000, 1.72)
    wf.seed(0)
    text = load_text(options.data, options.quick)
    letters = Letters(text)
    numbers = letters.numbers(text)
    part = len(text) * 9 // 10
    print(f"{len(text)} letters, {len(letters)} of them different")

    model = CharGPT(len(letters), context, width, 4, depth)
    print(f"{sum(p.size for p in model.parameters())} parameters")
    train(model, crops(numbers[:part], context, batch), steps)
    loss = mean_loss(model.eval(), crops(numbers[part:], context, 100).take(2 if options.quick else 20))
    print(written(model, letters, 50 if options.quick else 500))
    print(f"test loss {loss:.4f} nats a letter")
    if not loss < bound:
        sys.exit(f"char_gpt: the loss is not below {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny network reads some of the documentation, to a loss of 3.3")
    parser.add_argument("--data", metavar="FOLDER", help="where Shakespeare's input.txt is")
    main(parser.parse_args())
