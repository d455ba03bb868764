"""get_concrete_function: one trace, called, printed, and bound to Variables."""

import numpy as np
import pytest

import weft as wf


def test_a_trace_is_called_as_the_function():
    def f(x, pair, mode="mean"):
        return {"out": wf.tanh(x @ pair[0]) * 0.3, "mode": mode, "both": (pair[1], x)}

    x, pair = wf.tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)), (wf.ones((3, 2)), wf.tensor(2.0))
    trace = wf.function(f).get_concrete_function(x, pair)
    for rows in (x, wf.concat([x, x])):
        got, want = trace(rows, pair), f(rows, pair)
        assert np.array_equal(got["out"].numpy(), want["out"].numpy()) and got["mode"] == "mean"
        assert got["both"][0].item() == 2.0 and np.array_equal(got["both"][1].numpy(), rows.numpy())


def test_a_trace_says_what_does_not_fit():
    f = wf.function(lambda x, n: x * n)
    trace = f.get_concrete_function(wf.ones(3), 2)
    with pytest.raises(wf.InvalidError, match=r"the call needs another trace: `x` was float32 and is int64; call the function "
                                              r"itself, which makes one \[<lambda>.concrete\]"):
        trace(wf.tensor([1, 2]), 2)
    with pytest.raises(wf.InvalidError, match="the call needs another trace: `n` was 2 and is 3"):
        trace(wf.ones(3), 3)
    with pytest.raises(wf.InvalidError, match="the call needs another trace: axis 0 of `x` had size n and has 1"):
        trace(wf.ones(1), 2)
    assert trace(wf.ones(3), 2).tolist() == [2.0, 2.0, 2.0]


def test_a_trace_reads_variables_and_differentiates():
    w = wf.Variable(2.0)
    trace = wf.function(lambda x: x * x * w).get_concrete_function(wf.tensor(1.0))
    w.assign(3.0)
    assert trace(wf.tensor(2.0)).item() == 12.0
    assert wf.grad(trace)(wf.tensor(2.0)).item() == 12.0
    assert wf.function(lambda x: trace(x) + 1.0)(wf.tensor(2.0)).item() == 13.0


def test_without_arguments_the_signature_is_traced():
    f = wf.function(lambda x, y: x @ y, input_signature=["f32[batch, 3]", (wf.float32, (3, None))])
    trace = f.get_concrete_function()
    assert "%x: f32[batch, 3] at" in str(trace) and "%y: f32[3, s0] at" in str(trace)
    assert trace(wf.ones((4, 3)), wf.ones((3, 2))).shape == (4, 2)
    f(wf.ones((5, 3)), wf.ones((3, 7)))
    assert f.trace_count == 1


def test_a_text_stands_for_a_tensor_of_that_type():
    f = wf.function(lambda x, mode: x * 2.0 if mode == "twice" else x)
    nested = wf.function(lambda pair, options: pair[0] @ pair[1] * len(options["how"]))
    trace = nested.get_concrete_function((wf.TensorSpec((None, 3)), wf.TensorSpec((3, 2))), {"how": "f32[n]"})  # a text in a tree is a text
    assert trace((wf.ones((4, 3)), wf.ones((3, 2))), {"how": "f32[n]"}).tolist() == [[18.0, 18.0]] * 4
    nested((wf.ones((5, 3)), wf.ones((3, 2))), {"how": "f32[n]"})
    assert nested.trace_count == 1
    trace = f.get_concrete_function("f32[n, 3]", "twice")
    assert "%x: f32[n, 3]" in str(trace) or "%x: f32[n, m]" in str(trace)
    assert trace(wf.ones((2, 3)), "twice").tolist() == [[2.0] * 3] * 2
    assert f(wf.ones((4, 3)), "twice").shape == (4, 3) and f.trace_count == 1


def test_a_trace_as_a_graph_has_its_variables():
    w, steps = wf.Variable(wf.tensor([1.0, 2.0]), name="w"), wf.Variable(0.0, name="steps")

    @wf.function
    def step(x):
        steps.assign_add(1.0)
        return wf.sum(w * x)

    trace = step.get_concrete_function(wf.ones(2))
    graph = trace.as_graph()
    result, = graph.get_collection("results")
    assert wf.Session(graph).run(result, {"x": [1.0, 1.0]}) == 3.0
    assert steps.item() == 1.0  # a fetch does what the call does
    assert {v.name for v in graph.get_collection("global_variables")} == {"w", "steps"}

    mine = wf.Variable(wf.tensor([10.0, 20.0]), name="w")
    again = wf.Graph.parse(str(graph), variables={"w": mine})
    name = graph.name_of(result)
    assert wf.Session(again).run(name, {"x": [1.0, 1.0]}) == 30.0
    assert steps.item() == 1.0

    plain = wf.function(lambda x: wf.sum(w * x)).get_concrete_function(wf.ones(2))
    assert "VarHandleOp" not in str(plain.as_graph_def(variables_as_constants=True))
    assert [node.op for node in plain.as_graph_def(variables_as_constants=True).node].count("Placeholder") == 1
    assert [node.op for node in plain.as_graph_def().node].count("Placeholder") == 2
