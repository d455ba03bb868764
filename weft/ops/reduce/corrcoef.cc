// corrcoef: covariances in units of the deviations.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/complex_parts.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/cov.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct CorrcoefAttrs {
  bool rowvar = true;
  static constexpr auto fields = fields_of(
      field("rowvar", &CorrcoefAttrs::rowvar, "variables are the rows, observations the columns"));
};

// Rounding may lead beyond 1, which the parts of a coefficient never are.
Tensor within_one(const Tensor& x) {
  if (!is_complex(x.dtype())) return clip(x, -1.0, 1.0);
  const Tensor imag_part = clip(imag(x), -1.0, 1.0);
  return complex_of(clip(real(x), -1.0, 1.0), imag_part, x.dtype());
}

Tensors composed(const CorrcoefAttrs& at, TensorSpan in) {
  const Tensor c = covariance(InferCtx{"corrcoef"}, in, at.rowvar, 1);
  const Tensor spread = sqrt(real(diagonal(c)));
  const Tensor columns = expand_dims(spread, 0);
  const Tensor matrix = within_one(c / expand_dims(spread, 1) / columns);
  return {of_variables(matrix, in[0], kCorrcoefVariables)};
}

}  // namespace

constinit const ValueCheck kCorrcoefVariables{"corrcoef", "variables", require_several_variables};

constinit const CompositeDef kCorrcoef{
    .name = "corrcoef",
    .doc =
        "The correlation coefficients of variables: `cov` with each row and column divided by the "
        "deviation of its variable, between -1 and 1. NaN for a variable that does not vary, or "
        "with fewer than two observations. Variables are as in `cov`.",
    .inputs = {"x: inexact", "y?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<CorrcoefAttrs>(),
    .laws = {Law{"rank", "`x` and `y` are vectors or matrices"},
             Law{"observations", "`x` and `y` have as many observations"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "corrcoef"}, Alias{"torch", "corrcoef"},
                 Alias{"jax", "numpy.corrcoef"}},
};

Tensor corrcoef(const Tensor& x, const Tensor& y, bool rowvar, Where where) {
  const CorrcoefAttrs attrs{rowvar};
  if (!y.defined()) return compose(kCorrcoef, inputs(x), attrs, where);
  return compose(kCorrcoef, inputs(x, y), attrs, where);
}

}  // namespace weft
