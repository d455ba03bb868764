"""wf.define_op: ops of users, through the same door as the built-in ones."""

from . import _core


def define_op(name, *, compose=None, kernel=None, vjp=None, jvp=None, infer=None, inputs=None, outputs=("out: any",),
              batch=None, doc=None):
    """Defines an op and gives its function.

    `compose(*tensors, **attributes)` is written with other ops and needs no rules.
    `kernel(*arrays, **attributes)` computes on NumPy arrays (read-only). Beside it:
      `infer(*types, **attributes)` gives the type of each output; a type has `.dtype` and `.shape`. Left out, the output
        has the shape that the inputs broadcast to and the dtype of the first.
      `vjp(cotangent, *tensors, out, **attributes)` gives one cotangent per input (None where there is none), written with
        ops on tensors; `jvp(tangents, *tensors, out, **attributes)` gives the tangent of the output. `out` is left out
        if the function has no argument of that name.
      `batch="broadcasting"` if the kernel takes a batch axis in front of every input; else it runs example by example.
    Parameters before `*` are inputs, keyword-only parameters with a default are attributes. `inputs` may give dtype
    classes: ["x: floating", "y: like x"].

    >>> cube = wf.define_op("cube", compose=lambda x: x * x * x)
    """
    if (compose is None) == (kernel is None):
        raise _core.WrongTypeError("define_op: give either compose= or kernel= [define_op.argument]")
    function = compose or kernel
    names, fields = _parameters(name, function)
    module, _, short = name.rpartition(".")
    if not short.isidentifier():
        raise _core.InvalidError(f"define_op: name is {name!r}, but must be an identifier, or module.identifier "
                                 "[define_op.name]")
    if inputs is not None and len(inputs) != len(names):
        raise _core.InvalidError(f"define_op: inputs has {len(inputs)} entries, but {function!r} has {len(names)} inputs "
                                 "[define_op.inputs]")
    _check_texts("inputs", inputs or ())
    _check_texts("outputs", outputs)
    spec = {
        "name": short,
        "module": module,
        "doc": doc or (function.__doc__ if function.__name__ != "<lambda>" else None) or f"The user-defined op {name}.",
        "inputs": list(inputs) if inputs is not None else [f"{n}: any" for n in names],
        "outputs": list(outputs),
        "fields": fields,
        "composite": compose is not None,
        "not_differentiable": "" if vjp else "it was defined without vjp=",
        "per_example": "" if batch == "broadcasting" else "its kernel is a Python function of one example",
        "rules": _Rules(name, function, vjp, jvp, infer, len(outputs)),
    }
    return _core._define_op(spec)


def _check_texts(what, texts):
    for text in texts:
        if not isinstance(text, str) or ": " not in text:
            raise _core.InvalidError(f"define_op: {what} holds {text!r}, but must hold texts such as 'x: floating' "
                                     f"[define_op.{what}]")


def _parameters(name, function):
    """The names of the inputs, and (name, default) of the attributes."""
    import inspect

    inputs, attributes = [], []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            inputs.append(parameter.name)
        elif parameter.kind == parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            attributes.append((parameter.name, parameter.default))
        else:
            raise _core.InvalidError(f"define_op: op {name}: parameter '{parameter}' is neither an input nor an attribute "
                                     "with a default [define_op.parameters]")
    return inputs, attributes


class _Type:
    """What infer sees of an input."""

    def __init__(self, dtype, shape):
        self.dtype, self.shape = dtype, shape
        self.ndim = len(shape)


class _Rules:
    """The callbacks of one op, as the extension calls them: tuples in, tuples out."""

    def __init__(self, name, function, vjp, jvp, infer, outputs):
        self.name, self.function, self.outputs = name, function, outputs
        self.vjp_function, self.jvp_function, self.infer_function = vjp, jvp, infer
        self.wants_out = {f: _has_parameter(f, "out") for f in (vjp, jvp) if f is not None}

    def _tuple(self, result):
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)

    def compose(self, inputs, attributes):
        return self._tuple(self.function(*inputs, **attributes))

    def run(self, inputs, attributes):
        import numpy

        arrays = [x.numpy() for x in inputs]
        return tuple(numpy.asarray(r) for r in self._tuple(self.function(*arrays, **attributes)))

    def infer(self, types, attributes):
        if self.infer_function is not None:
            result = self.infer_function(*[_Type(*t) for t in types], **attributes)
            results = result if isinstance(result, list) else [result]
            return [(r.dtype, r.shape) if hasattr(r, "shape") else r for r in results]
        shape = _broadcast(self.name, [shape for _, shape in types])
        return [(types[0][0], shape)] * self.outputs

    def _call(self, function, first, inputs, outputs, attributes):
        single = len(outputs) == 1
        if self.wants_out[function]:
            attributes = {**attributes, "out": outputs[0] if single else outputs}
        return function(first, *inputs, **attributes)

    def vjp(self, cotangents, inputs, outputs, attributes):
        first = cotangents[0] if len(outputs) == 1 else cotangents
        return self._tuple(self._call(self.vjp_function, first, inputs, outputs, attributes))

    def jvp(self, tangents, inputs, outputs, attributes):
        if self.jvp_function is None:
            raise _core.MissingRuleError(f"{self.name}: has no forward rule; pass jvp= to define_op [{self.name}.jvp]")
        return self._tuple(self._call(self.jvp_function, tangents, inputs, outputs, attributes))


def _has_parameter(function, name):
    import inspect

    return name in inspect.signature(function).parameters


def _broadcast(name, shapes):
    out = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        extents = {shape[-axis] for shape in shapes if len(shape) >= axis} - {1}
        if len(extents) > 1:
            raise _core.InvalidError(f"{name}: shapes {', '.join(map(str, map(list, shapes)))} do not broadcast "
                                     f"[{name}.broadcast]")
        out.append(extents.pop() if extents else 1)
    return tuple(reversed(out))
