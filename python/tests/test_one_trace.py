"""One trace for all sizes, and a graph that does not know them: values and gradients have the bits of eager code."""

import numpy as np
import pytest

import weft as wf

SIZES = (2, 3, 5, 8, 13)
KEY = wf.random.Key(3)

# Of a matrix [n, n] in both axes of which the size is unknown.
SQUARE = {
    "tril": lambda x: wf.tril(x) * x,
    "tril_below": lambda x: wf.tril(x, -1),
    "triu": lambda x: wf.triu(x, 1) + x,
    "triu_far": lambda x: wf.triu(x, 2**40),
    "tril_of_ones": lambda x: wf.tril(wf.ones((x.shape[0], x.shape[0]))) @ x,
    "diagonal": lambda x: wf.linalg.diagonal(x),
    "diagonal_above": lambda x: wf.linalg.diagonal(x, offset=1),
    "diagonal_below": lambda x: wf.linalg.diagonal(x, offset=-1),
    "trace": lambda x: wf.linalg.trace(x) * x,
    "diag_of_a_matrix": lambda x: wf.diag(x),
    "slogdet": lambda x: wf.linalg.slogdet(x)[1],
    "svdvals": lambda x: wf.linalg.svdvals(x),
    "qr": lambda x: wf.linalg.qr(x)[1],
    "eye": lambda x: x + wf.eye(x.shape[0]) * 2.0,
}
# Of a vector [n].
VECTOR = {
    "eye": lambda x: wf.eye(x.shape[0]) @ x,
    "eye_beside": lambda x: wf.eye(x.shape[0], 2 * x.shape[0] + 1, k=1).T @ x,
    "eye_of_a_known_height": lambda x: wf.eye(4, x.shape[0], dtype=wf.float64) @ wf.cast(x, wf.float64),
    "linspace": lambda x: wf.linspace(-0.1, 0.7, x.shape[0]) * x,
    "linspace_without_end": lambda x: wf.linspace(3, 1, x.shape[0], endpoint=False, dtype=wf.float64) * wf.cast(x, wf.float64),
    "linspace_far": lambda x: wf.linspace(-1.7e308, 1.7e308, x.shape[0], dtype=wf.float64) * wf.cast(x, wf.float64),
    "one_hot": lambda x: wf.one_hot(wf.tensor([1, 0, 1]), x.shape[0]) @ x,
    "tile": lambda x: wf.tile(x * 2.0, (x.shape[0],)),
    "repeat": lambda x: wf.repeat(x, x.shape[0]),
    "tile_twice": lambda x: wf.tile(x, (x.shape[0], 2)),
    "permutation": lambda x: wf.take(x, wf.random.permutation(KEY, x.shape[0])),
    "shuffle": lambda x: wf.random.shuffle(KEY, x) * x,
    "diag_of_a_vector": lambda x: wf.diag(x, 1) * 2.0,
    "diag_embed": lambda x: wf.diag_embed(x * x, offset=-2),
    "jacrev": lambda x: wf.jacrev(lambda x: wf.sin(x) * wf.flip(x))(x),
    "jacfwd": lambda x: wf.jacfwd(lambda x: wf.sin(x) * wf.flip(x))(x),
    "hessian": lambda x: wf.hessian(lambda x: wf.sum(wf.sin(x) * wf.flip(x)))(x),
}


def value(*shape):
    return wf.tensor(np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32))


def cases():
    out = []
    for name, f in SQUARE.items():
        out.append(pytest.param(f, lambda n: value(n, n), 2, id=f"square-{name}"))
    for name, f in VECTOR.items():
        out.append(pytest.param(f, lambda n: value(n), 1, id=f"vector-{name}"))
    return out


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), (a, b)


def slope_of(f):
    return wf.grad(lambda x: wf.sum(wf.cast(f(x), wf.float64) ** 2), unconnected="zero")


@pytest.mark.parametrize("f, make, rank", cases())
def test_one_trace(f, make, rank):
    traced, inside, outside = wf.function(f), wf.function(slope_of(f)), wf.function(f)
    for n in SIZES:
        x = make(n)
        same_bits(traced(x), f(x))
        same_bits(inside(x), slope_of(f)(x))
        same_bits(slope_of(outside)(x), slope_of(f)(x))
    assert traced.trace_count == 1, traced.trace_log()
    assert inside.trace_count == 1, inside.trace_log()
    assert outside.trace_count == 1, outside.trace_log()


