"""What people of other libraries write by habit: the answer says what to write here."""

import functools
import importlib.util
import pickle
import subprocess
import sys

import numpy as np
import pytest

import weft as wf

X = wf.ones((2, 2))


def message(call, *args, **keywords):
    with pytest.raises(Exception) as caught:
        call(*args, **keywords)
    return str(caught.value)


@pytest.mark.parametrize("where, name, hint", [
    (wf, "array", "use wf.tensor(data)"), (wf, "dot", "a @ b"), (wf, "Parameter", "use wf.Variable(value)"),
    (wf, "PRNGKey", "wf.random.Key(seed)"), (wf.nn, "Parameter", "use wf.Variable(value)"),
    (wf.random, "PRNGKey", "use wf.random.Key(seed)"), (X, "t", "use x.T"),
    (wf, "convert_to_tensor", "use wf.asarray(data)"),
    (wf, "custom_vjp", "use wf.custom_gradient(f)"), (wf, "autograd", "it is in wf itself"),
    (wf, "savez", "use wf.save(path, {name: x}) with a path that ends in .npz"),
    (wf, "relux", "did you mean 'relu'?"), (wf, "math", "the functions are in wf itself"), (wf, "config", "wf.set_num_threads(count)"),
    (wf, "distribute", "one process trains"), (wf, "backends", "the only device is the CPU"), (wf.nn, "DataParallel", "one process trains"),
    (wf, "enable_eager_execution", "ops run as they are called"), (wf, "assert_equal", "assert wf.all(a == b)"),
    (wf, "Print", "use Python's print(x)"), (wf, "FloatTensor", "use wf.tensor(data, dtype=wf.float32)"),
    (wf, "LongTensor", "use wf.tensor(data, dtype=wf.int64)"), (wf, "hub", "model.load_state_dict(wf.load(path))"),
    (wf, "add_n", "use Python's sum(xs), or a + b + c"), (wf, "jnp", "NumPy's functions are in wf itself"),
    (wf, "compile", "'compile'; use wf.function(f); how a model is trained is set by model.compile(optimizer, loss)"),
    (X, "block_until_ready", "an op returns when its result is there"), (wf.tree, "reduce", "functools.reduce(f, wf.tree.leaves(tree))"),
    (X, "add_", "tensors never change: write x = wf.add(x, ...)"), (X, "foo_", "tensors never change"),
    (X, "requires_grad", "only a Variable has it"), (X, "data", "a tensor is its value itself"),
])
def test_names(where, name, hint):
    text = message(getattr, where, name)
    assert f"'{name}'; " in text and hint in text and "does not have it yet" not in text and "did you mean" not in text.replace(hint, "")
    assert not hasattr(where, name) and not hasattr(where, "no_such_name")


@pytest.mark.parametrize("where, name, hint", [
    (wf, "jit", "ops run as they are called"),
    (wf, "moveaxis", "use wf.permute_dims"), (X, "moveaxis", "use wf.permute_dims"), (X, "flatten", "use x.reshape(-1)"),
    (X, "ravel", "use x.reshape(-1)"), (wf.nn, "cross_entropy", "use -(wf"), (wf.nn, "softplus", "use wf.logaddexp(x, 0.0)"),
    (wf, "outer", "use a[:, None] * b"), (wf, "tile", "use wf.concat"), (wf, "tril", "use wf.where"),
    (wf, "sort", "numpy.sort(x.numpy())"), (wf, "allclose", "use numpy.allclose(a.numpy(), b.numpy())"), (wf, "pmax", "of what vmap gives"),
])
def test_names_that_may_come(where, name, hint):
    if hasattr(where, name):
        pytest.skip("it has come")
    text = message(getattr, where, name)
    assert f"'{name}'; " in text
    if "weft does not have it yet" in text:  # else another module has it now, and the text says which
        assert hint in text
    else:
        assert "it is wf." in text or "weft calls this" in text


