"""wf.function: a Python function that is traced once and then runs as a graph."""

import functools
import types

from . import _bound, _core, _graph, _picture, _plan, _tree
from ._users import tracing


class ConcreteFunction(_picture.Drawable):
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

    def _shown(self, what, depth):
        return self._entry.shown(what, depth)

    def as_graph_def(self):
        """The graph in TensorFlow's GraphDef."""
        return _picture.GraphDef(*self._entry.graph_def())

    def optimize(self, dump=None):
        """What the passes make of it, a Graph; `dump` is a folder for the text after every pass."""
        return _graph.Graph._of(_core._optimized_trace(self._entry, str(dump or "")))

    def plan(self, *args, **kwargs):
        """How a call with such arguments works: its instructions, its memory, its time."""
        return _plan.Plan(_core._plan_of_trace(self._entry, self._owner._taken_apart(args, kwargs)[1]))


class TracedFunction(_core._Traced):
    """What wf.function makes: call it as the function it was made of.

    A call like the one before it runs without any Python of ours; `_call` serves all others.
    """

    def __init__(self, f, max_traces, static_argnums, input_signature, rewrite):
        self._binding = type(f) if isinstance(f, (staticmethod, classmethod)) else None
        f = f.__func__ if self._binding else f
        shifted = [i - 1 for i in static_argnums if i > 0]  # of a method: without self
        self._options = max_traces, shifted, input_signature, rewrite
        name = getattr(f, "__name__", "function")
        super().__init__(name, max_traces, [_spec(item) for item in input_signature or ()])
        functools.update_wrapper(self, f)
        self._python = f
        self._rewrites = rewrite
        self._static = frozenset(static_argnums)
        self._name = name
        self._statics_seen = {}  # (type, value) of static arguments -> a number

    def __get__(self, instance, owner=None):
        """The method of an instance, with traces of its own; the kind of method is that of the function it was made of."""
        if self._binding is staticmethod or instance is None and self._binding is not classmethod:
            return self
        of = instance if self._binding is not classmethod else owner
        return _bound.bound(self, of, self._of) or functools.partial(self, of)

    def _of(self, owner):
        return TracedFunction(types.MethodType(self._python, owner), *self._options)

    def _call(self, args, kwargs):
        from . import _outside  # late, like all that only tracing needs

        out, places = self._run(*self._taken_apart(args, kwargs or {}))
        _outside.include(places)
        return out

    def get_concrete_function(self, *args, **kwargs):
        """The trace for such arguments, made if there is none."""
        return ConcreteFunction(self, self._entry(*self._taken_apart(args, kwargs)))

    def _taken_apart(self, args, kwargs):
        """What traces the call, its tensors, and the text that tells it from others."""
        if self._static:
            args = tuple(_Static(arg, self._statics_seen) if i in self._static else arg for i, arg in enumerate(args))
        leaves, structure = _tree.flatten((args, kwargs))
        tensors, parts = [], []
        held = [structure]  # what is in the text by its address must live: nothing else may come to be there
        for leaf in leaves:
            if isinstance(leaf, _core.Tensor):
                parts.append(None)
                tensors.append(leaf)
            elif type(leaf).__module__ == "numpy" or hasattr(leaf, "__array__"):
                parts.append(None)
                tensors.append(_core._tensor(leaf, None, self._name, "argument"))
            else:
                parts.append((leaf,))
                held.append(leaf)
        statics = None if self._static else self._statics(args, kwargs)
        if statics is None:
            marks = iter(["*" if part is None else self._mark(part[0]) for part in parts])
            statics = f"tree {self._text(structure, marks)}"

        def rebuilt(traced):
            given = iter(traced)
            again, named = _tree.unflatten(structure, [next(given) if part is None else part[0] for part in parts])
            return tuple(arg.value if type(arg) is _Static else arg for arg in again), named

        return (lambda traced: self._traced(*rebuilt(traced), held)), tensors, statics

    def _traced(self, args, kwargs, held):
        """Calls the function: the tensors it gives, and what is kept beside its graph."""
        from . import _outside, _rewrite

        outer, tracing.rewritten = tracing.rewritten, _rewrite.call if self._rewrites else None
        try:
            with _outside.recording() as recorder:
                if self._rewrites:
                    f = _rewrite.rewrite(self._python)
                else:
                    f = self._python
                    recorder.follow(f)
                recorder.copied((args, kwargs))
                for value in held[1:]:
                    recorder.argument(value)
                flat, form = _tree.flatten(f(*args, **kwargs))
                if self._rewrites:  # else it is traced as it is, whatever it does
                    recorder.check_changes()
                places = recorder.places()
        finally:
            tracing.rewritten = outer
        is_flat = form.kind == "leaf" or form.kind == "tuple" and all(child.kind == "leaf" for child in form.children)
        return flat, (places, form, form.kind if is_flat else "tree", held)


    def _text(self, structure, marks):
        """A form as a text that no other form has: classes by identity, and dicts with the order of their keys."""
        kind, detail = structure.kind, structure.detail
        if kind == "leaf":
            return next(marks)
        if kind == "constant":
            return self._mark(detail)
        parts = [self._text(child, marks) for child in structure.children]
        if kind in ("dict", "ordered"):
            parts = [f"{self._key(key)}: {part}" for key, part in zip(detail, parts)]
            order = "" if structure.order in (None, detail) else f" in the order {[self._key(key) for key in structure.order]}"
            return f"{kind} {{{', '.join(parts)}}}{order}"
        is_builtin = kind in ("list", "tuple")
        return f"{kind if is_builtin else f'{detail.__name__} at {id(detail)}'}({', '.join(parts)})"

    def _mark(self, value):
        """What tells one static value from another: numbers and texts by value, other objects by identity."""
        if type(value) is _Static:
            return value.text
        if type(value) in _BY_REPR:
            return repr(value)
        return f"<{type(value).__name__} at {id(value)}>"

    def _key(self, key):
        """What tells one key of a dict from others."""
        return repr(key) if type(key) in _BY_REPR else _numbered(key, self._statics_seen)


