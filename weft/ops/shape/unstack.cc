// unstack: the slices of a tensor along an axis.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct UnstackAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &UnstackAttrs::axis, "the axis to take apart"));
};

constexpr int64_t kMostSlices = 1 << 20;

Tensors composed(const UnstackAttrs& at, TensorSpan in) {
  const InferCtx cx{"unstack"};
  const int64_t axis = cx.axis(at.axis, in[0].shape()), count = in[0].dim(axis).value();
  cx.require(count <= kMostSlices, "many", "axis ", at.axis, " of shape ", in[0].shape(), " has ",
             count, " slices; unstack makes a tensor of each of at most ", kMostSlices);
  Tensors out;
  for (int64_t i = 0; i < count; ++i) {
    Index index(static_cast<size_t>(axis));
    index.push_back({.kind = IndexItem::Kind::kInteger, .start = i, .stop = {}, .step = 1});
    out.push_back(slice(in[0], index));
  }
  return out;
}

}  // namespace

constinit const CompositeDef kUnstack{
    .name = "unstack",
    .doc =
        "The slices of `x` along `axis`, without that axis: the inverse of `stack`. They share "
        "memory with `x`.",
    .inputs = {"x: any"},
    .outputs = {"out...: like x"},
    .attrs = attrs_type<UnstackAttrs>(),
    .laws = {Law{"many", "there are at most 2^20 slices"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "unstack"}, Alias{"torch", "unbind"}, Alias{"jax", "numpy.unstack"},
                 Alias{"tf", "unstack"}},
};

Tensors unstack(const Tensor& x, int64_t axis, Where where) {
  const UnstackAttrs at{axis};
  return compose_all(kUnstack, inputs(x), &at, where);
}

}  // namespace weft
