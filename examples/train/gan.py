"""Two networks play against each other until one of them writes digits (Goodfellow et al. 2014, Radford et al. 2016).

  .venv/bin/python examples/train/gan.py [--quick] [--images mnist] [--data FOLDER] [--out gan.png]

A full run on the 1437 digits of scikit-learn takes 60 epochs in 12 s: the distance of forgeries from test images comes down
from 0.34 to 0.05; genuine digits are 0.03 apart. One epoch of MNIST takes a minute and comes to 0.03. The picture has 64 of
them. gan.cc is the twin in C++.

The forger makes images of random numbers; the judge tells them from genuine ones, and each learns from the other's faults.
Both updates are one traced step.
"""

import argparse
import sys

import weft as wf
from weft import nn

LATENT, BATCH = 32, 32
# The value of full ink, how many epochs are run, and the distance that they come below.
TASKS = {"digits": (16.0, 60, 0.08), "mnist": (255.0, 1, 0.06), "fashion_mnist": (255.0, 1, 0.08)}


def new_forger(side):
    """From random numbers to images [n, 1, side, side] of 0 to 1."""
    part = side // 4
    return nn.Sequential([
        nn.Linear(LATENT, 64 * part * part), nn.Unflatten(1, (64, part, part)), nn.BatchNorm2d(64), nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1), nn.Sigmoid()])


def new_judge(side):
    """From images to a number for each: high is genuine."""
    part = side // 4
    return nn.Sequential([
        nn.Conv2d(1, 32, 4, stride=2, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64 * part * part, 1)])


def distance(a, b, key):
    """Of two sets of images: that of their shadows on 256 random lines, in the mean (sliced Wasserstein)."""
    a, b = wf.flatten(a, 1), wf.flatten(b, 1)
    lines = wf.random.normal(key, (a.shape[1], 256))
    lines = lines / wf.linalg.vector_norm(lines, axis=0)
    apart = wf.sort(a @ lines, axis=0) - wf.sort(b @ lines, axis=0)
    return wf.mean(wf.abs(apart)).item()


def new_step(forger, judge):
    forging = wf.optim.Adam(forger.parameters(), lr=1e-3, betas=(0.5, 0.999))
    judging = wf.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.999))

    def mistaken(images, truth):
        said = judge(images)
        return nn.binary_cross_entropy_with_logits(said, wf.full_like(said, truth))

    @wf.function
    def step(genuine, key):
        z = wf.random.normal(key, (genuine.shape[0], LATENT))
        forged = wf.stop_gradient(forger(z))
        judging.minimize(lambda: mistaken(genuine, 0.9) + mistaken(forged, 0.0))  # 0.9: never too sure
        return forging.minimize(lambda: mistaken(forger(z), 1.0))

    return step


def forged_by(forger, z):
    """By the statistics of all batches, not of this one."""
    images = forger.eval()(z)
    forger.train()
    return images


def main(options):
    name, (ink, epochs, bound) = options.images, TASKS[options.images]
    if options.quick:
        name, (ink, epochs, bound) = "digits", (16.0, 10, 0.22)

    def prepared(image, label):
        return wf.expand_dims(image.astype(wf.float32) / ink, 1)

    images, unseen = (wf.data.load_dataset(name, split, options.data) for split in ("train", "test"))
    batches = images.shuffle(seed=1).batch(BATCH, drop_remainder=True).map(prepared)
    test = next(iter(unseen.batch(len(unseen)).map(prepared)))

    key = wf.random.Key(2014)
    wf.seed(2014)
    side = test.shape[-1]
    forger, judge = new_forger(side), new_judge(side)
    step = new_step(forger, judge)
    z = wf.random.normal(key, (test.shape[0], LATENT))
    print(f"at first    distance from test images {distance(forged_by(forger, z), test, key):.5f}")
    for epoch in range(1, epochs + 1):
        for i, genuine in enumerate(batches):
            step(genuine, key.fold_in(epoch).fold_in(i))
        if epoch % max(epochs // 5, 1) == 0:
            off = distance(forged_by(forger, z), test, key)
            print(f"epoch {epoch:4}  distance from test images {off:.5f}")
    wf.train.draw_images(options.out, forged_by(forger, z)[:64], columns=16)
    print(f"forgeries are {off:.5f} away from test images; 64 of them: {options.out}")
    if not off < bound:
        sys.exit(f"gan: a distance of {off:.5f} is not below {bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10 epochs of the digits, and a bound of 0.22, not 0.08")
    parser.add_argument("--images", choices=TASKS, default="digits", help="what is forged (digits)")
    parser.add_argument("--data", metavar="FOLDER", help="where the files of the images are")
    parser.add_argument("--out", default="gan.png", help="the picture (gan.png)")
    main(parser.parse_args())
