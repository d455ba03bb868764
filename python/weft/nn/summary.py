"""Module.summary: a table of modules with results, parameters, operations and bytes."""

from .. import _core, _observe, _ops, _tree
from .._tape import no_grad


class _Row:
    def __init__(self, name, module):
        self.name, self.module = name, module
        self.results, self.operations, self.bytes = "", 0, 0


class Summary:
    """What a call of a model does, module by module; `print(it)` shows the table."""

    def __init__(self, title, rows, parameters, frozen):
        self.title, self.rows, self.parameters, self.frozen = title, rows, parameters, frozen
        self.operations = rows[0].operations if rows else 0
        self.bytes = rows[0].bytes if rows else 0

    def __str__(self):
        head = ("module", "result", "parameters", "operations", "memory")
        lines = [head]
        for row in self.rows:
            depth = row.name.count(".") + 1 if row.name else 0
            label = "  " * depth + (row.name.rpartition(".")[2] + ": " if row.name else "") + type(row.module).__name__
            own = sum(v.size for v in row.module.parameters())
            lines.append((label, row.results, f"{own:,}" if own else "", _short(row.operations), _bytes(row.bytes)))
        widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
        shown = ["  ".join(cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(line, widths))).rstrip()
                 for line in lines]
        rule = "-" * max(map(len, shown))
        frozen = f", {self.frozen:,} of them frozen" if self.frozen else ""
        return "\n".join([shown[0], rule, *shown[1:], rule,
                          f"{self.parameters:,} parameters{frozen}; {_short(self.operations) or '0'} operations a call; "
                          f"{_bytes(self.bytes) or '0 B'} of results"])

    __repr__ = __str__


def summarize(module, inputs):
    """Calls the module once, without training it, and looks at every module in it."""
    given = [x if isinstance(x, _core.Tensor) else _ops.op("", "zeros")(tuple(x)) for x in inputs]
    modes = [(each, each.training) for each in module.modules()]
    rows, by_module, open_rows = [], {}, []
    for name, each in module.named_modules():
        by_module[id(each)] = _Row(name, each)
        rows.append(by_module[id(each)])

    def enter(each, args):
        open_rows.append(by_module[id(each)])

    def leave(each, args, out):
        row = open_rows.pop()
        leaves = [x for x in _tree.flatten(out)[0] if isinstance(x, _core.Tensor)]
        row.results = ", ".join(str(list(x.shape)) for x in leaves)

    def count(seen):
        if not seen.made():
            return
        operations, size = _operations(seen), sum(x.nbytes for x in seen.outputs)
        for row in {id(row): row for row in open_rows}.values():
            row.operations += operations
            row.bytes += size

    handles = []
    try:
        module.eval()
        for _, each in module.named_modules():
            handles += [each.register_forward_pre_hook(enter), each.register_forward_hook(leave)]
        with no_grad(), _observe.observe(count):
            module(*given)
    finally:
        for handle in handles:
            handle.remove()
        for each, mode in modes:
            object.__setattr__(each, "training", mode)
    parameters = module.parameters()
    return Summary(type(module).__name__, rows, sum(v.size for v in parameters), sum(v.size for v in parameters if not v.trainable))


def _operations(seen):
    """Multiplications and additions of an op, as people count them: two for each product of a matrix or a convolution, one
    for each element of all others."""
    out = sum(x.size for x in seen.outputs)
    if seen.op == "matmul":
        return 2 * out * seen.inputs[0].shape[-1]
    if seen.op == "conv":  # its weight is [space.., in_channels / groups, out_channels]
        weight = seen.inputs[1]
        return 2 * out * (weight.size // max(weight.shape[-1], 1))
    if seen.op == "flash_attention":  # scores, and the sum by them
        q, k = seen.inputs[0], seen.inputs[1]
        return 4 * q.size * k.shape[-2]
    return out


def _short(count):
    for unit, word in ((10 ** 12, "T"), (10 ** 9, "G"), (10 ** 6, "M"), (10 ** 3, "k")):
        if count >= unit:
            return f"{count / unit:.3g} {word}"
    return str(count) if count else ""


def _bytes(count):
    for unit, word in ((2 ** 30, "GB"), (2 ** 20, "MB"), (2 ** 10, "KB")):
        if count >= unit:
            return f"{count / unit:.3g} {word}"
    return f"{count} B" if count else ""
