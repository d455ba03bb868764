"""Models as graphs of layers: Input stands for what will come, layers called with it are noted, and Model joins the ends.

>>> image, text = wf.nn.Input((8, 8), name="image"), wf.nn.Input((16,), name="text")
>>> seen = wf.nn.Linear(64, 10)(wf.tanh(wf.nn.Flatten()(image)))
>>> read = wf.nn.Linear(16, 10)(text)
>>> model = wf.nn.Model([image, text], {"both": seen + read, "text": read})
>>> model(wf.ones((5, 8, 8)), wf.ones((5, 16)))["both"].shape
(5, 10)
>>> [name for name, _ in model.named_parameters()]
['linear.weight', 'linear.bias', 'linear_1.weight', 'linear_1.bias']
"""

import math
import operator
import re
import weakref

from .. import _core, _graph, _hints, _methods, _ops, _tree
from .._hints import brief as _brief
from .._number import TracedNumber
from .._tape import no_grad
from .._users import as_it_is, users
from . import module as _module
from .module import Module

_zeros, _arange = _ops.op("", "zeros"), _ops.op("", "arange")
# Sizes that stand for those that are not known: a result's size that differs between both is not known either.
_BATCH, _UNKNOWN = (2, 3, 7), (32, 48, 56)
# What only a value has: its numbers, their place in memory, and the gradients that have come by.
_VALUES = ("item", "numpy", "tolist", "strides", "grad", "backward", "register_hook", "retain_grad", "requires_grad_")
_SIZES = ("size", "nbytes")


class _Following:
    """Held by all Nodes. With the last of them nothing is followed any more: no graph is being made."""


_held = None  # a weak reference to it


def _following():
    global _held
    _core._follow_origins(True)  # a graph is being made, maybe on from one that has been used
    out = None if _held is None else _held()
    if out is None:
        out = _Following()
        _held = weakref.ref(out)
        weakref.finalize(out, _core._follow_origins, False).atexit = False
    return out


