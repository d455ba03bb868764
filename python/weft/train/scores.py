"""How metrics read what models give and what they should have given: scores of classes, or of yes and no."""

from typing import NamedTuple

from .. import _core, _ops, _tree

_sum, _argmax, _cast = _ops.op("", "sum"), _ops.op("", "argmax"), _ops.op("", "cast")


def one_of_each(metric, output, target):
    """An output and a target as tensors. Refuses what a model of several outputs gives."""
    if any(isinstance(one, (dict, list, tuple)) or one is None for one in (output, target)):
        counts = [len(_tree.flatten(tree)[0]) for tree in (output, target)]
        raise _core.InvalidError(f"{metric.name}: there are {counts[0]} outputs and {counts[1]} targets of a batch; it measures one of "
                                 f"each: give a function of (output, target) [{metric.name}.outputs]")
    return [_core._tensor(one, None, metric.name) for one in (output, target)]


class Read(NamedTuple):
    """What a batch says: scores, with classes along the last axis or one for each answer; and the class of each answer."""

    scores: object
    classes: object
    has_classes: bool


def _has_classes(metric, output):
    """Whether an example has a score for each class, along the last axis."""
    return metric.scores == "classes" and len(output.shape) >= 2 and output.shape[-1] != 1


def classes_last(metric, output, target):
    """Both with classes along the last axis, whichever the loss has them along; targets that are a column of classes without it."""
    output, target = one_of_each(metric, output, target)
    rank = len(output.shape)
    if -rank <= metric.axis < rank and metric.axis not in (-1, rank - 1):
        move = _ops.op("", "moveaxis")
        target = move(target, metric.axis, -1) if len(target.shape) == rank else target
        output = move(output, metric.axis, -1)
    if _has_classes(metric, output) and len(target.shape) == rank:
        target = _one_score(target)
    return output, target


def read(metric, output, target):
    """A batch of scores and classes; raises if their shapes do not fit."""
    output, target = classes_last(metric, output, target)
    if not _has_classes(metric, output):
        scores, answers = _one_score(output), _one_score(target)
        need_same(metric, scores, answers, output, target, "each score has one target")
        return Read(scores, _cast(answers > 0.5 if "floating" in answers.dtype.kind else answers, _core.int64), False)
    is_one_hot = len(target.shape) == len(output.shape)
    need_same(metric, output if is_one_hot else output[..., 0], target, output, target,
              "targets are the class of each example, or one hot")
    return Read(output, _argmax(target, axis=-1) if is_one_hot else _cast(target, _core.int64), True)


def need_same(metric, a, b, output, target, told):
    """Raises if shapes differ, with those of output and target."""
    if a.shape != b.shape:
        raise _core.InvalidError(f"{metric.name}: the output has shape {list(output.shape)} and the target {list(target.shape)}; {told} "
                                 f"[{metric.name}.shape]")


def _one_score(x):
    return x[..., 0] if len(x.shape) >= 2 and x.shape[-1] == 1 else x


def predicted(metric, batch, threshold=None):
    """The classes that scores name: of the greatest one; of one that stands alone 1, for yes, above one half, of logits above 0."""
    if batch.has_classes:
        return _argmax(batch.scores, axis=-1)
    return _cast(batch.scores > (threshold if threshold is not None else 0.0 if metric.scores == "logits" else 0.5), _core.int64)


def counted(metric, classes):
    """Which targets count."""
    return classes == classes if metric.ignore_index is None else classes != metric.ignore_index


def matches(hits):
    """How many there are, as a float64."""
    return _sum(_cast(hits, _core.float64))


def rows_of(output):
    """The number of examples of what a model gave; 1 if it has no rows."""
    shapes = [leaf.shape for leaf in _tree.flatten(output)[0] if getattr(leaf, "shape", ())]
    return _core._tensor(shapes[0][0] if shapes else 1, None, "metric")
