// lstsq: least squares.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/rank.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

// Of x, least of all, with `b` one vector or matrices.
Tensors compose_lstsq(const RankAttrs& at, TensorSpan in) {
  const InferCtx cx{"lstsq"};
  const Tensor a = as_inexact(in[0]), b = as_inexact(in[1]);
  require_matrix(cx, a.type());
  require_tolerance(cx, at);
  cx.require(b.rank() >= 1, "rank", "b has rank 0; it must be a vector or a matrix");
  const bool is_vector = b.rank() == 1;
  const Tensor right = is_vector ? expand_dims(b, -1) : b;
  cx.require(decide_same(a.dim(-2), right.dim(-2)) != Tri::kNo, "rows", "a has ", a.dim(-2),
             " rows but b has ", right.dim(-2), "; they must be equal");
  const Tensor s = svdvals(a), x = matmul(pinv(a, at.rtol), right);
  const Tensor error = abs(matmul(a, x) - right);
  const Tensor rank = sum(cast(is_counted(s, a, at), DType::kI64), Ints{-1});
  const Tensor residuals = sum(square(error), Ints{-2});
  if (!is_vector) return {x, residuals, rank, s};
  return {squeeze(x, Ints{-1}), squeeze(residuals, Ints{-1}), rank, s};
}

}  // namespace

Tensors lstsq(const Tensor& a, const Tensor& b, std::optional<double> rtol, Where where) {
  const RankAttrs attrs{rtol};
  return compose_all(kLstsq, inputs(a, b), &attrs, where);
}

}  // namespace linalg

constinit const CompositeDef kLstsq{
    .name = "lstsq",
    .module = "linalg",
    .doc =
        "The `x` for which `a x` comes closest to `b`, and the shortest one if there are several: "
        "`pinv(a) b`. `b` is one vector, if it has one axis, or a batch of matrices. With it the "
        "squared distances of the columns (whatever the rank), the rank of `a` and its singular "
        "values; those up to `rtol` times the greatest count as 0.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"solution: like a", "residuals: floating", "rank: int64",
                "singular_values: floating"},
    .attrs = attrs_type<linalg::RankAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"rows", "b has as many rows as a"},
             Law{"rtol", "the bound is at least 0"}},
    .compose = rule<linalg::compose_lstsq>(),
    .known_as = {Alias{"numpy", "linalg.lstsq"}, Alias{"torch", "linalg.lstsq"},
                 Alias{"jax", "numpy.linalg.lstsq"}, Alias{"tf", "linalg.lstsq"}},
};

}  // namespace weft
