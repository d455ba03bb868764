"""Promotion: the tables of the array API, and scalars that never widen."""

import itertools

import numpy as np
import pytest

import weft as wf

INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
ALL = ["bool"] + INTEGERS + FLOATS + ["complex64", "complex128"]


def expected(a, b):
    """NumPy's answer within a kind (with the half floats by our rule); across kinds the higher kind."""
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    kinds = [("bool",), INTEGERS, FLOATS, ("complex64", "complex128")]
    ka, kb = (next(i for i, k in enumerate(kinds) if x in k) for x in (a, b))
    if ka == kb:
        if "bfloat16" in (a, b):
            other = b if a == "bfloat16" else a
            return other
        out = np.promote_types(a, b).name
        return None if ka == 1 and out == "float64" else out
    low, high = (a, b) if ka < kb else (b, a)
    if high == "complex64" and low == "float64":
        return "complex128"
    return high


@pytest.mark.parametrize("a, b", list(itertools.product(ALL, ALL)))
def test_table(a, b):
    want = expected(a, b)
    if want is None:
        with pytest.raises(TypeError, match="no common dtype"):
            wf.promote_types(a, b)
        with pytest.raises(TypeError, match="no common dtype"):
            wf.tensor([1], dtype=a) + wf.tensor([1], dtype=b)
        return
    assert wf.promote_types(a, b).name == want
    assert (wf.tensor([1], dtype=a) + wf.tensor([1], dtype=b)).dtype.name == want
    assert wf.result_type(wf.tensor([1], dtype=a), getattr(wf, b)).name == want


@pytest.mark.parametrize("dtype", ALL)
def test_scalars_never_widen(dtype):
    x = wf.tensor([1], dtype=dtype)
    floats = dtype in FLOATS or dtype.startswith("complex")
    assert (x + 1).dtype.name == ("int64" if dtype == "bool" else dtype)
    assert (x + 1.0).dtype.name == (dtype if floats else "float32")
    assert wf.result_type(x, 1.0).name == (dtype if floats else "float32")
    assert (x + True).dtype.name == dtype
    if dtype.startswith("complex"):
        assert (x + 1j).dtype.name == dtype
    assert (1.0 + x).dtype is (x + 1.0).dtype


def test_can_cast():
    assert wf.can_cast("int8", "int16") and not wf.can_cast("int16", "int8") and not wf.can_cast("uint64", "int64")


def test_isdtype_finfo_iinfo():
    assert wf.isdtype(wf.float32, "real floating") and wf.isdtype(wf.bfloat16, "real floating")
    assert wf.isdtype(wf.int8, ("bool", "integral")) and not wf.isdtype(wf.int8, wf.int16)
    for name in ("float16", "float32", "float64"):
        ours, theirs = wf.finfo(name), np.finfo(name)
        assert (ours.bits, ours.eps, ours.max, ours.min, ours.smallest_normal) == (
            theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal)
    for name in INTEGERS:
        ours, theirs = wf.iinfo(name), np.iinfo(name)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    with pytest.raises(ValueError, match="kind is 'x'"):
        wf.isdtype(wf.int8, "x")


def test_namespace_info():
    info = wf.__array_namespace_info__()
    assert info.default_device() == "cpu" and info.devices() == ["cpu"]
    assert info.default_dtypes()["real floating"] is wf.float32
    assert info.dtypes(kind="bool") == {"bool": wf.bool} and "float64" in info.dtypes()
    assert info.capabilities()["max dimensions"] == 32
    assert wf.tensor(1).__array_namespace__() is wf
    with pytest.raises(ValueError, match="api_version"):
        wf.tensor(1).__array_namespace__(api_version="1999")


def test_integers_of_python_alone_need_a_common_dtype():
    """2**63 is a uint64, which no dtype holds together with an int64."""
    for one, other in ((0, 2**63), (2**63, -1)):
        with pytest.raises(TypeError, match="have no common dtype that holds both"):
            wf.logaddexp2(one, other)
        with pytest.raises(TypeError, match="have no common dtype that holds both"):
            wf.add(one, other)
