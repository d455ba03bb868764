"""wf.function: a Python function that is traced once and then runs as a graph."""

import functools
import itertools
import operator
import types

from . import _bound, _core, _graph, _hints, _picture, _plan, _traced_call, _tracebacks, _tree
from ._hints import brief as _brief
from ._users import tracing


class ConcreteFunction(_picture.Drawable):
    """One trace of a function: call it as the function.

    Arguments that it does not fit raise. What it read outside of them, but for Variables, is as it was when it was traced.

    >>> import weft as wf
    >>> f = wf.function(lambda x: x + 1.0, input_signature=["f32[n]"])
    >>> trace = f.get_concrete_function()
    >>> trace(wf.tensor([1.0, 2.0]))
    tensor([2., 3.], dtype=float32)
    """

    def __init__(self, owner, entry, side):
        if not isinstance(owner, TracedFunction):
            raise _core.WrongTypeError("ConcreteFunction: is made by f.get_concrete_function(...) of a traced function, but got "
                                       f"{_hints.brief(owner)} [ConcreteFunction.argument]")
        self._owner, self._entry = owner, entry
        self._places, self._form = side[:2]

    def __call__(self, *args, **kwargs):
        from . import _outside

        call = _traced_call.Call(self._owner, args, kwargs)
        out = self._owner._run_entry(self._entry, call, call.tensors, call.statics)
        _outside.include(self._places)
        return _tree.unflatten(self._form, out)

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

    def _shown(self, what, **options):
        return self._entry.shown(what, options)

    def as_graph(self):
        """A Graph that does what a call does.

        Its placeholders are the arguments, its Variables those that the function reads and writes; the results are its
        collection "results". Its text reads back with values: `Graph.parse(text, variables={"w": w})`.
        """
        return _graph.Graph._of(_core._graph_of_trace(self._entry))

    def as_graph_def(self, variables_as_constants=False):
        """The graph in TensorFlow's GraphDef. Variables are placeholders, or with `variables_as_constants` the values they have now."""
        if variables_as_constants:
            return self.as_graph().as_graph_def(variables_as_constants=True)
        return _picture.GraphDef(*self._entry.graph_def())

    def optimize(self, dump=None):
        """What the passes make of it, a Graph; `dump` is a folder for the text after every pass."""
        return _graph.Graph._of(_core._optimized_trace(self._entry, str(dump or "")))

    def plan(self, *args, **kwargs):
        """How a call with such arguments works: its instructions, its memory, its time."""
        return _plan.Plan(_core._plan_of_trace(self._entry, _traced_call.Call(self._owner, args, kwargs).tensors))


class _Unset(int):
    """A number of traces that the user has not given."""


_MOST_TRACES = _Unset(64)
_MANY_TRACES = 5  # a function with so many warns


