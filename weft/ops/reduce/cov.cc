// cov: how variables vary together.
#include "weft/ops/reduce/cov.h"

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct CovAttrs {
  bool rowvar = true;
  double correction = 1;
  static constexpr auto fields = fields_of(
      field("rowvar", &CovAttrs::rowvar, "variables are the rows, observations the columns"),
      field("correction", &CovAttrs::correction, "what is taken off the number of observations"));
};

// [variables, observations]; a vector is one variable.
Tensor variables_of(const InferCtx& cx, const Tensor& x, bool rowvar) {
  cx.require(x.rank() == 1 || x.rank() == 2, "rank", "an input has shape ", x.shape(),
             "; variables are a matrix, or a vector for one");
  if (x.rank() == 1) return expand_dims(x, 0);
  return rowvar ? x : linalg::transposed(x, Where{});
}

Tensors composed(const CovAttrs& at, TensorSpan in) {
  const Tensor matrix = covariance(InferCtx{"cov"}, in, at.rowvar, at.correction);
  return {of_variables(matrix, in[0], kCovVariables)};
}

}  // namespace

Tensor covariance(const InferCtx& cx, TensorSpan in, bool rowvar, double correction) {
  const Tensor given = as_inexact(in[0]);
  Tensor x = variables_of(cx, given, rowvar);
  if (in.size() > 1 && in[1].defined()) {
    const Tensor y = variables_of(cx, cast(in[1], given.dtype()), rowvar);
    cx.require(decide_same(x.dim(1), y.dim(1)) != Tri::kNo, "observations", "x has ", x.dim(1),
               " observations and y has ", y.dim(1), "; they must have as many");
    x = concat(inputs(x, y), 0);
  }
  x = cast(x, compute_of(x.dtype()));
  const Tensor centred = x - mean(x, Ints{1}, /*keepdims=*/true);
  const Tensor count = divisor(x, Ints{1}, correction);
  return matmul(centred, linalg::adjoint(centred, Where{})) / count;
}

Tensor of_variables(const Tensor& matrix, const Tensor& x, const ValueCheck& several) {
  const Dim count = matrix.dim(0);
  const DType dtype = as_inexact(x).dtype();
  const bool is_open = same(count, 1) == Tri::kUnknown && !hinted_value(count);
  if (is_open) return cast(checked(several, matrix), dtype);
  const bool is_one = decide_same(count, 1) == Tri::kYes;
  return cast(is_one ? reshape(matrix, Shape{}) : matrix, dtype);
}

void require_several_variables(const InferCtx& cx, TensorSpan matrix, const Ints&) {
  cx.require(matrix[0].shape().back() != Dim(1), "variables",
             "there is 1 variable, for which the result is a number, but the graph does not know "
             "so and has a matrix; give the placeholder this size, or pass a vector");
}

constinit const ValueCheck kCovVariables{"cov", "variables", require_several_variables};

constinit const CompositeDef kCov{
    .name = "cov",
    .doc =
        "The covariances of variables: `out[i, j]` is the sum over observations of `(x[i] - "
        "mean(x[i])) * conj(x[j] - mean(x[j]))`, divided by `n - correction`, where `n` is their "
        "number; NaN where `n <= correction`. Variables are the rows of `x` (its columns with "
        "`rowvar=False`), followed by those of `y`; a vector is one variable. The covariance of a "
        "single variable is a number, its variance. Integers and bools become float32.",
    .inputs = {"x: inexact", "y?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<CovAttrs>(),
    .laws = {Law{"rank", "`x` and `y` are vectors or matrices"},
             Law{"observations", "`x` and `y` have as many observations"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "cov: it takes weights, too; ddof is our correction"},
                 Alias{"torch", "cov: it takes weights, too"},
                 Alias{"jax", "numpy.cov: it takes weights, too; ddof is our correction"}},
};

Tensor cov(const Tensor& x, const Tensor& y, bool rowvar, double correction, Where where) {
  const CovAttrs attrs{rowvar, correction};
  if (!y.defined()) return compose(kCov, inputs(x), attrs, where);
  return compose(kCov, inputs(x, y), attrs, where);
}

}  // namespace weft
