"""Convolution, windows as columns, and resampling: ours, PyTorch's, JAX's."""

import jax
import torch
import torch.nn.functional as F
from vocabulary import call, entry, normal

SPACE = {1: "W", 2: "HW", 3: "DHW"}
SUMS = dict(looser=4, why="sums of up to a hundred products, in other orders")


def numbers(value, n):
    value = (value,) if isinstance(value, int) else tuple(value)
    return value * n if len(value) == 1 else value


def channels_first(n, function):
    """PyTorch has channels behind the batch only, and one word for both our kinds of padding."""
    def convolved(x, weight, bias=None, data_format="", auto_padding="", padding=0, **rest):
        last = data_format.endswith("C")
        x = x.movedim(-1, -1 - n) if last else x
        if padding != 0 or not auto_padding:
            rest["padding"] = padding
        elif auto_padding:
            rest["padding"] = auto_padding
        out = function(x, weight, bias, **rest)
        return out.movedim(-1 - n, -1) if last else out

    return convolved


def jax_conv(n):
    letters = SPACE[n]

    def convolved(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, auto_padding="",
        data_format=""):
        shape = f"N{letters}C" if data_format.endswith("C") else f"NC{letters}"
        padding = auto_padding or padding
        if not isinstance(padding, str):
            padding = [(p, p) for p in numbers(padding, n)]
        out = jax.lax.conv_general_dilated(x, weight, numbers(stride, n),
            padding.upper() if isinstance(padding, str) else padding,
            rhs_dilation=numbers(dilation, n), dimension_numbers=(shape, f"OI{letters}", shape),
            feature_group_count=groups)
        if bias is None:
            return out
        return out + (bias if data_format.endswith("C") else bias.reshape(-1, *[1] * n))

    return convolved


def conv(n, size):
    """Each option: stride, padding (number, list, word), dilation, groups, depthwise, layout."""
    def image(batch, channels, last=False):
        space = (size,) * (n - 1) + (size + 1,)
        return normal(batch, *space, channels) if last else normal(batch, channels, *space)

    def taps(filters, channels, of=3):
        return normal(filters, channels, *(of,) * n)

    pairs = tuple(range(1, n + 1))
    calls = [
        call(image(2, 3), taps(4, 3)), call(image(2, 3), taps(4, 3), normal(4)),
        call(image(1, 2), taps(3, 2), normal(3), stride=2, padding=1),
            call(image(1, 2), taps(3, 2, 2), stride=pairs),
        call(image(1, 2), taps(3, 2), padding=pairs, dilation=2),
            call(image(1, 2), taps(2, 2, 2), dilation=pairs),
        call(image(1, 4), taps(6, 2), groups=2),
            call(image(2, 3), taps(3, 1), normal(3), groups=3, padding=1),
        call(image(1, 2), taps(3, 2), padding="same"),
            call(image(1, 2), taps(3, 2), padding="valid"),
        call(image(1, 2), taps(3, 2), auto_padding="same"), call(image(1, 2), taps(3, 2, 1)),
        call(image(2, 3, last=True), taps(4, 3), normal(4), data_format=f"N{SPACE[n]}C"),
        call(image(2, 3), taps(4, 3), data_format=f"NC{SPACE[n]}"),
    ]
    calls += [call(normal(2, *(size,) * n), taps(3, 2), normal(3), only="torch")]
    wrong = [call(image(1, 2), taps(3, 3)), call(image(1, 2), taps(3, 2, 9), only="torch"),
             call(image(1, 2), taps(3, 2), stride=0), call(image(1, 3), taps(4, 3), groups=2)]
    return entry(f"nn.conv{n}d", channels_first(n, getattr(F, f"conv{n}d")), jax_conv(n), *calls,
        wrong=wrong, **SUMS)


def conv_transpose(n, size):
    def image(batch, channels, last=False):
        space = (size,) * n
        return normal(batch, *space, channels) if last else normal(batch, channels, *space)

    def taps(channels, filters, of=3):
        return normal(channels, filters, *(of,) * n)

    calls = [
        call(image(2, 3), taps(3, 4)), call(image(2, 3), taps(3, 4), normal(4), stride=2),
        call(image(1, 2), taps(2, 3), normal(3), stride=2, padding=1, output_padding=1),
        call(image(1, 2), taps(2, 3), stride=tuple(range(1, n + 1)), dilation=2),
            call(image(1, 4), taps(4, 3), groups=2),
        call(image(1, 2), taps(2, 2, 2), padding=(1,) * n, dilation=2),
        call(image(2, 3, last=True), taps(3, 4), normal(4), stride=2, data_format=f"N{SPACE[n]}C"),
        call(normal(2, *(size,) * n), taps(2, 3)),
    ]
    wrong = [call(image(1, 2), taps(3, 3)), call(image(1, 2), taps(2, 3), stride=0),
             call(image(1, 2), taps(2, 3), output_padding=1)]
    return entry(f"nn.conv_transpose{n}d", channels_first(n, getattr(F, f"conv_transpose{n}d")),
        None, *calls, wrong=wrong, **SUMS)


def jax_primitive(x, weight, stride=(), dilation=(), low=(), high=(), input_dilation=(), groups=1):
    """Channels last; weights have their filters last."""
    n = x.ndim - 2
    low, high = low or (0,) * n, high or (0,) * n
    letters = SPACE[n]
    return jax.lax.conv_general_dilated(
        x, weight, stride or (1,) * n, list(zip(low, high)), input_dilation or (1,) * n,
            dilation or (1,) * n,
        (f"N{letters}C", f"{letters}IO", f"N{letters}C"), groups)


