"""Dynamic loss scaling, which keeps small gradients of float16 from vanishing."""

from .. import _core, _hints, _ops
from .._hints import brief as _brief

_where, _isfinite, _all = _ops.op("", "where"), _ops.op("", "isfinite"), _ops.op("", "all")


class LossScaler:
    """Multiplies the loss by a scale and gradients by its inverse. Steps whose gradients are not finite are left out and halve
    the scale; `growth_interval` good ones in a row double it. `fit` has one for precision="float16"; a loop of one's own writes:

    >>> model = wf.nn.Linear(4, 2).compute_in(wf.float16)
    >>> optimizer, scaler = wf.optim.SGD(model.parameters(), lr=0.1), wf.train.LossScaler()
    >>> x, y = wf.ones((8, 4)), wf.zeros(8, dtype=wf.int64)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     scaler.scale(wf.nn.cross_entropy(model(x), y)).backward()
    ...     _ = scaler.step(optimizer)
    ...     scaler.update()
    >>> scaler.value  # the first step was left out
    32768.0

    Its state is in Variables, so that steps may be traced functions, and `state_dict()` is part of a run that goes on later.

    Arguments:
        scale: the first scale
        growth_interval: how many good steps double it
    """

    @_hints.spoken
    def __init__(self, scale=2.0 ** 16, growth_interval=2000):
        if not 0.0 < _hints.as_number(scale, "LossScaler", "scale") < float("inf"):
            raise _core.InvalidError(f"LossScaler: scale is {_brief(scale)}; it is finite, and greater than 0 [LossScaler.scale]")
        if isinstance(growth_interval, bool) or not isinstance(growth_interval, int) or growth_interval < 1:
            raise _core.InvalidError(f"LossScaler: growth_interval is {_brief(growth_interval)}; it is a number of steps, 1 or more "
                                     "[LossScaler.growth_interval]")
        self.growth_interval = growth_interval
        self._scale = _core.Variable(float(scale), name="scale", trainable=False)
        self._good_steps = _core.Variable(0, name="good_steps", trainable=False)
        self._is_finite = None  # of the gradients of the last step

    @property
    def value(self):
        """The scale now."""
        return self._scale.value().item()

    def scale(self, loss):
        """The loss by the scale: what gradients are computed of."""
        loss = loss if isinstance(loss, _core.Tensor) else _core._tensor(loss, None, "LossScaler", "loss")
        return loss * self._scale.read().astype(loss.dtype)

    def unscale(self, gradients):
        """The gradients as they are without the scale, and whether all of them are finite."""
        factor = 1.0 / self._scale.read()
        out, is_finite = [], _core._tensor(True, None, "LossScaler")
        for gradient in _hints.as_list(gradients, "LossScaler", "gradients"):
            gradient = gradient if isinstance(gradient, _core.Tensor) else _core._tensor(gradient, None, "LossScaler", "gradients")
            out.append(gradient * factor.astype(gradient.dtype))
            is_finite = _ops.op("", "logical_and")(is_finite, _all(_isfinite(gradient)))
        return out, is_finite

    def step(self, optimizer, gradients=None):
        """A step by scaled gradients, if they are finite: those that backward() left, or a list, one for each parameter of the optimizer.
        Gives whether they were."""
        from .._control import cond

        if not hasattr(optimizer, "param_groups"):
            raise _core.WrongTypeError(f"LossScaler: optimizer is {_hints.brief(optimizer)}; it is one of wf.optim "
                                       "[LossScaler.optimizer]")
        parameters = [v for group in optimizer.param_groups for v in group["params"] if v.trainable]
        if gradients is None:
            missing = [v for v in parameters if v.grad is None]
            if missing or not parameters:
                raise _core.InvalidError("LossScaler: a parameter has no gradient; call scaler.scale(loss).backward() first, or give the "
                                         "gradients [LossScaler.gradients]")
            gradients = [v.grad.read() if isinstance(v.grad, _core.Variable) else v.grad for v in parameters]
        gradients = _hints.as_list(gradients, "LossScaler", "gradients")
        if len(gradients) != len(parameters):
            raise _core.InvalidError(f"LossScaler: there are {len(gradients)} gradients for {len(parameters)} parameters; give one for each "
                                     "[LossScaler.gradients]")
        gradients, is_finite = self.unscale(gradients)
        cond(is_finite, lambda: optimizer.apply_gradients(list(zip(gradients, parameters))), lambda: None)
        self._is_finite = is_finite
        return is_finite

    def update(self, is_finite=None):
        """The scale for the next step, by whether the gradients of the last one were finite."""
        is_finite = self._is_finite if is_finite is None else is_finite
        if is_finite is None:
            raise _core.InvalidError("LossScaler: update() comes after step(), or is told whether gradients were finite "
                                     "[LossScaler.update]")
        self._is_finite = None
        good = _where(is_finite, self._good_steps.read() + 1, 0)
        grows = good >= self.growth_interval
        scale = self._scale.read()
        self._scale.assign(_where(is_finite, _where(grows, scale * 2.0, scale), scale * 0.5))
        self._good_steps.assign(_where(grows, 0, good))

    def state_dict(self):
        """What must be kept to go on with the same bits."""
        return {"scale": self._scale.value(), "good_steps": self._good_steps.value()}

    def load_state_dict(self, state):
        """Takes what `state_dict` gave."""
        _hints.need_state(state, "LossScaler", ("scale", "good_steps"))
        self._scale.assign(state["scale"])
        self._good_steps.assign(state["good_steps"])