class Node:
    """A value that is not there yet: an Input, or what a layer, an op or an operator gives of one.

    `shape` has None for sizes that are not known, such as that of the batch.
    """

    def __init__(self, shape, dtype, name=None, call=None, place=0):
        self.shape, self.dtype, self.name = shape, dtype, name
        self._call, self._place = call, place  # what gives it, and its number among all that is given; None of an Input
        self._following = _following()

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def device(self):
        return "cpu"

    @property
    def at(self):
        return _At(self)

    def _stand_in(self, which):
        """Zeros of this shape, where `which` chooses the sizes that are not known; the last has ones among them."""
        sizes = [(_UNKNOWN if k else _BATCH)[which] if size is None else size for k, size in enumerate(self.shape)]
        zeros = _zeros(tuple(sizes), dtype=self.dtype)
        if which < 2:
            return zeros
        return (_arange(1, zeros.size + 1).reshape(zeros.shape) % 2).astype(self.dtype)

    def _need_size(self, name):
        """The product of the sizes; raises if one is not known."""
        if None in self.shape:
            raise _core.WrongTypeError(f"Input: {name} of {self!r} is not known yet; x.shape has the sizes that are, and a layer of your "
                                       "own knows all [Input.size]")
        return math.prod(self.shape)

    def __getattr__(self, name):
        found = getattr(_core.Tensor, name, None)
        if name.startswith("_") or found is None:
            raise _hints.missing_method(_core.Tensor, name)
        if name in _VALUES:
            raise _not_there(self, f"x.{name}")
        if name in _SIZES:
            return self._need_size(name) * (self.itemsize if name == "nbytes" else 1)
        if not callable(found):
            return recorded(operator.attrgetter(name), (self,), {})
        return lambda *args, **keywords: recorded(found, (self, *args), keywords)

    @staticmethod
    def __weft_call__(function, args, keywords):
        """What ops do with it: wf.tanh(node) is a node."""
        return recorded(function, args, keywords)

    def __getitem__(self, index):
        return recorded(operator.getitem, (self, index), {})

    def __iter__(self):
        raise _core.WrongTypeError(f"Input: {self!r} is not there yet, and cannot be gone through; index it, or do it in a layer of "
                                   "your own [Input.iterate]")

    def __bool__(self):
        raise _core.WrongTypeError(f"Input: {self!r} is not there yet, and is neither true nor false; decide in a layer of your own "
                                   "[Input.bool]")

    def __len__(self):
        if not self.shape:
            raise _core.WrongTypeError(f"Input: {self!r} has no axes, so it has no length [Input.len]")
        if self.shape[0] is None:
            self._need_size("len")
        return self.shape[0]

    def __contains__(self, value):
        raise _not_there(self, "value in x")

    def __setitem__(self, index, value):
        raise _core.InvalidError(f"Input: {self!r} never changes; x = x.at[...].set(value) gives a changed copy [Input.immutable]")

    def __delitem__(self, index):
        raise _core.InvalidError(f"Input: {self!r} never changes; take the part to keep: x[...] [Input.immutable]")

    def __format__(self, spec):
        if spec:
            raise _not_there(self, f"format(x, {spec!r})")
        return repr(self)

    def __round__(self, digits=None):
        return recorded(round, (self, digits), {})

    __hash__ = object.__hash__  # == is an op of the graph

    # NumPy's functions run our ops, which note them.
    __array_ufunc__, __array_function__ = _core.Tensor.__array_ufunc__, _core.Tensor.__array_function__
    __array_namespace__ = _core.Tensor.__array_namespace__

    def __array__(self, *args, **keywords):
        raise _core.WrongTypeError(f"Input: {self!r} is not there yet; wf.nn.Lambda(function)(x) lets a function be part of the graph "
                                   "[Input.function]")

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __repr__(self):
        sizes = ", ".join("None" if size is None else str(size) for size in self.shape)
        return f"<{'Input ' + repr(self.name) if self._call is None else 'node'}: {self.dtype}[{sizes}]>"


def _operator(function, is_swapped=False):
    if is_swapped:
        return lambda self, other: recorded(function, (other, self), {})
    return lambda self, *others: recorded(function, (self, *others), {})


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
              "lshift", "rshift"):
    _plain = _name.rstrip("_")
    setattr(Node, f"__{_plain}__", _operator(getattr(operator, _name)))
    setattr(Node, f"__r{_plain}__", _operator(getattr(operator, _name), is_swapped=True))
for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge"):
    setattr(Node, f"__{_name}__", _operator(getattr(operator, _name)))


def _equality(function):
    return lambda self, other: function(id(self), None) if other is None else recorded(function, (self, other), {})


Node.__eq__, Node.__ne__ = _equality(operator.eq), _equality(operator.ne)  # of nothing, Python's answer


def _not_there(node, what):
    return _core.WrongTypeError(f"Input: {what} needs a value, and {node!r} is not there yet; wf.nn.Lambda(function)(x) lets a function be "
                                "part of the graph [Input.concrete]")


def _reader(name):
    def read(self):
        raise _not_there(self, f"{name}(x)")

    return read


for _name in ("float", "int", "complex", "index"):
    setattr(Node, f"__{_name}__", _reader(_name))


class _At:
    """x.at of a Node: its updates are noted."""

    def __init__(self, x, index=None):
        self._x, self._index = x, index

    def __getitem__(self, index):
        return _At(self._x, (index,))

    def __getattr__(self, name):
        found = None if name.startswith("_") or self._index is None else getattr(_methods._Place, name, None)
        if found is None:
            raise _hints.missing_place(name)
        return lambda *args, **keywords: recorded(_updated, (self._x, self._index, name, *args), keywords)


def _updated(x, index, name, *args, **keywords):
    return getattr(x.at[index[0]], name)(*args, **keywords)


