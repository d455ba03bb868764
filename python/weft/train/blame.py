"""Errors of a step told where they begin: of the layer that took the examples of a batch for something else."""

import contextlib
import inspect

from .. import _core, _graph
from .._tape import no_grad
from . import batches as _batches
from .modes import mode_is

_SPACES = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3, "ConvTranspose1d": 1, "ConvTranspose2d": 2, "ConvTranspose3d": 3}


def waiting_of(model):
    """(name, module) of the layers whose parameters wait for the sizes of a first batch."""
    return [(name, module) for name, module in model.named_modules() if module.__dict__.get("_key") is not None]


def learn_sizes(model, x, who):
    """Lets layers learn their sizes of a first batch: a convolution that takes the batch for one example would learn a wrong one."""
    from .compiled import call

    waiting = waiting_of(model)
    if not waiting:
        return
    count = _batches.count_of(x)

    def look(name, module, args):
        axes, given = _SPACES.get(type(module).__name__), args[0] if args else None
        if axes is not None and isinstance(given, _core.Tensor) and len(given.shape) == axes + 1 and given.shape[0] == count:
            raise _missing_axis(name, module, given, count, who)

    with mode_is(model, False), no_grad(), _told_of_inputs(model, x, who), _hooked(waiting, "before", look):
        call(model, x)


@contextlib.contextmanager
def told_of_layers(model, x, who):
    """A step that a traced function could not be made of is computed once more, op by op and with all sizes known: what a layer
    says of its input comes before what the loss says of the output."""
    with _told_of_inputs(model, x, who):
        try:
            yield
        except _core.Error as error:
            found = _found_in_layers(model, x, who)
            if found is None or _law_of(found) == _law_of(error):
                raise
            raise found from error


@contextlib.contextmanager
def _told_of_inputs(model, x, who):
    """A model that takes another number of inputs was given targets among them, most often."""
    try:
        yield
    except TypeError as error:
        if isinstance(error, _core.Error) or not isinstance(x, (tuple, dict)) or _takes(model, x):
            raise
        parts = f"{len(x)} parts of x" if isinstance(x, tuple) else f"parts of x named {', '.join(map(str, x))}"
        beside = "predict takes no targets" if who == "predict" else f"targets stand beside x, {who}(x, y)"
        raise _core.WrongTypeError(f"{who}: the model is called with the {parts}, and {type(model).__name__}.forward does not take them; "
                                   f"{beside}, and a batch is (x, y) or (x, y, weights), where x of several inputs is a tuple of its own: "
                                   f"((a, b), y) [{who}.inputs]") from error


def _takes(model, x):
    signature = inspect.signature(model.forward)
    try:
        signature.bind(*x) if isinstance(x, tuple) else signature.bind(**x)
    except TypeError:
        return False
    return True


def _law_of(error):
    return str(error).partition("\n")[0].rpartition("[")[2]


def _found_in_layers(model, x, who):
    from .compiled import call

    count, lost = _batches.count_of(x), []

    def look(name, module, args, out):
        given = args[0] if args else None
        axes = _SPACES.get(type(module).__name__)
        is_single = axes is not None and isinstance(given, _core.Tensor) and len(given.shape) == axes + 1
        if is_single and given.shape[0] == count and not lost:
            lost.append(_missing_axis(name, module, given, count, who))

    with _graph.eager(), mode_is(model, False), no_grad(), _hooked(model.named_modules(), "after", look):
        try:
            call(model, x)
        except _core.Error as error:
            return lost[0] if lost else error  # what follows a convolution that took examples for channels is of its making
    return lost[0] if lost else None


def _missing_axis(name, module, given, count, who):
    layer = f"{type(module).__name__}{f' {name!r}' if name else ''}"
    return _core.InvalidError(f"{who}: {layer} was given a batch of shape {list(given.shape)}, and takes its {count} examples for channels; "
                              f"it needs an axis of channels after that of examples: x[:, None] makes one [{who}.channels]")


@contextlib.contextmanager
def _hooked(modules, when, look):
    """Calls look(name, module, ...) beside each call of the modules."""
    handles = []
    try:
        for name, module in modules:
            register = module.register_forward_pre_hook if when == "before" else module.register_forward_hook
            handles.append(register(lambda m, *more, name=name: look(name, m, *more)))
        yield
    finally:
        for handle in handles:
            handle.remove()
