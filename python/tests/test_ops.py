"""Every op of the registry against NumPy's function of the same meaning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import weft as wf
from weft import _core, _ops

ENTRIES = {(e["module"], e["name"]): e for e in _core.registry() if "." not in e["name"]}
TOLERANCE = {"float16": 2e-3, "float32": 3e-6, "float64": 1e-13, "complex64": 1e-5, "complex128": 1e-12}
# dtype classes by name, as NumPy knows them.
SAMPLE_DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]


def numpy_function(entry):
    """NumPy's ufunc of the same meaning, or None."""
    for system, name in entry["known_as"]:
        if system == "numpy" and isinstance(getattr(np, name, None), np.ufunc) and not getattr(np, name).signature:
            return getattr(np, name)
    return None


ELEMENTWISE = [(key, entry) for key, entry in ENTRIES.items() if numpy_function(entry) and not entry["fields"]]


def values(dtype, shape, rng):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(1, 7, shape).astype(dtype)
    a = rng.uniform(-2, 2, shape)
    return (a + 1j * rng.uniform(-2, 2, shape)).astype(dtype) if np.dtype(dtype).kind == "c" else a.astype(dtype)


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("key, entry", ELEMENTWISE, ids=[k[1] for k, _ in ELEMENTWISE])
def test_elementwise_like_numpy(key, entry, dtype):
    function, op = numpy_function(entry), _ops.op(*key)
    rng = np.random.default_rng(0)
    arrays = [values(dtype, (3, 5), rng) for _ in entry["inputs"]]
    if dtype not in [d.name for d in entry["inputs"][0]["dtypes"]]:
        return
    if len(arrays) != function.nin or function.nout != 1:
        return
    with np.errstate(all="ignore"):
        try:
            expected = function(*arrays)
        except TypeError:
            return
    out = op(*map(wf.tensor, arrays))
    if np.dtype(dtype).kind in "fc" or out.dtype.name == expected.dtype.name:
        assert out.dtype.name == expected.dtype.name
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(out.numpy().astype(wide), expected.astype(wide), rtol=TOLERANCE.get(dtype, 1e-6) * 4,
                               atol=TOLERANCE.get(dtype, 1e-6))


REDUCTIONS = [name for name in ("sum", "prod", "mean", "max", "min", "all", "any", "argmax", "argmin", "var", "std")
              if ("", name) in ENTRIES]


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=25)
@given(st.data())
def test_reductions_like_numpy(name, data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=6))
    a = np.random.default_rng(data.draw(st.integers(0, 9))).uniform(-1, 1, shape)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    keepdims = data.draw(st.booleans())
    if name in ("all", "any"):
        a = a > 0.3
    expected = getattr(np, name)(a, axis=axis, keepdims=keepdims)
    out = getattr(wf, name)(wf.tensor(a), axis=axis, keepdims=keepdims)
    assert out.shape == expected.shape
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-12, atol=1e-14)


@settings(max_examples=100)
@given(st.data())
def test_broadcasting_like_numpy(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4)).input_shapes
    a, b = (np.arange(np.prod(s), dtype=np.float32).reshape(s) for s in shapes)
    np.testing.assert_array_equal((wf.tensor(a) + wf.tensor(b)).numpy(), a + b)


BINARY = [("add", "+"), ("subtract", "-"), ("multiply", "*"), ("divide", "/"), ("floor_divide", "//"), ("remainder", "%"),
          ("pow", "**"), ("less", "<"), ("less_equal", "<="), ("equal", "=="), ("not_equal", "!="), ("greater", ">"),
          ("greater_equal", ">="), ("matmul", "@")]


@pytest.mark.parametrize("name, sign", [b for b in BINARY if ("", b[0]) in ENTRIES])
def test_operators(name, sign):
    a, b = np.array([[1.5, -2.0], [3.0, 4.0]], np.float32), np.array([[2.0, 3.0], [0.5, 1.0]], np.float32)
    with np.errstate(all="ignore"):
        expected = eval(f"a {sign} b")
    x, y = wf.tensor(a), wf.tensor(b)
    np.testing.assert_allclose(eval(f"x {sign} y").numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(getattr(wf, name)(x, y).numpy(), expected, rtol=1e-6)
    if sign != "@":
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(eval(f"x {sign} 2").numpy(), eval(f"a {sign} 2"), rtol=1e-6)
            np.testing.assert_allclose(eval(f"2 {sign} x").numpy(), eval(f"2 {sign} a"), rtol=1e-6)
    with pytest.raises(TypeError):
        if sign in ("==", "!="):
            raise TypeError
        eval(f"x {sign} 'text'")
    assert (x == "text") is False


@pytest.mark.parametrize("sign", ["&", "|", "^", "<<", ">>"])
def test_bit_operators(sign):
    a, b = np.array([1, 2, 12]), np.array([3, 1, 2])
    x, y = wf.tensor(a), wf.tensor(b)
    assert eval(f"x {sign} y").tolist() == eval(f"a {sign} b").tolist()
    assert (~x).tolist() == (~a).tolist() and (-x).tolist() == (-a).tolist()
    assert abs(-x).tolist() == a.tolist() and (+x).tolist() == a.tolist()


def test_every_public_op_has_docs_signature_and_names():
    import inspect

    for (module, name), entry in ENTRIES.items():
        op = _ops.op(module, name)
        assert entry["doc"].strip(), name
        assert op.__doc__.startswith(entry["doc"][:20]) and op.__name__ == name
        parameters = list(inspect.signature(op).parameters)
        assert set(parameters) - set(entry["parameters"]) <= {"copy", "device"}  # the standard's: they change nothing
        parameters = [p for p in parameters if p in entry["parameters"]]
        assert parameters == entry["parameters"]
        assert set(parameters) == {p["name"] for p in entry["inputs"] + entry["fields"]}


def test_positional_keyword_and_defaults():
    x = wf.tensor([[1.0, 2.0], [3.0, 4.0]])
    expected = [3.0, 7.0]
    assert wf.sum(x, 1).tolist() == wf.sum(x, axis=1).tolist() == wf.sum(x=x, axis=(1,)).tolist() == expected
    assert wf.sum(x, axis=None).item() == 10 and wf.sum(x, axis=-1, keepdims=True).shape == (2, 1)
    assert wf.zeros((2, 3), dtype=None).dtype is wf.float32 and wf.zeros(2, 3).shape == (2, 3)
    assert wf.stack([x, x], axis=-1).shape == (2, 2, 2) and wf.stack((x,)).shape == (1, 2, 2)
    assert wf.add(1, 2).dtype is wf.int64 and wf.add(1, 2.0).dtype is wf.float32