class TracedFunction(_core._Traced):
    """What wf.function makes: call it as the function it was made of.

    A call like one of the last few runs without any Python of ours; `_call` serves all others.
    """

    def __init__(self, f, max_traces, static_argnums, static_argnames, input_signature, rewrite):
        binding = type(f) if isinstance(f, (staticmethod, classmethod)) else None
        f = f.__func__ if binding else f
        names = _traced_call.argument_names(f) if static_argnums or static_argnames else ((), None)
        _check_names(static_argnames, f)
        static = _positions(static_argnums, *names)
        static += [i for i, name in enumerate(names[0]) if name in static_argnames and i not in static]
        static_names = [name for i, name in enumerate(names[0]) if i in static]
        static_names += [name for name in static_argnames if name not in static_names]
        name, signature, seen = getattr(f, "__name__", "function"), _specs(() if input_signature is None else input_signature), {}
        super().__init__(name, max_traces, signature, static, static_names, seen)
        functools.update_wrapper(self, f)  # first: it copies what `f` has, which may be traced as well
        self._binding, self._python, self._name, self._rewrites = binding, f, name, rewrite
        of_method = [i - 1 for i in static if i > 0]  # positions of a bound method, without self
        self._options = max_traces, of_method, static_argnames, input_signature, rewrite
        self._static, self._static_names, self._signature = frozenset(static), static_names, signature
        self._statics_seen = seen  # (type, value) of static arguments -> a number
        self._known_names = None
        self._warns = isinstance(max_traces, _Unset)

    def _argument_names(self):
        if self._known_names is None:
            self._known_names = _traced_call.argument_names(self._python)
        return self._known_names

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

        call = _traced_call.Call(self, args, kwargs or {})
        out, places = self._run(call, call.tensors, call.statics)
        _outside.include(places)
        if self._warns and self.trace_count >= _MANY_TRACES:
            self._warns = False
            _tracebacks.warn(f"{self._name}: was traced {self.trace_count} times, the last time because {self.trace_log()[-1]}; a trace "
                             "takes as long as many calls: see trace_log(), and give max_traces if so many are meant "
                             f"[{self._name}.traces]")
        return out

    def get_concrete_function(self, *args, **kwargs):
        """The trace for such arguments, made if there is none.

        A text such as "f32[n, 3]" stands for a tensor of that type. A `TensorSpec` does so, too, also in a tuple, list, dict or
        dataclass; a text in one of these is a text. Without arguments, those of `input_signature` are meant.
        """
        if not args and not kwargs:
            args = [_example(*spec) for spec in self._signature]
        args = [arg if i in self._static else _meant_in(arg) for i, arg in enumerate(args)]
        kwargs = {name: arg if name in self._static_names else _meant_in(arg) for name, arg in kwargs.items()}
        call = _traced_call.Call(self, tuple(args), kwargs)
        return ConcreteFunction(self, *self._entry(call, call.tensors, call.statics))

    @property
    def graph(self):
        """The graph of the newest trace, as `get_concrete_function(...).graph` of its arguments gives it."""
        newest = self._newest()
        if newest is None:
            # No AttributeError: hasattr would take this for an object without the property.
            raise _core.InvalidError(f"{self._name}: there is no graph before the first trace; call it, or ask for the trace of "
                                     "such arguments by get_concrete_function [function.graph]")
        return ConcreteFunction(self, *newest).graph

    def _traced(self, args, kwargs, held):
        """Calls the function: the tensors it gives, and what is kept beside its graph."""
        from . import _leaks, _outside, _rewrite

        outer, tracing.rewritten = tracing.rewritten, _rewrite.call if self._rewrites else None
        try:
            with _rewrite.quiet(False), _outside.recording() as recorder:
                if self._rewrites:
                    f = _rewrite.rewrite(self._python)
                    if isinstance(self._python, functools.partial):
                        recorder.bound(self._python)
                else:
                    f = self._python
                    recorder.follow(f)
                recorder.copied((args, kwargs))
                for value in held[1:]:
                    recorder.argument(value)
                flat, form = _tree.flatten(_leaks.checked(f(*args, **kwargs), self._python))  # no name may hold a Variable in it
                if self._rewrites:  # else it is traced as it is, whatever it does
                    recorder.check_changes(flat)
                places = recorder.places()
        except _core.Error as error:
            _leaks.tell_why(error)
            raise
        finally:
            tracing.rewritten = outer
        flat, form = _tree.with_numbers(flat, form)
        is_flat = form.kind == "leaf" or form.kind == "tuple" and all(child.kind == "leaf" for child in form.children)
        return flat, (places, form, form.kind if is_flat else "tree", held)


