"""Errors: their classes, their text, the user's line; other libraries' words."""

import pytest

import weft as wf

X = wf.tensor([[1.0, 2.0], [3.0, 4.0]])


def message(call, *args, **keywords):
    with pytest.raises(Exception) as caught:
        call(*args, **keywords)
    return str(caught.value)


def test_classes_are_natural():
    with pytest.raises(ValueError) as caught:
        X.reshape(3, -1)
    error = caught.value
    assert isinstance(error, wf.Error) and isinstance(error, wf.InvalidError)
    assert (error.code, error.op, error.law) == ("invalid", "reshape", "reshape.count")
    assert error.message in str(error) and str(error).endswith("[reshape.count]")
    assert any("test_errors.py:" in note for note in error.__notes__)
    for cls, builtin in [(wf.WrongTypeError, TypeError), (wf.OutOfRangeError, IndexError), (wf.IoError, OSError),
                         (wf.TooLargeError, OverflowError), (wf.OutOfMemoryError, MemoryError),
                         (wf.MissingRuleError, NotImplementedError), (wf.InternalError, RuntimeError)]:
        assert issubclass(cls, builtin) and issubclass(cls, wf.Error)


@pytest.mark.parametrize("call, text", [
    (lambda: wf.add(X, "a"),
     "add: b must be a tensor, an array, a nested list or a number, but got 'a' [add.argument]"),
    (lambda: wf.add(X), "add: argument 'b' is missing [add.count]"),
    (lambda: wf.add(X, X, X), "add: takes 2 arguments at most (a, b), but got 3 [add.count]"),
    (lambda: wf.add(X, b=X, a=X), "add: argument 'a' was given twice, by position and by name [add.keyword]"),
    (lambda: wf.sum(X, dim=1), "sum: has no argument 'dim'; weft calls this axis [sum.keyword]"),
    (lambda: wf.sum(X, foo=1), "sum: has no argument 'foo'; its arguments are x, axis, dtype, keepdims [sum.keyword]"),
    (lambda: wf.sum(X, axis="a"), "sum: axis must be an integer or a tuple of integers, but got 'a' [sum.argument]"),
    (lambda: wf.sum(X, keepdims=3), "sum: keepdims must be True or False, but got 3 [sum.argument]"),
    (lambda: wf.cast(X, "float"),
     "cast: dtype must be a dtype such as wf.float32 or 'float32', but got 'float' [cast.argument]"),
    (lambda: wf.stack(X), "stack: xs must be a list or tuple of tensors, but got weft.Tensor [stack.argument]"),
    (lambda: wf.stack([X, "a"]),
     "stack: xs[1] must be a tensor, an array, a nested list or a number, but got 'a' [stack.argument]"),
    (lambda: X + 2**70, "add: b is 1180591620717411303424, which does not fit in 64 bits [add.argument]"),
    (lambda: wf.tensor([1, 2], device="gpu"), "tensor: device is 'gpu', but the only device is 'cpu' [tensor.device]"),
])
def test_texts(call, text):
    assert message(call) == text


def test_names_of_other_libraries():
    assert message(lambda: wf.no_such_name) == "module 'weft' has no attribute 'no_such_name'"
    assert "weft calls this" in message(lambda: wf.reduce_sum) and "sum" in message(lambda: wf.reduce_sum)
    assert "weft calls this" in message(lambda: X.reduce_sum)
    assert not hasattr(X, "no_such_name") and not hasattr(wf, "no_such_name")


@pytest.mark.skipif(not hasattr(wf, "expand_dims"), reason="expand_dims is not there yet")
def test_unsqueeze():
    assert message(lambda: wf.unsqueeze) == "module 'weft' has no attribute 'unsqueeze'; weft calls this expand_dims"
    assert message(lambda: X.unsqueeze(0)) == "a tensor has no 'unsqueeze'; weft calls this expand_dims"


@pytest.mark.parametrize("call, words", [
    (lambda: wf.from_numpy, "use wf.asarray(array)"), (lambda: X.float(), "use x.astype(wf.float32)"),
    (lambda: X.numel(), "use x.size"), (lambda: wf.manual_seed(0), "use wf.seed(value)"),
    (lambda: X.clone(), "tensors never change"),
])
def test_names_that_are_no_ops(call, words):
    assert words in message(call)


def test_errors_tell_what_the_op_was_called_with():
    with pytest.raises(ValueError) as caught:
        wf.concat([X, wf.ones((2, 5))], axis=0)
    assert "in concat(xs[0]: float32[2, 2], xs[1]: float32[2, 5], axis=0)" in caught.value.__notes__
    with pytest.raises(ValueError) as caught:  # a list behind another input counts from 0, too
        wf.dynamic_slice(X, [0], (1, 1))
    assert "in dynamic_slice(x: float32[2, 2], starts[0]: int64[], sizes=[1, 1])" in caught.value.__notes__
    with pytest.raises(ValueError) as caught:  # of a long list, the first ones
        wf.concat([X] * 20 + [wf.ones((2, 5))])
    shown = ", ".join(f"xs[{i}]: float32[2, 2]" for i in range(8))
    assert f"in concat({shown}, ..., axis=0)" in caught.value.__notes__
    with pytest.raises(TypeError, match="int: the tensor has dtype complex64"):
        int(wf.tensor(1j))


def in_a_graph(f):
    def call(*args):
        with wf.Graph():
            return f(*(wf.placeholder(wf.float32, arg.shape) for arg in args))

    return call


ROWS = wf.ones((3, 2, 5))
JOINED = "in concat(xs[0]: float32[2, 5], xs[1]: float32[2, 2], axis=0)"


