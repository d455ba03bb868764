"""Models as graphs of layers: shapes, shared layers, several inputs and outputs, operators, messages."""

import copy
import doctest
import gc
import operator

import numpy as np
import pytest

import weft as wf
from weft import _core, _tree, nn
from weft.nn import graph


def two_towers():
    wf.seed(0)
    image, text = nn.Input((6, 6), name="image"), nn.Input((4,), name="text")
    h = nn.ReLU()(nn.Linear(36, 8)(nn.Flatten()(image)))
    shared = nn.Linear(8, 8)
    h, t = shared(shared(h)), shared(nn.Linear(None, 8)(text))
    both = nn.Lambda(lambda a, b: wf.concat([a, b], axis=1))(h, t)
    return nn.Model([image, text], {"class": nn.Linear(16, 3)(both), "score": (h * t).sum(axis=1) / 2.0})


def batch(count=5):
    return wf.random.normal(wf.random.Key(1), (count, 6, 6)), wf.random.normal(wf.random.Key(2), (count, 4))


def test_it_computes_what_the_layers_compute():
    model, (x, y) = two_towers(), batch()
    h = wf.relu(model.linear(x.reshape((5, 36))))
    h, t = model.linear_1(model.linear_1(h)), model.linear_1(model.linear_2(y))
    out = model(x, y)
    assert list(out) == ["class", "score"]
    assert wf.fingerprint(out["class"]) == wf.fingerprint(model.linear_3(wf.concat([h, t], axis=1)))
    assert wf.fingerprint(out["score"]) == wf.fingerprint((h * t).sum(axis=1) / 2.0)
    for again in (model([x, y]), model({"image": x, "text": y}), model(text=y, image=x), model(x, text=y)):
        assert wf.fingerprint(again) == wf.fingerprint(out)


def test_parameters_are_named_by_the_layers_and_shared_once():
    model = two_towers()
    assert [name for name, _ in model.named_parameters()] == [
        f"{layer}.{part}" for layer in ("linear", "linear_1", "linear_2", "linear_3") for part in ("weight", "bias")]
    assert [name for name, _ in model.named_children()] == ["flatten", "linear", "relu", "linear_1", "linear_2", "lambda", "linear_3"]
    assert model.linear_2.weight.shape == (8, 4)  # its size was found by the graph
    other = two_towers()
    other.load_state_dict(model.state_dict())
    assert wf.fingerprint(other(*batch())) == wf.fingerprint(model(*batch()))


def test_shapes_know_what_depends_on_the_batch():
    x = nn.Input((None, 5))
    assert repr(x) == "<Input None: float32[None, None, 5]>" and x.ndim == 3
    assert nn.Linear(5, 7)(x).shape == (None, None, 7)
    assert x.sum(axis=0).shape == (None, 5) and x.mean().shape == ()
    assert x.mT.shape == (None, 5, None) and x[:, 0].shape == (None, 5) and x[0].shape == (None, 5)
    assert x.astype(wf.float64).dtype is wf.float64 and (x > 0).dtype is wf.bool
    out, (h, c) = nn.LSTM(5, 6, batch_first=True)(x)
    assert out.shape == (None, None, 6) and h.shape == (1, None, 6) and c.shape == (1, None, 6)
    words = nn.Input((7,), dtype=wf.int64)
    assert nn.Embedding(10, 3)(words).shape == (None, 7, 3)


def test_operators_and_methods_are_part_of_the_graph():
    a, b = nn.Input((3,)), nn.Input((3,))
    model = nn.Model((a, b), [2.0 - a, a ** 2 / b, -(a @ b.mT), abs(a)[:, :2], a.maximum(b), 1.0 + a.clip(-0.5, max=0.5), a < b])
    x, y = wf.tensor([[1.0, -2.0, 3.0]]), wf.tensor([[2.0, 2.0, -4.0]])
    wanted = [2.0 - x, x ** 2 / y, -(x @ y.mT), abs(x)[:, :2], wf.maximum(x, y), 1.0 + wf.clip(x, -0.5, 0.5), x < y]
    assert [t.tolist() for t in model(x, y)] == [t.tolist() for t in wanted]
    assert list(model.inputs) == ["input_0", "input_1"]


