// normalize: vectors divided by their norm.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct NormalizeAttrs {
  double p = 2;
  int64_t axis = 1;
  double eps = 1e-12;
  static constexpr auto fields =
      fields_of(field("p", &NormalizeAttrs::p, "the order of the norm"),
                field("axis", &NormalizeAttrs::axis, "the axis that vectors lie along"),
                field("eps", &NormalizeAttrs::eps, "the least that is divided by"));
};

Tensors composed(const NormalizeAttrs& at, TensorSpan in) {
  const InferCtx cx{"normalize"};
  const Tensor x = as_inexact(in[0]);
  const Ints axis{cx.axis(at.axis, x.shape())};
  const Tensor length = maximum(norm(x, axis, at.p, /*keepdims=*/true), Tensor(at.eps));
  return {x / length};
}

}  // namespace

constinit const CompositeDef kNormalize{
    .name = "normalize",
    .module = "nn",
    .doc = "`x / maximum(norm(x, p), eps)` along `axis`. A vector of zeros stays as it is.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<NormalizeAttrs>(),
    .laws = {Law{"axis", "`axis` is an axis of `x`"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.normalize"}, Alias{"tf", "math.l2_normalize"}},
};

namespace nn {

Tensor normalize(const Tensor& x, double p, int64_t axis, double eps, Where where) {
  return compose(kNormalize, inputs(x), NormalizeAttrs{p, axis, eps}, where);
}

}  // namespace nn
}  // namespace weft
