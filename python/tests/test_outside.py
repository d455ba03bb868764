"""What a traced function reads outside of its arguments is checked at every call."""

import array
import collections
import dataclasses
import functools
import gc
import types
import warnings
import weakref

import numpy as np
import pytest

import weft as wf

RATE = 0.5
SIZES = {"wide": [2.0, 3.0]}


def of_global(x):
    return x * RATE


def of_container(x):
    return x * SIZES["wide"][1]


class Layer:
    def __init__(self, factor):
        self.factor, self.training = factor, True

    def __call__(self, x):
        return x * self.factor if self.training else x


class Model:
    slope = 1.0

    def __init__(self, *factors):
        self.layers = [Layer(factor) for factor in factors]
        self.calls = 0

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.slope

    def counted(self, x):
        self.calls += 1
        return x + self.calls

    @property
    def last(self):
        return self.layers[-1].factor


ONE = wf.tensor(1.0)


def test_globals_and_containers(monkeypatch):
    f, g = wf.function(of_global), wf.function(of_container)
    assert (f(ONE).item(), g(ONE).item()) == (0.5, 3.0)
    monkeypatch.setitem(globals(), "RATE", 0.25)
    monkeypatch.setitem(SIZES, "wide", [2.0, 4.0])
    assert (f(ONE).item(), g(ONE).item()) == (0.25, 4.0)
    SIZES["wide"][1] = 5.0
    assert g(ONE).item() == 5.0
    SIZES["other"] = 1.0
    assert g(ONE).item() == 5.0
    del SIZES["other"]
    assert f.trace_count == 2
    assert "`RATE`, read at " in f.trace_log()[1] and "test_outside.py:" in f.trace_log()[1]
    assert "was 0.5 and is 0.25" in f.trace_log()[1]


def test_attributes_of_objects_in_containers():
    model = Model(2.0, 3.0)
    f = wf.function(model)
    assert f(ONE).item() == 6.0
    model.layers[1].training = False
    assert f(ONE).item() == 2.0
    assert "`Layer.training`" in f.trace_log()[1] and "was True and is False" in f.trace_log()[1]
    model.layers.append(Layer(10.0))
    assert f(ONE).item() == 20.0
    model.slope = 2.0  # of the instance, where the class had one
    assert f(ONE).item() == 40.0
    model.layers[2].factor = 10.0
    f(ONE)
    assert f.trace_count == 4


def test_attributes_by_another_name_and_of_properties():
    model = Model(2.0)

    @wf.function
    def f(x):
        inner = model.layers[0]
        return x * inner.factor + model.last

    assert f(ONE).item() == 4.0
    model.layers[0].factor = 3.0
    assert f(ONE).item() == 6.0


def test_methods_that_are_replaced(monkeypatch):
    model = Model(2.0)
    f = wf.function(lambda x: model(x))
    assert f(ONE).item() == 2.0
    monkeypatch.setattr(Layer, "__call__", lambda self, x: x + 1.0)
    model.layers[0].factor = 5.0  # it was read, so it is looked at
    assert f(ONE).item() == 2.0 and f.trace_count == 2


def test_what_the_trace_wrote_is_not_checked():
    model = Model()
    f = wf.function(model.counted)
    with pytest.warns(UserWarning, match=r"`Model.calls` is changed .*\[function.changed\]"):
        f(ONE)
    assert [f(ONE).item() for _ in range(3)] == [2.0, 2.0, 2.0] and f.trace_count == 1


def test_functions_without_source():
    space = {"wf": wf, "factor": 2.0}
    exec("def outer(x):\n    return inner(x) * model.slope\ndef inner(x):\n    return x * factor", space)
    space["model"] = Model()
    for rewrite in (True, False):
        space["factor"], space["model"].slope = 2.0, 1.0
        f = wf.function(space["outer"], rewrite=rewrite)
        assert f(ONE).item() == 2.0
        space["factor"] = 3.0
        assert f(ONE).item() == 3.0
        space["model"].slope = 2.0
        assert f(ONE).item() == 6.0


class Helpers:
    def halved(self, x):
        return x / 2.0

    @staticmethod
    def doubled(x):
        return x * 2.0

    @classmethod
    def tripled(cls, x):
        return x * 3.0