@pytest.mark.parametrize("where, name, text", [
    (wf, "relux", "module 'weft' has no attribute 'relux'; did you mean 'relu'?"),
    (wf, "Relu", "module 'weft' has no attribute 'Relu'; did you mean 'relu'?"),
    (wf, "value_and_grads", "module 'weft' has no attribute 'value_and_grads'; did you mean 'value_and_grad'?"),
    (wf.optim, "Adma", "module 'weft.optim' has no attribute 'Adma'; did you mean 'Adam'?"),
    (X, "reshpae", "a tensor has no 'reshpae'; did you mean 'reshape'?"),
    (wf.Variable(1.0), "asign", "a tensor has no 'asign'; did you mean 'asin' or 'assign' or 'sign'?"),
    (wf.GradientTape(), "gradients", "a GradientTape has no 'gradients'; did you mean 'gradient'?"),
    (wf.GradientTape(), "watched_variables",
     "a GradientTape has no 'watched_variables'; a tape follows every trainable Variable that is read while it records"),
])
def test_slips_of_the_pen(where, name, text):
    assert message(getattr, where, name) == text


def test_what_is_advised_works():
    x, labels = wf.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]]), wf.tensor([1, 2])
    advised = -(wf.nn.one_hot(labels, 3) * wf.log_softmax(x)).sum(-1).mean()
    assert abs(advised.item() + np.log(np.exp(x.numpy()) / np.exp(x.numpy()).sum(1, keepdims=True))[[0, 1], [1, 2]].mean()) < 1e-6
    assert np.allclose(wf.logaddexp(x, 0.0).numpy(), np.log1p(np.exp(x.numpy())))
    rows, columns = wf.arange(2), wf.arange(3)
    assert wf.where(rows[:, None] >= columns, x, 0).tolist() == np.tril(x.numpy()).tolist()
    assert wf.asarray(np.sort(x.numpy())).tolist() == np.sort(x.numpy()).tolist()
    assert wf.concat([x] * 2).tolist() == np.tile(x.numpy(), (2, 1)).tolist()
    assert wf.concat((x[-1:], x[:-1])).tolist() == np.roll(x.numpy(), 1, 0).tolist()
    tree = pickle.loads(pickle.dumps({"x": x, "v": wf.Variable(x, name="v")}))
    assert tree["x"].tolist() == tree["v"].tolist() == x.tolist() and tree["v"].name == "v"


def test_help_knows_slips_too():
    assert message(wf.help, "relux") == "help: there is no op or law named 'relux'; did you mean 'relu' or 'relu6'? [help.topic]"


@pytest.mark.parametrize("where, name, hint", [
    (wf, "SGD", "it is wf.optim.SGD"), (wf, "layer_norm", "it is wf.nn.layer_norm"), (wf.nn, "sum", "it is wf.sum"),
    (wf.nn, "grad", "it is wf.grad"), (wf, "backward", "it is x.backward of a Tensor"), (X, "eye", "it is wf.eye"),
    (wf, "assign_add", "it is v.assign_add of a Variable"), (wf.optim, "normal", "it is wf.random.normal"),
    (X, "vmap", "it is wf.vmap"), (X, "float64", "use x.astype(wf.float64)"), (X, "bool", "use x.astype(wf.bool)"),
    (X, "assign", "it is v.assign of a Variable"),
])
def test_names_that_are_elsewhere(where, name, hint):
    assert message(getattr, where, name).endswith("; " + hint)


@pytest.mark.parametrize("call, text", [
    (lambda: wf.ones(3, requires_grad=True),
     "ones: has no argument 'requires_grad'; gradients are taken of Variables: wf.Variable(x) [ones.keyword]"),
    (lambda: wf.add(X, X, out=X), "add: has no argument 'out'; tensors never change: use what the op gives [add.keyword]"),
    (lambda: wf.linspace(0, 1, steps=3), "linspace: has no argument 'steps'; weft calls this num [linspace.keyword]"),
    (lambda: wf.arange(0, 1, steps=3), "arange: has no argument 'steps'; weft calls this step [arange.keyword]"),
    (lambda: wf.random.randint(wf.random.Key(0), minval=0, maxval=3, shape=()),
     "randint: has no argument 'minval'; weft calls this low [randint.keyword]"),
    (lambda: wf.vmap(wf.sin, in_dims=0), "vmap: has no argument 'in_dims'; weft calls this in_axes [vmap.keyword]"),
    (lambda: wf.optim.SGD([wf.Variable(1.0)], learning_rate=0.1),
     "SGD: has no argument 'learning_rate'; weft calls this lr [SGD.keyword]"),
    (lambda: wf.optim.Adam([wf.Variable(1.0)], beta_1=0.1), "Adam: has no argument 'beta_1'; weft calls this betas [Adam.keyword]"),
    (lambda: wf.Variable(1.0, requires_grad=True),
     "Variable: has no argument 'requires_grad'; weft calls this trainable [Variable.keyword]"),
    (lambda: wf.random.normal((3, 4)),
     "normal: argument 'shape' is missing: the shape; draws start with a key, as in wf.random.normal(wf.random.Key(0), ...), "
     "or wf.randn(2, 3) [normal.count]"),
    (lambda: wf.random.uniform(shape=(3, 4)),
     "uniform: argument 'key' is missing; draws start with a key, as in wf.random.uniform(wf.random.Key(0), ...), or "
     "wf.rand(2, 3) [uniform.count]"),
    (lambda: wf.split(wf.ones(4), 2),
     "split: sizes [2] sum to 2, but axis 0 of shape [4] has size 4; they must be equal: sizes are those of all parts, as in "
     "(2, 2) [split.total]"),
])
def test_arguments(call, text):
    assert message(call) == text


