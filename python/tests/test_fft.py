"""Fourier transforms against NumPy, the defining sum in long double, and each other."""

import threading

import numpy as np
import pytest

import weft as wf

LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 25, 30, 49, 61, 64, 67, 77, 100, 121, 127, 128, 243, 360, 509, 1021]


def signal(dtype, *shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape)
    return (a + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def exact(x, sign=-1):
    """The defining sum in long double, over the last axis."""
    n = x.shape[-1]
    j = np.arange(n)
    angles = j.astype(np.longdouble) * (2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) / n)
    roots = np.cos(angles) + sign * 1j * np.sin(angles)
    return x.astype(np.clongdouble) @ roots[np.outer(j, j) % n]


def error(got, wanted, eps):
    """The root mean square of the error, in units of the last place of the root mean square."""
    if not np.any(wanted):
        return float(np.any(got))
    return float(np.sqrt(np.sum(np.abs(got - wanted) ** 2) / np.sum(np.abs(wanted) ** 2)) / eps)


@pytest.mark.parametrize("n", LENGTHS)
def test_two_units_of_the_last_place(n):
    for dtype in ("complex64", "complex128"):
        eps = np.finfo(dtype).eps
        x = signal(dtype, 3, n)
        assert error(wf.fft.fft(wf.tensor(x)).numpy(), exact(x), eps) < 2
        assert error(wf.fft.ifft(wf.tensor(x)).numpy(), exact(x, 1) / n, eps) < 2
    for dtype in ("float32", "float64"):
        eps = np.finfo(dtype).eps
        x = signal(dtype, 3, n)
        whole = exact(x)
        half = wf.fft.rfft(wf.tensor(x))
        assert error(half.numpy(), whole[:, :n // 2 + 1], eps) < 2
        given = half.numpy().astype(np.clongdouble)
        given[:, 0] = given[:, 0].real
        full = np.concatenate([given, given[:, 1:(n + 1) // 2][:, ::-1].conj()], axis=-1)
        assert error(wf.fft.irfft(half, n=n).numpy(), (exact(full, 1) / n).real, eps) < 2


@pytest.mark.parametrize("n", [4096, 2 ** 14, 3 ** 8, 2 * 3 * 5 * 7 * 11 * 4, 8191, 10007])
def test_long_transforms_keep_their_accuracy(n):
    """Some elements of a long transform by the sum; 8191 and 10007 are primes."""
    x = signal("complex128", n)
    got = wf.fft.fft(wf.tensor(x)).numpy()
    places = np.random.default_rng(1).integers(0, n, 40)
    j = np.arange(n)
    pi = np.arctan2(np.longdouble(0), np.longdouble(-1))
    wanted = np.array([np.sum(x.astype(np.clongdouble) * np.exp(-2j * pi * ((j * k) % n).astype(np.longdouble) / n))
                       for k in places])
    assert error(got[places], wanted, np.finfo("float64").eps) < 2


NORMS = ["backward", "ortho", "forward"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_lines_like_numpy(name, norm):
    real = name in ("rfft", "ihfft")
    x = signal("float64" if real else "complex128", 4, 6, 5)
    for n in (None, 3, 4, 9):
        for axis in (0, 1, -1):
            expected = getattr(np.fft, name)(x, n=n, axis=axis, norm=norm)
            got = getattr(wf.fft, name)(wf.tensor(x), n=n, axis=axis, norm=norm)
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12)
            assert got.dtype.name == expected.dtype.name


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_grids_like_numpy(name, norm):
    x = signal("float64" if name == "rfft" else "complex128", 4, 6, 5)
    for s, axes in [(None, None), (None, (0, 2)), (None, (2, 0)), ((3, 7), (0, 1)), ((5, 4, 6), (0, 1, 2)), ((-1, 4), (1, 2))]:
        expected = getattr(np.fft, name + "n")(x, s=s, axes=axes, norm=norm)
        got = getattr(wf.fft, name + "n")(wf.tensor(x), s=s, axes=axes, norm=norm)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12)
    for s, axes in [(None, (-2, -1)), ((3, 8), (0, 1))]:
        expected = getattr(np.fft, name + "2")(x, s=s, axes=axes, norm=norm)
        got = getattr(wf.fft, name + "2")(wf.tensor(x), s=s, axes=axes, norm=norm)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12)


def test_frequencies_and_shifts():
    for n in (1, 2, 5, 8):
        np.testing.assert_allclose(wf.fft.fftfreq(n, d=0.5, dtype=wf.float64).numpy(), np.fft.fftfreq(n, d=0.5), rtol=1e-15)
        np.testing.assert_allclose(wf.fft.rfftfreq(n, d=0.5, dtype=wf.float64).numpy(), np.fft.rfftfreq(n, d=0.5), rtol=1e-15)
        assert wf.fft.fftfreq(n, device="cpu").dtype == wf.float32
    x = np.arange(60).reshape(3, 4, 5)
    for axes in (None, 1, (0, 2)):
        np.testing.assert_array_equal(wf.fft.fftshift(wf.tensor(x), axes=axes).numpy(), np.fft.fftshift(x, axes=axes))
        np.testing.assert_array_equal(wf.fft.ifftshift(wf.tensor(x), axes=axes).numpy(), np.fft.ifftshift(x, axes=axes))


def test_dtypes():
    for given, wanted in [("float32", "complex64"), ("float64", "complex128"), ("float16", "complex64"),
                          ("int32", "complex64"), ("bool", "complex64")]:
        x = wf.ones(6, dtype=getattr(wf, given))
        assert wf.fft.fft(x).dtype.name == wanted
        assert wf.fft.rfft(x).dtype.name == wanted
    assert wf.fft.irfft(wf.ones(4, dtype=wf.complex64)).dtype == wf.float32
    with pytest.raises(TypeError):
        wf.fft.rfft(wf.ones(4, dtype=wf.complex64))


def test_a_line_is_the_same_alone_and_in_a_batch():
    for dtype, op in [("complex64", wf.fft.fft), ("complex128", wf.fft.ifft), ("float32", wf.fft.rfft)]:
        for n in (12, 67, 128):
            x = signal(dtype, 7, n)
            batch = op(wf.tensor(x)).numpy()
            across = op(wf.tensor(np.ascontiguousarray(x.T)), axis=0).numpy().T
            for i in range(7):
                alone = op(wf.tensor(x[i])).numpy()
                np.testing.assert_array_equal(alone, batch[i])
                np.testing.assert_array_equal(alone, across[i])


def test_nan_stays_in_its_line():
    x = signal("complex128", 5, 8)
    good = wf.fft.fft(wf.tensor(x)).numpy()
    x[2, 3] = np.nan
    got = wf.fft.fft(wf.tensor(x)).numpy()
    assert np.all(np.isnan(got[2]))
    np.testing.assert_array_equal(np.delete(got, 2, 0), np.delete(good, 2, 0))


def test_gradients_of_whole_functions():
    kernel = wf.tensor(signal("float64", 9, seed=3))

    def filtered(x):
        spectrum = wf.fft.rfft(x) * wf.fft.rfft(kernel)
        power = wf.fft.fft2(wf.reshape(x, (3, 3)), norm="ortho")
        return wf.sum(wf.fft.irfft(spectrum, n=9) ** 3) + wf.sum(wf.abs(power) ** 2 * wf.abs(power[::-1])) \
            + wf.sum(wf.fft.hfft(wf.fft.ihfft(x, n=8), n=8) ** 2)

    wf.grad_check(filtered, [wf.tensor(signal("float64", 9))])


def test_parseval_and_convolution():
    x, y = signal("complex128", 105), signal("complex128", 105, seed=1)
    fx, fy = wf.fft.fft(wf.tensor(x)), wf.fft.fft(wf.tensor(y))
    np.testing.assert_allclose(np.sum(np.abs(fx.numpy()) ** 2) / 105, np.sum(np.abs(x) ** 2), rtol=1e-13)
    circular = np.array([np.sum(x * np.roll(y[::-1], k + 1)) for k in range(105)])
    np.testing.assert_allclose(wf.fft.ifft(fx * fy).numpy(), circular, rtol=1e-11, atol=1e-11)


def test_many_lengths_from_many_threads():
    """More plans than are kept, asked for at once."""
    lengths = range(1, 90)
    wanted = {n: wf.fft.fft(wf.tensor(signal("complex128", n))).numpy().copy() for n in lengths}
    bad = []

    def work(seed):
        for n in np.random.default_rng(seed).permutation(lengths):
            if not np.array_equal(wf.fft.fft(wf.tensor(signal("complex128", n))).numpy(), wanted[n]):
                bad.append(n)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not bad


def test_names_of_the_array_api():
    for name in ("fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift").split():
        assert callable(getattr(wf.fft, name)), name
