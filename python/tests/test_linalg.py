"""Linear algebra against NumPy and SciPy: values, errors that name the matrix, NaN, and gradients of whole functions."""

import threading

import numpy as np
import pytest
import scipy.linalg

import weft as wf

DTYPES = ["float32", "float64", "complex64", "complex128"]
TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-11, "complex128": 1e-11}


def matrices(dtype, *shape, seed=0, diagonal=0.0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return (a + diagonal * np.eye(*shape[-2:])).astype(dtype)


def close(got, expected, dtype):
    got = got.numpy() if isinstance(got, wf.Tensor) else got
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_like_numpy(dtype):
    a, b = matrices(dtype, 3, 5, 5, diagonal=4), matrices(dtype, 3, 5, 2, seed=1)
    positive = a @ adjoint(a)
    ta, tb, tp = wf.tensor(a), wf.tensor(b), wf.tensor(positive)
    lin = wf.linalg
    for got, expected in [
        (lin.cholesky(tp), np.linalg.cholesky(positive)), (lin.cholesky(tp, upper=True), adjoint(np.linalg.cholesky(positive))),
        (lin.solve(ta, tb), np.linalg.solve(a, b)), (lin.inv(ta), np.linalg.inv(a)), (lin.det(ta) / 1e3, np.linalg.det(a) / 1e3),
        (lin.pinv(tb), np.linalg.pinv(b)), (lin.svdvals(tb), np.linalg.svd(b, compute_uv=False)),
        (lin.eigvalsh(tp) / 10, np.linalg.eigvalsh(positive) / 10), (lin.matrix_power(ta, 3) / 1e2, np.linalg.matrix_power(a, 3) / 1e2),
        (lin.matrix_power(ta, -2), np.linalg.matrix_power(a, -2)),
        (lin.matrix_exp(ta * 0.3), np.stack([scipy.linalg.expm(m * np.dtype(dtype).type(0.3)) for m in a])),
        (lin.slogdet(ta).logabsdet, np.linalg.slogdet(a).logabsdet), (lin.slogdet(ta).sign, np.linalg.slogdet(a).sign),
    ]:
        assert got.dtype.name == np.asarray(expected).dtype.name
        close(got, expected, dtype)
    np.testing.assert_array_equal(lin.matrix_rank(tb).numpy(), np.linalg.matrix_rank(b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 5, 4), (40, 40), (90, 70)])
def test_factors_give_the_matrix_back(dtype, shape):
    a = matrices(dtype, *shape)
    t, lin, k = wf.tensor(a), wf.linalg, min(shape[-2:])
    scale = 10 if max(shape) > 20 else 1
    for mode in ("reduced", "complete"):
        q, r = lin.qr(t, mode=mode)
        close((q @ r) / scale, a / scale, dtype)
        close(q.mT.conj() @ q, np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2), dtype)
        diagonal = np.diagonal(r.numpy(), axis1=-2, axis2=-1)
        assert np.all(np.tril(r.numpy(), -1) == 0) and np.all(diagonal.imag == 0) and np.all(diagonal.real >= 0)
    for full in (True, False):
        u, s, vh = lin.svd(t, full_matrices=full)
        assert u.shape[-1] == (shape[-2] if full else k) and vh.shape[-2] == (shape[-1] if full else k)
        close((u[..., :k] * s[..., None, :].astype(u.dtype)) @ vh[..., :k, :] / scale, a / scale, dtype)
        close(s / scale, np.linalg.svd(a, compute_uv=False) / scale, dtype)
        close(vh @ vh.mT.conj(), np.broadcast_to(np.eye(vh.shape[-2]), vh.shape[:-2] + (vh.shape[-2],) * 2), dtype)
    p, l, u = lin.lu(t)
    close(p @ l @ u / scale, a / scale, dtype)
    packed, pivots, permutation = lin.lu_factor(t)
    rows = np.take_along_axis(a, permutation.numpy()[..., None], axis=-2)
    close(l @ u / scale, rows / scale, dtype)
    if len(shape) == 2:
        expected, piv = scipy.linalg.lu_factor(a) if shape[0] == shape[1] else (packed.numpy(), pivots.numpy())
        close(packed / scale, expected / scale, dtype)
        np.testing.assert_array_equal(pivots.numpy(), piv)


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(dtype):
    a = matrices(dtype, 4, 6, 6)
    a = (a + adjoint(a)) / 2
    w, v = wf.linalg.eigh(wf.tensor(a))
    close(w, np.linalg.eigvalsh(a), dtype)
    close(wf.tensor(a) @ v, v.numpy() * w.numpy()[..., None, :], dtype)
    # the first large entry of each vector is positive
    values = v.numpy()
    squares = np.abs(values) ** 2
    first = np.argmax(squares >= 0.3 * squares.max(axis=-2, keepdims=True), axis=-2)
    entries = np.take_along_axis(values, first[..., None, :], axis=-2)
    assert np.all(entries.real > 0) and np.all(np.abs(entries.imag) < 1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular(dtype):
    a, b = matrices(dtype, 5, 5, diagonal=5), matrices(dtype, 5, 3, seed=1)
    for upper in (False, True):
        for unit in (False, True):
            for conjugate in (False, True):
                scaled = a / 8 if unit else a
                expected = scipy.linalg.solve_triangular(scaled, b, trans="C" if conjugate else "N", lower=not upper,
                                                         unit_diagonal=unit)
                got = wf.linalg.solve_triangular(wf.tensor(scaled), wf.tensor(b), upper=upper, adjoint=conjugate,
                                                 unit_diagonal=unit)
                close(got, expected, dtype)


def test_lstsq_like_numpy():
    for m, n in [(6, 3), (3, 6), (4, 4)]:
        a, b = matrices("float64", m, n), matrices("float64", m, 2, seed=1)
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=None)
        got = wf.linalg.lstsq(wf.tensor(a), wf.tensor(b))
        close(got.solution, x, "float64")
        close(got.singular_values, s, "float64")
        assert got.rank.item() == rank
        close(got.residuals, residuals if m > n else np.zeros(2), "float64")
    a = np.outer([1.0, 2, 3], [1.0, 1])  # of rank 1: the shortest solution
    b = np.array([1.0, 2, 4])
    got = wf.linalg.lstsq(wf.tensor(a), wf.tensor(b))
    close(got.solution, np.linalg.lstsq(a, b, rcond=None)[0], "float64")
    assert got.rank.item() == 1


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norm(ord, keepdims):
    a = matrices("complex128", 2, 4, 3)
    got = wf.linalg.matrix_norm(wf.tensor(a), ord=ord, keepdims=keepdims)
    close(got, np.linalg.norm(a, ord=ord, axis=(-2, -1), keepdims=keepdims), "float64")


