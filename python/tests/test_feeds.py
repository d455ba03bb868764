"""What sessions are fed and asked for: numbers that fit, each value once, trees that keep their type."""

import collections
import dataclasses
import inspect

import numpy as np
import pytest
import weft as wf


def runner(dtype, shape=(None,)):
    """Feeds a value of that dtype, and fetches it."""
    with wf.Graph() as g:
        x = wf.placeholder(dtype, shape=shape, name="x")
        y = wf.identity(wf.astype(x, wf.float32) if dtype is wf.bfloat16 else x, "y")
    session = wf.Session(g)
    return lambda value: session.run(y, {x: value})


OVERFLOWS = [
    (wf.int32, 2 ** 40), (wf.int32, [2 ** 40]), (wf.int32, np.int64(2 ** 40)), (wf.int32, [np.int64(2 ** 40)]),
    (wf.int32, np.array([1, 2 ** 40])), (wf.int64, np.array([2 ** 63], np.uint64)), (wf.uint8, np.array([-1])),
    (wf.uint64, np.array([-1])), (wf.float16, np.array([65520])), (wf.float16, np.array([65520.0], np.float32)),
    (wf.bfloat16, np.array([3.4e38], np.float32)), (wf.float32, 1e300), (wf.float32, np.float64(1e300)),
    (wf.float32, np.full(3, 1e300)), (wf.float32, np.full((4, 6), -1e300)[:, ::2]), (wf.float32, [np.full(3, 1e300)]),
    (wf.complex64, np.full(3, 1e300j)), (wf.complex64, np.full(3, 1e300)), (wf.int32, [np.float64(1e300)]),
]


@pytest.mark.parametrize("dtype, value", OVERFLOWS)
def test_numbers_that_do_not_fit_raise(dtype, value):
    run = runner(dtype, (None,) * np.ndim(value))
    with pytest.raises(wf.TooLargeError, match=rf"Session: feed holds .*, but {dtype} holds .* \[Session.fits\](.*\n)+"
                                               r"called at .*test_feeds.py:\d+"):
        run(value)


@pytest.mark.parametrize("value", [1.5, np.float64(1.5), [1.5], [np.float64(1.5)], [np.nan], [np.float32("inf")]])
def test_a_fraction_is_no_integer(value):
    with pytest.raises(wf.Error, match=r"\[Session.(argument|feed)\]"):
        runner(wf.int32, (None,) * np.ndim(value))(value)


def test_numbers_that_fit_are_converted():
    assert runner(wf.int32)(np.array([-2 ** 31, 2 ** 31 - 1])).tolist() == [-2 ** 31, 2 ** 31 - 1]
    assert runner(wf.uint64)(np.array([2 ** 62])).tolist() == [2 ** 62]
    assert runner(wf.int32)([np.float64(3.0)]).tolist() == [3]
    assert runner(wf.float16)(np.array([65519])).tolist() == [65504.0]
    assert runner(wf.float32)(np.array([np.inf, -np.inf, 3.4e38, 0.1])).tolist()[:2] == [np.inf, -np.inf]
    assert np.isnan(runner(wf.float32)(np.array([np.nan]))).all()
    assert runner(wf.float32)(np.array([2 ** 62])).tolist() == [2.0 ** 62]  # rounding is no loss
    assert runner(wf.float64, ())(np.float64(1e300)) == 1e300
    assert runner(wf.float32)(np.zeros(0)).shape == runner(wf.int8)(np.zeros(0, np.int64)).shape == (0,)
    assert runner(wf.complex64)(np.array([1.0, np.inf])).tolist() == [1, complex(np.inf, 0)]


def test_numbers_of_arrays_in_lists_fit_like_pythons():
    with pytest.raises(wf.TooLargeError, match=r"tensor: .* holds 1099511627776, but int32 holds"):
        wf.tensor([np.int64(2 ** 40), 3], dtype=wf.int32)
    assert wf.tensor([np.int64(2), 3], dtype=wf.int32).tolist() == [2, 3]


def test_a_value_is_fed_once():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        y = x * 2.0
    session = wf.Session(g)
    with pytest.raises(wf.InvalidError, match=r"x is fed twice, by feed 1 again; feed it once, by the value or by its name "
                                              r"\[Session.feed\](.*\n)+called at .*test_feeds.py:\d+"):
        session.run(y, {x: 1.0, "x:0": 2.0})
    with pytest.raises(wf.InvalidError, match="x is fed twice"):
        session.make_callable(y, [x, "x"])(1.0, 2.0)
    assert session.run(y, {"x:0": 2.0}) == 4.0


Pair = collections.namedtuple("Pair", "loss other")


@dataclasses.dataclass
class Parts:
    loss: object
    rest: list


@dataclasses.dataclass(kw_only=True)
class ByName:
    b: object
    a: object


