"""Pictures of training: pixels where they must be, and files that others read.

They are drawn in C++, where weft/train/picture/picture_test.cc has boxes, lines, letters and axes.
"""

import doctest
import math
import os
import struct
import xml.dom.minidom
import zlib

import numpy as np
import pytest

import weft as wf
from weft import _files
from weft.train import picture

BLUE, ORANGE, RED, GREEN = (0x24, 0x68, 0xb4), (0xe0, 0x76, 0x2e), (0xcc, 0x3d, 0x3d), (0x2e, 0x8b, 0x57)


def read_png(path):
    """Pixels of a PNG of 8-bit RGB: every filter that its rows may have, checksums verified."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + size
    wide, high, depth, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, color) == (8, 2) and b"IEND" in parts
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(high, wide * 3 + 1)
    above, out = np.zeros((wide, 3), np.uint8), []
    for row in rows:
        above = unfiltered(row[0], row[1:].reshape(wide, 3), above)
        out.append(above)
    return np.stack(out)


def unfiltered(kind, row, above):
    """Pixels of a row whose differences were written."""
    if kind in (0, 2):
        return row + above if kind else row
    if kind == 1:
        return np.cumsum(row, axis=0, dtype=np.uint8)
    out, left, corner = row.astype(int), np.zeros(3, int), np.zeros(3, int)
    for k, up in enumerate(above.astype(int)):
        guess = (left + up) // 2
        if kind == 4:
            errors = np.abs([up - corner, left - corner, left + up - 2 * corner])
            guess = np.where((errors[0] <= errors[1]) & (errors[0] <= errors[2]), left, np.where(errors[1] <= errors[2], up, corner))
        out[k] = left = (out[k] + guess) % 256
        corner = up
    return out.astype(np.uint8)


def has(pixels, color):
    return (np.abs(pixels.astype(int) - color).max(-1) <= 2).any()


def width_of(text, tmp_path):
    """How wide a text of 10 points is: the title of a matrix stands so much and 34 points from the left."""
    picture.draw_confusion(tmp_path / "width.svg", np.eye(2, dtype=int), [text, text])
    found = xml.dom.minidom.parse(str(tmp_path / "width.svg")).getElementsByTagName("text")[0]
    return float(found.getAttribute("x")) - 34


def test_curves_of_training_and_validation(tmp_path):
    path = tmp_path / "curves.png"
    picture.draw_curves(path, range(1, 4), {"loss": [2.0, 1.0, 0.0], "val_loss": [2.0, math.nan, math.inf], "accuracy": [0.1, 0.5, 1]})
    pixels = read_png(path)
    assert pixels.shape == (580, 1720, 3)
    loss, accuracy = pixels[:, :860], pixels[:, 860:]
    assert has(loss, BLUE) and has(loss, ORANGE) and has(accuracy, BLUE) and not has(accuracy, ORANGE)
    # The panel goes from (62, 54) to (410, 236): the middle of the loss is in its middle.
    np.testing.assert_array_equal(pixels[290, 472], BLUE)
    np.testing.assert_array_equal(pixels[108, 124], ORANGE)  # the last to be drawn where both begin; the only finite value
    below_legend = loss[130:]
    assert not has(below_legend, ORANGE)


def test_one_epoch_is_a_dot_and_a_lonely_validation_has_a_panel(tmp_path):
    picture.draw_curves(tmp_path / "a.png", [0], {"loss": [0.5]})
    pixels = read_png(tmp_path / "a.png")
    assert pixels.shape == (580, 880, 3)
    np.testing.assert_array_equal(pixels[290, 472], BLUE)
    picture.draw_curves(tmp_path / "b.png", [0, 1], {"val_f1": [0.5, 0.6]})
    assert has(read_png(tmp_path / "b.png"), ORANGE) and not has(read_png(tmp_path / "b.png"), BLUE)
    picture.draw_curves(tmp_path / "c.png", [0, 1], {"loss": [math.nan, math.inf]})
    assert not has(read_png(tmp_path / "c.png")[130:], BLUE)


def test_svg_has_the_same_parts(tmp_path):
    picture.draw_curves(tmp_path / "a.svg", [0, 1], {"loss <a>": [1, 2.0], "val_loss <a>": [1, 3.0]})
    page = xml.dom.minidom.parse(str(tmp_path / "a.svg"))
    words = [one.firstChild.data for one in page.getElementsByTagName("text")]
    assert {"loss <a>", "training", "validation", "epoch", "0", "1"} <= set(words)
    strokes = [one.getAttribute("stroke") for one in page.getElementsByTagName("path")]
    assert strokes.count("#2468b4") == 2 and strokes.count("#e0762e") == 2  # legend and curve
    picture.draw_images(tmp_path / "b.svg", np.zeros((2, 3, 3)))
    assert len(xml.dom.minidom.parse(str(tmp_path / "b.svg")).getElementsByTagName("image")) == 2


def test_confusion_matrices(tmp_path):
    picture.draw_confusion(tmp_path / "a.png", wf.tensor([[1000, 0], [500, 500]]), ["cat", "dog"])
    pixels = read_png(tmp_path / "a.png")
    left, cell = 34 + width_of("cat", tmp_path), width_of("1,000", tmp_path) + 10

    def corner(row, column):
        return tuple(pixels[int((72 + 28 * row + 3) * 2), int((left + cell * column + 3) * 2)])

    assert corner(0, 0) == (0x17, 0x4a, 0x7e) and corner(0, 1) == (0xf4, 0xf7, 0xfa)
    assert corner(1, 0)[0] > corner(1, 0)[2] and corner(1, 1)[2] > corner(1, 1)[0]  # errors are red, what is right is blue
    picture.draw_confusion(tmp_path / "b.svg", [[0, 0], [0, 0]])
    assert "nothing was counted" in (tmp_path / "b.svg").read_text()


def test_columns_of_a_matrix_are_as_wide_as_their_names(tmp_path):
    def heights(names):
        picture.draw_confusion(tmp_path / "a.svg", np.eye(2, dtype=int), names)
        found = xml.dom.minidom.parse(str(tmp_path / "a.svg")).getElementsByTagName("text")
        above = [one for one in found if one.firstChild.data in names and one.getAttribute("text-anchor") == "middle"]
        return [float(one.getAttribute("y")) for one in above], float(above[1].getAttribute("x")) - float(above[0].getAttribute("x"))

    assert heights(["cat", "dog"]) == ([66, 66], 26)
    assert heights(["pullover", "dress"]) == ([66, 66], pytest.approx(width_of("pullover", tmp_path) + 6, abs=0.02))
    assert heights(["a name that is too long", "dress"]) == ([78, 66], 52)  # in steps


def test_images_are_enlarged_without_blur_and_marked(tmp_path):
    images = np.zeros((3, 2, 2), np.float32)
    images[:, 0, 0] = 1
    images[:, 1, 1] = 0.5
    picture.draw_images(tmp_path / "a.png", images, ["a", "b", "c"], columns=2, wrong=[False, True, False])
    pixels = read_png(tmp_path / "a.png")
    # The first is at (18, 14), 96 points wide: cells of 96 pixels.
    assert set(map(tuple, pixels[28:124, 36:132].reshape(-1, 3))) == {(255, 255, 255)}
    assert set(map(tuple, pixels[28:124, 132:228].reshape(-1, 3))) == {(0, 0, 0)}
    assert set(map(tuple, pixels[124:220, 132:228].reshape(-1, 3))) == {(128, 128, 128)}
    assert tuple(pixels[100, 33]) == GREEN and tuple(pixels[100, 36 + 228 - 3]) == RED
    assert pixels.shape[0] == 2 * (14 + 2 * (96 + 34))


def test_captions_of_two_lines(tmp_path):
    picture.draw_images(tmp_path / "a.svg", np.zeros((2, 4, 4)), ["cat\n98% sure", "dog"], wrong=[False, True])
    texts = [(one.firstChild.data, one.getAttribute("fill"), float(one.getAttribute("y")))
             for one in xml.dom.minidom.parse(str(tmp_path / "a.svg")).getElementsByTagName("text")]
    assert texts == [("cat", "#2e8b57", 126), ("98% sure", "#6b7a88", 138), ("dog", "#cc3d3d", 126)]
    picture.draw_images(tmp_path / "a.png", np.zeros((3, 2, 2)), ["a\nb", "", "c"], columns=2)
    assert read_png(tmp_path / "a.png").shape[0] == 2 * (14 + 2 * (96 + 34 + 12))


@pytest.mark.parametrize("shape", [(2, 3, 6, 5), (2, 6, 5, 3), (2, 1, 6, 5), (2, 6, 5)])
def test_forms_of_images(shape, tmp_path):
    def drawn(images):
        picture.draw_images(tmp_path / "a.png", images)
        return read_png(tmp_path / "a.png")[28:28 + 6 * 32, 36:36 + 5 * 32]

    found = drawn(np.linspace(-1, 1, math.prod(shape) // 2).reshape(shape[1:])[None].repeat(2, 0))  # cells of 16 points
    assert found.min() == 0 and found.max() == 255
    plain = drawn(np.full(shape, 7, np.uint8))
    assert plain.shape == (192, 160, 3) and (plain == 7).all()
    assert (drawn(np.full(shape, 0.5)) == 128).all() and (drawn(wf.ones(shape)) == 255).all()


def test_files_appear_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    _files.write_whole(path, "old")

    def refuse(number):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="full"):
        _files.write_whole(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_links_stay_and_pipes_are_written_to(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.csv").write_text("old")
    (tmp_path / "near").symlink_to("other/a.csv")
    (tmp_path / "far").symlink_to(tmp_path / "near")
    (tmp_path / "open").symlink_to("other/b.csv")
    _files.write_whole(tmp_path / "far", "new")
    _files.write_whole(tmp_path / "open", b"first")
    assert (tmp_path / "other" / "a.csv").read_text() == "new" and (tmp_path / "other" / "b.csv").read_text() == "first"
    assert all((tmp_path / name).is_symlink() for name in ("near", "far", "open"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        reads = os.open(tmp_path / "pipe", os.O_RDWR)
        _files.write_whole(tmp_path / name, "through")
        assert os.read(reads, 100) == b"through"
        os.close(reads)
    assert (tmp_path / "pipe").is_fifo() and sorted(os.listdir(tmp_path)) == ["far", "link", "near", "open", "other", "pipe"]
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError, match="Too many levels"):
        _files.write_whole(tmp_path / "round", "x")


def test_all_writers_follow_links(tmp_path):
    def written(name, write):
        link, target = tmp_path / name, tmp_path / ("target-" + name)
        target.write_text("old")
        link.symlink_to(target.name)
        write(link)
        assert link.is_symlink() and target.read_bytes() != b"old", name

    model = wf.nn.Linear(2, 1)
    model.compile(wf.optim.SGD(model.parameters(), 0.1), "mse")
    x = np.ones((4, 2), np.float32)
    written("log.csv", lambda p: model.fit(x, x[:, :1], epochs=1, verbose=0, callbacks=[wf.callbacks.CSVLogger(p)]))
    written("a.npz", lambda p: wf.save(p, {"x": x}))
    written("a.safetensors", lambda p: wf.save(p, {"x": x}))
    written("a.png", lambda p: wf.data.write_png(p, np.zeros((2, 2), np.uint8)))
    written("b.png", lambda p: picture.draw_curves(p, [0], {"loss": [1.0]}))
    with wf.Graph() as graph:
        wf.placeholder(wf.float32, (2,))
    written("a.svg", graph.draw)
    with wf.profile() as report:
        wf.ones(3) + 1
    written("a.json", report.chrome_trace)


@pytest.mark.parametrize("call, message", [
    (lambda p: picture.draw_curves(p / "a.jpg", [0], {"loss": [1.0]}),
     "draw_curves: the file's name ends in '.jpg'; a picture is written as .png or .svg [draw_curves.format]"),
    (lambda p: picture.draw_curves(p / "a.png", [0], {}), "draw_curves: there are no values to draw [draw_curves.values]"),
    (lambda p: picture.draw_curves(p / "a.png", [0, 1], {"loss": [1.0]}),
     "draw_curves: there are 2 epochs, but 1 values of 'loss'; each epoch has one [draw_curves.values]"),
    (lambda p: picture.draw_confusion(p / "a.png", np.zeros((2, 3))),
     "draw_confusion: the matrix has shape [2, 3]; it needs a row and a column for each class [draw_confusion.matrix]"),
    (lambda p: picture.draw_confusion(p / "a.png", np.zeros((2, 2)), ["a"]),
     "draw_confusion: there are 1 labels for 2 classes; each class has one [draw_confusion.labels]"),
    (lambda p: picture.draw_images(p / "a.png", np.zeros((2, 2, 4, 4))),
     "draw_images: images have shape [2, 2, 4, 4]; they are [n, h, w], [n, c, h, w] or [n, h, w, c] with 1 or 3 channels "
     "[draw_images.shape]"),
    (lambda p: picture.draw_images(p / "a.png", np.zeros((2, 4, 4)), ["a"]),
     "draw_images: there are 2 images, but 1 captions; each image has one [draw_images.count]"),
    (lambda p: picture.draw_images(p / "a.png", np.zeros((2, 4, 4)), columns=0),
     "draw_images: columns is 0; it is 1 or more [draw_images.columns]"),
])
def test_messages(call, message, tmp_path):
    with pytest.raises(wf.InvalidError) as caught:
        call(tmp_path)
    assert str(caught.value) == message
    assert not os.listdir(tmp_path)


def test_examples_in_docstrings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(picture, extraglobs={"wf": wf})
    assert result.attempted >= 3 and result.failed == 0
    assert sorted(os.listdir()) == ["confusion.png", "curves.png", "digits.png"]
