"""wf.function: a Python function that is traced once and then runs as a graph."""

import functools
import inspect
import threading

from . import _core, _guards, _tree


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
        return self._entry.nodes()


class TracedFunction:
    """What wf.function makes: call it as the function it was made of."""

    def __init__(self, f, max_traces, static_argnums, input_signature, rewrite):
        functools.update_wrapper(self, f)
        self._python = f
        self._rewrites = rewrite
        self._static = tuple(static_argnums)
        self._signature = input_signature
        self._name = getattr(f, "__name__", "function")
        self._core = _core._Traced(self._name, max_traces)
        self._forms = {}  # by the number of the trace: the form of what it gives
        self._guards = {}  # by the number of the trace: what it read outside of its arguments
        self._lock = threading.RLock()
        self._bound = {}

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
        leaves, statics, rebuild, names = self._split(args, kwargs)
        made = {}
        traced = self._tracer(rebuild, made)
        number, out = self._core.call(traced, leaves, statics, self._still_good)
        if "form" in made:
            self._forms[number], self._guards[number] = made["form"], made["guards"]
        return _tree.unflatten(self._forms[number], out)

    def get_concrete_function(self, *args, **kwargs):
        """The trace for such arguments, made if there is none."""
        leaves, statics, rebuild, names = self._split(args, kwargs)
        made = {}
        entry = self._core.entry(self._tracer(rebuild, made), leaves, statics, self._still_good)
        if "form" in made:
            self._forms[entry.number], self._guards[entry.number] = made["form"], made["guards"]
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

    def _tracer(self, rebuild, made):
        def traced(leaves):
            args, kwargs = rebuild(leaves)
            guards = _guards.of(self._python, args)
            out = self._traceable(*args, **kwargs)
            flat, form = _tree.flatten(out)
            made["form"], made["guards"] = form, guards
            return flat

        return traced

    def _split(self, args, kwargs):
        """Tensors are arguments of the trace; everything else is part of its signature."""
        leaves, structure = _tree.flatten((args, kwargs))
        tensors, parts, names = [], [], []
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
            return _tree.unflatten(structure, [next(given) if part is None else part[0] for part in parts])

        return tensors, statics, rebuild, names


def _key(value):
    """What tells one static value from another: numbers by type and value, other objects by identity."""
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
