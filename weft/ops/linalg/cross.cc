// cross: the vector product in three dimensions.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct CrossAttrs {
  int64_t axis = -1;
  static constexpr auto fields =
      fields_of(field("axis", &CrossAttrs::axis, "the axis of the vectors, of the result's shape"));
};

// x[1, 2, 0] for by = 1, x[2, 0, 1] for by = 2.
Tensor cycled(const Tensor& x, int64_t axis, int64_t by) {
  const int64_t order[] = {by % 3, (by + 1) % 3, (by + 2) % 3};
  const Tensor indices =
      Tensor::from_bytes(DType::kI64, Shape{3}, std::as_bytes(std::span<const int64_t>(order)));
  return take(x, indices, axis);
}

Tensors compose_cross(const CrossAttrs& at, TensorSpan in) {
  const InferCtx cx{"cross"};
  const Shape joint = cx.broadcast(in[0].shape(), in[1].shape());
  const int64_t axis = cx.axis(at.axis, joint) - rank_of(joint);
  for (const Tensor& x : in) {
    const Dim size = x.rank() < -axis ? Dim(1) : x.dim(axis);
    cx.require(decide_same(size, 3) != Tri::kNo, "size", "axis ", at.axis, " has size ", size,
               " in shape ", x.shape(), "; vectors have 3 elements");
  }
  const Tensor &a = in[0], &b = in[1];
  const Tensor b1 = cycled(b, axis, 1), against = cycled(a, axis, 2) * b1;
  const Tensor b2 = cycled(b, axis, 2);
  return {cycled(a, axis, 1) * b2 - against};
}

}  // namespace

constinit const CompositeDef kCross{
    .name = "cross",
    .doc =
        "The vector product along `axis`, which has size 3 in both inputs; the other axes "
        "broadcast.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<CrossAttrs>(),
    .laws = {Law{"size", "vectors have 3 elements"}},
    .compose = rule<compose_cross>(),
    .known_as = {Alias{"numpy", "linalg.cross"}, Alias{"numpy", "cross"},
                 Alias{"torch", "linalg.cross"}, Alias{"jax", "numpy.cross"},
                 Alias{"tf", "linalg.cross"}},
};

Tensor cross(const Tensor& a, const Tensor& b, int64_t axis, Where where) {
  return compose(kCross, inputs(a, b), CrossAttrs{axis}, where);
}

}  // namespace weft
