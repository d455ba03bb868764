"""Iterators in graphs: one-shot, initializable, and training and validation data in turn."""

import numpy as np
import pytest

import weft as wf

Dataset = wf.data.Dataset


def test_one_shot_iterators_end_with_out_of_range():
    with wf.Graph() as g:
        total = wf.sum(Dataset.range(5).batch(2).make_one_shot_iterator().get_next())
    s = wf.Session(g)
    assert [s.run(total).item() for _ in range(3)] == [1, 5, 4]
    with pytest.raises(wf.OutOfRangeError, match=r"the dataset of the iterator 'iterator' has ended.*\[get_next.end\]"):
        s.run(total)


def test_initializable_iterators_begin_anew():
    with wf.Graph() as g:
        iterator = Dataset.from_tensor_slices((np.arange(4.0), np.arange(4))).make_initializable_iterator("pairs")
        x, y = iterator.get_next()
        both = x + wf.cast(y, wf.float64)
        begin = iterator.initializer
    s = wf.Session(g)
    with pytest.raises(wf.InvalidError, match=r"the iterator 'pairs' reads no dataset yet; run its initializer first"):
        s.run(both)
    for _ in range(2):
        s.run(begin)
        assert [s.run(both).item() for _ in range(4)] == [0, 2, 4, 6]


def test_functions_of_python_run_in_runs():
    with wf.Graph() as g:
        dataset = Dataset.range(6).map(lambda i: i * 10, num_parallel_calls=2).batch(3).prefetch(1)
        x = dataset.make_one_shot_iterator().get_next()
    s = wf.Session(g)
    assert s.run(x).tolist() == [0, 10, 20] and s.run(x).tolist() == [30, 40, 50]


def test_training_and_validation_in_turn_with_a_step_of_training():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3), np.float32)
    y = x @ np.array([1.0, -2.0, 0.5], np.float32)
    training = Dataset.from_tensor_slices((x[:50], y[:50])).shuffle(seed=1).batch(16)
    validation = Dataset.from_tensor_slices((x[50:], y[50:])).batch(16)
    with wf.Graph() as g:
        iterator = wf.data.Iterator.from_structure((wf.float32, wf.float32), ((None, 3), (None,)))
        train, validate = iterator.make_initializer(training), iterator.make_initializer(validation)
        a, b = iterator.get_next()
        w = wf.Variable(wf.zeros(3), name="w")
        loss = wf.mean((a @ w - b) ** 2)
        gradient, = wf.gradients(loss, [w])
        step = w.assign_sub(0.2 * gradient)
    s = wf.Session(g)
    for _ in range(20):
        s.run(train)
        while True:
            try:
                s.run(step)
            except wf.OutOfRangeError:
                break
    s.run(validate)
    assert s.run(loss).item() < 1e-3


def test_states_of_iterators_in_graphs():
    with wf.Graph() as g:
        iterator = Dataset.range(9).shuffle(seed=1).make_initializable_iterator()
        x, begin = iterator.get_next(), iterator.initializer
    s = wf.Session(g)
    s.run(begin)
    s.run(x)
    state = iterator.state_dict()
    rest = [s.run(x).item() for _ in range(3)]
    iterator.load_state_dict(state)
    assert [s.run(x).item() for _ in range(3)] == rest


def test_errors_by_their_whole_text():
    with wf.Graph():
        iterator = Dataset.range(4).make_initializable_iterator()
        with pytest.raises(wf.InvalidError) as error:
            iterator.make_initializer(Dataset.range(4).batch(2))
        assert str(error.value) == ("make_initializer: the dataset gives i64[2] but the iterator 'iterator' is of i64[] "
                                    "[make_initializer.type]")
        with pytest.raises(wf.InvalidError) as error:
            wf.data.Iterator.from_structure((wf.float32, wf.int64), ((None,),))
        assert str(error.value) == ("Iterator: types is (weft.float32, weft.int64) but shapes is ((None,),); give one shape for each type "
                                    "[Iterator.shapes]")
    with pytest.raises(wf.InvalidError, match="no graph is open here"):
        iterator.get_next()


def test_graphs_print_and_read_back():
    with wf.Graph() as g:
        total = wf.sum(Dataset.range(5).batch(2).make_one_shot_iterator("numbers").get_next())
    again = wf.Graph.parse(str(g))
    assert str(again) == str(g) and 'iterator="numbers"' in str(g)
    with pytest.raises(wf.InvalidError, match=r"the iterator 'numbers' is of the program that made the graph"):
        wf.Session(again).run(again.name_of(again.operations[-1].outputs[0]))
    assert wf.Session(g).run(total).item() == 1


def test_elements_say_what_they_are():
    dataset = Dataset.from_tensor_slices((np.zeros((5, 3), np.float32), ["a"] * 5)).batch(2)
    assert dataset.element_spec == [(wf.float32, (None, 3)), (str, (None,))]
    assert Dataset.range(4).batch(2).map(lambda x: wf.stack([x, x], axis=1)).element_spec == [(wf.int64, (2, 2))]
    assert Dataset.range(5).batch(3).map(lambda x: wf.stack([x, x], axis=1)).element_spec == [(wf.int64, (None, 2))]
