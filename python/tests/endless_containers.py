"""Gives containers without end, and 100,000 deep ones, to everything that walks into containers.

  python endless_containers.py <entry or all> [container]    prints the type and the first line of what is raised, or "value"
"""

import collections
import dataclasses
import functools
import resource
import sys
import tempfile

import numpy as np

import weft as wf

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Box:
    inner: object


def cyclic_list():
    out = []
    out.append(out)
    return out


def cyclic_list_behind_a_tensor():
    out = [wf.ones(2)]
    out.append(out)
    return out


def cyclic_dict():
    out = {"a": wf.ones(2)}
    out["b"] = out
    return out


def cyclic_tuple():
    inner = []
    out = (inner, wf.ones(2))
    inner.append(out)
    return out


def cyclic_dataclass():
    out = Box(wf.ones(2))
    out.inner = [out]
    return out


def deep(wrap):
    @functools.cache  # to make one takes longer than to refuse it
    def make():
        out = wf.ones(2)
        for _ in range(100_000):
            out = wrap(out)
        return out

    return make


CONTAINERS = {
    "cyclic list": cyclic_list, "cyclic list behind a tensor": cyclic_list_behind_a_tensor, "cyclic dict": cyclic_dict,
    "cyclic tuple": cyclic_tuple, "cyclic dataclass": cyclic_dataclass, "deep list": deep(lambda x: [x]),
    "deep dict": deep(lambda x: {"a": x}),
    "deep tuple": deep(lambda x: (x,)), "deep namedtuple": deep(lambda x: Pair(x, 1.0)), "deep list of numbers": deep(lambda x: [x, 1.0]),
    "deep text list": deep(lambda x: ["a", x]),
}
ENTRIES = {}


def entry(f):
    ENTRIES[f.__name__] = f
    return f


def model():
    out = wf.nn.Sequential(wf.nn.Linear(2, 2))
    out.compile(optimizer="sgd", loss="mse")
    return out


@entry
def function_argument(c):
    wf.function(lambda a: 1)(c)


@entry
def function_keyword(c):
    wf.function(lambda a=None: 1)(a=c)


@entry
def function_static(c):
    wf.function(lambda x, a: x, static_argnums=(1,))(wf.ones(2), c)


@entry
def function_closure(c):
    f = wf.function(lambda x: x * len(c))
    f(wf.ones(2)), f(wf.ones(2))


@entry
def function_global(c):
    globals()["GLOBAL"] = c
    f = wf.function(lambda x: x + len(GLOBAL[0] if isinstance(GLOBAL, (list, tuple)) else "a"))  # noqa: F821
    f(wf.ones(2)), f(wf.ones(2))


@entry
def function_attribute(c):
    class Holder:
        pass

    holder = Holder()
    holder.c = c
    f = wf.function(lambda x: x if holder.c else -x)
    f(wf.ones(2)), f(wf.ones(2))


@entry
def function_default(c):
    def f(x, c=c):
        return x

    wf.function(f)(wf.ones(2))


@entry
def function_result(c):
    wf.function(lambda x: c)(wf.ones(2))


@entry
def function_result_of_its_own(c):
    def f(x):
        out = [x]
        out.append(out)
        return out

    wf.function(f)(wf.ones(2))


@entry
def concrete_function(c):
    wf.function(lambda a: 1).get_concrete_function(c)


@entry
def grad(c):
    wf.grad(lambda a: wf.ones(()))(c)


@entry
def vmap(c):
    wf.vmap(lambda a: wf.ones(()))(c)


@entry
def jvp(c):
    wf.jvp(lambda a: a, (c,), (c,))


@entry
def in_axes(c):
    wf.vmap(lambda a: a, in_axes=c)(wf.ones((2, 2)))


@entry
def cond(c):
    wf.cond(wf.tensor(True), lambda a: a, lambda a: a, c)


@entry
def scan(c):
    wf.scan(lambda carry, x: (carry, x), c, wf.ones(2))


@entry
def while_loop(c):
    wf.while_loop(lambda a: False, lambda a: a, c)


@entry
def checkpoint(c):
    wf.checkpoint(lambda a: a)(c)


@entry
def tape(c):
    with wf.GradientTape() as tape:
        tape.watch(c)
        tape.gradient(c, c)


@entry
def fetches(c):
    with wf.Graph() as g:
        wf.placeholder(wf.float32, (), name="x")
    wf.Session(g).run(c)


@entry
def feed(c):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, 2), name="x")
    wf.Session(g).run(x, {x: c})


@entry
def tensor(c):
    wf.tensor(c)


@entry
def operand(c):
    wf.add(wf.ones(2), c)


@entry
def shape(c):
    wf.zeros(c)


@entry
def index(c):
    wf.ones((2, 2))[c]


@entry
def at(c):
    wf.ones((2, 2)).at[c].set(c)


@entry
def variable(c):
    wf.Variable(c)


@entry
def assign(c):
    wf.Variable(wf.ones(2)).assign(c)


@entry
def from_tensors(c):
    list(wf.data.Dataset.from_tensors(c))


@entry
def from_tensor_slices(c):
    list(wf.data.Dataset.from_tensor_slices(c).batch(2))


@entry
def from_generator(c):
    list(wf.data.Dataset.from_generator(lambda: iter([c])))


@entry
def map_result(c):
    list(wf.data.Dataset.range(2).map(lambda i: c))


@entry
def map_result_of_threads(c):
    list(wf.data.Dataset.range(2).map(lambda i: c, num_parallel_calls=2))


