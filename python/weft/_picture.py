"""Pictures of graphs, and files they are written to."""

import os

from . import _core
from ._graph_def import GraphDef  # noqa: F401  what can be drawn can be written down as one, too


class Drawable:
    """What graphs and traces show of themselves, by `_shown(what, depth)`."""

    def summary(self):
        """A table of what the graph holds: operations by kind, Variables, inputs."""
        return self._shown("summary", -1)

    def draw(self, path=None, depth=-1):
        """A picture of the graph: SVG, or DOT if the path ends in .dot; scopes deeper than `depth` are folded."""
        return _drawn(self._shown, path, depth)

    def _repr_html_(self):
        return self._shown("svg", -1)


def _drawn(shown, path, depth):
    """The text of a picture, which is written to `path`, if one is given."""
    kind = "svg" if path is None else os.path.splitext(path)[1].removeprefix(".")
    if kind not in ("svg", "dot"):
        raise _core.InvalidError(f"draw: '{path}' is no picture that can be drawn; end it in .svg or .dot [draw.path]")
    return written(shown(kind, depth), path)


def written(text, path):
    """The text; written to `path`, if one is given, under a temporary name first."""
    if path is not None:
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"draw: there is no folder '{folder}' to write '{path}' to; make it first [draw.path]")
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    return text
