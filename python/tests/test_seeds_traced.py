"""wf.seed in traced functions: it acts when the graph runs, where it stands."""

import pytest

import weft as wf


def test_a_seed_is_part_of_the_function():
    def drawn(x):
        first = wf.randn(2)
        wf.seed(7)
        return x + first, wf.randn(2), wf.randn(2)

    def numbers(f):
        wf.seed(3)
        return [[t.tolist() for t in f(wf.zeros(2))] for _ in range(2)] + [wf.randn(2).tolist(), wf.random.generator_state()]

    wf.seed(5)
    wf.function(drawn).get_concrete_function(wf.zeros(2))
    assert wf.random.generator_state() == (5, 0)  # a trace draws nothing, and seeds nothing
    assert numbers(wf.function(drawn)) == numbers(drawn)


def test_a_seed_in_a_branch_and_in_a_loop():
    def chosen(x):
        if x > 0:
            wf.seed(7)
        return x + wf.randn(2)

    def looped(x):
        for i in range(int(3)):
            if x > i:
                wf.seed(2**40 + 1)
            x = x + wf.rand(())
        return x

    def numbers(f, x):
        wf.seed(3)
        return [f(wf.tensor(x)).tolist(), wf.randn(2).tolist(), wf.random.generator_state()]

    for f in (chosen, looped):
        traced = wf.function(f)
        for x in (1.0, -1.0, 2.5):
            assert numbers(traced, x) == numbers(f, x), (f, x)
        assert traced.trace_count == 1
    state = wf.random.generator_state()
    again = wf.function(lambda x: (wf.random.set_generator_state((9, 2)), x + wf.randn(2))[1])
    again.get_concrete_function(wf.zeros(2))
    assert wf.random.generator_state() == state
    first = again(wf.zeros(2)).tolist()
    assert wf.random.generator_state() == (9, 3)
    wf.random.set_generator_state((9, 2))
    assert wf.randn(2).tolist() == first


def test_a_seed_in_a_branch_of_a_graph_is_refused():
    def seeded():
        wf.seed(7)
        return wf.randn(2)

    with wf.Graph(), pytest.raises(wf.InvalidError, match=r"draw from a Key \[seed.graph\]"):
        wf.cond(wf.placeholder("bool[]"), seeded, lambda: wf.zeros(2))