class TensorSpec:
    """The type of a tensor: its shape and dtype, without values. A size that is None is not known."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype="float32"):
        self.shape = tuple(size if size is None or isinstance(size, (str, _core.Dim)) else _hints.as_integer(size, "TensorSpec", "a size")
                           for size in _hints.as_list(shape, "TensorSpec", "shape"))
        self.dtype = _core.dtype(dtype, "TensorSpec", "dtype")

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype.name})"


_ANY, _OTHER = 32, 64  # stand for a size that is not known, where a trace is asked for without arguments


def _positions(static_argnums, names, rest):
    """Positions of static arguments, from the front."""
    out = []
    for position in static_argnums:
        if not isinstance(position, int) or isinstance(position, bool):
            raise _core.WrongTypeError(f"function: static_argnums has {_brief(position)}; it is a list of positions [function.static]")
        is_there = -len(names) <= position < len(names) or rest is not None and position >= 0
        if not is_there and (names or rest):
            raise _core.InvalidError(f"function: static_argnums has {position}, but there are {len(names)} arguments by position; "
                                     "positions start at 0, and -1 is the last [function.static]")
        out.append(position if position >= 0 else position + len(names))
    return out


def _check_names(static_argnames, f):
    """Raises for a name that no argument of `f` has."""
    import inspect

    for name in static_argnames:
        if not isinstance(name, str):
            raise _core.WrongTypeError(f"function: static_argnames has {_brief(name)}; it is a list of names [function.static]")
    try:
        parameters = inspect.signature(f).parameters if static_argnames else {}
    except (TypeError, ValueError):
        return
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
        return
    for name in static_argnames:
        if name not in parameters or parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            raise _core.InvalidError(f"function: static_argnames has {name!r}, but the arguments are {', '.join(parameters) or 'none'}; "
                                     "give names of arguments [function.static]")


def _spec(item):
    """(dtype, sizes) of an item of an input_signature."""
    if isinstance(item, str):
        return _graph.parsed_type(item)
    if isinstance(item, tuple) and len(item) == 2:
        return item[0], _hints.as_list(item[1], "function", "a shape in input_signature")
    if isinstance(item, tuple) or not (hasattr(item, "dtype") and hasattr(item, "shape")):
        raise _core.WrongTypeError(f"function: input_signature has {_hints.brief(item)}; it is a list of types, such as 'f32[n, 3]' "
                                   "or a TensorSpec [function.argument]")
    return item.dtype, item.shape


def _specs(signature):
    """[(dtype, sizes), ...] of an input_signature; a size that is None is one of its own."""
    given = [_spec(item) for item in _hints.as_list(signature, "function", "input_signature")]
    taken = {size for _, shape in given for size in shape if isinstance(size, str)}
    free = (name for name in (f"s{i}" for i in itertools.count()) if name not in taken)
    return [(_graph._dtype(dtype), [_core._symbol(next(free) if size is None else size) if size is None or isinstance(size, str)
                                    else size for size in shape]) for dtype, shape in given]


def _example(dtype, sizes, unknown=_ANY):
    """A tensor of that type, without memory of its own; sizes that are not known are `unknown`."""
    from . import broadcast_to, zeros

    return broadcast_to(zeros((), dtype=dtype), [size if isinstance(size, int) else unknown for size in sizes])


def _meant(argument, unknown=_ANY):
    """A tensor for the text of a type, or a TensorSpec; all else is what it is."""
    import re

    if isinstance(argument, TensorSpec):
        return _example(*_specs([argument])[0], unknown)
    if isinstance(argument, str) and re.fullmatch(r"(bool|complex64|complex128|b?f(loat)?\d+|u?i(nt)?\d+)\[.*\]", argument.strip()):
        return _example(*_specs([argument.strip()])[0], unknown)
    return argument


def _meant_in(argument, unknown=_ANY, has_texts=False):
    """The argument with a tensor for every `TensorSpec` in it; texts in a tree stand for tensors only if `has_texts`."""
    if isinstance(argument, (str, TensorSpec)):
        return _meant(argument, unknown)
    leaves, form = (_tree.flatten_all if has_texts else _tree.flatten)(argument)
    meant = [_meant(leaf, unknown) for leaf in leaves]
    return argument if all(map(operator.is_, meant, leaves)) else _tree.unflatten(form, meant)


def _has_unknown_size(argument):
    """Whether a type in the argument leaves a size open."""
    ones, others = [_tree.flatten(_meant_in(argument, unknown, has_texts=True))[0] for unknown in (_ANY, _OTHER)]
    return any(one is not other and one.shape != other.shape for one, other in zip(ones, others))


@_hints.spoken
def function(f=None, *, max_traces=_MOST_TRACES, static_argnums=(), static_argnames=(), input_signature=None, rewrite=True):
    """Traces `f` once per signature; calls then run the graph. A decorator, with or without arguments; also `wf.jit`.

    Tensors are arguments of the graph: a new size is no new trace, a new dtype or rank is. Everything else in a call
    is part of the signature: pass numbers that vary as tensors. Variables that are read or written are inputs and
    outputs of the graph; one that is passed arrives as its value.

    Arguments:
        max_traces: a call that would need more traces raises; unless it is given, the fifth trace warns, with its reason
        static_argnums: positions, `self` counted, of arguments that are compared by type and value, not traced; they need a hash
        static_argnames: names of such arguments, whether they are passed by position or by name
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
        return lambda g: function(g, max_traces=max_traces, static_argnums=static_argnums, static_argnames=static_argnames,
                                  input_signature=input_signature, rewrite=rewrite)
    if not callable(f) and not isinstance(f, classmethod):
        raise _core.WrongTypeError(f"function: needs a function, but got {_hints.brief(f)} [function.argument]")
    if not isinstance(max_traces, int) or isinstance(max_traces, bool) or max_traces < 1:
        raise _core.InvalidError(f"function: max_traces is {_brief(max_traces)}; it is a number of traces, at least 1 "
                                 "[function.max_traces]")
    _check_kind(f)
    numbers = (static_argnums,) if isinstance(static_argnums, int) else _hints.as_list(static_argnums, "function", "static_argnums")
    names = (static_argnames,) if isinstance(static_argnames, str) else _hints.as_list(static_argnames, "function", "static_argnames")
    return TracedFunction(f, max_traces, numbers, tuple(names), input_signature, rewrite)


