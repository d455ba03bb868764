"""trace_log(): what changed, by the user's names, and the line."""

import dataclasses
import inspect
import warnings

import pytest

import weft as wf

ONE = wf.tensor(1.0)


def here():
    """The line that calls it."""
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@dataclasses.dataclass
class Options:
    rate: float
    offset: wf.Tensor


def test_arguments_have_their_names_and_the_call_its_line():
    f = wf.function(lambda x, params: x + params["w"][0])
    f(wf.ones(3), {"w": [wf.ones(3)]})
    line = (f(wf.ones(3), {"w": [wf.ones(3, dtype=wf.float64)]}), here())[1]
    assert f.trace_log()[1] == f"`params[\"w\"][0]` was float32 and is float64; called at {line}"
    line = (f(wf.ones((2, 3)), {"w": [wf.ones(3)]}), here())[1]
    assert f.trace_log()[2] == f"`x` had 1 axes and has 2; called at {line}"
    line = (f(wf.ones(1), {"w": [wf.ones(3)]}), here())[1]
    assert f.trace_log()[3] == ("axis 0 of `x` had size n and has 1; sizes 0 and 1 are traces of their own; "
                                f"called at {line}")
    text = str(f.get_concrete_function(wf.ones(3), {"w": [wf.ones(3)]}))
    assert "(%x: f32[n] at" in text and "%params_w_0: f32[m] at" in text


CHANGES = [
    (lambda x, n: x * n, (ONE, 2), (ONE, 3), "`n` was 2 and is 3"),
    (lambda x, n: x * n, (ONE, 2), (ONE, ONE), "`n` was 2 and is a tensor"),
    (lambda x, *rest: x, (ONE, 2), (ONE, 2, "mean"), "`rest[1]` is given, 'mean'"),
    (lambda x, *rest: x, (ONE, 2, "mean"), (ONE, 2), "`rest[1]`, which was 'mean', is not given"),
    (lambda x, sizes: x, (ONE, [1, 2]), (ONE, [1, 3]), "`sizes[1]` was 2 and is 3"),
    (lambda x, sizes: x, (ONE, [1, 2]), (ONE, [1]), "`sizes` was a list of 2 and is a list of 1"),
    (lambda x, sizes: x, (ONE, [1, 2]), (ONE, (1, 2)), "`sizes` was a list of 2 and is a tuple of 2"),
    (lambda x, named: x, (ONE, {"a": 1, "b": 2}), (ONE, {"b": 2, "a": 1}),
     "`named` was a dict with the keys 'a', 'b' and is a dict with the keys 'b', 'a'"),
    (lambda x, at: x, (ONE, Options(0.5, ONE)), (ONE, Options(0.25, ONE)), "`at.rate` was 0.5 and is 0.25"),
    (lambda x, f: f(x), (ONE, wf.exp), (ONE, wf.log), "`f` was "),
    (lambda x, box: x, (ONE, object()), (ONE, object()), "`box` is another object now"),
]


@pytest.mark.parametrize("f, first, second, words", CHANGES, ids=[case[3] for case in CHANGES])
def test_what_is_no_tensor(f, first, second, words):
    traced = wf.function(f)
    traced(*first)
    traced(*second)
    assert traced.trace_log()[1].startswith(words) and "pass numbers that vary as tensors; called at " in traced.trace_log()[1]


def test_static_arguments():
    f = wf.function(lambda x, options: x * options[0], static_argnums=1)
    f(ONE, (2.0, frozenset("a")))
    f(ONE, (2.0, frozenset("b")))
    assert f.trace_log()[1].startswith("`options` was (2.0, frozenset({'a'})) and is (2.0, frozenset({'b'}))")


class Model:
    def __init__(self):
        self.rates = [0.5, {"deep": 1.0}]
        self.weights = [wf.Variable(1.0)]
        self.seen = {1, 2}

    def __call__(self, x):
        return x * self.rates[0] * self.rates[1]["deep"] * self.weights[0] * len(self.seen)


def test_containers_say_which_element_changed():
    model = Model()
    f = wf.function(model, max_traces=64)
    f(ONE)
    model.rates[1]["deep"] = 2.0
    f(ONE)
    assert "`Model.rates[1]['deep']`, read at " in f.trace_log()[1]
    assert ", was 1.0 and is 2.0; pass what varies as a tensor; called at " in f.trace_log()[1]
    model.rates.append(3.0)
    f(ONE)
    assert "`Model.rates`, read at " in f.trace_log()[2] and ", had 2 elements and has 3" in f.trace_log()[2]
    model.weights[0] = wf.Variable(2.0)
    f(ONE)
    assert "`Model.weights[0]`, read at " in f.trace_log()[3]
    assert ", is another weft.Variable now; assign to the one that there was" in f.trace_log()[3]
    model.seen.add(3)
    f(ONE)
    assert "`Model.seen`, read at " in f.trace_log()[4] and ", holds something else now" in f.trace_log()[4]


def by_range(x):
    s = 0.0
    for i in range(len(x)):  # here
        s = s + x[i] * i
    return s


def by_length(x):
    if len(x) > 3:  # here
        return x * 2.0
    return x


def by_bytes(x):
    return x * x.nbytes  # here


def by_items(x):
    first, *rest = list(x)  # here
    return first + len(rest)


def by_nested(x):
    def inner(y):
        return [y[i] for i in range(len(y))]  # here

    return inner(x)[0]


@pytest.mark.parametrize("f", (by_range, by_length, by_bytes, by_items, by_nested), ids=lambda f: f.__name__)
def test_a_size_that_was_taken_for_granted_has_the_line_that_did(f):
    traced = wf.function(f)
    traced(wf.ones(3))
    traced(wf.ones(5))
    lines, first = inspect.getsourcelines(f)
    line = first + next(k for k, text in enumerate(lines) if "# here" in text)
    log = traced.trace_log()[1]
    assert log.startswith("it was assumed that ") and f" at {__file__}:{line}, and now n = 5; called at " in log


@pytest.fixture
def caught():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def test_the_fifth_trace_warns_once_with_its_reason(caught):
    @wf.function
    def scaled(x, rate):
        return x * rate

    for rate in range(4):
        scaled(ONE, rate)
    assert not caught
    line = (scaled(ONE, 4), here())[1]
    for rate in range(5, 8):
        scaled(ONE, rate)
    assert len(caught) == 1 and caught[0].category is UserWarning and f"{caught[0].filename}:{caught[0].lineno}" == line
    assert str(caught[0].message) == (f"scaled: was traced 5 times, the last time because {scaled.trace_log()[4]}; a trace takes as long as "
                                      "many calls: see trace_log(), and give max_traces if so many are meant [scaled.traces]")
    assert "`rate` was " in str(caught[0].message) and "and is 4; pass numbers that vary as tensors" in str(caught[0].message)


def test_who_gives_max_traces_is_not_warned(caught):
    class Model:
        @wf.function(max_traces=64)
        def scaled(self, x, rate):
            return x * rate

    f, model = wf.function(lambda x, rate: x * rate, max_traces=64), Model()
    for rate in range(8):
        f(ONE, rate), model.scaled(ONE, rate)
    assert f.trace_count == 8 and not caught
