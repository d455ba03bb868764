"""Module.draw: the layers of a model as a graph, with their classes, shapes and parameters."""

from .. import _core, _hints, _ops, _picture
from .._function import function
from .._tape import no_grad


def draw(module, path, inputs, depth, repeats):
    """Traces one call, without training, and draws it with a box for each module."""
    depth, repeats = _hints.as_integer(depth, "draw", "depth"), _hints.as_flag(repeats, "draw", "repeats")
    given = [_ops.op("", "zeros")(tuple(x)) if _is_shape(x) else x for x in inputs]
    modes = [(each, each.training) for each in module.modules()]
    try:
        module.eval()
        with no_grad():
            if module._is_any_pending():
                module(*given)  # the first call infers the sizes of layers
            trace = function(lambda *args: module(*args)).get_concrete_function(*given)
    finally:
        for each, mode in modes:
            object.__setattr__(each, "training", mode)
    modules = {name.replace(".", "/"): (type(each).__name__, sum(v.size for v in each.parameters()), not any(True for _ in each.named_children()))
               for name, each in module.named_modules() if name}
    total = sum(v.size for v in module.parameters())
    title = f"{type(module).__name__}: {total:,} parameters"
    what = "svg" if path is None else _picture.format_of(path)
    return _picture.written(trace._shown(what, depth=depth, repeats=repeats, modules=modules, title=title, sizes=True), path)


def inputs_of(module, given):
    """What the model is called with: one tensor or shape, or a list of them."""
    if given is None:
        raise _core.InvalidError(f"draw: a {type(module).__name__} does not know what it will be called with; give a tensor or a shape, "
                                 "such as model.draw(input=(1, 3, 32, 32)), or a list of them [draw.input]")
    return [given] if _is_shape(given) or not isinstance(given, (list, tuple)) else list(given)


def _is_shape(x):
    """Whether an input stands for float32 zeros of this shape."""
    return isinstance(x, (tuple, list)) and all(isinstance(size, int) for size in x)
