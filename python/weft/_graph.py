"""Graphs that are defined first and run later: Graph, placeholder, gradients and what else is written in their scopes."""

import contextlib
import re
import threading

from . import _core, _graph_def, _hints, _picture
from ._tracebacks import with_line as _with_line
from ._hints import brief as _brief
from ._number import tensor_of

_open = threading.local()


def _stack():
    if not hasattr(_open, "graphs"):
        _open.graphs = []
    return _open.graphs


def _leave(entry):
    """Takes the innermost such entry off the stack: scopes may end in any order."""
    graphs = _stack()
    for i in reversed(range(len(graphs))):
        if graphs[i] is entry:
            del graphs[i]
            return


def current_graph():
    """The innermost graph whose scope is open on this thread; None if there is none, and inside of `eager()`."""
    graphs = _stack()
    return graphs[-1] if graphs else None


class no_open_graph:
    """A context manager inside which `current_graph()` is None."""

    def __enter__(self):
        _stack().append(None)

    def __exit__(self, *exception):
        _leave(None)


def _needed(who):
    graph = current_graph()
    if graph is None:
        raise _with_line(_core.InvalidError(f"{who}: no graph is open here; write `with wf.Graph() as g:` around it [{who}.graph]"))
    return graph


class Operation:
    """A node of a graph: what runs for what it does, and what a run can be asked for by name."""

    def __init__(self, graph, number):
        self.graph, self._number = graph, number

    @property
    def _info(self):
        return self.graph._core.nodes()[self._number]

    @property
    def name(self):
        return self._info[0]

    @property
    def type(self):
        return self._info[1]

    @property
    def inputs(self):
        return [self.graph.tensor(name) for name in self._info[2]]

    @property
    def outputs(self):
        return [self.graph.tensor(name) for name in self._info[3]]

    @property
    def device(self):
        return self._info[5]

    @property
    def line(self):
        """The user's line that made it."""
        return self._info[6]

    def __repr__(self):
        return f"<weft.Operation {self.name}: {self.type}>"


