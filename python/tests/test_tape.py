"""Variables, backward and GradientTape: every rule that the guide and the design state."""

import threading

import numpy as np
import pytest

import weft as wf


# --- Variables ---


def test_a_variable_is_usable_wherever_a_tensor_is():
    v = wf.Variable([[1.0, 4.0], [9.0, 16.0]], name="v")
    assert wf.sqrt(v).tolist() == [[1, 2], [3, 4]]
    assert np.sqrt(v).tolist() == [[1, 2], [3, 4]]
    assert (np.ones((2, 2), np.float32) + v).tolist() == [[2, 5], [10, 17]]
    assert np.concatenate([v, v]).shape == (4, 2)
    assert v[0].tolist() == [1, 4] and v.T.tolist() == [[1, 9], [4, 16]] and len(v) == 2
    assert (v @ wf.ones((2, 1))).tolist() == [[5], [25]]
    assert np.asarray(v).tolist() == [[1, 4], [9, 16]]
    assert v.name == "v" and v.trainable and v.shape == (2, 2)


def test_a_variable_keeps_the_dtype_it_is_given():
    assert wf.Variable([1, 2], dtype=wf.float64).dtype == wf.float64
    v = wf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"keeps its dtype and shape \[assign.type\]"):
        v.assign(wf.ones(2, dtype=wf.float64))
    with pytest.raises(TypeError, match=r"\[assign.type\]"):
        v.assign(wf.ones(3))
    assert v.tolist() == [1, 2]


def test_writes_are_invisible_to_those_who_hold_the_old_value():
    v = wf.Variable([1.0, 2.0])
    before = v.value()
    v.assign_add(wf.ones(2))
    v.assign_sub(wf.tensor([0.5, 0.5]))
    v += wf.ones(2)
    assert v.tolist() == [2.5, 3.5] and before.tolist() == [1, 2]