_BY_REPR = (bool, int, float, complex, str, bytes, type(None), _core.DType)


def _numbered(value, seen):
    """A text for a value with a hash: equal values of one type have the same number."""
    return f"{value!r:.60} #{seen.setdefault((type(value), value), len(seen))}"


class _Static:
    """An argument that was declared static: a leaf that is compared, not traced."""

    def __init__(self, value, seen):
        try:
            hash(value)
            self.text = f"static {repr(value) if type(value) in _BY_REPR else _numbered(value, seen)}"
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


def function(f=None, *, max_traces=64, static_argnums=(), input_signature=None, rewrite=True):
    """Traces `f` once per signature; calls then run the graph. A decorator, with or without arguments; also `wf.jit`.

    Tensors are arguments of the graph: a new size is no new trace, a new dtype or rank is. Everything else in a call
    is part of the signature: pass numbers that vary as tensors. Variables that are read or written are inputs and
    outputs of the graph; one that is passed arrives as its value.

    Arguments:
        max_traces: a call that would need more traces raises
        static_argnums: positions, `self` counted, of arguments that are compared by type and value, not traced; they need a hash
        input_signature: the types of the tensors, as "f32[batch, 3]" or (dtype, shape); other types raise
        rewrite: False leaves control flow to Python; a branch on a traced value raises

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
    if not callable(f) and not isinstance(f, classmethod):
        raise _core.WrongTypeError(f"function: needs a function, but got {f!r:.60} [function.argument]")
    return TracedFunction(f, max_traces, (static_argnums,) if isinstance(static_argnums, int) else static_argnums,
                          input_signature, rewrite)


def do_not_rewrite(f):
    """Marks a function to be traced as it is: in it, only a branch on a traced value raises. Use it as a decorator.

    >>> import weft as wf
    >>> @wf.do_not_rewrite
    ... def plain(x):
    ...     return x + 1
    """
    from ._rewrite import do_not_rewrite as mark

    return mark(f)


jit = function
