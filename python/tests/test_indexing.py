"""Indexing against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import weft as wf


@settings(max_examples=300)
@given(st.data())
def test_basic_indexing_is_numpys(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    a = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))
    t = wf.tensor(a)
    np.testing.assert_array_equal(np.asarray(t[key]), a[key])


@pytest.mark.parametrize("key", [np.array([2, 0, -1]), [1, 1], np.array([[0, 1], [2, 0]]), np.array([], np.int64), []])
def test_integer_arrays(key):
    a = np.arange(24.0).reshape(3, 8)
    np.testing.assert_array_equal(np.asarray(wf.tensor(a)[key]), a[key])
    np.testing.assert_array_equal(np.asarray(wf.tensor(a)[:, key]), a[:, key])
    np.testing.assert_array_equal(np.asarray(wf.tensor(a)[..., key]), a[..., key])
    np.testing.assert_array_equal(np.asarray(wf.tensor(a)[None, 1:, key]), a[None, 1:, key])
    np.testing.assert_array_equal(np.asarray(wf.tensor(a)[wf.tensor(np.array(key, np.int64))]), a[np.array(key, np.int64)])


@pytest.mark.parametrize("key, error, words", [
    (5, IndexError, "index 5 is out of range for axis 0"),
    ((0, 0, 0), IndexError, "at most one entry per axis"),
    ("a", IndexError, "key holds 'a'"),
    (1.5, IndexError, "key holds 1.5"),
    ((..., ...), IndexError, "at most one is allowed"),
    (slice(None, None, 0), ValueError, "steps are not 0"),
    (slice("a"), TypeError, "a bound that is no integer"),
    (np.array([0.5]), IndexError, "indices are integers"),
    (np.array([3]), IndexError, "out of range"),
    (10**30, OverflowError, "does not fit"),
])
def test_bad_keys(key, error, words):
    x = wf.tensor(np.arange(6.0).reshape(3, 2))
    with pytest.raises(error, match=words):
        x[key]


def test_views_share_memory():
    x = wf.tensor(np.arange(100.0))
    assert wf._core._shares_memory(x, x[10:20])
