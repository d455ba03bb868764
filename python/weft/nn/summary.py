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
        rows = [(row.name, type(row.module).__name__, row.results, sum(v.size for v in row.module.parameters()), row.operations,
                 row.bytes) for row in self.rows]
        return _core._summary_text(rows, self.parameters, self.frozen)

    __repr__ = __str__


def summarize(module, inputs):
    """Calls the module once, without training it, and looks at every module in it."""
    _require_inputs(module, inputs)
    given = [_ops.op("", "zeros")(tuple(x)) if _is_shape(x) else x for x in inputs]
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
        operations, size = _core._operations(seen.op, seen.inputs, seen.outputs), sum(x.nbytes for x in seen.outputs)
        for row in {id(row): row for row in open_rows}.values():
            row.operations += operations
            row.bytes += size

    handles = []
    try:
        module.eval()
        if module._is_any_pending():
            with no_grad():
                module(*given)  # draws what the first call tells the sizes of, which is no part of a call
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


def _require_inputs(module, inputs):
    """Raises if forward takes more or fewer inputs."""
    import inspect

    try:
        signature = inspect.signature(module.forward)
    except (TypeError, ValueError):  # of a callable that has none
        return
    try:
        signature.bind(*inputs)
    except TypeError:
        kind = type(module).__name__
        if inputs:
            count = f"{len(inputs)} input{'s are' if len(inputs) > 1 else ' is'}"
            wrong = (f"the forward of a {kind} takes ({', '.join(signature.parameters)}), but {count} given; give a tensor or a shape for "
                     "each, such as model.summary((1, 16), (1, 16))")
        else:
            wrong = (f"a {kind} does not know what it will be called with; give a tensor or a shape, such as "
                     "model.summary((1, 3, 32, 32))")
        raise _core.InvalidError(f"summary: {wrong} [summary.input]") from None


def _is_shape(x):
    """Whether an input stands for zeros, and is no tree of tensors."""
    return isinstance(x, (tuple, list)) and not any(isinstance(leaf, _core.Tensor) for leaf in _tree.flatten(x)[0])
