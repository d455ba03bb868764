"""Laws about values: checked at once where values are known, else when the graph runs, with the same error, in every mode."""

import re

import numpy as np
import pytest

import weft as wf

K = wf.random.Key(0)
X = wf.tensor([0.5, 3.0, 1.5, 2.0])


# name: (f(value), good, bad, law). The value comes as a constant, an argument, or an element of what is mapped or scanned over.
CASES = {
    "bernoulli": (lambda p: wf.astype(wf.random.bernoulli(K, p, (5,)), wf.float32), 0.3, 1.5,
                  "bernoulli: p goes from 1.5 to 1.5; probabilities are between 0 and 1 [bernoulli.p]"),
    "quantile": (lambda q: wf.quantile(X, q), 0.25, 1.5,
                 "quantile: q goes from 1.5 to 1.5; it must be between 0 and 1 [quantile.q]"),
    "percentile": (lambda q: wf.percentile(X, q), 25.0, 150.0,
                   "percentile: q goes from 150.0 to 150.0; it must be between 0 and 100 [percentile.q]"),
    "uniform": (lambda high: wf.random.uniform(K, (3,), low=0.0, high=high), 2.0, -1.0,
                "uniform: high - low goes from -1.0 to -1.0; low is at most high, and the distance is finite [uniform.interval]"),
    "choice": (lambda p: wf.random.choice(K, wf.arange(3), p=p, shape=(4,)), [0.25, 0.25, 0.5], [0.25, -1.0, 0.5],
               "choice: p goes from -1.0 to 0.5; it is finite and at least 0 [choice.weights]"),
    "choice without replacement": (lambda p: wf.random.choice(K, wf.arange(3), p=p, shape=(2,), replace=False), [0.5, 0.0, 0.5],
                                   [0.5, 0.0, 0.0],
                                   "choice: 1 of p are above 0, but shape [2] needs 2; what has no weight is never drawn "
                                   "[choice.enough]"),
    "categorical": (lambda logits: wf.random.categorical(K, logits), [0.0, 1.0, -np.inf], [-np.inf, -np.inf, -np.inf],
                    "categorical: the greatest logit of a row is -inf; each row has one above -inf, and none is NaN "
                    "[categorical.logits]"),
    "bincount": (lambda x: wf.bincount(wf.astype(x, wf.int64), length=3), [0.0, 2.0, 2.0], [0.0, 3.0, 2.0],
                 "bincount: x has the number 3, but length is 3; what is counted is below it [bincount.range]"),
    "histogram edges": (lambda edges: wf.histogram(X, bins=edges)[0], [0.0, 1.0, 4.0], [0.0, 4.0, 1.0],
                        "histogram: edge 2 is 1.0 and the one before it 4.0; edges must ascend [histogram.edges]"),
    "histogram range": (lambda ends: wf.histogram(X, bins=2, range=ends)[0], [0.0, 4.0], [4.0, 0.0],
                        "histogram: range goes from 4.0 to 0.0; it must be finite and ascend [histogram.range]"),
    "histogram of x": (lambda x: wf.histogram(x, bins=2)[0], [0.0, 4.0], [0.0, np.inf],
                       "histogram: x goes from 0.0 to inf; without a range its elements must be finite [histogram.range]"),
}


def in_graph(f, value):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, value.shape, "x")
        y = f(x)
        unrelated = x + 1.0
    session = wf.Session(g)
    session.run(unrelated, {x: value})  # the check belongs to the op, which does not run here
    return wf.tensor(session.run(y, {x: value}))


def constant_in_graph(f, value):
    with wf.Graph() as g:
        y = f(value)
    return wf.tensor(wf.Session(g).run(y))


MODES = {
    "eager": lambda f, v: f(v),
    "argument": lambda f, v: wf.function(f)(v),
    "constant": lambda f, v: wf.function(lambda: f(v))(),
    "graph": in_graph,
    "constant in a graph": constant_in_graph,
    "scan": lambda f, v: wf.scan(lambda carry, x: (carry, f(x)), 0.0, wf.stack([v, v]))[1][1],
    "vmap": lambda f, v: wf.vmap(f)(wf.stack([v, v]))[1],
    "vmap of a function": lambda f, v: wf.vmap(wf.function(f))(wf.stack([v, v]))[1],
    "function of vmap": lambda f, v: wf.function(wf.vmap(f))(wf.stack([v, v]))[1],
    "vjp": lambda f, v: wf.vjp(f, v)[0],
    "jvp": lambda f, v: wf.jvp(f, (v,), (wf.ones_like(v),))[0],
    "grad of a function": lambda f, v: wf.value_and_grad(lambda v: (wf.sum(v), wf.function(f)(v)), has_aux=True)(v)[0][1],
    "cond": lambda f, v: wf.function(lambda v: wf.cond(wf.sum(wf.zeros_like(v)) == 0, lambda: f(v), lambda: f(v)))(v),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_laws_about_values_hold_in_every_mode(name, mode):
    f, good, bad, message = CASES[name]
    expected = f(wf.tensor(good))
    got = MODES[mode](f, wf.tensor(good))
    assert got.dtype is expected.dtype and np.array_equal(got.numpy(), expected.numpy())
    with pytest.raises(wf.Error) as error:
        MODES[mode](f, wf.tensor(bad))
    assert str(error.value).split("\n")[0] == message
    told = "\n".join([str(error.value), *getattr(error.value, "__notes__", [])])
    if mode in ("graph", "argument"):
        assert re.search(r"test_value_checks.py:\d+", told), told


def test_a_check_runs_with_its_op_only():
    """In a branch that is not taken nothing is checked, nor what nobody reads."""
    f = wf.function(lambda p, on: wf.cond(on, lambda: wf.astype(wf.random.bernoulli(K, p, ()), wf.float32), lambda: p * 1.0))
    assert f(wf.tensor(1.5), wf.tensor(False)).item() == 1.5
    with pytest.raises(wf.InvalidError, match=r"\[bernoulli.p\]"):
        f(wf.tensor(1.5), wf.tensor(True))

    def unread(p):
        wf.random.bernoulli(K, p, ())
        return p

    assert wf.function(unread)(wf.tensor(1.5)).item() == 1.5


def test_a_check_is_kept_by_texts_and_passes():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (), "x")
        y = wf.identity(wf.quantile(X, x), "y")
    optimized = g.optimize([y])
    for graph, name in ((wf.Graph.parse(str(g)), "y"), (optimized, optimized.get_collection("results")[0])):
        session = wf.Session(graph)
        assert session.run(name, {"x": 0.5}) == 1.75
        with pytest.raises(wf.InvalidError, match=r"quantile: q goes from 2.0 to 2.0; .*\[quantile.q\]"):
            session.run(name, {"x": 2.0})


