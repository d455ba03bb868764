"""The convolutions of ResNet-18, ResNet-50 and MobileNetV2, forward and backward.

Weft reads tensors with their channels last in memory, as its own convolutions leave them. PyTorch is given the better
of its two layouts, found by a short trial. Backward is both gradients, but for the first layer, whose input has none.
"""

from __future__ import annotations

import time

from rows import Row

BATCH = 8
# Each shape once. name: channels, filters, groups, size, taps, stride
RESNET = {
    "7x7/2 3>64 @224": (3, 64, 1, 224, 7, 2),
    "3x3 64 @56": (64, 64, 1, 56, 3, 1),
    "3x3/2 64>128 @56": (64, 128, 1, 56, 3, 2),
    "1x1/2 64>128 @56": (64, 128, 1, 56, 1, 2),
    "3x3 128 @28": (128, 128, 1, 28, 3, 1),
    "3x3/2 128>256 @28": (128, 256, 1, 28, 3, 2),
    "1x1/2 128>256 @28": (128, 256, 1, 28, 1, 2),
    "3x3 256 @14": (256, 256, 1, 14, 3, 1),
    "3x3/2 256>512 @14": (256, 512, 1, 14, 3, 2),
    "1x1/2 256>512 @14": (256, 512, 1, 14, 1, 2),
    "3x3 512 @7": (512, 512, 1, 7, 3, 1),
    "1x1 64 @56": (64, 64, 1, 56, 1, 1),
    "1x1 64>256 @56": (64, 256, 1, 56, 1, 1),
    "1x1 256>64 @56": (256, 64, 1, 56, 1, 1),
    "1x1 256>128 @56": (256, 128, 1, 56, 1, 1),
    "3x3/2 128 @56": (128, 128, 1, 56, 3, 2),
    "1x1/2 256>512 @56": (256, 512, 1, 56, 1, 2),
    "1x1 128>512 @28": (128, 512, 1, 28, 1, 1),
    "1x1 512>128 @28": (512, 128, 1, 28, 1, 1),
    "1x1 512>256 @28": (512, 256, 1, 28, 1, 1),
    "3x3/2 256 @28": (256, 256, 1, 28, 3, 2),
    "1x1/2 512>1024 @28": (512, 1024, 1, 28, 1, 2),
    "1x1 256>1024 @14": (256, 1024, 1, 14, 1, 1),
    "1x1 1024>256 @14": (1024, 256, 1, 14, 1, 1),
    "1x1 1024>512 @14": (1024, 512, 1, 14, 1, 1),
    "3x3/2 512 @14": (512, 512, 1, 14, 3, 2),
    "1x1/2 1024>2048 @14": (1024, 2048, 1, 14, 1, 2),
    "1x1 512>2048 @7": (512, 2048, 1, 7, 1, 1),
    "1x1 2048>512 @7": (2048, 512, 1, 7, 1, 1),
}
MOBILENET = {
    "3x3/2 3>32 @224": (3, 32, 1, 224, 3, 2),
    "1x1 32>16 @112": (32, 16, 1, 112, 1, 1),
    "1x1 16>96 @112": (16, 96, 1, 112, 1, 1),
    "1x1 96>24 @56": (96, 24, 1, 56, 1, 1),
    "1x1 24>144 @56": (24, 144, 1, 56, 1, 1),
    "1x1 144>24 @56": (144, 24, 1, 56, 1, 1),
    "1x1 144>32 @28": (144, 32, 1, 28, 1, 1),
    "1x1 32>192 @28": (32, 192, 1, 28, 1, 1),
    "1x1 192>32 @28": (192, 32, 1, 28, 1, 1),
    "1x1 192>64 @14": (192, 64, 1, 14, 1, 1),
    "1x1 64>384 @14": (64, 384, 1, 14, 1, 1),
    "1x1 384>64 @14": (384, 64, 1, 14, 1, 1),
    "1x1 384>96 @14": (384, 96, 1, 14, 1, 1),
    "1x1 96>576 @14": (96, 576, 1, 14, 1, 1),
    "1x1 576>96 @14": (576, 96, 1, 14, 1, 1),
    "1x1 576>160 @7": (576, 160, 1, 7, 1, 1),
    "1x1 160>960 @7": (160, 960, 1, 7, 1, 1),
    "1x1 960>160 @7": (960, 160, 1, 7, 1, 1),
    "1x1 960>320 @7": (960, 320, 1, 7, 1, 1),
    "1x1 320>1280 @7": (320, 1280, 1, 7, 1, 1),
    "depthwise 3x3 32 @112": (32, 32, 32, 112, 3, 1),
    "depthwise 3x3/2 96 @112": (96, 96, 96, 112, 3, 2),
    "depthwise 3x3 144 @56": (144, 144, 144, 56, 3, 1),
    "depthwise 3x3/2 144 @56": (144, 144, 144, 56, 3, 2),
    "depthwise 3x3 192 @28": (192, 192, 192, 28, 3, 1),
    "depthwise 3x3/2 192 @28": (192, 192, 192, 28, 3, 2),
    "depthwise 3x3 384 @14": (384, 384, 384, 14, 3, 1),
    "depthwise 3x3 576 @14": (576, 576, 576, 14, 3, 1),
    "depthwise 3x3/2 576 @14": (576, 576, 576, 14, 3, 2),
    "depthwise 3x3 960 @7": (960, 960, 960, 7, 3, 1),
}


