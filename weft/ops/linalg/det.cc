// det: determinants.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace linalg {

Tensor exchange_sign(const Tensor& pivots, DType dtype) {
  const Tensor exchanged = not_equal(pivots, positions(pivots.dim(-1), Where{}));
  return prod(1.0 - 2.0 * cast(exchanged, dtype), Ints{-1});
}

namespace {

Tensors compose_det(const NoAttrs&, TensorSpan in) {
  const Tensor x = as_inexact(in[0]);
  require_square(InferCtx{"det"}, x.type());
  const Tensors factors = lu_factor(computed(x));
  const Tensor sign = exchange_sign(factors[1], factors[0].dtype());
  return {rounded(sign * prod(diagonal(factors[0]), Ints{-1}), x.dtype())};
}

}  // namespace

Tensor det(const Tensor& x, Where where) { return compose(kDet, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const CompositeDef kDet{
    .name = "det",
    .module = "linalg",
    .doc =
        "The determinant of each matrix of a batch, by elimination with row exchanges; 1 for a "
        "matrix without elements. `slogdet` does not overflow. The gradient of a singular matrix "
        "raises.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .compose = rule<linalg::compose_det>(),
    .known_as = {Alias{"numpy", "linalg.det"}, Alias{"torch", "linalg.det"},
                 Alias{"jax", "numpy.linalg.det"}, Alias{"tf", "linalg.det"}},
};

}  // namespace weft
