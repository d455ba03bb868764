"""Pictures of graphs: who lays them out, and what they show."""

import functools
import json
import os
import re
import shutil
import subprocess
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


def test_graphviz_draws_if_it_is_asked(stub, tmp_path):
    for drawable in drawables():
        assert drawable.draw(tmp_path / "x.svg", engine="dot").startswith("<svg>by the stub") and "by the stub" in (tmp_path / "x.svg").read_text()
        assert stub.read_text() == "-Tsvg\n" and "digraph" in (tmp_path / "log.dot").read_text()
        calls = stub.read_text()
        for own in (drawable.draw(), drawable.draw(engine="weft"), drawable._repr_html_()):
            assert own.startswith("<svg") and "tanh" in own and "stub" not in own
        assert "digraph" in drawable.draw(tmp_path / "x.dot") == (tmp_path / "x.dot").read_text()
        assert stub.read_text() == calls  # not asked
        stub.unlink()
    v = wf.Variable(1.0)
    assert "by the stub" in wf.draw(v * 2.0, engine="dot").svg and "stub" not in wf.draw(v * 2.0).svg  # a tape, by the same code


def test_our_own_picture_where_graphviz_fails(stub, monkeypatch):
    g, _ = drawables()
    monkeypatch.setenv("STUB_ENDS", "1")
    assert "tanh" in g.draw(engine="dot") and "stub" not in g.draw(engine="dot")


def test_engines_are_checked(tmp_path, monkeypatch):
    g, _ = drawables()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "tanh" in g.draw()
    with pytest.raises(wf.InvalidError, match=r"Graphviz is not installed; .*\[draw.engine\]"):
        g.draw(engine="dot")
    with pytest.raises(wf.InvalidError, match=r"engine is 'pen'; .*\[draw.engine\]"):
        g.draw(engine="pen")


class Shapes:
    """The boxes, frames, lines and texts of a drawing, by their numbers."""

    BOXES = ("op", "input", "variable", "result", "folded")

    def __init__(self, svg):
        root = xml.etree.ElementTree.fromstring(svg.replace("xmlns=", "x="))
        self.width, self.height = float(root.get("width")), float(root.get("height"))
        groups = [e for e in root if e.tag == "g"][:-1]  # without the legend
        self.boxes, self.texts = [], []
        for group in groups:
            dx, dy = (float(number) for number in re.findall(r"-?[\d.]+", group.get("transform")))
            box = [self.rect(e, dx, dy) for e in group if e.tag == "rect" and e.get("class") in self.BOXES]
            assert len(box) == 1
            self.boxes += box
            self.texts += [(e.text, box[0], dx + float(e.get("x")), dy + float(e.get("y")), float(e.get("textLength")))
                           for e in group if e.tag == "text"]
        self.frames = [self.rect(e) for e in root if e.tag == "rect" and e.get("class") in ("frame", "function")]
        self.lines = [self.points(e.get("d")) for e in root if e.tag == "path" and "way" in e.get("class", "")]

    @staticmethod
    def rect(e, dx=0.0, dy=0.0):
        x, y, width, height = (float(e.get(name)) for name in ("x", "y", "width", "height"))
        return x + dx, y + dy, x + dx + width, y + dy + height

    @staticmethod
    def points(path):
        """The corners of a line: its ends, and where it turns."""
        out = []
        for kind, numbers in re.findall(r"([MLQ])([^MLQ]*)", path):
            values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
            ends = list(zip(values[::2], values[1::2]))
            out.append(ends[0])
            assert len(ends) == (2 if kind == "Q" else 1)
        return out


def along(line, step=4.0):
    """Points along a line."""
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        count = int(max(abs(bx - ax), abs(by - ay)) / step) + 1
        yield from ((ax + (bx - ax) * k / count, ay + (by - ay) * k / count) for k in range(count + 1))


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


class Block(wf.nn.Module):
    def __init__(self, width):
        self.norm, self.attn = wf.nn.LayerNorm(width), wf.nn.MultiheadAttention(width, 2, batch_first=True)
        self.mlp = wf.nn.Sequential(wf.nn.Linear(width, 2 * width), wf.nn.GELU(), wf.nn.Linear(2 * width, width))

    def forward(self, x):
        y = self.norm(x)
        x = x + self.attn(y, y, y)[0]
        return x + self.mlp(x)


class GPT(wf.nn.Module):
    def __init__(self, depth, width=8):
        self.embed = wf.nn.Embedding(11, width)
        self.blocks = wf.nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = wf.nn.Linear(width, 11)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


