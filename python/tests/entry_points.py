"""Every public entry point that reads a tensor's memory, given every kind of tensor.

  python entry_points.py <kind>        calls every entry with a tensor of that kind, a line before and after each
An entry gives the right value, or raises wf.Error or TypeError with a text that names what is wrong; test_entry_points.py runs the
kinds in processes of their own and knows which outcome each of them has.
"""

import copy
import io
import os
import pickle
import sys
import tempfile
import types

import numpy as np

import weft as wf
from weft import callbacks, metrics

ROWS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
SHAPE = ROWS.shape  # of the tensor that is given
# What a reader gets from a kind of tensor: a value; a value that a transformation differentiates; or no value.
VALUE, FOLLOWED, ENDED, NONE = "value", "followed", "ended", "none"


# Kinds of tensors: (value in NumPy, a function that calls `use` with the tensor where it is of that kind).
def _inside(transform):
    def run(use):
        out = []
        transform(lambda x: (out.append(use(x)), x.sum())[1])
        return out[0]

    return run


def _leaked(transform):
    def run(use):
        out = []
        transform(lambda x: (out.append(x), x.sum())[1])
        return use(out[0])

    return run


def _under_grad(f):
    return wf.grad(f)(wf.tensor(ROWS))


def _under_jvp(f):
    return wf.jvp(f, (wf.tensor(ROWS),), (wf.tensor(ROWS),))


def _under_vmap(f):
    return wf.vmap(f)(wf.tensor(np.stack([ROWS, ROWS])))


def _under_trace(f):
    return wf.function(wf.do_not_rewrite(f))(wf.tensor(ROWS))


def _taped(use):
    v = wf.Variable(ROWS)
    with wf.GradientTape():
        return use(v * 1.0)


def _after_tape(use):
    v = wf.Variable(ROWS)
    with wf.GradientTape():
        x = v * 1.0
    return use(x)


def _graph_value(use):
    with wf.Graph():
        x = wf.placeholder(wf.float32, (2, 3), name="other")
    return use(x + 1.0)


def _foreign(use):
    array = ROWS.copy()
    array.flags.writeable = False
    return use(wf.from_dlpack(array))


def _of_numpy(use):
    array = ROWS.copy()
    array.flags.writeable = False
    return use(wf.asarray(array))


KINDS = {
    "plain": (VALUE, ROWS, lambda use: use(wf.tensor(ROWS))),
    "variable": (VALUE, ROWS, lambda use: use(wf.Variable(ROWS, name="v"))),
    "frozen variable": (VALUE, ROWS, lambda use: use(wf.Variable(ROWS, trainable=False))),
    "recorded": (VALUE, ROWS, lambda use: use(wf.Variable(ROWS) * 1.0)),
    "recorded by a tape": (VALUE, ROWS, _taped),
    "after a tape": (VALUE, ROWS, _after_tape),
    "under grad": (FOLLOWED, ROWS, _inside(_under_grad)),
    "under jvp": (FOLLOWED, ROWS, _inside(_under_jvp)),
    "under vmap": (NONE, ROWS, _inside(_under_vmap)),
    "under a trace": (NONE, ROWS, _inside(_under_trace)),
    "after grad": (ENDED, ROWS, _leaked(_under_grad)),
    "after jvp": (ENDED, ROWS, _leaked(_under_jvp)),
    "after vmap": (NONE, ROWS, _leaked(_under_vmap)),
    "after a trace": (NONE, ROWS, _leaked(_under_trace)),
    "graph value": (NONE, ROWS, _graph_value),
    "model input": (NONE, ROWS, lambda use: use(wf.nn.Input((3,)))),
    "broadcast view": (VALUE, ROWS[:1].repeat(2, axis=0), lambda use: use(wf.broadcast_to(wf.tensor(ROWS[0]), (2, 3)))),
    "transposed view": (VALUE, ROWS, lambda use: use(wf.tensor(ROWS.T.copy()).T)),
    "empty": (VALUE, ROWS[:0], lambda use: use(wf.tensor(ROWS[:0]))),
    "from dlpack": (VALUE, ROWS, _foreign),
    "from numpy": (VALUE, ROWS, _of_numpy),
}


