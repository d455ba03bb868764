"""Functions that differentiate functions: grad, vjp, jvp, linearize and what is made of them."""

import functools

from . import _core, _errors, _hints, _ops, _tree
from ._hints import brief as _brief
from ._users import users


def _argument_list(argnums, who="grad"):
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, (tuple, list)) or not all(isinstance(i, int) for i in numbers):
        hint = f"; the arguments come after: wf.{who}(f)(x)" if isinstance(argnums, _core.Tensor) else ""
        raise _core.WrongTypeError(f"{who}: argnums must be an integer or a tuple of integers, but got {_brief(argnums)}{hint} "
                                   f"[{who}.argnums]")
    return tuple(numbers)


# What others can say to grad and its like.
_WORDS = {"allow_unused": "unconnected", "materialize_grads": "unconnected", "argnum": "argnums"}
_SENTENCES = {"argnames": "arguments are chosen by their places, argnums=(0, 1), and given by position",
              "allow_int": "integers have no derivatives: leave them out of argnums",
              "holomorphic": "complex functions are differentiated without a word for it",
              "reduce_axes": "sum over the axis inside of the function, with psum"}
_OF_ALL = {"argnums": "every primal is differentiated; bind what is constant, functools.partial(f, n=3)",
           "reduce_axes": _SENTENCES["reduce_axes"]}


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


