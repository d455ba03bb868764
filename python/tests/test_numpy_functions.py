"""NumPy's functions on our tensors: NumPy's results, whatever the order of the arguments, or an error."""

import re

import numpy as np
import pytest

import weft as wf
from weft import _numpy_forms, _numpy_functions

rng = np.random.default_rng(0)
DATA = {
    "v": np.array([3.0, -1.5, 2.0, 0.5, -4.0, 2.0]), "w": np.array([1.0, 2.0, 2.5, 4.0, 7.0, 9.0]), "i": np.arange(6),
    "m": rng.normal(size=(3, 4)), "n": rng.normal(size=(3, 4)), "s": rng.normal(size=(3, 3)), "t": rng.normal(size=(2, 3, 4)),
    "p": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]), "b": np.array([True, False, True]),
    "c": rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)), "o": rng.normal(size=(1, 3, 1)),
    "e": np.array([1.0, np.nan, 2.0, np.nan, 1.0]), "k": np.array([[0, 1], [2, 0], [1, 1]]),
}

CALLS = """
np.split(i, [2, 4]) | np.split(i, 3) | np.split(t, 2, 2) | np.split(i, [4, 2, 9, -1]) | np.split(t, [1], axis=-1)
np.array_split(i, 4) | np.array_split(t, 3, 2) | np.array_split(i, [1, 5]) | np.hsplit(m, 2) | np.hsplit(i, [1])
np.vsplit(m, [1]) | np.dsplit(t, 2)
np.reshape(t, (4, 6), order='F') | np.reshape(t, (-1, 3), 'F') | np.reshape(t, (6, 4)) | np.reshape(t, -1) | np.reshape(t, 24, order='F')
np.reshape(t, shape=(6, 4)) | np.ravel(t, order='F') | np.ravel(t, 'F') | np.ravel(t) | np.squeeze(o) | np.squeeze(o, 0) | np.squeeze(o, axis=(0, 2))
np.transpose(t) | np.transpose(t, (1, 0, 2)) | np.permute_dims(t) | np.permute_dims(t, axes=(2, 0, 1)) | np.moveaxis(t, 0, -1) | np.swapaxes(t, 0, 2)
np.expand_dims(m, 1) | np.expand_dims(m, axis=(0, 2)) | np.expand_dims(m, (-1, 0)) | np.atleast_1d(v) | np.atleast_2d(v, m) | np.atleast_3d(v)
np.broadcast_to(v, (2, 6)) | np.broadcast_arrays(v, m[:, :1]) | np.meshgrid(v, w) | np.meshgrid(v, w, indexing='ij')
np.concatenate((m, n)) | np.concatenate((m, n), 1) | np.concatenate((m, n), axis=None) | np.concat((m, n)) | np.stack((m, n), 1)
np.hstack((m, n)) | np.vstack((v, w)) | np.unstack(m) | np.unstack(m, axis=1) | np.flip(m) | np.flip(m, 1) | np.roll(m, 1) | np.roll(m, 1, 0)
np.roll(m, (1, 2), axis=(0, 1)) | np.rot90(m) | np.rot90(m, 2) | np.rot90(t, 1, (1, 2)) | np.tile(m, 2) | np.tile(m, (2, 1)) | np.repeat(m, 2)
np.repeat(m, 2, 1) | np.repeat(m, i[:3], axis=0) | np.pad(m, 1) | np.pad(m, ((1, 0), (0, 2))) | np.pad(v, (2, 1), 'edge') | np.pad(m, (1, 2), mode='reflect')
np.pad(m, ((1, 2),), constant_values=3.0) | np.pad(v, (1,), 'wrap') | np.shape(t) | np.ndim(t) | np.size(t) | np.size(t, 1)
np.full_like(m, 2.0) | np.ones_like(m) | np.zeros_like(m, np.int64) | np.diag(v) | np.diag(v, 1) | np.diag(s, -1) | np.tril(m, 1) | np.triu(m, k=-1)
np.diagonal(t) | np.diagonal(t, 1, 1, 2) | np.trace(t) | np.trace(t, 1, 0, 2) | np.linalg.diagonal(t) | np.linalg.diagonal(t, offset=1) | np.linalg.trace(t)
np.where(b, v[:3], w[:3]) | np.where(b) | np.nonzero(i) | np.argwhere(i) | np.count_nonzero(m) | np.count_nonzero(k, 0) | np.count_nonzero(k, axis=1, keepdims=True)
np.take(m, [3, 1]) | np.take(m, i[:2], 1) | np.take(m, i[:2], axis=0, mode='raise') | np.take_along_axis(m, k, 1) | np.take_along_axis(m, k, axis=-1) | np.take_along_axis(m, k)
np.sum(t) | np.sum(t, 1) | np.sum(t, (0, 2)) | np.sum(i, 0, np.float64) | np.sum(t, 1, None, None, True) | np.sum(t, axis=1, keepdims=True)
np.prod(t, 0) | np.mean(t, 1) | np.mean(t, 1, None, None, True) | np.max(t, 1) | np.max(t, 1, None, True) | np.min(t, axis=(0, 1)) | np.amax(t, 0) | np.amin(t, 0)
np.all(b) | np.any(k, 1) | np.any(k, 1, None, True) | np.all(k, axis=0, keepdims=True) | np.argmax(t) | np.argmax(t, 1) | np.argmin(t, 2, keepdims=True)
np.var(t) | np.var(t, 1) | np.var(t, 1, None, None, 1) | np.var(t, axis=1, ddof=1, keepdims=True) | np.std(t, correction=1) | np.std(t, 1, None, None, 2, True)
np.median(t) | np.median(t, 1) | np.median(t, 1, None, False, True) | np.quantile(v, 0.3) | np.quantile(m, [0.1, 0.7], 0) | np.quantile(v, 0.3, method='linear')
np.quantile(m, 0.25, 1, None, False, 'linear', True) | np.percentile(m, 25) | np.percentile(m, [5, 95], axis=1, keepdims=True)
np.nansum(e) | np.nanmean(e) | np.nanmax(e) | np.nanmin(e) | np.nanstd(e) | np.nanvar(e, ddof=1) | np.nanmedian(e) | np.nansum(m, 0, None, None, True)
np.cumsum(m) | np.cumsum(m, 1) | np.cumsum(i, dtype=np.float64) | np.cumsum(m, 0, np.float64) | np.cumprod(m) | np.cumprod(m, axis=0) | np.cumulative_sum(v) | np.cumulative_sum(m, axis=1, include_initial=True)
np.cumulative_prod(m, axis=0) | np.diff(v) | np.diff(m, 2) | np.diff(m, 1, 0) | np.diff(m, axis=0, prepend=0.0) | np.diff(v, append=v[:2])
np.sort(m) | np.sort(m, 0) | np.sort(m, None) | np.sort(m, axis=0, kind='stable') | np.sort(m, stable=True) | np.argsort(m) | np.argsort(m, 0, 'quicksort') | np.argsort(m, axis=None)
np.searchsorted(w, v) | np.searchsorted(w, v, 'right') | np.searchsorted(w[::-1], v, 'left', i[::-1]) | np.digitize(v, w) | np.digitize(v, w, True)
np.unique(v) | np.unique(e) | np.unique(e, True, True, True) | np.unique(v, return_counts=True) | np.unique(e, equal_nan=False) | np.unique(k, return_inverse=True)
np.unique_values(v) | np.unique_counts(v) | np.unique_inverse(v) | np.unique_all(v)
np.isin(v, w) | np.isin(v, w, True) | np.isin(v, w, False, True) | np.isin(v, w, invert=True, kind='sort') | np.histogram(v, 3) | np.histogram(v, bins=w)
np.histogram(v, 4, (0.0, 4.0), True) | np.histogram(v, 3, weights=w) | np.bincount(i) | np.bincount(i, w) | np.bincount(i, None, 9) | np.bincount(i, minlength=9)
np.clip(v, -1, 2) | np.clip(v, None, 1) | np.clip(v, a_min=0, a_max=None) | np.clip(v, max=0) | np.round(v, 1) | np.round(v) | np.around(m, 2) | np.fix(m)
np.nan_to_num(e) | np.nan_to_num(e, True, 7.0) | np.nan_to_num(e, nan=1.5) | np.real(c) | np.imag(c) | np.angle(c) | np.angle(c, True) | np.sinc(v) | np.copy(m)
np.isclose(v, w) | np.allclose(v, v) | np.allclose(v, w, 0.0, 20.0) | np.array_equal(v, v) | np.array_equal(e, e, True) | np.astype(m, np.float32) | np.linspace(v[0], w[1], 3) | np.linspace(v[0], 7.0, 4, False) | np.linspace(v[0], 2.0)
np.cov(m) | np.cov(m, None, False) | np.cov(m, bias=True) | np.cov(m, ddof=0) | np.cov(v, w) | np.corrcoef(m) | np.corrcoef(m, rowvar=False)
np.cross(s, p) | np.cross(s, p, 0) | np.cross(s, p, 0, 1, 0) | np.cross(s, p, axis=0) | np.linalg.cross(s, p) | np.linalg.cross(s, p, axis=0)
np.dot(v, w) | np.dot(m, n.T) | np.dot(m, v[:4]) | np.dot(m, t[0].T) | np.dot(m[:, :3], t) | np.dot(v, 2.0) | np.inner(v, w) | np.inner(m, n) | np.inner(t, m) | np.vdot(c, c) | np.vdot(m, n)
np.outer(m, v) | np.linalg.outer(v, w) | np.kron(m, s) | np.tensordot(m, n, ((1,), (1,))) | np.tensordot(s, p, 1) | np.tensordot(m, n) | np.tensordot(m, n, axes=([0, 1], [0, 1])) | np.linalg.tensordot(s, p, axes=1)
np.einsum('ij,kj->ik', m, n) | np.einsum('ij,kj', m, n, optimize=True) | np.matmul(s, p) | np.linalg.matmul(s, p) | np.vecdot(m, n) | np.linalg.vecdot(m, n, axis=0)
np.linalg.multi_dot([s, p, s]) | np.matrix_transpose(t) | np.linalg.matrix_transpose(t) | np.linalg.norm(v) | np.linalg.norm(m) | np.linalg.norm(m, 1) | np.linalg.norm(m, np.inf, (0, 1)) | np.linalg.norm(m, axis=1)
np.linalg.norm(m, 'nuc') | np.linalg.norm(m, None, 1, True) | np.linalg.vector_norm(m) | np.linalg.vector_norm(m, axis=1, ord=1) | np.linalg.matrix_norm(s) | np.linalg.matrix_norm(s, ord=1) | np.linalg.matrix_norm(s, ord=np.inf, keepdims=True)
np.linalg.cond(s) | np.linalg.cond(s, 1) | np.linalg.cond(s, np.inf) | np.linalg.det(s) | np.linalg.inv(s) | np.linalg.slogdet(s) | np.linalg.solve(s, p) | np.linalg.solve(s, v[:3]) | np.linalg.matrix_power(s, 3)
np.linalg.matrix_rank(s) | np.linalg.matrix_rank(s, rtol=1e9) | np.linalg.pinv(m) | np.linalg.pinv(m, 1e-3) | np.linalg.pinv(m, rtol=1e-3) | np.linalg.lstsq(m.T, v[:4])[0] | np.linalg.lstsq(m.T, v[:4], None)[0]
np.linalg.cholesky(p) | np.linalg.cholesky(p, upper=True) | np.linalg.svdvals(s) | np.linalg.svd(s)[1] | np.linalg.svd(s, True, False) | np.linalg.svd(m, full_matrices=False)[1] | abs(np.linalg.qr(s)[1]) | abs(np.linalg.qr(m, 'complete').R)
np.linalg.eigvalsh(s) | np.linalg.eigvalsh(s, 'U') | np.linalg.eigh(s)[0] | np.linalg.eigh(c, 'U').eigenvalues | np.linalg.eigvalsh(c)
np.fft.fft(v) | np.fft.fft(v, 4) | np.fft.fft(m, 3, 0) | np.fft.fft(m, axis=0, norm='ortho') | np.fft.ifft(c) | np.fft.fft2(m) | np.fft.ifft2(c) | np.fft.fftn(t) | np.fft.fftn(t, None, (0, 1)) | np.fft.ifftn(c)
np.fft.rfft(m, None, 0) | np.fft.irfft(c, 4) | np.fft.rfft2(m) | np.fft.irfft2(c) | np.fft.rfftn(t) | np.fft.irfftn(c) | np.fft.hfft(c) | np.fft.ihfft(m) | np.fft.fftshift(m) | np.fft.fftshift(m, 1) | np.fft.ifftshift(m)
np.divmod(v, 2.0) | np.conjugate(c) | np.conj(c) | np.rint(m) | np.fabs(m) | np.positive(m) | np.true_divide(v, w) | np.add(i, 1, dtype=np.float64) | np.add.reduce(m) | np.add.reduce(m, 1) | np.add.reduce(m, axis=None)
np.maximum.reduce(m, 1, keepdims=True) | np.multiply.reduce(m) | np.add.accumulate(m) | np.add.accumulate(m, 1) | np.maximum.accumulate(m, 1) | np.logical_and.reduce(k)
np.full(2, 3.0, like=v) | np.full((2, 1), v[0], np.float64, like=v) | np.eye(2, like=v) | np.eye(2, 3, 1, like=v) | np.identity(3, like=v) | np.ones((2, 3), like=v) | np.zeros(2, np.int32, like=v) | np.arange(3, like=v) | np.arange(1, 8, 3, like=v)
np.arange(5, step=2, like=v) | np.array([1.0, 2.0], like=v) | np.asarray([1, 2], np.float64, like=v) | np.shape(np.empty((2, 3), like=v)) | np.shape(np.empty_like(m))
"""
LINES = [call.strip() for line in CALLS.strip().splitlines() for call in line.split("|")]


