"""The rows of optimizers: one step over all parameters of a network, beside PyTorch's fused and default ones."""

from __future__ import annotations

from rows import Row


def resnet50_shapes():
    """The 161 parameters of ResNet-50: weights of convolutions and two vectors of each norm, then the classifier."""
    shapes = []

    def conv(inputs, outputs, size):
        shapes.extend([(outputs, inputs, size, size), (outputs,), (outputs,)])

    conv(3, 64, 7)
    inputs = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            conv(inputs, width, 1)
            conv(width, width, 3)
            conv(width, 4 * width, 1)
            if block == 0:
                conv(inputs, 4 * width, 1)
            inputs = 4 * width
    return shapes + [(1000, 2048), (1000,)]


SETS = {"ResNet-50, 161 tensors": resnet50_shapes, "1,000 tensors of 1,000": lambda: [(1000,)] * 1000}


def step_rows(wf, torch, np):
    for label, shapes_of in SETS.items():
        rng = np.random.default_rng(21)
        arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes_of()]
        elements = sum(a.size for a in arrays)

        def weft(name, arrays=arrays, **keywords):
            parameters = [wf.Variable(a) for a in arrays]
            for parameter, array in zip(parameters, arrays):
                parameter.grad = wf.tensor(array * np.float32(0.01))
            return getattr(wf.optim, name)(parameters, **keywords).step

        def peer(name, arrays=arrays, **keywords):
            parameters = [torch.nn.Parameter(torch.from_numpy(a.copy())) for a in arrays]
            for parameter, array in zip(parameters, arrays):
                parameter.grad = torch.from_numpy(array * np.float32(0.01))
            return getattr(torch.optim, name)(parameters, **keywords).step

        # AdamW reads parameter, gradient and two moments and writes all but the gradient.
        yield Row(f"AdamW, {label}, fused", make=lambda w=weft, t=peer: {"weft": w("AdamW"), "torch": t("AdamW", fused=True)},
                  bytes=28 * elements)
        yield Row(f"AdamW, {label}, default", make=lambda w=weft, t=peer: {"weft": w("AdamW"), "torch": t("AdamW")},
                  bytes=28 * elements)
        yield Row(f"SGD with momentum, {label}, fused",
                  make=lambda w=weft, t=peer: {"weft": w("SGD", momentum=0.9), "torch": t("SGD", momentum=0.9, fused=True)},
                  bytes=20 * elements)


FAMILIES = (step_rows,)
