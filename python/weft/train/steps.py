"""Steps of training as traced functions, and what a step needs of its model and its optimizer."""

import warnings

from .. import _core
from .._function import function


class Step:
    """A traced step. A number that is another one in each epoch makes a trace each time: at too many of them it says so once,
    forgets them, and goes on, since to train with an old number would be worse than to trace again."""

    __slots__ = ("_f", "_name", "_told", "_traced")  # no dict that decorators would copy, traces and all

    def __init__(self, f, name):
        self._f, self._name, self._told = f, name, False
        self._traced = _traced(f)

    def __call__(self, *args):
        try:
            return self._traced(*args)
        except _core.InvalidError as error:
            if getattr(error, "law", None) != f"{self._f.__name__}.max_traces":
                raise
            if not self._told:
                self._told = True
                warnings.warn(f"{self._name}: {_reason(error)}; a step is traced whenever it has changed, which takes time: keep in a "
                              f"wf.Variable what changes often [{self._name}.traces]", RuntimeWarning, stacklevel=2)
        self._traced = _traced(self._f)
        return self._traced(*args)


def _traced(f):
    return function(f, max_traces=64)  # given, so that only the warning of the step itself is shown


def _reason(error):
    """What has changed, of an error of too many traces."""
    _, _, why = str(error).partition(" and now because ")
    return why.partition(";")[0] or "there are too many kinds of batches"


def changed_parameters(model, optimizer, known):
    """The error of a step whose optimizer has other parameters than the model; None if they are the same. `known` are those that the
    model had when it was compiled."""
    named = [(name, v) for name, v in model.named_parameters() if v.trainable]
    held = {id(v) for v in optimizer.parameters}
    missing = next(((name, v) for name, v in named if id(v) not in held), None)
    if missing is not None and any(missing[1] is v for v in known):
        return _core.InvalidError(f"fit: the optimizer was given a part of the parameters, without '{missing[0]}'; freeze the rest, as by "
                                  "layer.freeze(), or give it all of them [fit.optimizer]")
    if missing is not None:
        return _core.InvalidError(f"fit: the model has a parameter '{missing[0]}' that it did not have when it was compiled, and that the "
                                  "optimizer does not know; call compile again [fit.optimizer]")
    own = {id(v) for v in model.parameters()}
    gone = next((v for v in optimizer.parameters if id(v) not in own), None)
    if gone is None:
        return None
    name = f"'{gone.name}', " if gone.name else ""
    return _core.InvalidError(f"fit: the optimizer has a parameter, {name}{gone.dtype}{list(gone.shape)}, that the model does not have; "
                              "if the model was changed, call compile again [fit.optimizer]")
