"""The twins in PyTorch of the models of zoo_examples.py: parameters have the same names and shapes."""

import torch
from torch import nn
from torch.nn import functional


class CharRNN(nn.Module):
    def __init__(self, letters, width):
        super().__init__()
        self.inner = nn.ModuleDict({"embedding": nn.Embedding(letters, 64), "lstm": nn.LSTM(64, width), "out": nn.Linear(width, letters)})

    def forward(self, letters):
        return self.inner["out"](self.inner["lstm"](self.inner["embedding"](letters))[0])


class CharGPT(nn.Module):
    def __init__(self, letters, context, width, heads, depth):
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.stack = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width), enable_nested_tensor=False)
        self.out = nn.Linear(width, letters, bias=False)

    def forward(self, letters):
        length = letters.shape[-1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, dtype=torch.float64)
        return self.out(self.stack(self.letter(letters) + self.place(torch.arange(length)), mask=mask, is_causal=True))


class Paths(nn.Module):
    def __init__(self, looks):
        super().__init__()
        self.field = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
        self.looks = looks

    def forward(self, state):
        out, seconds = [], 0.2
        for _ in range(self.looks):
            k1 = self.field(state)
            k2 = self.field(state + k1 * (seconds / 2))
            k3 = self.field(state + k2 * (seconds / 2))
            k4 = self.field(state + k3 * seconds)
            state = state + (k1 + 2.0 * (k2 + k3) + k4) * (seconds / 6)
            out.append(state)
        return torch.stack(out, 1)


class Games(nn.Module):
    """Played for all rows at once, a step after the other."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, rows):
        with torch.no_grad():
            states, is_right, is_up = self.played(rows[:, :4], rows[:, 4:])
            gain = gains(is_up)
        logits = self.policy(states)[..., 0]
        losses = functional.binary_cross_entropy_with_logits(logits, is_right, reduction="none")
        return (gain * losses).sum() / len(rows)

    def played(self, state, chances):
        is_up, out = torch.ones(len(state), dtype=bool), []
        for chance in chances.T:
            is_right = chance < torch.sigmoid(self.policy(state)[:, 0])
            out.append((state, is_right.double(), is_up.double()))
            state = pushed(state, is_right)
            is_up = is_up & (state[:, 2].abs() < 0.2095) & (state[:, 0].abs() < 2.4)
        return [torch.stack(parts, 1) for parts in zip(*out)]


def pushed(state, is_right):
    """0.02 s later: the cart of 1 kg with its pole of 0.1 kg and 1 m."""
    _, speed, angle, turn = state.T
    force = torch.where(is_right, 10.0, -10.0).double()
    sine, cosine = torch.sin(angle), torch.cos(angle)
    pull = (force + 0.05 * turn ** 2 * sine) / 1.1
    bend = (9.8 * sine - cosine * pull) / (2 / 3 - cosine ** 2 * (0.05 / 1.1))
    return state + 0.02 * torch.stack([speed, pull - bend * cosine * (0.05 / 1.1), turn, bend], 1)


def gains(is_up):
    worth, ahead = torch.zeros_like(is_up), torch.zeros(len(is_up), dtype=torch.float64)
    for step in reversed(range(is_up.shape[1])):
        worth[:, step] = ahead = 0.99 * ahead + is_up[:, step]
    usual = worth.sum(0) / is_up.sum(0).clamp(min=1.0)
    return is_up * (worth - usual) / worth.std(correction=0)


class OfWeights(nn.Module):
    def __init__(self, shapes, function):
        super().__init__()
        self.weights = nn.ParameterList([torch.zeros(shape) for shape in shapes])
        self.function = function

    def forward(self, x):
        return self.function(list(self.weights), x)


def spirals(weights, x):
    w0, b0, w1, b1, w2, b2 = weights
    return torch.tanh(torch.tanh(x @ w0 + b0) @ w1 + b1) @ w2 + b2


def lenet(weights, x):
    c1, d1, c2, d2, w1, b1, w2, b2, w3, b3 = weights
    x = functional.max_pool2d(torch.relu(functional.conv2d(x, c1, d1, padding=2)), 2)
    x = functional.max_pool2d(torch.relu(functional.conv2d(x, c2, d2)), 2)
    x = torch.relu(x.reshape(-1, 144) @ w1 + b1)
    return torch.relu(x @ w2 + b2) @ w3 + b3


def poem(weights, letters):
    embedding, w_input, w_hidden, bias, output = weights
    hidden = cell = torch.zeros(1, 48, dtype=torch.float64)
    out = []
    for letter in letters:
        gates = embedding[letter][None] @ w_input.T + hidden @ w_hidden.T + bias
        i, f, g, o = gates.chunk(4, -1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        out.append((hidden @ output)[0])
    return torch.stack(out)


def sorting(weights, digits):
    width, heads = 32, 4
    x = functional.embedding(digits, weights[0]) + weights[1][:digits.shape[1]]
    for i in range(2):
        scale1, shift1, qkv, attended, scale2, shift2, wide, narrow = weights[2 + 8 * i:10 + 8 * i]
        parts = (functional.layer_norm(x, (width,), scale1, shift1) @ qkv).split(width, -1)
        q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in parts)
        x = x + functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2) @ attended
        x = x + functional.gelu(functional.layer_norm(x, (width,), scale2, shift2) @ wide) @ narrow
    return x @ weights[-1]


def block(inputs, outputs):
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]


def quickstart():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.MaxPool2d(2), nn.BatchNorm2d(16), nn.ReLU(),
                         nn.Conv2d(16, 32, 3, padding=1), nn.MaxPool2d(2), nn.BatchNorm2d(32), nn.ReLU(),
                         nn.Flatten(), nn.Linear(128, 10))


SORTING = [(10, 32), (8, 32), *[(32,), (32,), (32, 96), (32, 32), (32,), (32,), (32, 128), (128, 32)] * 2, (32, 10)]

MODELS = {
    "regression": lambda: nn.Linear(3, 1),
    "quickstart": quickstart,
    "digits": lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 256), nn.ReLU(), nn.Identity(), nn.Linear(256, 128), nn.ReLU(),
                                    nn.Identity(), nn.Linear(128, 10)),
    "cnn": lambda: nn.Sequential(*block(1, 16), *block(16, 32), nn.Flatten(), nn.Identity(), nn.Linear(128, 10)),
    "char_rnn": lambda: CharRNN(12, 16),
    "char_gpt": lambda: CharGPT(12, 8, 16, 4, 2),
    "neural_ode": lambda: Paths(5),
    "reinforce": lambda: Games(),
    "spirals": lambda: OfWeights([(2, 64), (64,), (64, 64), (64,), (64, 2), (2,)], spirals),
    "lenet": lambda: OfWeights([(6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (144, 120), (120,), (120, 84), (84,), (84, 10), (10,)], lenet),
    "poem": lambda: OfWeights([(28, 48), (192, 48), (192, 48), (192,), (48, 28)], poem),
    "sorting": lambda: OfWeights(SORTING, sorting),
}
