"""Graphs that are defined first and run later: Graph, placeholder, Session, gradients."""

import contextlib
import threading

from . import _core, _picture, _tree

_open = threading.local()


def _stack():
    if not hasattr(_open, "graphs"):
        _open.graphs = []
    return _open.graphs


def current_graph():
    """The innermost graph whose scope is open on this thread, or None."""
    graphs = _stack()
    return graphs[-1] if graphs else None


def _needed(who):
    graph = current_graph()
    if graph is None:
        raise _core.InvalidError(f"{who}: no graph is open here; write `with wf.Graph() as g:` around it [{who}.graph]")
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


class Graph:
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

    def __enter__(self):
        self._core.enter()
        _stack().append(self)
        return self

    def __exit__(self, *error):
        _stack().pop()
        self._core.exit()

    as_default = __enter__

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
            raise _core.InvalidError(f"Graph: there is no operation named '{name}'{self._close_to(name)} [Graph.name]")
        return Operation(self, number)

    def tensor(self, name):
        """The value of that name, "loss" or "loss:0"."""
        value = self._core.value_named(name)
        if value is None:
            raise _core.InvalidError(f"Graph: there is no value named '{name}'{self._close_to(name)} [Graph.name]")
        return value

    def _close_to(self, name):
        import difflib

        close = difflib.get_close_matches(name.split(":")[0], [info[0] for info in self._core.nodes()], 1)
        return f"; did you mean '{close[0]}'?" if close else ""

    def name_of(self, x):
        """The name of a value of this graph."""
        return self._core.name_of(x)

    def placeholder(self, dtype, shape=None, name=None):
        return placeholder(dtype, shape, name, graph=self)

    @contextlib.contextmanager
    def name_scope(self, name):
        """Names of nodes made inside begin with `name/`."""
        outer = self._core.scope
        self._core.scope = f"{outer}{name}/"
        try:
            yield self
        finally:
            self._core.scope = outer

    @contextlib.contextmanager
    def device(self, name):
        """Nodes made inside ask for this device."""
        outer = self._core.device
        self._core.device = name
        try:
            yield self
        finally:
            self._core.device = outer

    @contextlib.contextmanager
    def control_dependencies(self, operations):
        """Nodes made inside run after these."""
        outer = self._core.after
        self._core.after = outer + [self._number_of(item, "control_dependencies") for item in operations]
        try:
            yield self
        finally:
            self._core.after = outer

    def _number_of(self, item, who):
        if isinstance(item, Operation):
            return item._number
        number = self._core.maker_of(item) if isinstance(item, _core.Tensor) else None
        if number is None:
            raise _core.WrongTypeError(f"{who}: needs operations or values of the graph, but got {item!r:.60} [{who}.argument]")
        return number

    def add_to_collection(self, name, value):
        """Remembers a value under the name of a collection."""
        self._collections.setdefault(name, []).append(value)

    def get_collection(self, name):
        """What was added to the collection; those of Variables are filled as they are read."""
        return list(self._collections.get(name, ()))

    def summary(self):
        """A table of what the graph holds: operations by kind, Variables, inputs."""
        return self._core.function_text("summary", -1)

    def draw(self, path=None, depth=-1):
        """A picture of the graph: SVG, or DOT if the path ends in .dot; scopes deeper than `depth` are folded."""
        return _picture.drawn(self._core.function_text, path, depth)

    def _repr_html_(self):
        return self._core.function_text("svg", -1)

    def as_graph_def(self, variables_as_constants=False):
        """The graph in TensorFlow's GraphDef: `.node[i].name`, `.op`, `.input`, `.attr`, and `.SerializeToString()`."""
        return _picture.GraphDef(*self._core.graph_def(variables_as_constants))

    @staticmethod
    def parse(text):
        """Checks the text of a graph and gives it back as it prints."""
        return _core._parse_graph(text)


def _shape_from(shape, graph, name):
    """Sizes: an int, None for any, or a name for a size that is the same wherever the name stands."""
    sizes = []
    for item in shape:
        if item is None:
            item = _core._symbol(f"{name}.{graph._sizes}")
            graph._sizes += 1
        elif isinstance(item, str):
            item = _core._symbol(item)
        sizes.append(item)
    return sizes


def placeholder(dtype, shape=None, name=None, graph=None):
    """A value that every run is given: `placeholder(wf.float32, (None, 784), "x")`, or `placeholder("f32[batch, 784]")`."""
    graph = graph or _needed("placeholder")
    if isinstance(dtype, str) and "[" in dtype:
        dtype, shape = parsed_type(dtype)
    if shape is None:
        raise _core.InvalidError("placeholder: needs a shape; None stands for a size that is not known yet: shape=(None, 784) "
                                 "[placeholder.shape]")
    return graph._core.placeholder(_dtype(dtype), _shape_from(shape, graph, name or "n"), name or "")