class Graph(_picture.Drawable):
    """A scope in which every op becomes part of the graph and nothing is computed.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     x = wf.placeholder(wf.float32, shape=(None, 2), name="x")
    ...     y = wf.sum(x * 2.0, axis=1)
    >>> with wf.Session(g) as s:
    ...     s.run(y, {x: [[1.0, 2.0]]})
    array([6.], dtype=float32)
    """

    def __init__(self):
        self._core = _core._Graph()
        self._collections = {}
        self._sizes = 0

    @classmethod
    def _of(cls, core):
        """The graph that C++ made."""
        graph = cls()
        graph._core = core
        return graph

    def __enter__(self):
        self._core.enter()
        _stack().append(self)
        return self

    def __exit__(self, *error):
        self._core.exit()  # raises where it has not begun
        _leave(self)

    def as_default(self):
        """The graph itself: `with graph.as_default():` is `with graph:`."""
        return self

    def __str__(self):
        return self._core.text()

    def __repr__(self):
        return f"<weft.Graph with {self._core.node_count()} operations>"

    def __len__(self):
        return self._core.node_count()

    @property
    def operations(self):
        """All nodes, in an order in which they can run."""
        return [Operation(self, i) for i in range(self._core.node_count())]

    def operation(self, name):
        """The node of that name."""
        number = self._core.node_named(name)
        if number is None:
            raise _with_line(_core.InvalidError(f"Graph: there is no operation named '{name}'{self._close_to(name)} [Graph.name]"))
        return Operation(self, number)

    def tensor(self, name):
        """The value of that name, "loss" or "loss:0"."""
        value = self._core.value_named(name)
        if value is None:
            raise _with_line(_core.InvalidError(f"Graph: there is no value named '{name}'{self._close_to(name)} [Graph.name]"))
        return value

    def _close_to(self, name):
        import difflib

        close = difflib.get_close_matches(name.split(":")[0], [info[0] for info in self._core.nodes()], 1)
        return f"; did you mean '{close[0]}'?" if close else ""

    def name_of(self, x):
        """The name of a value of this graph."""
        return self._core.name_of(tensor_of(x))

    def placeholder(self, dtype, shape=None, name=None):
        return placeholder(dtype, shape, name, graph=self)

    @contextlib.contextmanager
    def name_scope(self, name):
        """Names of nodes made inside begin with `name/`."""
        outer = self._core.scope
        self._core.scope = f"{outer}{_scope_name(name, 'name_scope')}/"
        try:
            yield self
        finally:
            self._core.scope = outer

    @contextlib.contextmanager
    def device(self, name):
        """Nodes made inside ask for this device."""
        outer = self._core.device
        self._core.device = _scope_name(name, "device")
        try:
            yield self
        finally:
            self._core.device = outer

    @contextlib.contextmanager
    def control_dependencies(self, operations):
        """Nodes made inside run after these, and after those of contexts around; with None, after none of them."""
        who, outer = "control_dependencies", self._core.after
        if isinstance(operations, (Operation, _core.Tensor, str)):
            raise _core.WrongTypeError(f"{who}: needs a list of operations and values, but got {_brief(operations)} [{who}.argument]")
        self._core.after = [] if operations is None else outer + [self._number_of(item, who) for item in operations]
        try:
            yield self
        finally:
            self._core.after = outer

    def _number_of(self, item, who):
        if isinstance(item, Operation):
            return item._number
        number = self._core.maker_of(item) if isinstance(item, _core.Tensor) else None
        if number is None:
            raise _core.WrongTypeError(f"{who}: needs operations or values of the graph, but got {_brief(item)} [{who}.argument]")
        return number

    def add_to_collection(self, name, value):
        """Remembers a value under the name of a collection.

        Values of the graph, operations and Variables are part of its text; other objects live as long as this one does.
        """
        _hints.need_text(name, "add_to_collection", "name")
        if isinstance(value, Operation):
            self._core.add_to_collection(name, value._number)
        elif isinstance(value, _core.Variable) or isinstance(value, _core.Tensor) and self._core.maker_of(value) is not None:
            self._core.add_to_collection(name, value)
        else:
            self._collections.setdefault(name, []).append(value)

    def get_collection(self, name):
        """What was added to the collection.

        Some are filled by themselves: "global_variables" and "trainable_variables" with the Variables that the graph
        uses, "results" with what a parsed or optimized graph gives.
        """
        _hints.need_text(name, "get_collection", "name")
        filled = {"global_variables": self._core.global_variables, "trainable_variables": self._core.trainable_variables}
        members = [Operation(self, item) if isinstance(item, int) else item for item in self._core.members(name)]
        return (filled[name]() if name in filled else []) + members + self._collections.get(name, [])

    def _shown(self, what, **options):
        return self._core.function_text(what, options)

    def as_graph_def(self, variables_as_constants=False):
        """The graph in TensorFlow's GraphDef: `.node[i].name`, `.op`, `.input`, `.attr`, and `.SerializeToString()`.

        >>> import weft as wf
        >>> with wf.Graph() as g:
        ...     y = wf.add(3, 5)
        >>> node = g.as_graph_def().node[0]
        >>> node.name, node.op, node.attr["value"].tensor.int64_val
        ('Add/x', 'Const', [3])
        """
        return _graph_def.GraphDef(*self._core.graph_def(variables_as_constants))

    def optimize(self, fetches=(), dump=None):
        """The graph that the passes make of the part which gives `fetches`; of none, of all that nobody reads.

        The fetches are its collection "results". `dump` is a folder for the text before the first pass and after every one.
        """
        fetches = fetches if isinstance(fetches, (list, tuple)) else [fetches]
        fetches = [self.tensor(item) if isinstance(item, str) else item for item in fetches]
        return Graph._of(self._core.optimized(fetches, "" if dump is None else _hints.as_path(dump, "optimize")))

    @staticmethod
    def parse(text, variables=None):
        """The graph of a text that `str(graph)` gave: it runs, prints and grows as any other.

        Variables that the text names are taken from `variables`, {name: Variable}; others are made, with zeros for
        values. The parameters of a function's text become placeholders, its results the collection "results".
        """
        _hints.need_text(text, "Graph.parse", "text")
        for name, variable in ({} if variables is None else _hints.as_dict(variables, "Graph.parse", "variables")).items():
            if not isinstance(variable, _core.Variable):
                raise _core.WrongTypeError(f"Graph: variables has {_brief(variable)} for '{name}'; give a wf.Variable "
                                           "[Graph.variables]")
        return Graph._of(_core._parse_graph(text, variables or {}))


def needed_graph(graph, who):
    """The graph that was given, or the one that is open."""
    if graph is None:
        return _needed(who)
    if not isinstance(graph, Graph):
        raise _with_line(_core.WrongTypeError(f"{who}: graph must be a wf.Graph, but got {_hints.brief(graph)} [{who}.graph]"))
    return graph


def _shape_from(shape, graph, name):
    """Sizes: an int, None for any, a name for a size that is the same wherever the name stands, or "2*n"."""
    sizes = []
    for item in _hints.as_list(shape, "placeholder", "shape"):
        if item is None:
            item = _core._symbol(f"{_spelled(name)}.{graph._sizes}")
            graph._sizes += 1
        elif isinstance(item, str):
            item = _size(item)
        elif not isinstance(item, _core.Dim):
            item = _hints.as_integer(item, "placeholder", "a size")
        if isinstance(item, int) and item < 0:
            raise _core.InvalidError(f"placeholder: a size is {item}; None stands for one that is not known yet "
                                     "[placeholder.shape]")
        sizes.append(item)
    for size in sizes:
        _check_symbols(size, sizes, graph)
    return sizes