def _along(leaves, like, who, what, paths):
    """Directions as tensors, one for each of `like` and of its shape and dtype; None is zero. `paths()` names the leaves."""
    out = []
    for i, (leaf, x) in enumerate(zip(leaves, like)):
        t = None if leaf is None else _core._tensor(leaf, x.dtype, who, what)
        if t is not None and t.shape != x.shape:
            name = "the cotangent" if paths()[i] == "cotangent" else paths()[i]
            raise _core.InvalidError(f"{who}: {name} has shape {list(t.shape)}, but the value it goes with has shape "
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
        if args[i] is None or isinstance(args[i], _tree.CONSTANTS):
            raise _core.WrongTypeError(f"{who}: argument {i} is {_brief(args[i])}, which holds no tensor to differentiate with "
                                       f"respect to; argnums chooses others [{who}.argnums]")
    places = [i % count for i in argnums]
    if len(set(places)) != len(places):
        raise _core.InvalidError(f"{who}: argnums is {argnums}, which names an argument twice [{who}.argnums]")

    def placed(values):
        out = list(args)
        for place, value in zip(places, values):
            out[place] = value
        return out

    return tuple(args[i] for i in places), placed, places


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
    """A function at a point: its outputs and its linear maps. The point is a tuple of arguments of `named`, at `places`."""

    out_form = _tree.flatten(None)[1]  # until the function has run

    def __init__(self, f, tree, who, named, places=None):
        leaves, self.form = _tree.flatten(tree)
        self.who, self._named, self._places = who, named, places
        self.inputs = _tree.tensors(leaves, who, self._paths)

        def flat(values):
            out, self.out_form = _tree.flatten(f(_tree.unflatten(self.form, values)))
            return _tree.tensors(out, who, self._output_paths)

        try:
            self.line = _core._Linearization(flat, self.inputs, who)
        except _core.Error as error:
            self._name_leaves(error)
            raise
        self.outputs = self.line.outputs

    def _paths(self):
        return _tree.argument_paths(self._named, self.form, self._places)

    def _output_paths(self):
        return _tree.paths(self.out_form, "output")

    def _name_leaves(self, error):
        _errors.name_leaves(error, self.who, {"input": self._paths, "output": self._output_paths})

    def pull(self, cotangents, unconnected, last=False):
        try:
            gradients = self.line.pull(cotangents, last)
            gradients = self.line.connected(gradients, self.inputs, unconnected, self.who)
        except _core.Error as error:
            self._name_leaves(error)
            raise
        return _tree.unflatten(self.form, gradients)

    def tree(self, leaves):
        return _tree.unflatten(self.out_form, leaves)


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
        chosen, placed, places = _split(args, numbers, who)
        beside = _Beside(has_aux, who)
        at = _Pull(lambda values: _scalar_result(beside.taken(users(f)(*placed(values), **keywords)), who), chosen, who, f, places)
        gradients = at.pull([_core._initial_cotangent(at.outputs[0], who)], unconnected, last=True)
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


def vjp(f, *primals, has_aux=False, **unknown):
    """f(*primals), and the function from a cotangent of that to the cotangents of the primals, a tuple."""
    _hints.need_words("vjp", unknown, {}, _OF_ALL)
    _hints.need_function(f, "vjp")
    beside = _Beside(has_aux, "vjp")
    at = _Pull(lambda values: beside.taken(users(f)(*values)), primals, "vjp", f)

    def pullback(cotangent):
        leaves, form = _tree.flatten(cotangent)
        if form != at.out_form:
            raise _core.InvalidError(f"vjp: the cotangent has the form {form}, but the function's value the form "
                                     f"{at.out_form} [vjp.form]")
        return at.pull(_along(leaves, at.outputs, "vjp", "cotangent", lambda: _tree.paths(form, "cotangent")), "zero")

    return beside.put(at.tree(at.outputs), pullback)


def _zeros_like(x):
    return _ops.op("", "zeros")(x.shape, dtype=x.dtype)


def jvp(f, primals, tangents, has_aux=False, **unknown):
    """f(*primals), and its derivative along `tangents`: forward mode."""
    _hints.need_words("jvp", unknown, {}, _OF_ALL)
    _hints.need_function(f, "jvp")
    for value, name in ((primals, "primals"), (tangents, "tangents")):
        if not isinstance(value, (tuple, list)):
            raise _core.WrongTypeError(f"jvp: {name} must be a tuple, one for each argument of the function, but got "
                                       f"{type(value).__name__}; write ({name[:-1]},) for one argument [jvp.{name}]")
    leaves, form = _tree.flatten(tuple(primals))
    along, tangent_form = _tree.flatten(tuple(tangents))
    if form != tangent_form:
        raise _core.InvalidError(f"jvp: the primals have the form {form}, the tangents {tangent_form} [jvp.form]")
    inputs = _tree.tensors(leaves, "jvp", lambda: _tree.paths(form, "primals"))
    for i, primal in enumerate(inputs):
        if "floating" not in primal.dtype.kind:
            raise _core.WrongTypeError(f"jvp: {_tree.paths(form, 'primals')[i]} has dtype {primal.dtype}, which has no derivatives; "
                                       "cast it to a floating dtype, or close over it [jvp.dtype]")
    beside, out_form = _Beside(has_aux, "jvp"), None

    def flat(values):
        nonlocal out_form
        out, out_form = _tree.flatten(beside.taken(users(f)(*_tree.unflatten(form, values))))
        return _tree.tensors(out, "jvp", lambda: _tree.paths(out_form, "output"))

    try:
        given = [_core._tensor(leaf, inputs[i].dtype, "jvp", f"tangent {i}") for i, leaf in enumerate(along)]
        outputs, directions = _core._jvp(flat, inputs, given)
    except _core.Error as error:
        _errors.name_leaves(error, "jvp", {"tangent": lambda: _tree.paths(form, "tangents"),
                                           "primal": lambda: _tree.paths(form, "primals")})
        raise
    directions = [_zeros_like(outputs[k]) if t is None else t for k, t in enumerate(directions)]
    return beside.put(_tree.unflatten(out_form, outputs), _tree.unflatten(out_form, directions))


def linearize(f, *primals, has_aux=False, **unknown):
    """f(*primals), and the linear map from tangents of the primals to the tangent of the value.

    The map may be called many times; `f` itself runs once.
    """
    _hints.need_words("linearize", unknown, {}, _OF_ALL)
    _hints.need_function(f, "linearize")
    beside = _Beside(has_aux, "linearize")
    at = _Pull(lambda values: beside.taken(users(f)(*values)), primals, "linearize", f)

    def pushed(*tangents):
        along, form = _tree.flatten(tuple(tangents))
        if form != at.form:
            raise _core.InvalidError(f"linearize: the tangents have the form {form}, the primals {at.form} "
                                     "[linearize.form]")
        out = at.line.push(_along(along, at.inputs, "linearize", "tangent", lambda: _tree.paths(form, "tangents")))
        return at.tree([_zeros_like(at.outputs[k]) if t is None else t for k, t in enumerate(out)])

    return beside.put(at.tree(at.outputs), pushed)


def _jacobian(f, argnums, has_aux, unknown, who, blocks_of):
    """A function that gives `f`'s Jacobian: at every leaf of its value a tree of blocks like the arguments."""
    _hints.need_words(who, unknown, {}, _SENTENCES)
    _hints.need_function(f, who)
    numbers = _argument_list(argnums, who)
    is_one = isinstance(argnums, int)

    @functools.wraps(f)
    def transformed(*args, **keywords):
        chosen, placed, places = _split(args, numbers, who)
        leaves, form = _tree.flatten(chosen[0] if is_one else chosen)

        def paths():
            return _tree.argument_paths(f, _tree.flatten(chosen)[1], places)

        inputs = _tree.tensors(leaves, who, paths)
        beside, out_form = _Beside(has_aux, who), None

        def flat(values):
            nonlocal out_form
            value = _tree.unflatten(form, values)
            out = users(f)(*placed((value,) if is_one else value), **keywords)
            out, out_form = _tree.flatten(beside.taken(out))
            return _tree.tensors(out, who, lambda: _tree.paths(out_form, "output"))

        try:
            blocks = blocks_of(flat, inputs)
        except _core.Error as error:
            _errors.name_leaves(error, who, {"input": paths, "output": lambda: [] if out_form is None else _tree.paths(out_form, "output")})
            raise
        if out_form is None:  # the function was not called
            raise _core.InvalidError(f"{who}: the arguments hold no tensors to differentiate by; give at least one [{who}.empty]")
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
    return _jacobian(slope, argnums, has_aux, unknown, "hessian", _core._hessian)


def hvp(f, primals, tangents):
    """The second derivative of a scalar `f` along `tangents`, times the direction: forward over reverse."""
    if not isinstance(primals, (tuple, list)):
        raise _core.WrongTypeError(f"hvp: primals must be a tuple, one for each argument of the function, but got "
                                   f"{type(primals).__name__}; write (primal,) for one argument [hvp.primals]")
    slope = _grad(f, tuple(range(len(primals))), False, "zero", "hvp")
    return jvp(slope, primals, tangents)[1]


def stop_gradient(x):
    """`x`, a tensor or a tree of them, as a constant: no gradient flows through."""
    leaves, structure = _tree.flatten_argument("stop_gradient", "x", x)
    return _tree.unflatten(structure, [_ops.op("", "stop_gradient")(leaf) for leaf in leaves])
