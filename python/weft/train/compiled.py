"""What compile() sets down: optimizer, loss, metrics, and the step that is made of them."""

import contextlib

from .. import _core, _ops, _tree, optim
from .._hints import brief as _brief
from .._tape import GradientTape, no_grad
from .._users import users
from ..optim._base import trained
from . import losses
from .blame import learn_sizes
from .given import whole
from .metrics import Mean, OfOutput, metric_of
from .scaling import LossScaler
from .steps import Step, changed_parameters

_isfinite, _all = _ops.op("", "isfinite"), _ops.op("", "all")


class Compiled:
    """How a model is trained. Steps are traced functions, unless `run_eagerly`; both give the same bits."""

    def __init__(self, model, optimizer, loss, metrics, run_eagerly, precision, clip_norm, accumulate):
        _need_optimizer(optimizer)
        self.model, self._optimizer, self.loss = model, optimizer, _tree.walked("compile", losses.loss_of, loss)
        self.metrics = [metric_of(one, self.loss) for one in _listed(metrics)]
        self.mean_loss = Mean("loss")
        self.names = _numbered([self.mean_loss.name, *(metric.name for metric in self.metrics)])
        self.clip_norm = clip_norm
        self.accumulate = whole(accumulate, "compile", "accumulate", 1, "a number of batches, ")
        self.scaler = None
        self._sums = None  # {parameter: gradients of batches whose update is still to come}, by the parameters' ids
        self._seen = None
        self._precision = _precision_of(precision)
        if self._precision is _core.float16:
            self.scaler = LossScaler()
        self._before = []  # (module, what it computed in before this)
        self.is_fitting = False
        self._known = None if self.waits else model.parameters()  # as it was compiled
        # Nobody differentiates what a step gives: to record it would keep all that its backward pass would need.
        wrap = no_grad if run_eagerly else lambda f: no_grad(Step(f, "fit"))
        self.train_step = wrap(self._train_step)
        self.gradient_step = wrap(self._gradient_step)
        self.update_step = wrap(self._update_step)
        self.test_step = wrap(self._test_step)

    @property
    def optimizer(self):
        """The optimizer; one that was named is made when the parameters are there."""
        if isinstance(self._optimizer, (str, type)):
            self._optimizer = _optimizer_of(self._optimizer, self.model)
        return self._optimizer

    def begin(self):
        """The model computes in the precision that was asked for."""
        if self._precision is not None:
            modules = [*self.model.modules(), *(self.loss.modules() if hasattr(self.loss, "modules") else ())]
            self._before = [(module, module.compute_dtype) for module in modules]
            for module in modules:
                object.__setattr__(module, "compute_dtype", self._precision)

    def end(self):
        """The model computes as it did before, except where that was changed since."""
        for module, dtype in self._before:
            if module.compute_dtype is self._precision:
                object.__setattr__(module, "compute_dtype", dtype)

    @property
    def waits(self):
        """Whether there are parameters whose sizes the first batch tells."""
        return self.model._is_any_pending()

    def prepare(self, x, who):
        """Makes parameters whose sizes the first batch tells, and the optimizer; without a batch, the optimizer."""
        if x is not None:
            learn_sizes(self.model, x, who)
        if self._known is None:
            self._known = self.model.parameters()
        if self.accumulate > 1 and self._sums is None:
            # Of frozen ones, too: they may learn later.
            self._sums = {id(v): _core.Variable(_zeros_like(v), trainable=False) for v in self._known}
            self._seen = _core.Variable(0, trainable=False)
        return self.optimizer

    def reset(self):
        """Forgets what was measured."""
        for metric in (self.mean_loss, *self.metrics):
            metric.reset()

    def measures(self):
        """What was measured since reset(), as a state."""
        return {"loss": self.mean_loss.state_dict(), "metrics": {str(k): metric.state_dict() for k, metric in enumerate(self.metrics)}}

    def load_measures(self, state):
        """Takes what `measures` gave."""
        self.mean_loss.load_state_dict(state["loss"])
        for k, metric in enumerate(self.metrics):
            metric.load_state_dict(state["metrics"][str(k)])

    @contextlib.contextmanager
    def apart(self):
        """What is measured inside, by a callback, is no part of the epoch that is under way."""
        before = self.measures() if self.is_fitting else None
        try:
            yield
        finally:
            if before is not None:
                self.load_measures(before)

    def logs(self, prefix=""):
        """{name: value} of what was measured since reset()."""
        return {prefix + name: metric.result() for name, metric in zip(self.names, (self.mean_loss, *self.metrics))}

    # The steps. What is traced is computed by these alone, so that eager steps have the same bits.

    def _loss(self, x, y, weight):
        out = call(self.model, x)
        return out, losses.of_batch(self.loss, out, y, weight)

    def _gradients(self, x, y, weight):
        """The loss, its gradients, and what the model gave."""
        parameters = trained(self.model.parameters())
        with GradientTape() as tape:
            out, loss = self._loss(x, y, weight)
            target = loss if self.scaler is None else self.scaler.scale(loss)
        gradients = tape.gradient(target, parameters, unconnected="zero")
        return loss, gradients, out

    def _measure(self, out, y, weight, loss, count):
        self.mean_loss.update_by(*losses.counted(self.loss, loss, y, weight, count))
        for metric in self.metrics:
            if metric.is_traced:
                users(metric.update)(out, y)

    def _apply(self, gradients):
        parameters = trained(self.model.parameters())
        if len(parameters) != len(gradients):  # the forward pass has made or dropped some
            raise self._changed() or _core.InvalidError(
                f"fit: the model has {len(parameters)} parameters after its forward pass, but had {len(gradients)} before; make all of "
                "them before compile [fit.optimizer]")
        if self.clip_norm is not None:
            gradients = optim.clip_by_global_norm(gradients, self.clip_norm)[0]
        try:
            self.optimizer.apply_gradients(list(zip(gradients, parameters)))
        except _core.InvalidError as error:
            raise self._changed() or error from None

    def _train_step(self, x, y, weight, count):
        loss, gradients, out = self._gradients(x, y, weight)
        self._measure(out, y, weight, loss, count)
        self._take(gradients)
        return loss, out

    def _take(self, gradients):
        """Updates by gradients, or keeps them for the update to come."""
        from .._control import cond

        if self.scaler is None:
            self._add(gradients)
            return
        # A batch whose gradients overflow is left out, and is none of those that are averaged.
        gradients, is_finite = self.scaler.unscale(gradients)
        cond(is_finite, lambda: self._add(gradients), lambda: None)
        self.scaler.update(is_finite)

    def _add(self, gradients):
        from .._control import cond

        if self.accumulate == 1:
            self._apply(gradients)
            return
        changed = self._changed()
        if changed is not None:  # before it is added to sums of others
            raise changed
        for total, gradient in zip(self._trained_sums(), gradients):
            total.assign_add(gradient / float(self.accumulate))
        self._seen.assign_add(1)
        cond(self._seen.read() % self.accumulate == 0, self._apply_sums, lambda: None)

    def _trained_sums(self):
        return [self._sums[id(v)] for v in trained(self.model.parameters())]

    def _changed(self):
        """The error of a model that has other parameters than its optimizer, or None."""
        return changed_parameters(self.model, self.optimizer, self._known) if hasattr(self.optimizer, "parameters") else None

    def _apply_sums(self):
        self._apply([total.read() for total in self._trained_sums()])
        for total in self._sums.values():
            total.assign(_zeros_like(total))

    def _gradient_step(self, x, y, weight, count):
        loss, gradients, out = self._gradients(x, y, weight)
        is_finite = _isfinite(loss)
        for gradient in gradients if self.scaler is None else ():  # scaled ones overflow at times: their steps are left out
            is_finite = _ops.op("", "logical_and")(is_finite, _all(_isfinite(gradient)))
        return loss, gradients, out, is_finite

    def _update_step(self, gradients, out, y, weight, loss, count):
        self._measure(out, y, weight, loss, count)
        self._take(gradients)

    def _test_step(self, x, y, weight, count):
        out, loss = self._loss(x, y, weight)
        self._measure(out, y, weight, loss, count)
        return loss, out

    # Saving.

    def state_dict(self):
        """What must be kept beside the model to go on with the same bits."""
        out = {"optimizer": self.optimizer.state_dict(), **self.measures(), "names": self.names[1:]}
        if self.scaler is not None:
            out["scaler"] = self.scaler.state_dict()
        if self._sums is not None:
            out["accumulated"] = {"seen": self._seen.value(), **{str(k): v.value() for k, v in enumerate(self._sums.values())}}
        return out

    def _need_same(self, state):
        """Refuses the state of a model that was compiled otherwise."""
        named, losses, gradients = "names" in state, ("plain losses", "scaled losses"), ("single gradients", "accumulated gradients")
        names = state["names"] if named else list(state["metrics"])
        own = self.names[1:] if named else [str(k) for k in range(len(self.metrics))]
        for law, before, now in (("metrics", ", ".join(names), ", ".join(own)),
                                 ("precision", losses["scaler" in state], losses[self.scaler is not None]),
                                 ("accumulate", gradients["accumulated" in state], gradients[self._sums is not None])):
            if before != now:
                raise _core.InvalidError(f"resume: the run was saved with {before or 'no metrics'}, and has {now or 'no metrics'} now; "
                                         f"compile it as it was, or take another folder [resume.{law}]")

    def load_state_dict(self, state):
        self._need_same(state)
        self.optimizer.load_state_dict(state["optimizer"])
        self.load_measures(state)
        if self.scaler is not None:
            self.scaler.load_state_dict(state["scaler"])
        if self._sums is not None:
            self._seen.assign(state["accumulated"]["seen"])
            for k, total in enumerate(self._sums.values()):
                total.assign(state["accumulated"][str(k)])


