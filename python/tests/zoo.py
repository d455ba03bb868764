"""The zoo: small models of every family, each written once for Weft and for PyTorch, with their data and optimizers.

A model takes a system, `WeftSystem` or `TorchSystem` (zoo_peers.py), which has the layers and the few functions in which the two
differ. Weights and data come from NumPy's generator, so both systems begin with the same numbers. Sizes are small, but where an
axis could be confused with another one they are equal, as in real networks: residual blocks have as many filters as channels.
"""

import numpy as np

import weft as wf
import zoo_examples

STEPS = 10


class WeftSystem:
    nn, Module, optim = wf.nn, wf.nn.Module, wf.optim
    sequential = staticmethod(lambda *layers: wf.nn.Sequential(list(layers)))
    concat = staticmethod(lambda tensors, axis: wf.concat(tensors, axis=axis))
    mean = staticmethod(lambda x, axes: wf.mean(x, axis=axes))
    relu, exp, positions = staticmethod(wf.relu), staticmethod(wf.exp), staticmethod(wf.arange)
    stop_gradient = staticmethod(wf.stop_gradient)
    cross_entropy = staticmethod(wf.nn.cross_entropy)
    mse = staticmethod(wf.nn.mse_loss)
    binary = staticmethod(wf.nn.binary_cross_entropy_with_logits)
    output = staticmethod(lambda output, target: output)  # of models that give their loss

    @staticmethod
    def example(name):
        return zoo_examples.MODELS[name]()


def starting_values(shapes):
    """{name: array} for {name: shape} of parameters, in the order of the names."""
    rng = np.random.default_rng(22)
    out = {}
    for name, shape in sorted(shapes.items()):
        value = rng.standard_normal(shape)
        if len(shape) > 1:
            value *= (2 / np.prod(shape[1:])) ** 0.5
        else:  # the weight of a norm is near 1, offsets are near 0
            value = value * 0.1 + (1.0 if name.endswith("weight") else 0.0)
        out[name] = value.astype(np.float32)
    return out


def images(channels, side, batch, classes=None):
    rng = np.random.default_rng(7)
    for _ in range(STEPS):
        x = rng.standard_normal((batch, channels, side, side)).astype(np.float32)
        yield x, rng.integers(0, classes, batch) if classes else (rng.random((batch, 1, side, side)) < 0.5).astype(np.float32)


def texts(letters, length, batch):
    rng = np.random.default_rng(8)
    for _ in range(STEPS):
        text = rng.integers(0, letters, (batch, length + 1))
        yield text[:, :-1], text[:, 1:]


def points(inputs, outputs, batch):
    rng = np.random.default_rng(9)
    for _ in range(STEPS):
        x = rng.standard_normal((batch, inputs)).astype(np.float32)
        yield x, np.sin(x @ rng.standard_normal((inputs, outputs))).astype(np.float32)


def classified_points(inputs, classes, batch):
    rng = np.random.default_rng(11)
    for _ in range(STEPS):
        yield rng.standard_normal((batch, inputs)).astype(np.float32), rng.integers(0, classes, batch)


def pendulums(looks, batch):
    rng = np.random.default_rng(12)
    for _ in range(STEPS):
        yield tuple(rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((batch, 2), (batch, looks, 2)))


def games(length, batch):
    """Of each game the start, four numbers, and the chance of each step; there is no target."""
    rng = np.random.default_rng(13)
    for _ in range(STEPS):
        start, chances = rng.uniform(-0.05, 0.05, (batch, 4)), rng.random((batch, length))
        yield np.concatenate([start, chances], axis=1).astype(np.float32), np.zeros(batch, np.float32)


def columns(letters, length, batch):
    """Texts as columns: [length, batch]."""
    for x, y in texts(letters, length, batch):
        yield x.T.copy(), y.T.copy()


def lines(letters, length):
    for x, y in texts(letters, length, 1):
        yield x[0], y[0]


def sorted_lists(length, batch):
    for x, _ in texts(10, length, batch):
        yield x, np.sort(x, axis=-1)


