"""Linear algebra: ours, PyTorch's, JAX's; what is unique up to signs by its squares."""

import jax.numpy as jnp
import jax.scipy.linalg as jsl
import torch
import torch.linalg as tl
import weft as wf
from vocabulary import (Input, call, definite, dims, distinct, entry, given, integers, invertible,
                        normal)

INF = float("inf")
NOT_SQUARE = [call(normal(2, 3)), call(normal(3))]


def lower(*shape):
    def draw(g):
        import numpy

        return numpy.tril(g.standard_normal(shape)) + 3 * numpy.eye(shape[-1])

    return Input(draw)


def singular(n):
    return given([[1.0 if j < n - 1 else 0.0 for j in range(n)] for _ in range(n)])


def symmetrised(function, transpose):
    """PyTorch reads half of a matrix, JAX both: gradients agree on the mean of both halves."""
    return lambda x, **rest: function((x + transpose(x)) / 2, **rest)


def torch_h(x):
    return x.mH


def weft_h(x):
    return wf.conj(wf.matrix_transpose(x))


def jax_h(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def of_symmetric(name, ours, theirs, jax_function, *calls, **rest):
    return entry(name, symmetrised(theirs, torch_h), symmetrised(jax_function, jax_h), *calls,
                 ours=symmetrised(ours, weft_h), **rest)


SYMMETRIC = [
    of_symmetric("linalg.cholesky", wf.linalg.cholesky, tl.cholesky,
                 lambda x, upper=False: jnp.linalg.cholesky(x, upper=upper), call(definite(4, 4)),
                 call(definite(2, 3, 3)), call(definite(3, 3), upper=True), complex=True, looser=4,
                 why="solves with the factor, condition 4",
                 wrong=[call(normal(2, 3)), call(given([[1.0, 2.0], [2.0, 1.0]]), only="torch")]),
    of_symmetric("linalg.eigvalsh", wf.linalg.eigvalsh, tl.eigvalsh, jnp.linalg.eigvalsh,
        call(definite(4, 4)), call(definite(2, 3, 3)), complex=True, wrong=NOT_SQUARE, looser=8,
        why="LAPACKs of two libraries"),
    of_symmetric("linalg.eigh", lambda x: (lambda w, v: (w, v * v))(*wf.linalg.eigh(x)),
        lambda x: (lambda w, v: (w, v * v))(*tl.eigh(x)),
        lambda x: (lambda w, v: (w, v * v))(*jnp.linalg.eigh(x, symmetrize_input=False)),
        call(definite(4, 4)), call(definite(2, 3, 3)), wrong=NOT_SQUARE, looser=20,
        why="vectors up to a sign: squares; gaps of 1"),
]


def product_of_qr(qr):
    def function(x, mode="reduced"):
        q, r = qr(x, mode=mode)
        return q @ r, r * r, (q * q)[..., : x.shape[-1]]

    return function


def product_of_svd(svd):
    def function(x, full_matrices=True):
        u, s, vh = svd(x, full_matrices=full_matrices)
        k = s.shape[-1]
        return s, (u * u)[..., :k], (vh * vh)[..., :k, :]

    return function


FACTORS = [
    entry("linalg.qr", product_of_qr(tl.qr), product_of_qr(jnp.linalg.qr), call(normal(4, 3)),
          call(normal(2, 3, 3)), call(normal(3, 5), mode="complete", grad=False),
          call(normal(4, 3), mode="reduced"), wrong=[call(normal(3))],
          ours=product_of_qr(wf.linalg.qr), looser=50,
          why="up to signs: squares; the gradient solves with R"),
    entry("linalg.svd", product_of_svd(tl.svd), product_of_svd(jnp.linalg.svd),
          call(normal(4, 3), full_matrices=False), call(normal(2, 3, 4), full_matrices=False),
          call(normal(3, 3)), wrong=[call(normal(3))], ours=product_of_svd(wf.linalg.svd),
          looser=300, why="up to signs: squares; divides by gaps of s squared"),
    entry("linalg.svdvals", tl.svdvals, lambda x: jnp.linalg.svd(x, compute_uv=False),
          call(normal(4, 3)), call(normal(2, 3, 5)), complex=True, looser=8,
          why="LAPACKs of two libraries", wrong=[call(normal(3))]),
    entry("linalg.lu", tl.lu, lambda x: jsl.lu(x), call(invertible(4, 4)),
          call(invertible(2, 3, 3), only="torch"), call(normal(4, 3)), wrong=[call(normal(3))],
          looser=8, why="solves with both factors"),
    entry("linalg.lu_factor", tl.lu_factor,
          lambda x: (lambda lu, pivots: (lu, pivots + 1))(*jsl.lu_factor(x)),
          call(invertible(4, 4)), call(invertible(2, 3, 3)),
          ours=lambda x: (lambda lu, pivots, order: (lu, pivots + 1))(*wf.linalg.lu_factor(x)),
          wrong=[call(normal(3))], same_dtype=False, looser=8,
          why="our pivots count from 0 in int64, PyTorch's from 1 in int32"),
]


def torch_norm(x, keepdims=False, ord="fro"):
    return tl.matrix_norm(x, ord, keepdim=keepdims)


def jax_norm(x, keepdims=False, ord="fro"):
    return jnp.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)


