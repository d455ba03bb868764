"""Axes: round ticks, and the panel that curves are drawn into."""

import math

from .canvas import INK, RULE, SOFT


def ticks(low, high, most=5, is_whole=False):
    """Round numbers from about low to about high, `most` steps or fewer; the first and the last enclose both."""
    if high <= low:
        spread = abs(low) * 0.1 or 1.0
        low, high = low - spread, high + spread
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1.0, 2.0, 2.5, 5.0, 10.0) if k * power >= rough * (1 - 1e-9))
    if is_whole:
        step = max(1.0, math.ceil(step))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def label(value, step):
    """A tick as text, with as many digits as steps of this size need."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or step < 1e-5:
        return f"{value:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    scaled = step * 10 ** digits
    is_whole = abs(scaled - round(scaled)) < 1e-6  # steps are differences of ticks, with their rounding
    return f"{value:.{digits if is_whole else digits + 1}f}"


class Panel:
    """A place on a canvas with axes: (x, y) of data become points of it."""

    def __init__(self, canvas, left, top, right, bottom, xs, ys):
        self.canvas, self.left, self.top, self.right, self.bottom = canvas, left, top, right, bottom
        self.low_x, self.high_x, self.low_y, self.high_y = *xs, *ys

    def at(self, x, y):
        part_x = (x - self.low_x) / (self.high_x - self.low_x)
        part_y = (y - self.low_y) / (self.high_y - self.low_y)
        return self.left + part_x * (self.right - self.left), self.bottom - part_y * (self.bottom - self.top)

    def grid(self, ticks_x, ticks_y, labels_x, labels_y):
        for tick, text in zip(ticks_y, labels_y):
            y = round(self.at(self.low_x, tick)[1] * 2) / 2
            self.canvas.box(self.left, y, self.right, y + 0.5, RULE)
            self.canvas.text(self.left - 6, y + 3.4, text, SOFT, 9.5, "right")
        self.canvas.box(self.left, self.bottom, self.right, self.bottom + 1, SOFT)
        for tick, text in zip(ticks_x, labels_x):
            x = self.at(tick, self.low_y)[0]
            self.canvas.box(x - 0.5, self.bottom, x + 0.5, self.bottom + 4, SOFT)
            self.canvas.text(x, self.bottom + 15, text, SOFT, 9.5, "center")

    def title(self, text, below=""):
        self.canvas.text(self.left, self.top - 14, text, INK, 13)
        if below:
            self.canvas.text((self.left + self.right) / 2, self.bottom + 29, below, SOFT, 9.5, "center")