def call(model, x):
    """A model on the inputs of a batch: a tuple is several inputs, a dict inputs by name."""
    forward = users(model)  # in a trace: what it reads is checked at each step
    if isinstance(x, tuple):
        return forward(*x)
    return forward(**x) if isinstance(x, dict) else forward(x)


def _zeros_like(v):
    return _ops.op("", "zeros")(v.shape, dtype=v.dtype)


# What others call our dtypes.
_PRECISIONS = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16", "fp16": "float16", "bf16": "bfloat16", "half": "float16",
               "16-mixed": "float16", "bf16-mixed": "bfloat16", "fp32": "float32", "float": "float32", "double": "float64"}


def _precision_of(given):
    """The dtype that products are computed in; None: that of the parameters."""
    dtypes = {name: getattr(_core, name) for name in ("bfloat16", "float16", "float32", "float64")}
    if given is None or isinstance(given, _core.DType) and given in dtypes.values():
        return given
    if not isinstance(given, str) or given not in dtypes:
        known = isinstance(given, str) and _PRECISIONS.get(given)
        hint = f"weft calls this '{known}'" if known else f"it is one of {', '.join(dtypes)}"
        raise _core.InvalidError(f"compile: precision is {_brief(given)}; {hint} [compile.precision]")
    return dtypes[given]


