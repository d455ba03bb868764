"""Where tensors leave Weft: pickles, copies, NumPy, Python numbers, text; also under transformations."""

import copy
import pickle

import numpy as np
import pytest

import weft as wf


def message(call, *args, **keywords):
    with pytest.raises(wf.Error) as caught:
        call(*args, **keywords)
    return str(caught.value)


@pytest.mark.parametrize("dtype", [wf.float32, wf.bfloat16, wf.float64, wf.int64, wf.bool, wf.complex64])
def test_a_pickled_variable_is_a_variable(dtype):
    v = wf.Variable(wf.tensor([[1, 0], [2, 3]]).astype(dtype), name="weight", trainable=False)
    back = pickle.loads(pickle.dumps(v))
    assert type(back) is wf.Variable and (back.name, back.trainable, back.dtype) == ("weight", False, dtype)
    assert back.tolist() == v.tolist() and back.grad is None
    back.assign(wf.zeros_like(back.value()))
    assert v.tolist() != back.tolist()


def test_pickles_of_views_and_of_what_a_tape_follows():
    v = wf.Variable(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    for x in (v.T, v[:, ::2], v * 2):
        back = pickle.loads(pickle.dumps(x))
        assert type(back) is wf.Tensor and back.tolist() == x.tolist()
    shared = pickle.loads(pickle.dumps([v, v]))
    assert shared[0] is shared[1]


def test_copies_of_variables_are_places_of_their_own():
    v = wf.Variable([1.0, 2.0], name="w")
    (v * v).sum().backward()
    for made in (copy.copy(v), copy.deepcopy(v), copy.deepcopy({"w": [v]})["w"][0]):
        assert type(made) is wf.Variable and made is not v and made.name == "w" and made.grad is None
        made.assign_add([1.0, 1.0])
        assert v.tolist() == [1.0, 2.0] and made.tolist() == [2.0, 3.0]
    both = copy.deepcopy([v, v])
    assert both[0] is both[1]
    x = wf.tensor([1.0])
    assert copy.copy(x) is x and copy.deepcopy(x) is x


def test_pickling_a_tracer_raises():
    def squared(x):
        pickle.dumps(x.T)
        return (x * x).sum()

    x = wf.ones((2, 3))
    assert message(wf.grad(squared), x) == (
        "tensor: pickling needs a plain value, but a tensor of type f32[3, 2] is under grad here; take what the "
        "transformed function returns [tensor.concrete]")
    assert "[tensor.concrete]" in message(wf.vmap(squared), wf.ones((4, 2, 3)))
    assert "under jvp" in message(wf.jvp, squared, (x,), (x,))


@pytest.mark.parametrize("read, what", [
    (np.asarray, "x.numpy()"), (lambda x: x.numpy(), "x.numpy()"), (float, "float(x)"), (int, "int(x)"),
    (complex, "complex(x)"), (lambda x: x.item(), "x.item()"), (lambda x: x.tolist(), "x.tolist()"),
    (np.from_dlpack, "x.__dlpack__()"), (memoryview, "memory of the tensor"),
    (lambda x: np.sin(np.asarray(x)), "x.numpy()"), (lambda x: f"{x:.3f}", "format(x)"),
])
def test_values_inside_of_vmap_raise_and_say_the_way_out(read, what):
    assert message(wf.vmap(read), wf.ones(3)) == (
        f"tensor: {what} needs a value, but a tensor of type f32[] has none inside of vmap, where it stands for all "
        "examples at once; return it from the function that vmap runs, or compute with ops alone [tensor.concrete]")


INSTEAD = "compute with the tensor itself, return it from the function, or read its value before or after the call"
V, W = wf.Variable(1.0), wf.Variable([1.0, 2.0])


@pytest.mark.parametrize("read, what, kind, instead", [
    (lambda x: V.value().item(), "x.item()", "f32[]", INSTEAD), (lambda x: W.numpy(), "x.numpy()", "f32[2]", INSTEAD),
    (lambda x: W.tolist(), "x.tolist()", "f32[2]", INSTEAD), (lambda x: x[0].item(), "x.item()", "f32[]", INSTEAD),
    (lambda x: np.asarray(x), "x.numpy()", "f32[n]", INSTEAD),
    (lambda x: W.item(), "x.item()", "f32[2]", f"{INSTEAD}; x has 2 elements, and x.item() takes exactly 1"),
    (lambda x: x.item(), "x.item()", "f32[n]", f"{INSTEAD}; x has 3 elements, and x.item() takes exactly 1"),
])
def test_values_inside_of_a_trace_raise_and_say_what_works(read, what, kind, instead):
    assert message(wf.function(read), wf.ones(3)) == (
        f"tensor: {what} needs a value, but a tensor of type {kind} has none while a graph is made; {instead} [tensor.concrete]")


def test_what_is_said_instead_of_a_read_works():
    f = wf.function(lambda x: x * V)
    assert f(wf.tensor(3.0)).item() == 3.0 and V.item() == 1.0
    pick = wf.function(lambda x, k: x[[2, 0, 1][k]], static_argnums=1)
    assert pick(wf.arange(3.0), 0).item() == 2.0
    text = message(wf.function(lambda x, k: x[[2, 0, 1][k]]), W, wf.tensor(0))
    assert "give the function a Python integer in place of the tensor" in text


def test_a_branch_inside_of_vmap_names_where():
    text = message(wf.vmap(lambda x: x if x > 0 else -x), wf.ones(3))
    assert "`if x > 0`" in text and "inside of vmap" in text and "wf.where(condition, a, b) [tensor.concrete]" in text


def test_batched_integers_index():
    x, i, j = wf.arange(24.0).reshape(2, 3, 4), wf.tensor([0, 2, 1]), wf.tensor([3, -1, 0])
    keys = [lambda i, j: (1, i), lambda i, j: (slice(None), i), lambda i, j: (0, i, j), lambda i, j: (..., j),
            lambda i, j: (slice(None), i, None, slice(1, None)), lambda i, j: (..., i, j), lambda i, j: (None, 0, i, j),
            lambda i, j: (slice(None), i, ..., j), lambda i, j: (None, ..., i, slice(None, None, 2))]
    for key in keys:
        expected = np.stack([x.numpy()[key(int(a), int(b))] for a, b in zip(i, j)])
        assert np.array_equal(wf.vmap(lambda a, b: x[key(a, b)])(i, j).numpy(), expected)
    rows = wf.arange(12.0).reshape(3, 4)
    assert wf.vmap(lambda row, a: row[a])(rows, i).tolist() == [0.0, 6.0, 9.0]
    picked = wf.grad(lambda rows: wf.vmap(lambda row, a: row[a])(rows, i).sum())(rows)
    assert picked.tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]]
    for wrong in (lambda a: x[a:], lambda a: wf.zeros((a,))):
        assert "inside of vmap" in message(wf.vmap(wrong), i)


