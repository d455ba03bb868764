"""Lists that grow over a tensor whose sizes are symbols: the trace takes the number of rows for granted, as len(x) does."""

import pytest
import weft as wf


def appended(x):
    out = []
    for row in x:
        out.append(row * 2.0)
    return wf.stack(out)


def appended_pairs(x):
    rows, sums, total = [wf.zeros(2)], [], wf.tensor(0.0)
    for i, row in enumerate(x):
        total = total + wf.sum(row)
        rows.append(row + i)
        sums.append({"i": total, "twice": (total * 2.0,)})
    return rows, sums


def comprehension(x):
    return wf.stack([wf.sum(row) * i for i, row in enumerate(x)])


def nested_comprehension(x):
    return [[2.0 * value for value in row] for row in x]


def zipped(x):
    return wf.stack([a - b for a, b in zip(x, x + 1.0)])


def in_a_branch(x):
    out = []
    if wf.sum(x) > 0.0:
        rows = []
        for row in x:
            rows.append(row)
        out = wf.stack(rows)
    else:
        out = x * 2.0
    return out


def by_its_size(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] * i)
    return wf.stack(out)


FUNCTIONS = [appended, appended_pairs, comprehension, nested_comprehension, zipped, in_a_branch, by_its_size]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_lists_are_those_of_python(f):
    traced = wf.function(f)
    for n in (3, 5, 3):
        x = wf.reshape(wf.arange(2 * n, dtype=wf.float32), (n, 2)) - 1.0
        found, expected = traced(x), f(x)
        assert wf.fingerprint(found) == wf.fingerprint(expected)
        assert type(found) is type(expected)
    assert traced.trace_count == 2
    assert "it was assumed that n == 3" in traced.trace_log()[1] and __file__ in traced.trace_log()[1]


def test_lists_that_grow_differentiate():
    x = wf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for f in (appended, comprehension):
        assert wf.grad(lambda y, f=f: wf.sum(f(y) ** 2))(x).tolist() == wf.grad(lambda y, f=f: wf.sum(wf.function(f)(y) ** 2))(x).tolist()


def test_a_loop_that_does_not_append_assumes_nothing():
    @wf.function
    def f(x):
        out, total = [], wf.zeros(2)
        for row in x:
            total = total + row
        return total, out

    for n in (3, 5, 7):
        assert f(wf.ones((n, 2)))[0].tolist() == [n, n]
    assert f.trace_count == 1


def test_lengths_that_only_a_run_tells_are_refused():
    @wf.function
    def by_nonzero(x):
        out = []
        for i in wf.nonzero(x)[0]:
            out.append(i)
        return out

    with pytest.raises(wf.WrongTypeError, match=r"whose number of iterations is not known.*\[function.list_length\]"):
        by_nonzero(wf.tensor([1.0, 0.0, 2.0]))
    with pytest.raises(wf.InvalidError, match=r"whose length is not known.*\[function.comprehension\]"):
        wf.function(lambda x: [i for i in wf.nonzero(x)[0]])(wf.tensor([1.0, 0.0, 2.0]))
