"""Clipping of gradients."""

from .. import _core, _tree
from ._base import listed


def clip_grad_norm(parameters, max_norm):
    """Scales the gradients in these Variables so that their common norm is at most `max_norm`; gives the norm they had.

    >>> w = wf.Variable([3.0, 4.0])
    >>> (w * w).sum().backward()
    >>> wf.optim.clip_grad_norm([w], 1.0)
    tensor(10., dtype=float32)
    """
    return _core._clip_grad_norm(listed(parameters, "clip_grad_norm")[0], max_norm)


def clip_grad_value(parameters, limit):
    """Every element of the gradients in these Variables is brought within [-limit, limit]."""
    _core._clip_grad_value(listed(parameters, "clip_grad_value")[0], limit)


def clip_by_global_norm(tensors, max_norm):
    """The tensors of a tree, scaled so that their common norm is at most `max_norm`, and the norm they had; in functions, too.

    >>> clipped, norm = wf.optim.clip_by_global_norm([wf.tensor([3.0]), wf.tensor([4.0])], 2.5)
    >>> norm
    tensor(5., dtype=float32)
    """
    leaves, form = _tree.flatten(tensors)
    clipped, norm = _core._clip_by_global_norm(leaves, max_norm)
    return _tree.unflatten(form, clipped), norm


def clip_by_value(tensors, limit):
    """The tensors of a tree with every element within [-limit, limit]; in functions, too."""
    leaves, form = _tree.flatten(tensors)
    return _tree.unflatten(form, _core._clip_by_value(leaves, limit))
