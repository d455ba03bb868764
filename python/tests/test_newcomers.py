"""Programs as newcomers write them give the same with and without a trace, and so do their gradients; or they are refused."""

import collections
import warnings

import newcomer_loops  # noqa: F401
import newcomer_values  # noqa: F401
import pytest
import weft as wf
from newcomer_table import PROGRAMS, S, X

_NAMES = [f"{f.__name__}-{k}" for k, (f, _) in enumerate(PROGRAMS)]


def _is_floating(x):
    return isinstance(x, wf.Tensor) and "floating" in x.dtype.kind


def _leaves(tree):
    return wf._tree.flatten(tree)[0]


def _same(a, b):
    a, b = ([wf.tensor(x) if isinstance(x, (int, float)) else x for x in _leaves(tree)] for tree in (a, b))
    return [(x.shape, x.tolist()) for x in a] == [(x.shape, x.tolist()) for x in b]


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=_NAMES)
def test_a_trace_gives_what_python_gives(f, arguments):
    expected, traced = f(*arguments), wf.function(f)
    for _ in range(2):
        assert _same(traced(*arguments), expected)


_WITH_GRADIENTS = [(f, arguments) for f, arguments in PROGRAMS if any(map(_is_floating, arguments))]


@pytest.mark.parametrize(("f", "arguments"), _WITH_GRADIENTS, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(_WITH_GRADIENTS)])
def test_gradients_are_those_of_python(f, arguments):
    places = [i for i, x in enumerate(arguments) if _is_floating(x)]

    def total(*given):
        values = list(arguments)
        for i, x in zip(places, given):
            values[i] = x
        return sum([wf.sum(x) for x in _leaves(f(*values)) if _is_floating(x)], start=0.0 * wf.sum(given[0]))

    given, argnums = [arguments[i] for i in places], tuple(range(len(places)))
    expected = wf.grad(total, argnums=argnums)(*given)
    assert _same(wf.function(wf.grad(total, argnums=argnums))(*given), expected)
    assert _same(wf.grad(wf.function(total), argnums=argnums)(*given), expected)


def test_there_are_many():
    assert len({f for f, _ in PROGRAMS}) >= 100


# What cannot be captured, and the law that says so.

class Total:
    value = 0.0


def dict_state(x):
    state = {"sum": 0.0}
    for v in x:
        state["sum"] = state["sum"] + v
    return state["sum"]


def attribute_state(x):
    total = Total()
    for v in x:
        total.value += v
    return total.value


def none_or_tensor(s):
    y = None
    if s > 0:
        y = s
    return s if y is None else s + 1


def chosen_function(s):
    f = wf.sin if s > 0 else wf.cos
    return f(s)


def list_by_insert(x):
    out = []
    for v in x:
        out.insert(0, v)
    return wf.stack(out)


def swapped_items(x):
    items = [x[0], x[1]]
    if items[0] > items[1]:
        items[0], items[1] = items[1], items[0]
    return wf.stack(items)


def variable_inside(x):
    total = wf.Variable(0.0)
    for v in x:
        total.assign_add(v)
    return total.read() * 1.0


def variable_given(x):
    total = wf.Variable(0.0)
    total.assign_add(x[0])
    return total


def variables_in_a_list(x):
    both = [wf.Variable(1.0), wf.Variable(2.0)]
    return x * both[0] * both[1]


REFUSED = {dict_state: "host_item", attribute_state: "host_attribute", none_or_tensor: "if_kind", chosen_function: "if_kind",
           list_by_insert: "host_method", swapped_items: "host_item", variable_inside: "variable", variable_given: "variable",
           variables_in_a_list: "variable"}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_cannot_be_captured_is_refused(f):
    argument = S if f in (none_or_tensor, chosen_function) else X
    f(argument)
    for _ in range(2):
        with pytest.raises(wf.Error, match=rf"\[function.{REFUSED[f]}\]\nat {__file__}:\d+"):
            wf.function(f)(argument)


def test_a_variable_that_is_kept_is_made_once():
    kept = {}

    @wf.function
    def f(x):
        if "w" not in kept:
            kept["w"] = wf.Variable(1.0)
        kept["w"].assign_add(1.0)
        return kept["w"] * x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [float(f(wf.tensor(1.0))) for _ in range(3)] == [2.0, 3.0, 4.0]


def test_a_change_of_an_attribute_at_the_first_call_is_told():
    class Model:
        steps = 0

        def __call__(self, x):
            self.steps += 1
            return x * self.steps

    with pytest.warns(UserWarning, match=r"steps` is changed while the function is traced.*\[function.changed\]"):
        wf.function(Model())(wf.tensor(1.0))


def test_lists_of_a_default_dict_are_those_of_the_trace():
    @wf.function
    def f(x):
        groups = collections.defaultdict(list)
        for i in range(3):
            groups[i % 2].append(x * i)
        return sum(groups[0]) + sum(groups[1])

    assert f(X).tolist() == [3.0, -6.0, 9.0]
