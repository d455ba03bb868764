"""Sessions: Variables, initializers, feeds, names of sizes, plans, Ctrl-C."""

import json
import re
import subprocess
import sys
import textwrap
import threading
import xml.etree.ElementTree

import numpy as np
import pytest

import weft as wf


def test_assignments_are_fetched_grouped_and_waited_for():
    v = wf.Variable([1.0, 2.0], name="v")
    with wf.Graph() as g:
        added = v.assign_add([1.0, 1.0])
        taken = v.assign_sub(wf.tensor([0.5, 0.5]))
        step = wf.group(added, taken, name="step")
        with wf.control_dependencies([step]):
            after = wf.identity(v) * 10.0
    assert v.numpy().tolist() == [1.0, 2.0]  # nothing ran
    session = wf.Session(g)
    assert session.run(added).tolist() == [2.0, 3.0] and v.numpy().tolist() == [2.0, 3.0]
    assert session.run(step) is None and v.numpy().tolist() == [2.5, 3.5]
    assert session.run("step") is None and v.numpy().tolist() == [3.0, 4.0]  # by name
    assert session.run(after).tolist() == [35.0, 45.0]


def test_assignments_outside_of_the_scope():
    v = wf.Variable(3.0)
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        doubled = x * 2.0
    set_v = v.assign(doubled)  # a value of a graph: it is assigned when the graph runs
    added = v.assign_add(doubled)
    assert v.numpy() == 3.0
    session = wf.Session(g)
    assert session.run(set_v, {x: 4.0}) == 8.0 and v.numpy() == 8.0
    assert session.run(added, {x: 1.0}) == 10.0 and v.numpy() == 10.0


def test_variables_are_fetched():
    v = wf.Variable(3.0)
    with wf.Graph() as g:
        step = v.assign_add(1.0)
    session = wf.Session(g)
    assert session.run(v) == 3.0 and session.run({"v": v, "step": wf.Operation(g, 0)})["v"] == 3.0
    assert session.run([v, step]) == [4.0, 4.0]  # what it holds when the run has ended


def test_a_graph_without_operations():
    g = wf.Graph()
    x = g.placeholder(wf.float32, shape=(2,), name="x")
    assert wf.Session(g).run(x, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]
    assert wf.Session(wf.Graph()).run([]) == []


def test_in_place_operators_keep_the_variable():
    v = wf.Variable(3.0)
    same = v
    with wf.Graph() as g:
        v += 1.0
        v *= 2.0
        last = g.operations[-1]
        with g.control_dependencies([op for op in g.operations if op.type == "assign_variable"]):
            both = wf.identity(v)
    assert v is same and last.type == "assign_variable"
    v.assign(10.0)  # what they do, they do to the value of the run
    assert wf.Session(g).run(both) == 22.0 and v.numpy() == 22.0

    @wf.function
    def step():
        nonlocal v
        v *= 3.0
        return v + 0.0

    assert step().item() == 66.0 and step().item() == 198.0 and v is same


def test_an_assignment_in_a_function_gives_the_variable():
    v = wf.Variable(3.0)
    given = []

    @wf.function
    def step(x):
        given.append(v.assign_add(x) is v)
        return v * 2.0

    assert step(wf.tensor(1.0)).item() == 8.0 and given == [True]


def test_the_initializer_assigns_the_initial_values_again():
    outside = wf.Variable([5.0], name="outside", trainable=False)
    wf.seed(7)
    with wf.Graph() as g:
        drawn = wf.Variable(wf.randn(3), name="drawn")
        step = wf.group(drawn.assign_sub(wf.ones(3)), outside.assign([6.0]))
        init = wf.global_variables_initializer()
        assert wf.global_variables()[0] is drawn and wf.global_variables()[1] is outside
        assert [v.name for v in wf.trainable_variables()] == ["drawn"]
    assert g.get_collection("global_variables") == [drawn, outside]
    wf.seed(7)
    first = wf.randn(3).numpy()
    assert np.array_equal(drawn.numpy(), first)
    with wf.Session(g) as a, wf.Session(g) as b:
        a.run(step)
        assert np.array_equal(drawn.numpy(), first - 1.0) and outside.numpy() == [6.0]
        assert b.run(init) is None  # sessions share the Variables
    assert np.array_equal(drawn.numpy(), first) and outside.numpy() == [5.0]