def resnet(s):
    """A stem, two residual blocks with as many filters as channels, one that halves the image, and a mean over it."""
    nn = s.nn

    class Block(s.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(outputs)
            self.short = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False) if stride > 1 else nn.Identity()

        def forward(self, x):
            y = self.norm2(self.conv2(s.relu(self.norm1(self.conv1(x)))))
            return s.relu(y + self.short(x))

    class ResNet(s.Module):
        def __init__(self):
            super().__init__()
            self.stem = s.sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
            self.blocks = s.sequential(Block(8, 8, 1), Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1))
            self.out = nn.Linear(16, 5)

        def forward(self, x):
            return self.out(s.mean(self.blocks(self.stem(x)), (2, 3)))

    return ResNet()


def vgg(s):
    nn = s.nn
    return s.sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5))


def unet(s):
    """Down and up again, by transposed convolutions; what was seen on the way down is joined on the way up."""
    nn = s.nn

    def twice(inputs, outputs):
        return s.sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU())

    class UNet(s.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2, self.bottom = twice(1, 8), twice(8, 16), twice(16, 16)
            self.pool = nn.MaxPool2d(2)
            self.up2, self.join2 = nn.ConvTranspose2d(16, 16, 2, stride=2), twice(32, 16)
            self.up1, self.join1 = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1), twice(16, 8)
            self.out = nn.Conv2d(8, 1, 1)

        def forward(self, x):
            first = self.down1(x)
            second = self.down2(self.pool(first))
            x = self.bottom(self.pool(second))
            x = self.join2(s.concat([self.up2(x), second], 1))
            return self.out(self.join1(s.concat([self.up1(x), first], 1)))

    return UNet()


def conv1d(s):
    """Convolutions over time, with as many filters as channels, and a group for each channel."""
    nn = s.nn

    class Net(s.Module):
        def __init__(self):
            super().__init__()
            self.letter = nn.Embedding(12, 8)
            self.convs = s.sequential(nn.Conv1d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv1d(8, 8, 3, padding=1, groups=8), nn.ReLU(),
                                      nn.ConvTranspose1d(8, 8, 3, padding=1), nn.BatchNorm1d(8))
            self.out = nn.Linear(8, 12)

        def forward(self, letters):
            return self.out(self.convs(self.letter(letters).swapaxes(1, 2)).swapaxes(1, 2))

    return Net()


def lstm(s):
    nn = s.nn

    class CharRNN(s.Module):
        def __init__(self):
            super().__init__()
            self.letter = nn.Embedding(12, 16)
            self.lstm = nn.LSTM(16, 16, num_layers=2, batch_first=True)
            self.out = nn.Linear(16, 12)

        def forward(self, letters):
            return self.out(self.lstm(self.letter(letters))[0])

    return CharRNN()


def gru(s):
    nn = s.nn

    class CharRNN(s.Module):
        def __init__(self):
            super().__init__()
            self.letter = nn.Embedding(12, 8)
            self.gru = nn.GRU(8, 8, bidirectional=True, batch_first=True)
            self.rnn = nn.RNN(16, 16, batch_first=True)
            self.out = nn.Linear(16, 12)

        def forward(self, letters):
            return self.out(self.rnn(self.gru(self.letter(letters))[0])[0])

    return CharRNN()


def transformer(s):
    """Text of eight letters, eight rows, two heads of eight: all of them could be confused."""
    nn = s.nn

    class Encoder(s.Module):
        def __init__(self):
            super().__init__()
            self.letter, self.place = nn.Embedding(16, 16), nn.Embedding(8, 16)
            layer = nn.TransformerEncoderLayer(16, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            self.stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16))
            self.out = nn.Linear(16, 16, bias=False)

        def forward(self, letters):
            return self.out(self.stack(self.letter(letters) + self.place(s.positions(letters.shape[-1]))))

    return Encoder()


def mlp(s):
    """Square layers, as many rows as features, and norms between them."""
    nn = s.nn
    return s.sequential(nn.Linear(16, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16), nn.BatchNorm1d(16), nn.Tanh(),
                        nn.Linear(16, 16), nn.GroupNorm(4, 16), nn.SiLU(), nn.Linear(16, 4))


def autoencoder(s):
    """Strided convolutions down, transposed ones up, in groups; instance norms."""
    nn = s.nn
    return s.sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.InstanceNorm2d(8, affine=True), nn.LeakyReLU(0.1),
        nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=2), nn.LeakyReLU(0.1), nn.AvgPool2d(1),
        nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1, groups=2), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1))


