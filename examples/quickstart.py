"""Trains a small CNN to tell clothes apart, draws what it learnt, saves it, and gets the same bits back.

  .venv/bin/python examples/quickstart.py [--quick] [folder for the results]

Fashion-MNIST, 60,000 pictures of 28 x 28 pixels, comes with Debian's package dataset-fashion-mnist. Where that is not
installed, and with --quick, it reads handwritten digits, which come inside scikit-learn: nothing is downloaded.
"""

import argparse
import pathlib
import sys

import weft as wf
from weft import nn

CLOTHES = ["T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"]
DIGITS = [str(digit) for digit in range(10)]

# Names of the classes, epochs, rows in a batch, greatest learning rate, and the accuracy that must be reached.
TASKS = {"fashion_mnist": (CLOTHES, 3, 128, 1e-2, 0.90), "digits": (DIGITS, 8, 32, 1e-2, 0.95)}


def load(name, split):
    """Pictures [n, 1, height, width] from 0 to 1, and the class of each."""
    images, labels = wf.data.load_dataset(name, split).as_tensors()
    return images[:, None].astype(wf.float32) / wf.max(images).item(), labels.astype(wf.int64)


def pick_task(is_quick):
    """The data there is, and its name."""
    if not is_quick:
        try:
            return "fashion_mnist", load("fashion_mnist", "train"), load("fashion_mnist", "test")
        except wf.IoError as error:
            print(f"{error}\nreading digits in its place")
    return "digits", load("digits", "train"), load("digits", "test")


def network():
    """Two convolutions, normalized, and a dense layer; its inputs, None, are as many as the first picture gives."""
    return nn.Sequential([
        nn.Conv2d(1, 16, 3, padding=1), nn.MaxPool2d(2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.MaxPool2d(2), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Flatten(), nn.Linear(None, 10),
    ])


def train(model, data, test, epochs, batch_size, rate):
    """Adam whose rate goes up, then down to nothing, over the whole training."""
    model(data[0][:1])  # layers know their sizes from now on
    optimizer = wf.optim.AdamW(model.parameters(), lr=rate)
    steps = epochs * -(-len(data[1]) // batch_size)
    cycle = wf.callbacks.LearningRateScheduler(wf.optim.schedules.OneCycle(optimizer, steps), every="step")
    model.compile(optimizer, nn.CrossEntropyLoss(), metrics=["accuracy"])
    return model.fit(*data, epochs=epochs, batch_size=batch_size, validation_data=test, callbacks=[cycle])


def draw_answers(path, images, logits, labels, names):
    """Three rows of test pictures as they come, then one of the mistakes that the model was surest of."""
    said, sure = wf.argmax(logits, axis=-1), wf.max(wf.softmax(logits, axis=-1), axis=-1)
    mistakes = wf.argsort(wf.where(said != labels, sure, 0.0), descending=True)
    shown = wf.concat([wf.arange(24), mistakes[:8]])
    answers, truth = said[shown].tolist(), labels[shown].tolist()
    captions = [f"{names[a]}\n" + (f"{p:.0%} sure" if a == t else f"true: {names[t]}")
                for a, t, p in zip(answers, truth, sure[shown].tolist())]
    wf.train.draw_images(path, images[shown], captions, wrong=[a != t for a, t in zip(answers, truth)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="digits, in seconds")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="where the results go; build/quickstart if left out")
    arguments = parser.parse_args()
    folder = arguments.folder or pathlib.Path(__file__).resolve().parent.parent / "build" / "quickstart"
    folder.mkdir(parents=True, exist_ok=True)

    wf.seed(0)
    name, data, test = pick_task(arguments.quick)
    names, epochs, batch_size, rate, wanted = TASKS[name]
    print(f"{name}: {len(data[1]):,} pictures to learn from, {len(test[1]):,} to be tested with")

    model = network()
    print(model.summary((1, *data[0].shape[1:])))
    history = train(model, data, test, epochs, batch_size, rate)

    logits = model.predict(test[0], batch_size=500)
    confusion = wf.metrics.ConfusionMatrix(10)
    confusion.update(logits, test[1])
    history.plot(folder / "curves.png")
    wf.train.draw_confusion(folder / "confusion.png", confusion.result(), names)
    draw_answers(folder / "answers.png", test[0], logits, test[1], names)

    wf.save(folder / "model.safetensors", model.state_dict())
    again = network()
    again.load_state_dict(wf.load(folder / "model.safetensors"))
    before, after = wf.fingerprint(logits), wf.fingerprint(again.predict(test[0], batch_size=500))
    print(f"answers of the trained model:  {before}\nanswers of the reloaded model: {after}")
    print(f"in {folder}: " + ", ".join(sorted(path.name for path in folder.iterdir())))

    accuracy = history["val_accuracy"][-1]
    print(f"test accuracy: {accuracy:.2%}")
    if before != after:
        sys.exit("quickstart: the reloaded model gives other bits")
    if accuracy < wanted:
        sys.exit(f"quickstart: the accuracy is {accuracy:.2%}; this network reaches {wanted:.0%} and more")


if __name__ == "__main__":
    main()