SOLVES = [
    entry("linalg.solve", tl.solve, jnp.linalg.solve, call(invertible(3, 3), normal(3, 2)),
          call(invertible(3, 3), normal(3)), call(invertible(2, 3, 3), normal(2, 3, 4)),
          call(invertible(2, 3, 3), normal(3, 4)), complex=True, looser=8, why="condition",
          wrong=[call(normal(2, 3), normal(2)), call(invertible(3, 3), normal(4, 2)),
          call(singular(3), normal(3), only="torch")]),
    entry("linalg.inv", tl.inv, jnp.linalg.inv, call(invertible(3, 3)), call(invertible(2, 4, 4)),
          complex=True, looser=8, why="condition",
          wrong=[*NOT_SQUARE, call(singular(3), only="torch")]),
    entry("linalg.solve_triangular", lambda a, b, upper=False, adjoint=False,
          unit_diagonal=False: tl.solve_triangular(a.mH if adjoint else a, b,
          upper=upper != adjoint, unitriangular=unit_diagonal),
          lambda a, b, upper=False, adjoint=False, unit_diagonal=False: jsl.solve_triangular(a, b,
          lower=not upper, trans=2 if adjoint else 0, unit_diagonal=unit_diagonal),
          call(lower(3, 3), normal(3, 2)), call(lower(3, 3), normal(3, 2), adjoint=True),
          call(normal(3, 3), normal(3, 2), unit_diagonal=True, upper=True),
          call(invertible(3, 3), normal(3, 2), upper=True), complex=True, looser=30,
          why="condition", wrong=[call(normal(3, 3), normal(4, 2))]),
    entry("linalg.lstsq", lambda a, b, rtol=None: tl.lstsq(a, b).solution,
          lambda a, b, rtol=None: jnp.linalg.lstsq(a, b, rcond=rtol)[0],
          call(normal(5, 3), normal(5, 2)), call(normal(5, 3), normal(5, 2), rtol=1e-6),
          ours=lambda a, b, **rest: wf.linalg.lstsq(a, b, **rest).solution, looser=100,
          why="condition squared in the gradient", wrong=[call(normal(5, 3), normal(4, 2))]),
    entry("linalg.pinv", lambda x, rtol=None: tl.pinv(x, rtol=rtol), jnp.linalg.pinv,
          call(normal(4, 3)), call(normal(2, 3, 4)), call(normal(3, 3), rtol=1e-3), looser=100,
          why="condition squared in the gradient", wrong=[call(normal(3))]),
    entry("linalg.det", tl.det, jnp.linalg.det, call(invertible(3, 3)), call(normal(2, 4, 4)),
          complex=True, looser=20, why="condition", wrong=NOT_SQUARE),
    entry("linalg.slogdet", tl.slogdet, lambda x: tuple(jnp.linalg.slogdet(x)),
          call(invertible(3, 3)), call(normal(2, 4, 4)), looser=20, why="condition",
          wrong=NOT_SQUARE),
    entry("linalg.matrix_rank", lambda x, rtol=None: tl.matrix_rank(x, rtol=rtol),
          lambda x, rtol=None: jnp.linalg.matrix_rank(x, rtol=rtol), call(normal(4, 3)),
          call(singular(3)), call(given([[1.0, 0.0], [0.0, 0.01]]), rtol=0.1), grad=False,
          same_dtype=False, why="JAX's is int32", wrong=[call(normal(3), only="torch")]),
    entry("linalg.matrix_power", tl.matrix_power, jnp.linalg.matrix_power, call(normal(3, 3), n=3),
          call(normal(2, 3, 3), n=0), call(invertible(3, 3), n=-2), call(normal(3, 3), n=1),
          complex=True, looser=8, why="condition", wrong=[call(normal(2, 3), n=2)]),
    entry("linalg.matrix_exp", tl.matrix_exp, lambda x: jsl.expm(x), call(normal(3, 3)),
          call(normal(2, 4, 4), only="torch"), looser=100, torch_looser=10,
          why="Pade and Taylor approximations differ in their last digits", wrong=NOT_SQUARE),
    entry("linalg.matrix_norm", torch_norm, jax_norm, call(normal(3, 4)),
          call(normal(2, 3, 4), ord="nuc", keepdims=True),
          *(call(distinct(3, 3), ord=ord) for ord in (1, -1, 2, -2, INF, -INF)), looser=8,
          why="norms by svd", wrong=[call(normal(3)), call(normal(3, 3), ord="other")]),
]

