"""Functions that transform functions: grad, vjp, jvp, linearize, vmap and what is made of them."""

import functools

from . import _core, _hints, _ops, _tree


def _argument_list(argnums, who="grad"):
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, (tuple, list)) or not all(isinstance(i, int) for i in numbers):
        hint = f"; the arguments come after: wf.{who}(f)(x)" if isinstance(argnums, _core.Tensor) else ""
        raise _core.WrongTypeError(f"{who}: argnums must be an integer or a tuple of integers, but got {argnums!r:.60}{hint} "
                                   f"[{who}.argnums]")
    return tuple(numbers)


# What others can say to grad and its like.
_WORDS = {"allow_unused": "unconnected", "materialize_grads": "unconnected", "unconnected_gradients": "unconnected",
          "argnum": "argnums"}
_SENTENCES = {"argnames": "arguments are chosen by their places, argnums=(0, 1), and given by position",
              "allow_int": "integers have no derivatives: leave them out of argnums",
              "holomorphic": "complex functions are differentiated without a word for it",
              "reduce_axes": "sum over the axis inside of the function, with psum"}


class _Beside:
    """What a function with has_aux gives beside its value."""

    def __init__(self, has_aux, who):
        self.has_aux, self.who, self.rest = has_aux, who, None

    def taken(self, out):
        """The value alone, of what the function gives."""
        if not self.has_aux:
            return out
        if not isinstance(out, tuple) or len(out) != 2:
            raise _core.WrongTypeError(f"{self.who}: with has_aux=True the function must give a pair, the value and the "
                                       f"rest, but it gives {type(out).__name__} [{self.who}.aux]")
        value, self.rest = out
        return value

    def put(self, *results):
        """The results, and the rest behind them."""
        if self.has_aux:
            return *results, _lowered(self.rest)
        return results if len(results) > 1 else results[0]


def _along(leaves, like, who, what):
    """Directions as tensors, one for each of `like` and of its shape and dtype; None is zero."""
    out = []
    for i, (leaf, x) in enumerate(zip(leaves, like)):
        t = None if leaf is None else _core._tensor(leaf, x.dtype, who, what)
        if t is not None and t.shape != x.shape:
            raise _core.InvalidError(f"{who}: {what} {i} has shape {list(t.shape)}, but the value it goes with has shape "
                                     f"{list(x.shape)}; they must be equal [{who}.{what}]")
        out.append(t)
    return out


def _split(args, argnums, who):
    """The arguments to differentiate, and a function that puts others in their places."""
    count = len(args)
    for i in argnums:
        if not isinstance(i, int) or not -count <= i < count:
            hint = "" if count else "; those given by keyword do not count"
            raise _core.OutOfRangeError(f"{who}: argnums has {i}, but there are {count} arguments{hint} [{who}.argnums]")
        if args[i] is None or isinstance(args[i], str):
            raise _core.WrongTypeError(f"{who}: argument {i} is {args[i]!r:.60}, which holds no tensor to differentiate with "
                                       f"respect to; argnums chooses others [{who}.argnums]")
    places = [i % count for i in argnums]
    if len(set(places)) != len(places):
        raise _core.InvalidError(f"{who}: argnums is {argnums}, which names an argument twice [{who}.argnums]")

    def placed(values):
        out = list(args)
        for place, value in zip(places, values):
            out[place] = value
        return out

    return tuple(args[i] for i in places), placed


def _scalar_result(value, who):
    """The only leaf of what a function to differentiate gives."""
    leaves, _ = _tree.flatten(value)
    if len(leaves) == 1 and isinstance(leaves[0], (bool, int, float, complex)):
        return _core._tensor(leaves[0], None, who)
    if len(leaves) != 1 or not isinstance(leaves[0], _core.Tensor):
        raise _core.WrongTypeError(f"{who}: the function gives {type(value).__name__}, but only a scalar tensor has a "
                                   f"gradient; return the loss, and more with has_aux=True [{who}.result]")
    return leaves[0]


