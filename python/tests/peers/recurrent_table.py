"""Recurrent cells and sequences: ours and PyTorch's."""

import numpy
import torch
import weft as wf
from draws import draws
from vocabulary import Input, call, entry, ints, normal

ROUNDING = dict(looser=10, why="products summed over time")
SIZE, FEATURES = 4, 3
GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}


def weights(kind, layers=1, directions=1, biases=True):
    """w_ih, w_hh and their biases, for each layer and direction, as both libraries order them."""
    rows, out = GATES[kind] * SIZE, []
    for layer in range(layers):
        fed = FEATURES if layer == 0 else SIZE * directions
        for _ in range(directions):
            out += [normal(rows, fed),
                normal(rows, SIZE)] + ([normal(rows), normal(rows)] if biases else [])
    return out


def whole(kind, x, states, parameters, layers, both, first, biases, dropout=0.0, train=False):
    run = getattr(torch, kind)
    state = tuple(states) if kind == "lstm" else states[0]
    return run(x, state, parameters, biases, layers, dropout, train, both, first)


def torch_sequence(kind):
    def run(x, *rest, num_layers=1, bidirectional=False, batch_first=False, has_biases=True,
        lengths=None, key=None, dropout=0.0):
        *states, parameters = rest
        options = (parameters, num_layers, bidirectional, batch_first, has_biases, dropout,
            key is not None)
        if lengths is None:
            return whole(kind, x, states, *options)
        batch, time = (0, 1) if batch_first else (1, 0)
        outputs, finals = [], []
        for i, length in enumerate(lengths):  # each example alone, as long as it is
            own = x.narrow(batch, i, 1).narrow(time, 0, length)
            out, *last = whole(kind, own, [s.narrow(1, i, 1) for s in states], *options)
            missing = list(out.shape)
            missing[time] = x.shape[time] - length
            outputs.append(torch.cat([out, out.new_zeros(missing)], time))
            finals.append(last)
        return torch.cat(outputs, batch), *(torch.cat(each, 1) for each in zip(*finals))

    return run


def sequence(kind):
    def states(layers=1, directions=1, batch=2):
        return [normal(layers * directions, batch, SIZE) for _ in range(2 if kind == "lstm" else 1)]

    x, batch_first = normal(5, 2, FEATURES), normal(2, 5, FEATURES)
    key = ints([7, 9], "uint32")  # what is drawn cannot be compared, but what is certain can
    calls = [
        call(x, *states(), weights(kind)), call(x, *states(2), weights(kind, 2), num_layers=2),
        call(x, *states(1, 2), weights(kind, 1, 2), bidirectional=True),
        call(batch_first, *states(2, 2), weights(kind, 2, 2), num_layers=2, bidirectional=True,
            batch_first=True),
        call(x, *states(), weights(kind, biases=False), has_biases=False),
            call(x, *states(), weights(kind), lengths=(5, 3)),
        call(batch_first, *states(2, 2), weights(kind, 2, 2), num_layers=2, bidirectional=True,
            batch_first=True, lengths=(2, 4)),
        call(x, *states(2), weights(kind, 2), num_layers=2, key=key, dropout=0.0),
        call(x, *states(3), weights(kind, 3), num_layers=3, key=key, dropout=1.0),
        call(x, *states(), weights(kind), key=key, dropout=0.5),  # there is no layer behind
        call(x, *states(), weights(kind), dropout=0.5),
    ]
    wrong = [call(x, *states(), weights(kind)[:3]), call(x, *states(batch=3), weights(kind)),
             call(normal(5, 2, FEATURES + 1), *states(), weights(kind))]
    return entry(f"nn.{kind}", torch_sequence(kind), None, *calls, wrong=wrong, **ROUNDING)


def dropped(kind):
    """What is drawn between layers: the rows of the batch are alike but for it."""
    count = 2 if kind == "lstm" else 1  # states

    def alike(*shape):
        return Input(lambda g: numpy.ones(shape) * g.standard_normal((shape[0], 1, shape[2])))

    def theirs(key, x, *rest, num_layers, dropout):
        x, *rest = map(torch.tensor, (x, *rest))
        return whole(kind, x, rest[:count], rest[count:], num_layers, False, False, False, dropout,
            train=True)[0]

    def ours(key, x, *rest, **options):
        run = getattr(wf.nn, kind)
        return run(x, *rest[:count], list(rest[count:]), key=key, has_biases=False, **options)

    calls = [call(alike(2, 4000, FEATURES), *(alike(2, 4000, SIZE) for _ in range(count)),
                  *weights(kind, 2, biases=False), num_layers=2, dropout=p) for p in (0.3, 0.6)]
    return draws(f"nn.{kind}", theirs, *calls, ours=ours, by_torch=True, covers=("key", "dropout"),
        view=lambda out: out[-1, :, 0], apart=1e-4)


def cell(kind):
    one = weights(kind)
    calls = [call(normal(2, FEATURES), normal(2, SIZE), *one),
        call(normal(2, FEATURES), normal(2, SIZE), *one[:2])]
    wrong = [call(normal(2, FEATURES), normal(2, SIZE + 1), *one),
        call(normal(3, FEATURES), normal(2, SIZE), *one)]
    return entry(f"nn.{kind}_cell", getattr(torch, f"{kind}_cell"), None, *calls, wrong=wrong,
        **ROUNDING)


def lstm_cell(x, h, c, w_ih, w_hh, bias=None):
    return torch.lstm_cell(x, (h, c), w_ih, w_hh, bias,
        None if bias is None else torch.zeros_like(bias))


STATE = (normal(2, SIZE), normal(2, SIZE))
ENTRIES = [
    *(sequence(kind) for kind in GATES), *(dropped(kind) for kind in GATES),
    *(cell(kind) for kind in GATES if kind != "lstm"),
    entry("nn.lstm_cell", lstm_cell, None, call(normal(2, FEATURES), *STATE, *weights("lstm")[:3]),
          call(normal(2, FEATURES), *STATE, *weights("lstm")[:2]),
          wrong=[call(normal(3, FEATURES), *STATE, *weights("lstm")[:2])], **ROUNDING),
]