@pytest.mark.parametrize("f, make, rank", cases())
def test_a_graph_without_sizes(f, make, rank):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None,) * rank, "x")
        y = f(x)
        slope, = wf.gradients(wf.sum(wf.cast(y, wf.float64) ** 2), [x], unconnected="zero")
    again = wf.Graph.parse(str(g))
    with wf.Session(g) as session, wf.Session(again) as parsed, wf.eager():
        for n in SIZES:
            at = make(n)
            results = session.run([y, slope], {x: at})
            same_bits(results[0], f(at))
            same_bits(results[1], slope_of(f)(at))
            same_bits(parsed.run(g.name_of(y), {"x": at}), f(at))


@pytest.mark.parametrize("f, make, rank", cases())
def test_batches(f, make, rank):
    traced = wf.function(wf.vmap(f))
    for n in SIZES:
        x = wf.stack([make(n), make(n) * 2.0, make(n) + 1.0])
        same_bits(traced(x), wf.vmap(f)(x))
    assert traced.trace_count == 1, traced.trace_log()


def test_wide_matrices_and_others_have_a_trace_each():
    f = wf.function(lambda x: wf.linalg.diagonal(x))
    for shape in [(2, 3), (4, 9), (3, 2), (9, 4), (5, 5), (6, 6), (3, 7)]:
        same_bits(f(value(*shape)), wf.linalg.diagonal(value(*shape)))
    assert f.trace_count == 2, f.trace_log()


@pytest.mark.parametrize("f", [wf.linalg.diagonal, lambda x: wf.linalg.diagonal(x, offset=2), wf.diag, wf.linalg.svdvals])
def test_a_graph_takes_sides_that_differ(f):
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, None), "x")
        y = f(x)
        slope, = wf.gradients(wf.sum(y * y), [x])
    with wf.Session(g) as session, wf.eager():
        for shape in [(2, 3), (4, 9), (3, 2), (9, 4), (5, 5), (1, 1)]:
            at = value(*shape)
            results = session.run([y, slope], {x: at})
            same_bits(results[0], f(at))
            same_bits(results[1], wf.grad(lambda x: wf.sum(f(x) * f(x)))(at))


def test_a_size_is_one_number():
    for call, name in [(lambda n: wf.eye(n), "eye: n_rows"), (lambda n: wf.one_hot(wf.tensor([0]), n), "one_hot: num_classes"),
                       (lambda n: wf.linspace(0, 1, n), "linspace: num"), (lambda n: wf.random.permutation(KEY, n), "permutation: n")]:
        with pytest.raises(wf.WrongTypeError, match=rf"{name} must be an integer, but got tuple"):
            call((2, 3))
        with pytest.raises(wf.InvalidError, match=rf"{name} is -2; it must be at least 0"):
            call(-2)


def test_a_class_beyond_the_size_raises_in_a_run():
    f = wf.function(lambda x: wf.one_hot(wf.tensor([2]), x.shape[0]))
    assert f(wf.ones(3)).tolist() == [[0.0, 0.0, 1.0]]
    with pytest.raises(wf.OutOfRangeError, match=r"class 2 at position 0 is out of range; classes go from 0 to 1 \[one_hot.range\]"):
        f(wf.ones(2))


# Floats of sizes: Python's in eager code, part of the graph in a trace.
FLOATS = {
    "times": lambda x: x * (x.shape[0] * 0.1),
    "half": lambda x: x * (x.shape[0] / 2),
    "inverse": lambda x: x * (1 / x.shape[0]),
    "between": lambda x: x * (x.shape[0] / (x.shape[0] + 1)),
    "root": lambda x: x * x.shape[0] ** -0.5,
    "power_of_a_float": lambda x: x * 0.9 ** x.shape[0],
    "square": lambda x: x * x.shape[0] ** 2,
    "negative_power": lambda x: x * x.shape[0] ** -1,
    "sum": lambda x: x + (x.shape[0] + 0.1) - (0.3 - x.shape[0]),
    "nested": lambda x: x / -(1.5 * (x.shape[0] - 1) / x.shape[0]) ** 1.5,
    "of_floats": lambda x: x * (2 / x.shape[0] * 3) ** (1 / x.shape[0]),
    "alone": lambda x: wf.sqrt(x.shape[0] / 3) * x,
    "made": lambda x: wf.tensor(1 / x.shape[0]) * x + wf.full((2, 1), x.shape[0] * 0.3),
}