@functools.lru_cache
def gpt_step(depth=6):
    wf.seed(0)
    model = GPT(depth)
    optimizer = wf.optim.AdamW(model.parameters(), lr=1e-3)

    @wf.function
    def step(x, y):
        with wf.GradientTape() as tape:
            loss = wf.nn.cross_entropy(model(x), y)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.parameters()), model.parameters()))
        return loss

    x = wf.zeros((2, 5), dtype=wf.int64)
    return step.get_concrete_function(x, x)


class Branches(wf.nn.Module):
    """A layer that is called twice, and a way around others."""

    def __init__(self):
        self.shared, self.first, self.last = wf.nn.Linear(4, 4), wf.nn.Linear(4, 4), wf.nn.Linear(8, 2)

    def forward(self, x):
        y = self.shared(wf.tanh(self.first(self.shared(x))))
        return self.last(wf.concat([x, y], axis=1))


PICTURES = [(training_graph, (4,), 0), (training_graph, (4,), 1), (training_graph, (4,), 9), (training_graph, (12,), -1),
            (training_graph, (12,), 0), (loop_graph, (), -1), (mixed_graph, (), 0), (mixed_graph, (), 9), (gpt_step, (), -1),
            (gpt_step, (), 0), (gpt_step, (), 2), (gpt_step, (), 9)]


@pytest.mark.parametrize("make, arguments, depth", PICTURES)
def test_boxes_lines_and_texts_keep_clear(make, arguments, depth):
    shapes = Shapes(make(*arguments).draw(depth=depth))
    assert len(shapes.boxes) > 3 and len(shapes.lines) > 3
    for line in shapes.lines:
        assert all(abs(ax - bx) < 0.2 or abs(ay - by) < 0.2 for (ax, ay), (bx, by) in zip(line, line[1:])), line
    for i, box in enumerate(shapes.boxes):
        assert not [other for other in shapes.boxes[:i] if overlap(box, other)]
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= shapes.width and box[3] <= shapes.height
        assert not [line for line in shapes.lines if any(is_inside(point, box) for point in along(line))], box
    for text, box, x, y, width in shapes.texts:  # from the middle
        assert width == pytest.approx(text_width(text, 1.0), rel=1.0)
        assert box[0] < x - width / 2 and x + width / 2 < box[2] and box[1] + 8 < y < box[3] - 2, text
    for i, frame in enumerate(shapes.frames):
        for other in shapes.frames[:i]:
            nested = all(low <= inner for low, inner in zip(other[:2], frame[:2])) and other[2] >= frame[2] and other[3] >= frame[3]
            assert nested or not overlap(frame, other)
        for box in shapes.boxes:
            assert not overlap(frame, box) or is_inside(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), frame)


def text_width(text, size):
    """Roughly, in Helvetica: letters are half as wide as high, capitals two thirds."""
    return sum(10 * size * (0.28 if c in "ijlt.,:;[]()/ |" else 0.7 if c.isupper() or ord(c) > 127 else 0.54) for c in text)


def test_a_training_step_fits_a_screen():
    svg = gpt_step(12).draw()
    shapes = Shapes(svg)
    assert shapes.width <= 1600 and len(shapes.boxes) <= 32
    names = [text for text, *_ in shapes.texts]
    assert "blocks × 12" in svg and "gradients" in names and "update" in names
    assert not [name for name in names if name in ("weight", "bias")]  # parameters stand inside the boxes
    assert Shapes(gpt_step(12).draw(depth=0)).width <= 1600
    assert [text for text, *_ in Shapes(gpt_step(3).draw(repeats=False, depth=1)).texts if text in ("0", "1", "2")]


def test_what_stands_inside_boxes():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n, 3]", name="x")
        w = wf.Variable(np.ones((3, 2), np.float32), name="w")
        y = wf.tanh(x @ w * 0.25)
        w.assign(w * 2.0)
        wf.identity(y, name="out")
    shapes = Shapes(g.draw())
    inside = {}
    for text, box, *_ in shapes.texts:
        inside.setdefault(box, []).append(text)
    boxes = sorted(inside.values())
    assert ["matmul", "f32[n, 2]", "w  f32[3, 2]"] in boxes and ["multiply", "f32[n, 2]", "0.25"] in boxes
    assert [one for one in boxes if one[0] == "assign_variable" and "→ w" in one]
    assert len(boxes) == 7  # x, matmul, multiply, tanh, multiply, assign and out: no boxes for w and the numbers