def _check_symbols(size, sizes, graph):
    """A run knows n of 2*n from a placeholder that has the size n itself."""
    missing = set(_core._symbols_of(size)) - {str(other) for other in sizes}
    if not missing or missing == {str(size)}:
        return
    for _, op, _, _, types, *_ in graph._core.nodes():
        if op == "placeholder":
            missing -= set(parsed_type(types[0], any_name=True)[1])
    if missing:
        raise _core.InvalidError(f"placeholder: the size {size} is made of {min(missing)}, which no placeholder has as a size; "
                                 "make one that has first, or give the size a name of its own [placeholder.shape]")


def _spelled(name):
    """The name of a placeholder in that of a size."""
    out = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{out}" if out[:1].isdigit() else out


def placeholder(dtype, shape=None, name=None, graph=None):
    """A value that every run is given: `placeholder(wf.float32, (None, 784), "x")`, or `placeholder("f32[batch, 784]")`."""
    graph = needed_graph(graph, "placeholder")
    if name is not None:
        _hints.need_text(name, "placeholder", "name")
    if isinstance(dtype, str) and "[" in dtype:
        dtype, shape = parsed_type(dtype)
    if shape is None:
        raise _with_line(_core.InvalidError("placeholder: needs a shape; None stands for a size that is not known yet: "
                                            "shape=(None, 784) [placeholder.shape]"))
    return graph._core.placeholder(_dtype(dtype), _shape_from(shape, graph, name or "n"), name or "")


def placeholder_with_default(input, shape=None, name=None, graph=None):
    """A value that a run may be given; one that is not fed is `input`. Feeds have its dtype and shape.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     rate = wf.placeholder_with_default(0.5, shape=(), name="rate")
    ...     y = rate * 2.0
    >>> s = wf.Session(g)
    >>> float(s.run(y)), float(s.run(y, {rate: 3.0}))
    (1.0, 6.0)
    """
    who = "placeholder_with_default"
    graph = needed_graph(graph, who)
    if name is not None:
        _hints.need_text(name, who, "name")
    value = _core._tensor(input, None, who, "input")
    if shape is not None and (shape := tuple(_hints.as_list(shape, who, "shape"))) != tuple(value.shape):
        raise _core.InvalidError(f"{who}: shape is {list(shape)} but the default has shape {list(value.shape)}; they must be equal: for a "
                                 f"size that varies, make a placeholder and feed it always [{who}.shape]")
    return graph._core.identity(value, name or "")


def get_default_graph():
    """The graph whose scope is open on this thread; raises if there is none. `current_graph()` gives None then."""
    return _needed("get_default_graph")


def _size(text, any_name=False):
    """The size that a text says: a number, a name, or what is made of them."""
    bare = re.sub(r"\s*([-+*/^(),])\s*", r"\1", text.strip())
    try:
        size = _core._parse_dim(bare)
        is_made_up = bool(set(bare) & set("?."))  # a name that graphs give by themselves
        if any_name or not is_made_up and not (isinstance(size, int) and size < 0):
            return size
    except _core.InvalidError:
        pass
    raise _core.InvalidError(f"shape: '{text}' is no size; sizes are numbers, names of letters, digits and _, and what is made "
                             "of them by + - *, such as 2*n+1 [shape.name]")


def parsed_type(text, any_name=False):
    """The dtype and the sizes of "f32[batch, 784]": numbers, and what else there is as a text."""
    parts = re.fullmatch(r"\s*(\w+)\s*\[([^\[\]]*)\]\s*", text)
    if parts is None:
        raise _core.InvalidError(f"shape: '{text}' is no type; a type is a dtype and sizes, such as f32[batch, 784] [shape.type]")
    texts = re.split(r",(?![^(]*\))", parts[2]) if parts[2].strip() else []  # a comma in max(n,m) parts no sizes
    if not all(size.strip() for size in texts):
        raise _core.InvalidError(f"shape: a size is missing in '{text}'; write a name or a number between the commas "
                                 "[shape.type]")
    sizes = [_size(size, any_name) for size in texts]
    return parts[1], [size if isinstance(size, int) else str(size) for size in sizes]


def _dtype(dtype):
    short = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
             "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
    return short.get(dtype, dtype) if isinstance(dtype, str) else dtype