def test_additions_of_many_threads_all_arrive():
    v = wf.Variable(wf.zeros(32))
    one = wf.ones(32)

    def add_many():
        for _ in range(500):
            v.assign_add(one)

    threads = [threading.Thread(target=add_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.tolist() == [2000.0] * 32


def test_the_gradient_is_a_variable():
    v = wf.Variable([1.0, 2.0], name="v")
    assert v.grad is None
    (v * v).sum().backward()
    assert isinstance(v.grad, wf.Variable) and v.grad.tolist() == [2, 4]
    v.grad.zero_()
    assert v.grad.tolist() == [0, 0]


def test_a_variable_that_is_not_trained_is_a_constant():
    v, frozen = wf.Variable(2.0), wf.Variable(3.0, trainable=False)
    (v * frozen).backward()
    assert v.grad.item() == 3 and frozen.grad is None


def test_statistics_are_assigned_inside_of_a_transformation():
    mean = wf.Variable(wf.zeros(2), trainable=False)

    def loss(x):
        mean.assign(wf.mean(x, axis=0))
        return (x * x).sum()

    wf.value_and_grad(loss)(wf.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert mean.tolist() == [2, 3]
    with pytest.raises(ValueError, match=r"batched by vmap.*\[assign.batched\]"):
        wf.vmap(lambda row: mean.assign(row) or row)(wf.ones((3, 2)))


# --- backward ---


def test_a_gradient_for_the_result_and_only_some_inputs():
    a, b = wf.Variable([1.0, 2.0]), wf.Variable([3.0, 4.0])
    (a * b).backward(gradient=wf.tensor([10.0, 100.0]), inputs=[a])
    assert a.grad.tolist() == [30, 400] and b.grad is None


def test_what_is_no_scalar_needs_a_gradient():
    with pytest.raises(ValueError, match="only a scalar"):
        (wf.Variable([1.0, 2.0]) * 2).backward()


def test_a_tape_that_is_kept_can_be_swept_again():
    v = wf.Variable(3.0)
    y = v * v
    y.backward(retain_graph=True)
    y.backward()
    assert v.grad.item() == 12
    with pytest.raises(ValueError, match=r"freed by an earlier backward.*retain_graph"):
        y.backward()


def test_the_gradient_of_a_gradient():
    v = wf.Variable(3.0)
    (v * v * v).backward(create_graph=True)
    slope = v.grad
    penalty = slope * slope
    v.grad = None
    penalty.backward()
    assert v.grad.item() == 2 * 27 * 18


def test_backward_under_no_grad_has_nothing_to_sweep():
    v = wf.Variable(3.0)
    with wf.no_grad():
        y = v * v
    with pytest.raises(ValueError, match="no trainable Variable, or while recording was off"):
        y.backward()

    @wf.no_grad()
    def squared():
        return v * v

    with pytest.raises(ValueError):
        squared().backward()


def test_detached_values_are_constants():
    v = wf.Variable(3.0)
    (v * v.detach()).backward()
    assert v.grad.item() == 3


def test_an_rnn_of_the_length_of_its_data():
    weight = wf.Variable(0.5)

    def run(sequence):
        state = wf.tensor(0.0)
        for x in sequence:
            state = wf.tanh(weight * state + x)
        return state

    for length in (1, 4):
        weight.grad = None
        sequence = [0.1 * i for i in range(1, length + 1)]
        run(sequence).backward()
        h = 1e-3
        with wf.no_grad():
            weight.assign(0.5 + h)
            up = run(sequence).item()
            weight.assign(0.5 - h)
            down = run(sequence).item()
            weight.assign(0.5)
        assert weight.grad.item() == pytest.approx((up - down) / (2 * h), abs=2e-4)


def test_recursion_is_recorded_like_anything_else():
    def power(x, n):
        return wf.tensor(1.0) if n == 0 else x * power(x, n - 1)

    v = wf.Variable(2.0)
    power(v, 5).backward()
    assert v.grad.item() == 80


# --- GradientTape ---


def test_a_tape_gives_its_gradient_once_unless_it_is_persistent():
    v = wf.Variable(3.0)
    with wf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v).item() == 6
    with pytest.raises(ValueError, match=r"make it persistent"):
        tape.gradient(y, v)
    with wf.GradientTape(persistent=True) as tape:
        y = v * v
        z = y * v
    assert tape.gradient(y, v).item() == 6 and tape.gradient(z, v).item() == 27


def test_a_tape_watches_what_it_is_told():
    v, x = wf.Variable(3.0), wf.tensor(2.0)
    with wf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = v * x * x
    assert tape.gradient(y, x).item() == 12
    with wf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    with pytest.raises(ValueError, match=r"nothing that the tape recorded used it"):
        tape.gradient(y, v)


def test_backward_refuses_to_lose_what_a_tape_recorded():
    a = wf.Variable(3.0)
    with wf.GradientTape() as tape:
        y = a * a
    slope = tape.gradient(y, a)
    for loss in [y, y * a, wf.exp(y) * a, slope * a]:
        with pytest.raises(ValueError, match=r"\[backward.taped\]"):
            loss.backward()
    assert a.grad is None
    outside = a * 1.0
    with wf.GradientTape() as tape:
        both = outside * a
    assert tape.gradient(both, a).item() == 3
    with pytest.raises(ValueError, match=r"\[backward.taped\]"):
        both.backward()
    assert a.grad is None
    assert "from" not in repr(slope * 2)
    total = wf.tensor(0.0)
    for _ in range(3):
        total = total + y
    assert total.item() == 27


@pytest.mark.parametrize("form", [list, tuple])
def test_sources_are_trees(form):
    a, b = wf.Variable(2.0), wf.Variable(5.0)
    with wf.GradientTape(persistent=True) as tape:
        y = a * a * b
    slopes = tape.gradient(y, form([a, {"b": b}]))
    assert type(slopes) is form
    assert slopes[0].item() == 20 and slopes[1]["b"].item() == 4


def test_output_gradients_and_several_targets():
    v = wf.Variable([1.0, 2.0])
    with wf.GradientTape(persistent=True) as tape:
        y, z = v * v, v * 3
    assert tape.gradient(y, v, output_gradients=wf.tensor([10.0, 1.0])).tolist() == [20, 4]
    assert tape.gradient([y, z], v).tolist() == [5, 7]


def test_unconnected_sources_raise_or_are_what_is_asked_for():
    v, other = wf.Variable(3.0), wf.Variable([1.0, 2.0])
    with wf.GradientTape(persistent=True) as tape:
        y = v * v
        _ = other * 2
    with pytest.raises(ValueError, match=r"\[GradientTape.gradient.unconnected\]"):
        tape.gradient(y, other)
    assert tape.gradient(y, [v, other], unconnected="zero")[1].tolist() == [0, 0]
    assert tape.gradient(y, [v, other], unconnected="none")[1] is None


def test_tapes_nest_for_higher_orders():
    v = wf.Variable(2.0)
    with wf.GradientTape() as outer:
        with wf.GradientTape() as inner:
            y = v**4
        slope = inner.gradient(y, v)
    assert outer.gradient(slope, v).item() == 48


def test_jacobians_of_a_tape():
    x = wf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with wf.GradientTape(persistent=True) as tape:
        y = x * x
    whole = tape.jacobian(y, x).numpy()
    assert whole.shape == (2, 3, 2, 3)
    assert np.array_equal(whole.reshape(6, 6), np.diag(2 * np.arange(1.0, 7.0)))
    blocks = tape.batch_jacobian(y, x).numpy()
    assert blocks.shape == (2, 3, 3)
    assert np.array_equal(blocks[1], np.diag([8.0, 10.0, 12.0]))


def test_what_is_computed_while_a_tape_is_stopped_is_a_constant():
    v = wf.Variable(3.0)
    with wf.GradientTape() as tape:
        y = v * v
        with tape.stop_recording():
            scale = v * 10
        z = y * scale
    assert tape.gradient(z, v).item() == 6 * 30


def test_the_three_doors_give_the_same_bits():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, 7), dtype=np.float32)
    w = rng.standard_normal((7, 3), dtype=np.float32)

    def loss(weight):
        y = wf.tanh(wf.tensor(x) @ weight)
        return (y * y + weight.sum() * y).sum()

    v = wf.Variable(w)
    loss(v).backward()
    with wf.GradientTape() as tape:
        value = loss(v)
    by_tape, by_grad = tape.gradient(value, v), wf.grad(loss)(wf.tensor(w))
    assert v.grad.numpy().tobytes() == by_tape.numpy().tobytes() == by_grad.numpy().tobytes()