class _Call:
    """A function or module, what it is called with, and the form of what it gives."""

    def __init__(self, function, leaves, form):
        self.function, self.leaves, self.form = function, leaves, form

    def stand_in(self, which):
        values = [leaf._stand_in(which) if type(leaf) is Node else leaf for leaf in self.leaves]
        args, keywords = _tree.unflatten(self.form, values)
        return self.function(*args, **keywords)


def is_among(x):
    """Whether a Node is here, or in these containers."""
    if type(x) is Node:
        return True
    if isinstance(x, dict):
        return any(map(is_among, x.values()))
    return isinstance(x, (list, tuple)) and any(map(is_among, x))


def recorded(function, args, keywords):
    """The Nodes of a call: it is made with zeros of different sizes, which tells what it gives."""
    leaves, form = _tree.flatten((args, keywords))
    for leaf in leaves:
        if isinstance(leaf, _core.Tensor) and not isinstance(leaf, _core.Variable):
            _need_constant(leaf, function)
    call = _Call(function, leaves, form)
    below = function.modules() if isinstance(function, Module) else []
    modes, generator = [each.training for each in below], _core._generator_state()
    try:
        for each in below:
            object.__setattr__(each, "training", False)
        with _graph.eager(), no_grad():
            given = [_tree.flatten(_core._unfollowed(lambda: call.stand_in(which))) for which in (0, 1)]
            if type(function) is Lambda or not below:  # sizes may depend on values, and layers' own do not
                given += _with_values(call)
    finally:
        for each, mode in zip(below, modes):
            object.__setattr__(each, "training", mode)
        _core._set_generator_state(*generator)
    return _nodes_of(call, given)


def _with_values(call):
    """What a call gives of other values than zeros, which it may refuse."""
    try:
        return [_tree.flatten(_core._unfollowed(lambda: call.stand_in(2)))]
    except Exception:
        return []


def _nodes_of(call, given):
    """What a call gives, with Nodes for tensors: sizes that are not always the same are not known."""
    who, node = _name_of(call.function), next(leaf for leaf in call.leaves if type(leaf) is Node)
    form = given[0][1]
    for _, other in given:
        if form != other:
            raise _core.WrongTypeError(f"Input: {who} gives {_brief(form)} or {_brief(other)} by what {node!r} will be; a model has one form: do "
                                       "this in a layer of your own, with what follows [Input.form]")
    nodes = []
    for place, values in enumerate(zip(*(values for values, _ in given))):
        for value in values:
            if not isinstance(value, _core.Tensor):
                raise _core.WrongTypeError(f"Input: {who} gives {_brief(value)} of zeros in the place of {node!r}, which is not there yet; a "
                                           "model would keep it as it is now. Let it give tensors, or do this in a layer of your own, with "
                                           "what follows [Input.concrete]")
        kinds = {(len(value.shape), value.dtype) for value in values}
        if len(kinds) > 1:
            raise _core.WrongTypeError(f"Input: {who} gives tensors of other ranks or dtypes by what {node!r} will be; do this in a layer of "
                                       "your own, with what follows [Input.form]")
        shape = tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*(value.shape for value in values)))
        nodes.append(Node(shape, values[0].dtype, None, call, place))
    return _tree.unflatten(form, nodes)


def _name_of(function):
    return type(function).__name__ if isinstance(function, Module) else getattr(function, "__name__", "an op")


def _need_constant(value, function):
    """Raises for a tensor that calls of the model should have anew, and would have as it is now."""
    origin = _core._origin(value)
    who = _name_of(function)
    if origin == "draw":
        raise _core.InvalidError(f"Input: {who} takes what the default generator has drawn, beside a value that is not there yet; a model "
                                 "would keep it as it is now. Draw in a layer, such as wf.nn.Lambda, or from a wf.random.Key if it is to "
                                 "stay [Input.draw]")
    if origin == "variable":
        raise _core.InvalidError(f"Input: {who} takes a value that follows a Variable or belongs to a transformation, beside one that is not "
                                 "there yet; a model would keep it as it is now. Give it the Variable itself, or hold it in a module, and "
                                 "call that [Input.variable]")