@pytest.mark.parametrize("dtype", [wf.float32, wf.float64, wf.float16, wf.bfloat16, wf.int32, wf.complex64])
@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_sizes(name, dtype):
    traced = wf.function(FLOATS[name])
    for n in (*SIZES, 100, 200):
        x = wf.cast(value(n) * 9.0, dtype)
        assert wf.fingerprint(traced(x)) == wf.fingerprint(FLOATS[name](x)) and traced(x).dtype == FLOATS[name](x).dtype, n
    assert traced.trace_count == 1, traced.trace_log()


@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_sizes_in_graphs(name):
    f = FLOATS[name]
    traced, batched = wf.function(slope_of(f)), wf.function(wf.vmap(f))
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None,), "x")
        y = f(x)
        slope, = wf.gradients(wf.sum(wf.cast(y, wf.float64) ** 2), [x])
    again = wf.Graph.parse(str(g))
    with wf.Session(g) as session, wf.Session(again) as parsed, wf.eager():
        for n in SIZES:
            at = value(n)
            results = session.run([y, slope], {x: at})
            same_bits(results[0], f(at))
            same_bits(results[1], slope_of(f)(at))
            same_bits(parsed.run(g.name_of(y), {"x": at}), f(at))
            same_bits(traced(at), slope_of(f)(at))
            rows = wf.stack([at, at * 3.0])
            same_bits(batched(rows), wf.vmap(f)(rows))
    assert traced.trace_count == 1 and batched.trace_count == 1, traced.trace_log()


@pytest.mark.parametrize("f", [
    lambda x: x[: int(x.shape[0] * 0.5)],
    lambda x: x * round(x.shape[0] / 3, 2),
    lambda x: x if x.shape[0] / 2 > 2.2 else x * 2,
    lambda x: x * np.sqrt(x.shape[0] / 2),
    lambda x: x * np.float64(x.shape[0] * 0.5),
    lambda x: x * float(f"{x.shape[0] / 3:.3f}"),
    lambda x: x * (x.shape[0] * 0.7 // 1) + x.shape[0] * 0.7 % 2,
    lambda x: x * (-x.shape[0]) ** 0.5,
    lambda x: wf.nn.hardtanh(x, -1 / x.shape[0], 1 / x.shape[0]),
    lambda x: wf.linspace(0, 1 / x.shape[0], 3),
    lambda x: wf.arange(0, x.shape[0] * 0.5, 0.25),
    lambda x: wf.abs(x) ** (8 / x.shape[0]),
])
def test_where_python_needs_a_float_it_is_decided(f):
    traced = wf.function(f)
    for n in (4, 5, 4):
        same_bits(traced(value(n)), f(value(n)))
    assert traced.trace_count == 2


def test_a_float_of_sizes_that_is_none():
    traced = wf.function(lambda x: x * (1 / (x.shape[0] - 3)))
    assert traced(wf.ones(5)).tolist() == [0.5] * 5
    for f in (traced, wf.function(lambda x: x * (1 / (x.shape[0] - 3)))):  # with a trace or without one, as Python says it
        with pytest.raises(ZeroDivisionError):
            f(wf.ones(3))
    with pytest.raises(wf.InvalidError, match=r"size_float: 1.0 is divided by 0.0; the divisor must not be 0 \[size_float.defined\]"):
        traced.get_concrete_function(wf.ones(5))(wf.ones(3))


def test_a_float_of_sizes_prints_as_a_formula():
    seen = []
    with pytest.warns(UserWarning, match="is changed while the function is traced"):
        wf.function(lambda x: seen.append(repr(1 / (x.shape[0] * 0.5 + 1) ** 2)) or x * 1)(wf.ones(4))
    assert seen == ["(1.0 / (((n * 0.5) + 1.0) ** 2.0))"]


def test_a_long_formula_is_decided():
    def f(x):
        scale = x.shape[0] / 7
        for _ in range(20):
            scale = scale * scale + 0.1
        return x * scale

    traced = wf.function(f)
    same_bits(traced(value(3)), f(value(3)))
    same_bits(traced(value(4)), f(value(4)))
    assert traced.trace_count == 2


def test_a_power_that_is_a_size():
    f = wf.function(lambda x: x ** x.shape[0])
    for n in (4, 5, 2, 3, 8):
        same_bits(f(value(n)), value(n) ** n)
    assert f.trace_count == 3, f.trace_log()  # squares and cubes are products


def test_columns_may_be_left_out():
    assert wf.eye(2, None).shape == wf.eye(2).shape == (2, 2) and wf.eye(2, n_cols=0).shape == (2, 0)
    with pytest.raises(wf.InvalidError, match=r"eye: n_cols is -1; it must be at least 0 \[eye.negative\]"):
        wf.eye(2, -1)