COLUMNS = [
    entry("nn.unfold", F.unfold, None, call(normal(2, 3, 5, 6), kernel_size=(2, 3)),
          call(normal(2, 3, 5, 6), kernel_size=2, dilation=2, padding=1, stride=2),
          call(normal(2, 3, 5, 6), kernel_size=(2, 2), dilation=(1, 2), padding=(0, 1),
          stride=(2, 1)), call(normal(3, 5, 6), kernel_size=2),
          wrong=[call(normal(1, 1, 2, 2), kernel_size=3), call(normal(3), kernel_size=1)]),
    entry("nn.fold", F.fold, None, call(normal(2, 12, 20), output_size=(5, 6), kernel_size=2),
          call(normal(2, 12, 9), output_size=(5, 6), kernel_size=2, dilation=1, padding=1,
          stride=(2, 3)), call(normal(12, 9), output_size=(5, 5), kernel_size=(2, 2), dilation=2),
          wrong=[call(normal(2, 12, 19), output_size=(5, 6), kernel_size=2),
          call(normal(2, 11, 20), (5, 6), 2)]),
    entry("nn.pixel_shuffle", F.pixel_shuffle, None, call(normal(2, 8, 3, 2), 2),
          call(normal(9, 1, 2), 3), wrong=[call(normal(1, 3, 2, 2), 2)]),
    entry("nn.pixel_unshuffle", F.pixel_unshuffle, None, call(normal(2, 2, 6, 4), 2),
          call(normal(1, 3, 6), 3), wrong=[call(normal(1, 3, 3, 2), 2)]),
    entry("nn.depth_to_space", lambda x, factor: torch.einsum("bhwrsc->bhrwsc",
          x.unflatten(-1, (factor, factor, -1))).reshape(x.shape[0], x.shape[1] * factor,
          x.shape[2] * factor, -1), None, call(normal(2, 3, 2, 8), 2), call(normal(1, 2, 2, 9), 3),
          wrong=[call(normal(1, 2, 2, 3), 2)]),
    entry("nn.space_to_depth", lambda x, factor: torch.einsum("bhrwsc->bhwrsc",
          x.unflatten(1, (-1, factor)).unflatten(3, (-1, factor))).flatten(3), None,
          call(normal(2, 6, 4, 3), 2), call(normal(1, 3, 6, 1), 3),
          wrong=[call(normal(1, 3, 2, 3), 2)]),
]


def resized(x, size=None, scale_factor=None, mode="nearest", align_corners=False, data_format=""):
    last = data_format.endswith("C")
    x = x.movedim(-1, 1) if last else x
    names = {3: "linear", 4: "bilinear", 5: "trilinear"}
    mode = names[x.dim()] if mode == "linear" else mode
    corners = align_corners if mode in ("linear", "bilinear", "trilinear", "bicubic") else None
    out = F.interpolate(x, size=size, scale_factor=scale_factor, mode=mode, align_corners=corners)
    return out.movedim(1, -1) if last else out


ROW, IMAGE, VOLUME = normal(2, 3, 7), normal(2, 3, 5, 6), normal(1, 2, 3, 4, 3)
RESIZED = entry(
    "nn.interpolate", resized, None,
    *(call(each, size=size, mode=mode) for mode in ("nearest", "nearest-exact", "area")
      for each, size in ((ROW, 4), (ROW, 11), (IMAGE, (3, 9)), (VOLUME, (2, 5, 7)))),
    *(call(each, size=size, mode="linear", align_corners=corners) for corners in (False, True)
      for each, size in ((ROW, 4), (ROW, 11), (IMAGE, (3, 9)), (VOLUME, (2, 5, 7)))),
    *(call(IMAGE, size=size, mode="bicubic", align_corners=corners) for corners in (False, True)
      for size in ((3, 9), (10, 4), (1, 1))),
    *(call(IMAGE, scale_factor=factor, mode=mode) for factor in (2.0, 0.6, 1.7)
      for mode in ("nearest", "nearest-exact", "linear", "bicubic")),
    call(normal(2, 5, 6, 3), size=(4, 4), mode="bilinear", data_format="NHWC"), call(ROW, size=5),
    looser=100, why="places are computed in float32 or float64, by products or quotients",
    wrong=[call(IMAGE), call(IMAGE, size=(2, 3, 4)), call(IMAGE, size=(0, 2)),
        call(IMAGE, size=(2, 2), mode="other"), call(IMAGE, size=(2, 2), scale_factor=2.0)])



def torch_channels_last(x):
    """PyTorch has no such layout of rows of one axis: the values are all that can be compared."""
    layouts = {4: torch.channels_last, 5: torch.channels_last_3d}
    if x.dim() == 3:
        return torch_channels_last(x[..., None])[..., 0]
    return x.contiguous(memory_format=layouts.get(x.dim(), torch.channels_last))


LAYOUT = entry("nn.to_channels_last", torch_channels_last, None, call(ROW), call(IMAGE),
    call(VOLUME), call(normal(0, 3, 2, 2), grad=False), half=True, complex=True,
    wrong=[call(normal(3, 4)), call(normal())])

ENTRIES = [
    conv(1, 7), conv(2, 6), conv(3, 4), conv_transpose(1, 5), conv_transpose(2, 4),
        conv_transpose(3, 3),
    entry("nn.conv", None, jax_primitive, call(normal(2, 6, 5, 3), normal(3, 3, 3, 4)),
          call(normal(1, 6, 5, 4), normal(3, 2, 2, 6), stride=(2, 1), dilation=(1, 2), low=(1, 0),
          high=(0, 2), groups=2), call(normal(1, 4, 2), normal(3, 2, 3), input_dilation=(2,),
          low=(2,), high=(2,)), wrong=[call(normal(1, 4, 2), normal(3, 3, 3))], **SUMS),
    RESIZED, LAYOUT, *COLUMNS,
]