def flat(result):
    if isinstance(result, (tuple, list)) and result and not isinstance(result[0], int):
        return [part for item in result for part in flat(item)]
    return [result]


@pytest.mark.parametrize("call", LINES)
def test_numpys_result(call):
    expected = flat(eval(call, {"np": np, **DATA}))
    out = flat(eval(call, {"np": np, **{name: wf.tensor(value) for name, value in DATA.items()}}))
    assert len(out) == len(expected)
    for ours, theirs in zip(out, expected):
        assert isinstance(ours, (wf.Tensor, int, tuple)) and np.shape(ours) == np.shape(theirs)
        assert np.allclose(np.asarray(ours), theirs, rtol=1e-6, atol=1e-9, equal_nan=True)


def test_every_function_is_tried():
    _numpy_functions.find("add")
    tried = set(re.findall(r"np\.((?:linalg\.|fft\.)?\w+)\(", CALLS))
    no_arrays = {"fft.fftfreq", "fft.rfftfreq", "tril_indices", "triu_indices", "row_stack"}
    refused = {"partition", "put_along_axis"}
    for name in {*_numpy_functions._by_numpy_name, *_numpy_forms.FORMS} - no_arrays - refused:
        function = np
        for part in name.split("."):
            function = getattr(function, part, None)
        served = callable(function) and not isinstance(function, np.ufunc) and not name.startswith(("random.", "ndarray."))
        if served and not re.search(r"\.(at|accumulate)$", name):
            assert name in tried