PRODUCTS = [
    entry("matmul", torch.matmul, jnp.matmul, call(normal(3, 4), normal(4, 2)),
          call(normal(4), normal(4)), call(normal(2, 3, 4), normal(4)),
          call(normal(4), normal(2, 4, 3)), call(normal(2, 1, 3, 4), normal(5, 4, 2)),
          call(integers(-5, 5, 3, 4), integers(-5, 5, 4, 2)), call(normal(3, 0), normal(0, 2)),
          complex=True, half=True, wrong=[call(normal(3, 4), normal(3, 4)),
          call(normal(), normal(3))]),
    entry("vecdot", dims(tl.vecdot), jnp.vecdot, call(normal(3, 4), normal(3, 4)),
          call(normal(3, 4), normal(3, 1), axis=0), complex=True,
          wrong=[call(normal(3), normal(4))]),
    entry("outer", torch.outer, jnp.outer, call(normal(3), normal(4)),
          call(integers(0, 9, 2), integers(0, 9, 3)), complex=True,
          wrong=[call(normal(3), unknown=1)]),
    entry("linalg.cond", tl.cond, jnp.linalg.cond, call(invertible(3, 3)), call(normal(2, 4, 3)),
          call(invertible(2, 3, 3), p=2), call(invertible(2, 3, 3), p=-2),
          *(call(invertible(2, 3, 3), p=p, grad=False) for p in ("fro", "nuc", 1, -1, INF, -INF)),
          *(call(invertible(2, 3, 3), p=p, only="jax") for p in ("fro", 1)),
          call(singular(3), 1, grad=False), looser=8,
          why="condition; PyTorch's own gradient fails where it inverts",
          wrong=[*NOT_SQUARE[1:], call(normal(2, 3), p=1)]),
    entry("linalg.multi_dot", tl.multi_dot, jnp.linalg.multi_dot,
          call([normal(2, 3), normal(3, 4), normal(4, 2)]), call([normal(2, 3), normal(3, 4)]),
          call([normal(3), normal(3, 4), normal(4)]), complex=True,
          wrong=[call([normal(2, 3)], only="torch"), call([normal(2, 3), normal(2, 3)])]),
    entry("kron", torch.kron, jnp.kron, call(normal(2, 3), normal(3, 2)), call(normal(3), normal(2, 2)),
          call(integers(0, 9, 2), integers(0, 9, 3)), complex=True,
          wrong=[call(normal(3), normal(2), unknown=1)]),
    entry("cross", dims(tl.cross), jnp.cross, call(normal(5, 3), normal(5, 3)),
          call(normal(3, 2), normal(3, 2), axis=0), complex=True,
          wrong=[call(normal(4), normal(4)), call(normal(3), normal(3), axis=1)]),
    entry("tensordot", lambda a, b, axes=2: torch.tensordot(a, b, axes), jnp.tensordot,
          call(normal(2, 3, 4), normal(3, 4, 5)), call(normal(2, 3), normal(3, 4), axes=1),
          call(normal(2, 3, 4), normal(4, 2), axes=((0, 2), (1, 0))),
          call(normal(2), normal(3), axes=0), complex=True,
          wrong=[call(normal(2, 3), normal(4, 3), axes=1)]),
    entry("trace", lambda x, offset=0, dtype=None: torch.diagonal(x, offset, -2, -1).sum(-1,
          dtype=dtype), lambda x, offset=0, dtype=None: jnp.trace(x, offset, -2, -1, dtype=dtype),
          call(normal(3, 4)), call(normal(2, 3, 4), offset=1),
          call(normal(3, 3), offset=-1, dtype="float64", dtypes=("float32", "float64")),
          complex=True, wrong=[call(normal(3))]),
    entry("diagonal", lambda x, offset=0: torch.diagonal(x, offset, -2, -1),
          lambda x, offset=0: jnp.diagonal(x, offset, -2, -1), call(normal(3, 4)),
          call(normal(2, 3, 4), offset=2), call(normal(4, 3), offset=-1), complex=True,
          wrong=[call(normal(3))]),
    entry("matrix_transpose", lambda x: x.mT, jnp.matrix_transpose, call(normal(3, 4)),
          call(normal(2, 3, 4)), wrong=[call(normal(3))]),
]

ENTRIES = SYMMETRIC + FACTORS + SOLVES + PRODUCTS
