// stop_gradient: the same value, at which gradients end.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
constinit const OpDef kStopGradient{
    .name = "stop_gradient",
    .doc = "The same value, taken as a constant by gradients of any order. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::not_differentiable("it says that its value is a constant"),
    .batch = batch::broadcasting(),
    .kernel = kernel::identity(),
    .known_as = {Alias{"torch", "detach"}, Alias{"jax", "lax.stop_gradient"},
                 Alias{"tf", "stop_gradient"}},
};

Tensor stop_gradient(const Tensor& x, Where where) {
  return apply(kStopGradient, inputs(x), kNoAttrs, where);
}

}  // namespace weft