M, T = wf.tensor(DATA["m"]), wf.tensor(DATA["t"])


@pytest.mark.parametrize("call, text", [
    (lambda: np.split(M, 2), "numpy.split: axis 0 of shape [3, 4] cannot be cut into 2 equal parts [numpy.split]"),
    (lambda: np.split(M, 2, 5), "numpy.split: axis 5 is out of range for shape [3, 4] [numpy.split]"),
    (lambda: np.ravel(M, order="K"),
     "numpy.ravel: order='K' has no meaning for tensors; tensors have no order of memory to choose [numpy.ravel]"),
    (lambda: np.ones_like(M, order="F"),
     "numpy.ones_like: order='F' has no meaning for tensors; tensors have no order of memory to choose [numpy.ones_like]"),
    (lambda: np.pad(M, 1, "reflect", reflect_type="odd"),
     "numpy.pad: reflect_type='odd' has no meaning for tensors; numpy.pad(x.numpy(), ...) computes it in NumPy, outside of "
     "gradients [numpy.pad]"),
    (lambda: np.quantile(M, 0.5, method="nearest"),
     "numpy.quantile: method='nearest' has no meaning for tensors; nothing is left to choose: quantiles are interpolated "
     "linearly [numpy.quantile]"),
    (lambda: np.sum(M, initial=3.0), "numpy.sum: initial=3.0 has no meaning for tensors; combine it with the result [numpy.sum]"),
    (lambda: np.sum(M, 0, None, M),
     "numpy.sum: out= writes into an array, but tensors never change; use the result [numpy.sum]"),
    (lambda: np.sort(M, order="a"),
     "numpy.sort: order='a' has no meaning for tensors; tensors have no order of memory to choose [numpy.sort]"),
    (lambda: np.partition(M, 1),
     "numpy.partition: weft has no op for it; numpy.partition(x.numpy(), ...) computes it in NumPy, outside of gradients "
     "[numpy.partition]"),
])
def test_what_has_no_meaning_raises(call, text):
    with pytest.raises(wf.Error) as caught:
        call()
    assert str(caught.value).splitlines()[0] == text