def test_checks_are_left_out_of_tensorflows_graphs():
    with wf.Graph() as g:
        wf.quantile(X, wf.placeholder(wf.float32, (), "x"))
    node = next(one for one in g.as_graph_def().node if one.name == "Check.Values")
    assert node.op == "Identity" and node.input == ["x"]


def test_a_batch_of_branches_checks_the_examples_of_each():
    f = wf.vmap(lambda p: wf.cond(p <= 1.0, lambda: wf.random.bernoulli(K, p, ()).astype(wf.float32), lambda: p * 10.0))
    for mapped in (f, wf.function(f)):
        assert mapped(wf.tensor([0.0, 1.0, 2.0])).tolist() == [0.0, 1.0, 20.0]


def test_derivatives_go_through_checks():
    slope = wf.grad(lambda q: wf.quantile(X, q))
    assert slope(wf.tensor(0.4)).item() == wf.grad(wf.function(lambda q: wf.quantile(X, q)))(wf.tensor(0.4)).item() != 0
    bounds = lambda high: wf.sum(wf.random.uniform(K, (3,), low=wf.tensor(0.0), high=high))
    assert wf.grad(bounds)(wf.tensor(2.0)).item() == wf.grad(wf.function(bounds))(wf.tensor(2.0)).item() != 0
    twice = wf.grad(wf.grad(lambda q: wf.quantile(X, q) * q))
    assert twice(wf.tensor(0.4)).item() == wf.function(twice)(wf.tensor(0.4)).item() != 0


def test_bounds_of_a_batch_broadcast_by_example():
    """One bound for each example, and another that all examples share."""
    draw = lambda low: wf.random.uniform(K, (3,), low=low, high=wf.tensor([3.0, 4.0, 5.0]))
    lows = wf.tensor([0.0, 1.0, 2.0, 3.0, 2.0])
    expected = wf.stack([draw(low) for low in lows])
    for mapped in (wf.vmap(draw), wf.vmap(wf.function(draw)), wf.function(wf.vmap(draw))):
        assert mapped(lows).tolist() == expected.tolist()
        with pytest.raises(wf.InvalidError, match=r"high - low goes from -1.0 to 5.0; .*\[uniform.interval\]"):
            mapped(wf.tensor([0.0, 4.0]))


def test_known_values_leave_no_node():
    with wf.Graph() as g:
        wf.random.bernoulli(K, 0.3, (5,))
        wf.percentile(wf.placeholder(wf.float32, (4,)), 30.0)
    assert "check.values" not in str(g)


def test_sets_of_constants_in_functions():
    x = wf.tensor([1.0, 2.0, 1.0])
    assert wf.function(lambda: wf.unique_values(x))().tolist() == [1.0, 2.0]
    assert [t.tolist() for t in wf.function(lambda: tuple(wf.unique_all(x)))()] == [t.tolist() for t in wf.unique_all(x)]
    assert wf.function(lambda: wf.bincount(wf.tensor([0, 2, 2])))().tolist() == [1, 0, 2]
    with pytest.raises(wf.InvalidError, match=r"\[bincount.concrete\]"):
        wf.function(wf.bincount)(wf.tensor([0, 2, 2]))


class Masked(wf.nn.Module):
    """Drops features by a mask of its own."""

    def __init__(self):
        super().__init__()
        self.dense = wf.nn.Linear(4, 1)

    def forward(self, x):
        mask = wf.random.bernoulli(wf.random.next_key(), 0.7, x.shape)
        return self.dense(wf.where(mask, x, 0.0))


def test_a_model_that_draws_a_mask_is_fit():
    wf.seed(0)
    model = Masked()
    x = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    model.compile(wf.optim.SGD(model.parameters(), lr=0.1), "mse")
    losses = model.fit(x, x.sum(1, keepdims=True), epochs=20, verbose=0).history["loss"]
    assert losses[-1] < 0.8 * losses[0]