class _Pull:
    """A function at a point: its outputs and its linear maps."""

    def __init__(self, f, tree, who):
        leaves, self.form = _tree.flatten(tree)
        self.who = who
        self.inputs = [_core._tensor(leaf, None, who, f"input {i}") for i, leaf in enumerate(leaves)]

        def flat(values):
            out, self.out_form = _tree.flatten(f(_tree.unflatten(self.form, values)))
            return [_core._tensor(leaf, None, who, f"output {k}") for k, leaf in enumerate(out)]

        self.line = _core._Linearization(flat, self.inputs, who)
        self.outputs = self.line.outputs

    def pull(self, cotangents, unconnected, last=False):
        gradients = self.line.pull(cotangents, last)
        gradients = self.line.connected(gradients, self.inputs, unconnected, self.who)
        return _tree.unflatten(self.form, gradients)

    def tree(self, leaves):
        return _tree.unflatten(self.out_form, leaves)


def _start(output, who):
    if output.size != 1:
        raise _core.InvalidError(f"{who}: the function gives a tensor of shape {list(output.shape)}, and only a scalar "
                                 f"has a gradient by itself; sum it, or use jacrev or vjp [{who}.scalar]")
    return _ops.op("", "ones")(output.shape, dtype=output.dtype)


def value_and_grad(f, argnums=0, has_aux=False, *, unconnected="raise", **unknown):
    """A function that gives f's value and its gradient with respect to the arguments `argnums`.

    `f` returns a scalar, or with `has_aux` a pair of a scalar and anything else; then the value is that pair.
    Arguments are trees of tensors, and gradients have their form.

    >>> wf.value_and_grad(lambda x: x * x)(3.0)
    (tensor(9., dtype=float32), tensor(6., dtype=float32))
    """
    _hints.need_words("grad", unknown, _WORDS, _SENTENCES)
    return _value_and_grad(f, argnums, has_aux, unconnected, "grad")


def _value_and_grad(f, argnums, has_aux, unconnected, who):
    _hints.need_function(f, who)
    numbers = _argument_list(argnums, who)

    @functools.wraps(f)
    def transformed(*args, **keywords):
        chosen, placed = _split(args, numbers, who)
        beside = _Beside(has_aux, who)
        at = _Pull(lambda values: _scalar_result(beside.taken(f(*placed(values), **keywords)), who), chosen, who)
        gradients = at.pull([_start(at.outputs[0], who)], unconnected, last=True)
        return beside.put(at.outputs[0]), gradients[0] if isinstance(argnums, int) else gradients

    return transformed


def _lowered(aux):
    """What leaves a function beside its value: the values of tensors, without the ended level."""
    leaves, form = _tree.flatten(aux)
    return _tree.unflatten(form, [_core._without_ended_levels(leaf) if isinstance(leaf, _core.Tensor) else leaf
                                  for leaf in leaves])


def grad(f, argnums=0, has_aux=False, *, unconnected="raise", **unknown):
    """A function that gives the gradient of `f` with respect to the arguments `argnums`.

    >>> wf.grad(lambda x: x * x)(3.0)
    tensor(6., dtype=float32)
    """
    _hints.need_words("grad", unknown, _WORDS, _SENTENCES)
    return _grad(f, argnums, has_aux, unconnected, "grad")


def _grad(f, argnums, has_aux, unconnected, who):
    both = _value_and_grad(f, argnums, has_aux, unconnected, who)

    @functools.wraps(f)
    def transformed(*args, **keywords):
        value, gradients = both(*args, **keywords)
        return (gradients, value[1]) if has_aux else gradients

    return transformed


def vjp(f, *primals, has_aux=False):
    """f(*primals), and the function from a cotangent of that to the cotangents of the primals, a tuple."""
    _hints.need_function(f, "vjp")
    beside = _Beside(has_aux, "vjp")
    at = _Pull(lambda values: beside.taken(f(*values)), primals, "vjp")

    def pullback(cotangent):
        leaves, form = _tree.flatten(cotangent)
        if form != at.out_form:
            raise _core.InvalidError(f"vjp: the cotangent has the form {form}, but the function's value the form "
                                     f"{at.out_form} [vjp.form]")
        return at.pull(_along(leaves, at.outputs, "vjp", "cotangent"), "zero")

    return beside.put(at.tree(at.outputs), pullback)