_DEEPEST = 100  # of metrics by outputs


def _listed(metrics, depth=0):
    if metrics is None:
        return []
    if depth > _DEEPEST:
        raise _core.InvalidError(f"compile: metrics are nested more than {_DEEPEST} deep; give them by outputs' names [compile.metrics]")
    if isinstance(metrics, dict):  # by outputs
        return [OfOutput(key, one) for key, some in metrics.items() for one in _listed(some, depth + 1)]
    return list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]


def _numbered(names):
    """Names that differ: the second `f1` is `f1_2`, and a metric that is named as the loss is `loss_2`."""
    out = []
    for name in names:
        number, own = 1, name
        while own in out:
            number += 1
            own = f"{name}_{number}"
        out.append(own)
    return out


def _optimizer_of(given, model):
    return (given if isinstance(given, type) else _class_named(given))(model.parameters())


def _need_optimizer(given):
    if isinstance(given, str):
        _class_named(given)
    elif not isinstance(given, type) and not hasattr(given, "apply_gradients"):
        raise _core.WrongTypeError(f"compile: optimizer is {_brief(given)}; it is an object of wf.optim, or the name of one, 'adam' "
                                   "[compile.optimizer]")


def _class_named(given):
    classes = {name.lower(): value for name, value in vars(optim).items()
               if isinstance(value, type) and hasattr(value, "apply_gradients") and not name.startswith("_")}
    if given.lower() not in classes:
        hint = _core.did_you_mean(given.lower(), list(classes)) or f"there are {', '.join(classes)}"
        raise _core.InvalidError(f"compile: there is no optimizer '{given}'; {hint} [compile.optimizer]")
    return classes[given.lower()]
