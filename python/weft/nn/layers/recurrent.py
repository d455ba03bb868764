"""Recurrent networks, and their cells. Weights and biases begin as in PyTorch, uniform in 1 / sqrt(hidden_size) around 0."""

from ... import _core, _hints, _ops
from .. import init
from ..module import Layer

_zeros = _ops.op("", "zeros")


def _need_pair(layer, state):
    who = type(layer).__name__
    given = f"{len(state)} values" if isinstance(state, (tuple, list)) else type(state).__name__
    return _core.WrongTypeError(f"{who}: state must be a pair, of hidden state and cell, but got {given} [{who}.state]")


class _Recurrent(Layer):
    """What RNN, GRU and LSTM share: layers and directions, each with weight_ih, weight_hh, bias_ih and bias_hh."""

    gates = 1

    def __init__(self, input_size=None, hidden_size=None, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, *, dtype=None, weight_init=None, bias_init=None, key=None, **unknown):
        who = type(self).__name__
        _hints.need_words(who, unknown, {}, {"proj_size": "put a wf.nn.Linear behind it, which projects what it gives, though not "
                                                          "what it remembers"})
        if hidden_size is None:
            raise _core.WrongTypeError(f"{who}: hidden_size is missing; {who}(None, n) takes the size of the input from the "
                                       f"first call [{who}.count]")
        _hints.need_integer(hidden_size, who, "hidden_size")
        _hints.need_integer(num_layers, who, "num_layers")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.batch_first = _hints.as_flag(bias, who, "bias"), _hints.as_flag(batch_first, who, "batch_first")
        self.dropout, self.bidirectional = dropout, _hints.as_flag(bidirectional, who, "bidirectional")
        self._init = weight_init, bias_init
        self._names = []
        self._begin(input_size, key, dtype)

    def _parameters(self, size):
        self.input_size = size
        usual, who, rows = init.fan_in_uniform(self.hidden_size), type(self).__name__, self.gates * self.hidden_size
        weight_init, bias_init = (init.chosen(one, usual, who) for one in self._init)
        out = {}
        directions = ("", "_reverse") if self.bidirectional else ("",)
        for layer in range(self.num_layers):
            columns = size if layer == 0 else self.hidden_size * len(directions)
            for direction in directions:
                end = f"_l{layer}{direction}"
                out |= {f"weight_ih{end}": ((rows, columns), weight_init), f"weight_hh{end}": ((rows, self.hidden_size), weight_init)}
                if self.has_bias:
                    out |= {f"bias_ih{end}": ((rows,), bias_init), f"bias_hh{end}": ((rows,), bias_init)}
        self._names = list(out)
        return out

    def _size_of(self, state):
        return state["weight_ih_l0"].shape[1] if "weight_ih_l0" in state else None

    def _states(self, x, state, count):
        """First states: those given, or zeros."""
        if state is not None:
            if count > 1 and (not isinstance(state, (tuple, list)) or len(state) != count):
                raise _need_pair(self, state)
            return self._lowered(*(state if count > 1 else [state]))
        batch = x.shape[0 if self.batch_first else 1]
        shape = (self.num_layers * (2 if self.bidirectional else 1), batch, self.hidden_size)
        return [_zeros(shape, dtype=x.dtype) for _ in range(count)]

    def _run(self, function, x, state, count, lengths):
        from ... import random  # late: drawn from only where dropout is

        if self._is_pending():
            self._complete(x.shape[-1])
        weights = self._lowered(*[getattr(self, name) for name in self._names])
        x = self._lowered(x)[0]
        drops = self.dropout if self.training and self.num_layers > 1 else 0.0
        return function(x, *self._states(x, state, count), list(weights), random.next_key() if drops else None,
                        num_layers=self.num_layers, bidirectional=self.bidirectional, batch_first=self.batch_first,
                        has_biases=self.has_bias, lengths=lengths, dropout=drops)

    def extra_repr(self):
        words = [("num_layers", self.num_layers, 1), ("bias", self.has_bias, True), ("batch_first", self.batch_first, False),
                 ("dropout", self.dropout, 0.0), ("bidirectional", self.bidirectional, False)]
        rest = [f"{name}={value}" for name, value, usual in words if value != usual]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *rest])