def parsed_type(text):
    """The dtype and the sizes of "f32[batch, 784]": numbers, and names as they are."""
    dtype, _, rest = text.partition("[")
    sizes = (size.strip() for size in rest.rstrip("] ").split(","))
    return dtype, [int(size) if size.isdigit() else size for size in sizes if size]


def _dtype(dtype):
    short = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
             "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
    return short.get(dtype, dtype) if isinstance(dtype, str) else dtype


def gradients(ys, xs, grad_ys=None, unconnected="raise"):
    """The derivatives of the sum of `ys` with respect to `xs`, as further operations of their graph.

    Only those on the way from the xs to the ys are added. `grad_ys` weigh the ys.
    """
    many = isinstance(xs, (list, tuple))
    sources = list(xs) if many else [xs]
    targets = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    weights = [] if grad_ys is None else list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if unconnected not in ("raise", "zero"):
        raise _core.InvalidError(f"gradients: unconnected is {unconnected!r}; it is 'raise' or 'zero' [gradients.unconnected]")
    return _core._graph_gradients(targets, sources, weights, unconnected == "zero")


def group(*operations):
    """An operation that runs after all of these."""
    graph = _needed("group")
    with graph.control_dependencies(operations):
        return Operation(graph, graph._core.no_op())


def identity(x):
    """`x` as a node of its own, in a graph; `x` itself elsewhere."""
    if isinstance(x, int):
        raise _core.WrongTypeError("identity: gives its argument as a node of a graph; the identity matrix is wf.eye(n) "
                                   "[identity.argument]")
    graph = current_graph()
    return x if graph is None else graph._core.identity(x)


class Session:
    """Runs parts of a graph; from several threads at once, if need be.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     x = wf.placeholder(wf.float32, shape=(), name="x")
    ...     y = x * x
    >>> s = wf.Session(g)
    >>> float(s.run("Multiply:0", {"x:0": 3.0}))
    9.0
    """

    def __init__(self, graph=None):
        self.graph = graph or _needed("Session")
        self._core = _core._Session(self.graph._core)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Ends the session: later runs raise."""
        self._core.close()

    def run(self, fetches, feed_dict=None):
        """The values of `fetches`, a tree of values, operations and names; computed from what is fed.

        Values are NumPy arrays; an operation gives None. Only what the fetches need runs.
        """
        leaves, structure = _tree.flatten([self._named(fetches)])
        values, effects, places = [], [], []
        for item in leaves:
            self._check(item)
            if isinstance(item, Operation):
                effects.append(item._number)
                places.append(None)
            else:
                places.append(len(values))
                values.append(item)
        given, feeds = self._feeds(feed_dict or {})
        out = [value.numpy() for value in self._core.run(values, given, feeds, effects)]
        result = [None if place is None else out[place] for place in places]
        return _tree.unflatten(structure, result)[0]

    def _named(self, item):
        """The tree with values and operations in the places of their names, which are leaves here."""
        if isinstance(item, str):
            is_value = ":" in item or self.graph._core.value_named(item) is not None
            return self.graph.tensor(item) if is_value else self.graph.operation(item)
        if isinstance(item, dict):
            return {key: self._named(value) for key, value in item.items()}
        if type(item) in (list, tuple):
            return type(item)(self._named(value) for value in item)
        return item

    @staticmethod
    def _check(item):
        if not isinstance(item, (Operation, _core.Tensor)):
            raise _core.WrongTypeError(f"Session: cannot fetch {item!r:.60}; fetch values, operations or names of the graph "
                                       "[Session.fetch]")

    def _feeds(self, feed_dict):
        places, values = [], []
        for key, value in feed_dict.items():
            place = self.graph.tensor(key) if isinstance(key, str) else key
            if not isinstance(place, _core.Tensor):
                raise _core.WrongTypeError(f"Session: cannot feed {key!r:.60}; feed values or names of the graph "
                                           "[Session.feed]")
            places.append(place)
            values.append(_core._tensor(value, place.dtype, "Session", "feed"))
        return places, values

    def make_callable(self, fetches, feed_list=()):
        """A function of the fed values that gives the fetches."""
        places = [self.graph.tensor(item) if isinstance(item, str) else item for item in feed_list]
        return lambda *values: self.run(fetches, dict(zip(places, values)))

    def counters(self):
        """{"runs", "compiled", "operations"}: how often it ran, was made ready for a new signature, and what it executed."""
        runs, compiled, operations = self._core.counters()
        return {"runs": runs, "compiled": compiled, "operations": operations}