def test_a_variable_among_the_xs_stands_for_all_its_reads():
    v = wf.Variable([1.5, -2.0, 0.3])
    w = wf.Variable([0.7, 0.1, -1.0])

    def loss_of(v, w):
        return wf.sum(wf.tanh(v * w) + v * v * w + wf.exp(v))

    with wf.Graph() as g:
        loss = loss_of(v, w)
        wf.global_variables_initializer()  # a write: what follows reads anew
        slopes = wf.gradients(loss, [v, w])
    loss_of(v, w).backward()
    for got, variable in zip(wf.Session(g).run(slopes), (v, w)):
        assert np.array_equal(got, variable.grad.numpy())  # to the bit


def test_one_read_serves_until_a_write():
    v = wf.Variable(2.0)
    with wf.Graph() as g:
        before = v * v + v
        v.assign(5.0)
        after = v * 1.0
    assert [op.type for op in g.operations].count("read_variable") == 2
    assert wf.Session(g).run([before, after]) == [6.0, 2.0]  # the write was not asked for
    assert wf.Session(g).run([before, "AssignVariable", after]) == [6.0, 5.0, 5.0]


def test_initial_values_that_wait_for_a_run_are_refused():
    with wf.Graph():
        x = wf.placeholder(wf.float32, shape=(2,), name="x")
        with pytest.raises(wf.InvalidError, match=r"Mul.*depends on the placeholder x.*\[Variable.initial\]"):
            wf.Variable(x * 2.0)
        write = wf.Variable(1.0).assign(2.0)
        with wf.control_dependencies([write]), pytest.raises(wf.InvalidError, match=r"runs after a write.*Variable.initial"):
            wf.Variable(wf.zeros(2) + 1.0)


def test_user_collections():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(), name="x")
        g.add_to_collection("losses", x * 2.0)
        g.add_to_collection("losses", x * 3.0)
    assert [v.item() for v in wf.Session(g).run(g.get_collection("losses"), {x: 1.0})] == [2.0, 3.0]
    assert g.get_collection("nothing") == []


def test_names_that_need_a_graph_say_so():
    for f in (wf.global_variables, wf.trainable_variables, wf.global_variables_initializer):
        with pytest.raises(wf.InvalidError, match=rf"no graph is open here.*\[{f.__name__}.graph\]"):
            f()


def test_feeds_are_checked_by_name():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, 2), name="x")
        i = wf.placeholder(wf.int64, shape=(), name="i")
        y, j = x * 2.0, i + 1
    session = wf.Session(g)
    line = r"(.*\n)+called at .*test_sessions.py:\d+"

    def refused(law, text, *run):
        with pytest.raises(wf.Error, match=rf"{text}.*\[Session.{law}\]{line}"):
            session.run(*run)

    refused("feed", r"the placeholder x \(f32\[x.0, 2\]\) is needed and not fed", y)
    refused("unused", r"i \(i64\[\]\) is fed, but what is fetched does not need it", y, {x: np.ones((1, 2)), i: 1})
    refused("feed", r"x is f32\[x.0, 2\] but f32\[3\] is fed", y, {x: np.zeros(3)})
    refused("feed", r"x is f32\[x.0, 2\] but f32\[3, 3\] is fed", y, {x: np.zeros((3, 3))})
    refused("feed", r"i is i64\[\] but f64\[\] is fed", j, {i: np.array(1.5)})
    refused("feed", r"x is f32\[x.0, 2\] but f64\[1, 2\] is fed", y, {x: wf.ones((1, 2), dtype=wf.float64)})
    refused("argument", "feed holds 1.5, which is no integer", j, {i: 1.5})
    assert session.run([y, j], {x: np.ones((1, 2)), i: 1})[1] == 2  # and it goes on


def test_a_size_is_fed_with_its_placeholder():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        ones = wf.ones_like(x)
    session = wf.Session(g)
    assert session.run(ones, {x: [5.0, 5.0]}).tolist() == [1.0, 1.0]
    with pytest.raises(wf.InvalidError, match=r"the placeholder x \(f32\[x.0\]\) is needed for its size and not fed"):
        session.run(ones)