@pytest.mark.parametrize("call", [
    lambda: np.linspace(M[0, 0], 2, 3, retstep=True), lambda: np.linspace(M[0, 0], 2, 3, axis=1), lambda: np.take(M, [9], mode="clip"),
    lambda: np.meshgrid(M[0], M[1], sparse=True), lambda: np.cov(M, aweights=[1, 2, 3, 4]), lambda: np.zeros_like(M, shape=3),
    lambda: np.linalg.matrix_rank(M, 0.1), lambda: np.nan_to_num(M, copy=False), lambda: np.mean(M, where=M > 0),
    lambda: np.add(M, M, where=M > 0), lambda: np.less(M, M, dtype=np.float64), lambda: np.matmul(M, M, axes=[(0, 1)] * 3),
    lambda: np.concatenate((M, M), dtype=np.float32), lambda: np.unique(M, axis=0), lambda: np.array(1, ndmin=2, like=M),
    lambda: np.einsum(M, [0, 1]), lambda: np.add.outer(M, M), lambda: np.linalg.svd(T, 3, 4, 5, 6)])
def test_no_other_argument_is_served(call):
    with pytest.raises(TypeError):
        call()


def test_gradients_flow():
    slope = wf.grad(lambda x: np.sum(np.reshape(np.split(x, [2])[1], (2, 2), order="F")[0] * 3))(wf.arange(6.0))
    assert slope.tolist() == [0, 0, 3, 0, 3, 0]


