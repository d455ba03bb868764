"""Schedules: the learning rate as a function of how often the schedule has moved.

The rate is a Variable and a schedule a few ops on the count, so `schedule.step()` may be part of a traced function, and nothing is
traced again when the rate changes.
"""

from .. import _core, _hints
from ._base import as_operation as _as_operation


def _need_optimizer(optimizer, who):
    if not isinstance(getattr(optimizer, "_core", None), _core._Optimizer):
        raise _core.WrongTypeError(f"{who}: the first argument is an optimizer, but got {type(optimizer).__name__} [{who}.optimizer]")


class Schedule:
    """Sets the rate of every group to its first one times `factor(t)`, t = 0 at first and one more with every `step()`.

    `factor` is a function of a float64 tensor that gives a number or a tensor; the other schedules are this one with formulas.

    >>> w = wf.Variable(1.0)
    >>> optimizer = wf.optim.SGD([w], lr=1.0)
    >>> schedule = wf.optim.schedules.Schedule(optimizer, lambda t: 1 / (1 + t))
    >>> schedule.step()
    >>> optimizer.lr
    0.5
    """

    @_hints.spoken
    def __init__(self, optimizer, factor):
        who = type(self).__name__
        _need_optimizer(optimizer, who)
        if not callable(factor):
            raise _core.WrongTypeError(f"{who}: factor must be a function of t, but got {type(factor).__name__} [{who}.factor]")
        self.factor = factor if isinstance(factor, _core._Factor) else _factor_of(factor)
        self._optimizer = optimizer
        self._core = _core._Schedule(optimizer._core, self.factor)

    def step(self):
        """Moves on by one. In a graph: the operation that does it."""
        return _as_operation(self._core.step)

    @property
    def count(self):
        """How often it has moved."""
        return self._core.count

    @property
    def rates(self):
        """The rates of the groups, now."""
        return self._core.rates

    def state_dict(self):
        """The count and the first rates, by name."""
        return self._core.state_dict()

    def load_state_dict(self, state):
        """Takes what `state_dict` gave."""
        self._core.load_state_dict(dict(_hints.as_dict(state, type(self).__name__, "state")))


class Constant(Schedule):
    """`factor` for the first `moves`, then 1."""

    @_hints.spoken
    def __init__(self, optimizer, factor=1 / 3, moves=5):
        super().__init__(optimizer, _core._schedule_constant(factor, moves))


class Step(Schedule):
    """Multiplied by gamma every `size` moves."""

    @_hints.spoken
    def __init__(self, optimizer, size, gamma=0.1):
        super().__init__(optimizer, _core._schedule_step(size, gamma))


class MultiStep(Schedule):
    """Multiplied by gamma at each milestone."""

    @_hints.spoken
    def __init__(self, optimizer, milestones, gamma=0.1):
        super().__init__(optimizer, _core._schedule_multi_step(_hints.as_list(milestones, "MultiStep", "milestones"), gamma))


class Exponential(Schedule):
    """Multiplied by gamma with every move."""

    @_hints.spoken
    def __init__(self, optimizer, gamma):
        super().__init__(optimizer, _core._schedule_exponential(gamma))


class Polynomial(Schedule):
    """From the first rate to 0 in `moves`, by a power of what is left."""

    @_hints.spoken
    def __init__(self, optimizer, moves, power=1.0):
        super().__init__(optimizer, _core._schedule_polynomial(moves, power))


class Linear(Schedule):
    """Warm-up: from `start` times the first rate to `end` times it in `moves`."""

    @_hints.spoken
    def __init__(self, optimizer, moves, start=1 / 3, end=1.0):
        super().__init__(optimizer, _core._schedule_linear(moves, start, end))


class Cosine(Schedule):
    """Half a cosine from the first rate to `lowest` times it in `moves`, and back."""

    @_hints.spoken
    def __init__(self, optimizer, moves, lowest=0.0):
        super().__init__(optimizer, _core._schedule_cosine(moves, lowest))