def test_static_and_class_methods():
    helpers = Helpers()
    space = {"helpers": helpers}
    exec("def without(x):\n    return helpers.doubled(x) + helpers.tripled(x)", space)
    for f in (wf.function(space["without"]), wf.function(lambda x: helpers.doubled(x) + helpers.tripled(x))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [f(ONE).item(), f(ONE).item()] == [5.0, 5.0] and f.trace_count == 1
        helpers.doubled = lambda x: x
        assert f(ONE).item() == 4.0
        del helpers.doubled
        assert f(ONE).item() == 5.0
        helpers.tripled = lambda x: x
        assert f(ONE).item() == 3.0
        del helpers.tripled


def test_a_method_that_an_object_gets_of_its_own():
    helpers = Helpers()
    f = wf.function(lambda x: helpers.halved(x))
    assert f(ONE).item() == 0.5
    helpers.halved = lambda x: x * 7.0
    assert f(ONE).item() == 7.0
    assert "`halved`" in str(f.trace_log())
    helpers.halved = lambda x: x * 8.0
    assert f(ONE).item() == 8.0


def test_a_function_that_calls_a_function():
    scale = 2.0
    inner = wf.function(lambda x: x * scale)
    outer = wf.function(lambda x: inner(x) + 1.0)
    assert outer(ONE).item() == 3.0
    scale = 3.0
    assert outer(ONE).item() == 4.0
    slope = wf.function(lambda x: wf.grad(inner)(x))
    assert slope(ONE).item() == 3.0
    scale = 4.0
    assert slope(ONE).item() == 4.0


def test_minus_zero_is_another_number():
    zero = 0.0
    f = wf.function(lambda x: x / zero)
    assert f(ONE).item() == np.inf
    zero = -0.0
    assert f(ONE).item() == -np.inf
    g = wf.function(lambda x, y: x / y, static_argnums=1)
    assert (g(ONE, 0.0).item(), g(ONE, -0.0).item()) == (np.inf, -np.inf)


def test_static_arguments_of_one_hash():
    assert hash(-1) == hash(-2)
    f = wf.function(lambda x, n: x * n, static_argnums=1)
    assert (f(ONE, -1).item(), f(ONE, -2).item(), f(ONE, -1).item()) == (-1.0, -2.0, -1.0)
    assert f.trace_count == 2


def test_an_object_that_is_gone_is_not_mistaken_for_another():
    f = wf.function(lambda x, layer: x * layer.factor)
    for factor in range(20):
        assert f(ONE, Layer(float(factor))).item() == factor


def test_keys_are_tensors():
    f = wf.function(lambda key, x: x + wf.random.normal(key.split(2)[1], (3,)))
    x = wf.zeros(3)
    for seed in range(4):
        key = wf.random.Key(seed)
        assert np.array_equal(f(key, x).numpy(), wf.random.normal(key.split(2)[1], (3,)).numpy())
    assert f.trace_count == 1


def test_keys_go_through_transformations():
    keys = wf.random.Key(0).split(4)
    drawn = wf.vmap(lambda key: wf.random.normal(key.fold_in(1), (2,)))(keys)
    assert np.array_equal(drawn[2].numpy(), wf.random.normal(keys[2].fold_in(1), (2,)).numpy())


def test_functions_are_freed_with_their_traces():
    def make():
        layer = Layer(2.0)

        @wf.function
        def f(x):
            return layer(x) + (0.0 if f is None else 1.0)

        f(ONE), f(ONE)
        return weakref.ref(f), weakref.ref(layer)

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_arguments_of_all_kinds():
    f = wf.function(lambda x, *rest, **named: wf.sum(x) * len(rest) + named.get("scale", 1.0) * named.get("y", x))
    x = wf.tensor([1.0, 2.0])
    assert f(x, 1, "two", None, scale=2.0).tolist() == [11.0, 13.0]
    assert f(x, 1, "two", None, scale=2.0, y=wf.tensor([0.0, 1.0])).tolist() == [9.0, 11.0]
    assert f(np.ones(2, np.float32), (1, [x]), {"b": x, "a": 1}).tolist() == [5.0, 5.0]
    assert f(x, 1, "two", None, scale=2.0).tolist() == [11.0, 13.0]
    assert f.trace_count == 3


def test_traces_of_passing_values_are_not_counted():
    def loss(w):
        f = wf.function(lambda x: wf.sum(x * w), max_traces=2)
        return f(wf.tensor([1.0, 2.0])) + f(wf.tensor([3.0, 4.0])) + f(wf.tensor([5.0, 6.0]))

    assert wf.grad(loss)(wf.tensor([1.0, 1.0])).tolist() == [9.0, 12.0]


def test_an_error_in_a_trace_leaves_no_watcher():
    @wf.function
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f(ONE)
    from weft._rewrite import reads
    assert reads.watching.watcher is None


def test_functions_as_arguments_are_told_apart():
    f = wf.function(lambda x, g: g(x))
    assert [f(ONE, (lambda k: lambda x: x * k)(float(i))).item() for i in range(20)] == list(range(20))
    g = wf.function(lambda fs: fs[0](ONE))
    assert [g([(lambda k: lambda x: x * k)(float(i))]).item() for i in range(20)] == list(range(20))


def test_classes_of_one_name_are_told_apart():
    def made(k):
        @dataclasses.dataclass
        class Data:
            t: object

            def scaled(self):
                return self.t * k

        class Named(collections.namedtuple("Named", "t")):
            def scaled(self):
                return self.t * k

        return Data, Named

    f = wf.function(lambda d: d.scaled())
    for kinds in zip(made(2.0), made(3.0)):
        assert [f(kind(ONE)).item() for kind in kinds] == [2.0, 3.0]


class Key:
    """A key of a dict whose text is that of every other."""

    def __init__(self, k):
        self.k = k

    def __repr__(self):
        return "key"

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.k == other.k


def test_keys_of_dicts_are_told_apart():
    f = wf.function(lambda d: sum(v * key.k for key, v in d.items()))
    assert [f({Key(k): ONE}).item() for k in (2.0, 3.0, 2.0)] == [2.0, 3.0, 2.0] and f.trace_count == 2


def test_the_order_of_a_dict_is_part_of_its_form():
    a, b = wf.tensor(1.0), wf.tensor(2.0)
    first = wf.function(lambda d: list(d.values())[0])
    assert (first({"a": a, "b": b}).item(), first({"b": b, "a": a}).item()) == (1.0, 2.0)
    by_word = wf.function(lambda **words: list(words.values())[0])
    assert (by_word(a=a, b=b).item(), by_word(b=b, a=a).item()) == (1.0, 2.0)
    same = wf.function(lambda d: {key: d[key] * 2.0 for key in d})
    assert list(same({"b": b, "a": a})) == ["b", "a"] and same.trace_count == 1


def test_transformations_take_dicts_of_any_order():
    a, b = wf.tensor(1.0), wf.tensor(2.0)
    slopes = wf.grad(lambda d: d["a"] * d["b"])({"b": b, "a": a})
    assert list(slopes) == ["b", "a"] and (slopes["a"].item(), slopes["b"].item()) == (2.0, 1.0)
    _, along = wf.jvp(lambda d: d["a"] * d["b"], ({"b": b, "a": a},), ({"a": a, "b": b},))
    assert along.item() == 4.0
    carry, _ = wf.scan(lambda d, x: ({"a": d["a"] + x, "b": d["b"]}, None), {"b": b, "a": a}, wf.tensor([1.0, 2.0]))
    assert list(carry) == ["b", "a"] and (carry["a"].item(), carry["b"].item()) == (4.0, 2.0)
    either = wf.function(lambda x: wf.cond(x > 0, lambda: {"a": x, "b": b}, lambda: {"b": x, "a": b}))
    assert (either(a)["a"].item(), either(-a)["a"].item()) == (1.0, 2.0)


def test_the_log_shows_static_values():
    f = wf.function(lambda x, n: x * n, static_argnums=1)
    f(ONE, 2), f(ONE, 3)
    assert f.trace_log()[1].startswith("`n` was 2 and is 3; pass numbers that vary as tensors; called at ")


class Scaled:
    def __init__(self, factor):
        self.w = wf.Variable(factor)

    @wf.function
    def __call__(self, x):
        return x * self.w


WEIGHT = wf.Variable(2.0)


def of_weight(x):
    return x * WEIGHT


def test_replaced_variables_are_noticed(monkeypatch):
    scaled = Scaled(2.0)
    assert scaled(ONE).item() == 2.0
    scaled.w = wf.Variable(5.0)
    assert scaled(ONE).item() == 5.0
    f = wf.function(of_weight)
    assert f(ONE).item() == 2.0
    monkeypatch.setitem(globals(), "WEIGHT", wf.Variable(7.0))
    assert f(ONE).item() == 7.0
    assert "`WEIGHT`, read at " in f.trace_log()[1] and "is another weft.Variable now; assign to" in f.trace_log()[1]
    box = Layer(wf.Variable(2.0))
    g = wf.function(lambda x: x * box.factor)
    assert g(ONE).item() == 2.0
    box.factor = wf.Variable(3.0)
    assert g(ONE).item() == 3.0
    box.factor.assign(4.0)  # what it holds is no part of the trace
    assert g(ONE).item() == 4.0 and g.trace_count == 2


def test_replaced_weights_of_a_layer_are_noticed():
    layer, x = wf.nn.Linear(2, 3), wf.ones((1, 2))
    f = wf.function(layer)
    f(x)
    layer.weight = wf.Variable(wf.ones(layer.weight.shape))
    assert f(x).tolist() == layer(x).tolist() and f.trace_count == 2
    f(x)
    assert f.trace_count == 2


def test_functions_with_other_code_or_defaults():
    def scaled(x, by=2.0, *, more=1.0):
        return x * by + more

    f = wf.function(lambda x: scaled(x))
    assert f(ONE).item() == 3.0
    scaled.__defaults__ = (3.0,)
    assert f(ONE).item() == 4.0
    scaled.__kwdefaults__["more"] = 5.0
    assert f(ONE).item() == 8.0
    scaled.__code__ = (lambda x, by=2.0, *, more=1.0: x - by).__code__
    assert f(ONE).item() == -2.0
    assert f.trace_count == 4 and "`scaled`, read at " in f.trace_log()[1] and "other code or defaults" in f.trace_log()[1]
    f(ONE)
    assert f.trace_count == 4


def test_what_is_not_there_yet():
    box = Layer(1.0)

    def probed(x):
        try:
            return x * box.late
        except AttributeError:
            return x

    def named(x):
        try:
            return x * LATE  # noqa: F821
        except NameError:
            return x

    f, g = wf.function(probed), wf.function(named)
    assert (f(ONE).item(), g(ONE).item()) == (1.0, 1.0)
    box.late = 3.0
    globals()["LATE"] = 4.0
    try:
        assert (f(ONE).item(), g(ONE).item()) == (3.0, 4.0)
        assert "`LATE`, read at " in g.trace_log()[1] and "was not there and is now" in g.trace_log()[1]
    finally:
        del globals()["LATE"]
    assert g(ONE).item() == 1.0 and g.trace_count == 2  # the first trace fits again


def test_containers_that_look_into_others():
    inner, numbers = {"rate": 2.0}, array.array("d", [2.0])
    chained, shown = collections.ChainMap({}, inner), types.MappingProxyType(inner)
    f = wf.function(lambda x: x * chained["rate"])
    g = wf.function(lambda x: x * shown["rate"])
    h = wf.function(lambda x: x * numbers[0])
    assert [one(ONE).item() for one in (f, g, h)] == [2.0, 2.0, 2.0]
    inner["rate"] = numbers[0] = 3.0
    assert [one(ONE).item() for one in (f, g, h)] == [3.0, 3.0, 3.0]


def test_modules_made_by_hand_and_metaclasses():
    class Meta(type):
        rate = 2.0

    class Rated(metaclass=Meta):
        pass

    made = types.ModuleType("made")
    made.rate = 2.0
    f, g = wf.function(lambda x: x * made.rate), wf.function(lambda x: x * Rated.rate)
    assert (f(ONE).item(), g(ONE).item()) == (2.0, 2.0)
    made.rate = Meta.rate = 3.0
    assert (f(ONE).item(), g(ONE).item()) == (3.0, 3.0)


def test_whether_a_variable_is_trainable():
    w = wf.Variable(2.0)
    f = wf.function(lambda x: x * w if w.trainable else x)
    assert f(ONE).item() == 2.0
    w.trainable = False
    assert f(ONE).item() == 1.0


def test_what_a_partial_binds_is_watched_wherever_the_partial_stands():
    def total(items, x, scale=(1.0,)):
        return sum(items) * scale[0] * x

    items, scale, table = [1.0, 2.0], [1.0], {"a": [1.0]}
    f = wf.function(functools.partial(total, items, scale=scale))
    g = wf.function(functools.partial(functools.partial(lambda t, n, x: t["a"][0] * n[0] * x, table), scale))
    h = wf.function(functools.partial(total, items), rewrite=False)
    assert [f(ONE).item(), g(ONE).item(), h(ONE).item()] == [3.0, 1.0, 3.0]
    items.append(10.0)
    scale[0], table["a"][0] = 2.0, 5.0
    assert [f(ONE).item(), g(ONE).item(), h(ONE).item()] == [26.0, 10.0, 13.0]
    assert f(ONE).item() == 26.0 and f.trace_count == 2
