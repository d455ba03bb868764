"""Arguments of a type that the extension does not take: the error names the public function and its argument."""

import numpy as np
import pytest

import weft as wf

ROWS = wf.data.Dataset.from_tensor_slices(wf.ones((4, 2)))
SGD = wf.optim.SGD([wf.Variable(1.0)])


@pytest.mark.parametrize("call, text", [
    (lambda: wf.set_num_threads("a"), "set_num_threads: count must be an integer, but got 'a' [set_num_threads.argument]"),
    (lambda: wf.set_num_threads(), "set_num_threads: takes 1 argument, but got 0 [set_num_threads.argument]"),
    (lambda: wf.set_num_threads(1, 2), "set_num_threads: takes 1 argument, but got 2 [set_num_threads.argument]"),
    (lambda: ROWS.take(None), "take: count must be a value, but got None [take.argument]"),
])
def test_the_public_function_and_its_argument_are_named(call, text):
    with pytest.raises(wf.WrongTypeError) as caught:
        call()
    assert str(caught.value) == text


def deep(depth):
    """A list nested that deep, which has no text."""
    out = 1.0
    for _ in range(depth):
        out = [out]
    return out


def cyclic():
    """A dict that holds itself."""
    out = {}
    out["a"] = out
    return out


def compiled():
    """A model that can be trained."""
    model = wf.nn.Linear(3, 2)
    model.compile("sgd", "mse")
    return model


OPTIMIZER = wf.optim.SGD([wf.Variable([1.0, 2.0])], lr=0.1)
LAYER = wf.nn.Linear(3, 2)