class CosineRestarts(Schedule):
    """The same, begun anew after `moves`, each cycle `growth` times as long as the one before."""

    @_hints.spoken
    def __init__(self, optimizer, moves, growth=1, lowest=0.0):
        super().__init__(optimizer, _core._schedule_cosine_restarts(moves, growth, lowest))


class OneCycle(Schedule):
    """Up from 1 / div of the optimizer's rate to that rate in a share `pct` of `moves`, then down to 1 / (div * final_div) of it."""

    @_hints.spoken
    def __init__(self, optimizer, moves, pct=0.3, div=25.0, final_div=1e4, shape="cosine"):
        _hints.need_choice(shape, "OneCycle", "shape", "cosine", "linear")
        super().__init__(optimizer, _core._schedule_one_cycle(moves, pct, div, final_div, shape == "linear"))


class _Function:
    """Holds the function of a factor. C++ has a weak reference to it."""

    __slots__ = ("f", "__weakref__")

    def __init__(self, f):
        self.f = f


def _factor_of(function):
    holder = _Function(function)
    return _holding(_core._schedule_of(holder), holder)


def _holding(factor, parts):
    """The factor, which keeps what it computes with alive: C++ does not."""
    factor.parts = parts
    return factor


def _factors(schedules, who):
    schedules = list(schedules)
    for i, one in enumerate(schedules):
        if not isinstance(one, Schedule):
            raise _core.WrongTypeError(f"{who}: schedule {i} is {type(one).__name__}; give schedules [{who}.schedules]")
    return [one.factor for one in schedules]


class Chained(Schedule):
    """The product of the factors of several schedules, which are moved by this one and not themselves."""

    @_hints.spoken
    def __init__(self, optimizer, schedules):
        _reset(schedules := _hints.as_list(schedules, "Chained", "schedules"))
        factors = _factors(schedules, "Chained")
        super().__init__(optimizer, _holding(_core._schedule_chained(factors), factors))


class Sequential(Schedule):
    """One schedule after the other; each counts from the milestone where it begins."""

    @_hints.spoken
    def __init__(self, optimizer, schedules, milestones):
        _reset(schedules := _hints.as_list(schedules, "Sequential", "schedules"))
        factors = _factors(schedules, "Sequential")
        milestones = _hints.as_list(milestones, "Sequential", "milestones")
        super().__init__(optimizer, _holding(_core._schedule_sequential(factors, milestones), factors))


def _reset(schedules):
    """Gives the optimizer the rates it had before these schedules, the last first."""
    for one in reversed(schedules):
        if isinstance(one, Schedule):
            one._core.release()


class Plateau:
    """Multiplies the rate by `factor` when a metric has made no progress for more than `patience` moves.

    >>> optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=1.0)
    >>> schedule = wf.optim.schedules.Plateau(optimizer, factor=0.5, patience=1)
    >>> for loss in [3.0, 3.0, 3.0]:
    ...     schedule.step(loss)
    >>> optimizer.lr
    0.5
    """

    @_hints.spoken
    def __init__(self, optimizer, factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", mode="min", cooldown=0, min_lr=0.0):
        _hints.need_choice(threshold_mode, "Plateau", "threshold_mode", "rel", "abs")
        _hints.need_choice(mode, "Plateau", "mode", "min", "max")
        _need_optimizer(optimizer, "Plateau")
        self._optimizer = optimizer
        self._core = _core._Plateau(optimizer._core, factor, patience, threshold, threshold_mode == "rel", mode == "max", cooldown,
                                    min_lr)

    def step(self, metric):
        """Moves on by one, with the metric there is now. In a graph: the operation that does it."""
        return _as_operation(lambda: self._core.step(metric))

    def state_dict(self):
        """The best metric and the counts, by name."""
        return self._core.state_dict()

    def load_state_dict(self, state):
        """Takes what `state_dict` gave."""
        self._core.load_state_dict(dict(_hints.as_dict(state, type(self).__name__, "state")))


def __getattr__(name):
    raise _hints.missing("weft.optim", name)
