"""How long the steps of a small network wait for data, by the ways to feed `fit`: history.waiting, and microseconds a step.

    PYTHONPATH=build/release/python .venv/bin/python benchmarks/waiting.py [--data FOLDER] [mnist fashion_mnist]

The network is an MLP with 128 hidden units, batch 32: a step of a quarter of a millisecond, which small waits show in. Pixels come as
floats in memory, or as bytes that a map divides. --data is for mnist.
"""

import argparse

import weft as wf
from weft import nn

NAMES = ("mnist", "fashion_mnist")
BATCH = 32


def ways(pixels, labels):
    """What `fit` is given, by name."""
    floats = wf.cast(pixels, wf.float32) / 255.0
    rows = wf.data.Dataset.from_tensor_slices((floats, labels)).shuffle(seed=1).batch(BATCH)
    mapped = wf.data.Dataset.from_tensor_slices((pixels, labels)).shuffle(seed=1).batch(BATCH).map(lambda x, y: (x / 255.0, y))
    return {"fit(x, y)": (floats, labels), "shuffle, batch": (rows,), "shuffle, batch, prefetch": (rows.prefetch(2),),
            "shuffle, batch, map": (mapped,), "shuffle, batch, map, prefetch": (mapped.prefetch(2),)}


def main(options):
    for name in options.names or NAMES:
        pixels, labels = wf.data.load_dataset(name, folder=options.data if name == "mnist" else None).as_tensors()
        steps = -(-labels.shape[0] // BATCH)
        for way, given in ways(pixels, labels).items():
            wf.seed(0)
            model = nn.Sequential([nn.Flatten(), nn.Linear(None, 128), nn.ReLU(), nn.Linear(128, 10)])
            model.compile("sgd", "cross_entropy")
            model.fit(*given, epochs=1, batch_size=BATCH if len(given) > 1 else None, verbose=0)
            history = model.fit(*given, epochs=1, batch_size=BATCH if len(given) > 1 else None, verbose=0)
            whole = history.times.waited + history.times.worked
            print(f"{name:14} {way:30} {history.waiting:6.1%} {1e6 * history.times.waited / steps:6.1f} of "
                  f"{1e6 * whole / steps:.0f} us", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="all, if none is named")
    parser.add_argument("--data", metavar="FOLDER", help="where the files of mnist are")
    main(parser.parse_args())
