"""evaluate and predict: a model at work, without training."""

from .. import _core, _ops, _tree
from .._tape import no_grad
from . import batches as _batches
from .compiled import call
from .progress import shown_by

_concat = _ops.op("", "concat")


def source_of(x, y, batch_size, who):
    """Batches of (x, y): of a dataset, of a pair of both, or of tensors."""
    if isinstance(x, _batches.Rows) or _batches.is_dataset(x):
        return x
    if y is None and isinstance(x, tuple) and len(x) == 2 and who == "fit":  # validation_data
        x, y = x
    return _batches.Rows(x, y, batch_size, who)


def items_of(source, who):
    if isinstance(source, _batches.Rows):
        for x, y, _ in source.batches(None):
            yield x, y
        return
    for item in source:
        yield _batches.pair_of(item, who)


def measured(model, compiled, x, y, batch_size, prefix, progress=None):
    """{name: value} over all examples."""
    source = source_of(x, y, batch_size, "fit" if prefix else "evaluate")
    was = model.training
    compiled.reset()
    try:
        model.eval()
        with no_grad():
            for x, y in items_of(source, "evaluate"):
                count = _batches.count_of(x)
                _, out = compiled.test_step(x, y, None, _core._tensor(float(count), None, "evaluate"))
                for metric in compiled.metrics:
                    if not metric.is_traced:
                        metric.update(out, y)
                if progress is not None:
                    progress.advance(count, compiled)
    finally:
        model.train(was)
    return compiled.logs(prefix)


def evaluated(model, compiled, x, y, batch_size, verbose):
    progress = shown_by(verbose)
    source = source_of(x, y, batch_size, "evaluate")
    progress.begin(None, None, _batches.length_of(source), 0)
    logs = measured(model, compiled, source, None, batch_size, "", progress)
    progress.end(logs)
    return logs


def predicted(model, x, batch_size):
    from .._function import function

    forward = model.__dict__.get("_predict")
    if forward is None:
        forward = function(lambda x: call(model, x))
        object.__setattr__(model, "_predict", forward)
    source = x if _batches.is_dataset(x) else _batches.Rows(x, None, batch_size, "predict")
    was, parts, form = model.training, [], None
    try:
        model.eval()
        with no_grad():
            for x, _ in items_of(source, "predict"):
                leaves, form = _tree.flatten(forward(x))
                parts.append(leaves)
    finally:
        model.train(was)
    if not parts:
        raise _core.InvalidError("predict: there are no rows to compute [predict.rows]")
    return _tree.unflatten(form, [_concat(list(column), axis=0) for column in zip(*parts)])
