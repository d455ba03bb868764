"""Sizes of traced tensors: they compute like ints, in the graph where they can, and are decided where they cannot."""

import itertools
import threading

import numpy as np
import pytest

import weft as wf


def runs(f, *sizes):
    """What f gives for ones of these sizes, traced and plain, and how often it was traced."""
    traced = wf.function(f)
    for n in sizes:
        x = wf.ones(n)
        assert np.array_equal(traced(x).numpy(), np.asarray(f(x))), n
    return traced.trace_count


@pytest.mark.parametrize("f", [
    lambda x: x * wf.arange(x.shape[0]),
    lambda x: x + wf.arange(1, 2 * x.shape[0] + 1, 2, dtype=wf.float32),
    lambda x: wf.arange(x.shape[0] - 1, -1, -1) * 1,
    lambda x: wf.arange(3, x.shape[0], dtype=wf.int32) + 1,
    lambda x: x * x.shape[0] + x.shape[0] / x,
    lambda x: x * (7 + x.shape[0] - 2 * x.shape[0]),
    lambda x: wf.full(x.shape, 2.0) + x,
    lambda x: x.reshape(x.shape[0], 1) + x.reshape(1, x.shape[0]),
    lambda x: x * (x.shape[0] * 0.5) + x.shape[0] ** 2,
    lambda x: x * (x.shape[0] ** -0.5) + 1 / x.shape[0] + x.shape[0] / 3,
])
def test_sizes_stay_symbols(f):
    assert runs(f, *range(4, 20)) == 1


@pytest.mark.parametrize("f", [
    lambda x: x * 2 if x.shape[0] in {4: "four"} else x,
    lambda x: x * {(4,): 2.0}.get(x.shape, 3.0),
    lambda x: x / 2 if x.shape[0] == 4.0 else x,
    lambda x: x * (1 if x.shape[0] < 4.5 else 2),
    lambda x: x * len({4, x.shape[0]}),
    lambda x: x * float(x.shape[0]) + x.shape[0] ** 9,
    lambda x: x * (100 % x.shape[0]) + divmod(x.shape[0], 3)[1],
    lambda x: x * (x.shape[0] & 3) + (1 << x.shape[0]) + abs(-x.shape[0]),
    lambda x: x * len(f"{x.shape[0]:04d}"),
    lambda x: x * len(f"{x.shape[0]}"),
])
def test_what_only_numbers_can_do_is_decided(f):
    assert runs(f, 4, 5, 4) == 2


def test_the_text_of_a_size_is_its_number_and_repr_a_symbol():
    seen = []
    wf.function(lambda x: seen.append(f"{x.shape[0]} {x.shape[0]!r}") or x * 1)(wf.ones(4))
    assert seen == ["4 n"]


def test_small_integers_cannot_count_an_unknown_size():
    with pytest.raises(wf.InvalidError, match=r"stop is n, which only a run knows, and int8 may not hold it.*arange.concrete"):
        wf.function(lambda x: wf.arange(x.shape[0], dtype=wf.int8))(wf.ones(4))


def test_steps_of_a_graph_count_too():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None,), "x")
        y = x * wf.arange(x.shape[0])
    assert wf.Session(g).run(y, {x: np.ones(5, np.float32)}).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_no_update_is_lost_between_threads():
    count = wf.Variable(0.0)
    x = wf.ones(20000)

    @wf.function
    def step(x):
        count.assign_add(1.0)
        return wf.exp(wf.sin(x))

    step(x)
    count.assign(0.0)
    threads = [threading.Thread(target=lambda: [step(x) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.item() == 200.0


SIZES_GIVEN = {
    "a quotient": lambda x: x.shape[0] / 3,
    "in a dict": lambda x: {"n": x.shape[0] + 2**40, "mean_over": 1 / x.shape[0]},
    "a size": lambda x: x.shape[0],
    "a shape": lambda x: x.shape,
    "nested": lambda x: [x.shape[0] * 2, (x.shape[0] ** 0.5, x.shape[0] // 2, -x.shape[0])],
    "how many elements": lambda x: x.size,
    "beside others": lambda x: (x.shape[0] * 0.1, 3, 2.5, True, None, "text"),
    "beside tensors": lambda x: (x.shape[1] / 7, x.sum().item() if False else x.shape[0]),
}


@pytest.mark.parametrize("name", SIZES_GIVEN)
def test_sizes_that_a_function_gives_are_the_numbers_of_python(name):
    f = SIZES_GIVEN[name]
    traced = wf.function(f)
    for rows in (7, 5, 11):
        x = wf.ones((rows, 2))
        assert repr(traced(x)) == repr(f(x))  # int and float, to the last bit
    assert traced.trace_count == 1
    inner = wf.function(lambda x: x.shape[0] / 3)
    assert wf.function(lambda x: inner(x) * 2)(wf.ones(7)) == 7 / 3 * 2


@pytest.mark.parametrize("of", [lambda n: n, lambda n: n / 3], ids=["size", "float"])
def test_a_size_is_not_none(of):
    with wf.Graph():
        x = wf.placeholder("f32[n, 3]")
        n = of(x.shape[0])
        assert not n == None and n != None and not None == n and None not in (n,)  # noqa: E711
        assert x.shape != (None, 3) and (n,) != (None,) and wf.TensorSpec((x.shape[0],)) != wf.TensorSpec((None,))
        with pytest.raises(TypeError, match="'<' not supported between instances of '.*' and 'NoneType'"):
            n < None


def test_slices_of_any_size_are_those_of_numpy():
    places = (None, 0, 1, 3, 7, -1, -3, -7)
    for start, stop, step in itertools.product(places, places, (None, 2, -1, -2)):
        with wf.Graph() as g:
            x = wf.placeholder("float32", (None,))
            y = x[start:stop:step]
            ones = wf.ones((y.shape[0],))
        session = wf.Session(g)
        for count in (0, 1, 3, 4, 9):
            values = np.arange(count, dtype=np.float32)
            got, like = session.run([y, ones], {x: values})
            assert got.tolist() == values[start:stop:step].tolist() and like.shape == got.shape, (start, stop, step, count)


def test_sizes_of_many_slices_in_a_row_stay_short():
    with wf.Graph() as g:
        x = wf.placeholder("float32", (None,))
        y = x.diff(n=40)
    assert len(str(g)) < 100_000
    values = np.random.default_rng(0).normal(size=50).astype(np.float32)
    np.testing.assert_array_equal(wf.Session(g).run(y, {x: values}), wf.tensor(values).diff(n=40).numpy())
