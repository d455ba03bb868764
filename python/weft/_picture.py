"""Pictures of graphs, and files they are written to."""

import os

from . import _core
from ._files import write_whole
from ._graph_def import GraphDef  # noqa: F401  what can be drawn can be written down as one, too


class Drawable:
    """What graphs and traces show of themselves, by `_shown(what, depth)`."""

    def summary(self):
        """A table of what the graph holds: operations by kind, Variables, inputs."""
        return self._shown("summary", -1)

    def draw(self, path=None, depth=-1, *, engine=None):
        """A picture of the graph: SVG, or DOT if the path ends in .dot; scopes deeper than `depth` are folded.

        `engine` lays it out: "dot" is Graphviz, "weft" our own; None takes Graphviz if it is installed.
        """
        layout = layout_by(engine)
        if path is not None and format_of(path) == "dot":
            return written(self._shown("dot", depth), path)
        return written(layout(self._shown("dot", depth)) or self._shown("svg", depth), path)

    def _repr_html_(self):
        return self._shown("svg", -1)


_FORMATS = {".svg": "svg", ".dot": "dot", ".gv": "dot"}


def format_of(path):
    """What to write to a file of this name."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in _FORMATS:
        raise _core.InvalidError(f"draw: the file's name ends in '{ending}', but a drawing is written as .svg, .dot or .gv; "
                                 "other formats are made of .dot by Graphviz: dot -Tpng tape.dot [draw.format]")
    return _FORMATS[ending]


def layout_by(engine):
    """A function from DOT to the SVG that Graphviz makes of it; to None where our own is to be drawn."""
    import shutil

    if engine not in (None, "dot", "weft"):
        raise _core.InvalidError(f"draw: engine is {engine!r}; it is one of 'dot', 'weft' or None [draw.engine]")
    has_graphviz = shutil.which("dot") is not None
    if engine == "dot" and not has_graphviz:
        raise _core.InvalidError("draw: engine is 'dot', but Graphviz is not installed; engine='weft' needs nothing "
                                 "[draw.engine]")
    return _by_graphviz if has_graphviz and engine != "weft" else lambda dot: None


def _by_graphviz(dot):
    import subprocess

    try:
        done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):  # ours is there in any case
        return None
    begin = done.stdout.find("<svg")
    return done.stdout[begin:] if done.returncode == 0 and begin >= 0 else None


def written(text, path):
    """The text; written to `path`, if one is given."""
    if path is not None:
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"draw: there is no folder '{folder}' to write '{path}' to; make it first [draw.path]")
        write_whole(path, text)
    return text
