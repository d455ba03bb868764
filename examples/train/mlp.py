"""A network of three layers reads handwritten digits: a pipeline of data, compile and fit.

  .venv/bin/python examples/train/mlp.py [--quick] [--data FOLDER]

Reads 92 % of the digits of writers it has not seen, after 40 epochs or 2 seconds. mlp.cc is the twin in C++.
"""

import argparse
import sys

import weft as wf
from weft import nn


def prepared(pixels, labels):
    """Pixels come as 0 to 16."""
    return pixels / 16.0, labels


def network():
    return nn.Sequential([nn.Flatten(),
                          nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.3),
                          nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.3),
                          nn.Linear(128, 10)])


def main(options):
    epochs, bound = (5, 0.8) if options.quick else (40, 0.91)
    wf.seed(0)
    train = wf.data.load_dataset("digits", folder=options.data)
    test = wf.data.load_dataset("digits", "test", folder=options.data)
    batches = train.shuffle(seed=1).batch(64).map(prepared).prefetch(2)

    model = network()
    print(model)
    optimizer = wf.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.1)
    model.compile(optimizer, nn.CrossEntropyLoss(), metrics=["accuracy"])
    model.fit(batches, epochs=epochs)

    result = model.evaluate(test.batch(64).map(prepared))
    print(f"test loss {result['loss']:.4f}, accuracy {result['accuracy']:.4f}")
    if not result["accuracy"] > bound:
        sys.exit(f"mlp: the accuracy is not above {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="5 epochs, to an accuracy above 0.8 instead of 0.91")
    parser.add_argument("--data", metavar="FOLDER", help="where digits.csv.gz is; without it, scikit-learn's is taken")
    main(parser.parse_args())