@pytest.mark.parametrize("ord", [2, 1, 0, 3, 0.5, -1, -2.5, np.inf, -np.inf])
def test_vector_norm(ord):
    a = matrices("float64", 2, 4, 3)
    for axis in (None, 1, (0, 2)):
        got = wf.linalg.vector_norm(wf.tensor(a), axis=axis, ord=ord)
        close(got, np.linalg.vector_norm(a, axis=axis, ord=ord), "float64")


def test_products_like_numpy():
    a, b = matrices("complex128", 4, 3, 2), matrices("complex128", 3, 2, 5, seed=1)
    for axes in (0, 1, 2, ([1], [0]), ([-2, 2], [0, 1]), (1, 0)):
        if axes == 1:
            close(wf.tensordot(wf.tensor(a), wf.tensor(b[0]), axes=1), np.tensordot(a, b[0], axes=1), "float64")
        else:
            close(wf.tensordot(wf.tensor(a), wf.tensor(b), axes=axes), np.tensordot(a, b, axes=axes), "float64")
    x, y = matrices("complex128", 4, 3), matrices("complex128", 4, 3, seed=1)
    for axis in (-1, -2):
        close(wf.vecdot(wf.tensor(x), wf.tensor(y), axis=axis), np.vecdot(x, y, axis=axis), "float64")
    close(wf.linalg.cross(wf.tensor(x), wf.tensor(y)), np.linalg.cross(x, y), "float64")
    close(wf.linalg.cross(wf.tensor(x.T), wf.tensor(y.T), axis=0), np.linalg.cross(x.T, y.T, axis=0), "float64")
    close(wf.linalg.outer(wf.tensor(x[0]), wf.tensor(y[1])), np.outer(x[0], y[1]), "float64")
    for offset in (-5, -1, 0, 2, 3):
        close(wf.linalg.trace(wf.tensor(a), offset=offset), np.linalg.trace(a, offset=offset), "float64")
        close(wf.linalg.diagonal(wf.tensor(a), offset=offset), np.linalg.diagonal(a, offset=offset), "float64")
    assert wf.linalg.trace(wf.ones((2, 2), dtype=wf.int8)).dtype == wf.int64
    assert wf.linalg.trace(wf.ones((2, 2), dtype=wf.int8), dtype=wf.float64).dtype == wf.float64
    with pytest.raises(IndexError, match=r"tensordot: axes is 4611686018427387904, but no tensor has more than 32 axes \[tensordot.axes\]"):
        wf.tensordot(wf.ones(2), 0, axes=2**62)
    with pytest.raises(ValueError, match=r"tensordot: axes is -1; it must be at least 0 \[tensordot.axes\]"):
        wf.tensordot(wf.ones((2, 2)), wf.ones((2, 2)), axes=-1)
    with pytest.raises(TypeError, match=r"\[tensordot.argument\]"):
        wf.tensordot(wf.ones((2, 2)), wf.ones((2, 2)), axes="ab")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_stays_in_its_matrix(bad):
    """A matrix with a NaN or an infinity gives NaN (and LAPACK never sees it); the others of the batch do not change."""
    lin = wf.linalg
    a = matrices("float64", 2, 3, 3, diagonal=6)
    a = (a + adjoint(a)) / 2
    broken = a.copy()
    broken[1, 2, 0] = bad
    for op in (lin.cholesky, lin.inv, lin.eigvalsh, lin.svdvals, lin.pinv, lin.matrix_exp, lin.det,
               lambda x: lin.eigh(x).eigenvectors, lambda x: lin.svd(x).U, lambda x: lin.svd(x).Vh, lambda x: lin.qr(x).Q,
               lambda x: lin.qr(x).R, lambda x: lin.lu_factor(x).lu, lambda x: lin.solve(x, wf.ones((3, 2), dtype=x.dtype)),
               lambda x: lin.solve_triangular(x, wf.ones((3, 2), dtype=x.dtype))):
        good, got = op(wf.tensor(a)).numpy(), op(wf.tensor(broken)).numpy()
        np.testing.assert_array_equal(got[0], good[0])
        assert np.all(np.isnan(got[1]))
    b = np.ones((3, 2))
    b[0, 1] = bad
    x = lin.solve(wf.tensor(a[0]), wf.tensor(b)).numpy()
    assert np.all(np.isfinite(x[:, 0])) and np.all(np.isnan(x[:, 1]))
    assert lin.matrix_rank(wf.tensor(broken)).tolist() == [3, 0]