def test_text_shows_values_where_there_are_some():
    v = wf.Variable([1.0, 2.0])
    with wf.GradientTape() as tape:
        y = v * 2
        assert repr(y).startswith("tensor([2., 4.], dtype=float32, grad level ") and "made by multiply at" in repr(y)
    del tape
    assert repr(y) == "tensor([2., 4.], dtype=float32)"
    seen = []
    wf.grad(lambda x: (seen.append(repr(x * x)), x * x)[1])(3.0)
    assert seen[0].startswith("tensor(9., dtype=float32, grad level ") and "test_values.py:" in seen[0]
    wf.jvp(lambda x: (seen.append(repr(x)), x)[1], (2.0,), (1.0,))
    assert seen[1].startswith("tensor(2., dtype=float32, jvp level ")
    wf.vmap(wf.grad(lambda x: (seen.append(repr(x)), x * x)[1]))(wf.ones(3))
    assert seen[2].startswith("tensor(<f32[], vmap level ") and "grad level" in seen[2]


def test_memory_of_a_variable_outlives_its_value():
    v = wf.Variable(np.ones(1000, np.float32))
    before = np.asarray(v)
    for k in range(20):
        v.assign(wf.full((1000,), float(k)))
        v.assign_add(np.ones(1000, np.float32))
    assert before.sum() == 1000 and not before.flags.writeable


