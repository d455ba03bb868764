// outer: all products of two vectors' elements.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Tensors compose_outer(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"outer"};
  for (size_t i = 0; i < 2; ++i) {
    cx.require(in[i].rank() == 1, "rank", i == 0 ? "a" : "b", " has shape ", in[i].shape(),
               "; both must have one axis");
  }
  return {expand_dims(in[0], 1) * in[1]};
}

}  // namespace

constinit const CompositeDef kOuter{
    .name = "outer",
    .doc = "`out[i, j] = a[i] * b[j]` of two vectors.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .laws = {Law{"rank", "both are vectors"}},
    .compose = rule<compose_outer>(),
    .known_as = {Alias{"numpy", "linalg.outer"},
                 Alias{"numpy", "outer: it flattens what has more axes, ours takes vectors alone"},
                 Alias{"torch", "outer"}, Alias{"torch", "ger"},
                 Alias{"jax",
                       "numpy.outer: it flattens what has more axes, ours takes vectors alone"}},
};

Tensor outer(const Tensor& a, const Tensor& b, Where where) {
  return compose(kOuter, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
