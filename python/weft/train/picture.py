"""Pictures of training: curves, confusion matrices and images with what was said of them, as PNG or SVG."""

import math

from .. import _core
from . import font
from .axes import Panel, label, ticks
from .canvas import INK, RULE, SOFT, WHITE, blend, canvas_for

_TRAINING, _VALIDATION = "#2468b4", "#e0762e"
_RIGHT, _WRONG = "#2e8b57", "#cc3d3d"
_DEEP = "#174a7e"  # of the fullest cell
_ROOM_FOR_NAMES = 52.0  # that columns of a matrix are made wide for


def draw_curves(path, epochs, values):
    """Draws a panel for each metric, with NAME and val_NAME together, over the epochs.

    Values that are not finite are left out.

    Arguments:
        path: a file whose name ends in .png or .svg
        epochs: the numbers of the epochs
        values: {name: value of each epoch}

    >>> wf.train.draw_curves("curves.png", [1, 2, 3], {"loss": [2.1, 1.2, 0.9], "val_loss": [2.0, 1.5, 1.4]})
    """
    names = [name for name in values if not (name.startswith("val_") and name[4:] in values)]
    if not names:
        raise _core.InvalidError("draw_curves: there are no values to draw [draw_curves.values]")
    for name, given in values.items():
        if len(given) != len(epochs):
            raise _core.InvalidError(f"draw_curves: there are {len(epochs)} epochs, but {len(given)} values of '{name}'; each epoch "
                                     "has one [draw_curves.values]")
    columns = min(len(names), 2)
    rows = -(-len(names) // columns)
    canvas = canvas_for(path, 20 + 420 * columns, 10 + 280 * rows, "draw_curves")
    for k, name in enumerate(names):
        left, top = 10 + 420 * (k % columns), 10 + 280 * (k // columns)
        pair = [("training", _TRAINING, name), ("validation", _VALIDATION, "val_" + name)]
        if name.startswith("val_"):
            pair = [("validation", _VALIDATION, name)]
        pair = [(word, color, values[key]) for word, color, key in pair if key in values]
        _curve_panel(canvas, left, top, name.removeprefix("val_"), epochs, pair)
    canvas.save(path)


def _curve_panel(canvas, left, top, name, epochs, curves):
    finite = [(x, float(y)) for _, _, values in curves for x, y in zip(epochs, values) if math.isfinite(y)]
    low_x, high_x = (min(epochs), max(epochs)) if len(epochs) else (0, 1)
    marks_y = ticks(min((y for _, y in finite), default=0.0), max((y for _, y in finite), default=1.0))
    marks_x = [x for x in ticks(low_x, high_x, 8, is_whole=True) if low_x <= x <= high_x]
    if low_x == high_x:
        low_x, high_x, marks_x = low_x - 1, high_x + 1, [low_x]
    panel = Panel(canvas, left + 52, top + 44, left + 400, top + 226, (low_x, high_x), (marks_y[0], marks_y[-1]))
    step = marks_y[1] - marks_y[0]
    panel.grid(marks_x, marks_y, [f"{x:g}" for x in marks_x], [label(y, step) for y in marks_y])
    panel.title(name, "epoch")
    _legend(canvas, panel.right, panel.top - 14, curves)
    for _, color, values in curves:
        for run in _runs(epochs, values):
            points = [panel.at(x, y) for x, y in run]
            canvas.line(points, color, 1.8)
            if len(epochs) <= 20 or len(points) == 1:
                for x, y in points:
                    canvas.dot(x, y, WHITE, 6.6)
                    canvas.dot(x, y, color, 4.6)


def _runs(xs, ys):
    """The parts of a curve between values that are not finite."""
    out = [[]]
    for x, y in zip(xs, ys):
        if math.isfinite(y):
            out[-1].append((x, float(y)))
        elif out[-1]:
            out.append([])
    return [run for run in out if run]


def _legend(canvas, right, y, curves):
    """The words for the curves, from right to left."""
    for word, color, _ in reversed(curves):
        right -= font.width_of(word, 10)
        canvas.text(right, y, word, SOFT, 10)
        canvas.line([(right - 20, y - 3.5), (right - 6, y - 3.5)], color, 2.2)
        right -= 34


def draw_confusion(path, matrix, labels=None):
    """Draws how often each class (row) was said to be each class (column); the darker, the larger its part of the row.

    >>> wf.train.draw_confusion("confusion.png", [[9, 1], [2, 8]], ["cat", "dog"])
    """
    import numpy as np

    matrix = np.asarray(matrix.numpy() if isinstance(matrix, _core.Tensor) else matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise _core.InvalidError(f"draw_confusion: the matrix has shape {list(matrix.shape)}; it needs a row and a column for each class "
                                 "[draw_confusion.matrix]")
    count = len(matrix)
    labels = [str(name) for name in (range(count) if labels is None else labels)]
    if len(labels) != count:
        raise _core.InvalidError(f"draw_confusion: there are {len(labels)} labels for {count} classes; each class has one "
                                 "[draw_confusion.labels]")
    widest = max(font.width_of(name, 10) for name in labels)
    cell = max(26.0, min(widest + 6, _ROOM_FOR_NAMES), *(font.width_of(f"{value:,}", 10) + 10 for value in matrix.ravel().tolist()))
    is_stepped = widest > cell - 4  # long names of columns stand in steps, so that they do not run into each other
    left, top = 34 + widest, 72 + (12 if is_stepped else 0)
    total, right_ones, sums = matrix.sum(), np.trace(matrix), matrix.sum(1)
    line = f"{right_ones:,} of {total:,} right ({right_ones / total:.1%}); rows are true, columns said" if total else "nothing was counted"
    width = max(cell * count + max(0, widest - cell) / 2, font.width_of(line, 9.5))
    canvas = canvas_for(path, left + width + 24, top + 28 * count + 24, "draw_confusion")
    canvas.text(left, 26, "confusion matrix", INK, 13)
    canvas.text(left, 43, line, SOFT, 9.5)
    for row in range(count):
        canvas.text(left - 8, top + 28 * row + 17.5, labels[row], SOFT, 10, "right")
        shift = 12 * (row % 2) if is_stepped else 0
        canvas.text(left + cell * (row + 0.5), top - 6 - shift, labels[row], SOFT, 10, "center")
        for column in range(count):
            part = float(matrix[row, column] / sums[row]) if sums[row] else 0.0
            x, y = left + cell * column, top + 28 * row
            fill = blend("#f4f7fa", _DEEP if row == column else "#a33b2c", part ** 0.6)
            canvas.box(x + 0.5, y + 0.5, x + cell - 0.5, y + 27.5, fill)
            if matrix[row, column]:
                canvas.text(x + cell / 2, y + 17.5, f"{matrix[row, column]:,}", WHITE if part > 0.35 else INK, 10, "center")
    canvas.save(path)


def draw_images(path, images, captions=None, columns=8, wrong=None):
    """Draws images in a grid, enlarged without blur, with a caption below each.

    Arguments:
        path: a file whose name ends in .png or .svg
        images: [n, h, w], [n, c, h, w] or [n, h, w, c], with 1 or 3 channels; floats are spread from their least to their greatest
            value if they leave 0 to 1
        captions: a text for each; what follows its first line is smaller and gray
        columns: how many stand side by side
        wrong: a truth value for each: their frames and captions are red, the others' green; none are marked if it is left out

    >>> wf.train.draw_images("digits.png", wf.zeros((3, 8, 8)), ["4", "1", "7 for 1"], wrong=[False, False, True])
    """
    pixels = _pixels(images)
    count, high, wide = pixels.shape[:3]
    captions = [""] * count if captions is None else [str(text) for text in captions]
    for name, given in (("captions", captions), ("marks in wrong", wrong)):
        if given is not None and len(given) != count:
            raise _core.InvalidError(f"draw_images: there are {count} images, but {len(given)} {name}; each image has one "
                                     "[draw_images.count]")
    if not isinstance(columns, int) or columns < 1:
        raise _core.InvalidError(f"draw_images: columns is {columns!r:.60}; it is 1 or more [draw_images.columns]")
    columns = min(columns, count)
    cell = max(1, round(96 / max(high, wide) * 2)) / 2  # whole pixels
    lines = [text.split("\n") for text in captions]
    sizes = [10] + [9] * (max(len(one) for one in lines) - 1)
    inside = max(wide * cell, max(font.width_of(text, size) for one in lines for text, size in zip(one, sizes)))
    step_x, step_y = inside + 18, high * cell + (34 + 12 * (len(sizes) - 1) if any(captions) else 14)
    canvas = canvas_for(path, step_x * columns + 18, step_y * -(-count // columns) + 14, "draw_images")
    for k in range(count):
        x = 18 + step_x * (k % columns) + (inside - wide * cell) / 2
        y = 14 + step_y * (k // columns)
        color = None if wrong is None else _WRONG if wrong[k] else _RIGHT
        edge = 2 if color else 1
        canvas.box(x - edge, y - edge, x + wide * cell + edge, y + high * cell + edge, color or RULE)
        canvas.image(x, y, cell, pixels[k])
        for place, (text, size) in enumerate(zip(lines[k], sizes)):
            canvas.text(x + wide * cell / 2, y + high * cell + 16 + 12 * place, text, SOFT if place else color or INK, size, "center")
    canvas.save(path)


def _pixels(images):
    """Images as [n, h, w, 3] of 0 to 255."""
    import numpy as np

    given = np.asarray(images.numpy() if isinstance(images, _core.Tensor) else images)
    found = given
    if found.ndim == 4 and found.shape[1] in (1, 3) and found.shape[3] not in (1, 3):
        found = found.transpose(0, 2, 3, 1)
    if found.ndim == 3:
        found = found[..., None]
    if found.ndim != 4 or found.shape[3] not in (1, 3) or not found.size:
        raise _core.InvalidError(f"draw_images: images have shape {list(given.shape)}; they are [n, h, w], [n, c, h, w] or [n, h, w, c] "
                                 "with 1 or 3 channels [draw_images.shape]")
    is_bytes, found = found.dtype == np.uint8, found.astype(np.float32)
    if not is_bytes:
        low, high = np.nanmin(found), np.nanmax(found)
        if low < 0 or high > 1:
            found = (found - low) / ((high - low) or 1.0)
        found = np.nan_to_num(found) * 255.0
    return np.clip(np.rint(found), 0, 255).repeat(3 // found.shape[3], 3)