@entry
def map_closure(c):
    list(wf.data.Dataset.range(2).map(wf.function(lambda i: i + len(c))))


@entry
def zip_of(c):
    wf.data.Dataset.zip(c)


@entry
def padding(c):
    list(wf.data.Dataset.from_tensors(wf.ones(2)).padded_batch(2, padding_values=c))


@entry
def padded_shapes(c):
    list(wf.data.Dataset.from_tensors(wf.ones(2)).padded_batch(2, padded_shapes=c))


@entry
def iterator_structure(c):
    wf.data.Iterator.from_structure(c, c)


@entry
def iterator_state(c):
    iter(wf.data.Dataset.range(2)).load_state_dict({"a": c})


@entry
def fit_x(c):
    model().fit(c, np.ones((2, 2), np.float32), epochs=1, verbose=0)


@entry
def fit_y(c):
    model().fit(np.ones((2, 2), np.float32), c, epochs=1, verbose=0)


@entry
def fit_batches(c):
    model().fit(iter([(c, c)]), epochs=1, verbose=0)


@entry
def fit_class_weight(c):
    model().fit(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32), epochs=1, verbose=0, class_weight=c)


@entry
def fit_callbacks(c):
    model().fit(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32), epochs=1, verbose=0, callbacks=c)


@entry
def compile_losses(c):
    wf.nn.Sequential(wf.nn.Linear(2, 2)).compile(optimizer="sgd", loss=c, metrics=c)


@entry
def evaluate(c):
    model().evaluate(c, c, verbose=0)


@entry
def predict(c):
    model().predict(c)


@entry
def forward(c):
    wf.nn.Linear(2, 2)(c)


@entry
def module_attribute(c):
    class Layer(wf.nn.Module):
        def __init__(self):
            super().__init__()
            self.c = c

        def forward(self, x):
            return x

    layer = Layer()
    list(layer.parameters()), layer.state_dict(), repr(layer), layer.train(), layer(wf.ones(2))


@entry
def module_result(c):
    layer = wf.nn.Sequential(wf.nn.Lambda(lambda x: c))
    layer(wf.ones((2, 2)))
    layer.summary((2, 2))


@entry
def load_state_dict(c):
    wf.nn.Linear(2, 2).load_state_dict({"weight": c, "bias": c})


@entry
def functional_call(c):
    wf.nn.functional_call(wf.nn.Linear(2, 2), {"weight": c}, wf.ones((2, 2)))


@entry
def optimizer(c):
    wf.optim.SGD(c, lr=0.1)


@entry
def optimizer_state(c):
    v = wf.Variable(wf.ones(2))
    opt = wf.optim.Adam([v])
    opt.load_state_dict({**opt.state_dict(), "state": c})


@entry
def clip(c):
    wf.optim.clip_by_global_norm(c, 1.0)


@entry
def apply_gradients(c):
    v = wf.Variable(wf.ones(2))
    wf.optim.SGD([v], lr=0.1).apply_gradients([(c, v)])


@entry
def save(c):
    with tempfile.TemporaryDirectory() as folder:
        wf.save(f"{folder}/a", c)


@entry
def save_value(c):
    with tempfile.TemporaryDirectory() as folder:
        wf.save(f"{folder}/a.npz", {"a": c})


@entry
def manager_tree(c):
    with tempfile.TemporaryDirectory() as folder:
        wf.CheckpointManager(folder, c=c).save(1)


@entry
def manager_state(c):
    class Holder:
        def state_dict(self):
            return {"c": c}

        def load_state_dict(self, state):
            pass

    with tempfile.TemporaryDirectory() as folder:
        wf.CheckpointManager(folder, holder=Holder()).save(1)


@entry
def fingerprint(c):
    wf.fingerprint(c)


@entry
def assert_close(c):
    wf.testing.assert_close(c, c)


@entry
def tree_flatten(c):
    wf.tree.flatten(c)


@entry
def tree_map(c):
    wf.tree.map(lambda x: x, c)


@entry
def stop_gradient(c):
    wf.stop_gradient(c)


@entry
def custom_gradient(c):
    wf.custom_gradient(lambda a: (wf.ones(()), lambda g: c))(c)


@entry
def key(c):
    wf.random.Key(c)


@entry
def hook_result(c):
    v = wf.Variable(wf.ones(2))
    y = v * 2.0
    y.register_hook(lambda g: c)
    y.sum().backward()


@entry
def metric(c):
    wf.metrics.MSE().update(c, c)


@entry
def graph_inputs(c):
    x = wf.nn.Input((2,))
    wf.nn.Model(c, x)


@entry
def draw(c):
    wf.draw(c)


@entry
def gradients(c):
    with wf.Graph():
        wf.gradients(c, c)


@entry
def control_dependencies(c):
    with wf.Graph(), wf.control_dependencies(c):
        pass


@entry
def associative_scan(c):
    wf.associative_scan(lambda a, b: a, c)


@entry
def einsum(c):
    wf.einsum("i,i->", c, c)


def run(entry_name, container):
    try:
        ENTRIES[entry_name](CONTAINERS[container]())
        return "value"
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for name in ENTRIES if sys.argv[1] == "all" else sys.argv[1:2]:
        for container in sys.argv[2:] or CONTAINERS:
            print(f">>> {name}, {container}", flush=True)
            print("<<<", run(name, container)[:400], flush=True)
    print("end", flush=True)