@pytest.mark.parametrize("call, text", [
    # Functions.
    (lambda: wf.scan(wf.Variable(1.0), wf.ones(2), wf.ones(3)), "scan: f must be a function, but got Variable(1., dtype=float32)"),
    (lambda: wf.map([1], wf.ones(3)), "map: f must be a function, but got [1] [map.function]"),
    (lambda: wf.fori_loop(0, 3, 5, 1.0), "fori_loop: body must be a function, but got 5 [fori_loop.function]"),
    (lambda: wf.associative_scan(3, wf.ones(3)), "associative_scan: fn must be a function, but got 3 [associative_scan.function]"),
    (lambda: wf.tree.map(3, [1]), "tree.map: f must be a function, but got 3 [tree.map.function]"),
    (lambda: ROWS.apply(5), "apply: f must be a function, but got 5 [apply.function]"),
    (lambda: LAYER.apply(5), "apply: function must be a function, but got 5 [apply.function]"),
    (lambda: wf.cond(True, deep(100000), lambda: 1), "cond: then must be a function, but got a list; only what is called"),
    (lambda: wf.function(deep(100000)), "function: needs a function, but got a list [function.argument]"),
    # Lists.
    (lambda: wf.load("x", names=0), "load: names must be a list, but got 0 [load.argument]"),
    (lambda: wf.switch_case(0, 5), "switch_case: branches must be a list, but got 5 [switch_case.argument]"),
    (lambda: wf.TensorSpec(3), "TensorSpec: shape must be a list, but got 3 [TensorSpec.argument]"),
    (lambda: wf.Graph().placeholder(wf.float32, 3), "placeholder: shape must be a list, but got 3 [placeholder.argument]"),
    (lambda: wf.function(lambda x: x, static_argnums=1.5), "function: static_argnums must be a list, but got 1.5 [function.argument]"),
    (lambda: wf.function(lambda x: x, input_signature=[3]), "function: input_signature has 3; it is a list of types, such as 'f32[n, 3]'"),
    (lambda: wf.nn.ModuleList(3), "ModuleList: modules must be a list, but got 3 [ModuleList.argument]"),
    (lambda: wf.nn.ModuleDict("ab"), "ModuleDict: holds modules by name, but got 'a' for a pair of both [ModuleDict.module]"),
    (lambda: wf.optim.schedules.MultiStep(OPTIMIZER, 3), "MultiStep: milestones must be a list, but got 3 [MultiStep.argument]"),
    (lambda: wf.train.LossScaler().unscale(True), "LossScaler: gradients must be a list, but got True [LossScaler.argument]"),
    (lambda: OPTIMIZER.apply_gradients(5), "apply_gradients: gradients_and_variables must be a list, but got 5 [apply_gradients.argument]"),
    (lambda: OPTIMIZER.apply_gradients([5]), "apply_gradients: a pair (gradient, Variable) must be a list, but got 5 [apply_gradients.argument]"),
    (lambda: ROWS.bucket_by_length(len, 3, [1]), "bucket_by_length: boundaries must be a list, but got 3 [bucket_by_length.argument]"),
    (lambda: wf.Variable(1.0).backward(inputs=0.0), "backward: inputs must be a list, but got 0.0 [backward.argument]"),
    # Dicts, and states.
    (lambda: wf.nn.functional_call(LAYER, [1]), "functional_call: values must be a dict, but got [1] [functional_call.argument]"),
    (lambda: wf.nn.functional_call(0.0, {}), "functional_call: module must be a module, but got 0.0 [functional_call.argument]"),
    (lambda: OPTIMIZER.add_param_group(5), "SGD: group must be a dict, but got 5 [SGD.argument]"),
    (lambda: OPTIMIZER.load_state_dict(5), "SGD: state must be a dict, but got 5 [SGD.argument]"),
    (lambda: wf.callbacks.CSVLogger("x.csv").load_state_dict(5), "CSVLogger: state must be a dict, but got 5 [CSVLogger.argument]"),
    (lambda: wf.callbacks.EarlyStopping("loss").on_epoch_end(0, 5), "EarlyStopping: logs must be a dict, but got 5 [EarlyStopping.argument]"),
    (lambda: wf.train.draw_curves("x.png", [1], [2]), "draw_curves: values must be a dict, but got [2] [draw_curves.argument]"),
    (lambda: wf.data.parse_example(b"", 4), "parse_example: features must be a dict, but got 4 [parse_example.argument]"),
    # Paths.
    (lambda: wf.data.read_idx(5), "read_idx: the path must be a string or a path, but got 5 [read_idx.path]"),
    (lambda: wf.data.npy([5]), "npy: the path must be a string or a path, but got 5 [npy.path]"),
    (lambda: wf.data.image_folder([5]), "image_folder: the path must be a string or a path, but got [5] [image_folder.path]"),
    (lambda: wf.draw(wf.Variable(1.0) * 2, path=5), "draw: the path must be a string or a path, but got 5 [draw.path]"),
    # Numbers.
    (lambda: LAYER.draw(input=(1, 3), depth="a"), "draw: depth must be an integer, but got 'a' [draw.argument]"),
    (lambda: wf.ones((2, 2)).pad({1: 2}), "pad: without after, before must be a number, a pair, or a (before, after) pair for each axis, but"),
    (lambda: wf.nn.Dropout("a"), "Dropout: p must be a number, but got 'a' [Dropout.argument]"),
    (lambda: wf.nn.BatchNorm2d([3]), "BatchNorm2d: the size of the input must be an integer, but got [3] [BatchNorm2d.argument]"),
    (lambda: wf.nn.Conv2d(3, "a", 3), "Conv2d: out_channels must be an integer, but got 'a' [Conv2d.argument]"),
    (lambda: wf.nn.RNN(3, 8, num_layers=()), "RNN: num_layers must be an integer, but got () [RNN.argument]"),
    (lambda: wf.nn.Unflatten([0], (2,)), "Unflatten: axis must be an integer, but got [0] [Unflatten.argument]"),
    (lambda: ROWS.window(2, shift="a"), "window: shift must be an integer, but got 'a' [window.argument]"),
    (lambda: wf.optim.LBFGS([wf.Variable(1.0)], history_size=b"a"), "LBFGS: history_size must be an integer, but got b'a' [LBFGS.argument]"),
    (lambda: wf.callbacks.EarlyStopping(min_delta=()), "EarlyStopping: min_delta must be a number, but got () [EarlyStopping.argument]"),
    # Objects.
    (lambda: wf.optim.schedules.Plateau("adam"), "Plateau: the first argument is an optimizer, but got str [Plateau.optimizer]"),
    (lambda: wf.train.LossScaler().step("adam"), "LossScaler: optimizer is 'adam'; it is one of wf.optim [LossScaler.optimizer]"),
    (lambda: wf.Saver(graph=3), "Saver: graph must be a wf.Graph, but got 3 [Saver.graph]"),
    (lambda: wf.nn.TransformerEncoder(LAYER, 2), "TransformerEncoder: layer must be a wf.nn.TransformerEncoderLayer, or a module that has"),
    (lambda: wf.nn.BatchNorm1d(3)([1.0]), "BatchNorm1d: x must be a tensor, but got a list [BatchNorm1d.argument]"),
    (lambda: wf.nn.GRU(3, 2)(0.5), "GRU: x must be a tensor, but got 0.5 [GRU.argument]"),
    (lambda: wf.nn.LSTM(3, 2)(wf.ones((4, 1, 3)), wf.ones(2)), "LSTM: state must be a pair, of hidden state and cell, but got"),
    (lambda: wf.nn.InstanceNorm1d(3).forward([1.0]), "InstanceNorm1d: x must be a tensor, but got a list [InstanceNorm1d.argument]"),
    (lambda: wf.asarray([1.0], copy=np.zeros(2)), "asarray: copy must be True or False, but got array([0., 0.]) [asarray.argument]"),
    (lambda: wf.GradientTape(persistent=np.zeros(2)), "GradientTape: persistent must be True or False, but got array([0., 0.]) [GradientTape"),
    (lambda: ROWS.batch(2, drop_remainder=np.zeros(2)), "batch: drop_remainder must be True or False, but got array([0., 0.]) [batch.argument]"),
    (lambda: SGD.zero_grad(set_to_none=np.zeros(2)), "zero_grad: set_to_none must be True or False, but got array([0., 0.]) [zero_grad."),
    (lambda: wf.optim.Adam([wf.Variable(1.0)], amsgrad=np.zeros(2)), "Adam: amsgrad must be True or False, but got numpy.ndarray [Adam.argument]"),
    (lambda: wf.optim.schedules.Plateau(SGD, min_lr=[1, 2]), "Plateau: min_lr must be a number, but got a list [Plateau.argument]"),
    (lambda: wf.optim.schedules.Plateau(SGD, min_lr=wf.ones(2)), "Plateau: min_lr must be a number, but got a Tensor [Plateau.argument]"),
    (lambda: wf.callbacks.ModelCheckpoint("folder", monitor=0), "ModelCheckpoint: monitor must be a string, but got 0 [ModelCheckpoint.argument]"),
    (lambda: wf.Graph().placeholder(0, [[1]]), "placeholder: a size must be an integer, but got [1] [placeholder.argument]"),
    (lambda: wf.optim.SGD(wf.Variable), "SGD: parameters must be a list, but got <class 'weft.Variable'> [SGD.argument]"),
    (lambda: wf.train.draw_images("x.png", [[1, 2], [3]]), "draw_images: values must be a tensor, but got [[1, 2], [3]] [draw_images.argument]"),
    (lambda: wf.nn.LSTM(3, 2)(x="a"), "LSTM: x must be a tensor, but got 'a' [LSTM.argument]"),
    (lambda: wf.nn.Flatten()(x=[[1]]), "Flatten: x must be a tensor, but got a list [Flatten.argument]"),
    (lambda: wf.nn.Dropout(0.5, inplace=True), "Dropout: has no argument 'inplace'; tensors never change: use what the op gives [Dropout.keyword]"),
    (lambda: wf.nn.Conv2d(3, 4, 3, foo=1), "Conv2d: has no argument 'foo'; its arguments are in_channels, out_channels, kernel_size"),
    (lambda: wf.nn.LayerNorm(3, foo=1), "LayerNorm: has no argument 'foo'; its arguments are normalized_shape, eps,"),
    (lambda: wf.optim.SGD(lr=0.1), "SGD: argument 'parameters' is missing [SGD.count]"),
    (lambda: wf.optim.EMA([wf.Variable(1.0)], foo=1), "EMA: has no argument 'foo'; its arguments are parameters, decay [EMA.keyword]"),
    (lambda: wf.jit(lambda x: x, donate_argnums=0), "function: has no argument 'donate_argnums'; "),
    (lambda: LAYER(), "Linear: argument 'x' is missing [Linear.count]"),
    (lambda: LAYER(wf.ones(3), 1), "Linear: takes 1 argument by position at most (x), but got 2 [Linear.count]"),
    (lambda: wf.function(lambda x, n: x, static_argnames="n")(1, wf.tensor(3)), "function: a static argument is tensor(3, dtype=int64), but tensors"),
    (lambda: wf.nn.Sequential(LAYER, wf.nn.ReLU), "Sequential: holds modules, but got the class ReLU; write ReLU() [Sequential.module]"),
    (lambda: wf.nn.LSTM(3, 2)(None), "LSTM: x must be a tensor, but got None [LSTM.argument]"),
    (lambda: wf.nn.Embedding(float("nan"), 2), "Embedding: the size of the input must be an integer, but got nan [Embedding.argument]"),
    (lambda: wf.metrics.Perplexity(name=np.zeros(2)), "Perplexity: name must be a string, but got array([0., 0.]) [Perplexity.argument]"),
    (lambda: wf.optim.EMA(wf.Variable), "EMA: parameters must be a list, but got <class 'weft.Variable'> [EMA.argument]"),
    (lambda: wf.nn.InstanceNorm1d(3, affine=np.zeros(2)), "InstanceNorm1d: affine must be True or False, but got array([0., 0.]) ["),
    (lambda: wf.nn.Linear(3, 2, bias=np.zeros(2)), "Linear: bias must be True or False, but got array([0., 0.]) [Linear.argument]"),
    (lambda: wf.nn.GRU(3, 2, batch_first=np.zeros(2)), "GRU: batch_first must be True or False, but got array([0., 0.]) [GRU.argument]"),
    (lambda: wf.metrics.TopKAccuracy(name=np.zeros(2)), "TopKAccuracy: name must be a string, but got array([0., 0.]) [TopKAccuracy."),
    (lambda: wf.Graph.parse("", variables="x"), "Graph.parse: variables must be a dict, but got 'x' [Graph.parse.argument]"),
    (lambda: wf.nn.RNNCell(3, 2, bias=np.zeros(2)), "RNNCell: bias must be True or False, but got array([0., 0.]) [RNNCell.argument]"),
    (lambda: ROWS.cache(path=wf.ones(2)), "cache: the path must be a string or a path, but got tensor([1., 1.], dtype=float32) [cache.path]"),
    (lambda: ROWS.shuffle(np.zeros(2)), "shuffle: buffer_size must be an integer, but got array([0., 0.]) [shuffle.argument]"),
    (lambda: wf.Tensor(1), "Tensor: is no function; wf.tensor(data) makes a tensor [Tensor.call]"),
    (lambda: wf.einsum(deep(100000), 1), "einsum: equation must be a string, but got a list [einsum.argument]"),
    (lambda: wf.nn.Unflatten(1, (2, 2))({}), "Unflatten: x must be a tensor, but got a dict [Unflatten.argument]"),
    (lambda: wf.name_scope(deep(100000)), "name_scope: needs a name, but got a list [name_scope.name]"),
])
def test_python_code_names_the_function_and_what_it_takes(call, text):
    with pytest.raises(wf.WrongTypeError) as caught:
        call()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("call, text", [
    (lambda: wf.train.LossScaler().load_state_dict({}), "LossScaler: the state has no 'scale'; it is what state_dict() gave, with scale, good_steps"),
    (lambda: wf.callbacks.ReduceLROnPlateau("loss").load_state_dict({"a": 1}), "ReduceLROnPlateau: the state has no 'best'; it is what"),
    (lambda: wf.metrics.ConfusionMatrix(3).load_state_dict({}), "confusion_matrix: the state has no 'counts'; it is what state_dict() gave"),
    (lambda: wf.metrics.AUC().total("x"), "auc: has no total 'x'; it has none [Metric.total]"),
    (lambda: wf.nn.MultiheadAttention(8, 0), "MultiheadAttention: 8 features do not divide into 0 heads [MultiheadAttention.heads]"),
    (lambda: wf.nn.Conv1d(4, 4, 3, groups=0), "Conv1d: groups is 0; it is 1 or more [Conv1d.groups]"),
    (lambda: wf.nn.Conv3d(None, 8, 2)(wf.ones((2, 3))), "Conv3d: x has 2 axes, which are too few [Conv3d.rank]"),
    (lambda: wf.hessian(lambda x: wf.ones(()))([]), "hessian: the arguments hold no tensors to differentiate by; give at least one"),
    (lambda: LAYER.compile("adam", "mse", metrics=cyclic()), "compile: metrics are nested more than 100 deep; give them by outputs' names"),
    (lambda: compiled().train_on_batch([[1, 2], [3]], wf.ones((4, 2))), "fit: x holds no tensor that has an example in each row; give a"),
    (lambda: wf.nn.Linear(3, 2, weight_init=[1]), "Linear: there is no initializer [1]; it is a function of key, shape and dtype, or one of"),
    (lambda: wf.metrics.R2().update(0, 0), "R2: the outputs are one number; there is one for each example of a batch [R2.rank]"),
    (lambda: wf.nn.Flatten()(wf.ones(())), "Flatten: x has 0 axes, which are too few [Flatten.rank]"),
    (lambda: wf.callbacks.LearningRateScheduler(lambda epoch: 0.1).on_epoch_begin(0), "LearningRateScheduler: no training is under way"),
])
def test_python_code_names_what_does_not_fit(call, text):
    with pytest.raises(wf.InvalidError) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_arrays_are_no_choices():
    with pytest.raises(wf.InvalidError, match="to_device: device is array"):
        wf.ones(2).to_device(np.zeros(2))
    with wf.Graph(), pytest.raises(wf.InvalidError, match=r"gradients: unconnected is array\(\[0., 0.\]\); it is 'raise' or 'zero'"):
        x = wf.placeholder("float32", ())
        wf.gradients(x * x, x, unconnected=np.zeros(2))