def test_sizes_that_were_taken_for_equal_name_the_line():
    with wf.Graph() as g:
        a = wf.placeholder(wf.float32, shape=(None,), name="a")
        b = wf.placeholder(wf.float32, shape=(None,), name="b")
        c = a + b
        twice = b * 2.0
    session = wf.Session(g)
    with pytest.raises(wf.InvalidError) as error:
        session.run(c, {a: [1.0, 2.0], b: [1.0]})  # it would broadcast
    text = str(error.value)
    assert "the graph was built for a.0 == b.1, but this run has a.0 = 2, b.1 = 1" in text and "[Session.sizes]" in text
    line = int(re.search(r"test_sessions.py:(\d+)", str(error.value.__notes__)).group(1))
    with open(__file__, encoding="utf-8") as file:
        assert file.read().splitlines()[line - 1].strip() == "c = a + b"
    assert session.run([a, twice], {a: [1.0, 2.0], b: [1.0]})[1].tolist() == [2.0]  # which assumed nothing


def test_expect_names_sizes():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, None), name="x").expect("batch 3")
        y = wf.placeholder(wf.float32, shape=(None,), name="y").expect("batch")
        z = wf.sum(x, axis=1) - y
    assert "f32[batch, 3]" in str(g) and "assume" not in str(g)
    session = wf.Session(g)
    assert session.run(z, {x: np.ones((2, 3)), y: [1.0, 2.0]}).tolist() == [2.0, 1.0]
    with pytest.raises(wf.InvalidError, match=r"x is f32\[batch, 3\] but f32\[2, 4\] is fed"):
        session.run(z, {x: np.ones((2, 4)), y: [1.0, 2.0]})
    with pytest.raises(wf.InvalidError, match=r"the size batch is 2 in x and 1 in y.*\[Session.sizes\]"):
        session.run(z, {x: np.ones((2, 3)), y: [1.0]})
    with pytest.raises(wf.InvalidError, match=r"axis 0 of x \(f32\[batch, 3\]\) has size batch|\[expect.rank\]"):
        x.expect("batch")


def test_expect_of_values_and_in_functions():
    x = wf.ones((2, 3))
    assert x.expect("n m") is not None and x.expect("2 _").shape == (2, 3)
    with pytest.raises(wf.InvalidError, match=r'"a 4" is expected, but axis 1 of x \(f32\[2, 3\]\) has size 3, not 4 \[expect.size\]'):
        x.expect("a 4")
    with pytest.raises(wf.InvalidError, match=r'"a a" is expected.*has size 3, not 2'):
        x.expect("a a")
    with pytest.raises(wf.InvalidError, match=r"'4!' in \"4! a\" is no size"):
        x.expect("4! a")
    with pytest.raises(wf.WrongTypeError, match=r"sizes must be a string.*\[expect.argument\]"):
        x.expect(3)

    @wf.function
    def product(a, b):
        return a.expect("batch width") @ b.expect("width _")

    assert product(x, wf.ones((3, 4))).shape == (2, 4)
    assert product(wf.ones((5, 6)), wf.ones((6, 4))).shape == (5, 4)
    assert product.trace_count == 1
    assert "f32[batch, width]" in str(product.get_concrete_function(x, wf.ones((3, 4))))
    with pytest.raises(wf.InvalidError, match=r'"width _" is expected, but axis 0 of x .* has size k = 7, not width = 6'):
        product(wf.ones((5, 6)), wf.ones((7, 4)))


def test_expect_under_transformations_and_in_branches_and_loops():
    @wf.function
    def f(x):
        rows = x.shape[0]  # by its name of before
        x = x.expect("batch width")
        y = wf.vmap(lambda row: row.expect("width") * 2.0)(x)
        z = wf.cond(wf.sum(y) > 0, lambda: y.expect("batch _") + x, lambda: x * 0.0)
        total, _ = wf.scan(lambda c, row: (c + row.expect("width"), None), wf.zeros(x.shape[1]), z)
        return total * wf.ones((rows, 1))

    for rows, width in ((2, 3), (5, 4), (7, 7)):
        assert f(wf.ones((rows, width))).numpy().tolist() == [[3.0 * rows] * width] * rows
    assert f.trace_count == 1


