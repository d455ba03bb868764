"""Values that generated programs name: tensors of every kind, odd objects, and helpers that consume results.

A reproducer is printed with the definitions of the names that it uses, so each top-level statement here stands alone.
"""

import atexit
import collections
import os
import shutil
import sys
import tempfile

import numpy as np

import weft as wf

FOLDER = tempfile.mkdtemp(prefix="weft_fuzz_")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def t(dtype, *shape):
    """A tensor whose elements follow from its shape."""
    count = int(np.prod(shape, dtype=np.int64))
    values = (np.arange(count) * 5 % 7 - 2).reshape(shape)
    if dtype == "bfloat16":
        return wf.tensor(values / 2, dtype=wf.bfloat16)
    if dtype in ("uint8", "uint16", "uint32", "uint64", "bool"):
        values = abs(values) % (2 if dtype == "bool" else 5)
    return wf.tensor((values / 2 if dtype[0] in "fc" else values).astype(dtype))


def leaked(transform, x):
    """The value that a function had inside of a transformation that has ended."""
    box = []
    try:
        transform(lambda x: (box.append(x), wf.sum(x * 1.0))[1])(x)
    except wf.Error:  # wf.function sees that its value has left
        pass
    return box[0]


def leaked_tangent(x):
    """A value of wf.jvp after it has ended."""
    box = []
    wf.jvp(lambda x: box.append(x) or x * 1.0, (x,), (x,))
    return box[0]


def taped(x):
    """A value that a tape watched."""
    with wf.GradientTape() as tape:
        tape.watch(x)
        return x * 1.0


def graph_value(x):
    """A value of a graph of its own."""
    with wf.Graph():
        return wf.placeholder(x.dtype, x.shape) * 1


def symbolic(x):
    """A graph's value whose sizes are not known."""
    with wf.Graph():
        return wf.placeholder(x.dtype, (None,) * len(x.shape))


def leaked_size(x):
    """A symbolic size of a traced function that has ended."""
    box = []
    wf.function(lambda x: (box.append(x.shape[0] if x.shape else 1), x)[1], input_signature=[f"f32[{','.join('nmkpq'[:len(x.shape)])}]"])(
        wf.astype(x, wf.float32))
    return box[0]


def leaked_index():
    """A traced loop index of a function that has ended."""
    box = []
    keep = wf.do_not_rewrite(lambda i: box.append(i))

    @wf.function
    def loop(x, n):
        for i in range(n):
            keep(i)
            x = x + i
        return x

    try:
        loop(wf.ones(2), wf.tensor(3))
    except wf.Error:  # it sees that the index has left
        pass
    return box[0]


