"""wf.tree: leaves, forms, maps, and all leaves as one vector."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import weft as wf

Pair = namedtuple("Pair", "a b")


def test_leaves_and_structure():
    tree = {"w": 1, "b": [2, None, (3, "name")], "p": Pair(4, OrderedDict(z=5, y=6))}
    assert wf.tree.leaves(tree) == [2, 3, 4, 5, 6, 1]
    leaves, structure = wf.tree.flatten(tree)
    assert leaves == wf.tree.leaves(tree) and structure == wf.tree.structure(tree)
    assert wf.tree.unflatten(structure, [10 * leaf for leaf in leaves]) == wf.tree.map(lambda leaf: 10 * leaf, tree)
    assert wf.tree.map(lambda a, b: a - b, tree, tree)["p"] == Pair(0, OrderedDict(z=0, y=0))


def test_ravel_and_back():
    tree = {"w": wf.ones((2, 3)), "b": (wf.arange(2), wf.Variable(wf.zeros(1, dtype="float64"))), "n": 7}
    vector, unravel = wf.tree.ravel(tree)
    assert vector.dtype == wf.float64 and vector.tolist() == [0, 1, 0, 7, 1, 1, 1, 1, 1, 1]
    again = unravel(vector)
    assert wf.tree.structure(again) == wf.tree.structure(tree)
    assert [(leaf.dtype, leaf.shape) for leaf in wf.tree.leaves(again)] == [
        (wf.int64, (2,)), (wf.float64, (1,)), (wf.int64, ()), (wf.float32, (2, 3))]
    empty, back = wf.tree.ravel([None, ()])
    assert empty.shape == (0,) and back(empty) == [None, ()]


def test_ravel_under_transformations():
    params = {"w": wf.ones((2, 2)), "b": wf.zeros(2)}
    vector, unravel = wf.tree.ravel(params)

    def loss(v):
        p = unravel(v)
        return wf.sum((p["w"] @ wf.tensor([1.0, 2.0]) + p["b"]) ** 2)

    gradient = unravel(wf.grad(loss)(vector))
    assert np.array_equal(gradient["b"], [6, 6]) and np.array_equal(gradient["w"], [[6, 12], [6, 12]])
    assert wf.hessian(loss)(vector).shape == (6, 6)
    assert wf.fingerprint(wf.function(lambda p: wf.tree.ravel(p)[0])(params)) == wf.fingerprint(vector)
    assert wf.vmap(lambda v: unravel(v)["w"])(wf.stack([vector, vector])).shape == (2, 2, 2)


@pytest.mark.parametrize("call, message", [
    (lambda: wf.tree.unflatten(wf.tree.structure([1, 2]), [1]),
     "tree.unflatten: got 1 leaves for the form [*, *], which has 2; give as many [tree.leaves]"),
    (lambda: wf.tree.unflatten([1, 2], [1]),
     "tree.unflatten: structure is [1, 2]; it is what wf.tree.flatten gives behind the leaves [tree.structure]"),
    (lambda: wf.tree.map(lambda a, b: a, [1], (1,)),
     "tree.map: the trees have the forms [*] and (*,); they must be equal [tree.form]"),
    (lambda: wf.tree.ravel([wf.ones(2)])[1](wf.ones(3)),
     "tree.ravel: unravel got a tensor of shape (3,), but the tree has 2 numbers; give a vector of as many [tree.vector]"),
])
def test_refusals(call, message):
    with pytest.raises(wf.Error) as raised:
        call()
    assert str(raised.value).split("\n")[0] == message
