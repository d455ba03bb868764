"""Plans and profiles: what a run does, in which memory and in what time."""

import os

from . import _core, _picture


class Plan:
    """A run that was made ready; it prints as the list of its instructions."""

    def __init__(self, core):
        self._core = core

    def __str__(self):
        return self._core.text()

    def __repr__(self):
        return f"<weft.Plan: {self._core.text().splitlines()[0].removeprefix('plan of ')}>"

    def __len__(self):
        return len(self._core.live_bytes())

    @property
    def arena_bytes(self):
        """The memory that it works in; results have memory of their own."""
        return self._core.arena_bytes()

    @property
    def live_bytes(self):
        """How much of the arena is in use, at each instruction."""
        return self._core.live_bytes()

    def draw(self, path=None):
        """The arena over the run, as SVG: a box for each value, from the instruction that makes it to its last reader."""
        if path is not None and os.path.splitext(os.fspath(path))[1].lower() != ".svg":
            raise _core.InvalidError(f"draw: the picture of a plan is written as .svg, but the file is '{path}' [draw.format]")
        return _picture.written(self._core.draw(), path)

    def _repr_html_(self):
        return self._core.draw()

    def profile(self, rounds=10):
        """The time of every instruction, in the mean of so many runs. What the run does to Variables is done."""
        return Profile(self._core.profile(rounds))


class Profile:
    """Times of a plan; it prints as a table of ops, the dearest first."""

    def __init__(self, core):
        self._core = core

    def __str__(self):
        return self._core.text()

    def __repr__(self):
        return f"<weft.Profile: {len(self.instructions)} instructions, {self.seconds * 1e6:.1f} us>"

    @property
    def instructions(self):
        """(name, op, line, seconds) of each instruction, in the order of the plan."""
        return self._core.instructions()

    @property
    def seconds(self):
        """The time of one run."""
        return sum(seconds for *_, seconds in self.instructions)

    def chrome_trace(self, path=None):
        """Instructions and live bytes as JSON, for chrome://tracing and Perfetto."""
        return _picture.written(self._core.chrome_trace(), path)
