"""Functions with derivatives of their own: Function, custom_gradient, custom_jvp, checkpoint."""

import functools

from . import _core, _hints, _transforms, _tree
from ._users import users, users_again


class Context:
    """What a forward pass leaves for the backward pass; any attribute may be set on it."""

    def __init__(self):
        self._to_save, self._attributes = (), []
        self.saved_tensors = ()
        self.needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keeps tensors; inputs and outputs among them are differentiated through by higher orders."""
        self._to_save = tensors

    def _save_attributes(self):
        """Tensors set as attributes are saved like the others: higher orders go through inputs and outputs among them."""
        self._attributes = [name for name, value in vars(self).items() if isinstance(value, _core.Tensor)]
        self._to_save = (*self._to_save, *(getattr(self, name) for name in self._attributes))

    def _seen(self, saved, wanted):
        """This context as a level sees it."""
        out = Context.__new__(type(self))
        out.__dict__.update(self.__dict__)
        count = len(saved) - len(self._attributes)
        out.saved_tensors, out.needs_input_grad = tuple(saved[:count]), tuple(wanted)
        out.__dict__.update(zip(self._attributes, saved[count:]))
        return out


class _Rules:
    """A function on flat lists of tensors with its rules, as the core calls them."""

    def __init__(self, name, forward, backward=None, jvp=None, batch=None, per_example=False, fill_cotangents=True):
        self.name, self.forward, self.backward, self.jvp, self.batch = name, forward, backward, jvp, batch
        self.per_example, self.fill_cotangents = bool(per_example), fill_cotangents
        self.is_traced = True
        self.make_context = Context


def _gradients(given, name, rule):
    """What a rule gives: tensors, or None where there is no derivative."""
    for i, gradient in enumerate(given):
        if gradient is not None and not isinstance(gradient, (_core.Tensor, int, float, complex)):
            raise _core.WrongTypeError(f"{name}: its {rule} gives {type(gradient).__name__} in place {i}; give a tensor, "
                                       f"or None where there is no derivative [{name}.{rule}]")
    return given


class Function:
    """A function with a backward pass of its own, which adds one node to the tape.

    >>> class Cube(wf.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return g * 3 * x ** 2
    >>> wf.grad(Cube.apply)(2.0)
    tensor(12., dtype=float32)

    vmap batches it as the ops it is made of. A static method `batch(size, batched, *args)`, whose tensor arguments have the
    batch axis in front where `batched` says so and whose results all have it there, is a rule of its own;
    `per_example = True` runs it example by example.
    """

    per_example = False
    batch = None

    @staticmethod
    def forward(ctx, *args):
        raise _core.MissingRuleError("Function: forward is not defined; write it as a static method [Function.forward]")

    @staticmethod
    def backward(ctx, *cotangents):
        raise _core.MissingRuleError("Function: backward is not defined; write it as a static method "
                                     "[Function.backward]")

    @classmethod
    def apply(cls, *args, **keywords):
        for word in keywords:
            raise _core.WrongTypeError(f"{cls.__name__}: argument '{word}' is given by keyword, but apply takes arguments by "
                                       "position, as forward and backward count them [Function.keyword]")
        places = [i for i, arg in enumerate(args) if isinstance(arg, (_core.Tensor, float))]
        is_single = True

        def placed(tensors, others=args):
            given = list(others)
            for place, tensor in zip(places, tensors):
                given[place] = tensor
            return given

        def listed(out):
            nonlocal is_single
            is_single = not isinstance(out, (tuple, list))
            return [out] if is_single else list(out)

        def forward(ctx, tensors):
            out = listed(users(cls.forward)(ctx, *placed(tensors)))
            ctx._save_attributes()
            return out

        def backward(ctx, cotangents):
            out = users(cls.backward)(ctx, *cotangents)
            out = list(out) if isinstance(out, (tuple, list)) else [out]
            if len(out) == len(args) and len(places) != len(args):
                out = [out[place] for place in places]
            return _gradients(out, cls.__name__, "backward")

        def batch(size, batched, tensors):
            flags = placed(batched, [False] * len(args))
            return listed(users(cls.batch)(size, tuple(flags), *placed(tensors)))

        rules = _Rules(cls.__name__, forward, backward, batch=batch if cls.batch else None, per_example=cls.per_example)
        rules.is_traced = cls.backward is not Function.backward  # without one, a graph may hold the function all the same
        outputs = _core._apply_custom(rules, [_core._tensor(args[i], None, cls.__name__) for i in places])
        return outputs[0] if is_single else tuple(outputs)


def _name_of(f):
    return getattr(f, "__name__", type(f).__name__)  # a functools.partial has none


def _kind(value):
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__


def _spread(given, args, name):
    """The cotangents of the arguments, one per leaf; None stands for a whole argument, too."""
    given = tuple(given) if isinstance(given, (tuple, list)) and len(args) != 1 else (given,)
    if len(given) == 1 and len(args) == 1 and isinstance(given[0], tuple) and len(given[0]) == 1:
        given = given[0]  # (g,) for f(x)
    if len(given) != len(args):
        raise _core.InvalidError(f"{name}: its backward gives {len(given)} gradient{'s' * (len(given) != 1)}, but the "
                                 f"function has {len(args)} inputs; give one for each, None for those without "
                                 f"[{name}.count]")
    out = []
    for gradient, arg in zip(given, args):
        count = len(_tree.flatten(arg)[0])
        out += [None] * count if gradient is None else _tree.flatten(gradient)[0]
    return out


def _batch_on_leaves(rule, form, keep_form):
    """A batching rule on trees, `rule(size, batched, *args)`, as the core calls it."""
    if rule is None:
        return None

    def batch(size, batched, tensors):
        out = users(rule)(size, _tree.unflatten(form, batched), *_tree.unflatten(form, tensors))
        leaves, out_form = _tree.flatten(out)
        keep_form(out_form)
        return leaves

    return batch


def custom_gradient(f=None, *, batch=None, per_example=False):
    """`f` gives its value and a function from the value's cotangent to the cotangents of its arguments.

    >>> @wf.custom_gradient
    ... def log1pexp(x):
    ...     e = wf.exp(x)
    ...     return wf.log1p(e), lambda g: g * (1 - 1 / (1 + e))

    Arguments given by keyword are constants. For `vmap` it may have `batch(size, batched, *args)`, as of `Function`, or
    `per_example=True`.
    """
    if f is None:
        return functools.partial(custom_gradient, batch=batch, per_example=per_example)
    _hints.need_function(f, "custom_gradient")
    name = _name_of(f)

    @functools.wraps(f)
    def transformed(*args, **keywords):
        leaves, form = _tree.flatten(args)
        out_form = None

        def called(tensors, by=users):
            both = by(f)(*_tree.unflatten(form, tensors), **keywords)
            if not isinstance(both, tuple) or len(both) != 2 or not callable(both[1]):
                raise _core.WrongTypeError(f"{name}: gives {_kind(both)}, but custom_gradient needs a pair: the "
                                           "value, and the function from its cotangent to those of the arguments "
                                           f"[{name}.backward]")
            return both

        def keep_form(form):
            nonlocal out_form
            out_form = form

        def run(tensors):
            value, _ = called(tensors)
            out, form_of_value = _tree.flatten(value)
            keep_form(form_of_value)
            return out

        def backward(ctx, cotangents):
            # The arguments as this level sees them: what `pull` closes over is followed by outer levels.
            _, pull = called(ctx.saved_tensors, users_again)
            given = users(pull)(_tree.unflatten(out_form, cotangents))
            return _gradients(_spread(given, args, name), name, "backward")

        def forward(ctx, tensors):
            ctx.save_for_backward(*tensors)
            return run(tensors)

        rules = _Rules(name, forward, backward, batch=_batch_on_leaves(batch, form, keep_form), per_example=per_example)
        outputs = _core._apply_custom(rules, [_core._tensor(leaf, None, name) for leaf in leaves])
        return _tree.unflatten(out_form, outputs)

    return transformed


class custom_jvp:
    """A function whose forward derivative is given by `defjvp`; reverse mode is its transpose.

    >>> @wf.custom_jvp
    ... def f(x):
    ...     return wf.sin(x)
    >>> @f.defjvp
    ... def _(primals, tangents):
    ...     x, = primals
    ...     return wf.cos(x) * tangents[0]
    """

    def __new__(cls, f=None, **options):
        if f is None:  # @custom_jvp(per_example=True)
            return functools.partial(cls, **options)
        return super().__new__(cls)

    def __init__(self, f, *, batch=None, per_example=False):
        _hints.need_function(f, "custom_jvp")
        self._f, self._rule, self._batch, self._per_example = f, None, batch, per_example
        functools.update_wrapper(self, f)
        self.__name__ = _name_of(f)

    def defjvp(self, rule):
        """rule(primals, tangents) gives the tangent of the value."""
        _hints.need_callable(rule, "defjvp", "rule")
        self._rule = rule
        return rule

    def defbatch(self, rule):
        """rule(size, batched, *args) gives the value of a batch, for vmap; see `Function`."""
        _hints.need_callable(rule, "defbatch", "rule")
        self._batch = rule
        return rule

    def __call__(self, *args, **keywords):
        for word in keywords:
            raise _core.WrongTypeError(f"{self.__name__}: argument '{word}' is given by keyword, but a custom_jvp function "
                                       "takes arguments by position, as its rule counts them [custom_jvp.keyword]")
        if self._rule is None:
            raise _core.MissingRuleError(f"{self.__name__}: has no tangent rule; give it one with defjvp [custom_jvp.rule]")
        leaves, form = _tree.flatten(args)
        out_form = None

        def keep_form(form):
            nonlocal out_form
            out_form = form

        def forward(ctx, tensors):
            out, form_of_value = _tree.flatten(users(self._f)(*_tree.unflatten(form, tensors)))
            keep_form(form_of_value)
            return out

        def jvp(primals, tangents):
            filled = [_transforms._zeros_like(primals[i]) if t is None else t for i, t in enumerate(tangents)]
            along = users(self._rule)(_tree.unflatten(form, primals), _tree.unflatten(form, filled))
            return _gradients(_tree.flatten(along)[0], self.__name__, "jvp")

        rules = _Rules(self.__name__, forward, jvp=jvp, batch=_batch_on_leaves(self._batch, form, keep_form),
                       per_example=self._per_example)
        outputs = _core._apply_custom(rules, [_core._tensor(leaf, None, self.__name__) for leaf in leaves])
        return _tree.unflatten(out_form, outputs)


def checkpoint(f, *surplus, **unknown):
    """`f`, of which a tape keeps what it reads only: what is between is computed again when it is needed.

    Variables that `f` reads, and values of transformations around, are differentiated as its arguments are. Draws of
    the default generator give the same numbers when it runs again.
    """
    _hints.need_function(f, "checkpoint")
    if surplus:
        raise _core.WrongTypeError("checkpoint: takes the function alone and gives one to call: wf.checkpoint(f)(x) "
                                   "[checkpoint.count]")
    _hints.need_words("checkpoint", unknown, {}, {"use_reentrant": "there is one kind of checkpoint"})

    @functools.wraps(f)
    def transformed(*args, **keywords):
        leaves, form = _tree.flatten(args)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (_core.Tensor, float))]
        inputs = [_core._tensor(leaves[i], None, "checkpoint") for i in places]
        for i in places:
            leaves[i] = None  # the tape keeps what it needs of them
        out_form, call = None, users

        def run(tensors):
            nonlocal out_form, call
            called, call = call(f), users_again
            given = list(leaves)
            for place, tensor in zip(places, tensors):
                given[place] = tensor
            out, out_form = _tree.flatten(called(*_tree.unflatten(form, given), **keywords))
            return out

        outputs = _core._checkpoint(run, inputs)
        return _tree.unflatten(out_form, outputs)

    return transformed