def Input(shape, dtype=None, name=None):
    """What a model will be called with: of this shape, without the batch, and dtype, float32 unless told.

    >>> x = wf.nn.Input((28, 28, 1), name="image")
    >>> x
    <Input 'image': float32[None, 28, 28, 1]>
    >>> wf.nn.Conv2d(1, 8, 3)(x.permute_dims((0, 3, 1, 2)))
    <node: float32[None, 8, 26, 26]>
    """
    if not isinstance(shape, (tuple, list)) or not all(size is None or (isinstance(size, int) and size >= 0) for size in shape):
        raise _core.WrongTypeError(f"Input: shape is {_brief(shape)}; it is a tuple of sizes, (784,), without the batch, and None where "
                                   "it is not known [Input.shape]")
    _module._nodes[:] = [is_among, recorded]
    return Node((None, *shape), _core.float32 if dtype is None else _core.dtype(dtype), name)


class Lambda(Module):
    """A function as a layer. In a graph, ops are noted by themselves; this is for functions that do more.

    >>> x = wf.nn.Input((2,))
    >>> wf.nn.Lambda(lambda x: x if x.shape[0] > 1 else wf.exp(x))(x)
    <node: float32[None, 2]>
    """

    def __init__(self, function):
        _hints.need_function(function, "Lambda")
        self.function = function

    def forward(self, *args, **keywords):
        return self.function(*args, **keywords)

    def extra_repr(self):
        return getattr(self.function, "__name__", "")


class _Held:
    """A module or Variable that the model holds under a name: the name, so that another may be put in its place."""

    def __init__(self, name):
        self.name = name


class _Given:
    """What an earlier step has given: the number of the step, and of the value."""

    def __init__(self, step, place):
        self.step, self.place = step, place


