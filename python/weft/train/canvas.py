"""Canvases: lines, boxes, areas, images and text, drawn into a PNG by ourselves or written as SVG.

Places are in points, from the left and from the top.
"""

import math
import os

from .. import _core
from . import font
from .files import write_whole

_TOGETHER = 50_000  # pixels times lines that are computed at once
WHITE, INK, SOFT, RULE = "#ffffff", "#22303c", "#6b7a88", "#e3e8ed"


def canvas_for(path, width, height, who):
    """A canvas for a file of this name."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    kinds = {".png": Raster, ".svg": Vector}
    if ending not in kinds:
        raise _core.InvalidError(f"{who}: the file's name ends in '{ending}'; a picture is written as .png or .svg [{who}.format]")
    return kinds[ending](width, height)


def _rgb(color):
    return [int(color[k:k + 2], 16) for k in (1, 3, 5)]


def blend(a, b, part):
    """The color between two, `part` of the way from a to b."""
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in zip(_rgb(a), _rgb(b)))


def _start(text, x, size, align):
    return x - font.width_of(text, size) * {"left": 0.0, "center": 0.5, "right": 1.0}[align]


class Raster:
    """Pixels, `scale` of them a point, whose edges are smooth: each takes the part of a shape that covers it."""

    scale = 2

    def __init__(self, width, height):
        import numpy as np

        self.width, self.height = width, height
        self.pixels = np.full((round(height * self.scale), round(width * self.scale), 3), 255.0, np.float32)

    def _cover(self, top, left, cover, color):
        """Mixes a color in, by how much of each pixel it covers."""
        import numpy as np

        place = self.pixels[top:top + cover.shape[0], left:left + cover.shape[1]]
        place += (np.asarray(_rgb(color), np.float32) - place) * cover[:, :, None]

    def box(self, left, top, right, bottom, color):
        import numpy as np

        def covered(low, high, count):
            first, last = max(int(low * self.scale), 0), min(math.ceil(high * self.scale), count)
            at = np.arange(first, max(last, first), dtype=np.float32)
            return first, np.clip(np.minimum(high * self.scale, at + 1) - np.maximum(low * self.scale, at), 0, 1)

        (y, rows), (x, columns) = covered(top, bottom, self.pixels.shape[0]), covered(left, right, self.pixels.shape[1])
        self._cover(y, x, np.outer(rows, columns), color)

    def line(self, points, color, width=1.0):
        """A line through points, with round ends; one point alone is a dot."""
        self._strokes([points], color, width)

    def dot(self, x, y, color, width=4.0):
        self._strokes([[(x, y)]], color, width)

    def text(self, x, y, text, color=INK, size=11.0, align="left"):
        lines, width = font.placed(text, _start(text, x, size, align), y, size)
        self._strokes(lines, color, width)

    def _strokes(self, lines, color, width):
        import numpy as np

        lines = [np.asarray(points, np.float32) * self.scale for points in lines if len(points)]
        if not lines:
            return
        radius = width * self.scale / 2
        high, wide = self.pixels.shape[:2]
        all_points = np.concatenate(lines)
        left, top = np.maximum(np.floor(all_points.min(0) - radius - 1), 0).astype(int)
        right, bottom = np.minimum(np.ceil(all_points.max(0) + radius + 1), (wide, high)).astype(int)
        if right <= left or bottom <= top:
            return
        cover = np.zeros((bottom - top, right - left), np.float32)
        for points in lines:
            _stroke(cover, points - np.asarray((left, top), np.float32), radius)
        self._cover(top, left, cover, color)

    def area(self, points, base, color, opacity=0.25):
        """What lies between a line, whose x goes up, and the height `base`."""
        import numpy as np

        xs, ys = np.asarray(points, np.float32).T * self.scale
        first, last = max(int(xs[0]), 0), min(math.ceil(xs[-1]), self.pixels.shape[1])
        tops = np.interp(np.arange(first, last) + 0.5, xs, ys).astype(np.float32)
        top, bottom = max(int(ys.min()), 0), min(math.ceil(base * self.scale), self.pixels.shape[0])
        rows = np.arange(top, bottom, dtype=np.float32)[:, None]
        cover = np.clip(np.minimum(base * self.scale, rows + 1) - np.maximum(tops[None], rows), 0, 1)
        self._cover(top, first, cover * np.float32(opacity), color)

    def image(self, left, top, cell, image):
        """Pixels [h, w, 3] of 0 to 255 as squares of `cell` points."""
        size, x, y = round(cell * self.scale), round(left * self.scale), round(top * self.scale)
        image = image.repeat(size, 0).repeat(size, 1)
        self.pixels[y:y + image.shape[0], x:x + image.shape[1]] = image

    def save(self, path):
        import numpy as np

        write_whole(path, png(np.rint(self.pixels).astype(np.uint8)))


def _stroke(cover, points, radius):
    """Adds a line through points: a pixel is covered as far as it lies within the radius."""
    import numpy as np

    starts, ends = points[:-1] if len(points) > 1 else points, points[1:] if len(points) > 1 else points
    lows = np.maximum(np.floor(np.minimum(starts, ends) - radius - 1), 0).astype(int)
    highs = np.ceil(np.maximum(starts, ends) + radius + 1).astype(int)
    (left, top), (right, bottom) = lows.min(0), highs.max(0)
    if (right - left) * (bottom - top) * len(starts) > _TOGETHER and len(starts) > 1:
        middle = len(points) // 2
        _stroke(cover, points[:middle + 1], radius)
        _stroke(cover, points[middle:], radius)
        return
    place = cover[top:bottom, left:right]
    x = (np.arange(left, left + place.shape[1], dtype=np.float32) + 0.5)[None, None] - starts[:, 0, None, None]
    y = (np.arange(top, top + place.shape[0], dtype=np.float32) + 0.5)[None, :, None] - starts[:, 1, None, None]
    along = (ends - starts)[:, :, None, None]
    length = np.maximum(along[:, 0] ** 2 + along[:, 1] ** 2, np.float32(1e-12))
    t = np.clip((x * along[:, 0] + y * along[:, 1]) / length, 0, 1)
    nearest = ((x - t * along[:, 0]) ** 2 + (y - t * along[:, 1]) ** 2).min(0)
    np.maximum(place, np.clip(radius + 0.5 - np.sqrt(nearest), 0, 1), out=place)


def png(pixels):
    """The bytes of a PNG file of pixels [h, w, 3] of uint8."""
    import struct
    import zlib

    import numpy as np

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    high, wide = pixels.shape[:2]
    rows = np.zeros((high, wide * 3 + 1), np.uint8)
    rows[:, 0] = 2  # each row as its difference to the one above: even surfaces become zeros
    flat = pixels.reshape(high, -1)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


class Vector:
    """The same as SVG; its letters are those of whoever looks at it."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self._parts = []
        self.box(0, 0, width, height, WHITE)

    def box(self, left, top, right, bottom, color):
        self._parts.append(f'<rect x="{left:.2f}" y="{top:.2f}" width="{right - left:.2f}" height="{bottom - top:.2f}" fill="{color}"/>')

    def line(self, points, color, width=1.0):
        path = "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in (points if len(points) > 1 else [*points, *points]))
        self._parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width:.2f}" stroke-linecap="round" '
                           'stroke-linejoin="round"/>')

    def dot(self, x, y, color, width=4.0):
        self._parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{width / 2:.2f}" fill="{color}"/>')

    def text(self, x, y, text, color=INK, size=11.0, align="left"):
        from xml.sax.saxutils import escape

        anchor = {"left": "start", "center": "middle", "right": "end"}[align]
        self._parts.append(f'<text x="{x:.2f}" y="{y:.2f}" fill="{color}" font-size="{size:g}" text-anchor="{anchor}">'
                           f"{escape(text)}</text>")

    def area(self, points, base, color, opacity=0.25):
        path = " L".join(f"{x:.2f} {y:.2f}" for x, y in [(points[0][0], base), *points, (points[-1][0], base)])
        self._parts.append(f'<path d="M{path} Z" fill="{color}" fill-opacity="{opacity:g}"/>')

    def image(self, left, top, cell, image):
        import base64

        import numpy as np

        data = base64.b64encode(png(np.asarray(image, np.uint8))).decode()
        high, wide = image.shape[:2]
        self._parts.append(f'<image x="{left:.2f}" y="{top:.2f}" width="{wide * cell:.2f}" height="{high * cell:.2f}" '
                           f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>')

    def save(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}" '
                f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="Helvetica, Arial, sans-serif">')
        write_whole(path, "\n".join([head, *self._parts, "</svg>\n"]))