def test_ops_are_part_of_the_graph():
    a, b, scale = nn.Input((3,)), nn.Input((2,)), wf.Variable([1.0, 2.0, 3.0])
    joined = wf.concat([wf.relu(a), b, wf.ones((1, 1)).broadcast_to((2, 1))[:1] * b[:, :1]], axis=1)
    assert repr(joined) == "<node: float32[None, 6]>"
    total = wf.sum(joined, axis=-1, keepdims=True)
    model = nn.Model([a, b], [wf.where(joined > 0.0, joined, total), wf.multiply(scale, a), nn.softmax(joined)])
    x, y = wf.tensor([[1.0, -2.0, 3.0]]), wf.tensor([[2.0, -2.0]])
    both = wf.concat([wf.relu(x), y, y[:, :1]], axis=1)
    wanted = [wf.where(both > 0.0, both, wf.sum(both, axis=-1, keepdims=True)), scale * x, nn.softmax(both)]
    assert [wf.fingerprint(t) for t in model(x, y)] == [wf.fingerprint(t) for t in wanted]
    assert [name for name, _ in model.named_parameters()] == ["variable"]
    traced = wf.function(lambda x, y: model(x, y))
    assert wf.fingerprint(traced(x, y)) == wf.fingerprint(wanted)
    with pytest.raises(wf.InvalidError, match=r"\[concat.C3\]"):
        wf.concat([nn.Input((2, 2)), nn.Input((3, 3))], axis=1)
    with pytest.raises(wf.WrongTypeError, match="tanh"):
        wf.tanh(object())


def test_traced_and_eager_have_the_same_bits_and_gradients_reach_all():
    model, inputs = two_towers(), batch()
    traced = wf.function(lambda x, y: model(x, y))
    assert wf.fingerprint(traced(*inputs)) == wf.fingerprint(model(*inputs))
    assert wf.fingerprint(traced(*batch(9))) == wf.fingerprint(model(*batch(9))) and traced.trace_count == 1
    out = model(*inputs)
    (out["class"].sum() + out["score"].sum()).backward()
    assert all(np.abs(v.grad.numpy()).sum() > 0 for v in model.parameters())


def test_modes_reach_the_layers_and_traces_follow_them():
    x = nn.Input((4,))
    model = nn.Model(x, nn.Dropout(0.5)(nn.BatchNorm1d(4)(x)))
    assert model.batchnorm1d.running_mean.tolist() == [0.0] * 4  # the graph was made without training
    ones, traced = wf.ones((64, 4)), wf.function(lambda x: model(x))
    model.eval()
    assert (traced(ones).numpy() > 0.9).all()
    model.train()
    model.dropout.p = 1.0
    assert traced(wf.random.normal(wf.random.Key(0), (64, 4))).numpy().sum() == 0
    assert model.batchnorm1d.running_mean.tolist() != [0.0] * 4


def test_variables_in_the_graph_are_parameters():
    x, scale = nn.Input((2,)), wf.Variable(3.0)
    model = nn.Model(x, x * scale + scale)
    assert [name for name, _ in model.named_parameters()] == ["variable"]
    assert model(wf.ones((1, 2))).tolist() == [[6.0, 6.0]]
    assert nn.functional_call(model, {"variable": wf.tensor(1.0)}, wf.ones((1, 2))).tolist() == [[2.0, 2.0]]
    again = copy.deepcopy(model)
    again.variable.assign(0.0)
    assert again(wf.ones((1, 2))).tolist() == [[0.0, 0.0]] and model(wf.ones((1, 2))).tolist() == [[6.0, 6.0]]


def test_frozen_variables_are_read_by_each_call():
    x, offset = nn.Input((2,)), wf.Variable(wf.ones(2), trainable=False)
    model = nn.Model(x, nn.Linear(2, 2)(x + offset) * offset)
    assert list(model.state_dict()) == ["variable", "linear.weight", "linear.bias"]
    assert [name for name, _ in model.named_buffers()] == ["variable"]
    offset.assign(wf.zeros(2))
    assert model(wf.ones((1, 2))).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("taken, who, law", [
    (lambda: wf.exp(wf.Variable(wf.ones(3))), "mul", "variable"),
    (lambda: wf.exp(wf.Variable(wf.ones(3), trainable=False)), "mul", "variable"),
    (lambda: wf.rand(3), "mul", "draw"),
    (lambda: wf.randn(3) * 0.1, "mul", "draw"),
])
def test_what_a_model_would_freeze_is_refused(taken, who, law):
    x = nn.Input((3,))
    told = {"draw": f"Input: {who} takes what the default generator has drawn, beside a value that is not there yet; a model would keep it "
                    "as it is now. Draw in a layer, such as wf.nn.Lambda, or from a wf.random.Key if it is to stay [Input.draw]",
            "variable": f"Input: {who} takes a value that follows a Variable or belongs to a transformation, beside one that is not there "
                        "yet; a model would keep it as it is now. Give it the Variable itself, or hold it in a module, and call that "
                        "[Input.variable]"}
    with pytest.raises(wf.InvalidError) as error:
        x * taken()
    assert str(error.value).partition("\n")[0] == told[law]


