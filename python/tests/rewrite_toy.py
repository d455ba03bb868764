"""A toy framework for the tests of the rewriter: traced values record a graph, and an interpreter runs it with NumPy."""

import importlib.util
import operator
import os
import sys

import numpy as np

try:
    from weft import _rewrite
except ImportError:  # an older build, or none: the package is read from where it stands
    _folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "weft", "_rewrite")
    _name = "weft._rewrite" if "weft" in sys.modules else "_rewrite"
    _spec = importlib.util.spec_from_file_location(_name, os.path.join(_folder, "__init__.py"),
                                                   submodule_search_locations=[_folder])
    _rewrite = importlib.util.module_from_spec(_spec)
    sys.modules[_name] = _rewrite
    _spec.loader.exec_module(_rewrite)

backend = sys.modules[_rewrite.__name__ + ".backend"]


class Block:
    """A list of nodes in program order, with parameters: a function, a branch or a loop's body."""

    stack = []

    def __init__(self):
        self.nodes, self.parameters, self.outputs = [], [], []

    def __enter__(self):
        Block.stack.append(self)
        return self

    def __exit__(self, *_):
        Block.stack.pop()

    def parameter(self, shape, dtype):
        node = Node.__new__(Node)
        node.shape, node.dtype = tuple(shape), np.dtype(dtype)
        self.parameters.append(node)
        return node


class Node:
    """A traced value. `run(environment)` gives its value; the effects are nodes too, so they run in order."""

    def __init__(self, run, shape, dtype):
        self.run, self.shape, self.dtype = run, tuple(shape), np.dtype(dtype)
        Block.stack[-1].nodes.append(self)

    def __bool__(self):
        raise TypeError("bool of a traced value")

    __index__ = __int__ = __float__ = __len__ = __bool__
    __hash__ = object.__hash__

    def __iter__(self):
        raise TypeError("iter of a traced value")

    def __repr__(self):
        return f"traced {self.dtype}{list(self.shape)}"

    def __getitem__(self, index):
        return op(lambda x, i: x[i], self, index)

    def sum(self, axis=None):
        return op(lambda x: np.asarray(x.sum(axis=axis), x.dtype), self)

    def astype(self, dtype):
        return op(lambda x: x.astype(dtype), self)


def _binary(name):
    apply = getattr(operator, name)

    def forward(self, other):
        return op(apply, self, other)

    def backward(self, other):
        return op(apply, other, self)

    return forward, backward


for _word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"):
    for _prefix, _method in zip(("__", "__r"), _binary(f"__{_word}__")):
        setattr(Node, f"{_prefix}{_word}__", _method)
for _word in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Node, f"__{_word}__", _binary(f"__{_word}__")[0])
Node.__neg__ = lambda self: op(lambda x: -x, self)
Node.__abs__ = lambda self: op(abs, self)
Node.__invert__ = lambda self: op(lambda x: ~x, self)


def _dummy(x):
    return np.ones([n if isinstance(n, int) else 3 for n in x.shape], x.dtype) if isinstance(x, Node) else x


def op(f, *operands):
    """A node that applies f; its type is the type of f on ones. Python numbers take the dtype they meet, as in NumPy 2."""
    made = np.asarray(f(*map(_dummy, operands)))

    def run(environment):
        return np.asarray(f(*(environment[x] if isinstance(x, Node) else x for x in operands)))

    return Node(run, made.shape, made.dtype)


def interpret(block, arguments, environment):
    """The outputs of a block for values of its parameters; `environment` has the values of the blocks around it."""
    environment = {**environment, **dict(zip(block.parameters, arguments))}
    for node in block.nodes:
        environment[node] = node.run(environment)
    return [environment[node] for node in block.outputs]