def test_eager_inside_of_a_graph_computes_now():
    v = wf.Variable(2.0)
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(2,), name="x")
        with wf.eager():
            table = wf.exp(wf.tensor([0.0, 0.0])) + 1.0
            assert table.tolist() == [2.0, 2.0]
            v.assign(5.0)
            assert (v * 2.0).item() == 10.0 and wf.identity(table) is table and wf.current_graph() is None
            assert wf.cond(wf.tensor(True), lambda: 1.0, lambda: 2.0).item() == 1.0
            with wf.GradientTape() as tape:
                square = v * v
            assert tape.gradient(square, v).item() == 10.0
            with pytest.raises(wf.InvalidError, match=r"an input \(graph value %x\) is known only when the graph runs.*add.eager"):
                x + table
        y = x * table
    assert [op.type for op in g.operations] == ["placeholder", "constant", "multiply"]
    assert wf.Session(g).run(y, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]


def test_eager_inside_of_a_function():
    seen = []

    @wf.function
    def f(x):
        with wf.eager():
            table = wf.sin(wf.tensor([0.0, 1.0]))
            seen.append(table.numpy()[0])
        return x + table

    assert f(wf.tensor([1.0, 1.0]))[0].item() == 1.0 and f(wf.tensor([2.0, 2.0]))[0].item() == 2.0
    assert seen == [0.0]  # once, when it was traced

    @wf.function
    def wrong(x):
        with wf.eager():
            return x * 2.0

    with pytest.raises(wf.InvalidError, match=r"multiply.eager"):
        wrong(wf.tensor(1.0))


def test_a_parsed_graph_runs_and_grows():
    w = wf.Variable([[1.0], [2.0]], name="w")
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, 2), name="x")
        y = wf.tanh(x @ w)
        w.assign_add(wf.ones((2, 1)))
    batch = np.ones((3, 2), np.float32)
    read = wf.Graph.parse(str(g), variables={"w": w})
    assert str(read) == str(g) and read.get_collection("global_variables") == [w]
    assert np.array_equal(wf.Session(read).run("Tanh:0", {"x": batch}), wf.Session(g).run(y, {x: batch}))
    with read:
        more = read.tensor("Tanh") * 2.0
        slope, = wf.gradients(wf.sum(more), [read.tensor("x")])
    assert wf.Session(read).run(slope, {"x": batch}).shape == (3, 2)
    assert "<svg" in read.draw() and "matmul" in read.summary()
    alone = wf.Graph.parse(str(g))  # a Variable of its own, of zeros
    assert not wf.Session(alone).run("Tanh", {"x": batch}).any()
    wf.Session(alone).run("AssignVariable")
    assert alone.get_collection("global_variables")[0].numpy().tolist() == [[1.0], [1.0]]
    assert w.numpy().tolist() == [[1.0], [2.0]]


def test_loops_and_conditions_are_read_back_and_optimized():
    v = wf.Variable([1.0, 2.0], name="v")
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        n = wf.placeholder(wf.int64, shape=(), name="n")
        y = wf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 1.5 + wf.sum(v)), (0, x))[1]
        out = wf.sum(wf.cond(wf.sum(y) > 3.0, lambda: wf.exp(-y), lambda: y * v[0]))
        slopes = wf.gradients(out, [x, v])
    names = [g.name_of(value) for value in (out, *slopes)]
    feeds = {"x": [0.1, -0.2, 0.3], "n": 2}
    expected = wf.Session(g).run(names, feeds)
    read = wf.Graph.parse(str(g), {"v": v})
    better = read.optimize(names)
    assert len(better) < len(g)
    for got in (wf.Session(read).run(names, feeds), wf.Session(better).run(better.get_collection("results"), feeds)):
        assert all(np.array_equal(a, b) for a, b in zip(got, expected))


def test_variables_for_a_text_are_checked():
    with wf.Graph() as g:
        wf.Variable([1.0], name="w").assign([2.0])
    with pytest.raises(wf.InvalidError, match=r"a Variable is given for @v, but the text has none.*\[Graph.variables\]"):
        wf.Graph.parse(str(g), {"v": wf.Variable([1.0])})
    with pytest.raises(wf.InvalidError, match=r"the variable @w holds f32\[2\], not f32\[1\]"):
        wf.Graph.parse(str(g), {"w": wf.Variable([1.0, 2.0])})
    with pytest.raises(wf.WrongTypeError, match=r"give a wf.Variable \[Graph.variables\]"):
        wf.Graph.parse(str(g), {"w": 3.0})
    with pytest.raises(wf.InvalidError, match=r"line 1"):
        wf.Graph.parse("not a graph")