def _zeros_like(x):
    return _ops.op("", "zeros")(x.shape, dtype=x.dtype)


def jvp(f, primals, tangents, has_aux=False):
    """f(*primals), and its derivative along `tangents`: forward mode."""
    _hints.need_function(f, "jvp")
    for value, name in ((primals, "primals"), (tangents, "tangents")):
        if not isinstance(value, (tuple, list)):
            raise _core.WrongTypeError(f"jvp: {name} must be a tuple, one for each argument of the function, but got "
                                       f"{type(value).__name__}; write ({name[:-1]},) for one argument [jvp.{name}]")
    leaves, form = _tree.flatten(tuple(primals))
    along, tangent_form = _tree.flatten(tuple(tangents))
    if form != tangent_form:
        raise _core.InvalidError(f"jvp: the primals have the form {form}, the tangents {tangent_form} [jvp.form]")
    inputs = [_core._tensor(leaf, None, "jvp") for leaf in leaves]
    beside, out_form = _Beside(has_aux, "jvp"), None

    def flat(values):
        nonlocal out_form
        out, out_form = _tree.flatten(beside.taken(f(*_tree.unflatten(form, values))))
        return [_core._tensor(leaf, None, "jvp") for leaf in out]

    given = [_core._tensor(leaf, inputs[i].dtype, "jvp") for i, leaf in enumerate(along)]
    outputs, directions = _core._jvp(flat, inputs, given)
    directions = [_zeros_like(outputs[k]) if t is None else t for k, t in enumerate(directions)]
    return beside.put(_tree.unflatten(out_form, outputs), _tree.unflatten(out_form, directions))


def linearize(f, *primals, has_aux=False):
    """f(*primals), and the linear map from tangents of the primals to the tangent of the value.

    The map may be called many times; `f` itself runs once.
    """
    _hints.need_function(f, "linearize")
    beside = _Beside(has_aux, "linearize")
    at = _Pull(lambda values: beside.taken(f(*values)), primals, "linearize")

    def pushed(*tangents):
        along, form = _tree.flatten(tuple(tangents))
        if form != at.form:
            raise _core.InvalidError(f"linearize: the tangents have the form {form}, the primals {at.form} "
                                     "[linearize.form]")
        out = at.line.push(_along(along, at.inputs, "linearize", "tangent"))
        return at.tree([_zeros_like(at.outputs[k]) if t is None else t for k, t in enumerate(out)])

    return beside.put(at.tree(at.outputs), pushed)


def vmap(f, in_axes=0, out_axes=0, *, axis_size=None, axis_name="", randomness="raise", **unknown):
    """A function that runs `f` for every example of a batch at once.

    `in_axes` says which axis of each argument counts the examples, None that an argument is the same for all; it may
    be a tree of the form of the arguments, or a prefix of it. Arguments given by keyword are batched along axis 0, as in
    JAX; functools.partial binds those that are the same for all. `out_axes` says where the axis stands in the results.
    `axis_name` is for psum, pmean and axis_index inside. `randomness` says what draws of the default generator mean:
    "same" for all examples or "different"; without it they raise (draws from keys need no word).

    >>> wf.vmap(lambda x, y: x @ y)(wf.ones((3, 2)), wf.ones((3, 2)))
    tensor([2., 2., 2.], dtype=float32)
    """
    _hints.need_words("vmap", unknown, {"in_dims": "in_axes", "out_dims": "out_axes", "in_axis": "in_axes",
                                        "out_axis": "out_axes", "spmd_axis_name": "axis_name"})
    _hints.need_function(f, "vmap")
    _hints.need_text(axis_name, "vmap", "axis_name")
    _hints.need_text(randomness, "vmap", "randomness")

    @functools.wraps(f)
    def transformed(*args, **keywords):
        leaves, form = _tree.flatten(args)
        axes = in_axes if not isinstance(in_axes, list) else tuple(in_axes)
        spread = _tree.broadcast_prefix(axes, form, "vmap", "in_axes")
        inputs = [_core._tensor(leaf, None, "vmap", f"input {i}") for i, leaf in enumerate(leaves)]
        by_keyword, keyword_form = _batched_keywords(keywords)
        inputs, spread = inputs + by_keyword, spread + [0] * len(by_keyword)
        out_form = None

        def flat(values):
            nonlocal out_form
            named = _tree.unflatten(keyword_form, values[len(leaves):])
            out, out_form = _tree.flatten(f(*_tree.unflatten(form, values[:len(leaves)]), **named))
            return ([_core._tensor(leaf, None, "vmap", f"output {k}") for k, leaf in enumerate(out)],
                    _tree.broadcast_prefix(out_axes, out_form, "vmap", "out_axes"))

        outputs = _core._vmap(flat, inputs, spread, axis_size, axis_name, randomness)
        return _tree.unflatten(out_form, outputs)

    return transformed


