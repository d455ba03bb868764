"""The optimizers of the library: names and defaults as PyTorch has them, the work in C++."""

from .. import _core, _hints
from .._hints import brief as _brief
from ._base import Optimizer

# What others call our arguments.
_WORDS = {"learning_rate": "lr", "params": "parameters", "beta_1": "betas", "beta_2": "betas", "b1": "betas", "b2": "betas",
          "beta1": "betas", "beta2": "betas", "epsilon": "eps", "decay": "weight_decay", "l2": "weight_decay",
          "foreach": "nothing: all parameters are updated in one pass", "fused": "nothing: all parameters are updated in one pass"}


def _pair(value, who, name):
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise _core.WrongTypeError(f"{who}: {name} must be a pair of numbers, but got {_brief(value)} [{who}.{name}]")
    return value


class _Builtin(Optimizer):
    # Pairs by the names of their parts.
    _PAIRS = {"betas": ("beta1", "beta2"), "etas": ("eta_minus", "eta_plus"), "step_sizes": ("smallest", "largest")}

    def _make(self, parameters, unknown, **options):
        who = type(self).__name__
        name = next(base.__name__ for base in type(self).__mro__ if base.__module__ == __name__)
        _hints.need_words(who, unknown, _WORDS)
        numbers = self._spread(options)
        self._begin(parameters, lambda groups: _core._make_optimizer(name, groups, numbers))

    def _spread(self, options):
        out = {}
        for name, value in options.items():
            if name in self._PAIRS:
                out.update(zip(self._PAIRS[name], _pair(value, type(self).__name__, name)))
            else:
                out[name] = value
        return out


class SGD(_Builtin):
    """Stochastic gradient descent with momentum, Nesterov's variant and weight decay.

    >>> w = wf.Variable([1.0, 2.0])
    >>> optimizer = wf.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    Variable([0.8, 1.6], dtype=float32)
    """

    def __init__(self, parameters, lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
                   maximize=maximize)


class Adam(_Builtin):
    """Adam (Kingma and Ba 2015), with the bias of both moments corrected; weight decay is added to the gradient."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize)


class AdamW(_Builtin):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019): it is taken off the parameter."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize)


class NAdam(_Builtin):
    """Adam with Nesterov's momentum (Dozat 2016)."""

    def __init__(self, parameters, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
                   decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)


class RAdam(_Builtin):
    """Adam that steps by the mean alone until the variance is certain (Liu et al. 2020)."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, decoupled_weight_decay=False,
                 maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                   decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)


class Adamax(_Builtin):
    """Adam by the largest gradient, which fades (Kingma and Ba 2015)."""

    def __init__(self, parameters, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize)


class Adagrad(_Builtin):
    """Steps by the root of the sum of all squares (Duchi et al. 2011)."""

    def __init__(self, parameters, lr=1e-2, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10, maximize=False,
                 **unknown):
        self._make(parameters, unknown, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
                   initial_accumulator_value=initial_accumulator_value, eps=eps, maximize=maximize)


class Adadelta(_Builtin):
    """Steps in the units of the parameter (Zeiler 2012)."""

    def __init__(self, parameters, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)


class RMSprop(_Builtin):
    """Steps by the root of the mean square (Hinton 2012); `centered` by the variance (Graves 2013)."""

    def __init__(self, parameters, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False, maximize=False,
                 **unknown):
        self._make(parameters, unknown, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered,
                   maximize=maximize)


class Lion(_Builtin):
    """Steps of one size, by the sign of the momentum (Chen et al. 2023); weight decay is taken off the parameter."""

    def __init__(self, parameters, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, weight_decay=weight_decay, maximize=maximize)


class LAMB(_Builtin):
    """Adam's direction, as long as the parameter, for large batches (You et al. 2020)."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize)


class Adafactor(_Builtin):
    """The mean of squares of a matrix as a product of its rows' and columns' (Shazeer and Stern 2018).

    `eps` is a pair: of the mean of squares (None: what the dtype resolves), and the least size of a parameter.
    """

    def __init__(self, parameters, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, maximize=False, **unknown):
        eps1, eps2 = _pair(eps, type(self).__name__, "eps")
        self._make(parameters, unknown, lr=lr, beta2_decay=beta2_decay, eps1=0.0 if eps1 is None else eps1, eps2=eps2, d=d,
                   weight_decay=weight_decay, maximize=maximize)


class Rprop(_Builtin):
    """Steps whose size follows the signs of the gradients (Riedmiller and Braun 1993), for whole batches.

    `etas` are the factors of a step whose gradient turned, and did not; `step_sizes` the smallest and the largest step.
    """

    def __init__(self, parameters, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize)


class ASGD(_Builtin):
    """Descent with a running average of the parameters, state "average" (Polyak and Juditsky 1992)."""

    def __init__(self, parameters, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False, **unknown):
        self._make(parameters, unknown, lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, maximize=maximize)


class LBFGS(_Builtin):
    """Quasi-Newton steps from the last changes of the gradient (Nocedal 1980), for whole batches.

    `step(loss)` computes the loss several times, by a function without arguments, which may be a traced one.
    `line_search="strong_wolfe"` searches along each direction; otherwise it takes steps of lr.

    >>> x = wf.Variable([-1.0, 2.0])
    >>> optimizer = wf.optim.LBFGS([x], line_search="strong_wolfe")
    >>> rosenbrock = lambda: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    >>> for _ in range(5):
    ...     loss = optimizer.step(rosenbrock)
    >>> wf.round(x.detach(), decimals=3)
    tensor([1., 1.], dtype=float32)
    """

    def __init__(self, parameters, lr=1.0, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
                 line_search=None, **unknown):
        _hints.need_words("LBFGS", unknown, {**_WORDS, "line_search_fn": "line_search"})
        if line_search not in (None, "strong_wolfe"):
            raise _core.InvalidError(f"LBFGS: line_search is {line_search!r}; it is None or 'strong_wolfe' [LBFGS.line_search]")
        max_iter, history_size = (_hints.as_integer(value, "LBFGS", name) for name, value in (
            ("max_iter", max_iter), ("history_size", history_size)))
        tolerance_grad, tolerance_change = (_hints.as_number(value, "LBFGS", name) for name, value in (
            ("tolerance_grad", tolerance_grad), ("tolerance_change", tolerance_change)))
        most = max_iter * 5 // 4 if max_eval is None else _hints.as_integer(max_eval, "LBFGS", "max_eval")
        self._begin(parameters, lambda groups: _core._LBFGS(groups, lr, max_iter, most, tolerance_grad, tolerance_change, history_size,
                                                            line_search is not None))

    def step(self, loss=None):
        """Several iterations; gives the loss before the first."""
        if not callable(loss):
            raise _core.WrongTypeError("LBFGS: step takes a function that computes the loss, which it calls several times; write "
                                       "step(lambda: loss_of(x)) [LBFGS.loss]")
        try:
            return self._core.step_by(loss)
        except _core.Error as error:
            if error.law != "backward.taped":
                raise
            raise _core.InvalidError("LBFGS: the function calls backward, but step differentiates what it gives; leave zero_grad and "
                                     "backward out of it [LBFGS.backward]") from error
