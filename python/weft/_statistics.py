"""Statistics whose arguments NumPy spells otherwise than the op."""

from . import _core, _hints, _ops


@_hints.spoken
def histogram(x, bins=10, range=None, density=False, weights=None):
    """How many elements of `x` are in each bin (or the sum of their `weights`), and the edges of the bins. `bins` is the
    number of equal bins between the two numbers of `range`, which are the least and the greatest element if left out, or
    ascending edges. A bin has its first edge and not its second, but the last has both; what is outside is not counted.
    With `density`, counts are divided by their sum and by the width of each bin. Numbers of Python are float64 until they
    become edges in the dtype of `x`.

    >>> wf.histogram(wf.tensor([0.5, 1.5, 1.7, 3.0]), 3, range=(0.0, 3.0))[0]
    tensor([1, 2, 1], dtype=int64)
    """
    def exact(name, value):  # as float32, 0.1 would be beyond an element 0.1 in float64
        return _core._tensor(value, _core.float64, "histogram", name) if isinstance(value, (list, tuple)) else value

    op = _ops.op("", "histogram")
    options = {} if weights is None else {"weights": weights}
    if range is not None:
        options["range"] = exact("range", range)
    if getattr(bins, "ndim", None) or isinstance(bins, (list, tuple)):
        return op(x, edges=exact("bins", bins), density=density, **options)
    return op(x, bins=bins, density=density, **options)
