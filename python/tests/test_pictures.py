"""Pictures of graphs: who lays them out, and what they show."""

import os
import re
import xml.etree.ElementTree

import numpy as np
import pytest
import weft as wf

STUB = """#!/bin/sh
# Stands for Graphviz: says what it was asked, and ends as it is told.
echo "$@" >> "$STUB_LOG"
cat > "$STUB_LOG.dot"
echo '<?xml version="1.0"?>'
echo '<svg>by the stub</svg>'
exit ${STUB_ENDS:-0}
"""


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """A `dot` on PATH; what it was called with is in the file."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "dot").write_text(STUB)
    (folder / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STUB_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def drawables():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        wf.tanh(x)
    f = wf.function(wf.tanh)
    f(wf.ones(3))
    return g, f.get_concrete_function(wf.ones(3))


def test_graphviz_draws_if_it_is_there(stub, tmp_path):
    for drawable in drawables():
        assert drawable.draw(tmp_path / "x.svg").startswith("<svg>by the stub") and "by the stub" in (tmp_path / "x.svg").read_text()
        assert stub.read_text() == "-Tsvg\n" and "digraph" in (tmp_path / "log.dot").read_text()
        assert "by the stub" in drawable.draw(engine="dot")
        calls = stub.read_text()
        for own in (drawable.draw(engine="weft"), drawable._repr_html_()):
            assert own.startswith("<svg") and "tanh" in own and "stub" not in own
        assert "digraph" in drawable.draw(tmp_path / "x.dot") == (tmp_path / "x.dot").read_text()
        assert stub.read_text() == calls  # not asked
        stub.unlink()
    v = wf.Variable(1.0)
    assert "by the stub" in wf.draw(v * 2.0).svg  # a tape, by the same code


def test_our_own_picture_where_graphviz_fails(stub, monkeypatch):
    g, _ = drawables()
    monkeypatch.setenv("STUB_ENDS", "1")
    assert "tanh" in g.draw() and "stub" not in g.draw()


def test_engines_are_checked(tmp_path, monkeypatch):
    g, _ = drawables()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "tanh" in g.draw()
    with pytest.raises(wf.InvalidError, match=r"Graphviz is not installed; .*\[draw.engine\]"):
        g.draw(engine="dot")
    with pytest.raises(wf.InvalidError, match=r"engine is 'pen'; .*\[draw.engine\]"):
        g.draw(engine="pen")


class Shapes:
    """The boxes, frames, lines and types of a picture, by their numbers."""

    BOXES = ("op", "input", "variable", "constant", "result", "folded")

    def __init__(self, svg):
        root = xml.etree.ElementTree.fromstring(svg.replace("xmlns=", "x="))
        whole = [e for e in root if e.tag == "rect" and e.get("class") == "frame"][0]
        bottom = float(whole.get("y")) + float(whole.get("height"))
        rects = [e for e in root if e.tag == "rect" and e.get("class") and float(e.get("y")) < bottom]  # without the legend
        self.boxes = [self.rect(e) for e in rects if e.get("class") in self.BOXES]
        self.frames = [self.rect(e) for e in rects if e.get("class") in ("frame", "function")][1:]
        self.lines = [self.points(e.get("d")) for e in root if e.tag == "path" and e.get("marker-end")]
        self.types = [(float(e.get("x")), float(e.get("y")) - 8, float(e.get("x")) + 5 * len(e.text), float(e.get("y")))
                      for e in root if e.tag == "text" and e.get("class") == "type"]

    @staticmethod
    def rect(e):
        x, y, width, height = (float(e.get(name)) for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height

    @staticmethod
    def points(path):
        """Points along a line."""
        out = []
        for kind, numbers in re.findall(r"([MCL])([^MCL]*)", path):
            values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
            ends = list(zip(values[::2], values[1::2]))
            if kind == "M":
                out += ends
                continue
            begin, steps = out[-1], [i / 20 for i in range(1, 21)]
            if kind == "L":
                out += [tuple(a + (b - a) * t for a, b in zip(begin, ends[0])) for t in steps]
            else:
                out += [tuple(a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t ** 3
                              for a, b, c, d in zip(begin, *ends)) for t in steps]
        return out


def is_inside(point, rect, margin=1.0):
    return rect[0] + margin < point[0] < rect[2] - margin and rect[1] + margin < point[1] < rect[3] - margin


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


def training_graph(layers):
    with wf.Graph() as g:
        x = wf.placeholder("f32[batch, 16]", name="x")
        labels = wf.placeholder("f32[batch, 16]", name="labels")
        weights, h = [], x
        for i in range(layers):
            with wf.name_scope(f"layer{i}"):
                weights.append(wf.Variable(np.ones((16, 16), np.float32), name="w"))
                h = wf.softmax(wf.relu(h @ weights[-1])) + h
        with wf.name_scope("loss"):
            loss = wf.mean(wf.square(h - labels))
        slopes = wf.gradients(loss, weights)
        with wf.name_scope("train"):
            for w, slope in zip(weights, slopes):
                w.assign_sub(0.1 * slope)
    return g


def mixed_graph():
    """A scope that gives values of many types, and one that depends on another both ways."""
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        with wf.name_scope("many"):
            outs = [wf.cast(wf.exp(x), dtype) for dtype in (wf.float64, wf.int64, wf.int32, wf.float16, wf.bool)]
        with wf.name_scope("there"):
            a = wf.tanh(x)
        with wf.name_scope("between"):
            b = wf.sin(a)
        with wf.name_scope("there"):
            wf.cos(b)
        for out in outs:
            wf.identity(out)
    return g


def loop_graph():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")

        def body(i, s):
            return i + 1, wf.cond(wf.sum(s) > 3.0, lambda: s * 0.5, lambda: s + x)

        _, s = wf.while_loop(lambda i, s: i < 10, body, (0, x))
        wf.gradients(wf.sum(s), [x])
    return g


PICTURES = [(training_graph, (4,), 0), (training_graph, (4,), 1), (training_graph, (4,), 9), (training_graph, (12,), -1),
            (training_graph, (12,), 0), (loop_graph, (), -1), (mixed_graph, (), 0), (mixed_graph, (), 9)]


@pytest.mark.parametrize("make, arguments, depth", PICTURES)
def test_lines_and_types_keep_clear_of_boxes(make, arguments, depth):
    shapes = Shapes(make(*arguments).draw(depth=depth, engine="weft"))
    assert len(shapes.boxes) > 3 and len(shapes.lines) > 3 and shapes.types
    for i, box in enumerate(shapes.boxes):
        assert not [other for other in shapes.boxes[:i] if overlap(box, other)]
        assert not [line for line in shapes.lines if any(is_inside(point, box) for point in line)], box
        assert not [label for label in shapes.types if overlap(label, box)], box
    for frame in shapes.frames:
        for line in shapes.lines:
            if not is_inside(line[0], frame, 0.0) and not is_inside(line[-1], frame, 0.0):
                assert not any(is_inside(point, frame) for point in line), frame


def test_folded_scopes_say_few_types():
    assert "and 4 more types" in mixed_graph().draw(depth=0, engine="weft")
    svg = training_graph(12).draw(depth=0, engine="weft")
    shapes = Shapes(svg)
    assert len(shapes.types) <= 2 * len(shapes.boxes)
    width, height = (float(re.search(rf"{word}='([\d.]+)'", svg)[1]) for word in ("width", "height"))
    assert width < 2500 and height < 2500