# A model, its batches, its loss, and its optimizer by PyTorch's name and keywords.
MODELS = {
    "resnet": (resnet, lambda: images(3, 8, 8, classes=5), "cross_entropy", "SGD", {"lr": 0.05, "momentum": 0.9, "weight_decay": 1e-4}),
    "vgg": (vgg, lambda: images(3, 16, 4, classes=5), "cross_entropy", "Adam", {"lr": 2e-3}),
    "unet": (unet, lambda: images(1, 16, 4), "binary", "RMSprop", {"lr": 1e-3, "momentum": 0.5}),
    "conv1d": (conv1d, lambda: texts(12, 8, 8), "cross_entropy", "Adam", {"lr": 1e-2}),
    "lstm": (lstm, lambda: texts(12, 16, 16), "cross_entropy", "Adam", {"lr": 1e-2}),
    "gru": (gru, lambda: texts(12, 8, 8), "cross_entropy", "SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    "transformer": (transformer, lambda: texts(16, 8, 8), "cross_entropy", "AdamW", {"lr": 3e-3, "weight_decay": 0.1}),
    "mlp": (mlp, lambda: points(16, 4, 16), "mse", "Adagrad", {"lr": 0.02}),
    "autoencoder": (autoencoder, lambda: images(1, 16, 8), "binary", "NAdam", {"lr": 2e-3}),
    **{f"examples {name}": (lambda s, name=name: s.example(name), *rest) for name, rest in {
        "regression": (lambda: points(3, 1, 16), "mse", "SGD", {"lr": 0.05, "momentum": 0.9}),
        "quickstart": (lambda: images(1, 8, 8, classes=10), "cross_entropy", "AdamW", {"lr": 1e-2}),
        "digits": (lambda: images(1, 8, 8, classes=10), "cross_entropy", "AdamW", {"lr": 2e-3, "weight_decay": 0.1}),
        "cnn": (lambda: images(1, 8, 8, classes=10), "cross_entropy", "Adam", {"lr": 5e-3}),
        "char_rnn": (lambda: columns(12, 8, 8), "cross_entropy", "Adam", {"lr": 4e-3}),
        "char_gpt": (lambda: texts(12, 8, 8), "cross_entropy", "AdamW", {"lr": 3e-3, "betas": (0.9, 0.99), "weight_decay": 0.1}),
        "neural_ode": (lambda: pendulums(5, 8), "mse", "Adam", {"lr": 0.02}),
        "reinforce": (lambda: games(40, 8), "output", "Adam", {"lr": 0.01}),
        "spirals": (lambda: classified_points(2, 2, 32), "cross_entropy", "SGD", {"lr": 0.02}),
        "lenet": (lambda: images(1, 20, 4, classes=10), "cross_entropy", "SGD", {"lr": 1e-4}),
        "poem": (lambda: lines(28, 12), "cross_entropy", "SGD", {"lr": 1.0}),
        "sorting": (lambda: sorted_lists(8, 8), "cross_entropy", "SGD", {"lr": 0.1}),
    }.items()},
}


# The game of two networks: both updates are one step.

def forger(s):
    nn = s.nn
    return s.sequential(nn.Linear(16, 64), nn.Unflatten(1, (16, 2, 2)), nn.BatchNorm2d(16), nn.ReLU(),
                        nn.ConvTranspose2d(16, 16, 4, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
                        nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1), nn.Sigmoid())


def judge(s):
    nn = s.nn
    return s.sequential(nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(16, 16, 4, stride=2, padding=1),
                        nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))


GAN_ADAM = {"lr": 1e-3, "betas": (0.5, 0.999)}


def gan_batches():
    rng = np.random.default_rng(10)
    for _ in range(STEPS):
        yield rng.random((16, 1, 8, 8)).astype(np.float32), rng.standard_normal((16, 16)).astype(np.float32)


def gan_losses(s, forge, judged, genuine, z):
    """The judge's loss and the forger's, as functions: each is computed after the update of the other."""
    def mistaken(images, truth):
        said = judged(images)
        return s.binary(said, said * 0.0 + truth)

    def of_judge():
        forged = s.stop_gradient(forge(z))
        return mistaken(genuine, 0.9) + mistaken(forged, 0.0)

    return of_judge, lambda: mistaken(forge(z), 1.0)
