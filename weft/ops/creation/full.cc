// full: a tensor whose elements are all one value, repeated by stride 0.
#include "weft/op/apply.h"
#include "weft/op/promote.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

struct FullAttrs {
  Shape shape;
  std::optional<DType> dtype;
  static constexpr auto fields =
      fields_of(field("shape", &FullAttrs::shape, "the shape", kRequired),
                field("dtype", &FullAttrs::dtype,
                      "the dtype of the elements; that of the value if left out"));
};

Tensors compose_full(const FullAttrs& at, TensorSpan in) {
  const InferCtx cx{"full"};
  const Tensor& value = in[0];
  cx.require(value.rank() == 0, "value", "value has shape ", value.shape(),
             "; it must have rank 0");
  fill_infer({at.shape, value.dtype()}, cx, {});
  const DType dtype = at.dtype.value_or(strong_dtype_of(value));
  const bool is_number = value.is_weak() && value.is_concrete();
  const Tensor one =
      is_number ? strong_scalar("full", "fill_value", value, dtype) : cast(value, dtype);
  return {broadcast_to(one, at.shape)};
}

}  // namespace

DType strong_dtype_of(const Tensor& x) {
  if (!x.is_weak()) return x.dtype();
  if (x.dtype() == DType::kF64) return DType::kF32;
  return x.dtype() == DType::kC128 ? DType::kC64 : x.dtype();
}

constinit const CompositeDef kFull{
    .name = "full",
    .doc =
        "A tensor whose elements are all `value`. A language scalar gives bool, int64 or float32 "
        "unless a dtype is given.",
    .inputs = {"fill_value: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<FullAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}, Law{"value", "the value has rank 0"}},
    .compose = rule<compose_full>(),
    .known_as = {Alias{"numpy", "full"}, Alias{"torch", "full"}, Alias{"jax", "numpy.full"},
                 Alias{"tf", "fill"}},
};

Tensor full(const Shape& shape, const Tensor& value, std::optional<DType> dtype, Where where) {
  return compose(kFull, inputs(value), FullAttrs{shape, dtype}, where);
}

}  // namespace weft