class Toy(backend.Backend):
    """The interface of the rewriter, by recording. `used` names what was staged; `printed` is what graphs printed."""

    package = __name__

    def __init__(self):
        self.used, self.printed = [], []

    def is_traced(self, x):
        return isinstance(x, Node)

    def is_tensor(self, x):
        return isinstance(x, (Node, np.ndarray, np.generic))

    def is_place(self, x):
        return isinstance(x, Place)

    def dtype(self, x):
        return x.dtype

    def shape(self, x):
        return tuple(x.shape)

    def length(self, x):
        return x.shape[0] if isinstance(x.shape[0], int) else op(lambda v: np.asarray(v.shape[0]), x)

    def accepts(self, dtype, number):
        return dtype.kind in {bool: "b", int: "iufc", float: "fc", complex: "c"}[type(number)]

    def is_integer(self, dtype):
        return dtype.kind in "iu"

    def as_tensor(self, x, dtype=None):
        if isinstance(x, Node):
            return x
        value = np.asarray(x, dtype)
        return Node(lambda environment: value, value.shape, value.dtype)

    def as_number(self, x):
        return x

    def zeros(self, shape, dtype):
        return self.as_tensor(np.zeros(shape, dtype))

    def element(self, x, i):
        return x[i]

    def truth(self, x):
        return x if x.dtype == bool else x != 0

    def logical_and(self, a, b):
        self.used.append("and")
        return op(np.logical_and, a, b)

    def logical_or(self, a, b):
        self.used.append("or")
        return op(np.logical_or, a, b)

    def logical_not(self, a):
        self.used.append("not")
        return op(np.logical_not, a)

    def _block(self, f, *types):
        with Block() as block:
            block.outputs = list(f([block.parameter(x.shape, x.dtype) for x in types]))
        return block

    @staticmethod
    def _results(run, outputs, stacked=0, length=None):
        """One node that runs, and one for each of its results."""
        whole = Node(run, (), float)
        shapes = [x.shape for x in outputs]
        for k in range(len(outputs) - stacked, len(outputs)):
            shapes[k] = (length, *shapes[k])
        return [Node(lambda e, k=k: e[whole][k], shape, x.dtype) for k, (x, shape) in enumerate(zip(outputs, shapes))]

    def is_refusal(self, error):
        return isinstance(error, TypeError) and "of a traced value" in str(error)

    def cond(self, pred, then, otherwise):
        assert pred.shape == () and pred.dtype == bool
        blocks = [self._block(lambda _: then()), self._block(lambda _: otherwise())]
        self.used.append("cond")
        assert [(x.shape, x.dtype) for x in blocks[0].outputs] == [(x.shape, x.dtype) for x in blocks[1].outputs]
        return self._results(lambda e: interpret(blocks[not e[pred]], [], e), blocks[0].outputs)

    def while_loop(self, test, body, init):
        asked, once = self._block(lambda xs: [test(xs)], *init), self._block(body, *init)
        self.used.append("while_loop")
        assert asked.outputs[0].shape == () and asked.outputs[0].dtype == bool
        assert [(x.shape, x.dtype) for x in once.outputs] == [(x.shape, x.dtype) for x in init]

        def run(environment):
            values = [environment[x] for x in init]
            while interpret(asked, values, environment)[0]:
                values = interpret(once, values, environment)
            return values

        return self._results(run, init)

    def scan(self, body, init, xs):
        assert xs
        with Block() as once:
            carry, outputs = body([once.parameter(x.shape, x.dtype) for x in init],
                                  [once.parameter(x.shape[1:], x.dtype) for x in xs])
            once.outputs = [*carry, *outputs]
        self.used.append("scan")
        assert [(x.shape, x.dtype) for x in carry] == [(x.shape, x.dtype) for x in init]
        count, length = len(init), xs[0].shape[0]

        def run(environment):
            values, rows = [environment[x] for x in init], []
            for elements in zip(*(environment[x] for x in xs)):
                both = interpret(once, [*values, *elements], environment)
                values, row = both[:count], both[count:]
                rows.append(row)
            return [*values, *(np.stack(column) for column in zip(*rows))]

        found = self._results(run, once.outputs, len(outputs), length)
        return found[:count], found[count:]

    def assert_(self, pred, message, values):
        self.used.append("assert")

        def run(environment):
            if not environment[pred]:
                raise AssertionError(message.format(*map(environment.get, values)) if values else message)

        Node(run, (), float)

    def set_quiet(self, is_quiet):
        return False

    def print_(self, pattern, values):
        self.used.append("print")

        def run(environment):
            self.printed.append(pattern.format(*map(environment.get, values)))

        Node(run, (), float)


class Place:
    """A place whose changes the framework records: the toy's Variable."""

    def __init__(self, value):
        self.value = np.asarray(value)

    def assign_add(self, x):
        def run(environment):
            self.value = self.value + (environment[x] if isinstance(x, Node) else x)

        Node(run, (), float)


def traced(f, *arguments, symbols=False):
    """Traces f for arrays and runs the graph on them: (result with values, the toy). Other arguments stay Python's."""
    toy = Toy()
    with backend.using(toy), Block() as block:
        given = []
        for x in arguments:
            if isinstance(x, (np.ndarray, np.generic)):
                x = np.asarray(x)
                given.append(block.parameter(("n", *x.shape[1:]) if symbols and x.ndim else x.shape, x.dtype))
            else:
                given.append(x)
        result = _rewrite.rewrite(f)(*given)
    values = [np.asarray(x) for x in arguments if isinstance(x, (np.ndarray, np.generic))]
    environment = dict(zip(block.parameters, values))
    for node in block.nodes:
        environment[node] = node.run(environment)
    return with_values(result, environment), toy


def with_values(tree, environment):
    """A result with the values of its traced parts."""
    if isinstance(tree, Node):
        return environment[tree]
    if isinstance(tree, (list, tuple)):
        return type(tree)(with_values(item, environment) for item in tree)
    if isinstance(tree, dict):
        return {key: with_values(item, environment) for key, item in tree.items()}
    return tree


def alike(a, b):
    """Whether a graph's result is Python's: the same trees, and numbers that are equal, be they arrays or not."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) or isinstance(b, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if a is None or b is None or isinstance(a, str):
        return a == b
    return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
