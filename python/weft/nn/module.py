"""Module: a function that holds its parameters, found by attribute."""

import contextlib
import reprlib
import threading

from .. import _core, _errors, _graph, _hints, _misfits, random
from .._hints import brief as _brief
from .._users import as_it_is


class Module:
    """What models are made of: subclass it, hold Variables and other modules in attributes, and write `forward`.

    A trainable Variable in an attribute is a parameter; one that is not trainable when it is put there is a buffer, which is
    saved but not learned. Modules and Variables in lists, tuples and dicts are found too, and are what they would be alone.

    >>> class Scale(wf.nn.Module):
    ...     def __init__(self):
    ...         self.factor = wf.Variable(wf.tensor(2.0))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale()(3.0)
    tensor(6., dtype=float32)
    >>> [name for name, _ in Scale().named_parameters()]
    ['factor']
    """

    training = True  # train() and eval() set it, here and below
    compute_dtype = None  # what products are computed in, if not in the dtype of the parameters: compute_in()
    _buffers = frozenset()  # names of attributes that hold buffers
    _hooks = ()  # (when, function, handle)

    def forward(self, *args, **keywords):
        """What the module computes; a subclass defines it."""
        raise _core.MissingRuleError(f"{type(self).__name__}: has no forward; define forward(self, x) in the class "
                                     f"[Module.forward]")

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        _hints.speak(cls)

    def __call__(self, *args, **keywords):
        if _is_symbolic(args, keywords):
            return _nodes[1](self, args, keywords)
        if _core._stages():
            try:
                with _scope_of(self):
                    return self._forward_with_hooks(args, keywords)
            except _OF_INPUTS as error:
                _refuse_inputs(self, error, args, keywords)
                raise
        try:
            if not self._hooks:
                return self.forward(*args, **keywords)
            return self._forward_with_hooks(args, keywords)
        except Exception as error:
            if isinstance(error, _OF_INPUTS):
                _refuse_inputs(self, error, args, keywords)
            _note_path(self, error)
            raise

    def _forward_with_hooks(self, args, keywords):
        for hook in self._hooks:
            if hook.when == "before":
                changed = hook.function(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        out = self.forward(*args, **keywords)
        for hook in self._hooks:
            if hook.when == "after":
                changed = hook.function(self, args, out)
                if changed is not None:
                    out = changed
        return out

    def __getstate__(self):
        """What copies and pickles have: all but how it is trained, which is bound to this module's own Variables."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_compiled", "_predict")}

    def __setattr__(self, name, value):
        if not isinstance(name, str):
            object.__setattr__(self, name, value)  # this raises
        held = self.__dict__.get(name)
        if isinstance(value, _core.Variable):
            if value.trainable:
                self._mark(name, is_buffer=False)
            elif not isinstance(held, _core.Variable):
                self._mark(name, is_buffer=True)
        elif isinstance(held, _core.Variable) and value is not None:
            raise _core.WrongTypeError(
                f"{type(self).__name__}: '{name}' is a Variable, and would be replaced by {_named(value)}; "
                f"write self.{name}.assign(value), or give it a wf.Variable [Module.attribute]")
        object.__setattr__(self, name, value)
        if isinstance(value, (list, tuple, dict)):
            for path, thing, _ in _things([(name, value)], self.__dict__):
                if isinstance(thing, _core.Variable):
                    self._is_buffer(path, thing)

    def _mark(self, name, is_buffer):
        if (name in self._buffers) != is_buffer:
            changed = self._buffers | {name} if is_buffer else self._buffers - {name}
            object.__setattr__(self, "_buffers", frozenset(changed))

    def _is_buffer(self, name, variable):
        """Whether a Variable is a buffer. Lists and dicts are filled without a word to the module, so those in them are what they
        were when they were first met: freeze() makes no buffers."""
        if name in self.__dict__:
            return name in self._buffers
        met = self.__dict__.get("_met")
        if met is None:
            met = {}
            object.__setattr__(self, "_met", met)
        if variable.trainable:
            met[name] = False
        return met.setdefault(name, True)

    # What is in it.

    def _entries(self):
        """(name, value) of what may hold modules and Variables."""
        return list(self.__dict__.items())

    def named_modules(self, prefix=""):
        """(name, module) of this one, named '', and of every module below, each once."""
        _hints.need_text(prefix, "named_modules", "prefix")
        return [(name, thing) for name, thing, _, _ in _walk(self, prefix) if isinstance(thing, Module)]

    def modules(self):
        """This module and every module below, each once."""
        return [module for _, module in self.named_modules()]

    def named_children(self):
        """(name, module) of the modules directly below."""
        return [(name, thing) for name, thing in _found(self) if isinstance(thing, Module)]

    def children(self):
        """The modules directly below."""
        return [module for _, module in self.named_children()]

    def named_parameters(self):
        """(name, Variable) of every parameter, each once, under the first name that leads to it."""
        return [(name, thing) for name, thing, is_buffer, _ in self._variables() if not is_buffer]

    def parameters(self):
        """Every parameter, each once: what an optimizer is given."""
        return [variable for _, variable in self.named_parameters()]

    def named_buffers(self):
        """(name, Variable) of every buffer: saved, but not learned."""
        return [(name, thing) for name, thing, is_buffer, _ in self._variables() if is_buffer]

    def buffers(self):
        """Every buffer, each once."""
        return [variable for _, variable in self.named_buffers()]

    def _variables(self):
        """(name, Variable, whether it is a buffer, its place) of each Variable, once."""
        return [entry for entry in _walk(self, "", need_all=True) if isinstance(entry[1], _core.Variable)]

    def register_buffer(self, name, value):
        """Holds a tensor as a buffer: saved with the model, not learned. `self.name.assign(x)` changes it."""
        _hints.need_text(name, "register_buffer", "name")
        setattr(self, name, _core.Variable(value, name=name, trainable=False))

    # Modes.

    def train(self, mode=True):
        """Sets whether it is being trained, here and below: dropout drops, batch norm uses the batch's statistics."""
        mode = _hints.as_flag(mode, "train", "mode")
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self):
        """The opposite of train()."""
        return self.train(False)

    def freeze(self, frozen=True):
        """Parameters are read as constants from now on; `unfreeze()` undoes it. They stay parameters, and are saved."""
        for parameter in self.parameters():
            parameter.trainable = not frozen
        return self

    def unfreeze(self):
        """The opposite of freeze()."""
        return self.freeze(False)

    def apply(self, function):
        """Calls `function` with every module, those below first, and gives this module."""
        _hints.need_callable(function, "apply", "function")
        for module in reversed(self.modules()):
            function(module)
        return self

    def to(self, dtype):
        """Puts parameters and buffers of floats into another dtype. The Variables are new ones: do it before an optimizer
        is given them."""
        dtype = _dtype(dtype, "to")
        replaced = {}
        for _, variable, _, place in list(_walk(self, "", need_all=True, is_repeated=True)):  # all of them, before any changes
            if isinstance(variable, _core.Variable) and "floating" in variable.dtype.kind:
                if id(variable) not in replaced:
                    replaced[id(variable)] = variable, _core.Variable(variable.value().astype(dtype), name=variable.name,
                                                                      trainable=variable.trainable)
                place.put(replaced[id(variable)][1])
        return self

    def compute_in(self, dtype):
        """Mixed precision: parameters stay as they are, products and convolutions are computed in `dtype`, here and below.

        Norms and losses are computed in float32 whatever the dtype. None undoes it.

        >>> layer = wf.nn.Linear(2, 2).compute_in(wf.bfloat16)
        >>> layer(wf.ones((1, 2))).dtype, layer.weight.dtype
        (weft.bfloat16, weft.float32)
        """
        dtype = None if dtype is None else _dtype(dtype, "compute_in")
        for module in self.modules():
            object.__setattr__(module, "compute_dtype", dtype)
        return self

    def _lowered(self, *tensors):
        """Tensors as they are computed with."""
        if self.compute_dtype is None:
            return tensors
        return [x if x is None else x.astype(self.compute_dtype) for x in tensors]

    # Hooks.

    def register_forward_hook(self, function):
        """Calls `function(module, args, out)` after forward; what it gives, if not None, replaces the result."""
        return self._hook("after", function)

    def register_forward_pre_hook(self, function):
        """Calls `function(module, args)` before forward; what it gives, if not None, replaces the arguments."""
        return self._hook("before", function)

    def _hook(self, when, function):
        _hints.need_function(function, "register_forward_hook" if when == "after" else "register_forward_pre_hook")
        handle = Hook(self, when, function)
        object.__setattr__(self, "_hooks", (*self._hooks, handle))
        return handle

    # Saving.

    def state_dict(self):
        """{name: tensor} of all parameters and buffers: what is saved."""
        return {name: variable.value() for name, variable, _, _ in self._variables()}

    def load_state_dict(self, state, strict=True):
        """Assigns the values of `state` to the parameters and buffers of the same names.

        Gives what was matched, missing, unexpected and mismatched. With `strict` anything but a full match raises, and
        nothing is changed.
        """
        from .state import load  # late, like all that only few programs need

        return load(self, state, strict)

    # What people see.

    def extra_repr(self):
        """What stands in the brackets of its repr."""
        return ""

    @reprlib.recursive_repr()
    def __repr__(self):
        lines = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        head = f"{type(self).__name__}({self.extra_repr()}"
        return head + ")" if not lines else head + "".join(f"\n  {line}" for line in lines) + "\n)"

    def _repr_html_(self):
        """The tree, folded, for notebooks."""
        from html import escape

        around = []  # a module may hold itself

        def shown(name, module):
            if any(module is one for one in around):
                return f"<div>{escape(name)}...</div>"
            count = sum(v.size for v in module.parameters()) if not module._is_any_pending() else 0
            words = f"{name}{type(module).__name__}({module.extra_repr()})" + (f", {count:,} parameters" if count else "")
            around.append(module)
            inside = "".join(shown(f"{key}: ", child) for key, child in module.named_children())
            around.pop()
            if not inside:
                return f"<div>{escape(words)}</div>"
            return f"<details open><summary>{escape(words)}</summary><div style='margin-left:1.5em'>{inside}</div></details>"

        return f"<div style='font-family:monospace'>{shown('', self)}</div>"

    def _is_any_pending(self):
        """Whether parameters of it, or of modules in it, wait for the first call."""
        return bool(self._pending())

    def _pending(self):
        """Modules whose parameters wait for the first call."""
        return [each for each in self.modules() if each.__dict__.get("_key") is not None]

    def _made_variables(self):
        """Parameters and buffers that are there, though others may wait for the first call."""
        return [thing for _, thing, _, _ in _walk(self, "") if isinstance(thing, _core.Variable)]

    def summary(self, *inputs):
        """A table of its modules: results, parameters, operations and bytes of a call with `inputs`.

        Inputs are tensors, or shapes, which stand for float32 tensors of zeros.
        """
        from .summary import summarize

        return summarize(self, inputs)

    def draw(self, path=None, input=None, depth=-1, *, repeats=True):
        """A drawing of its layers, as text of SVG: each with its name, class, shapes and number of parameters.

        `input` is what it is called with: a tensor, a shape (float32), or a list of them. `path` also writes the drawing, as
        .svg, as .html (a page whose layers open by a click) or as .dot for Graphviz. `depth` levels of modules are opened; -1
        opens as many as fit. Equal layers in a row are one box, "layers × 12", unless `repeats` is False.
        """
        from .drawing import draw, inputs_of

        return draw(self, path, inputs_of(self, input), depth, repeats)