def test_errors_name_the_matrix():
    a = np.stack([np.eye(2)] * 6).reshape(2, 3, 2, 2)
    a[1, 2] = [[1, 2], [2, 4]]
    for op in (wf.linalg.inv, lambda x: wf.linalg.solve(x, wf.ones((2, 1), dtype=x.dtype))):
        with pytest.raises(ValueError, match=r"matrix \[1, 2\] of the batch is singular: pivot 1 of its elimination is 0"):
            op(wf.tensor(a))
    a[0, 1] = [[1, 2], [2, 1]]
    with pytest.raises(ValueError, match=r"matrix \[0, 1\] of the batch is not positive definite"):
        wf.linalg.cholesky(wf.tensor(a))
    with pytest.raises(ValueError, match=r"the matrix is singular: element 1 of its diagonal is 0"):
        wf.linalg.solve_triangular(wf.tensor([[1.0, 0], [5, 0]]), wf.ones(2))


def test_under_vmap_like_a_loop():
    a = wf.tensor(matrices("float64", 4, 3, 3, diagonal=5))
    b = wf.tensor(matrices("float64", 4, 3, seed=1))
    batched = wf.vmap(wf.linalg.solve)(a, b).numpy()
    for i in range(4):
        np.testing.assert_array_equal(batched[i], wf.linalg.solve(a[i], b[i]).numpy())


def test_gradients_of_whole_functions():
    """Functions that do not depend on how vectors are chosen, in which several rules meet."""
    def invariant(x):
        u, s, vh = wf.linalg.svd(x, full_matrices=False)
        polar = u @ vh
        w, v = wf.linalg.eigh(x @ x.mT)
        q, r = wf.linalg.qr(x)
        logdet = wf.linalg.slogdet(x @ x.mT + wf.eye(3, dtype=x.dtype)).logabsdet
        return (wf.sum(polar * polar[::-1]) + wf.sum(s ** 3) + wf.sum(v * v * wf.log(w + 2)) + wf.sum(q * r[::-1]) + logdet
                + wf.linalg.det(x) + wf.linalg.matrix_norm(x, ord="nuc") + wf.sum(wf.linalg.pinv(x[:, :2]) ** 2))

    wf.grad_check(invariant, [wf.tensor(matrices("float64", 3, 3, diagonal=3))])


def test_equal_eigenvalues_have_a_gradient_where_it_exists():
    """A function of the eigenspaces alone: the gradient is finite and right though eigenvalues are equal."""
    def exp_by_eigh(x):
        w, v = wf.linalg.eigh(x)
        return wf.sum((v * wf.exp(w)[None, :]) @ v.mT * wf.tensor([[1.0, 2], [2, 5]], dtype=wf.float64))

    def direct(x):
        return wf.sum(wf.linalg.matrix_exp((x + x.mT) / 2) * wf.tensor([[1.0, 2], [2, 5]], dtype=wf.float64))

    # of equal eigenvalues exp is a multiple of the identity on their space: diagonal entries agree
    x = wf.eye(2, dtype=wf.float64)
    got, expected = wf.grad(exp_by_eigh)(x).numpy(), wf.grad(direct)(x).numpy()
    np.testing.assert_allclose(np.diag(got), np.diag(expected), rtol=1e-12)
    assert np.all(np.isfinite(got))