def test_draws_of_layers_are_new_in_each_call_and_those_of_keys_stay():
    x, kept = nn.Input((3,)), wf.random.normal(wf.random.Key(3), (3,))
    still, noisy = nn.Model(x, x + kept), nn.Model(x, nn.Lambda(lambda x: x + wf.randn(3))(x))
    dropped = nn.Model(x, wf.nn.dropout(wf.random.Key(1), x, 0.5))
    zeros = wf.zeros((1, 3))
    assert still(zeros).tolist() == [kept.tolist()]
    assert wf.fingerprint(noisy(zeros)) != wf.fingerprint(noisy(zeros))
    assert wf.fingerprint(dropped(wf.ones((9, 3)))) == wf.fingerprint(dropped(wf.ones((9, 3))))
    data = wf.randn(2, 3)  # the rest of the program draws as ever
    assert wf.fingerprint(still(data)) == wf.fingerprint(data + kept)


def test_models_are_layers_and_inputs_may_be_outputs():
    x = nn.Input((4,))
    inner = nn.Model(x, nn.Linear(4, 4)(x))
    y = nn.Input((4,))
    model = nn.Model(y, (inner(inner(y)), y))
    assert [name for name, _ in model.named_parameters()] == ["model.linear.weight", "model.linear.bias"]
    ones = wf.ones((1, 4))
    out, same = model(ones)
    assert wf.fingerprint(out) == wf.fingerprint(inner(inner(ones))) and same.tolist() == ones.tolist()


def test_making_a_graph_draws_nothing():
    wf.seed(7)
    plain = [nn.Linear(4, 4), wf.rand(3)]
    wf.seed(7)
    x = nn.Input((4,))
    layer = nn.Linear(4, 4)
    nn.Lambda(lambda x: x + wf.rand(4))(nn.Dropout(0.5)(layer(x)))
    assert wf.fingerprint([layer.weight, wf.rand(3)]) == wf.fingerprint([plain[0].weight, plain[1]])


def test_deep_graphs():
    x = node = nn.Input((2,))
    for _ in range(3000):
        node = node + 1.0
    assert nn.Model(x, node)(wf.zeros((1, 2))).tolist() == [[3000.0, 3000.0]]


def test_summary_needs_no_input():
    x = nn.Input((4,))
    lines = str(nn.Model(x, nn.Linear(8, 2)(nn.ReLU()(nn.Linear(4, 8)(x)))).summary()).splitlines()
    assert lines[2].split()[:4] == ["Model", "[1,", "2]", "58"]
    assert [line.split()[:2] for line in lines[3:6]] == [["linear:", "Linear"], ["relu:", "ReLU"], ["linear_1:", "Linear"]]
    assert lines[-1].startswith("58 parameters")


def _x(size=2):
    return nn.Input((size,), name="x")