def test_variables_of_one_name_are_told_apart():
    """A Variable of a graph has a name of its own, with its scopes in front; texts and `variables=` go by it."""
    outside = wf.Variable([7.0], name="w")
    with wf.Graph() as g:
        with g.name_scope("a"):
            first = wf.Variable([1.0], name="w")
        with g.name_scope("b"), g.name_scope("c"):
            second = wf.Variable([2.0], name="w")
            third = wf.Variable([3.0], name="w")
        fourth, fifth = wf.Variable([4.0], name="w"), wf.Variable([5.0], name="w")
        everything = [first, second, third, fourth, fifth, outside]
        out = wf.identity(wf.concat([v * 1.0 for v in everything]), name="out")
    assert [v.name for v in everything] == ["a/w", "b/c/w", "b/c/w_1", "w", "w_1", "w"]
    names = ["a/w", "b/c/w", "b/c/w_1", "w", "w_1", "w_2"]  # the one from outside comes last
    assert [line.split()[1].strip(":") for line in str(g).splitlines() if line.startswith("variable ")] == \
        [f"@{name}" for name in names]
    read = wf.Graph.parse(str(g))
    assert str(read) == str(g) and [v.name for v in read.get_collection("global_variables")] == names
    read = wf.Graph.parse(str(g), variables=dict(zip(names, everything)))
    assert np.array_equal(wf.Session(read).run("out"), wf.Session(g).run(out))
    some = wf.Graph.parse(str(g), variables={"b/c/w": second, "w_1": fifth})
    assert wf.Session(some).run("out").tolist() == [0.0, 2.0, 0.0, 0.0, 5.0, 0.0]


def test_variables_and_functions_do_not_share_names():
    step = wf.Variable(2.0, name="step")
    with wf.Graph() as g:
        x = wf.placeholder("f32[3]", name="x")
        out = wf.identity(wf.scan(lambda c, x: (c * 0.5 + x, None), step * 1.0, x)[0] * step, name="out")
    assert "variable @step:" in str(g) and "function @step(" in str(g)
    read = wf.Graph.parse(str(g), {"step": step})
    assert str(read) == str(g)
    feeds = {"x": [1.0, 2.0, 3.0]}
    assert wf.Session(read).run("out", feeds) == wf.Session(g).run(out, feeds)


def test_the_text_of_a_function_is_a_graph():
    f = wf.function(lambda x: wf.exp(x) * 2.0)
    x = wf.tensor([1.0, 2.0])
    read = wf.Graph.parse(str(f.get_concrete_function(x).graph))
    result, = read.get_collection("results")
    assert np.array_equal(wf.Session(read).run(result, {"x": x}), f(x).numpy())


def test_optimize_dumps_every_pass(tmp_path):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        y = wf.exp(x * 1.0) + wf.exp(x * 1.0)
        w = wf.Variable([0.0], name="w")
        w.assign(wf.reshape(wf.sum(x), (1,)))
    better = g.optimize([y], dump=tmp_path / "ir")
    files = sorted(path.name for path in (tmp_path / "ir").iterdir())
    assert files[0] == "00_before.ir" and files[-1] == "08_dead_code.ir" and len(files) == 9
    assert [op.type for op in better.operations] == ["placeholder", "exp", "add"]
    result, = better.get_collection("results")
    assert np.array_equal(wf.Session(better).run(result, {"x": [1.0]}), wf.Session(g).run(y, {x: [1.0]}))
    assert "assign_variable" in str(g.optimize())  # of no fetches, everything
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(wf.IoError, match=r"is .*file a folder\? \[optimize.dump\]"):
        g.optimize(dump=tmp_path / "file")
    f = wf.function(lambda x: wf.exp(x) + wf.exp(x))
    traced = f.get_concrete_function(wf.tensor([1.0, 2.0])).optimize(dump=tmp_path / "f")
    assert [op.type for op in traced.operations] == ["placeholder", "exp", "add"]
    assert len(list((tmp_path / "f").iterdir())) == 9


