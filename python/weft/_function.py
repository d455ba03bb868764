"""wf.function: a Python function that is traced once and then runs as a graph."""

import functools
import threading

from . import _core, _graph, _guards, _picture, _plan, _tree


class ConcreteFunction:
    """One trace of a function."""

    def __init__(self, owner, entry):
        self._owner, self._entry = owner, entry

    @property
    def graph(self):
        """The graph that was traced; it prints as text."""
        return self

    def __str__(self):
        return self._entry.text()

    @property
    def operations(self):
        """(name, op, inputs, outputs, ...) of each node."""
        return self._entry.nodes()

    def summary(self):
        """A table of what the graph holds."""
        return self._entry.shown("summary", -1)

    def draw(self, path=None, depth=-1):
        """A picture of the graph: SVG, or DOT if the path ends in .dot."""
        return _picture.drawn(self._entry.shown, path, depth)

    def _repr_html_(self):
        return self._entry.shown("svg", -1)

    def as_graph_def(self):
        """The graph in TensorFlow's GraphDef."""
        return _picture.GraphDef(*self._entry.graph_def())

    def optimize(self, dump=None):
        """What the passes make of it, a Graph; `dump` is a folder for the text after every pass."""
        return _graph.Graph._of(_core._optimized_trace(self._entry, str(dump or "")))

    def plan(self, *args, **kwargs):
        """How a call with such arguments works: its instructions, its memory, its time."""
        return _plan.Plan(_core._plan_of_trace(self._entry, self._owner._taken_apart(args, kwargs)[1]))


class TracedFunction:
    """What wf.function makes: call it as the function it was made of."""

    def __init__(self, f, max_traces, static_argnums, input_signature, rewrite):
        functools.update_wrapper(self, f)
        self._python = f
        self._rewrites = rewrite
        self._static = frozenset(static_argnums)
        self._name = getattr(f, "__name__", "function")
        self._core = _core._Traced(self._name, max_traces, [_spec(item) for item in input_signature or ()])
        self._forms = {}  # by the number of the trace: the form of what it gives
        self._guards = {}  # by the number of the trace: what it read outside of its arguments
        self._local = threading.local()

    @property
    def _made(self):
        """What the last trace on this thread gave beside its graph, until it is known which trace it was."""
        return getattr(self._local, "made", None)

    @_made.setter
    def _made(self, value):
        self._local.made = value

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return functools.partial(self, instance)

    @functools.cached_property
    def _traceable(self):
        if not self._rewrites:
            return self._python
        from . import _rewrite

        return _rewrite.rewrite(self._python)

    def __call__(self, *args, **kwargs):
        tracer, leaves, statics = self._taken_apart(args, kwargs)
        self._made = None  # of a trace that failed
        number, out = self._core.call(tracer, leaves, statics, self._still_good)
        self._remember(number)
        form = self._forms[number]
        return out[0] if form.kind == "leaf" else _tree.unflatten(form, out)

    def _taken_apart(self, args, kwargs):
        """What traces the call, its tensors, and what tells it from others; of tensors alone there is nothing to take apart."""
        if not kwargs and not self._static and all(type(arg) is _core.Tensor for arg in args):
            return self._plain_tracer, list(args), str(len(args))
        leaves, statics, rebuild = self._split(args, kwargs)
        return self._tracer(rebuild), leaves, statics

    def _remember(self, number):
        if self._made is not None:
            self._forms[number], self._guards[number] = self._made
            self._made = None

    def get_concrete_function(self, *args, **kwargs):
        """The trace for such arguments, made if there is none."""
        tracer, leaves, statics = self._taken_apart(args, kwargs)
        self._made = None
        entry = self._core.entry(tracer, leaves, statics, self._still_good)
        self._remember(entry.number)
        return ConcreteFunction(self, entry)

    def trace_log(self):
        """Why each trace was made, in order."""
        return self._core.log()

    @property
    def trace_count(self):
        return self._core.trace_count()

    def _still_good(self, number):
        guards = self._guards.get(number)
        return guards is None or guards.hold()

    def _tracer(self, rebuild):
        return lambda leaves: self._traced(*rebuild(leaves))

    def _plain_tracer(self, leaves):
        return self._traced(leaves, {})

    def _traced(self, args, kwargs):
        guards = _guards.of(self._python, args)
        flat, form = _tree.flatten(self._traceable(*args, **kwargs))
        self._made = (form, guards)
        return flat

    def _split(self, args, kwargs):
        """Tensors are arguments of the trace; everything else is part of its signature."""
        args = tuple(_Static(arg) if i in self._static else arg for i, arg in enumerate(args))
        leaves, structure = _tree.flatten((args, kwargs))
        tensors, parts = [], []
        for leaf in leaves:
            if isinstance(leaf, (_core.Tensor, _core.Variable)):
                parts.append(None)
                tensors.append(leaf)
            elif type(leaf).__module__ == "numpy" or hasattr(leaf, "__array__"):
                parts.append(None)
                tensors.append(_core._tensor(leaf, None, self._name, "argument"))
            else:
                parts.append((leaf,))
        statics = repr((structure, [None if part is None else _key(part[0]) for part in parts]))

        def rebuild(traced):
            given = iter(traced)
            rebuilt, named = _tree.unflatten(structure, [next(given) if part is None else part[0] for part in parts])
            return tuple(arg.value if type(arg) is _Static else arg for arg in rebuilt), named

        return tensors, statics, rebuild


