"""The tape: GradientTape, no_grad, and the methods of tensors that have to do with it."""

import functools

from . import _core, _errors, _hints, _tree

_WORDS = {"unconnected_gradients": "unconnected"}  # what others call our arguments


class no_grad(metaclass=_hints.NeedsCall):
    """Nothing is recorded inside: a context, and a decorator.

    >>> with wf.no_grad():
    ...     y = x * 2
    """

    def __init__(self, function=None):
        self._scope = _core._NoGrad()
        self._function = function
        if function is not None:
            _hints.need_function(function, "no_grad")
            functools.update_wrapper(self, function)

    def __enter__(self):
        self._scope.enter()
        return self

    def __exit__(self, *exception):
        self._scope.exit()
        return False

    def __call__(self, *args, **keywords):
        if self._function is None:
            return type(self)(*args, **keywords)  # @no_grad()
        with no_grad():  # of this call alone: several threads may call at once
            return self._function(*args, **keywords)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self.__call__, instance)


class _Paused:
    """A context in which a tape records nothing."""

    def __init__(self, tape):
        self._tape = tape

    def __enter__(self):
        self._tape.pause()

    def __exit__(self, *exception):
        self._tape.resume()
        return False


class GradientTape(metaclass=_hints.NeedsCall):
    """Records what happens inside `with`, for gradients afterwards.

    >>> w = wf.Variable(3.0)
    >>> with wf.GradientTape() as tape:
    ...     loss = w * w
    >>> tape.gradient(loss, w)
    tensor(6., dtype=float32)
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._options = (_hints.as_flag(persistent, "GradientTape", "persistent"),
                         _hints.as_flag(watch_accessed_variables, "GradientTape", "watch_accessed_variables"))
        self._tape, self._is_open = None, False

    def __enter__(self):
        if self._is_open:
            raise _core.InvalidError("GradientTape: this tape records already; make another one to nest them "
                                     "[GradientTape.with]")
        self._tape, self._is_open = _core._GradientTape(*self._options), True
        return self

    def __exit__(self, *exception):
        self._begun("the end").stop()
        self._is_open = False
        return False

    def _begun(self, method):
        if self._tape is None:
            raise _core.InvalidError(f"GradientTape: {method} before the tape has begun; record with "
                                     "`with wf.GradientTape() as tape:` [GradientTape.with]")
        return self._tape

    def __getattr__(self, name):
        raise _hints.missing_method(type(self), name)

    def watch(self, tree):
        """The tape follows what is done with these tensors from here on."""
        tape = self._begun("watch")
        for leaf in _tree.flatten(tree)[0]:
            tape.watch(leaf)

    def stop_recording(self):
        """A context in which this tape records nothing."""
        return _Paused(self._begun("stop_recording"))

    def gradient(self, target, sources, output_gradients=None, unconnected="raise", **unknown):
        """d target / d sources, in the form of the sources; several targets are added up. A source that the target does not depend
        on raises; with `unconnected="zero"` its gradient is 0, with "none" it is None."""
        _hints.need_words("GradientTape.gradient", unknown, _WORDS)
        tape = self._begun("gradient")
        _hints.need_text(unconnected, "GradientTape.gradient", "unconnected")
        flat_targets, target_form = _tree.flatten(target)
        targets = _tree.tensors(flat_targets, "GradientTape.gradient", lambda: _tree.paths(target_form, "target"))
        leaves, form = _tree.flatten(sources)
        given, given_form = _tree.flatten([] if output_gradients is None else output_gradients)
        if len(given) == len(targets):
            given = [g if g is None else _core._tensor(g, t.dtype, "GradientTape.gradient", "output_gradients")
                     for g, t in zip(given, targets)]
        try:
            return _tree.unflatten(form, tape.gradient(targets, leaves, given, unconnected))
        except _core.Error as error:
            self._name_leaves(error, "gradient", {"source": (leaves, form, "sources"), "target": (targets, target_form, "target"),
                                                  "output gradient": (given, given_form, "output_gradients")})
            raise

    @staticmethod
    def _name_leaves(error, method, words):
        """Lets an error name the sources or targets that it counts: Variables by their names, others by their paths."""
        def paths(leaves, form, name):
            return [_errors.name_of_variable(leaf) or path for leaf, path in zip(leaves, _tree.paths(form, name))]

        _errors.name_leaves(error, f"GradientTape.{method}", {word: lambda given=given: paths(*given) for word, given in words.items()})

    def jacobian(self, target, sources, unconnected="raise", **unknown):
        """d target[i] / d sources[j]: [*target shape, *source shape]."""
        _hints.need_words("GradientTape.jacobian", unknown, _WORDS)
        leaves, form = _tree.flatten(sources)
        tape = self._begun("jacobian")
        try:
            return _tree.unflatten(form, tape.jacobian(target, leaves, unconnected))
        except _core.Error as error:
            self._name_leaves(error, "jacobian", {"source": (leaves, form, "sources")})
            raise

    def batch_jacobian(self, target, source, unconnected="raise", **unknown):
        """The Jacobian of every example: target [b, ...], source [b, ...], result [b, *target, *source]."""
        _hints.need_words("GradientTape.batch_jacobian", unknown, _WORDS)
        return self._begun("batch_jacobian").batch_jacobian(target, [source], unconnected)


def _backward(self, gradient=None, retain_graph=False, create_graph=False, inputs=None):
    """Adds d self / d v to v.grad of every trainable Variable v that led here."""
    if inputs is not None:
        inputs = _hints.as_list(inputs, "backward", "inputs")
    retain_graph, create_graph = (_hints.as_flag(retain_graph, "backward", "retain_graph"),
                                  _hints.as_flag(create_graph, "backward", "create_graph"))
    _core._backward(self, gradient, retain_graph, create_graph, inputs)


def _detach(self):
    """The value, as a constant: no gradient flows through."""
    return _core._detached(self)


def _requires_grad_(self, requires_grad=True):
    """Lets the tape follow this Variable, or not any more."""
    if isinstance(self, _core.Variable):
        self.requires_grad = requires_grad
        return self
    raise _core.InvalidError("requires_grad_: a tensor never changes; make a Variable of it, wf.Variable(x), which "
                             "can be differentiated and assigned to [requires_grad_.immutable]")


_core.Tensor.backward = _backward
_core.Tensor.detach = _detach
_core.Tensor.requires_grad_ = _requires_grad_
