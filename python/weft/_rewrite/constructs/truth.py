"""The truth of a traced value: a scalar of dtype bool, or a refusal."""

from .. import laws, trees
from ..backend import current


def predicate(x, site):
    """A traced value as the predicate of a branch or loop."""
    shape = current.b.shape(x)
    if any(not isinstance(size, int) or size != 1 for size in shape):
        raise laws.refusal("truth_shape", site.place, construct=site.construct, a=trees.described(x))
    for _ in shape:  # one value, as Python takes it for true or false
        x = current.b.element(x, 0)
    return current.b.truth(x)


def refuse_traced(x, label, site):
    """x, if Python can decide by it: where a construct has no traced form."""
    if current.b.is_traced(x):
        raise laws.refusal(label, site.place, construct=site.construct, a=trees.described(x))
    return x