# Entry points, by name: functions of the tensor that give its value as it arrived, or None where nothing comes back.
ENTRIES = {}


def entry(*names, aside=False, empty=True, computes=False, stages=False, says=""):
    """`says`: how its errors name the argument. `aside`: what grad and jvp follow is read, as nothing is computed from it, or it has no
    gradient. `computes`: it applies ops, to tracers, too. `stages`: in a graph or a trace it becomes a part of that. `empty`: it takes
    tensors without elements."""
    def register(f):
        for name in names:
            ENTRIES[name] = types.SimpleNamespace(use=f, aside=aside, empty=empty, computes=computes, stages=stages, says=says)
        return f

    return register


def _graph(of=lambda x: x + 0.0, shape=(None, 3)):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape, name="x")
        return g, x, of(x)


@entry("Session.run", says="feed x")
def session_run(x):
    g, p, y = _graph(wf.erf)
    wf.Session(g).run(y, {p: x})
    g, p, y = _graph()
    return wf.Session(g).run(y, {p: x})


@entry("Session.run of a known shape, broadcasting", says="feed x")
def session_broadcast(x):
    g, p, y = _graph(lambda x: wf.not_equal(x, wf.zeros((4, 1, 3))), SHAPE)
    assert wf.Session(g).run(y, {p: x}).shape == (4, *SHAPE)
    g, p, y = _graph(lambda x: x + wf.zeros(3), SHAPE)
    return wf.Session(g).run(y, {"x:0": x})


@entry("Session.run in a list", says="feed")
def session_list(x):
    g, p, y = _graph(shape=(None, None, 3))
    return wf.Session(g).run(y, {p: [x]})[0]


@entry("Session.make_callable", says="feed x")
def session_callable(x):
    g, p, y = _graph()
    return wf.Session(g).make_callable(y, [p])(x)


@entry("Session.plan", empty=False, says="feed x")
def session_plan(x):
    g, p, y = _graph()
    wf.Session(g).plan(y, {p: x}).profile(rounds=1)


def _rows(dataset):
    parts = [np.asarray(row) for row in dataset]
    return np.concatenate(parts) if parts else ROWS[:0]


@entry("Dataset.from_tensor_slices", says="from_tensor_slices: the element")
def dataset_slices(x):
    return _rows(wf.data.Dataset.from_tensor_slices(x).batch(2))


@entry("Dataset.from_tensor_slices of a tree, shuffled", says="the element in leaf 0")
def dataset_slices_tree(x):
    dataset = wf.data.Dataset.from_tensor_slices({"a": x, "b": (x, x)}).shuffle(2, seed=0).batch(1)
    return sorted((np.asarray(row["b"][1]) for row in dataset), key=lambda row: row[0, 0]) or ROWS[:0]


@entry("Dataset.from_tensors", says="from_tensors: the element")
def dataset_tensors(x):
    return _rows(wf.data.Dataset.from_tensors(x).batch(1).map(lambda x: x[0]))


@entry("Dataset.from_generator", says="from_generator: the element")
def dataset_generator(x):
    return _rows(wf.data.Dataset.from_generator(lambda: iter([x, x])).batch(2).map(lambda x: x[1]))


@entry("Dataset.map", aside=True, says="map: the element in leaf 0")
def dataset_map(x):
    return _rows(wf.data.Dataset.range(2).map(lambda i: (x, i)).batch(2).map(lambda x, i: x[1]))


@entry("Dataset.map with threads", aside=True, says="map: the element")
def dataset_map_threads(x):
    return _rows(wf.data.Dataset.range(2).map(lambda i: x, num_parallel_calls=2).batch(2).map(lambda x: x[1]))


