"""associative_scan: running combinations along an axis, by a function of the user's."""

from . import _core, _hints, _ops, _tree
from ._users import users

_WHO = "associative_scan"


def _part(xs, axes, *bounds):
    return [x[(slice(None),) * axis + (slice(*bounds),)] for x, axis in zip(xs, axes)]


def _joined(a, b, axes):
    concat = _ops.op("", "concat")
    return [concat([x, y], axis=axis) for x, y, axis in zip(a, b, axes)]


def _interleaved(even, odd, axes, n):
    """even[0], odd[0], even[1], ...; even may have one more."""
    stack = _ops.op("", "stack")
    out = []
    for x, y, axis in zip(_part(even, axes, n // 2), odd, axes):
        shape = x.shape[:axis] + (n // 2 * 2,) + x.shape[axis + 1:]
        out.append(stack([x, y], axis=axis + 1).reshape(shape))
    return out if n % 2 == 0 else _joined(out, _part(even, axes, n // 2, None), axes)


def _scan(combine, xs, axes, n):
    if n < 2:
        return xs
    pairs = combine(_part(xs, axes, 0, n // 2 * 2, 2), _part(xs, axes, 1, None, 2))
    odd = _scan(combine, pairs, axes, n // 2)
    first = _part(xs, axes, 1)
    if n == 2:
        return _joined(first, odd, axes)
    between = combine(odd if n % 2 else _part(odd, axes, -1), _part(xs, axes, 2, None, 2))
    return _interleaved(_joined(first, between, axes), odd, axes, n)


def _axes_of(leaves, axis):
    if not leaves:
        raise _core.InvalidError(f"{_WHO}: there are no tensors to scan; give a tree with at least one [{_WHO}.empty]")
    axes = []
    for x in leaves:
        if not -x.ndim <= axis < x.ndim:
            raise _core.OutOfRangeError(f"{_WHO}: axis {axis} is out of range for shape {list(x.shape)} [{_WHO}.axis]")
        axes.append(axis % x.ndim)
        if x.shape[axis] != leaves[0].shape[axis]:
            raise _core.InvalidError(f"{_WHO}: axis {axis} has size {leaves[0].shape[axis]} and {x.shape[axis]}; all tensors "
                                     f"have one size along it [{_WHO}.size]")
    return axes


def associative_scan(fn, elems, axis=0, reverse=False):
    """Running combinations `fn(.. fn(x[0], x[1]) .., x[i])` along `axis` of every tensor in the tree `elems`.

    `fn` takes and gives trees of the same form; it works on slices, many at once, and must be associative. With `reverse`
    it runs from the end. In log2(n) steps, by odd and even places, in an order that depends on the size alone.

    >>> wf.associative_scan(lambda a, b: a + b, wf.tensor([1, 2, 3, 4]))
    tensor([ 1,  3,  6, 10], dtype=int64)
    """
    _hints.need_callable(fn, _WHO, "fn")
    _hints.need_integer(axis, _WHO, "axis")
    leaves, structure = _tree.flatten(elems)
    leaves = [_core._tensor(leaf, None, _WHO) for leaf in leaves]
    axes = _axes_of(leaves, axis)

    def combine(left, right):
        out, form = _tree.flatten(users(fn)(_tree.unflatten(structure, left), _tree.unflatten(structure, right)))
        if form != structure:
            raise _core.InvalidError(f"{_WHO}: the function gives the form {form} for {structure}; it must keep it "
                                     f"[{_WHO}.combine]")
        out = [_core._tensor(leaf, None, _WHO) for leaf in out]
        for x, like in zip(out, left):
            if x.shape != like.shape or x.dtype != like.dtype:
                raise _core.InvalidError(f"{_WHO}: the function gives {x.dtype}{list(x.shape)} for "
                                         f"{like.dtype}{list(like.shape)}; it must keep types [{_WHO}.combine]")
        return out

    flip = _ops.op("", "flip")

    def turned(xs):
        return [flip(x, axis=a) if reverse else x for x, a in zip(xs, axes)]

    return _tree.unflatten(structure, turned(_scan(combine, turned(leaves), axes, leaves[0].shape[axes[0]])))
