
from typing import NamedTuple

class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class LstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class LUFactorResult(NamedTuple):
    lu: Tensor
    pivots: Tensor
    permutation: Tensor

class LUResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor

class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

def eigh(x: TensorLike) -> EighResult: ...
def lstsq(a: TensorLike, b: TensorLike, rtol: float | None = None) -> LstsqResult: ...
def lu(x: TensorLike) -> LUResult: ...
def lu_factor(x: TensorLike) -> LUFactorResult: ...
def qr(x: TensorLike, mode: str = "reduced") -> QRResult: ...
def slogdet(x: TensorLike) -> SlogdetResult: ...
def svd(x: TensorLike, full_matrices: _b.bool = True) -> SVDResult: ...
def matrix_norm(x: TensorLike, /, *, keepdims: _b.bool = False, ord: str | float = "fro") -> Tensor: ...
def cond(x: TensorLike, p: str | float | None = 2) -> Tensor: ...
def matrix_rank(x: TensorLike, rtol: float | TensorLike | None = None) -> Tensor: ...
def norm(x: TensorLike, ord: str | float | None = None, axis: int | Sequence[int] | None = None,
         keepdims: _b.bool = False) -> Tensor: ...
def pinv(x: TensorLike, rtol: float | TensorLike | None = None) -> Tensor: ...
def tensordot(a: TensorLike, b: TensorLike, /,
              axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2) -> Tensor: ...
def matrix_transpose(x: TensorLike, /) -> Tensor: ...
