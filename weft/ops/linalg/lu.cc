// lu: a matrix as a permutation, a lower and an upper triangle.
#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

Tensors compose_lu(const NoAttrs&, TensorSpan in) {
  const Where at{};
  const Tensor x = as_inexact(in[0]);
  require_matrix(InferCtx{"lu"}, x.type());
  const Tensors factors = lu_factor(x);
  const Dim m = x.dim(-2), n = x.dim(-1);
  const Dim k = lesser(m, n);
  const Tensor left = decide_less(k, n) == Tri::kNo ? factors[0] : columns(factors[0], 0, k, at);
  const Tensor right = decide_less(k, m) == Tri::kNo ? factors[0] : rows(factors[0], 0, k, at);
  const Tensor wide = expand_dims(positions(m, at), 1), narrow = positions(k, at);
  const Tensor unit = cast(equal(wide, narrow), x.dtype());
  // Column i of p has its 1 where row i of l u belongs.
  const Tensor places = expand_dims(factors[2], -2);
  const Tensor p = cast(equal(wide, places), x.dtype());
  return {p, lower(left, -1, at) + unit, upper(right, 0, at)};
}

}  // namespace

Tensors lu(const Tensor& x, Where where) { return compose_all(kLu, inputs(x), &kNoAttrs, where); }

}  // namespace linalg

constinit const CompositeDef kLu{
    .name = "lu",
    .module = "linalg",
    .doc =
        "Elimination with row exchanges: `x = p l u` with a permutation `p`, a lower triangle `l` "
        "with ones on its diagonal and an upper triangle `u`. `lu_factor` keeps them in less "
        "memory.",
    .inputs = {"x: inexact"},
    .outputs = {"p: like x", "l: like x", "u: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}},
    .compose = rule<linalg::compose_lu>(),
    .known_as = {Alias{"torch", "linalg.lu"}, Alias{"jax", "scipy.linalg.lu"}},
};

}  // namespace weft