def test_a_module_that_is_called_twice_stands_in_two_places():
    svg = Branches().draw(input=(3, 4))
    texts = [text for text, *_ in Shapes(svg).texts]
    assert texts.count("shared") == 1 and texts.count("shared (call 2)") == 1 and texts.count("Linear") == 4
    assert "in   f32[3, 8]" in texts and "out  f32[3, 2]" in texts and "18 parameters" in texts
    assert "Branches: 58 parameters" in svg


def test_models_draw_their_layers(tmp_path):
    model = wf.nn.Sequential(wf.nn.Flatten(), wf.nn.Linear(12, 5), wf.nn.ReLU(), wf.nn.Linear(5, 2))
    svg = model.draw(tmp_path / "model.svg", input=(7, 3, 4))
    assert (tmp_path / "model.svg").read_text() == svg
    inside = {}
    for text, box, *_ in Shapes(svg).texts:
        inside.setdefault(box, []).append(text)
    assert ["1", "Linear", "in   f32[7, 12]", "out  f32[7, 5]", "65 parameters"] in inside.values()
    assert "Bilinear" in wf.nn.Bilinear(3, 5, 2).draw(input=[(1, 3), (1, 5)])
    assert model.training and "permute_dims" in model.draw(input=(7, 3, 4), depth=1)
    image = wf.nn.Input((4,), name="image")
    both = wf.nn.Model(image, wf.nn.Linear(4, 2)(image) + wf.nn.Linear(4, 2)(wf.tanh(image)))
    texts = [text for text, *_ in Shapes(both.draw()).texts]
    assert texts.count("Linear") == 2 and "add" in texts
    with pytest.raises(wf.InvalidError, match=r"draw: a Sequential does not know what it will be called with; .*\[draw.input\]"):
        model.draw()


SCRIPT = """
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');
const script = page.slice(page.indexOf('<script>') + 8, page.lastIndexOf('</script>'));
const check = `
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  let opened = 0;
  const look = at => {
    at.items.forEach((a, i) => at.items.forEach((b, j) => {
      if (j < i && Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x) > 1 && Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y) > 1)
        throw new Error('boxes overlap: ' + JSON.stringify([a, b]));
    }));
    at.items.forEach(a => {
      if (a.x < -0.5 || a.y < -0.5 || a.x + a.w > at.w + 0.5 || a.y + a.h > at.h + 0.5) throw new Error('outside of the scope');
    });
    at.lines.forEach(({points}) => points.forEach((p, k) => {
      if (k && Math.abs(p[0] - points[k - 1][0]) > 0.06 && Math.abs(p[1] - points[k - 1][1]) > 0.06) throw new Error('slanted');
    }));
    at.inner.forEach(inside => { if (inside) { opened++; look(inside); } });
  };
  for (let round = 0; round < 40; round++) {
    const part = round / 39;
    look(arrange(0, new Set(data.scopes.map((_, s) => s).filter(s => s && next() < part))));
  }
  const all = new Set(data.scopes.map((_, s) => s).slice(1));
  const svg = drawn(0, arrange(0, all), 0, 0);
  console.log(JSON.stringify({opened, scopes: data.scopes.length, boxes: svg.split('data-tip').length - 1,
                              open: data.open.length, tips: data.scopes.flatMap(s => s.items.map(i => i.tip))}));
`;
new Function(script + check)();
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("make, arguments", [(training_graph, (4,)), (loop_graph, ()), (mixed_graph, ()), (gpt_step, ())])
def test_pages_unfold(make, arguments, tmp_path):
    make(*arguments).draw(tmp_path / "page.html")
    (tmp_path / "check.js").write_text(SCRIPT)
    done = subprocess.run(["node", tmp_path / "check.js", tmp_path / "page.html"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["opened"] > 20 and seen["boxes"] > 5
    assert [tip for tip in seen["tips"] if re.search(r"\(.*\)[^\n]*\n→ .*\n.*test_pictures.py:\d+", tip)]  # op, shapes, the user's line


def test_pages_need_nothing_else(tmp_path):
    page = gpt_step().draw(tmp_path / "page.html")
    assert page.startswith("<!DOCTYPE html>") and (tmp_path / "page.html").read_text() == page
    assert not re.search(r"(src|href)=|https?://(?!www.w3.org/2000/svg)|@import|fetch\(", page)
    assert page.count("</script>") == 1