@entry("Dataset.filter", "Dataset.interleave", "Dataset.flat_map", aside=True, says="the element")
def dataset_flat_map(x):
    return _rows(wf.data.Dataset.range(1).flat_map(lambda i: wf.data.Dataset.from_tensors(x)))


@entry("Dataset.padded_batch", empty=False, says="padding_values")
def dataset_padding(x):
    ones = wf.data.Dataset.from_generator(lambda: iter([np.ones(1, np.float32), np.ones(2, np.float32)]))
    out = list(ones.padded_batch(2, padding_values=x[0, 2]))[0]
    assert out.tolist() == [[1.0, 3.0], [1.0, 1.0]]


@entry("Dataset.bucket_by_length", empty=False, says="padding_values")
def dataset_buckets(x):
    ones = wf.data.Dataset.from_generator(lambda: iter([np.ones(1, np.float32), np.ones(2, np.float32)]))
    list(ones.bucket_by_length(lambda row: row.shape[0], [4], [2, 2], padding_values=x[0, 0]))


@entry("Dataset.load_state_dict", empty=False, aside=True, says="load_state_dict")
def dataset_state(x):
    iterator = iter(wf.data.Dataset.range(3))
    iterator.load_state_dict({**iterator.state_dict(), "seed": x[0, 0].astype(wf.int64)})


@entry("save", aside=True, says="save")
def save(x):
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("npz", "safetensors"):
            wf.save(f"{folder}/a.{ending}", {"x": x})
        return wf.load(f"{folder}/a.npz")["x"]


@entry("CheckpointManager.save", aside=True, says="saving")
def checkpoint(x):
    class Holder:
        def state_dict(self):
            return {"x": x}

        def load_state_dict(self, state):
            self.loaded = state["x"]

    with tempfile.TemporaryDirectory() as folder:
        holder = Holder()
        manager = wf.CheckpointManager(folder, holder=holder)
        manager.save(1)
        manager.restore(1)
        return holder.loaded


@entry("Variable", aside=True)
def variable(x):
    return wf.Variable(x).value()


@entry("Variable.assign", "Variable.copy_", aside=True, stages=True)
def assign(x):
    v = wf.Variable(wf.zeros(SHAPE))
    v.assign(x)
    v.copy_(x)
    return v.value()


@entry("Variable.assign_add", "Variable.assign_sub", aside=True, stages=True)
def assign_add(x):
    v = wf.Variable(wf.zeros(SHAPE))
    v.assign_sub(x)
    v.assign_add(x)
    v.assign_add(x)
    return v.value()


@entry("Variable.grad", aside=True)
def set_grad(x):
    v = wf.Variable(wf.zeros(SHAPE))
    v.grad = x
    return v.grad.value()


@entry("Module.load_state_dict", aside=True, stages=True)
def load_state_dict(x):
    layer = wf.nn.Linear(3, SHAPE[0], bias=False)
    layer.load_state_dict({"weight": x})
    return layer.weight.value()