@pytest.mark.parametrize("call, kind, message", [
    (lambda: nn.Input(784), wf.WrongTypeError, "Input: shape is 784; it is a tuple of sizes, (784,), without the batch, and None where it "
     "is not known [Input.shape]"),
    (lambda: nn.Model(_x(), wf.ones(2)), wf.WrongTypeError,
     "Model: an output is tensor([1., 1.], dtype=float32); outputs are what layers give of an Input [Model.outputs]"),
    (lambda: nn.Model(_x() + 1, _x()), wf.WrongTypeError,
     "Model: an input is <node: float32[None, 2]>; inputs are made by wf.nn.Input [Model.inputs]"),
    (lambda: nn.Model(_x(), _x() + 1), wf.InvalidError,
     "Model: an output depends on <Input 'x': float32[None, 2]>, which is not among the inputs 'x' [Model.inputs]"),
    (lambda: (lambda a, b: nn.Model([a, b], a))(_x(), nn.Input((3,), name="b")), wf.InvalidError,
     "Model: no output depends on the input 'b'; leave it out [Model.inputs]"),
    (lambda: (lambda a, b: nn.Model([a, b], a + b))(_x(), _x()), wf.InvalidError,
     "Model: two inputs are named 'x'; names differ [Model.inputs]"),
    (lambda: (lambda x: nn.Model(x, x + 1)())(_x()), wf.WrongTypeError,
     "Model: was called with 0 values; its inputs are 'x' [Model.call]"),
    (lambda: (lambda x: nn.Model(x, x + 1)(wf.ones(2), y=1))(_x()), wf.WrongTypeError,
     "Model: was called with 1 values and 'y'; its inputs are 'x' [Model.call]"),
    (lambda: bool(_x()), wf.WrongTypeError, "Input: <Input 'x': float32[None, 2]> is not there yet, and is neither true nor false; "
     "decide in a layer of your own [Input.bool]"),
    (lambda: list(_x()), wf.WrongTypeError, "Input: <Input 'x': float32[None, 2]> is not there yet, and cannot be gone through; index "
     "it, or do it in a layer of your own [Input.iterate]"),
    (lambda: np.asarray(_x()), wf.WrongTypeError, "Input: <Input 'x': float32[None, 2]> is not there yet; wf.nn.Lambda(function)(x) "
     "lets a function be part of the graph [Input.function]"),
    (lambda: wf.max(_x()).item(), wf.WrongTypeError, "Input: x.item needs a value, and <node: float32[]> is not there yet; "
     "wf.nn.Lambda(function)(x) lets a function be part of the graph [Input.concrete]"),
    (lambda: float(_x()), wf.WrongTypeError, "Input: float(x) needs a value, and <Input 'x': float32[None, 2]> is not there yet; "
     "wf.nn.Lambda(function)(x) lets a function be part of the graph [Input.concrete]"),
    (lambda: f"{_x():.3f}", wf.WrongTypeError, "Input: format(x, '.3f') needs a value, and <Input 'x': float32[None, 2]> is not there "
     "yet; wf.nn.Lambda(function)(x) lets a function be part of the graph [Input.concrete]"),
    (lambda: _x().size, wf.WrongTypeError, "Input: size of <Input 'x': float32[None, 2]> is not known yet; x.shape has the sizes that "
     "are, and a layer of your own knows all [Input.size]"),
    (lambda: len(_x()), wf.WrongTypeError, "Input: len of <Input 'x': float32[None, 2]> is not known yet; x.shape has the sizes that "
     "are, and a layer of your own knows all [Input.size]"),
    (lambda: operator.setitem(_x(), 0, 1.0), wf.InvalidError, "Input: <Input 'x': float32[None, 2]> never changes; x = "
     "x.at[...].set(value) gives a changed copy [Input.immutable]"),
    (lambda: _x().unstack(), wf.WrongTypeError, "Input: unstack gives (*, *) or (*, *, *) by what <Input 'x': float32[None, 2]> will be; "
     "a model has one form: do this in a layer of your own, with what follows [Input.form]"),
    (lambda: nn.Lambda(lambda x: x.sum().item())(_x()), wf.WrongTypeError, "Input: Lambda gives 0.0 of zeros in the place of <Input 'x': "
     "float32[None, 2]>, which is not there yet; a model would keep it as it is now. Let it give tensors, or do this in a layer of your "
     "own, with what follows [Input.concrete]"),
    (lambda: nn.Lambda(3), wf.WrongTypeError, "Lambda: f must be a function, but got int [Lambda.function]"),
])
def test_messages(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).splitlines()[0] == message


def test_a_layer_that_does_not_fit_says_so_where_it_is_called():
    with pytest.raises(wf.InvalidError) as caught:
        nn.Linear(3, 4)(nn.Input((2,)))
    assert "2" in str(caught.value) and "3" in str(caught.value)


def test_examples_in_docstrings():
    result = doctest.testmod(graph, extraglobs={"wf": wf})
    assert result.attempted >= 10 and result.failed == 0


def test_nothing_is_followed_when_no_graph_is_being_made():
    graph._held = None  # of other tests
    x = nn.Input((2,))
    y = wf.tanh(x)
    assert _core._follow_origins(True)
    del x, y
    gc.collect()
    assert not _core._follow_origins(False)


# Calls that fit some op each: x is the Input, or what is made of it, and y an Input of the same shape.
_ARGUMENTS = [lambda x, y: (), lambda x, y: (y,), lambda x, y: (1,), lambda x, y: (2,), lambda x, y: ((0, 1),), lambda x, y: (0, 1),
              lambda x, y: (0.5,), lambda x, y: (0.1, 2.0), lambda x, y: (y > 0,), lambda x, y: (y > 0, 0.5), lambda x, y: (y, y),
              lambda x, y: (y > 0, x, y), lambda x, y: (wf.float64,), lambda x, y: ("batch _",), lambda x, y: ("cpu",), lambda x, y: ("",),
              lambda x, y: (y[0],), lambda x, y: ((1, 3), 1), lambda x, y: (wf.zeros((), dtype=wf.int64),)]