class _Static:
    """An argument that was declared static: a leaf that is compared, not traced."""

    def __init__(self, value):
        try:
            hash(value)
        except TypeError:
            raise _core.WrongTypeError(f"function: a static argument is {value!r:.60}, which has no hash, so it cannot be told "
                                       "from another; pass a tuple, or leave it out of static_argnums [function.static]") from None
        self.value = value


def _spec(item):
    """(dtype, shape) of "f32[batch, 784]", of a pair, or of anything with a dtype and a shape."""
    if isinstance(item, str):
        dtype, shape = _graph.parsed_type(item)
    else:
        dtype, shape = item if isinstance(item, tuple) else (item.dtype, item.shape)
    sizes = [_core._symbol(f"s{i}") if size is None else _core._symbol(size) if isinstance(size, str) else size
             for i, size in enumerate(shape)]
    return _graph._dtype(dtype), sizes


def _key(value):
    """What tells one static value from another: numbers by type and value, other objects by identity."""
    if type(value) is _Static:
        return ("static", type(value.value).__name__, hash(value.value))
    if isinstance(value, (int, float, complex, str, bytes, type(None), bool)):
        return (type(value).__name__, value)
    return (type(value).__name__, id(value))


def function(f=None, *, max_traces=64, static_argnums=(), input_signature=None, rewrite=True):
    """Traces `f` once per signature; calls then run the graph. A decorator, with or without arguments; also `wf.jit`.

    Tensors are arguments of the graph: a new size is no new trace, a new dtype or rank is. Everything else in a call
    is part of the signature. Variables that are read or written are inputs and outputs of the graph.

    >>> import weft as wf
    >>> @wf.function
    ... def scaled(x):
    ...     return x * 2.0
    >>> scaled(wf.tensor([1.0, 2.0]))
    tensor([2., 4.], dtype=float32)
    >>> scaled.trace_log()
    ['the first call']
    """
    if f is None:
        return lambda g: function(g, max_traces=max_traces, static_argnums=static_argnums,
                                  input_signature=input_signature, rewrite=rewrite)
    if not callable(f):
        raise _core.WrongTypeError(f"function: needs a function, but got {f!r:.60} [function.argument]")
    return TracedFunction(f, max_traces, (static_argnums,) if isinstance(static_argnums, int) else static_argnums,
                          input_signature, rewrite)


jit = function
