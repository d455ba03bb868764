"""Modules that are changed after a function was traced that calls them, and copies of modules."""

import copy
import pickle

import numpy as np
import pytest

import weft as wf
from weft import nn

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


class Each(nn.Module):
    """Calls the modules of a container, found in one of the ways in which people find them."""

    def __init__(self, items, way):
        self.items, self.way = items, way

    def forward(self, x):
        return self.way(self.items, x)


def chained(modules, x):
    for module in modules:
        x = module(x)
    return x


def by_number(modules, x):
    for i in range(len(modules)):
        x = modules[i](x)
    return x


def numbered(modules, x):
    for _, module in enumerate(modules):
        x = module(x)
    return x


def side_by_side(modules, x):
    for _, module in zip(range(9), modules):
        x = module(x)
    return x


def of_a_list(modules, x):
    return chained(list(modules), x)


def sliced(modules, x):
    return chained(modules[0:], x)


def last(modules, x):
    return modules[-1](x)


def by_key(modules, x):
    return modules["b" if "b" in modules else "a"](x)


def by_keys(modules, x):
    for key in modules:
        x = modules[key](x)
    return x


def by_items(modules, x):
    for _, module in modules.items():
        x = module(x)
    return x


def by_values(modules, x):
    for module in modules.values():
        x = module(x)
    return x


def by_number_put(modules):
    modules[0] = nn.Linear(4, 4)


LIST_CHANGES = {"append": lambda l: l.append(nn.Linear(4, 4)), "put": by_number_put, "extend": lambda l: l.extend([nn.Linear(4, 4)]),
                "insert": lambda l: l.insert(0, nn.Linear(4, 4)), "delete": lambda l: l.__delitem__(1)}
DICT_CHANGES = {"replace": lambda d: d.__setitem__("a", nn.Linear(4, 4)), "more": lambda d: d.__setitem__("b", nn.Linear(4, 4))}


@pytest.mark.parametrize("way", [chained, by_number, numbered, side_by_side, of_a_list, sliced, last], ids=lambda way: way.__name__)
@pytest.mark.parametrize("change", LIST_CHANGES)
def test_a_module_list_that_is_changed_is_seen(way, change):
    m = Each(nn.ModuleList([nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4)]), way)
    f, x = wf.function(m), wf.tensor(X)
    f(x)
    LIST_CHANGES[change](m.items)
    np.testing.assert_allclose(f(x).numpy(), m(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("way", [by_key, by_keys, by_items, by_values], ids=lambda way: way.__name__)
@pytest.mark.parametrize("change", DICT_CHANGES)
def test_a_module_dict_that_is_changed_is_seen(way, change):
    m = Each(nn.ModuleDict({"a": nn.Linear(4, 4)}), way)
    f, x = wf.function(m), wf.tensor(X)
    f(x)
    DICT_CHANGES[change](m.items)
    np.testing.assert_allclose(f(x).numpy(), m(x).numpy(), rtol=1e-5, atol=1e-6)


# What layers of weft.nn read of themselves: (layer, input, change).
LAYERS = {
    "dropout": (lambda: nn.Dropout(0.5), (6, 4), lambda m: setattr(m, "p", 0.0)),
    "mode": (lambda: nn.Dropout(0.5), (6, 4), lambda m: m.eval()),
    "batch norm": (lambda: nn.BatchNorm1d(4), (6, 4), lambda m: setattr(m, "eps", 1.0)),
    "batch norm mode": (lambda: nn.BatchNorm1d(4), (6, 4), lambda m: m.eval()),
    "layer norm": (lambda: nn.LayerNorm(4), (6, 4), lambda m: setattr(m, "eps", 1.0)),
    "leaky": (lambda: nn.LeakyReLU(0.1), (6, 4), lambda m: m._options.update(negative_slope=0.5)),
    "precision": (lambda: nn.Linear(4, 4), (6, 4), lambda m: m.compute_in(wf.bfloat16)),
    "conv": (lambda: nn.Conv1d(2, 3, 3), (6, 2, 9), lambda m: setattr(m, "bias", None)),
    "attention": (lambda: nn.MultiheadAttention(4, 2), (2, 3, 4), lambda m: setattr(m.out_proj, "bias", wf.Variable(wf.ones(4)))),
    "recurrent": (lambda: nn.GRU(4, 3), (5, 2, 4), lambda m: m.weight_ih_l0.assign(m.weight_ih_l0 * 2.0)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_what_a_layer_reads_of_itself_is_seen(name):
    make, shape, change = LAYERS[name]
    m, x = make(), wf.random.normal(wf.random.Key(1), shape)
    args = (x, x, x) if name == "attention" else (x,)
    f = wf.function(lambda *given: m(*given))
    f(*args)
    change(m)
    wf.seed(3)
    found = wf.tree.flatten(f(*args))[0]
    wf.seed(3)
    for one, other in zip(found, wf.tree.flatten(m(*args))[0], strict=True):
        np.testing.assert_allclose(one.astype(wf.float32).numpy(), other.astype(wf.float32).numpy(), rtol=1e-4, atol=1e-5)


# Copies.


def pickled(m):
    return pickle.loads(pickle.dumps(m))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=lambda copied: copied.__name__)
def test_copies_leave_out_how_a_model_is_trained(copied):
    m = nn.Sequential([nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2)])
    m.compile("adam", "cross_entropy", metrics=["accuracy"])
    y = np.array([0, 1] * 3)
    m.fit(X, y, verbose=0)
    out = m.predict(X).tolist()
    c = copied(m)
    assert c.predict(X).tolist() == out
    with pytest.raises(wf.InvalidError, match=r"does not know how it is trained; call model\.compile\(optimizer, loss\) first \[fit\.compile\]"):
        c.fit(X, y, verbose=0)
    if copied is not copy.copy:  # which has the same layers
        c.compile("adam", "cross_entropy")
        kept = wf.fingerprint(m.state_dict())
        c.fit(X, y, verbose=0)
        assert wf.fingerprint(m.state_dict()) == kept and wf.fingerprint(c.state_dict()) != kept
    m.fit(X, y, verbose=0)
    assert m.predict(X).tolist() != out


def test_a_copy_that_is_changed_predicts_for_itself():
    m = nn.Sequential([nn.Linear(4, 2)])
    m.predict(X)
    c = copy.deepcopy(m)
    c[0].weight.assign(wf.zeros((2, 4)))
    c[0].bias.assign(wf.ones(2))
    assert c.predict(X).tolist() == [[1.0, 1.0]] * 6 and m.predict(X).tolist() != c.predict(X).tolist()
