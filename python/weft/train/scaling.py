"""Dynamic loss scaling, which keeps small gradients of float16 from vanishing."""

from .. import _core, _ops

_where, _isfinite, _all = _ops.op("", "where"), _ops.op("", "isfinite"), _ops.op("", "all")


class LossScaler:
    """Multiplies the loss by a scale and gradients by its inverse. Steps whose gradients are not finite are left out and halve
    the scale; `growth_interval` good ones in a row double it."""

    def __init__(self, scale=2.0 ** 16, growth_interval=2000):
        self.growth_interval = growth_interval
        self.scale = _core.Variable(float(scale), name="scale", trainable=False)
        self.good_steps = _core.Variable(0, name="good_steps", trainable=False)

    def scaled(self, loss):
        return loss * self.scale.read().astype(loss.dtype)

    def unscaled(self, gradients):
        """The gradients as they are without the scale, and whether all of them are finite."""
        factor = 1.0 / self.scale.read()
        out, is_finite = [], _core._tensor(True, None, "LossScaler")
        for gradient in gradients:
            out.append(gradient * factor.astype(gradient.dtype))
            is_finite = _ops.op("", "logical_and")(is_finite, _all(_isfinite(gradient)))
        return out, is_finite

    def update(self, is_finite):
        """The scale for the next step."""
        good = _where(is_finite, self.good_steps.read() + 1, 0)
        grows = good >= self.growth_interval
        scale = self.scale.read()
        self.scale.assign(_where(is_finite, _where(grows, scale * 2.0, scale), scale * 0.5))
        self.good_steps.assign(_where(grows, 0, good))

    def state_dict(self):
        return {"scale": self.scale.value(), "good_steps": self.good_steps.value()}

    def load_state_dict(self, state):
        self.scale.assign(state["scale"])
        self.good_steps.assign(state["good_steps"])