class _Elsewhere:
    """A method that modules of other libraries have; reading it raises an error that names Weft's equivalent.

    A descriptor, not Module.__getattr__: traces can guard attributes only of classes without __getattr__.
    """

    def __init__(self, name, instead=""):
        self.name, self.instead = name, instead

    def __get__(self, module, owner=None):
        if module is None:
            raise AttributeError(f"type object '{owner.__name__}' has no attribute '{self.name}'", name=self.name, obj=owner)
        if self.instead:
            raise AttributeError(f"a {type(module).__name__} has no '{self.name}'; {self.instead}", name=self.name)
        raise _hints.missing_method(type(module), self.name)


for _name in ("cuda", "cpu", "zero_grad", "requires_grad_", "register_parameter", "add_module", "get_layer", "trainable_weights", "get_weights",
              "set_weights", "save_weights", "load_weights"):
    setattr(Module, _name, _Elsewhere(_name))
for _name, _dtype in (("half", "float16"), ("double", "float64"), ("bfloat16", "bfloat16")):
    setattr(Module, _name, _Elsewhere(_name, f"use model.to(wf.{_dtype})"))


class _Called(threading.local):
    def __init__(self):
        self.modules = []  # from the outermost


_called = _Called()


@as_it_is
@contextlib.contextmanager
def _scope_of(module):
    """The scope of a call in a graph or a trace, named as the module around it holds the one that is called."""
    path = ""
    for around in reversed(_called.modules):
        path = path or next((name for name, thing in around.named_modules() if thing is module), "")
    _called.modules.append(module)
    try:
        with _graph.name_scope(path.replace(".", "/")) if path else contextlib.nullcontext():
            yield
    except Exception as error:
        _note_path(module, error)
        raise
    finally:
        _called.modules.pop()


