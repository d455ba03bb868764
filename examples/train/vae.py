"""A variational autoencoder learns to write digits (Kingma and Welling 2014), and draws them.

  .venv/bin/python examples/train/vae.py [--quick] [--images mnist] [--data FOLDER] [--out vae.png]

A full run on the 1437 digits of scikit-learn takes 60 epochs in 2 s and reaches an ELBO of -24.2 nats a test image; on MNIST
it takes 5 epochs in 25 s and reaches -116. The picture has test images, what is left of them on the way through eight numbers,
and new ones. vae.cc is the twin in C++.

The encoder gives mean and deviation of a normal distribution for each image, the decoder paints a draw from it. Pixels of
0 to 1 count as probabilities of ink. Both networks learn in one traced step.
"""

import argparse
import sys

import weft as wf
from weft import nn

HIDDEN, LATENT, BATCH = 256, 8, 64
# The value of full ink, how many epochs are run, and the loss that they come below.
TASKS = {"digits": (16.0, 60, 24.5), "mnist": (255.0, 5, 118.0), "fashion_mnist": (255.0, 5, 248.0)}


class VAE(nn.Module):
    def __init__(self, pixels):
        self.encoder = nn.Sequential([nn.Linear(pixels, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * LATENT)])
        self.decoder = nn.Sequential([nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, pixels)])

    def forward(self, x, key):
        """The negative ELBO: nats of an image given its numbers, and of these against a standard normal, in the mean."""
        mean, log_variance = wf.chunk(self.encoder(x), 2, axis=-1)
        deviation = wf.exp(0.5 * log_variance)
        z = mean + deviation * wf.random.normal(key, mean.shape)
        of_image = nn.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum")
        of_numbers = 0.5 * wf.sum(mean * mean + deviation * deviation - 1.0 - log_variance)
        return (of_image + of_numbers) / x.shape[0]

    def painted(self, z):
        return wf.sigmoid(self.decoder(z))


def train(model, batches, test, key, epochs):
    optimizer = wf.optim.Adam(model.parameters(), lr=2e-3)
    step = wf.function(lambda x, key: optimizer.minimize(lambda: model(x, key)))
    for epoch in range(1, epochs + 1):
        for x in batches:
            step(x, key.fold_in(optimizer.steps))
        loss = model(test, key).item()
        if epoch % max(epochs // 5, 1) == 0:
            print(f"epoch {epoch:2}  ELBO of test images {-loss:.4f}")
    return loss


def draw(path, model, test, key):
    """Test images, the same painted from their numbers, and new ones."""
    side = round(test.shape[1] ** 0.5)
    again = model.painted(model.encoder(test[:16])[:, :LATENT])
    new = model.painted(wf.random.normal(key, (32, LATENT)))
    wf.train.draw_images(path, wf.reshape(wf.concat([test[:16], again, new]), (64, side, side)), columns=16)


def main(options):
    name, (ink, epochs, bound) = options.images, TASKS[options.images]
    if options.quick:
        name, (ink, epochs, bound) = "digits", (16.0, 4, 27.0)

    def prepared(image, label):
        return wf.flatten(image.astype(wf.float32) / ink, 1)

    images, unseen = (wf.data.load_dataset(name, split, options.data) for split in ("train", "test"))
    batches = images.shuffle(seed=1).batch(BATCH).map(prepared)
    test = next(iter(unseen.batch(len(unseen)).map(prepared)))

    key = wf.random.Key(2014)
    wf.seed(2014)
    model = VAE(test.shape[1])
    loss = train(model, batches, test, key, epochs)
    draw(options.out, model, test, key)
    print(f"the ELBO is {-loss:.4f} nats; test images, the same from {LATENT} numbers, and new ones: {options.out}")
    if not loss < bound:
        sys.exit(f"vae: an ELBO of {-loss:.4f} is not above {-bound}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 epochs of the digits, and a bound of -27, not -24.5")
    parser.add_argument("--images", choices=TASKS, default="digits", help="what is learnt (digits)")
    parser.add_argument("--data", metavar="FOLDER", help="where the files of the images are")
    parser.add_argument("--out", default="vae.png", help="the picture (vae.png)")
    main(parser.parse_args())