def test_a_ufunc_computes_in_its_dtype():
    x = wf.tensor([100], dtype=wf.int8)
    assert np.add(x, x, dtype=np.int32).tolist() == [200] and np.less(x, x, dtype=bool).tolist() == [False]


def test_methods_are_the_public_functions():
    a, edges = wf.tensor([[2.0, 1.0], [1.0, 3.0]]), wf.tensor([0.0, 2.0, 4.0])
    assert a.tensordot(a, 1).tolist() == (a @ a).tolist() and a.cond(1).item() == wf.linalg.cond(a, 1).item()
    assert a.matrix_norm(ord=1).item() == 4 and a.matrix_norm(ord=wf.inf).item() == 4
    assert wf.allclose(a.svd().S, wf.linalg.svdvals(a)) and a.qr().R.shape == (2, 2)
    assert a.svd()._fields == ("U", "S", "Vh") and a.slogdet()._fields == ("sign", "logabsdet")
    assert a.histogram(5)[0].tolist() == wf.histogram(a, 5)[0].tolist() and a.histogram(bins=edges)[0].tolist() == [2, 2]
    assert a.pad(1).shape == (4, 4) and a.expand_dims((0, 1)).shape == (1, 1, 2, 2)
    assert not hasattr(a, "full")
    for module, name, takes_tensor in wf._ops.listed():
        method = vars(wf.Tensor).get(name)
        if takes_tensor and module in ("", "linalg", "nn") and isinstance(method, (type(wf.pad), wf._core.OpFunction)):
            assert method is vars(getattr(wf, module) if module else wf).get(name) or hasattr(wf, name), name