class RNN(_Recurrent):
    """`h[t] = tanh(x[t] weight_ih^T + bias_ih + h[t - 1] weight_hh^T + bias_hh)`; `nonlinearity="relu"` takes that.

    Gives all states, [time, batch, features], and the last one of each layer and direction.
    """

    def __init__(self, input_size=None, hidden_size=None, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, **keywords):
        _hints.need_choice(nonlinearity, "RNN", "nonlinearity", "tanh", "relu")
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, **keywords)

    def forward(self, x, state=None, lengths=None):
        return tuple(self._run(_ops.op("nn", f"rnn_{self.nonlinearity}"), x, state, 1, lengths))


class GRU(_Recurrent):
    """Gated recurrent units; gives all states and the last ones, as RNN does."""

    gates = 3

    def forward(self, x, state=None, lengths=None):
        return tuple(self._run(_ops.op("nn", "gru"), x, state, 1, lengths))


class LSTM(_Recurrent):
    """Long short-term memory: gives all states, and the pair of last states and last cells.

    >>> out, (h, c) = wf.nn.LSTM(4, 8, batch_first=True)(wf.ones((2, 5, 4)))
    >>> out.shape, h.shape, c.shape
    ((2, 5, 8), (1, 2, 8), (1, 2, 8))
    """

    gates = 4

    def forward(self, x, state=None, lengths=None):
        out, h, c = self._run(_ops.op("nn", "lstm"), x, state, 2, lengths)
        return out, (h, c)


class _Cell(Layer):
    """One step of a recurrent network."""

    gates = 1

    def __init__(self, input_size=None, hidden_size=None, bias=True, *, dtype=None, weight_init=None, bias_init=None, key=None):
        who = type(self).__name__
        if hidden_size is None:
            raise _core.WrongTypeError(f"{who}: hidden_size is missing; {who}(None, n) takes the size of the input from the "
                                       f"first call [{who}.count]")
        _hints.need_integer(hidden_size, who, "hidden_size")
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, _hints.as_flag(bias, who, "bias")
        self._init = weight_init, bias_init
        self.weight_ih = self.weight_hh = self.bias_ih = self.bias_hh = None
        self._begin(input_size, key, dtype)

    def _parameters(self, size):
        self.input_size = size
        usual, who, rows = init.fan_in_uniform(self.hidden_size), type(self).__name__, self.gates * self.hidden_size
        weight_init, bias_init = (init.chosen(one, usual, who) for one in self._init)
        bias = (rows,) if self.has_bias else None
        return {"weight_ih": ((rows, size), weight_init), "weight_hh": ((rows, self.hidden_size), weight_init),
                "bias_ih": (bias, bias_init), "bias_hh": (bias, bias_init)}

    def _size_of(self, state):
        return state["weight_ih"].shape[1] if "weight_ih" in state else None

    def _ready(self, x):
        """The input and the parameters, made if need be."""
        if self._is_pending():
            self._complete(x.shape[-1])
        return self._lowered(x, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)

    def _from(self, x, state):
        """The state that the step begins with: the one given, or zeros."""
        return _zeros((*x.shape[:-1], self.hidden_size), dtype=x.dtype) if state is None else self._lowered(state)[0]

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.has_bias else ", bias=False")


class RNNCell(_Cell):
    """One step of RNN: the new state from an input [batch, features] and a state."""

    def __init__(self, input_size=None, hidden_size=None, bias=True, nonlinearity="tanh", **keywords):
        _hints.need_choice(nonlinearity, "RNNCell", "nonlinearity", "tanh", "relu")
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, bias, **keywords)

    def forward(self, x, state=None):
        x, *weights = self._ready(x)
        return _ops.op("nn", f"rnn_{self.nonlinearity}_cell")(x, self._from(x, state), *weights)


class GRUCell(_Cell):
    """One step of GRU: the new state from an input [batch, features] and a state."""

    gates = 3

    def forward(self, x, state=None):
        x, *weights = self._ready(x)
        return _ops.op("nn", "gru_cell")(x, self._from(x, state), *weights)


class LSTMCell(_Cell):
    """One step of LSTM: the new state and cell from an input [batch, features] and a pair of both."""

    gates = 4

    def forward(self, x, state=None):
        x, weight_ih, weight_hh, bias_ih, bias_hh = self._ready(x)
        if state is not None and (not isinstance(state, (tuple, list)) or len(state) != 2):
            raise _need_pair(self, state)
        h, c = (self._from(x, one) for one in state or (None, None))
        bias = None if bias_ih is None else bias_ih + bias_hh
        return tuple(_ops.op("nn", "lstm_cell")(x, h, c, weight_ih, weight_hh, bias))