def test_requires_grad_makes_a_variable():
    v = wf.tensor([1.0, 2.0], requires_grad=True)
    assert type(v) is wf.Variable and type(wf.tensor([1.0])) is wf.Tensor
    assert v.requires_grad_() is v and v.requires_grad and not v.requires_grad_(False).trainable


@pytest.mark.parametrize("call, text", [
    (lambda: wf.grad(wf.ones(())),
     "grad: f must be a function, but got a tensor; wf.grad(f) transforms a function, and for a loss that is computed already "
     "there is loss.backward() [grad.function]"),
    (lambda: wf.grad(wf.sum, X),
     "grad: argnums must be an integer or a tuple of integers, but got tensor([[1., 1.],\n        [1., 1.]], dtype=float32); "
     "the arguments come after: wf.grad(f)(x) [grad.argnums]"),
    (lambda: wf.grad(wf.sum, argnames="x"),
     "grad: has no argument 'argnames'; arguments are chosen by their places, argnums=(0, 1), and given by position "
     "[grad.keyword]"),
    (lambda: wf.value_and_grad(wf.sum, allow_unused=True),
     "grad: has no argument 'allow_unused'; weft calls this unconnected [grad.keyword]"),
    (lambda: wf.jacrev(wf.sin, holomorphic=True),
     "jacrev: has no argument 'holomorphic'; complex functions are differentiated without a word for it [jacrev.keyword]"),
    (lambda: wf.vjp(wf.sin, X, argnums=0),
     "vjp: has no argument 'argnums'; every primal is differentiated; bind what is constant, functools.partial(f, n=3) "
     "[vjp.keyword]"),
    (lambda: wf.hessian(wf.sin)(wf.ones(2)),
     "hessian: the value has shape [2], and only a scalar has a gradient by itself; sum it, give the gradient to start with, or "
     "use jacrev or vjp [hessian.scalar]"),
    (lambda: wf.hvp(wf.sin, (wf.ones(2),), (wf.ones(2),)),
     "hvp: the value has shape [2], and only a scalar has a gradient by itself; sum it, give the gradient to start with, or "
     "use jacrev or vjp [hvp.scalar]"),
    (lambda: wf.grad(len)("abc"), "grad: argument 0 is 'abc', which holds no tensor to differentiate with respect to; argnums "
     "chooses others [grad.argnums]"),
    (lambda: wf.no_grad.__class__.__enter__(wf.no_grad), "no_grad: is called to begin: with wf.no_grad(): [no_grad.with]"),
    (lambda: wf.checkpoint(wf.sin, X),
     "checkpoint: takes the function alone and gives one to call: wf.checkpoint(f)(x) [checkpoint.count]"),
    (lambda: wf.checkpoint(wf.sin, use_reentrant=False),
     "checkpoint: has no argument 'use_reentrant'; there is one kind of checkpoint [checkpoint.keyword]"),
    (lambda: wf.psum(X, "rows"), 'psum: no vmap with axis_name "rows" is open here; give vmap that name [psum.axis_name]'),
    (lambda: wf.pmean(X, "rows"), 'pmean: no vmap with axis_name "rows" is open here; give vmap that name [pmean.axis_name]'),
    (lambda: wf.vmap(lambda x, n: x * n)(X, n=3),
     "vmap: argument 'n', given by keyword, holds 3, which has no axis to batch: keywords are batched along axis 0; bind what "
     "is the same for all examples, functools.partial(f, n=...), or give it by position with in_axes None [vmap.keyword]"),
    (lambda: wf.vmap(3), "vmap: f must be a function, but got int [vmap.function]"),
    (lambda: wf.grad(wf.sin, "a"), "grad: argnums must be an integer or a tuple of integers, but got 'a' [grad.argnums]"),
    (lambda: wf.grad(wf.sin, has_aux=True)(1.0),
     "grad: with has_aux=True the function must give a pair, the value and the rest, but it gives Tensor [grad.aux]"),
    (lambda: wf.jvp(wf.sin, X, X),
     "jvp: primals must be a tuple, one for each argument of the function, but got Tensor; write (primal,) for one argument "
     "[jvp.primals]"),
    (lambda: wf.hvp(wf.sum, X, X),
     "hvp: primals must be a tuple, one for each argument of the function, but got Tensor; write (primal,) for one argument "
     "[hvp.primals]"),
    (lambda: wf.vjp(wf.sin, wf.ones(3))[1](wf.ones(4)),
     "vjp: the cotangent has shape [4], but the value it goes with has shape [3]; they must be equal [vjp.cotangent]"),
    (lambda: wf.linearize(wf.sin, wf.ones(3))[1](wf.ones(1)),
     "linearize: tangents[0] has shape [1], but the value it goes with has shape [3]; they must be equal [linearize.tangent]"),
    (lambda: wf.vmap(wf.sin, in_axes="a")(X), "vmap: in_axes must be an integer, but got 'a' [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, out_axes=0.5)(X), "vmap: out_axes must be an integer, but got 0.5 [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, axis_size="a")(X), "vmap: axis_size must be an integer, but got 'a' [vmap.argument]"),
    (lambda: wf.vmap(wf.sin, axis_name=3)(X), "vmap: axis_name must be a string, but got 3 [vmap.argument]"),
    (lambda: wf.GradientTape().watch(X),
     "GradientTape: watch before the tape has begun; record with `with wf.GradientTape() as tape:` [GradientTape.with]"),
    (lambda: wf.GradientTape().gradient(X, X),
     "GradientTape: gradient before the tape has begun; record with `with wf.GradientTape() as tape:` [GradientTape.with]"),
])
def test_transformations(call, text):
    assert message(call) == text


