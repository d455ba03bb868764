"""Builds graphs, has real TensorFlow import and run their GraphDefs, and compares; run in .venv-peers.

    PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/graph_def_peer.py
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

import weft as wf  # noqa: E402


def theirs(graph, fetches, feeds):
    """What TensorFlow computes of our bytes, by names."""
    graph_def = tf.compat.v1.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(graph_def, name="")
        with tf.compat.v1.Session(graph=imported) as session:
            return session.run(fetches, feeds)


def check_notes():
    """The listing of the lecture notes: tf.add(3, 5)."""
    with wf.Graph() as graph:
        wf.add(3, 5)
    nodes = graph.as_graph_def().node
    assert [node.name for node in nodes] == ["Add/x", "Add/y", "Add"], [node.name for node in nodes]
    assert nodes[2].op == "AddV2" and list(nodes[2].input) == ["Add/x", "Add/y"]
    assert "value" in nodes[0].attr
    assert theirs(graph, "Add:0", {}) == 8


def check_network():
    """Two layers and the gradients of their loss, for a batch whose size only the run knows."""
    random = np.random.default_rng(0)
    x, w, b = (random.standard_normal(shape).astype(np.float32) for shape in [(5, 4), (4, 3), (3,)])
    with wf.Graph() as graph:
        values = [wf.placeholder(wf.float32, shape=shape, name=name)
                  for shape, name in [((None, 4), "x"), ((4, 3), "w"), ((3,), "b")]]
        loss = wf.mean(wf.square(wf.softmax(wf.tanh(wf.matmul(values[0], values[1]) + values[2]))))
        slopes = wf.gradients(loss, values[1:])
    with wf.Session(graph) as session:
        ours = session.run([loss, *slopes], dict(zip(values, [x, w, b])))
    names = [graph.name_of(value) for value in [loss, *slopes]]
    names = [name if ":" in name else name + ":0" for name in names]
    for our, their in zip(ours, theirs(graph, names, {"x:0": x, "w:0": w, "b:0": b})):
        np.testing.assert_allclose(our, their, rtol=2e-5, atol=1e-6)


def compare(results, inputs):
    """Runs what `results` makes of placeholders for the inputs, here and there."""
    with wf.Graph() as graph:
        values = [wf.placeholder(str(value.dtype), shape=value.shape, name=f"x{i}") for i, value in enumerate(inputs)]
        fetches = results(*values)
    with wf.Session(graph) as session:
        ours = session.run(fetches, dict(zip(values, inputs)))
    names = [graph.name_of(value) for value in fetches]
    names = [name if ":" in name else name + ":0" for name in names]
    feeds = {f"x{i}:0": value for i, value in enumerate(inputs)}
    for our, their in zip(ours, theirs(graph, names, feeds), strict=True):
        assert our.dtype == their.dtype and our.shape == their.shape, (our, their)
        np.testing.assert_allclose(our, their, rtol=2e-5, atol=1e-6)


def check_control():
    """Conditions and loops by hand and by Python's own words, nested, with gradients."""
    random = np.random.default_rng(1)
    x, xs = (random.standard_normal(shape).astype(np.float32) for shape in [(3,), (5, 3)])

    @wf.function
    def halved(x):
        n = 0
        while wf.max(wf.abs(x)) > 0.25:
            x = x * 0.5 if wf.sum(x) > 0.0 else x * 0.25
            n = n + 1
        return x, n

    def results(x, xs):
        carry, rows = wf.scan(lambda c, row: (wf.tanh(c + row), c * row), x, xs)
        total = wf.fori_loop(0, 4, lambda i, c: c + wf.cos(c) * i, x)
        each = wf.map(lambda row: wf.cond(wf.sum(row) > 0.0, wf.exp, wf.sin, row), xs)
        lanes = wf.vmap(lambda row: wf.cond(wf.sum(row) > 0.0, lambda r: r + 1.0, lambda r: r * 2.0, row))(xs)
        slope = wf.grad(lambda x: wf.sum(wf.scan(lambda c, row: (wf.tanh(c + row), c * row), x, xs)[1]))(x)
        looped = wf.grad(lambda x: wf.sum(wf.while_loop(lambda c: wf.sum(c * c) > 0.5, lambda c: c * 0.7, x)))(x)
        again = wf.checkpoint(lambda x: wf.exp(wf.sin(x)))(x)
        return [carry, rows, total, each, lanes, slope, looped, again, *halved(x)]

    compare(results, [x, xs])


def check_order():
    """Sorting, reading and writing at indices."""
    random = np.random.default_rng(2)
    x = random.standard_normal((4, 5)).astype(np.float32)
    places = np.array([3, -1, 0])

    def results(x, places):
        values, indices = wf.topk(x, 2)
        return [wf.sort(x, axis=0), wf.argsort(x, descending=True), values, indices, x[places], x[:, places],
                wf.take_along_axis(x, wf.argsort(x), axis=1), x.at[places].set(7.0), x.at[places, places].add(1.0),
                wf.one_hot(places + 1, 5), wf.cumulative_sum(x, axis=1), wf.roll(x, 2, axis=1), wf.where(x > 0.0, x, 0.0),
                wf.pad(x, ((1, 0), (2, 1)))]

    compare(results, [x, places])


def main():
    checks = [check_notes, check_network, check_control, check_order]
    for check in checks:
        check()
    print(f"{len(checks)} graphs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