def test_a_variable_can_be_frozen():
    v, w = wf.Variable(2.0), wf.Variable(3.0)
    before = v * w
    v.trainable = False
    assert not v.trainable and not v.requires_grad
    (v * w).backward()
    assert v.grad is None and w.grad.item() == 2
    before.backward()  # recorded when it was followed
    assert v.grad.item() == 3
    with wf.GradientTape() as tape:
        y = v * w
    with pytest.raises(ValueError, match="nothing that the tape recorded used it"):
        tape.gradient(y, v)
    v.requires_grad = True
    (v * w).backward()
    assert v.trainable and v.grad.item() == 6
    with pytest.raises(TypeError, match="trainable must be True or False, but got 1"):
        v.trainable = 1


def test_integers_say_their_dtype():
    n, v = wf.Variable(1), wf.Variable(2.0)
    assert n.trainable and not n.requires_grad
    with pytest.raises(TypeError, match="the Variable has dtype int64, which has no derivatives"):
        n.requires_grad = True
    with pytest.raises(TypeError, match="backward: this value has dtype int64, which has no derivatives"):
        (n * 2).backward()
    with pytest.raises(ValueError, match="a Variable of a floating dtype"):
        (n * 2.0).backward()
    with wf.GradientTape(persistent=True) as tape:
        with pytest.raises(TypeError, match="the Variable has dtype int64, which has no derivatives"):
            tape.watch(n)
        y, count = v * n, n * 2
    with pytest.raises(ValueError, match=r"sources\[1\]: it has dtype int64, which has no derivatives"):
        tape.gradient(y, [v, n])
    with pytest.raises(ValueError, match="for the source: the target has dtype int64, which has no derivatives"):
        tape.gradient(count, v)