def _batched_keywords(keywords):
    """The tensors in the keyword arguments of a vmap, each with the examples along axis 0; and the form."""
    for name, value in keywords.items():
        for leaf in _tree.flatten(value)[0]:
            if _core._tensor(leaf, None, "vmap", name).ndim == 0:
                raise _core.InvalidError(f"vmap: argument '{name}', given by keyword, holds {leaf!r:.60}, which has no axis "
                                         "to batch: keywords are batched along axis 0; bind what is the same for all "
                                         f"examples, functools.partial(f, {name}=...), or give it by position with "
                                         "in_axes None [vmap.keyword]")
    leaves, form = _tree.flatten(keywords)
    return [_core._tensor(leaf, None, "vmap") for leaf in leaves], form


def axis_index(axis_name):
    """Inside of vmap: the number of the example along the axis of that name."""
    _hints.need_text(axis_name, "axis_index", "axis_name")
    return _core.axis_index(axis_name)


def psum(x, axis_name):
    """Inside of vmap: the sum over all examples along the axis of that name."""
    _hints.need_text(axis_name, "psum", "axis_name")
    return _tree.map(lambda leaf: _core._psum(_core._tensor(leaf, None, "psum"), axis_name), x)


def pmean(x, axis_name):
    """Inside of vmap: the mean over all examples along the axis of that name."""
    _hints.need_text(axis_name, "pmean", "axis_name")
    return _tree.map(lambda leaf: _core._pmean(_core._tensor(leaf, None, "pmean"), axis_name), x)


def _jacobian(f, argnums, has_aux, unknown, who, blocks_of):
    """A function that gives `f`'s Jacobian: at every leaf of its value a tree of blocks like the arguments."""
    _hints.need_words(who, unknown, {}, _SENTENCES)
    _hints.need_function(f, who)
    numbers = _argument_list(argnums, who)
    is_one = isinstance(argnums, int)

    @functools.wraps(f)
    def transformed(*args, **keywords):
        chosen, placed = _split(args, numbers, who)
        leaves, form = _tree.flatten(chosen[0] if is_one else chosen)
        inputs = [_core._tensor(leaf, None, who, f"input {i}") for i, leaf in enumerate(leaves)]
        beside, out_form = _Beside(has_aux, who), None

        def flat(values):
            nonlocal out_form
            value = _tree.unflatten(form, values)
            out = f(*placed((value,) if is_one else value), **keywords)
            out, out_form = _tree.flatten(beside.taken(out))
            return [_core._tensor(leaf, None, who, f"output {k}") for k, leaf in enumerate(out)]

        blocks = blocks_of(flat, inputs)
        width = len(inputs)
        rows = [_tree.unflatten(form, blocks[k:k + width]) for k in range(0, len(blocks), width or 1)]
        return beside.put(_tree.unflatten(out_form, rows))

    return transformed


def jacrev(f, argnums=0, has_aux=False, **unknown):
    """A function that gives the Jacobian of `f`, row by row in reverse mode: [*output shape, *input shape].

    With `has_aux` `f` gives a pair of its value and anything else, and this a pair of the Jacobian and that.
    """
    return _jacobian(f, argnums, has_aux, unknown, "jacrev", _core._jacrev)


