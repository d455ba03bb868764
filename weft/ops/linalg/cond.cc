// linalg.cond: how much a matrix may enlarge relative errors.
#include "weft/ops/linalg/cond.h"

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace linalg {
namespace {

Tensors composed(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"cond"};
  const Tensor x = as_inexact(in[0]);
  require_matrix(cx, x.type());
  for (const int64_t axis : {-2, -1}) {
    cx.require(!x.dim(axis).is_known() || x.dim(axis).value() > 0, "empty", "x has shape ",
               x.shape(), "; a matrix without elements has no condition");
  }
  const Tensor values = svdvals(x);
  const Tensor greatest = max(values, Ints{-1}), least = min(values, Ints{-1});
  const Tensor is_singular = equal(least, 0.0);
  return {where(is_singular, __builtin_inf(), greatest / where(is_singular, 1.0, least))};
}

}  // namespace

Tensor cond(const Tensor& x, Where where) { return compose(kCond, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const CompositeDef kCond{
    .name = "cond",
    .module = "linalg",
    .doc =
        "The condition number of each matrix in the 2-norm: its greatest singular value by its "
        "least; infinite for a singular one, NaN for one with a NaN or an infinity.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"empty", "a matrix has elements"}},
    .compose = rule<linalg::composed>(),
    .known_as = {Alias{"numpy", "linalg.cond: it takes other norms, too"},
                 Alias{"torch", "linalg.cond: it takes other norms, too"},
                 Alias{"jax", "numpy.linalg.cond: it takes other norms, too"}},
};

}  // namespace weft