def gradients(ys, xs, grad_ys=None, unconnected="raise"):
    """The derivatives of the sum of `ys` with respect to `xs`, as further operations of their graph.

    Only those on the way from the xs to the ys are added. A Variable stands for all its reads. `grad_ys` weigh the ys: one for each, of
    its shape, or None. An x that the
    ys do not depend on raises; with `unconnected="zero"` its derivative is 0.
    """
    many = isinstance(xs, (list, tuple))
    sources = list(xs) if many else [xs]
    targets = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    weights = [] if grad_ys is None else list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(weights) == len(targets):
        like = [_core._tensor(y, None, "gradients", f"y {k}") for k, y in enumerate(targets)]
        weights = [w if w is None else _core._tensor(w, y.dtype, "gradients", "grad_ys") for w, y in zip(weights, like)]
    _hints.need_choice(unconnected, "gradients", "unconnected", "raise", "zero")
    return _core._graph_gradients(targets, sources, weights, unconnected == "zero")


def group(*operations, name=None):
    """An operation that is done when all of these are."""
    graph = _needed("group")
    return Operation(graph, graph._core.group([graph._number_of(item, "group") for item in operations], name or ""))


def control_dependencies(operations):
    """What is made inside, in the graph that is open, runs after these: a context. With None it runs after none, whatever is around."""
    return _needed("control_dependencies").control_dependencies(operations)


def global_variables():
    """The Variables that the open graph uses, in the order in which it met them."""
    return _needed("global_variables").get_collection("global_variables")


def trainable_variables():
    """Those of `global_variables()` that are trainable."""
    return _needed("trainable_variables").get_collection("trainable_variables")


def global_variables_initializer():
    """An operation that gives every Variable of the open graph its initial value again.

    That is the value it was made with inside of the graph, or had when the graph used it first. Sessions share the
    Variables, which have their values from the beginning: nothing needs to be initialized before the first run.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     v = wf.Variable(3.0, name="v")
    ...     step = v.assign_add(1.0)
    ...     init = wf.global_variables_initializer()
    >>> s = wf.Session(g)
    >>> float(s.run(step)), float(s.run(step)), s.run(init), float(s.run(step))
    (4.0, 5.0, None, 4.0)
    """
    graph = _needed("global_variables_initializer")
    return Operation(graph, graph._core.initializer())


def _scope_name(name, who):
    if not isinstance(name, str) or who == "name_scope" and not name.strip("/"):
        raise _core.WrongTypeError(f"{who}: needs a name, but got {_hints.brief(name)} [{who}.name]")
    return name.strip("/") if who == "name_scope" else name


class _Named(metaclass=_hints.NeedsCall):
    """A context that names what the open graph or trace is given inside; without one it does nothing."""

    def __init__(self, name):
        self.name = _scope_name(name, type(self).__name__)
        self._scope = _core._StagedName(type(self).__name__ == "device")

    def __enter__(self):
        self._scope.enter(self.name)
        return self.name

    def __exit__(self, *exception):
        self._scope.exit()
        return False


class name_scope(_Named):
    """Names of the operations made inside begin with `name/`, in a graph and in a function: a context.

    Pictures draw a scope as one box, or as a box around what is in it. Modules open one for each module below them.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     with wf.name_scope("layer"):
    ...         y = wf.add(1.0, 2.0)
    >>> g.name_of(y)
    'layer/Add'
    """


class device(_Named):
    """Operations made inside ask for this device, in a graph and in a function: a context.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     with wf.device("cpu:0"):
    ...         y = wf.add(1.0, 2.0)
    >>> g.operation("Add").device
    'cpu:0'
    """


class eager(metaclass=_hints.NeedsCall):
    """Inside, ops compute now, also where a graph is open or a function is traced: a context.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     with wf.eager():
    ...         table = wf.exp(wf.tensor([0.0, 1.0]))
    ...     y = table * 2.0
    >>> table.tolist()[0], len(g)
    (1.0, 3)
    """

    def __init__(self):
        self._scope = _core._Eager()

    def __enter__(self):
        self._scope.enter()
        _stack().append(None)  # no graph is open inside
        return self

    def __exit__(self, *exception):
        self._scope.exit()  # raises where it has not begun
        _leave(None)
        return False


def identity(x, name=None):
    """`x` as a node of its own, in a graph, under a name that runs can fetch it by; `x` itself elsewhere."""
    if isinstance(x, int):
        raise _core.WrongTypeError("identity: gives its argument as a node of a graph; the identity matrix is wf.eye(n) "
                                   "[identity.argument]")
    if not isinstance(name, (str, type(None))):
        raise _core.WrongTypeError(f"identity: name is {_brief(name)}; it is a text [identity.name]")
    graph = current_graph()
    return x if graph is None else graph._core.identity(x, name or "")
