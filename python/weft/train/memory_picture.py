"""The picture of a profile's memory by time: each cycle is one iteration."""

from .axes import Panel, label, ticks
from .canvas import INK, SOFT, WHITE, canvas_for

_CURVE, _BAND = "#2468b4", "#f1f5f9"
_MOST_POINTS = 1400  # about one a pixel


def draw(path, report, first_live):
    canvas = canvas_for(path, 760, 330, "draw_memory")
    points = [(0.0, first_live), *((event.start + event.duration, event.live) for event in report.events)]
    unit, word = _unit(max(live for _, live in points), ((2 ** 30, "GB"), (2 ** 20, "MB"), (2 ** 10, "KB"), (1, "bytes")))
    end = max(report.seconds, points[-1][0], 1e-9)
    second, second_word = _unit(end, ((1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds")))
    marks_y = ticks(0.0, max(live for _, live in points) / unit)
    marks_x = [x for x in ticks(0.0, end / second, 8) if x <= end / second]
    panel = Panel(canvas, 66, 66, 736, 276, (0.0, end / second), (marks_y[0], marks_y[-1]))
    for k, (start, stop) in enumerate(zip([0.0, *report.marks], report.marks)):
        if k % 2 == 0:
            canvas.box(panel.at(start / second, 0)[0], panel.top, panel.at(stop / second, 0)[0], panel.bottom, _BAND)
    step_x, step_y = (marks_x[1] if len(marks_x) > 1 else 1.0), marks_y[1] - marks_y[0]
    panel.grid(marks_x, marks_y, [label(x, step_x) for x in marks_x], [label(y, step_y) for y in marks_y])
    panel.title("memory by time", second_word)
    steps = f", {report.steps} steps" if report.steps else ""
    canvas.text(panel.right, panel.top - 14, f"{word} of tensors in use{steps}", SOFT, 10, "right")
    drawn = [panel.at(t / second, live / unit) for t, live in _stairs(_thinned(points, end), end)]
    canvas.area(drawn, panel.bottom, _CURVE, 0.16)
    canvas.line(drawn, _CURVE, 1.3)
    when, most = max(points, key=lambda point: point[1])
    x, y = panel.at(when / second, most / unit)
    canvas.dot(x, y, WHITE, 7)
    canvas.dot(x, y, _CURVE, 5)
    is_late = x > (panel.left + panel.right) / 2
    canvas.text(x + (-8 if is_late else 8), y - 6, f"{most / unit:.3g} {word}", INK, 10, "right" if is_late else "left")
    canvas.save(path)


def _unit(most, units):
    """The greatest unit that the value reaches."""
    return next(((size, word) for size, word in units if most >= size), units[-1])


def _thinned(points, end):
    """The least and the greatest value of each of so many spans of time, in their order: peaks stay."""
    if len(points) <= _MOST_POINTS:
        return points
    spans = {}
    for k, (t, live) in enumerate(points):
        spans.setdefault(int(t / end * _MOST_POINTS / 2), []).append((live, k))
    kept = sorted({place for group in spans.values() for _, place in (min(group), max(group))} | {0, len(points) - 1})
    return [points[k] for k in kept]


def _stairs(points, end):
    """Memory stays as it is until the next op."""
    out = [points[0]]
    for (_, before), (t, live) in zip(points, points[1:]):
        out += [(t, before), (t, live)]
    return [*out, (end, points[-1][1])]