def test_from_many_threads():
    """LAPACK called from several threads at once gives the bits it gives alone."""
    a = wf.tensor(matrices("float64", 8, 24, 24, diagonal=5))
    wanted = wf.linalg.inv(a).numpy().copy()
    bad = []

    def work():
        for _ in range(20):
            if not np.array_equal(wf.linalg.inv(a).numpy(), wanted):
                bad.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not bad


def test_names_of_the_array_api():
    for name in ("cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose "
                 "outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm").split():
        assert callable(getattr(wf.linalg, name)), name
    x = wf.eye(3)
    assert wf.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert wf.linalg.qr(x)._fields == ("Q", "R")
    assert wf.linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert wf.linalg.svd(x)._fields == ("U", "S", "Vh")


def test_a_worked_example_of_large_matrices():
    """Big enough that LAPACK works in blocks."""
    a = matrices("float64", 300, 300)
    t = wf.tensor(a)
    close(wf.linalg.inv(t) @ t, np.eye(300), "float32")
    close(wf.linalg.eigvalsh(t), np.linalg.eigvalsh((a + a.T) / 2), "float64")
    u, s, vh = wf.linalg.svd(t)
    close((u * s) @ vh, a, "float64")


def test_matrix_transpose_names_itself_in_its_error():
    with pytest.raises(wf.InvalidError, match=r"^matrix_transpose: x has shape \[3\], but needs two axes"):
        wf.matrix_transpose(wf.ones(3))


@pytest.mark.parametrize("options", [{}, {"ord": 1}, {"ord": 2}, {"ord": np.inf}, {"ord": "fro"}, {"ord": "nuc"}, {"axis": 0},
                                     {"axis": 1, "ord": 3}, {"axis": (0, 1)}, {"axis": (1, 0), "ord": 1, "keepdims": True},
                                     {"axis": -1, "keepdims": True}, {"ord": -np.inf, "axis": (0,)}])
def test_norm_is_numpys(options):
    x = np.arange(12.0).reshape(3, 4)[::-1].copy()
    np.testing.assert_allclose(wf.linalg.norm(wf.tensor(x), **options).numpy(), np.linalg.norm(x, **options), rtol=1e-12)


def test_norm_of_many_axes_is_refused():
    assert np.isclose(float(wf.linalg.norm(wf.ones((2, 3, 4)))), np.sqrt(24))
    with pytest.raises(ValueError, match=r"norm: x has shape \[2, 3, 4\] and axis is None.*\[norm.axes\]"):
        wf.linalg.norm(wf.ones((2, 3, 4)), ord=1)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_determinant_of_a_singular_matrix_has_a_gradient(dtype):
    for matrix in ([[1, 2], [2, 4]], [[1, 2, 3], [4, 5, 6], [5, 7, 9]], [[0, 0], [0, 0]], [[1, 1, 1]] * 3):
        x = np.array(matrix, dtype=dtype) * (1 + 0.5j if dtype == "complex128" else 1)
        n = len(x)
        minors = [[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)) for j in range(n)] for i in range(n)]
        _, pull = wf.vjp(wf.linalg.det, wf.tensor(x))
        (got,) = pull(wf.ones((), dtype=getattr(wf, dtype)))
        np.testing.assert_allclose(got.numpy(), np.conj(minors), atol=1e-12)
    with pytest.raises(ValueError, match=r"^det: its second derivative is by the inverse, but the matrix is singular.*\[det.singular\]"):
        wf.hessian(wf.linalg.det)(wf.tensor([[1.0, 2.0], [2.0, 4.0]], dtype="float64"))


@pytest.mark.parametrize("name, f", [("slogdet", wf.linalg.slogdet), ("det", wf.linalg.det), ("matrix_power", lambda x: wf.linalg.matrix_power(x, 1)),
                                     ("cond", lambda x: wf.linalg.cond(x, p="1"))])
def test_traced_functions_refuse_matrices_that_are_not_square(name, f):
    traced = wf.function(f)
    for _ in range(2):
        with pytest.raises(wf.InvalidError) as caught:
            traced(wf.ones((2, 3)))
        assert str(caught.value) == f"{name}: a matrix has 2 rows and 3 columns; they must be equal [{name}.square]"
        assert [x.shape for x in wf.tree.flatten(traced(wf.eye(3)))[0]] == [x.shape for x in wf.tree.flatten(f(wf.eye(3)))[0]]
    with pytest.raises(wf.InvalidError, match="square"):
        traced(wf.ones((3, 2)))