@as_it_is
def _note_path(module, error):
    """Notes where in the outermost module an error was raised: "in the module 'blocks.2.attention.q_proj' (Linear)".

    Called with every module that the error leaves, from the innermost on: each that holds the one before it makes the path longer.
    """
    known = error.__dict__.get("_module_path")  # by id: an error is pickled without its modules
    if known is None:
        error.__dict__["_module_path"] = id(module), "", type(module).__name__
        return
    inner, path, kind = known
    try:
        name = next((name for name, thing in module.named_modules() if id(thing) == inner and name), "")
    except _core.Error:  # of a module whose names cannot be told apart
        return
    if name:
        longer = f"{name}.{path}" if path else name
        error.__dict__["_module_path"] = id(module), longer, kind
        _errors.put_first_note(error, f"in the module '{longer}' ({kind})", f"in the module '{path}' ({kind})")


_nodes = []  # what finds the nodes of graphs among arguments, and what notes a call: there from the first wf.nn.Input on


@as_it_is
def _is_symbolic(args, keywords):
    """Whether a call is one of a graph that is being made."""
    try:
        return bool(_nodes) and (_nodes[0](args) or _nodes[0](keywords))
    except RecursionError:  # of lists that are nested too deep, or hold themselves: forward says so
        return False


class Layer(Module):
    """A module with parameters of its own, drawn from a key: the one given, or a fresh one of the default generator.

    A subclass says in `_parameters(size)` what they are, {name: (shape, initializer)}, in the order of their keys; a
    shape of None is a parameter that it does without. `size` is that of the input, which may become known by the first call.
    """

    _key = None  # until the parameters are made

    def _begin(self, size, key, dtype):
        """Draws the parameters if the size of the input is known."""
        _begin(self, key, dtype)
        if size is not None:
            self._complete(size)

    def _parameters(self, size):
        raise NotImplementedError

    def _size_of(self, state):
        """The size of the input by saved parameters, or None: the second axis of the weight."""
        return state["weight"].shape[1] if "weight" in state else None

    @as_it_is
    def _is_pending(self):
        """Whether the parameters wait for the first call."""
        return self._key is not None

    @as_it_is
    def _complete(self, size):
        """Makes the parameters, outside of any graph: they are values, drawn once."""
        if not isinstance(size, float) or not size.is_integer():
            _hints.need_integer(size, type(self).__name__, "the size of the input")
        size = int(size)  # of a traced tensor: an assumption of the trace
        with _graph.eager():
            parameters = self._parameters(size)
            for name, (shape, _) in parameters.items():
                if shape is not None and any(isinstance(size, int) and size < 0 for size in shape):
                    who = type(self).__name__
                    raise _core.InvalidError(f"{who}: {name} would be {list(shape)}; sizes are at least 0 [{who}.size]")
            keys = self._key.split(len(parameters))
            for k, (name, (shape, initializer)) in enumerate(parameters.items()):
                value = None if shape is None else _core.Variable(initializer(keys[k], shape, self._dtype), name=name)
                setattr(self, name, value)
        self._key = None


