// hardtanh: `x` brought between two bounds.
#include "weft/op/apply.h"
#include "weft/op/promote.h"
#include "weft/ops/math/math.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

struct HardtanhAttrs {
  double min_val = -1, max_val = 1;
  static constexpr auto fields =
      fields_of(field("min_val", &HardtanhAttrs::min_val, "the lower bound"),
                field("max_val", &HardtanhAttrs::max_val, "the upper bound"));
};

Tensors composed(const HardtanhAttrs& at, TensorSpan in) {
  const DType dtype = is_floating(in[0].dtype()) ? in[0].dtype() : DType::kF32;
  return {clip(in[0], strong_scalar("hardtanh", "min_val", at.min_val, dtype),
               strong_scalar("hardtanh", "max_val", at.max_val, dtype))};
}

}  // namespace

constinit const CompositeDef kHardtanh{
    .name = "hardtanh",
    .module = "nn",
    .doc =
        "`x` brought between `min_val` and `max_val`, which are -1 and 1 if not said: `clip` under "
        "the name it has among activations. The derivative is 1 between the bounds and at both.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<HardtanhAttrs>(),
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.hardtanh"}, Alias{"jax", "nn.hard_tanh"}},
};

Tensor nn::hardtanh(const Tensor& x, double min_val, double max_val, Where where) {
  return compose(kHardtanh, inputs(x), HardtanhAttrs{min_val, max_val}, where);
}

}  // namespace weft