class Foreign:
    """An array of another library: NumPy's, known by DLPack alone."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def read_only(x):
    """A NumPy array that cannot be written to."""
    array = x.numpy().copy()
    array.flags.writeable = False
    return array


def cyclic(kind):
    """A list, dict or object that contains itself."""
    if kind == "dict":
        box = {}
        box["self"] = box
    else:
        box = []
        box.append((1, box) if kind == "tuple" else box)
    return box


def deep(depth, leaf=1.0, kind="list"):
    """A list or dict nested that deep."""
    out = leaf
    for _ in range(depth):
        out = [out] if kind == "list" else {"a": out}
    return out


class Odd:
    """An object whose every conversion raises."""

    def __index__(self):
        raise RuntimeError("no index")

    __float__ = __int__ = __bool__ = __len__ = __array__ = __iter__ = __index__


class Liar:
    """Says it is a sequence, an array and a DLPack producer, and is none."""

    __array_interface__ = {"version": 3}

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self

    def __dlpack__(self, **keywords):
        return object()

    def __dlpack_device__(self):
        return "cpu"


class Pair(collections.namedtuple("Pair", "first second")):
    """A namedtuple as an argument."""


class Net(wf.nn.Module):
    """A small model."""

    def __init__(self):
        self.inner = wf.nn.Linear(3, 2)

    def forward(self, x):
        return wf.tanh(self.inner(x))


def trained_net():
    """A model that knows how it is trained."""
    model = Net()
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def optimizer():
    """An optimizer whose parameter has a gradient."""
    v = wf.Variable(t("float32", 3))
    v.grad = t("float32", 3)
    return wf.optim.SGD([v], lr=0.1)


def graph_with(x):
    """(graph, placeholder, result): a graph that broadcasts what it is fed with."""
    with wf.Graph() as g:
        p = wf.placeholder(x.dtype, x.shape)
        return g, p, wf.not_equal(p, wf.zeros(2)) if x.shape[-1:] == (1,) else p + p


def feed_run(kind, like, value, own=False):
    """Feeds `value` where a tensor like `like` belongs: by Session.run, by name, or by make_callable."""
    with wf.Graph() as g:
        p = wf.placeholder(like.dtype, (None,) * len(like.shape) if kind % 2 else like.shape, name="p")
        r = [p + p, wf.not_equal(p, wf.zeros(like.shape[-1:])), wf.erf(p)][kind % 3]
        r = wf.not_equal(p, wf.zeros(2)) if like.shape[-1:] == (1,) and kind % 2 == 0 else r
        c = wf.zeros(like.shape, dtype=like.dtype)
    value = c if own else value
    session = wf.Session(g)
    if kind % 4 == 0:
        return session.make_callable(r, [p])(value)
    return session.run(r, {p if kind % 4 < 3 else "p:0": value})


def graph_iterator():
    """An iterator whose elements are values of a graph."""
    with wf.Graph():
        return wf.data.Dataset.range(3).make_initializable_iterator()


def is_inside(x, names):
    """Whether an object is of one of these classes of Weft's."""
    return type(x).__name__ in names and type(x).__module__.startswith("weft")


def called(layer):
    """What a layer gives for the first input that it takes."""
    for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 4)):
        try:
            return layer(t("float32", *shape))
        except wf.Error as error:
            last = error
    return last


def use(x):
    """Does with a result what users do with it: takes elements of a dataset, calls a layer, steps an optimizer."""
    if isinstance(x, wf.data.Dataset) or is_inside(x, ("_DataIterator",)):
        return [element for element, _ in zip(x, range(3))]
    if isinstance(x, wf.nn.Module):
        return called(x)
    if isinstance(x, wf.optim.Optimizer):
        for v in x.parameters:
            v.grad = wf.ones_like(v)
        x.step()
        return x.parameters[0].value()
    if isinstance(x, wf.optim.schedules.Schedule):
        return x.step()
    if isinstance(x, wf.metrics.Metric):
        x.update(t("float32", 2, 3), t("float32", 2, 3))
        return x.result()
    if isinstance(x, wf.Graph):
        return str(x), [wf.Session(x).run(o) for o in x.operations[:2]]
    return x


def total(x):
    """The sum of all floats of a result, as a loss."""
    leaves = [leaf for leaf in wf.tree.flatten(x)[0] if isinstance(leaf, wf.Tensor)]
    return sum((wf.sum(wf.astype(wf.real(leaf) if leaf.dtype in (wf.complex64, wf.complex128) else leaf, wf.float32)) for leaf in leaves),
               wf.tensor(0.0))


def fetched(graph, x, feeds):
    """What a session gives for the values of a graph in a result."""
    leaves, structure = wf.tree.flatten(x)
    ours = [leaf for leaf in leaves if isinstance(leaf, wf.Tensor)]
    values = iter(wf.Session(graph).run(ours, feeds))
    return wf.tree.unflatten(structure, [next(values) if isinstance(leaf, wf.Tensor) else leaf for leaf in leaves])


def path(name):
    """A path in a folder of this process's own."""
    return os.path.join(FOLDER, name)


def saved(name):
    """The path of a file that holds tensors."""
    wf.save(path(name), t("float32", 2, 3) if name.endswith("npy") else {"w": t("float32", 2, 3), "b": t("int64", 3)})
    return path(name)


def written(name, content):
    """The path of a file with this content."""
    with open(path(name), "wb") as file:
        file.write(content)
    return path(name)


if __name__ == "__main__":
    sys.exit("prelude: imported by generated programs")