def test_bounds_of_a_loop_fit_in_64_bits():
    with pytest.raises(wf.TooLargeError, match=r"fori_loop: upper is 9223372036854775808, which does not fit in 64 bits"):
        wf.fori_loop(0, 2 ** 63, lambda i, x: x, 1.0)


def test_a_view_may_have_more_elements_than_numpy_counts():
    with pytest.raises(wf.TooLargeError, match=r"size: NumPy does not count the bytes of shape \[4611686018427387904\] in 64 bits"):
        wf.broadcast_to(wf.ones(1), (2**62,)).numpy()


def test_a_metric_that_defines_nothing_says_what_to_define():
    with pytest.raises(wf.MissingRuleError, match=r"Metric: has no update; define update\(self, output, target\) in the class"):
        wf.metrics.Metric().update(1, 2)


def test_a_module_of_ones_own_takes_what_it_likes():
    class Net(wf.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = wf.nn.LSTM(3, 4)

        def forward(self, batch):
            return self.lstm(batch["x"])

    with pytest.raises(wf.WrongTypeError, match="LSTM: x must be a tensor, but got 'a'"):
        Net()({"x": "a"})


def test_errors_inside_of_a_forward_of_ones_own_stay_as_they_are():
    class Net(wf.nn.Module):
        def forward(self, x):
            return x.nonsense

    with pytest.raises(AttributeError, match="'list' object has no attribute 'nonsense'"):
        Net()([1])


def test_names_of_attributes_are_refused_as_python_does():
    with pytest.raises(TypeError, match="attribute name must be string, not 'list'"):
        setattr(LAYER, [1], 2)
    with pytest.raises(TypeError, match="attribute name must be string, not 'list'"):
        wf.function(lambda: setattr(LAYER, [1], 2))()


def test_an_iterator_that_fails_keeps_its_error():
    def broken():
        yield LAYER
        raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$"):
        wf.nn.ModuleList(broken())