def test_a_tape_does_not_nest_in_itself():
    with wf.GradientTape() as tape:
        assert "records already" in message(tape.__enter__)


def test_a_second_backward_says_how():
    v = wf.Variable(1.0)
    y = v * v
    y.backward()
    assert "ask that one to retain the graph (its option retain_graph) to run a second" in message(y.backward)


def test_contexts_need_their_call():
    for context in (wf.no_grad, wf.GradientTape):
        with pytest.raises(TypeError, match=rf"is called to begin: with wf.{context.__name__}\(\):"):
            with context:
                pass


def test_keywords_of_functions_with_rules_of_their_own():
    class Twice(wf.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    twice = wf.custom_jvp(lambda x: x * 2)
    twice.defjvp(lambda primals, tangents: tangents[0] * 2)
    assert "argument 'x' is given by keyword, but apply takes arguments by position" in message(Twice.apply, x=1.0)
    assert "argument 'x' is given by keyword" in message(twice, x=1.0)


def test_the_size_is_no_method():
    assert X.size == 4 and isinstance(X.size, int) and f"{X.size}" == repr(X.size) == "4"
    assert pickle.loads(pickle.dumps(X.size)) == 4 and {4: "four"}[X.size] == "four" and np.ones(X.size).shape == (4,)
    assert message(lambda: X.size()) == ("size: is the number of elements and is not called: x.size; the extents are x.shape, "
                                         "and x.shape[axis] is one of them [size.property]")
    with pytest.raises(TypeError):
        X.size(0)


def test_rounding():
    x = wf.tensor([1.26, -2.5, 123.0])
    assert round(x).tolist() == [1, -2, 123] and round(x, 1).numpy().tolist() == np.float32([1.3, -2.5, 123]).tolist()
    assert round(x, -1).tolist() == [0, 0, 120] and round(wf.tensor([123]), -1).tolist() == [120]
    assert round(wf.tensor([123])).dtype == wf.int64 and round(wf.tensor(2.5)).item() == 2
    assert "digits must be an integer" in message(round, x, "a")


@pytest.mark.parametrize("call, text", [
    (lambda v: wf.optim.SGD([v, v]),
     "optim: parameters[0] and parameters[1] are one Variable ('w'), which would be updated twice a step; give each once [optim.twice]"),
    (lambda v: wf.optim.SGD([wf.Variable(1, name="n")]),
     "optim: parameters[0] ('n') has dtype int64, which has no derivatives; make it of a floating dtype [optim.dtype]"),
    (lambda v: wf.optim.SGD([v]).step(1.0),
     "step: takes no arguments: it uses the gradients that backward() has left in the parameters; for others there is "
     "apply_gradients([(gradient, v), ...]) [step.count]"),
    (lambda v: wf.optim.SGD([v], lr="a"), "SGD: lr must be a number, but got 'a' [SGD.argument]"),
    (lambda v: wf.optim.SGD([v], momentum=None), "SGD: momentum must be a number, but got None [SGD.argument]"),
    (lambda v: wf.optim.SGD(v), "SGD: parameters must be a list of Variables, but got Variable; write [v] for one Variable "
     "[SGD.parameters]"),
    (lambda v: wf.optim.Adam(5), "Adam: parameters must be a list of Variables, but got int; write [v] for one Variable "
     "[Adam.parameters]"),
    (lambda v: wf.optim.Adam([v], betas=0.9), "Adam: betas must be a pair of numbers, but got 0.9 [Adam.betas]"),
    (lambda v: wf.optim.Adam([v], betas=("a", 0.9)), "Adam: betas must be a number, but got 'a' [Adam.argument]"),
    (lambda v: wf.optim.SGD([v], momentum=-1), "SGD: momentum is -1.0; it is 0 or more [SGD.momentum]"),
    (lambda v: wf.optim.Adam([v], eps=float("nan")), "Adam: eps is nan; it is 0 or more [Adam.eps]"),
    (lambda v: setattr(wf.optim.SGD([v]), "lr", "x"), "SGD: lr must be a number, but got 'x' [SGD.argument]"),
    (lambda v: setattr(wf.optim.Adam([v]), "lr", -1), "Adam: lr is -1.0; it is 0 or more [Adam.lr]"),
])
def test_optimizers(call, text):
    assert message(call, wf.Variable(1.0, name="w")) == text


def test_optimizers_take_generators_and_trees():
    v, w = wf.Variable(1.0), wf.Variable(2.0)
    assert len(wf.optim.SGD(x for x in (v, w)).parameters) == 2
    assert len(wf.optim.Adam({"a": v, "b": [w]}).parameters) == 2


def test_in_place_operators_of_variables():
    v = place = wf.Variable([4.0, 9.0])
    v += 1.0
    v *= 2
    v -= [2.0, 2.0]
    v /= 4.0
    v **= 2
    assert v is place and v.tolist() == [4.0, 20.25] and type(v) is wf.Variable
    n = place = wf.Variable([5, 7])
    n //= 2
    n <<= 1
    n |= 1
    assert n is place and n.tolist() == [5, 7]
    assert "a Variable keeps its dtype" in message(n.assign_add, 1.5)
    assert "which is no integer" in message(n.assign, [1.5, 2.0])
    v.assign([1, 2])
    assert v.tolist() == [1.0, 2.0]
    assert "a Variable keeps its dtype" in message(n.__itruediv__, 2)
    assert n.tolist() == [5, 7]


def test_dtypes_are_equal_to_their_names():
    assert wf.float32 == "float32" and "float32" == wf.float32 and wf.float32 != "float64" and wf.float32 != "f32"
    assert hash(wf.float32) == hash("float32") and {wf.float32: 1}["float32"] == 1
    assert wf.float32 == wf.float32 and wf.float32 != wf.float64 and wf.float32 != 3 and wf.float32 is not None
    assert np.dtype(wf.float32) == np.float32 and np.zeros(2, dtype=wf.int16).dtype == np.int16
    assert np.dtype("float32") == wf.float32 and wf.float32 == np.dtype("float32")


def test_numpy_divides():
    assert np.true_divide(X, 4).tolist() == [[0.25, 0.25], [0.25, 0.25]] and np.divide(X, X).tolist() == X.tolist()


def test_an_extension_of_other_sources_is_named():
    code = ("import importlib.util, sys\n"
            "sys.path.insert(0, sys.argv[1])\n"
            "import weft._core as core\n"  # the package imports, so take a name away and start again
            "for name in [m for m in sys.modules if m.startswith('weft') and m != 'weft._core']: del sys.modules[name]\n"
            "del core._Traced\n"
            "try:\n    import weft\nexcept ImportError as error:\n    print(error)\n")
    out = subprocess.run([sys.executable, "-c", code, wf.__path__[0] + "/.."], capture_output=True, text=True)
    assert "has no '_Traced': it was built from other sources" in out.stdout, out.stderr


@pytest.mark.parametrize("call, text", [
    (lambda o: wf.optim.schedules.OneCycle(o, max_lr=0.1, total_steps=10), "OneCycle: has no argument 'max_lr'; the highest rate is the "
     "optimizer's own: wf.optim.SGD(parameters, lr=max_lr) [OneCycle.keyword]"),
    (lambda o: wf.optim.schedules.Step(o, step_size=3), "Step: has no argument 'step_size'; weft calls this size [Step.keyword]"),
    (lambda o: wf.optim.schedules.Cosine(o, T_max=3), "Cosine: has no argument 'T_max'; weft calls this moves [Cosine.keyword]"),
    (lambda o: wf.optim.schedules.Cosine(o), "Cosine: argument 'moves' is missing [Cosine.count]"),
])
def test_words_of_schedules(call, text):
    with pytest.raises(wf.WrongTypeError) as error:
        call(wf.optim.SGD([wf.Variable(1.0)], lr=0.1))
    assert str(error.value).partition("\n")[0] == text


LINEAR = wf.nn.Linear(2, 2)


@pytest.mark.parametrize("where, name, text", [
    (LINEAR, "cuda", "a Linear has no 'cuda'; the only device is the CPU"),
    (LINEAR, "zero_grad", "a Linear has no 'zero_grad'; the optimizer has it: optimizer.zero_grad()"),
    (LINEAR, "requires_grad_", "a Linear has no 'requires_grad_'; use model.freeze(), or v.trainable of a Variable"),
    (LINEAR, "half", "a Linear has no 'half'; use model.to(wf.float16)"),
    (LINEAR, "layers", "a Linear has no 'layers'; use model.children(), or model.named_modules() for those below, too"),
    (LINEAR, "weights", "a Linear has no 'weights'; use model.state_dict(), or model.parameters() and model.buffers()"),
    (LINEAR, "trainable_variables", "a Linear has no 'trainable_variables'; use model.parameters()"),
    (LINEAR, "save", "a Linear has no 'save'; use wf.save(path, model.state_dict())"),
    (wf, "keras", "module 'weft' has no attribute 'keras'; layers are in wf.nn, optimizers in wf.optim, and models have compile, fit, "
     "evaluate and predict"),
    (wf, "cuda", "module 'weft' has no attribute 'cuda'; the only device is the CPU"),
    (wf, "autocast", "module 'weft' has no attribute 'autocast'; give model.compile(precision=\"bfloat16\"), or use "
     "model.compute_in(wf.bfloat16)"),
    (wf, "get_variable", "module 'weft' has no attribute 'get_variable'; make it once, wf.Variable(value, name=name), and use it again; "
     "layers of wf.nn hold theirs"),
    (wf, "variable_scope", "module 'weft' has no attribute 'variable_scope'; use wf.name_scope(name); Variables are shared by using them "
     "again"),
    (wf, "summary", "module 'weft' has no attribute 'summary'; curves of a training are history.plot(path), its numbers "
     "wf.callbacks.CSVLogger(path); a table of a model is model.summary(shape)"),
    (wf, "lax", "module 'weft' has no attribute 'lax'; control flow is wf.cond, wf.while_loop and wf.scan; ops are in wf itself"),
    (wf.nn, "functional", "module 'weft.nn' has no attribute 'functional'; the functions are in wf.nn itself"),
    (wf.optim, "LambdaLR", "module 'weft.optim' has no attribute 'LambdaLR'; use wf.optim.schedules.Schedule(optimizer, lambda t: factor)"),
    (wf.train, "AdamOptimizer", "module 'weft.train' has no attribute 'AdamOptimizer'; use wf.optim.Adam(variables, lr=rate)"),
    (wf.data, "DataLoader", "module 'weft.data' has no attribute 'DataLoader'; use wf.data.Dataset.from_tensor_slices((x, y)).batch(32)"),
])
def test_modules_and_namespaces_of_others(where, name, text):
    assert message(getattr, where, name) == text
    assert not hasattr(where, name)


def test_advice_names_what_is_there():
    assert hasattr(wf.optim.schedules, "Schedule") and hasattr(wf.train, "LossScaler") and hasattr(wf.callbacks, "CSVLogger")
    assert hasattr(LINEAR, "freeze") and hasattr(LINEAR, "compute_in") and hasattr(wf.memory, "set_limit")
    assert "wf.memory.set_limit raises it" in wf._laws.WORDS["limit"]
    LINEAR.to(wf.float16).to(wf.float32)
    own = type("Own", (wf.nn.Module,), {"cuda": "own"})()
    own.zero_grad, own.layers, own.weights = 3, [LINEAR], wf.Variable(1.0)
    assert own.cuda == "own" and own.zero_grad == 3 and own.layers == [LINEAR]  # attributes of user modules take precedence over hints
    assert [name for name, _ in own.named_parameters()] == ["layers.0.weight", "layers.0.bias", "weights"]
    f = wf.function(lambda x: own.layers[0](x) * own.weights)
    assert np.allclose(f(X).numpy(), LINEAR(X).numpy())
    own.layers = [wf.nn.Linear(2, 2)]
    assert np.allclose(f(X).numpy(), own.layers[0](X).numpy()) and f.trace_count == 2


def test_what_is_advised_for_names_of_others_works(tmp_path, capsys):
    @wf.function
    def checked(x):
        assert wf.all(x == 1.0), "not one"
        print(x)
        return sum([x, x])

    assert checked(X).tolist() == (2 * X).tolist() and "[1., 1.]" in capsys.readouterr().out
    assert "not one" in message(checked, 2 * X)
    assert functools.reduce(lambda a, b: a + b, wf.tree.leaves({"a": X, "b": [X]})).tolist() == (2 * X).tolist()
    model = wf.nn.Sequential(LINEAR)
    assert model.children() == [LINEAR] and np.allclose(wf.function(model)(X).numpy(), model(X).numpy())
    wf.save(tmp_path / "w.npz", model.state_dict())
    model.load_state_dict(wf.load(tmp_path / "w.npz"))
    total = wf.Variable(0.0)
    wf.function(lambda x: total.assign(total + x))(wf.tensor(2.0))
    assert total.item() == 2.0


@pytest.mark.parametrize("keyword, hint", [
    ("donate_argnums", "keep what each call replaces in a Variable, and assign it in the function: v.assign(x)"),
    ("device", "the only device is the CPU"), ("autograph", "weft calls this rewrite"),
    ("jit_compile", "a traced function is always compiled"), ("reduce_retracing", "other sizes are no new trace"),
])
def test_keywords_of_other_jits(keyword, hint):
    assert message(wf.jit, wf.sin, **{keyword: 0}) == f"function: has no argument '{keyword}'; {hint} [function.keyword]"


LOSSES = [getattr(wf.nn, name) for name in dir(wf.nn) if name.endswith("Loss")]


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_refuse_a_reduction_when_they_are_made(loss):
    name, op = loss.__name__, loss.function
    arguments = {"TripletMarginLoss": 3, "CosineEmbeddingLoss": 3, "MarginRankingLoss": 3, "GaussianNLLLoss": 3}.get(name, 2)
    classes = name in ("CrossEntropyLoss", "NLLLoss")
    given = [X, wf.tensor([0, 1])] if classes else [X] * (arguments - 1) + [X[:, 0] if name == "CosineEmbeddingLoss" else X]
    refused = message(op, *given, reduction="avg")
    assert message(loss, reduction="avg") == refused.replace(f"{op.__name__}: ", f"{name}: ").replace(f"[{op.__name__}.", f"[{name}.")
    assert message(loss, reduction=3) == f"{name}: reduction must be a string, but got 3 [{name}.argument]"
    for one in loss.reductions:
        assert wf.all(wf.isfinite(loss(reduction=one)(*given))) or name in ("BCELoss", "KLDivLoss", "NLLLoss")


def test_errors_of_sessions_and_graphs_name_the_line_of_the_call():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (2,), "x")
    s, line = wf.Session(g), f"called at {__file__}:"
    for call in (lambda: s.run(3), lambda: s.run("y"), lambda: s.run(x, {3: 3}), lambda: s.run(x, 3), lambda: s.run(x, {"y": 3}),
                 lambda: s.plan(3), lambda: s.make_callable(3), lambda: s.make_callable(x, 3), lambda: s.make_callable(x)(3),
                 lambda: wf.Session(3), lambda: wf.Session(), lambda: wf.placeholder("f32[2]"), lambda: wf.placeholder("f32[2]", graph=3),
                 lambda: wf.get_default_graph(), lambda: g.tensor("y"), lambda: g.operation("y")):
        with pytest.raises(wf.Error) as error:
            call()
        notes = error.value.__notes__
        assert [note.rpartition(":")[0] + ":" for note in notes] == [line] and error.value.notes == notes
        assert int(notes[0].rpartition(":")[2]) == call.__code__.co_firstlineno