@pytest.fixture
def net():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        loss = wf.identity(x * 2.0, "loss")
        wf.identity(loss + 1.0, "more")
        v = wf.Variable(1.0, name="v")
        wf.group(v.assign(loss), name="step")
    return wf.Session(g), {x: 3.0}


def test_trees_of_fetches_keep_their_type(net):
    session, feeds = net
    out = session.run(Pair("loss:0", "more"), feeds)
    assert type(out) is Pair and out == Pair(6.0, 7.0)
    out = session.run(collections.OrderedDict([("z", "loss"), ("a", Pair("more", "step"))]), feeds)
    assert type(out) is collections.OrderedDict and list(out.items()) == [("z", 6.0), ("a", Pair(7.0, None))]
    out = session.run(Parts("loss", ["more:0", ("loss",), {"b": "loss", "a": "more"}]), feeds)
    assert type(out) is Parts and out == Parts(6.0, [7.0, (6.0,), {"b": 6.0, "a": 7.0}]) and list(out.rest[2]) == ["b", "a"]
    assert session.run(ByName(a="loss", b="more"), feeds) == ByName(a=6.0, b=7.0)
    assert session.make_callable(Pair("loss", "more"), ["x"])(4.0) == Pair(8.0, 9.0)
    assert session.run(["loss", None], feeds) == [6.0, None]
    assert len(session.plan(Pair("loss", "more"), feeds)) > 0


def test_what_is_no_fetch_raises(net):
    session, feeds = net
    for wrong in (wf.float32, b"loss", len, 3):
        with pytest.raises(wf.WrongTypeError, match=r"Session: cannot fetch .* \[Session.fetch\]"):
            session.run(Pair("loss", wrong), feeds)
    with pytest.raises(wf.InvalidError, match=r"no operation named 'los'; did you mean 'loss'\? \[Graph.name\]"):
        session.run(Pair("los", "more"), feeds)


def test_mistakes_around_feeds_are_named(net):
    session, feeds = net
    with pytest.raises(wf.InvalidError, match=r"the operation 'step' gives no value that could be fed.* \[Session.feed\]"):
        session.run("loss", {"step": 1.0})
    with pytest.raises(wf.InvalidError, match=r"no value named 'xx'; did you mean 'x'\? \[Graph.name\]"):
        session.run("loss", {"xx": 1.0})
    for wrong in (session.graph.tensor("x"), "x"):
        with pytest.raises(wf.WrongTypeError, match=r"feed_list is a list .*make_callable\(fetches, \[x\]\) \[Session.callable\]"):
            session.make_callable("loss", wrong)
    with pytest.raises(wf.WrongTypeError, match=r"cannot feed 3; .*\[Session.feed\]"):
        session.run("loss", {3: 1.0})
    with pytest.raises(wf.WrongTypeError, match=r"feeds are \{value or name: what is fed\}, but got \[1.0\] \[Session.feed\]"):
        session.run("loss", [1.0])
    with pytest.raises(wf.WrongTypeError, match=r"Session: needs a graph to run, but got 3; .*\[Session.graph\]"):
        wf.Session(3)


def test_feed_errors_tell_the_line_of_the_placeholder_from_that_of_the_run():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, 2), name="x")
        made = inspect.currentframe().f_lineno - 1
        y = wf.exp(x)
        i = wf.placeholder(wf.float32, shape=(), name="i")
    session = wf.Session(g)
    for feeds in ({}, {x: np.ones((2, 3))}, {x: np.array(["a"])}, {x: 1.0, "x:0": 2.0}, {x: [[1.0], [1.0, 2.0]]}):
        with pytest.raises(wf.Error) as error:
            session.run(y, feeds)
        run = error.traceback[0].lineno + 1
        assert error.value.notes == [f"x was made at {__file__}:{made}", f"called at {__file__}:{run}"]
    with pytest.raises(wf.InvalidError) as error:
        session.run(y, {x: np.ones((1, 2)), i: 1.0})
    assert error.value.notes[0] == f"i was made at {__file__}:{made + 3}"
    with pytest.raises(wf.InvalidError) as error:
        session.run(y * 2.0, {y: np.ones(3)})
    assert error.value.notes[0] == f"Exp was made at {__file__}:{made + 2}"


def test_runs_without_elements_give_the_logarithm_of_an_empty_sum():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, None))
        results = [wf.logsumexp(x), wf.logsumexp(x, axis=0)]
    with wf.Session(g) as session:
        whole, columns = session.run(results, {x: np.zeros((0, 3))})
        assert whole == -np.inf and (columns == np.full(3, -np.inf)).all()
        whole, columns = session.run(results, {x: np.zeros((2, 3))})
        assert np.allclose(whole, np.log(6)) and np.allclose(columns, np.log(2))