def test_an_unused_variable_is_told_from_an_unconnected_one():
    v, unused = wf.Variable(3.0), wf.Variable([1.0, 2.0])
    with wf.GradientTape(persistent=True) as tape:
        y = v * v
    with pytest.raises(ValueError, match="nothing that the tape recorded used it .it follows trainable Variables"):
        tape.gradient(y, unused)
    assert tape.gradient(y, unused, unconnected="zero").tolist() == [0, 0]
    with pytest.raises(TypeError, match="has no argument 'unconnected_gradients'; weft calls this unconnected"):
        tape.gradient(y, unused, unconnected_gradients="zero")


def test_items_of_variables_are_not_assigned_to():
    v = wf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"write v.assign\(v.at\[...\].set\(value\)\)"):
        v[0] = 5.0
    v.assign(v.at[0].set(5.0))
    assert v.tolist() == [5, 2]


def test_hooks_come_before_backward():
    v = wf.Variable(2.0)
    y = v * 2
    (y * y).backward()
    with pytest.raises(ValueError, match="retain_grad: a backward has passed this value .* call retain_grad before backward"):
        y.retain_grad()
    with pytest.raises(ValueError, match="register_hook: a backward has passed this value"):
        y.register_hook(lambda g: g)


def test_updating_in_place_refuses_to_lose_a_history():
    w, total = wf.Variable(3.0), wf.Variable(1.0, name="total")
    loss = w * w
    for update in ("total += loss", "total -= loss", "total *= loss", "total /= w", "total **= loss"):
        with pytest.raises(ValueError, match=r"gradient would be lost; write v = v .*detach.*\[Variable.history\]"):
            exec(update, {"total": total, "loss": loss, "w": w})
    with wf.GradientTape() as tape:
        inner = w * 2
        with pytest.raises(ValueError, match=r"\[Variable.history\]"):
            total += inner
    total += inner  # the tape has ended, and its values are plain

    def under_grad(x):
        total.__iadd__(x)
        return x

    with pytest.raises(ValueError, match=r"\[Variable.history\]"):
        wf.grad(under_grad)(1.0)
    assert total.item() == 7


def test_updating_in_place_takes_what_has_no_history():
    w, total = wf.Variable(3.0), wf.Variable(1.0)
    loss = w * w
    total.assign_add(loss)  # an assignment says that it cuts
    total += loss.detach()
    with wf.no_grad():
        total += loss
        total -= w
    loss.backward()
    total += loss  # its history was used up
    assert total.item() == 1 + 4 * 9 - 3
    w -= 0.5 * w.grad
    w *= 2
    w += wf.ones(())
    w -= w > 100
    assert w.item() == 1


def test_a_tape_watches_a_variable_that_is_not_trainable():
    v = wf.Variable(3.0, trainable=False)
    with wf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).item() == 6


def test_variables_and_backward_refuse_to_cut_a_transformation():
    with pytest.raises(TypeError, match=r"\[Variable.followed\]"):
        wf.grad(lambda x: wf.Variable(x) * x)(2.0)
    assert wf.grad(lambda x: wf.Variable(wf.stop_gradient(x)) * x)(2.0).item() == 2

    def inner(a):
        v = wf.Variable(1.0)
        (v * v * a).backward()
        return v.grad * a

    with pytest.raises(ValueError, match=r"\[backward.followed\]"):
        wf.grad(inner)(3.0)
