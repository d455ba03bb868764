"""TerminateOnNaN: ends a training whose numbers are not finite, and finds out which op and which records are the cause."""

from .. import _core, _graph, _observe, _ops, _tree
from .._tape import no_grad
from .callback import Callback
from .compiled import call
from .modes import mode_is

_isfinite, _isnan, _all, _any = (_ops.op("", name) for name in ("isfinite", "isnan", "all", "any"))
_MOST_SHOWN = 10


class TerminateOnNaN(Callback):
    """Ends a training when the loss or a gradient is not finite, before parameters are changed.

    The step is computed again, op by op. `run.history.stop_reason` names the first op whose result is not finite though its inputs are,
    with its line, and the numbers of the records that are the cause, with their files and lines, if the data tell. `op`, `line`,
    `records` and `origins` have them, too.
    """

    checks_gradients = True

    def __init__(self):
        self.op, self.line, self.records, self.origins = None, None, [], []
        self._before = None

    def on_batch_begin(self, batch):
        self._before = [(v, v.value()) for v in self.model.buffers()], _core._generator_state()

    def _go_back(self):
        """Buffers and draws as they were before the step."""
        if self._before is not None:
            for variable, value in self._before[0]:
                variable.assign(value)
            _core._set_generator_state(*self._before[1])

    def on_not_finite(self, run, x, y, weight, numbers):
        with _graph.eager():
            self._go_back()
            cause = self._cause(run.compiled, x, y, weight)
            places, count = self._places(run.compiled, x, y, weight), _count_of(x)
            self._go_back()
        word = "example" if numbers is None else "record"
        known = range(count) if numbers is None else numbers.tolist() if isinstance(numbers, _core.Tensor) else list(numbers)
        self.records = [int(known[k]) for k in (places or range(count))]
        origins = run.origins()
        self.origins = [origins[k] for k in (places or range(count)) if k < len(origins)]
        message = (f"the loss or a gradient is not finite in epoch {run.epoch + 1}, batch {run.batch + 1}: {cause}; "
                   f"{_records_text(self.records, self.origins, word, bool(places))}")
        run.stop(message)
        run.history.stop_reason = message

    def _cause(self, compiled, x, y, weight):
        for name, tree in (("x", x), ("y", y)):
            for leaf in _floats(tree):
                if not _is_finite(leaf):
                    return f"{name} has {_kind(leaf)}"
        for name, variable in self.model.named_parameters():
            if not _is_finite(variable.value()):
                return f"the parameter '{name}' has {_kind(variable.value())}"
        first, later = [], []

        def look(seen):
            outputs = [t for t in _floats(seen.outputs) if not _is_finite(t)]
            if first or not outputs or not seen.inputs:
                return
            if all(map(_is_finite, _floats(seen.inputs))):
                first.append((seen.op, seen.line, _kind(outputs[0]), "finite inputs"))
            elif not later and any(map(_has_nan, outputs)) and not any(map(_has_nan, _floats(seen.inputs))):
                later.append((seen.op, seen.line, "nan", "infinite inputs"))

        with _observe.observe(look):
            compiled._gradients(x, y, weight)
        for op, line, kind, inputs in first or later:
            self.op, self.line = op, line
            return f"{op} gave {kind} of {inputs}{f' at {line}' if line else ''}"
        return "no op gave such a number when the step was computed again"

    def _places(self, compiled, x, y, weight):
        """The places in the batch of the examples that are not finite themselves, or else whose own loss, or else whose own
        gradients, are not."""
        count = _count_of(x)
        found = [k for k in range(count) if not all(map(_is_finite, _floats(_rows((x, y), k, count))))]
        if found:
            return found
        found = self._by_loss(compiled, x, y, weight, by_itself=False)
        if len(found) == count > 1:  # one may have spoilt all of them, as by statistics of the batch
            self._go_back()
            try:
                with mode_is(self.model, False):
                    found = self._by_loss(compiled, x, y, weight, by_itself=True) or found
            except _core.Error:  # a model that needs several examples at once
                pass
        if found:
            return found
        for k in range(count):
            try:
                loss, gradients, _ = compiled._gradients(_rows(x, k, count), _rows(y, k, count), _rows(weight, k, count))
            except _core.Error:  # a model that needs several examples at once
                return []
            if not all(map(_is_finite, [loss, *gradients])):
                found.append(k)
        return found


    def _by_loss(self, compiled, x, y, weight, by_itself):
        """The examples whose own loss is not finite: of those that the whole batch has outputs for, or of each called by itself."""
        if compiled.loss is None:
            return []
        count, found = _count_of(x), []
        with no_grad():
            all_of_them = None if by_itself else compiled._loss(x, y, weight)[0]
            for k in range(count):
                target = _rows(y, k, count)
                out = call(compiled.model, _rows(x, k, count)) if by_itself else _rows(all_of_them, k, count)
                if not _is_finite(compiled.loss(out) if y is None else compiled.loss(out, target)):
                    found.append(k)
        return found


def _floats(tree):
    return [t for t in _tree.flatten(tree)[0] if isinstance(t, _core.Tensor) and "floating" in t.dtype.kind]


def _is_finite(t):
    return _all(_isfinite(t)).item()


def _has_nan(t):
    return _any(_isnan(t)).item()


def _kind(t):
    if _has_nan(t):
        return "nan"
    return "inf" if _any(t == float("inf")).item() else "-inf"


def _count_of(x):
    return next(t.shape[0] for t in _tree.flatten(x)[0] if isinstance(t, _core.Tensor) and t.shape)


def _rows(tree, k, count):
    """One example of a batch."""
    leaves, form = _tree.flatten(tree)
    return _tree.unflatten(form, [t[k:k + 1] if isinstance(t, _core.Tensor) and t.shape[:1] == (count,) else t for t in leaves])


def _records_text(records, origins, word, is_known):
    if not is_known:
        return f"any of the {len(records)} {word}s of the batch may be the cause"
    texts = [f"{record} ({origins[k]})" if k < len(origins) and origins[k] else str(record) for k, record in enumerate(records)]
    shown = ", ".join(texts[:_MOST_SHOWN])
    if len(records) == 1:
        return f"{word} {shown} is the cause"
    return f"{word}s {shown}{', ...' if len(records) > _MOST_SHOWN else ''} are the cause"
