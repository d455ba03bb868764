"""Optimizers: they update Variables by the gradients that backward() has left in them."""

from . import _core, _hints, _tree


# What others call our arguments.
_WORDS = {"learning_rate": "lr", "params": "parameters", "beta_1": "betas", "beta_2": "betas", "b1": "betas", "b2": "betas",
          "beta1": "betas", "beta2": "betas", "epsilon": "eps", "decay": "weight_decay", "l2": "weight_decay"}


def _listed(parameters, who):
    """The parameters of a list, a generator or a tree of Variables."""
    if isinstance(parameters, (_core.Tensor, str)) or not hasattr(parameters, "__iter__"):
        raise _core.WrongTypeError(f"{who}: parameters must be a list of Variables, but got {type(parameters).__name__}; "
                                   f"write [v] for one Variable [{who}.parameters]")
    return _tree.flatten(list(parameters) if not isinstance(parameters, dict) else parameters)[0]


class _Optimizer:
    """What all optimizers share beside zero_grad()."""

    def step(self, *surplus):
        """Updates every parameter by its gradient; raises if one has none."""
        if surplus:
            raise _core.WrongTypeError("step: takes no arguments: it uses the gradients that backward() has left in the "
                                       "parameters; for others there is apply_gradients([(gradient, v), ...]) [step.count]")
        super().step()

    def apply_gradients(self, gradients_and_variables):
        """A step by gradients that are given, as pairs (gradient, Variable): those of a GradientTape, or of grad.

        >>> w = wf.Variable([1.0, 2.0])
        >>> optimizer = wf.optim.SGD([w], lr=0.1)
        >>> gradients = wf.grad(lambda w: (w * w).sum())(w)
        >>> optimizer.apply_gradients([(gradients, w)])
        >>> w
        Variable([0.8, 1.6], dtype=float32)
        """
        variables = []
        for gradient, variable in gradients_and_variables:
            variable.grad = gradient
            variables.append(variable)
        try:
            self.step()
        finally:
            for variable in variables:
                variable.grad = None


class SGD(_Optimizer, _core._SGD):
    """Stochastic gradient descent with momentum, Nesterov's variant and weight decay.

    >>> w = wf.Variable([1.0, 2.0])
    >>> optimizer = wf.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    Variable([0.8, 1.6], dtype=float32)
    """

    def __init__(self, parameters, lr=1e-2, momentum=0.0, nesterov=False, weight_decay=0.0, **unknown):
        _hints.need_words("SGD", unknown, _WORDS)
        super().__init__(_listed(parameters, "SGD"), lr, momentum, bool(nesterov), weight_decay)


class Adam(_Optimizer, _core._Adam):
    """Adam (Kingma and Ba 2015), with the bias of both moments corrected."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, **unknown):
        _hints.need_words("Adam", unknown, _WORDS)
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise _core.WrongTypeError(f"Adam: betas must be a pair of numbers, but got {betas!r:.60} [Adam.betas]")
        super().__init__(_listed(parameters, "Adam"), lr, *betas, eps, weight_decay)


def __getattr__(name):
    raise _hints.missing("weft.optim", name)
