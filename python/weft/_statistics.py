"""Statistics whose arguments NumPy spells otherwise than the op."""

from . import _hints, _ops


@_hints.spoken
def histogram(x, bins=10, range=None, density=False, weights=None):
    """How many elements of `x` are in each bin (or the sum of their `weights`), and the edges of the bins. `bins` is the
    number of equal bins between the two numbers of `range`, which are the least and the greatest element if left out, or
    ascending edges. A bin has its first edge and not its second, but the last has both; what is outside is not counted.
    With `density`, counts are divided by their sum and by the width of each bin.

    >>> wf.histogram(wf.tensor([0.5, 1.5, 1.7, 3.0]), 3, range=(0.0, 3.0))[0]
    tensor([1, 2, 1], dtype=int64)
    """
    op = _ops.op("", "histogram")
    options = {name: value for name, value in (("range", range), ("weights", weights)) if value is not None}
    if getattr(bins, "ndim", None) or isinstance(bins, (list, tuple)):
        return op(x, edges=bins, density=density, **options)
    return op(x, bins=bins, density=density, **options)