def jacfwd(f, argnums=0, has_aux=False, **unknown):
    """A function that gives the Jacobian of `f`, column by column in forward mode: [*output shape, *input shape].

    With `has_aux` `f` gives a pair of its value and anything else, and this a pair of the Jacobian and that.
    """
    return _jacobian(f, argnums, has_aux, unknown, "jacfwd", _core._jacfwd)


def hessian(f, argnums=0, has_aux=False, **unknown):
    """A function that gives the matrix of second derivatives of a scalar `f`: forward over reverse."""
    slope = _grad(f, argnums, has_aux, "zero", "hessian")
    return _jacobian(slope, argnums, has_aux, unknown, "hessian", _core._jacfwd)


def hvp(f, primals, tangents):
    """The second derivative of a scalar `f` along `tangents`, times the direction: forward over reverse."""
    if not isinstance(primals, (tuple, list)):
        raise _core.WrongTypeError(f"hvp: primals must be a tuple, one for each argument of the function, but got "
                                   f"{type(primals).__name__}; write (primal,) for one argument [hvp.primals]")
    slope = _grad(f, tuple(range(len(primals))), False, "zero", "hvp")
    return jvp(slope, primals, tangents)[1]


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


class GradientTape(metaclass=_hints.NeedsCall):
    """Records what happens inside `with`, for gradients afterwards.

    >>> w = wf.Variable(3.0)
    >>> with wf.GradientTape() as tape:
    ...     loss = w * w
    >>> tape.gradient(loss, w)
    tensor(6., dtype=float32)
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._options = (bool(persistent), bool(watch_accessed_variables))
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
        import contextlib

        tape = self._begun("stop_recording")

        @contextlib.contextmanager
        def paused():
            tape.pause()
            try:
                yield
            finally:
                tape.resume()

        return paused()

    def gradient(self, target, sources, output_gradients=None, unconnected="raise", **unknown):
        """d target / d sources, in the form of the sources; several targets are added up."""
        _hints.need_words("GradientTape.gradient", unknown, _WORDS)
        tape = self._begun("gradient")
        _hints.need_text(unconnected, "GradientTape.gradient", "unconnected")
        targets = [_core._tensor(leaf, None, "GradientTape.gradient", f"target {k}")
                   for k, leaf in enumerate(_tree.flatten(target)[0])]
        leaves, form = _tree.flatten(sources)
        given = [] if output_gradients is None else _tree.flatten(output_gradients)[0]
        if len(given) == len(targets):
            given = [g if g is None else _core._tensor(g, t.dtype, "GradientTape.gradient", "output_gradients")
                     for g, t in zip(given, targets)]
        return _tree.unflatten(form, tape.gradient(targets, leaves, given, unconnected))

    def jacobian(self, target, sources, unconnected="raise", **unknown):
        """d target[i] / d sources[j]: [*target shape, *source shape]."""
        _hints.need_words("GradientTape.jacobian", unknown, _WORDS)
        leaves, form = _tree.flatten(sources)
        return _tree.unflatten(form, self._begun("jacobian").jacobian(target, leaves, unconnected))

    def batch_jacobian(self, target, source, unconnected="raise", **unknown):
        """The Jacobian of every example: target [b, ...], source [b, ...], result [b, *target, *source]."""
        _hints.need_words("GradientTape.batch_jacobian", unknown, _WORDS)
        return self._begun("batch_jacobian").batch_jacobian(target, [source], unconnected)


def stop_gradient(x):
    """`x`, a tensor or a tree of them, as a constant: no gradient flows through."""
    return _tree.map(_ops.op("", "stop_gradient"), x)


def _backward(self, gradient=None, retain_graph=False, create_graph=False, inputs=None):
    """Adds d self / d v to v.grad of every trainable Variable v that led here."""
    _core._backward(self, gradient, bool(retain_graph), bool(create_graph), inputs)


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
