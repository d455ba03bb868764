"""Running sums, products and logsumexps of long rows: accuracy, and one result whatever the threads, strides and batch."""

import os
import subprocess
import sys

import numpy as np
import pytest

import weft as wf

LENGTH = 1_000_000
BLOCK = 512  # kScanBlock


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(0).random(LENGTH, dtype=np.float32)


def relative_error(result, exact):
    return float(np.max(np.abs((np.asarray(result).astype(exact.dtype) - exact) / exact)))


def test_a_million_float32_are_summed_to_the_last_bit(numbers):
    exact = np.cumsum(numbers.astype(np.longdouble))
    assert relative_error(wf.cumulative_sum(wf.tensor(numbers)), exact) < 6e-8  # half a unit of the last place
    assert relative_error(wf.cumulative_sum(wf.tensor(numbers.astype("float64"))), exact) < 1e-14


def test_complex_sums_are_as_accurate(numbers):
    pairs = (numbers + 1j * numbers[::-1]).astype("complex64")
    exact = np.cumsum(pairs.astype(np.clongdouble))
    assert relative_error(wf.cumulative_sum(wf.tensor(pairs)), exact) < 6e-8


def test_products_and_logsumexps_are_as_accurate(numbers):
    factors = (0.999 + 0.002 * numbers[:20000]).astype("float32")
    exact = np.cumprod(factors.astype(np.longdouble))
    assert relative_error(wf.cumulative_prod(wf.tensor(factors)), exact) < 6e-8
    exact = np.logaddexp.accumulate(numbers.astype(np.longdouble))
    assert relative_error(wf.logcumsumexp(wf.tensor(numbers), axis=0), exact) < 7e-8


def test_gradients_of_long_products_are_as_accurate():
    factors = np.ones(200_000, np.float32)
    gradient = wf.grad(lambda x: wf.sum(wf.cumulative_prod(x)))(wf.tensor(factors))
    assert relative_error(gradient, np.arange(len(factors), 0, -1).astype(np.longdouble)) < 6e-8


def test_a_product_that_is_zero_stays_zero():
    # A product of later elements alone would overflow, and 0 times infinity is NaN.
    x = np.full(3000, 1e30, np.float32)
    x[3] = 0
    assert np.all(np.asarray(wf.cumulative_prod(wf.tensor(x)))[3:] == 0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "int32", "int64"])
@pytest.mark.parametrize("scan", [wf.cumulative_sum, wf.cumulative_prod, wf.logcumsumexp])
def test_an_element_depends_on_its_row_alone(scan, dtype):
    if scan is wf.logcumsumexp and dtype[:2] in ("co", "in"):
        pytest.skip("floats alone")
    rng = np.random.default_rng(1)
    n = 5 * BLOCK + 77
    row = wf.tensor(rng.uniform(0.9, 1.1, n) if dtype[0] != "i" else rng.integers(-3, 4, n)).astype(dtype)
    whole = scan(row, axis=0)
    bits = wf.fingerprint(whole)
    for length in (1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5):
        assert wf.fingerprint(scan(row[:length], axis=0)) == wf.fingerprint(whole[:length])
    others = wf.stack([row[::-1], row, row, row, row + row, row, row, row])
    assert wf.fingerprint(scan(others, axis=1)[1]) == bits
    assert wf.fingerprint(scan(wf.permute_dims(others, (1, 0)), axis=0)[:, 1]) == bits  # strided rows
    columns = wf.stack([row, row[::-1], row, row, row], axis=1)
    assert wf.fingerprint(scan(columns, axis=0)[:, 0]) == bits
    pair = wf.stack([row, row[::-1]], axis=1)  # too few columns for vectors
    assert wf.fingerprint(scan(pair, axis=0)[:, 0]) == bits
    assert wf.fingerprint(wf.vmap(lambda x: scan(x, axis=0))(others)[1]) == bits
    assert wf.fingerprint(wf.function(lambda x: scan(x, axis=0))(row)) == bits
    before = wf.num_threads()
    try:
        for threads in (1, 2, 3):
            wf.set_num_threads(threads)
            assert wf.fingerprint(scan(row, axis=0)) == bits
    finally:
        wf.set_num_threads(before)


def test_every_tier_gives_the_same_bits():
    program = ("import numpy as np, weft as wf; x = wf.tensor(np.random.default_rng(2).random(4000, dtype=np.float32)); "
               "print(wf.fingerprint([wf.cumulative_sum(x), wf.cumulative_prod(x + 0.5), wf.logcumsumexp(x, axis=0)]))")
    said = {subprocess.run([sys.executable, "-c", program], env={**os.environ, "WEFT_ISA": tier}, capture_output=True, text=True,
                           check=True).stdout for tier in ("portable", "avx2", "")}
    assert len(said) == 1
