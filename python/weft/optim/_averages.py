"""Running averages of weights."""

import contextlib

from .. import _core, _hints
from .._graph import current_graph
from ._base import as_operation, listed


class EMA:
    """A running average of weights, which often predicts better than the weights themselves.

    >>> w = wf.Variable([1.0])
    >>> ema = wf.optim.EMA([w], decay=0.5)
    >>> w.assign([3.0])
    Variable([3.], dtype=float32)
    >>> ema.update()
    >>> with ema.applied():
    ...     print(w)
    Variable([2.], dtype=float32)
    >>> w
    Variable([3.], dtype=float32)
    """

    @_hints.spoken
    def __init__(self, parameters, decay=0.999):
        self._core = _core._EMA(listed(parameters, "EMA")[0], decay)

    def update(self):
        """average += (1 - decay) * (parameter - average), for all of them in one pass. In a graph: the operation that does it."""
        return as_operation(self._core.update)

    def swap(self):
        """The parameters take the averages' values, and the averages the parameters'. In a graph: the operation that does it."""
        return as_operation(self._core.swap)

    @contextlib.contextmanager
    def applied(self):
        """The parameters have the averages' values inside. Of a graph, run the operation that `swap()` gives."""
        if current_graph() is not None:
            raise _core.InvalidError("EMA: applied() swaps the values where it stands, but in a graph they are swapped when it runs; "
                                     "make the operation ema.swap(), and run it before and after [EMA.graph]")
        self.swap()
        try:
            yield self
        finally:
            self.swap()

    @property
    def decay(self):
        return self._core.decay

    @property
    def parameters(self):
        return self._core.parameters

    @property
    def averages(self):
        return self._core.averages

    def state_dict(self):
        """The averages by name."""
        return self._core.state_dict()

    def load_state_dict(self, state):
        """Takes what `state_dict` gave."""
        self._core.load_state_dict(dict(_hints.as_dict(state, "EMA", "state")))