@pytest.mark.parametrize("f, described", [
    (lambda x: wf.concat([x, X]), JOINED),
    (lambda x: wf.nn.Linear(3, 4)(x), "in linear(x: float32[2, 5], weight: float32[4, 3], bias: float32[4])"),
    (lambda x: wf.nn.Sequential(wf.nn.Linear(5, 2), wf.nn.Linear(3, 4))(x),
     "in linear(x: float32[2, 2], weight: float32[4, 3], bias: float32[4])"),
    (lambda x: wf.softmax(x, axis=7), "in softmax(x: float32[2, 5], axis=7)"),
    (lambda x: x + X, "in add(a: float32[2, 5], b: float32[2, 2])"),
], ids=["op", "layer", "layers", "composite", "operator"])
@pytest.mark.parametrize("call", [
    lambda f: f(ROWS[0]), lambda f: wf.vmap(f)(ROWS), lambda f: wf.grad(lambda x: f(x).sum())(ROWS[0]), lambda f: wf.function(f)(ROWS[0]),
    lambda f: in_a_graph(f)(ROWS[0]), lambda f: wf.function(wf.vmap(f))(ROWS), lambda f: wf.vmap(wf.function(f))(ROWS),
    lambda f: in_a_graph(wf.vmap(f))(ROWS), lambda f: wf.nn.Lambda(f)(ROWS[0]),
], ids=["eager", "vmap", "grad", "function", "graph", "vmap in a function", "function under vmap", "vmap in a graph", "layer"])
def test_notes_describe_a_call_once(f, described, call):
    """No line of the notes stands there twice, and the call that raised has one line, whatever it is called in."""
    with pytest.raises(wf.Error) as caught:
        call(f)
    notes = caught.value.__notes__
    assert len(set(notes)) == len(notes)
    name = described[:described.index("(") + 1]
    assert [note for note in notes if note.startswith((name, "with "))] == [described]
    assert len([note for note in notes if note.startswith("called at ")]) == 1


def test_sizes_too_large():
    assert "zeros" in message(wf.zeros, (2**40, 2**40)) and "zeros" in message(wf.zeros, 10**30)


def test_memory_limit():
    limit = wf.memory.limit()
    try:
        wf.memory.set_limit(2**24)
        with pytest.raises(MemoryError) as caught:
            wf.zeros((2**24,)) + 1.0
        assert isinstance(caught.value, wf.OutOfMemoryError)
    finally:
        wf.memory.set_limit(limit)
    assert wf.memory.live() >= 0 and wf.memory.peak() >= 0 and wf.memory.cached() >= 0
    wf.memory.trim()


def test_help(capsys):
    wf.help("slice.step")
    assert capsys.readouterr().out == "slice.step: steps are not 0\n"
    wf.help(wf.add)
    assert "add(a: TensorLike, b: TensorLike) -> Tensor" in capsys.readouterr().out
    wf.help("add.broadcast")
    assert "compared from the right" in capsys.readouterr().out
    wf.show_config()
    assert "kernels" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no op or law named 'add.nonsense'"):
        wf.help("add.nonsense")


def test_dates_are_refused():
    import numpy as np

    for date in (np.datetime64("2020"), np.timedelta64(1, "s")):
        for call in (lambda d: wf.tensor(d), lambda d: wf.tensor([d]), lambda d: wf.ones(1) + d):
            with pytest.raises((TypeError, ValueError)):
                call(date)


def test_bare_integers_are_not_taken_for_an_axis():
    x = wf.ones((3, 4))
    assert [part.shape for part in wf.split(x, [1, 3], 1)] == [(3, 1), (3, 3)]
    with pytest.raises(IndexError, match=r"split: axis 2 is out of range.*\[split.axis\]"):
        wf.split(x, 1, 2)
    assert wf.pad(wf.ones(2), [1], [2]).shape == (5,)
    assert wf.ones((2, 3)).reshape(3, 2).shape == (3, 2)


@pytest.mark.parametrize("topic, text", [("vmap", "vmap(f"), ("GradientTape", "GradientTape"), ("backward", "retain_graph"),
                                         ("backward.taped", "backward.taped: backward() needs a result"), ("Variable.assign", "assign")])
def test_help_explains_what_is_no_op(capsys, topic, text):
    wf.help(topic)
    assert text in capsys.readouterr().out


@pytest.mark.parametrize("name", ["vjp", "linearize"])
def test_errors_name_the_transformation(name):
    with pytest.raises(TypeError, match=f"^{name}: x has dtype int64.*\\[{name}.dtype\\]"):
        getattr(wf, name)(lambda x: x, wf.tensor([1, 2]))


def test_errors_raised_in_python_have_the_attributes_of_others():
    with pytest.raises(wf.WrongTypeError) as caught:
        wf.optim.SGD(3)
    error = caught.value
    assert (error.code, error.op, error.law) == ("type", "SGD", "SGD.parameters")
    assert error.message.startswith("parameters must be a list of Variables") and error.notes == []
    assert str(error) == f"{error.op}: {error.message} [{error.law}]"
    with pytest.raises(AttributeError, match="'WrongTypeError' object has no attribute 'reason'"):
        error.reason
    assert wf.InvalidError("a text alone").message == "a text alone" and wf.InvalidError("a text alone").law == ""


def test_an_optimizer_without_update_says_so():
    v = wf.Variable([1.0])
    v.grad = wf.ones(1)
    with pytest.raises(wf.InvalidError, match=r"Optimizer: has no update\(self, p, g, state, lr, ..., t\); write one \[Optimizer.update\]"):
        wf.optim.Optimizer([v], lr=0.1).step()
