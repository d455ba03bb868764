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


def main():
    check_notes()
    check_network()
    print("2 graphs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