def test_arguments_of_others():
    assert message(wf.nn.ReLU, inplace=True) == "ReLU: has no argument 'inplace'; tensors never change: use what the op gives [ReLU.keyword]"
    model = wf.nn.Sequential(wf.nn.Linear(2, 2))
    assert message(model.compile, "adam", "mean_squared_error") == (
        "compile: there is no loss 'mean_squared_error'; weft calls this 'mse' [compile.loss]")
    assert message(model.compile, "adam", "categorical_crossentropy") == (
        "compile: there is no loss 'categorical_crossentropy'; weft calls this 'cross_entropy', of logits [compile.loss]")
    model.compile("adam", "cross_entropy")
    for y in (np.array(["a", "b"]), ["a", "b"]):
        assert message(model.fit, np.ones((2, 2), np.float32), y) == (
            "fit: y has strings; classes are numbers, as numpy.unique(y, return_inverse=True)[1] gives them [fit.argument]")


def test_messages_speak_python():
    before = wf.memory.limit()
    wf.memory.set_limit(wf.memory.live() + 1000)
    try:
        text = message(lambda: wf.ones((1000, 1000)) + 1.0)
    finally:
        wf.memory.set_limit(before)
    assert "raise the limit with wf.memory.set_limit [" in text


@pytest.mark.parametrize("statement, text", [
    ("import weft.nn.functional", "No module named 'weft.nn.functional'; the functions are in wf.nn itself"),
    ("import weft.nn.functional as F", "No module named 'weft.nn.functional'; the functions are in wf.nn itself"),
    ("from weft.nn import functional as F", "No module named 'weft.nn.functional'; the functions are in wf.nn itself"),
    ("from weft.nn.functional import relu", "No module named 'weft.nn.functional'; the functions are in wf.nn itself"),
    ("import weft.keras", "No module named 'weft.keras'; layers are in wf.nn, optimizers in wf.optim, and models have compile, fit, "
                          "evaluate and predict"),
    ("from weft.optim.lr_scheduler import LambdaLR",
     "No module named 'weft.optim.lr_scheduler'; use wf.optim.schedules, such as wf.optim.schedules.Cosine(optimizer, steps)"),
    ("from weft import unsqueeze", "No module named 'weft.unsqueeze'; weft calls this expand_dims"),
    ("import weft.no_such_thing", "No module named 'weft.no_such_thing'"),
])
def test_imports_of_other_libraries_modules(statement, text):
    with pytest.raises(ModuleNotFoundError) as caught:
        exec(statement)
    assert str(caught.value) == text


def test_imports_of_what_is_there_or_unknown_are_pythons_own():
    with pytest.raises(ImportError, match="cannot import name 'no_such_thing' from 'weft.nn'"):
        exec("from weft.nn import no_such_thing")
    assert importlib.util.find_spec("weft.keras") is None and importlib.util.find_spec("weft.nn.module") is not None
    with pytest.raises(ModuleNotFoundError, match="^No module named 'no_such_package'$"):
        exec("import no_such_package.nn")
