"""Optimizers: they update Variables by the gradients that backward() has left in them."""

from . import _core


class SGD(_core._SGD):
    """Stochastic gradient descent with momentum, Nesterov's variant and weight decay.

    >>> w = wf.Variable([1.0, 2.0])
    >>> optimizer = wf.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    Variable([0.8, 1.6], dtype=float32)
    """

    def __init__(self, parameters, lr=1e-2, momentum=0.0, nesterov=False, weight_decay=0.0):
        super().__init__(list(parameters), lr, momentum, nesterov, weight_decay)


class Adam(_core._Adam):
    """Adam (Kingma and Ba 2015), with the bias of both moments corrected."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(list(parameters), lr, *betas, eps, weight_decay)