def test_plans_are_drawn_and_profiled(tmp_path):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None, 8), name="x")
        y = wf.sum(wf.tanh(x @ wf.ones((8, 8))) * 2.0)
    plan = wf.Session(g).plan(y, {x: np.ones((4, 8))})
    assert "product matmul %Matmul" in str(plan) and str(len(plan)) in repr(plan)
    assert plan.arena_bytes >= max(plan.live_bytes) > 0 and len(plan.live_bytes) == len(plan)
    path = tmp_path / "memory.svg"
    assert plan.draw(path).startswith("<svg") and path.read_text() == plan.draw()
    chart = xml.etree.ElementTree.fromstring(plan.draw().replace("xmlns=", "x="))
    assert chart.get("font-family") == "Helvetica, Arial, sans-serif"  # that of the charts of training
    width, height = float(chart.get("width")), float(chart.get("height"))
    texts = [(e.text, float(e.get("x")), float(e.get("y")), e.get("text-anchor"), float(e.get("font-size"))) for e in chart if e.tag == "text"]
    for text, at, y, anchor, size in texts:  # a letter is no wider than two thirds of its height
        start = at - {"start": 0, "middle": 0.5, "end": 1}[anchor] * len(text) * size * 0.67
        assert start >= 0 and 0 < y < height - 2 and (anchor != "start" or at + len(text) * size * 0.5 < width), text
    assert {"bytes", "instructions, in the order in which they run", "Matmul"} <= {text for text, *_ in texts}
    profile = plan.profile(rounds=3)
    assert "matmul" in str(profile) and profile.seconds > 0
    assert all(line.rsplit(":", 1)[0].endswith("test_sessions.py") for _, _, line, _ in profile.instructions if line)
    trace = json.loads(profile.chrome_trace(tmp_path / "trace.json"))
    assert json.loads((tmp_path / "trace.json").read_text()) == trace
    assert {"matmul", "tanh"} <= {event["name"] for event in trace["traceEvents"]}
    with pytest.raises(wf.InvalidError, match=r"rounds is 0; it is at least 1 \[profile.rounds\]"):
        plan.profile(0)


def test_the_plan_of_a_function():
    w = wf.Variable(wf.ones((4, 4)))

    @wf.function
    def f(x, scale=2.0):
        w.assign_add(wf.ones((4, 4)))
        return wf.tanh(x @ w) * scale

    x = wf.ones((3, 4))
    plan = f.get_concrete_function(x).plan(x)
    assert "matmul" in str(plan) and plan.profile(2).seconds > 0
    assert w.numpy()[0, 0] == 1.0  # a plan of a function stores nothing


def test_the_plan_of_a_function_wants_its_arguments():
    w = wf.Variable(3.0)
    trace = wf.function(lambda x: x * w).get_concrete_function(wf.ones(3))
    with pytest.raises(wf.InvalidError, match=r"written as \.svg, but the file is 'p\.png'"):
        trace.plan(wf.ones(3)).draw("p.png")
    with pytest.raises(wf.InvalidError, match="takes 1 tensors was asked for with 0; give the arguments"):
        trace.plan()


def test_a_callable_of_a_fixed_signature():
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, shape=(None,), name="x")
        y = x * 2.0
    double = wf.Session(g).make_callable({"y": y}, ["x"])
    assert double([1.0, 2.0])["y"].tolist() == [2.0, 4.0] and double([3.0])["y"].tolist() == [6.0]
    with pytest.raises(wf.WrongTypeError, match=r"takes 1 values, one for each of feed_list, but got 2 \[Session.callable\]"):
        double([1.0], [2.0])


def test_a_run_sees_one_value_of_a_variable():
    v = wf.Variable(wf.zeros(64))
    with wf.Graph() as g:
        first = v * 3.0
        v.assign(first)  # not fetched: both reads are of one value
        gap = wf.max(wf.abs(first - v * 3.0))
    session = wf.Session(g)
    ends = threading.Event()

    def write():
        i = 0
        while not ends.is_set():
            v.assign(wf.full((64,), float(i)))
            i += 1

    writer = threading.Thread(target=write)
    writer.start()
    gaps = {float(session.run(gap)) for _ in range(500)}
    ends.set()
    writer.join()
    assert gaps == {0.0}


