"""Names of sizes: what may be one, sizes made of others, and types as text."""

import numpy as np
import pytest
import weft as wf


@pytest.mark.parametrize("size", ["n!!", "batch size", "é", "2n", "", " ", "n.1", "?n", "n*", "*n", "n/2", "(n", "max(n)", "a[b"])
def test_what_is_no_size_raises(size):
    with wf.Graph(), pytest.raises(wf.InvalidError, match=r"is no size; .*\[shape.name\]"):
        wf.placeholder(wf.float32, (size, 3))


@pytest.mark.parametrize("text", ["f32[n", "f32]n[", "f32[n]]", "f32[[n]", "f32[n] x", "[n]", "f32[n,,m]", "f32[n,]", "f32[,]",
                                  "f32[n!!, -3]", "f32[2n]", "f32[-3]", "f32[batch size]", "f32[é]"])
def test_what_is_no_type_raises(text):
    with wf.Graph(), pytest.raises(wf.InvalidError, match=r"\[(shape.type|shape.name|placeholder.shape)\]"):
        wf.placeholder(text)
    with pytest.raises(wf.InvalidError, match=r"\[(shape.\w+|input_signature.\w+|function.\w+)\]"):
        wf.function(lambda x: x, input_signature=[text])(wf.ones(3))


def test_names_of_functions_are_checked():
    with pytest.raises(wf.InvalidError, match=r"'batch size' is no name of a size; .*\[shape.name\]"):
        wf.function(lambda x: x, input_signature=[(wf.float32, ("batch size",))])
    with pytest.raises(wf.InvalidError, match=r"'2\*n' is no name of a size; .*\[shape.name\]"):
        wf.function(lambda x, y: x, input_signature=["f32[n]", "f32[2*n]"])


def test_every_type_that_is_taken_reads_back():
    for text in ("f32[]", "f32[n, 784]", " f32 [ n , m_1 ] ", "f32[n, 2*n + 1]", "f32[n, m, max(n, m)]", "f32[n, floor((n+1)/2)]"):
        with wf.Graph() as g:
            x = wf.placeholder(text, name="x")
        again = wf.Graph.parse(str(g))
        assert str(again) == str(g) and str(again.tensor("x").shape) == str(x.shape)
    with wf.Graph() as g:  # the name of a placeholder is part of a size's name
        wf.placeholder(wf.float32, (None,), name="2 é-x")
    assert str(wf.Graph.parse(str(g))) == str(g)


def test_a_size_made_of_others_is_checked():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        y = wf.placeholder("f32[2*n]", name="y")
        z = wf.concat([x, x]) + y
        total = wf.sum(y)
    session = wf.Session(g)
    assert session.run(z, {x: np.ones(3), y: np.ones(6)}).tolist() == [2.0] * 6
    for fetch in (z, total):
        with pytest.raises(wf.InvalidError, match=r"the size 2\*n is 7 in y, but n is 3; feed 6 \[Session.sizes\](.*\n)+called at "
                                                  r".*test_size_names.py:\d+"):
            session.run(fetch, {x: np.ones(3), y: np.ones(7)})
    assert session.run(total, {x: np.ones(3), y: np.ones(6)}) == 6.0
    with pytest.raises(wf.InvalidError, match=r"the placeholder x \(f32\[n\]\) is needed for its size and not fed"):
        session.run(total, {y: np.ones(6)})
    with wf.Graph() as g, pytest.raises(wf.InvalidError, match=r"the size 2\*k is made of k, which no placeholder has as a size; "
                                                               r".*\[placeholder.shape\]"):
        wf.placeholder("f32[2*k, n]")


def test_a_value_between_ops_is_fed_without_what_its_size_is_made_of():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n]", name="x")
        y = wf.concat([x, x])
        z = wf.sum(y)
    assert wf.Session(g).run(z, {y: np.ones(7)}) == 7.0


@pytest.mark.parametrize("f", [wf.add, lambda a, b: wf.where(a > 0, a, b), lambda a, b: a * b])
def test_errors_of_a_trace_have_the_sizes_of_the_call(f):
    with pytest.raises(wf.InvalidError, match=r"shapes \[3\] and \[4\] do not broadcast: axis -1 has size 3 and 4; sizes must be"):
        wf.function(f)(wf.ones(3), wf.ones(4))
