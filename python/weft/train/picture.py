"""Pictures of training: curves, confusion matrices and images with what was said of them, as PNG or SVG.

They are drawn in C++, `weft/train/picture`.
"""

from .. import _core, _hints
from .._hints import brief as _brief


def draw_curves(path, epochs, values):
    """Draws a panel for each metric, with NAME and val_NAME together, over the epochs.

    Values that are not finite are left out.

    Arguments:
        path: a file whose name ends in .png or .svg
        epochs: the numbers of the epochs
        values: {name: value of each epoch}

    >>> wf.train.draw_curves("curves.png", [1, 2, 3], {"loss": [2.1, 1.2, 0.9], "val_loss": [2.0, 1.5, 1.4]})
    """
    values = dict(_hints.as_dict(values, "draw_curves", "values"))
    curves = [(str(name), _numbers(given, "draw_curves", "values")) for name, given in values.items()]
    _core._draw_curves(_hints.as_path(path, "draw_curves"), _numbers(epochs, "draw_curves", "epochs"), curves)


def draw_confusion(path, matrix, labels=None):
    """Draws how often each class (row) was said to be each class (column); the darker, the larger its part of the row.

    >>> wf.train.draw_confusion("confusion.png", [[9, 1], [2, 8]], ["cat", "dog"])
    """
    names = [] if labels is None else [str(name) for name in _hints.as_list(labels, "draw_confusion", "labels")]
    _core._draw_confusion(_hints.as_path(path, "draw_confusion"), _tensor(matrix, "draw_confusion"), names)


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
    if not isinstance(columns, int):
        raise _core.InvalidError(f"draw_images: columns is {_brief(columns)}; it is 1 or more [draw_images.columns]")
    texts = [] if captions is None else [str(text) for text in _hints.as_list(captions, "draw_images", "captions")]
    marks = None if wrong is None else [bool(mark) for mark in _hints.as_list(wrong, "draw_images", "wrong")]
    _core._draw_images(_hints.as_path(path, "draw_images"), _tensor(images, "draw_images"), texts, columns, marks)


def _numbers(given, who, name):
    return [_hints.as_number(value, who, name) for value in _hints.as_list(given, who, name)]


def _tensor(given, who):
    """A tensor of what was given, whose numbers keep their dtype: floats of Python are float64 here."""
    import numpy as np

    if isinstance(given, _core.Tensor):
        return given
    try:
        return _core._tensor(np.asarray(given), None, who, "values")
    except ValueError:  # the rows of a list differ in length
        raise _core.WrongTypeError(f"{who}: values must be a tensor, but got {_hints.brief(given)} [{who}.argument]") from None