def test_a_variable_assigned_to_while_an_op_reads_it():
    v = wf.Variable(np.ones(100, np.float32))

    @wf.custom_gradient
    def meddles(x):
        v.assign(np.zeros(100, np.float32))
        return x + 0.0, lambda g: g

    assert meddles(v).sum().item() == 100 and wf.where(v > -1, v, v).sum().item() == 0


def test_functions_on_tensors_take_nothing_else():
    for wrong in (lambda: wf.Tensor.backward(3), lambda: wf.Tensor.detach("a"), lambda: wf.Tensor.numpy([1.0])):
        with pytest.raises((TypeError, AttributeError)):
            wrong()
    with wf.GradientTape() as tape:
        assert "must be a tensor, but got 3.0" in message(tape.watch, 3.0)
    assert "must be a tensor, but got 3.0" in message(tape.gradient, wf.ones(()), 3.0)


def test_a_kept_gradient_stays_what_it_was():
    v = wf.Variable([1.0, 2.0], name="w")
    kept = []
    for factor in (2.0, 3.0):
        v.grad = None
        (v * factor).sum().backward()
        kept.append(v.grad)
    assert [g.tolist() for g in kept] == [[2, 2], [3, 3]]
    assert kept[0].grad is None
    (v * 4.0).sum().backward()  # adds to what is there
    assert kept[1].tolist() == [7, 7] and kept[0].tolist() == [2, 2]


def test_scopes_end_in_any_order():
    v = wf.Variable(3.0)
    first, second = wf.GradientTape(), wf.GradientTape()
    first.__enter__()
    second.__enter__()
    first.__exit__()
    del first
    b = v * v * v
    second.__exit__()
    assert second.gradient(b, v).item() == 27

    left = []

    def leaves_one_open(x):
        left.append(wf.GradientTape())
        left[0].__enter__()
        return x * x

    assert wf.grad(leaves_one_open)(2.0).item() == 4 and wf.vmap(wf.sin)(wf.zeros(2)).tolist() == [0, 0]
    left.pop().__exit__()
    (v * v).backward()
    assert v.grad.item() == 6
    assert "before the tape has begun" in message(wf.GradientTape().__exit__)
    assert "before it has begun" in message(wf.no_grad().__exit__)
    assert "must be a function" in message(wf.no_grad, 3)


def test_a_tape_ends_on_its_own_thread():
    import threading

    tape = wf.GradientTape()
    thread = threading.Thread(target=tape.__enter__)
    thread.start()
    thread.join()
    assert "began on another thread" in message(tape.__exit__)
    del tape
    v = wf.Variable(2.0)
    assert wf.grad(lambda x: x * v.value())(3.0).item() == 2


def test_output_gradients_fit_their_targets():
    v = wf.Variable(1.0)

    def gradient(given, count=1):
        with wf.GradientTape() as tape:
            y = v * v
        return tape.gradient([y] * count, v, output_gradients=given)

    assert gradient(3.0).item() == 6 and gradient([3, 1], 2).item() == 8
    assert "output_gradients is f32[3] but target[0] is f32[]" in message(gradient, wf.ones(3))
    assert "there are 1 output gradients for 2 targets" in message(gradient, 1.0, 2)


def test_an_outer_tape_sees_what_an_inner_one_recorded():
    v = wf.Variable(3.0)
    with wf.GradientTape(persistent=True) as outer:
        with wf.GradientTape() as inner:
            y = v * v
            assert outer.gradient(y, v).item() == 6
    assert outer.gradient(y, v).item() == 6 and inner.gradient(y, v).item() == 6
