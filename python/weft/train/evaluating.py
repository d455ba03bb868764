"""evaluate and predict: a model at work, without training."""

from .. import _core, _ops, _tree
from .._tape import no_grad
from . import batches as _batches
from .blame import learn_sizes, told_of_layers
from .compiled import call
from .modes import mode_is
from .progress import shown_by
from .steps import Step

_concat = _ops.op("", "concat")


def source_of(x, y, batch_size, who, weight=None):
    """Batches of (x, y) or (x, y, weights): of a dataset, of a tuple of them, or of tensors."""
    if isinstance(x, _batches.Rows) or _batches.is_dataset(x):
        need_no_more(x, y, weight, who)
        if who != "fit":  # there it is of the rows that are trained with
            _batches.need_no_batch_size(batch_size, who)
        return x
    if y is None and isinstance(x, (tuple, list)) and len(x) in (2, 3) and who == "fit":  # validation_data
        x, y, weight = (*x, None)[:3]
    return _batches.Rows(x, y, batch_size, who, weight)


def need_no_more(x, y, weight, who):
    """Raises if there are targets or weights beside a dataset."""
    for name, what, given in (("y", "targets", y), ("sample_weight", "weights, as (x, y, weights),", weight)):
        if given is not None:
            raise _core.InvalidError(f"{who}: x is a dataset, which gives {what} too, but there is a {name}; leave it out [{who}.{name}]")


def items_of(source, who, interrupts=None):
    if isinstance(source, _batches.Rows):
        for x, y, weight, _ in source.batches(None):
            yield x, y, weight
        return
    for item in source if interrupts is None else interrupts.waited(source):
        yield _batches.parts_of(item, who)


def measured(model, compiled, source, who, prefix="", progress=None, interrupts=None):
    """{name: value} over all examples; None if it was interrupted."""
    compiled.reset()
    examples = 0
    with mode_is(model, False), no_grad():
        for x, y, weight in items_of(source, who, interrupts):
            if interrupts is not None and interrupts.asked:
                return None
            count = _batches.count_of(x)
            if not examples:
                learn_sizes(model, x, who)
            examples += count
            with told_of_layers(model, x, who):
                _, out = compiled.test_step(x, y, weight, _core._tensor(float(count), None, "evaluate"))
            for metric in compiled.metrics:
                if not metric.is_traced:
                    metric.update(out, y)
            if progress is not None:
                progress.advance(count, compiled)
    if interrupts is not None and interrupts.asked:
        return None
    if not examples:
        raise _batches.nothing_left(source, who, "validate" if prefix else "evaluate")
    return compiled.logs(prefix)


def evaluated(model, compiled, x, y, batch_size, verbose, weight):
    progress = shown_by(verbose)
    source = source_of(_batches.listed(x, y, compiled), y, batch_size, "evaluate", weight)
    progress.begin(None, None, _batches.length_of(source), 0)
    try:
        with compiled.apart():
            logs = measured(model, compiled, source, "evaluate", progress=progress)
    except BaseException:
        progress.break_off()
        raise
    progress.end(logs)
    return logs


def predicted(model, x, batch_size):
    forward = model.__dict__.get("_predict")
    if forward is None:
        forward = Step(lambda x: call(model, x), "predict")
        object.__setattr__(model, "_predict", forward)
    source = source_of(x, None, batch_size, "predict")
    parts, form = [], None
    with mode_is(model, False), no_grad():
        for x, _, _ in items_of(source, "predict"):
            if not parts:
                learn_sizes(model, x, "predict")
            with told_of_layers(model, x, "predict"):
                leaves, form = _tree.flatten(forward(x))
            parts.append(leaves)
    if not parts:
        raise _core.InvalidError("predict: there are no rows to compute [predict.rows]")
    return _tree.unflatten(form, [_concat(list(column), axis=0) for column in zip(*parts)])
