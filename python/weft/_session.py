"""Session: runs parts of a graph."""

import contextlib

from . import _core, _tree
from ._tracebacks import with_line as _with_line
from ._hints import brief as _brief
from ._graph import Graph, Operation, _needed, eager, no_open_graph
from ._number import tensor_of
from ._plan import Plan


class Session:
    """Runs parts of a graph, by default of the one that is open; from several threads at once, if need be.

    >>> import weft as wf
    >>> with wf.Graph() as g:
    ...     x = wf.placeholder(wf.float32, shape=(), name="x")
    ...     y = x * x
    >>> s = wf.Session(g)
    >>> float(s.run("Multiply:0", {"x:0": 3.0}))
    9.0

    `with wf.Session(g) as s:` opens the graph's scope: ops inside become part of the graph, and what they give has its value
    in runs. Leaving the block ends the scope and closes the session.

    >>> with wf.Session(g) as s:
    ...     z = y + 1.0
    ...     print(s.run(z, {x: 3.0}))
    10.0
    """

    def __init__(self, graph=None):
        self.graph = _needed("Session") if graph is None else graph
        if not isinstance(self.graph, Graph):
            raise _with_line(_core.WrongTypeError(f"Session: needs a graph to run, but got {_brief(graph)}; write wf.Session(g) of a "
                                                  "wf.Graph [Session.graph]"))
        self._core = _core._Session(self.graph._core)

    def __enter__(self):
        self.graph.__enter__()
        return self

    def __exit__(self, *error):
        try:
            self.graph.__exit__(*error)  # raises where the session was not entered
        finally:
            self.close()

    @contextlib.contextmanager
    def as_default(self):
        """Opens the graph's scope, as `with wf.Session(g):` does, and leaves the session open at the end of the block.

        >>> import weft as wf
        >>> with wf.Session(wf.Graph()).as_default() as s:
        ...     y = wf.add(1.0, 2.0)
        ...     print(s.run(y))
        3.0
        """
        with self.graph:
            yield self

    def close(self):
        """Ends the session: later runs raise."""
        self._core.close()

    def run(self, fetches, feed_dict=None):
        """The values of `fetches`, a tree of values, operations, Variables and names; computed from what is fed.

        The results stand in a tree of the same types. Values are NumPy arrays; an operation gives None, a Variable what it
        holds when the run has ended; None, for a part of the tree that is left out, stays None. Only what the fetches need runs.
        What NumPy has no dtype for, bfloat16 without ml_dtypes, raises before anything runs.
        """
        return self._runner(fetches)(*self._feeds({} if feed_dict is None else feed_dict))

    def _runner(self, fetches):
        """Runs the fetches for places and the values that are fed there."""
        leaves, structure = self._leaves(fetches)
        for item in leaves:
            self._check_numpy_has(item)
        values, effects = _split(leaves)

        def run(places, given):
            with no_open_graph():  # Python code that the run calls must not see the open graph
                out = iter(self._core.run(values, places, given, effects))
            return _tree.unflatten(structure, [_result(item, out) for item in leaves])[0]

        return run

    def plan(self, fetches, feed_dict=None):
        """How such a run works: its instructions, its memory, its time.

        >>> import numpy as np, weft as wf
        >>> with wf.Graph() as g:
        ...     x = wf.placeholder(wf.float32, shape=(None, 8), name="x")
        ...     y = wf.sum(wf.tanh(x) * x)
        >>> plan = wf.Session(g).plan(y, {x: np.ones((4, 8))})
        >>> len(plan.profile(rounds=3).instructions) == len(plan)
        True
        """
        values, effects = _split(self._leaves(fetches)[0])
        return Plan(self._core.plan(values, *self._feeds({} if feed_dict is None else feed_dict), effects))

    def _leaves(self, fetches):
        leaves, structure = _tree.flatten_all([fetches])
        leaves = [self._named(item) if isinstance(item, str) else tensor_of(item) for item in leaves]
        for item in leaves:
            if not isinstance(item, (Operation, _core.Tensor)):
                raise _with_line(_core.WrongTypeError(f"Session: cannot fetch {_brief(item)}; fetch values, operations or names of the "
                                                      "graph [Session.fetch]"))
        return leaves, structure

    def _check_numpy_has(self, item):
        """Raises, before anything has run, if what is fetched cannot be an array."""
        if isinstance(item, Operation) or item.dtype is not _core.bfloat16:
            return
        from importlib.util import find_spec

        if find_spec("ml_dtypes"):
            return
        name = item.name if isinstance(item, _core.Variable) else self.graph.name_of(item)
        raise _with_line(_core.WrongTypeError(f"Session: cannot fetch '{name}', a bfloat16, which NumPy has only if ml_dtypes is "
                                              "installed; fetch wf.astype(value, wf.float32), which holds each of them [Session.fetch]"))

    def _named(self, name):
        """The value or the operation of that name."""
        is_value = ":" in name or self.graph._core.value_named(name) is not None
        return self.graph.tensor(name) if is_value else self.graph.operation(name)

    def _place(self, key):
        """The value that is fed."""
        if isinstance(key, str):
            if self.graph._core.value_named(key) is None and self.graph._core.node_named(key) is not None:
                raise _with_line(_core.InvalidError(f"Session: the operation '{key}' gives no value that could be fed; feed values or "
                                                    "names of the graph [Session.feed]"))
            return self.graph.tensor(key)
        if not isinstance(key, _core.Tensor):
            raise _with_line(_core.WrongTypeError(f"Session: cannot feed {_brief(key)}; feed values or names of the graph "
                                                  "[Session.feed]"))
        return key

    def _feeds(self, feed_dict):
        if not isinstance(feed_dict, dict):
            raise _with_line(_core.WrongTypeError(f"Session: feeds are {{value or name: what is fed}}, but got {_brief(feed_dict)} "
                                                  "[Session.feed]"))
        return [self._place(key) for key in feed_dict], list(feed_dict.values())

    def make_callable(self, fetches, feed_list=()):
        """A function of the fed values that gives the fetches."""
        if not isinstance(feed_list, (list, tuple)):
            raise _with_line(_core.WrongTypeError(f"Session: feed_list is a list of values and names, but got {_brief(feed_list)}; write "
                                                  "make_callable(fetches, [x]) [Session.callable]"))
        run, places = self._runner(fetches), [self._place(key) for key in feed_list]

        def call(*values):
            if len(values) != len(places):
                raise _with_line(_core.WrongTypeError(f"Session: the callable takes {len(places)} values, one for each of feed_list, but "
                                                      f"got {len(values)} [Session.callable]"))
            return run(places, list(values))

        return call

    def counters(self):
        """{"runs", "compiled", "operations"}: how often it ran, was made ready for a new signature, and what it executed."""
        runs, compiled, operations = self._core.counters()
        return {"runs": runs, "compiled": compiled, "operations": operations}


def _split(leaves):
    """What is fetched: values, and the numbers of operations."""
    values = [item for item in leaves if not isinstance(item, (Operation, _core.Variable))]
    return values, [item._number for item in leaves if isinstance(item, Operation)]


def _result(item, values):
    if isinstance(item, Operation):
        return None
    if not isinstance(item, _core.Variable):
        return next(values).numpy()
    with eager():  # the value of this moment, even while a function is traced
        return item.value().numpy()
