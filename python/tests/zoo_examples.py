"""Models of examples/, made small, as models of the zoo; zoo_example_peers.py has their twins in PyTorch."""

import importlib.util
import pathlib
import sys

import weft as wf
from weft import nn

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples"


def program(path):
    """The module of a program of examples/."""
    file = FOLDER / f"{path}.py"
    sys.path[:0] = [str(file.parent)]  # programs import their neighbours
    try:
        spec = importlib.util.spec_from_file_location(f"example_{path.replace('/', '_')}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(file.parent))


class OfWeights(nn.Module):
    """A program whose model is a function of a list of weights."""

    def __init__(self, module, function):
        self.weights = module.new_weights()
        self.function = function

    def forward(self, x):
        return self.function(self.weights, x)


class FirstOutput(nn.Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class Paths(nn.Module):
    """The paths along the field that a network learns: a scan of steps of Runge and Kutta, vmapped."""

    def __init__(self, module, looks):
        self.field = nn.Sequential([nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2)])
        self.module, self.looks = module, looks

    def forward(self, begun):
        return self.module.paths(self.field, begun, self.looks)


class Games(nn.Module):
    """Games of reinforce, whose rows have the start and the chances of one; the forward pass gives the loss."""

    def __init__(self, module):
        self.policy = nn.Sequential([nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1)])
        self.module = module

    def forward(self, rows):
        played = wf.vmap(lambda row: self.module.game(self.policy, row[:4], row[4:]))(rows)
        states, is_right, is_up = wf.stop_gradient(played)
        return self.module.surprise(self.policy, states, is_right, self.module.gains(is_up))


def poem_model(module):
    def expected(weights, letters):
        return wf.scan(lambda state, letter: module.read_letter(weights, state, letter), module.start(), letters)[1]

    return OfWeights(module, expected)


def without_dropout(model):
    for layer in model.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    return model


def sized(model, shape):
    """Layers know their sizes after the first call, which leaves no statistics of a batch."""
    model.eval()(wf.zeros(shape))
    return model.train()


MODELS = {
    "regression": lambda: nn.Linear(3, 1),
    "quickstart": lambda: sized(program("quickstart").network(), (2, 1, 8, 8)),
    "digits": lambda: without_dropout(program("train/mlp").network()),
    "cnn": lambda: without_dropout(program("train/cnn").network(8)),
    "char_rnn": lambda: FirstOutput(program("train/char_rnn").CharRNN(12, 16)),
    "char_gpt": lambda: program("train/char_gpt").CharGPT(12, 8, 16, 4, 2),
    "neural_ode": lambda: Paths(program("train/neural_ode"), 5),
    "reinforce": lambda: Games(program("train/reinforce")),
    "spirals": lambda: OfWeights(module := program("mlp"), module.logits),
    "lenet": lambda: OfWeights(module := program("lenet"), module.logits),
    "poem": lambda: poem_model(program("lstm")),
    "sorting": lambda: OfWeights(module := program("transformer"), module.logits),
}