def quicker(runs):
    """The one of two equal calls that takes less time."""
    def best(run):
        times = []
        for _ in range(4):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)
    return min(runs, key=best)


def conv_runs(wf, torch, np, form, is_backward):
    channels, filters, groups, size, taps, stride = form
    rng = np.random.default_rng(9)
    padding = taps // 2
    x = rng.standard_normal((BATCH, size, size, channels), dtype=np.float32)
    weight = rng.standard_normal((filters, channels // groups, taps, taps), dtype=np.float32) * 0.1
    wx, ww = wf.permute_dims(wf.asarray(x), (0, 3, 1, 2)), wf.asarray(weight)
    call = dict(stride=stride, padding=padding, groups=groups)
    g = rng.standard_normal((BATCH, size // stride, size // stride, filters), dtype=np.float32)
    wg = wf.permute_dims(wf.asarray(g), (0, 3, 1, 2))
    peers, is_first = [], channels == 3
    for layout in (torch.contiguous_format, torch.channels_last):
        tx, tw, tg = (torch.from_numpy(v).contiguous(memory_format=layout)
                      for v in (x.transpose(0, 3, 1, 2), weight, g.transpose(0, 3, 1, 2)))
        if not is_backward:
            peers.append(lambda tx=tx, tw=tw: torch.nn.functional.conv2d(tx, tw, **call))
        else:
            peers.append(lambda tx=tx, tw=tw, tg=tg: torch.ops.aten.convolution_backward(
                tg, tx, tw, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups,
                [not is_first, True, False]))
    if not is_backward:
        return {"weft": lambda: wf.nn.conv2d(wx, ww, **call), "torch": quicker(peers)}
    if is_first:
        _, pull = wf.vjp(lambda b: wf.nn.conv2d(wx, b, **call), ww)
    else:
        _, pull = wf.vjp(lambda a, b: wf.nn.conv2d(a, b, **call), wx, ww)
    return {"weft": lambda: pull(wg), "torch": quicker(peers)}


def conv_rows(wf, torch, np):
    for name, form in (RESNET | MOBILENET).items():
        channels, filters, groups, size, taps, stride = form
        flops = 2 * BATCH * (size // stride) ** 2 * filters * channels * taps**2 if groups == 1 else 0
        kind = "dense convolution" if groups == 1 else "depthwise convolution"
        for is_backward in (False, True):
            yield Row(f"conv {name}{' backward' if is_backward else ''}",
                      make=lambda form=form, is_backward=is_backward: conv_runs(wf, torch, np, form, is_backward),
                      flops=flops * (2 if is_backward and channels != 3 else 1),
                      group=f"{kind}, {'backward' if is_backward else 'forward'}")


FAMILIES = (conv_rows,)