@as_it_is
def _begin(layer, key, dtype):
    with _graph.eager():
        layer._key = random.next_key() if key is None else key if isinstance(key, random.Key) else random.Key(key)
    layer._dtype = _core.float32 if dtype is None else _dtype(dtype, type(layer).__name__)


class Hook:
    """A function that is called with a module, until remove()."""

    def __init__(self, module, when, function):
        self._module, self.when, self.function = module, when, function

    def remove(self):
        left = tuple(hook for hook in self._module._hooks if hook is not self)
        object.__setattr__(self._module, "_hooks", left)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()
        return False


def _dtype(given, who):
    """The dtype that is meant, of floats."""
    dtype = vars(_core).get(given, given) if isinstance(given, str) else given
    if isinstance(given, str) and given.partition(":")[0] in ("cpu", "cuda", "gpu", "mps", "xpu", "tpu"):
        raise _core.InvalidError(f"{who}: {_brief(given)} is a device; the only device is the CPU, where parameters are: leave the call "
                                 f"out, or name a dtype, such as wf.float32 [{who}.device]")
    if not isinstance(dtype, _core.DType) or "floating" not in dtype.kind:
        raise _core.WrongTypeError(f"{who}: dtype is {_brief(given)}; parameters are floats, such as wf.float32 [{who}.dtype]")
    return dtype