@entry("Module parameters", aside=True)
def parameter(x):
    class Layer(wf.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = wf.Variable(x)

    return Layer().w.value()


@entry("optim.load_state_dict", aside=True)
def optimizer_state(x):
    v = wf.Variable(wf.zeros(SHAPE))
    opt = wf.optim.Adam([v])
    v.grad = wf.zeros(SHAPE)
    opt.step()
    state = copy.deepcopy(opt.state_dict())

    def replaced(tree):
        if isinstance(tree, dict):
            return {key: replaced(item) for key, item in tree.items()}
        if isinstance(tree, list):
            return [replaced(item) for item in tree]
        return x if isinstance(tree, wf.Tensor) and tuple(tree.shape) == SHAPE else tree

    opt.load_state_dict(replaced(state))


@entry("Optimizer.apply_gradients", aside=True)
def apply_gradients(x):
    v = wf.Variable(wf.zeros(SHAPE))
    wf.optim.SGD([v], lr=1.0).apply_gradients([(x, v)])
    return -v.value()


@entry("EMA", aside=True, stages=True)
def ema(x):
    v = wf.Variable(wf.zeros(SHAPE))
    average = wf.optim.EMA([v], 0.5)
    v.assign(x)
    average.update()


@entry("optim.clip_by_value", "optim.clip_by_global_norm", computes=True)
def clip(x):
    wf.optim.clip_by_global_norm([x], 1.0)
    return wf.optim.clip_by_value([x], 100.0)[0]


@entry("optim.clip_grad_norm", "optim.clip_grad_value", aside=True)
def clip_grad(x):
    v = wf.Variable(wf.zeros(SHAPE))
    v.grad = x
    wf.optim.clip_grad_norm([v], 100.0)
    wf.optim.clip_grad_value([v], 100.0)
    return v.grad.value()


def _model():
    model = wf.nn.Sequential(wf.nn.Linear(3, 3))
    model.compile(optimizer="sgd", loss="mse")
    return model


@entry("fit", empty=False, says="fit: x")
def fit(x):
    _model().fit(x, x, epochs=1, batch_size=2, verbose=0)
    _model().fit(x, x, epochs=1, batch_size=2, verbose=0, shuffle=False, sample_weight=x[:, 0])


@entry("fit of y", empty=False, says="fit: y")
def fit_y(x):
    _model().fit(ROWS, x, epochs=1, batch_size=2, verbose=0)


@entry("fit of sample_weight", empty=False, says="fit: sample_weight")
def fit_weight(x):
    _model().fit(ROWS, ROWS, epochs=1, batch_size=2, verbose=0, sample_weight=x[:, 0])


@entry("fit of batches", empty=False, says="fit: x")
def fit_batches(x):
    _model().fit([(x, x)], epochs=1, verbose=0)
    _model().fit(((x, x) for _ in range(1)), epochs=1, verbose=0)


@entry("fit of validation_data", empty=False, says="x")
def fit_validation(x):
    _model().fit(ROWS, ROWS, epochs=1, verbose=0, validation_data=(x, x))


@entry("evaluate", empty=False, says="evaluate: x")
def evaluate(x):
    _model().evaluate(x, x, verbose=0)


@entry("predict", empty=False, says="predict: x")
def predict(x):
    model = wf.nn.Sequential(wf.nn.Lambda(lambda x: x + 0.0))
    model.compile(optimizer="sgd", loss="mse")
    return model.predict(x)


@entry("train_on_batch", empty=False, says="x")
def train_on_batch(x):
    _model().train_on_batch(x, x)


@entry("metrics", aside=True, empty=False, stages=True)
def metric(x):
    for made in (metrics.MSE(), metrics.MAE(), metrics.Mean(), metrics.R2()):
        made.update(*((x, x) if not isinstance(made, metrics.Mean) else (x,)))
        float(made.compute() if hasattr(made, "compute") else made.result())


@entry("metrics of classes", aside=True, empty=False, stages=True)
def metric_classes(x):
    labels = wf.argmax(x, axis=-1)
    for made in (metrics.Accuracy(), metrics.TopKAccuracy(2), metrics.F1(), metrics.AUC(), metrics.ConfusionMatrix(3)):
        if isinstance(made, (metrics.AUC, metrics.F1)):
            made.update(x[:, 0] / 10, x[:, 0] > 2)
        else:
            made.update(x, labels)
        np.asarray(made.compute() if hasattr(made, "compute") else made.result())


@entry("nn.init", "initialisers", aside=True, stages=True)
def initialiser(x):
    layer = wf.nn.Linear(3, max(1, SHAPE[0]), bias=False)
    if SHAPE[0]:
        layer.weight.assign(x)
        return layer.weight.value()


@entry("Tensor.at", "Tensor.__getitem__", computes=True, empty=False)
def at(x):
    y = x.at[0].set(x[0]).at[1].add(0.0)
    i = (x[0, 0] * 0).astype(wf.int64)
    y = y.at[i].multiply(1.0)
    y = wf.tensor(ROWS).at[:].set(y)
    y[i], y[wf.stack([i, i])]
    return y


@entry("numpy.asarray", "Tensor.numpy", "Tensor.__array__")
def numpy_array(x):
    return np.asarray(x)


@entry("numpy ufunc")
def numpy_ufunc(x):
    return np.negative(np.negative(np.asarray(x)))


@entry("numpy function", computes=True)
def numpy_function(x):
    return np.add(x, 0) if not isinstance(x, wf.Variable) else np.asarray(x)


@entry("Tensor.__dlpack__", "numpy.from_dlpack")
def dlpack(x):
    return np.from_dlpack(x)


@entry("from_dlpack")
def from_dlpack(x):
    return wf.from_dlpack(x)


@entry("memoryview")
def buffer(x):
    return np.array(memoryview(x))


@entry("Tensor.tolist")
def tolist(x):
    return np.array(x.tolist(), np.float32).reshape(SHAPE)


@entry("float", "int", "Tensor.item", empty=False)
def item(x):
    assert (complex(x[0, 0]), int(x[0, 1]), float(x[0, 2]), x[0, 1].item()) == (1 + 0j, 2, 3.0, 2.0)


@entry("bool", "format", "repr", aside=True, empty=False)
def shown(x):
    repr(x), str(x)
    assert x[0, 0] > 0 and f"{x[0, 0]:.1f}" == "1.0"


@entry("pickle", says="pickling")
def pickled(x):
    if isinstance(x, wf.Variable):
        x = x.value()
    return pickle.loads(pickle.dumps(x))


@entry("copy")
def copied(x):
    return copy.deepcopy(copy.copy(x))


@entry("tensor", "asarray", computes=True)
def tensor(x):
    return wf.asarray(wf.tensor(x, dtype=wf.float32), copy=True)


@entry("tensor of a list", computes=True)
def tensor_list(x):
    return wf.tensor([x, x])[1]


@entry("full", computes=True, empty=False)
def full(x):
    return wf.full((), x[0, 0]) * x


@entry("fingerprint", aside=True, says="a fingerprint")
def fingerprint(x):
    assert len(wf.fingerprint(x)) == 32 and len(wf.fingerprint({"a": [x]})) == 32


@entry("Graph constants", computes=True)
def constants(x):
    with wf.Graph() as g:
        y = wf.zeros(3) + x
    return wf.Session(g).run(y)


@entry("function arguments", computes=True)
def function(x):
    return wf.function(lambda x: x + 0.0)(x)


@entry("ConcreteFunction.plan", aside=True, empty=False, says="plan: argument 0")
def concrete_plan(x):
    made = wf.function(lambda x: wf.erf(x) + wf.zeros(3)).get_concrete_function(wf.ones((2, 3)))
    made.plan(x).profile(rounds=1)


@entry("eval_shape", computes=True)
def shapes_only(x):
    spec = wf.eval_shape(lambda x: x + 0.0, x)
    # Sizes of a trace that has ended are names, which a spec has None for.
    assert spec.shape == tuple(size if isinstance(size, int) else None for size in x.shape) or spec.shape == SHAPE
    assert spec.dtype == wf.float32


@entry("placeholder_with_default", computes=True)
def default_of_placeholder(x):
    with wf.Graph() as g:
        y = wf.placeholder_with_default(x, name="x") + 0.0
    return wf.Session(g).run(y)


@entry("function captures", computes=True)
def captured(x):
    return wf.function(lambda y: x + y)(wf.zeros(3))


@entry("grad", "vjp", "jvp", "vmap", "hessian", computes=True)
def transforms(x):
    wf.jvp(lambda x: x * 2.0, (x,), (x,))
    return wf.grad(lambda y: (y * x).sum())(x)


@entry("cond", "while_loop", "scan", "fori_loop", "map", "switch_case", computes=True)
def control(x):
    y = wf.cond(wf.tensor(True), lambda x: x + 0.0, lambda x: x, x)
    return wf.fori_loop(0, 2, lambda i, y: y + 0.0, y)


@entry("random", aside=True, computes=True, empty=False)
def draws(x):
    key = wf.random.Key(0)
    wf.random.bernoulli(key, x[0] / 10, (3,)), wf.random.categorical(key, x[0]), wf.random.normal(key, (3,)) * x
    wf.random.uniform(key, (3,), low=x[0] * 0, high=x[0])


@entry("random.Key", computes=True, empty=False)
def key_of(x):
    wf.random.Key(x[0, :2].astype(wf.uint32))


@entry("histogram", "bincount", aside=True, computes=True, empty=False)
def values_as_sizes(x):
    wf.histogram(x, 3), wf.bincount(x[0].astype(wf.int64))


@entry("data.encode_png", "data.write_png", aside=True, empty=False, says="pixels")
def png(x):
    pixels = x.astype(wf.uint8)
    with tempfile.TemporaryDirectory() as folder:
        wf.data.write_png(f"{folder}/a.png", pixels)
    return wf.data.decode_image(wf.data.encode_png(pixels))[:, :, 0].astype(wf.float32)


@entry("data.decode_image", aside=True, empty=False, says="image")
def decode(x):
    image = np.frombuffer(wf.data.encode_png(wf.tensor(ROWS.astype(np.uint8))), np.uint8)
    # The same bytes, by way of the tensor.
    pixels = wf.data.decode_image(wf.tensor(image) + (x[0, 0] * 0).astype(wf.uint8))[:, :, 0]
    assert pixels.tolist() == ROWS.tolist()


@entry("data.parse_example", aside=True, empty=False, says="record")
def parse_example(x):
    try:
        wf.data.parse_example(x[0].astype(wf.uint8), {"a": ((), 0)})
    except wf.IoError:
        pass  # it was read, and is no record


@entry("testing.assert_close", aside=True)
def assert_close(x):
    wf.testing.assert_close(x, x)


@entry("print", aside=True)
def printed(x):
    print(x, file=io.StringIO())


@entry("Graph.add_to_collection", "Graph.optimize", aside=True)
def collection(x):
    with wf.Graph() as g:
        wf.placeholder(wf.float32, (2, 3))
    g.add_to_collection("things", x)


@entry("Saver", aside=True, empty=False, stages=True)
def saver(x):
    with wf.Graph() as g:
        v = wf.Variable(wf.zeros((2, 3)), name="v")
        saver = wf.Saver()
    with tempfile.TemporaryDirectory() as folder:
        session = wf.Session(g)
        v.assign(x)
        saver.save(session, f"{folder}/a")
        saver.restore(session, f"{folder}/a")


@entry("callbacks", aside=True)
def callback(x):
    made = [callbacks.EarlyStopping("loss", patience=0), callbacks.TerminateOnNaN(), callbacks.ReduceLROnPlateau("loss")]
    for one in made:
        if hasattr(one, "load_state_dict"):
            one.load_state_dict({**one.state_dict(), "best": x})


@entry("Module.__call__", computes=True)
def module_call(x):
    wf.nn.Linear(3, 2)(x), wf.nn.LSTM(3, 2)(x[None])
    return wf.nn.Identity()(x)


@entry("nn.functional_call", computes=True, empty=False)
def functional_call(x):
    layer = wf.nn.Linear(3, 2, bias=False)
    wf.nn.functional_call(layer, {"weight": x}, wf.zeros((1, 3)))


@entry("einsum", "meshgrid", "pad", "broadcast_arrays", "tensordot", "linalg", computes=True)
def by_ops(x):
    wf.einsum("ij,kj->ik", x, x), wf.pad(x, ((0, 0), (1, 1))), wf.linalg.norm(x), wf.tensordot(x, x.T, axes=1)
    return wf.broadcast_arrays(x, wf.zeros(3))[0]


@entry("Tensor.backward", aside=True, says="backward", stages=True)
def backward(x):
    v = wf.Variable(wf.zeros(SHAPE))
    (v * 2.0).backward(gradient=x)
    return v.grad.value() / 2.0


@entry("Tensor.register_hook", "Tensor.retain_grad", "HookHandle", aside=True, stages=True)
def hook(x):
    v = wf.Variable(wf.zeros(SHAPE))
    y = v * 1.0
    y.retain_grad()
    y.register_hook(lambda g: x)
    y.backward(gradient=wf.ones(SHAPE))
    return v.grad.value()


@entry("GradientTape", computes=True)
def tape(x):
    v = wf.Variable(wf.zeros(SHAPE))
    with wf.GradientTape() as tape:
        y = v * x
    return tape.gradient(y, v)


@entry("custom_gradient", "custom_jvp", "checkpoint", "Function", computes=True)
def custom(x):
    return wf.checkpoint(lambda y: y * 1.0)(wf.custom_gradient(lambda y: (y * 1.0, lambda g: g))(x))


@entry("associative_scan", computes=True, empty=False)
def associative_scan(x):
    wf.associative_scan(lambda a, b: a + b, x)


@entry("grad_check", aside=True, empty=False, computes=True)
def grad_check(x):
    wf.grad_check(lambda y: (y * y).sum(), x.astype(wf.float64))


@entry("gradients", "identity", "group", "control_dependencies", computes=True)
def in_graphs(x):
    with wf.Graph():
        p = wf.placeholder(wf.float32, SHAPE)
        wf.gradients(p * p, p, grad_ys=x)


@entry("observe", computes=True)
def observe(x):
    with wf.observe(lambda *seen: None):
        x + 1.0


@entry("draw", computes=True)
def draw(x):
    wf.draw((wf.Variable(wf.zeros(SHAPE)) * x).sum())


@entry("Optimizer.lr", aside=True, empty=False, computes=True)
def learning_rate(x):
    opt = wf.optim.SGD([wf.Variable(wf.zeros(2))], lr=0.1)
    opt.lr = x[0, 0]


@entry("Module.register_buffer", aside=True, computes=True)
def register_buffer(x):
    wf.nn.Identity().register_buffer("b", x)


@entry("Module.register_forward_hook", "Module.register_forward_pre_hook", computes=True)
def forward_hook(x):
    layer = wf.nn.Identity()
    layer.register_forward_hook(lambda module, args, out: x)
    return layer(wf.ones(2))


@entry("tree", computes=True)
def tree(x):
    leaves, form = wf.tree.flatten({"a": [x]})
    return wf.tree.map(lambda y: y, wf.tree.unflatten(form, leaves))["a"][0]


@entry("testing.check_op", "define_op", "ops of one tensor", computes=True, empty=False)
def every_op(x):
    for name in dir(wf):
        op = getattr(wf, name)
        if type(op).__name__ == "OpFunction":
            try:
                op(x)
            except wf.Error:
                pass


def outcome(name, kind):
    """("value" or "wrong" or "error" or "outside", a text): what came of it."""
    global SHAPE
    one = ENTRIES[name]
    role, array, run = KINDS[kind]
    SHAPE = array.shape
    if kind == "empty" and not one.empty:
        return "skipped", ""

    def used(x):
        try:
            out = one.use(x)
            if out is None or ((one.computes or one.stages) and role != VALUE):
                return "value", ""
            out = np.asarray(out.value() if isinstance(out, wf.Variable) else out, np.float32).reshape(array.shape)
            return ("value", "") if np.array_equal(out, array) else ("wrong", repr(out))
        except (wf.Error, TypeError) as error:
            return "error", f"{type(error).__name__}: {error}"

    try:
        return run(used)
    except Exception as error:  # noqa: BLE001: raised by the transformation, after the entry
        return "outside", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    os.environ.setdefault("WEFT_VERIFY", "1")
    for name in sys.argv[2:] or ENTRIES:
        print(f">>> {name}", flush=True)
        print("<<<", repr((name, *outcome(name, sys.argv[1]))), flush=True)
    print("end", flush=True)
