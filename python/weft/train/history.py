"""History: what was measured in each epoch, and its curves."""

from .. import _core
from .profiling import Waiting


class History:
    """`history` is {name: [value of each epoch]}, and so is a History itself: `history["loss"]`, `dict(history)`. `epoch` has the numbers
    of the epochs; `plot("curves.png")` draws it. `waiting` is the part of the time of training, without validation, in which steps
    waited for data."""

    def __init__(self):
        self.epoch, self.history = [], {}
        self.stop_reason = None  # why the training ended before its last epoch
        self.warnings = []  # what went wrong though it went on, such as a checkpoint that could not be saved
        self.times = Waiting()

    @property
    def waiting(self):
        return self.times.part

    def add(self, epoch, logs):
        self.epoch.append(epoch)
        for name, value in logs.items():
            self.history.setdefault(name, []).append(value)

    def __getitem__(self, name):
        if name not in self.history:
            raise _core.OutOfRangeError(f"History: has no '{name}'; it has {', '.join(self.history) or 'nothing yet'} [History.name]")
        return self.history[name]

    # As of a dict of its names.

    def keys(self):
        return self.history.keys()

    def values(self):
        return self.history.values()

    def items(self):
        return self.history.items()

    def get(self, name, default=None):
        return self.history.get(name, default)

    def __contains__(self, name):
        return name in self.history

    def __iter__(self):
        return iter(self.history)

    def plot(self, path):
        """Draws a curve for each name into a PNG: loss and val_loss together, and so for every metric."""
        from .picture import draw_curves

        draw_curves(path, [epoch + 1 for epoch in self.epoch], {name: values for name, values in self.history.items()
                                       if all(isinstance(value, (int, float)) for value in values)})

    def state_dict(self):
        return {"epoch": list(self.epoch), "history": {name: list(values) for name, values in self.history.items()}}

    def load_state_dict(self, state):
        self.epoch = list(state["epoch"])
        self.history = {name: list(values) for name, values in state["history"].items()}

    def __repr__(self):
        last = ", ".join(f"{name}={values[-1]:.4g}" for name, values in self.history.items() if isinstance(values[-1], (int, float)))
        return f"<History of {len(self.epoch)} epoch{'s' * (len(self.epoch) != 1)}: {last}>"
