"""What a trace changes outside of itself: traced tensors that stay behind are refused, of the rest a warning tells."""

import collections
import copy
import random
import warnings

import numpy as np
import pytest

import weft as wf

ONE = wf.tensor(1.0)
LAST = None


class Box:
    def __init__(self, h=None):
        self.h, self.n, self.items = h, 0, []


BOX, CACHE, SEEN, QUEUE = Box(), {}, [], collections.deque()


def attribute(x):
    BOX.h = x * 2.0
    return x


def inner_attribute(x):
    BOX.items.append(Box(x * 2.0))
    return x


def by_setattr(x):
    setattr(BOX, "late", x * 2.0)  # noqa: B010
    return x


def item(x):
    CACHE["y"] = x * 2.0
    return x


def appended(x):
    SEEN.append((1, x * 2.0))
    return x


def extended(x):
    QUEUE.extend([x * 2.0])
    return x


def global_name(x):
    global LAST
    LAST = x * 2.0
    return x


@pytest.mark.parametrize("f", [attribute, inner_attribute, by_setattr, item, appended, extended, global_name])
def test_a_traced_tensor_does_not_stay_behind(f):
    with pytest.raises(wf.WrongTypeError, match=r"traced float32\[\].*\[function.leak\]\nat .*test_changes.py:\d+"):
        wf.function(f)(ONE)
    BOX.__init__(), CACHE.clear(), SEEN.clear(), QUEUE.clear()


def test_a_nonlocal_name_keeps_no_traced_tensor():
    last = None

    def f(x):
        nonlocal last
        last = x * 2.0
        return x

    with pytest.raises(wf.WrongTypeError, match=r"`last` is left with a traced"):
        wf.function(f)(ONE)


def counted(x):
    BOX.n += 1
    return x


def gone_on(x, numbers=iter(range(100))):  # noqa: B008
    return x * next(numbers)


@pytest.mark.parametrize(("f", "text"), [
    (counted, "`BOX.n` is changed"), (lambda x: (CACHE.update(k=len(CACHE)), x)[1], "what `CACHE` holds is changed"),
    (gone_on, r"next\(\) goes on"), (lambda x: x * random.random(), "`random` draws"),
    (lambda x: x * random.randint(1, 3), "`randint` draws"), (lambda x: x * np.random.rand(), "`rand` draws")])
def test_a_warning_tells_of_other_changes(f, text):
    with pytest.warns(UserWarning, match=text) as told:
        wf.function(f)(ONE)
    assert len(told) == 1 and told[0].filename == __file__
    CACHE.clear()


def of_its_own(x):
    """Changes nothing that others see."""
    box, items, table = Box(), [], dict(a=1)  # noqa: C408
    box.h, box.n = x, 1
    items.append(x)
    table["b"] = x
    twin, deep = copy.copy(box), copy.deepcopy(Box())
    twin.h = x * 2.0
    deep.items.append(x)
    rows = [[x] for _ in range(2)]
    rows[0].append(x)
    counter = 0

    def step():
        nonlocal counter
        counter = counter + 1
        items.append(x * counter)

    step()
    numbers = iter([1.0, 2.0])
    drawn = random.Random(0).random() + np.random.default_rng(0).random()
    return box.h + items[-1] + table["b"] + twin.h + rows[0][1] * next(numbers) + drawn * 0


def test_what_a_trace_makes_it_may_change():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wf.function(of_its_own)(ONE).item() == of_its_own(ONE).item() == 6.0


def test_keywords_are_the_functions_own():
    def f(x, **words):
        words["k"] = x * words.pop("scale")
        return words["k"]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wf.function(lambda x: f(x, scale=2.0))(ONE).item() == wf.function(f)(ONE, scale=2.0).item() == 2.0


def test_a_container_among_the_arguments_is_a_copy():
    def f(x, state):
        state["h"] = x * 2.0
        return state

    state = {}
    with pytest.warns(UserWarning, match=r"a dict among the arguments.*\[function.argument_changed\]"):
        assert wf.function(f)(ONE, state)["h"].item() == 2.0
    assert state == {}


def test_what_is_set_to_what_it_was_is_no_change():
    def f(x):
        BOX.n = 0
        return x

    BOX.n = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wf.function(f)(ONE)


def test_variables_and_modules_that_nobody_keeps_are_refused():
    def draws_a_variable(x):
        return x * wf.Variable(2.0)

    def draws_a_layer(x):
        layer = wf.nn.Linear(1, 1)
        return layer(wf.reshape(x, (1, 1)))

    def draws_layers(x):
        layers = [wf.nn.LayerNorm(1), wf.nn.ReLU()]
        return wf.nn.Sequential(*layers)(wf.reshape(x, (1, 1)))

    def draws_in_a_helper(x):
        return draws_a_layer(x) * 2.0

    def draws_in_a_branch(x):
        return wf.cond(x > 0, lambda: draws_a_layer(x), lambda: x.reshape((1, 1)))

    def draws_and_drops(x):
        BOX.h = wf.nn.Linear(1, 1)
        y, BOX.h = BOX.h(wf.reshape(x, (1, 1))), None
        return y

    for f, kind in ((draws_a_variable, "Variable"), (draws_a_layer, "module, Linear,"), (draws_layers, "module, Sequential,"),
                    (draws_in_a_helper, "module, Linear,"), (draws_in_a_branch, "module, Linear,"),
                    (draws_and_drops, "module, Linear,")):
        with pytest.raises(wf.InvalidError, match=rf"(?s)a {kind} is made while .* kept by nobody.*test_changes\.py") as caught:
            wf.function(f)(ONE)
        assert caught.value.law == "function.variable"


def test_modules_that_are_kept_or_have_no_variables_are_made_once():
    class Lazy:
        layer, table, layers = None, {}, []

        def __call__(self, x):
            if self.layer is None:
                self.layer = wf.nn.Linear(1, 1)
                self.table["norm"] = wf.nn.LayerNorm(1)
                self.layers.append(wf.nn.Sequential(wf.nn.Linear(1, 1), wf.nn.ReLU()))
            x = self.layers[0](self.table["norm"](self.layer(x)))
            return wf.nn.Dropout(0.5).eval()(wf.nn.Sequential(wf.nn.ReLU())(x))

    lazy, x = Lazy(), wf.ones(1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the list and the dict, which change while the function is traced
        traced = wf.function(lazy)
        first = traced(x)
    assert first.item() == traced(x).item() == lazy(x).item()


def test_a_module_that_is_made_when_its_attribute_is_found_empty_is_meant_to_stay():
    class Lazy:
        layer = None

        def __call__(self, x):
            if self.layer is None:
                self.layer = wf.nn.MultiheadAttention(4, 2)
            return self.layer(x, x, x)[0]

    class Anew(Lazy):
        def __call__(self, x):
            self.layer = wf.nn.Linear(4, 4)
            return self.layer(x)

    x = wf.ones((3, 2, 4))
    lazy = Lazy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = wf.function(lazy)
        assert traced(x).tolist() == traced(x).tolist() == lazy(x).tolist()
    with pytest.warns(UserWarning, match=r"is changed while the function is traced.*\[function.changed\]"):
        wf.function(Anew())(x)