@pytest.mark.parametrize("mode", ["function", "session", "plan"])
def test_ctrl_c_ends_a_long_run(mode):
    program = textwrap.dedent("""
        import os, signal, sys, threading, time
        import weft as wf
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def loop(x, n):
            return wf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, wf.sin(x)), (0, x))[1]
        with wf.Graph() as g:
            a = wf.placeholder(wf.float32, shape=(None,), name="a")
            n = wf.placeholder(wf.int64, shape=(), name="n")
            y = loop(a, n)
            z = a
            for _ in range(3000):
                z = wf.sin(z)
        session, f = wf.Session(g), wf.function(loop)
        x = wf.ones(1000)
        def call(steps):
            if sys.argv[1] == "function":
                return f(x, wf.tensor(steps)).numpy()
            if sys.argv[1] == "session":
                return session.run(y, {a: x, n: steps})
            return [session.run(z, {a: x}) for _ in range(min(steps, 10 ** 6))][-1]
        expected = call(3)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.time()
        try:
            call(10 ** 12)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted", time.time() - begin < 5)
        print((call(3) == expected).all())
    """)
    out = subprocess.run([sys.executable, "-c", program, mode], capture_output=True, text=True, timeout=60)
    assert out.stdout == "interrupted True\nTrue\n", out.stderr


def test_what_the_program_compared_is_checked_by_every_run():
    def two_lines(x):
        is_three = x.shape[0] == 3
        return wf.sum(x) if is_three else -wf.sum(x)

    for build in (two_lines, lambda x: wf.cond(x.shape[0] == 3, lambda: wf.sum(x), lambda: -wf.sum(x)),
                  lambda x: wf.sum(x) if x.shape[0] in (3, 4) else x, lambda x: -x if x.shape[0] != 3 else wf.sum(x)):
        with wf.Graph() as g:
            x = wf.placeholder("f32[n, 2]", name="x")
            y = wf.identity(build(x), name="y")
        for graph in (g, wf.Graph.parse(str(g))):
            session, fetch = wf.Session(graph), "y:0"
            assert session.run(fetch, {"x:0": np.ones((3, 2))}).item() == 6.0
            with pytest.raises(wf.InvalidError, match=r"built for n == 3, but this run has n = 4.*\[Session.sizes\]"):
                session.run(fetch, {"x:0": np.ones((4, 2))})


def test_optimize_leaves_out_placeholders_that_share_a_size():
    with wf.Graph() as g:
        x = wf.placeholder("f32[batch, 4]", name="x")
        t = wf.placeholder("f32[batch]", name="t")
        out = wf.sum(x, axis=1)
        wf.sum(out - t)
        like_t = wf.zeros(t.shape)
    part = g.optimize([out])
    assert [op.name for op in part.operations] == ["x", "Sum"]
    assert "batch" in str(g.optimize([like_t]))  # a size that nothing else gives


def test_what_numpy_has_no_dtype_for_is_refused_before_anything_runs(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)  # as if it were not installed
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with wf.Graph() as g:
        count = wf.Variable(wf.tensor(0.0), name="count")
        small = wf.Variable(wf.tensor(1.5, dtype=wf.bfloat16), name="small")
        step = count.assign_add(1.0)
        half = wf.identity(wf.astype(step, wf.bfloat16), name="half")
        whole = wf.astype(half, wf.float32)
    session = wf.Session(g)
    for name, fetch in (("half", half), ("half", "half:0"), ("small", small)):
        with pytest.raises(wf.WrongTypeError) as error:
            session.run([step, fetch])
        assert str(error.value).startswith(f"Session: cannot fetch '{name}', a bfloat16, which NumPy has only if ml_dtypes is "
                                           "installed; fetch wf.astype(value, wf.float32), which holds each of them [Session.fetch]")
        with pytest.raises(wf.WrongTypeError, match=r"\[Session.fetch\]"):
            session.make_callable([step, fetch])
    assert count.numpy() == 0.0  # nothing has run
    assert session.run(whole) == 1.0 and len(session.plan(half)) > 0
