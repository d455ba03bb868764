// masked_fill and masked_select.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

void require_mask(const InferCtx& cx, const Tensor& mask) {
  cx.require_type(mask.dtype() == DType::kBool, "mask", "mask has dtype ", mask.dtype(),
                  "; it must be bool");
}

Tensors filled(const NoAttrs&, TensorSpan in) {
  require_mask(InferCtx{"masked_fill"}, in[1]);
  return {where(in[1], in[2], in[0])};
}

Tensors selected(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"masked_select"};
  require_mask(cx, in[1]);
  const Shape shape = cx.broadcast(in[0].shape(), in[1].shape());
  const Dim count = num_elements(shape);
  const Tensor places = argwhere(reshape(broadcast_to(in[1], shape), {count}));
  const Tensor chosen = squeeze(places, {1});
  return {take(reshape(broadcast_to(in[0], shape), {count}), chosen, 0)};
}

}  // namespace

constinit const CompositeDef kMaskedFill{
    .name = "masked_fill",
    .doc = "`x` with `value` where `mask` is true: `where(mask, value, x)`.",
    .inputs = {"x: any", "mask: boolean", "value: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"mask", "the mask is bool"}},
    .compose = rule<filled>(),
    .known_as = {Alias{"torch", "masked_fill"}, Alias{"jax", "numpy.where"}, Alias{"tf", "where"}},
};

constinit const CompositeDef kMaskedSelect{
    .name = "masked_select",
    .doc =
        "The elements of `x` where `mask` is true, as a vector in row-major order; the two "
        "broadcast. How many there are depends on the values, so under vmap it raises.",
    .inputs = {"x: any", "mask: boolean"},
    .outputs = {"out: like x"},
    .laws = {Law{"mask", "the mask is bool"}},
    .compose = rule<selected>(),
    .known_as = {Alias{"torch", "masked_select"}, Alias{"tf", "boolean_mask"}},
};

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value, Where where) {
  return compose(kMaskedFill, inputs(x, mask, value), kNoAttrs, where);
}
Tensor masked_select(const Tensor& x, const Tensor& mask, Where where) {
  return compose(kMaskedSelect, inputs(x, mask), kNoAttrs, where);
}

}  // namespace weft