def eval_shape(f, *args, **kwargs):
    """The types of what `f(*args, **kwargs)` gives, in its form, without computing anything.

    Each tensor of the result is a `TensorSpec` with `shape` and `dtype`. Arguments are tensors, texts such as "f32[8, 3]" or
    `TensorSpec`s, which need no memory, trees of these, and anything else that `f` takes.

    >>> wf.eval_shape(lambda x, w: wf.relu(x @ w), "f32[8, 3]", "f32[3, 5]")
    TensorSpec(shape=(8, 5), dtype=float32)
    >>> wf.eval_shape(lambda x, layer: x @ layer["w"], "f32[n, 3]", {"w": wf.TensorSpec((3, 5))})
    TensorSpec(shape=(None, 5), dtype=float32)
    """
    if not callable(f):
        raise _core.WrongTypeError(f"eval_shape: needs a function, but got {_hints.brief(f)} [eval_shape.argument]")

    def traced(unknown):
        given = [_meant_in(arg, unknown, has_texts=True) for arg in args]
        named = {name: _meant_in(arg, unknown, has_texts=True) for name, arg in kwargs.items()}
        trace = function(functools.wraps(f)(lambda *args, **kwargs: f(*args, **kwargs))).get_concrete_function(*given, **named)
        return trace, trace._entry.result_types()[:trace._form.count]

    trace, types = traced(_ANY)
    if any(_has_unknown_size(arg) for arg in (*args, *kwargs.values())):  # so has a result whose size depends on the stand-in
        types = [(dtype, [size if size == other else None for size, other in zip(shape, others)])
                 for (dtype, shape), (_, others) in zip(types, traced(_OTHER)[1])]
    return _tree.unflatten(_tree.unwrapped(trace._form), [TensorSpec(shape, dtype) for dtype, shape in types])


_LAZY_KINDS = ((0x280, "async", "write it without async"), (0x20, "a generator", "return a list or a tuple"))  # as in `inspect`


def _check_kind(f):
    """Refuses functions whose calls run nothing."""
    plain = getattr(f, "__func__", f)
    code = getattr(plain, "__code__", None) or getattr(getattr(type(plain), "__call__", None), "__code__", None)
    flags = 0 if code is None else code.co_flags
    for flag, kind, fix in _LAZY_KINDS:
        if flags & flag:
            raise _core.WrongTypeError(f"function: {getattr(f, '__name__', 'it')} is {kind}, and a graph gives all its results at "
                                       f"once; {fix} [function.argument]")


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