_INPUTS = [lambda x: x, lambda x: x[:, 0], lambda x: x[None, :, :], lambda x: x.T @ x, lambda x: x.argsort(), lambda x: x > 0]


def _outcome(name, x, y, arguments, change):
    x = change(x)
    found = getattr(x, name)
    return found(*arguments(x, y)) if callable(found) else found


def _told(tree):
    """Tensors as bits, all else as it is."""
    return [wf.fingerprint(leaf) if isinstance(leaf, wf.Tensor) else repr(leaf) for leaf in _tree.flatten(tree)[0]]


# What makes an object of it, knows only the class, or is Python's own.
_OF_CLASSES = {"__class__", "__copy__", "__deepcopy__", "__delattr__", "__dir__", "__doc__", "__getattribute__", "__getstate__", "__hash__",
               "__init__", "__init_subclass__", "__module__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__setattr__",
               "__sizeof__", "__str__", "__subclasshook__", "__array_namespace__", "at", "shape", "__format__"}
_SAME = {"device", "dtype", "itemsize", "ndim"}
_names = sorted(set(dir(wf.Tensor)) - _OF_CLASSES)
_asked, _noted = [], []


@pytest.mark.parametrize("name", _names)
def test_each_method_is_noted_and_replays_or_raises(name):
    wf.seed(0)
    _asked.append(name)
    x, y = wf.randn(5, 4), wf.randn(5, 4)
    for change in _INPUTS:
        for arguments in _ARGUMENTS:
            a, b = nn.Input((4,)), nn.Input((4,))
            try:
                node = _outcome(name, a, b, arguments, change)
            except Exception:
                continue
            if name in _SAME or name in ("size", "nbytes", "__len__"):  # these of what has no size that is unknown
                assert node == _outcome(name, x, y, arguments, change)
                continue
            if isinstance(node, str):
                continue  # "text" % x
            ends = _tree.flatten(node)[0]
            assert all(type(end) is graph.Node for end in ends), (name, node)
            used = 0.0 * (a.sum() + b.sum())  # an output depends on each input
            try:
                wanted = _outcome(name, x, y, arguments, change)
            except Exception:
                continue  # zeros fit, and these do not
            if any(end._call is None for end in ends):
                continue  # itself
            out, _ = nn.Model([a, b], [node, used])(x, y)
            assert _told(out) == _told(wanted), (name, node)
            for end, value in zip(ends, _tree.flatten(out)[0]):
                assert end.dtype is value.dtype and len(end.shape) == len(value.shape), (name, end, value.shape)
                assert all(size in (None, real) for size, real in zip(end.shape, value.shape)), (name, end, value.shape)
            _noted.append(name)


def test_most_methods_are_noted():
    if len(_asked) == len(_names):  # and not some that were chosen
        assert len(set(_noted)) > 250


@pytest.mark.parametrize("read", [
    *(operator.attrgetter(name) for name in ("strides", "grad", "size", "nbytes")),
    *(operator.methodcaller(name) for name in ("item", "numpy", "tolist", "backward", "retain_grad", "requires_grad_")),
    float, int, complex, operator.index, len, bool, list, np.asarray, lambda x: x.register_hook(print), lambda x: 1.0 in x,
    lambda x: np.from_dlpack(x), lambda x: wf.tensor(x), lambda x: wf.Variable(x), lambda x: f"{x:g}", range])
def test_no_value_of_the_probe_is_handed_out(read):
    with pytest.raises((wf.WrongTypeError, AttributeError)):
        read(nn.Input((2,)))


def test_sizes_that_depend_on_values_are_not_known():
    x = nn.Input((3,))
    assert x[x > 0].shape == x.unique_values().shape == wf.arange(x.sum()).shape == (None,)
    assert x.argwhere().shape == (None, 2) and [part.shape for part in x.chunk(2)] == [(None, 3)] * 2


def test_updates_comparisons_and_numpy_are_noted():
    x = nn.Input((3,))
    model = nn.Model(x, [x.at[:, 0].set(7.0).at[0].add(1.0), x == 2.0, divmod(x, 2.0)[1], np.float32(2) * x, np.exp(x), round(x, 1)])
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    changed = data.copy()
    changed[:, 0] = 7.0
    changed[0] += 1.0
    for got, wanted in zip(model(data), [changed, data == 2.0, data % 2.0, 2 * data, np.exp(data), data]):
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)


def test_arrays_are_tensors_for_the_graph():
    x = nn.Input((2,))
    model = nn.Model(x, x.detach() * 2)
    for given in (np.ones((1, 2), np.float32), [[1.0, 1.0]]):
        assert model(given).tolist() == [[2.0, 2.0]]