class _Place:
    """Where a Variable is held: in the attributes of a module, or in a container among them."""

    __slots__ = ("_holder", "_key")

    def __init__(self, holder, key):
        self._holder, self._key = holder, key

    def put(self, value):
        if isinstance(self._holder, tuple):
            raise _core.WrongTypeError("Module: a Variable in a tuple cannot be replaced; hold it in a list [Module.tuple]")
        self._holder[self._key] = value


def _found(module):
    """(name, module or Variable) directly below a module."""
    return [(name, thing) for name, thing, _ in _things(module._entries(), module.__dict__)]


def _things(entries, holder, around=()):
    """(name, module or Variable, its place) for all in `entries`, also inside containers. `around`: the enclosing containers; one that
    contains itself is not entered again."""
    for name, value in entries:
        if isinstance(value, (Module, _core.Variable)):
            yield str(name), value, _Place(holder, name)
        elif isinstance(value, (list, tuple, dict)) and not any(value is one for one in around):
            if len(around) >= _core._MAX_TREE_DEPTH // 4:
                raise _core.InvalidError(f"Module: an attribute has containers nested more than {len(around)} deep; hold modules and Variables "
                                         "in fewer levels [Module.depth]")
            inside = value.items() if isinstance(value, dict) else enumerate(value)
            for below, thing, place in _things(inside, value, (*around, value)):
                yield f"{name}.{below}", thing, place


def _walk(module, prefix, need_all=False, is_repeated=False):
    """(name, module or Variable, whether it is a buffer, its place), each once, or as often as it is held."""
    return _Walk(need_all, is_repeated).below(module, prefix)


class _Walk:
    """One pass over a tree of modules. No closures: a function that calls itself is a cycle, which would keep the modules alive."""

    def __init__(self, need_all, is_repeated):
        self.need_all, self.is_repeated = need_all, is_repeated
        self.seen, self.named, self.around = {}, {}, []

    def below(self, module, prefix):
        if id(module) in (self.around if self.is_repeated else self.seen):  # a module may hold one that it is in
            return
        self.seen[id(module)] = module
        yield prefix, module, False, None
        if self.need_all and module.__dict__.get("_key") is not None:
            raise _core.InvalidError(f"{type(module).__name__}: has no parameters yet{' at ' + repr(prefix) if prefix else ''}: its "
                                     "input size was left out; call the model once, or name the size [Module.size]")
        self.around.append(id(module))
        for name, thing, place in _things(module._entries(), module.__dict__):
            path = f"{prefix}.{name}" if prefix else name
            if isinstance(thing, Module):
                yield from self.below(thing, path)
            elif self.is_repeated or id(thing) not in self.seen:
                self.seen[id(thing)] = thing
                if self.named.setdefault(path, thing) is not thing:
                    raise _core.InvalidError(f"Module: two Variables have the name '{path}', so only one would be "
                                             "saved; give one of the modules or attributes another name [Module.name]")
                yield path, thing, module._is_buffer(name, thing), place
        self.around.pop()


_OF_INPUTS = AttributeError, IndexError, TypeError, ZeroDivisionError  # what code of layers raises for inputs that it cannot take


def _refuse_inputs(module, error, args, keywords):
    """Raises for an input that is no tensor, or has too few axes, if that is what the code of a layer of Weft's own failed of."""
    if not type(module).__module__.startswith("weft.nn.layers."):
        return
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    if isinstance(error, TypeError) and trace.tb_frame.f_code in (Module.__call__.__code__, Module._forward_with_hooks.__code__):
        raise _hints.misfit(type(module).forward, (module, *args), keywords) from None  # forward has not begun
    if isinstance(error, _core.Error) or not trace.tb_frame.f_globals.get("__name__", "").startswith("weft.nn.layers."):
        return
    who, code = type(module).__name__, type(module).forward.__code__
    names = code.co_varnames[1:code.co_argcount]
    for name, value in [*zip(names, args), *keywords.items()]:
        if not isinstance(value, _core.Tensor) and (value is not None or name == names[0]):
            raise _misfits.no_tensor(who, name, value) from None
    if isinstance(error, (IndexError, ZeroDivisionError)) and args:
        raise _core.InvalidError(f"{who}: {names[0]} has {len(args[0].shape)} axes, which are too few [{who}.rank]") from None


def _named(value):
    return "a tensor" if isinstance(value, _core.Tensor) else type(value).__name__