class Model(Module):
    """A model from Nodes to Nodes: what lies between them is found by itself.

    It is called with as many tensors as there are inputs, in their order or by their names, and gives the outputs in the form they
    have here. Layers are attributes, named by their classes in the order of the graph: `linear`, `linear_1`. A layer that was called
    several times is there once, with one set of parameters.

    Arguments:
        inputs: an Input, or a list or tuple of them, or a dict from names
        outputs: a Node, or a list, tuple or dict of them
    """

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = _named_inputs(inputs), outputs
        ends, self._form = _tree.flatten(outputs)
        for end in ends:
            if type(end) is not Node:
                raise _core.WrongTypeError(f"Model: an output is {_brief(end)}; outputs are what layers give of an Input [Model.outputs]")
        self._steps, self._found, self._numbers = [], {}, {}
        self._results = [self._place_of(end) for end in ends]
        for name, node in self.inputs.items():
            if id(node) not in self._numbers:
                raise _core.InvalidError(f"Model: no output depends on the input '{name}'; leave it out [Model.inputs]")
        del self._found, self._numbers

    def _place_of(self, node):
        """Where a Node's value is when the model is called; what it depends on is put before it."""
        key = id(node) if node._call is None else id(node._call)
        if key not in self._numbers:
            if node._call is None:
                if all(node is not one for one in self.inputs.values()):
                    raise _core.InvalidError(f"Model: an output depends on {node!r}, which is not among the inputs "
                                             f"{', '.join(map(repr, self.inputs))} [Model.inputs]")
                self._numbers[key] = [name for name, one in self.inputs.items() if one is node][0]
            else:
                self._add(node._call)
        return _Given(self._numbers[key], node._place)

    def _add(self, last):
        """Puts a call and those that it needs in order; without recursion, since graphs may be deep."""
        waiting = [last]
        while waiting:
            call = waiting[-1]
            needed = [leaf._call for leaf in call.leaves if type(leaf) is Node and leaf._call is not None
                      and id(leaf._call) not in self._numbers]
            if needed:
                waiting += reversed(needed)
                continue
            waiting.pop()
            if id(call) not in self._numbers:
                parts = [self._place_of(leaf) if type(leaf) is Node else self._held(leaf) for leaf in call.leaves]
                self._steps.append((self._held(call.function), parts, call.form))
                self._numbers[id(call)] = len(self._steps) - 1

    def _held(self, thing):
        """A module or Variable as an attribute of its own; anything else as it is."""
        if not isinstance(thing, (Module, _core.Variable)):
            return thing
        if id(thing) not in self._found:
            word = re.sub(r"\W", "_", type(thing).__name__.lower())
            count, name = 0, word
            while hasattr(self, name):
                count += 1
                name = f"{word}_{count}"
            setattr(self, name, thing)
            self._found[id(thing)] = name
        return _Held(self._found[id(thing)])

    @as_it_is
    def forward(self, *args, **keywords):
        _core._follow_origins(False)  # it is in use: no graph is being made
        given, results = self._bound(args, keywords), []

        def value(part):
            if isinstance(part, _Held):
                return getattr(self, part.name)
            if isinstance(part, _Given):
                return given[part.step] if isinstance(part.step, str) else results[part.step][part.place]
            return part

        for function, parts, form in self._steps:
            step_args, step_keywords = _tree.unflatten(form, [value(part) for part in parts])
            results.append(_tree.flatten(users(value(function))(*step_args, **step_keywords))[0])
        return _tree.unflatten(self._form, [value(part) for part in self._results])

    def _bound(self, args, keywords):
        """{name: value} of the inputs."""
        names = list(self.inputs)
        if len(args) == 1 and len(names) > 1 and not keywords:  # all in one container
            if isinstance(args[0], (list, tuple)):
                args = tuple(args[0])
            elif isinstance(args[0], dict):
                args, keywords = (), args[0]
        given = dict(zip(names, args))
        if len(args) > len(names) or set(keywords) != set(names[len(args):]):
            named = f" and {', '.join(map(repr, keywords))}" if keywords else ""
            raise _core.WrongTypeError(f"Model: was called with {len(args)} values{named}; its inputs are {', '.join(map(repr, names))} "
                                       "[Model.call]")
        return {name: _as_tensor(value) for name, value in (given | keywords).items()}

    def summary(self, *inputs):
        """A table of its layers; without inputs, for a batch of one."""
        return super().summary(*(inputs or self._batch_of_one()))

    def draw(self, path=None, input=None, depth=-1, *, repeats=True):
        """A drawing of its layers; without input, for what its Inputs say."""
        return super().draw(path, self._batch_of_one() if input is None else input, depth, repeats=repeats)

    def _batch_of_one(self):
        return [_zeros(tuple(1 if size is None else size for size in node.shape), dtype=node.dtype) for node in self.inputs.values()]


def _as_tensor(value):
    """Arrays as tensors, since the graph was noted of these; what is one for transformations stays."""
    if isinstance(value, (_core.Tensor, TracedNumber)) or hasattr(type(value), "__weft_tensor__"):
        return value
    return _core._tensor(value, None, "Model", "an input")


def _named_inputs(inputs):
    """{name: Node}; names that are missing are made."""
    if isinstance(inputs, dict):
        named = dict(inputs)
    else:
        named = {}
        for node in inputs if isinstance(inputs, (list, tuple)) else [inputs]:
            name = getattr(node, "name", None) or (f"input_{len(named)}" if isinstance(inputs, (list, tuple)) else "input")
            if name in named:
                raise _core.InvalidError(f"Model: two inputs are named '{name}'; names differ [Model.inputs]")
            named[name] = node
    for node in named.values():
        if type(node) is not Node or node._call is not None:
            raise _core.WrongTypeError(f"Model: an input is {_brief(node)}; inputs are made by wf.nn.Input [Model.inputs]")
    return named
