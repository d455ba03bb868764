"""Pictures of graphs, and files they are written to."""

import os

from . import _core, _hints
from ._files import write_whole
from ._graph_def import GraphDef  # noqa: F401  what can be drawn can be written down as one, too


class Drawable:
    """What graphs and traces show of themselves, by `_shown(what, **options)`."""

    def summary(self):
        """A table of what the graph holds: operations by kind, Variables, inputs."""
        return self._shown("summary")

    def draw(self, path=None, depth=-1, *, repeats=True, engine=None):
        """A drawing of the graph, as text of SVG; `path` also writes it, as .svg, .html or .dot.

        Parameters and constants stand inside the boxes that read them. Scopes are folded, but for `depth` levels; -1 opens as many
        as fit a screen. Equal scopes in a row are one, "layers × 12", unless `repeats` is False. On a page (.html) scopes open and
        close by a click. `engine="dot"` lets Graphviz lay an .svg out.
        """
        layout = layout_by(engine)
        options = {"depth": _hints.as_integer(depth, "draw", "depth"), "repeats": _hints.as_flag(repeats, "draw", "repeats")}
        what = "svg" if path is None else format_of(path)
        by_graphviz = layout(self._shown("dot", **options)) if what == "svg" and layout else None
        return written(by_graphviz or self._shown(what, **options), path)

    def _repr_html_(self):
        return self._shown("svg")


_FORMATS = {".svg": "svg", ".html": "html", ".dot": "dot", ".gv": "dot"}


def format_of(path, pages=True):
    """What to write to a file of this name; a tape has no page."""
    ending = os.path.splitext(_hints.as_path(path, "draw"))[1].lower()
    if ending not in _FORMATS or (ending == ".html" and not pages):
        known = ".svg, .html, .dot or .gv" if pages else ".svg, .dot or .gv"
        raise _core.InvalidError(f"draw: the file's name ends in '{ending}', but a drawing is written as {known}; "
                                 "Graphviz makes others of a .dot file: dot -Tpng graph.dot -o graph.png [draw.format]")
    return _FORMATS[ending]


def layout_by(engine):
    """A function from DOT to the SVG that Graphviz makes of it; None if the layout is our own."""
    import shutil

    if engine not in (None, "dot", "weft"):
        raise _core.InvalidError(f"draw: engine is {engine!r}; it is one of 'dot', 'weft' or None [draw.engine]")
    if engine != "dot":
        return None
    if shutil.which("dot") is None:
        raise _core.InvalidError("draw: engine is 'dot', but Graphviz is not installed; engine='weft' needs nothing "
                                 "[draw.engine]")
    return _by_graphviz


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
