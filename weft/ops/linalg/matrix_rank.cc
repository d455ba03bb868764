// matrix_rank: how many singular values are more than rounding errors.
#include <algorithm>

#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/rank.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace linalg {

void require_tolerance(const InferCtx& cx, const RankAttrs& at) {
  cx.require(!at.rtol || *at.rtol >= 0, "rtol", "rtol is ", at.rtol.value_or(0),
             "; it must be at least 0");
}

Tensor is_counted(const Tensor& s, const Tensor& x, const RankAttrs& at) {
  const DType dtype = real_of(compute_of(x.dtype()));
  const double epsilon = dtype == DType::kF64 ? 0x1p-52 : 0x1p-23;
  if (s.dim(-1) == Dim(0)) return greater(s, 0);
  const int64_t columns = x.dim(-1).value(), rows = x.dim(-2).value();
  const double longer = static_cast<double>(std::max(rows, columns));
  const double rtol = at.rtol.value_or(longer * epsilon);
  return greater(s, max(s, Ints{-1}, true) * rtol);
}

namespace {

Tensors compose_rank(const RankAttrs& at, TensorSpan in) {
  const InferCtx cx{"matrix_rank"};
  const Tensor x = as_inexact(in[0]);
  require_matrix(cx, x.type());
  require_tolerance(cx, at);
  return {sum(cast(is_counted(svdvals(x), x, at), DType::kI64), Ints{-1})};
}

}  // namespace

Tensor matrix_rank(const Tensor& x, std::optional<double> rtol, Where where) {
  return compose(kMatrixRank, inputs(x), RankAttrs{rtol}, where);
}

}  // namespace linalg

constinit const CompositeDef kMatrixRank{
    .name = "matrix_rank",
    .module = "linalg",
    .doc =
        "The rank of each matrix, as an int64: the number of singular values above `rtol` times "
        "the greatest. A matrix with a NaN or an infinity has rank 0.",
    .inputs = {"x: inexact"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<linalg::RankAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"rtol", "the bound is at least 0"}},
    .compose = rule<linalg::compose_rank>(),
    .known_as = {Alias{"numpy", "linalg.matrix_rank"}, Alias{"torch", "linalg.matrix_rank"},
                 Alias{"jax", "numpy.linalg.matrix_rank"}, Alias{"tf", "linalg.matrix_rank"}},
};

}  // namespace weft
