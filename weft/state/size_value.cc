// size_value: a size as a number, known when the graph runs.
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_size(const SizeValueAttrs& at, const InferCtx& cx, TypeSpan) {
  cx.require(at.size.size() == 1, "size", "stands for one size");
  return {{DType::kI64, {}}};
}

Tensors run(const SizeValueAttrs& at, TensorSpan, TypeSpan) {
  Tensor out = Tensor::empty(DType::kI64, {});
  *static_cast<int64_t*>(out.writable_data()) = at.size[0].value();
  return {out};
}

Tensors batched(const SizeValueAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  return apply_prepared(kSizeValue, {}, &at, cx.where);
}

}  // namespace

constinit const OpDef kSizeValue{
    .name = "size_value",
    .doc = "A size of a tensor as a number.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<SizeValueAttrs>(),
    .infer = rule<infer_size>(),
    .grad = derive::not_differentiable("a size is no number that varies"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

Tensor size_value(Dim size, Where where) {
  if (size.is_known()) return Tensor(size.value());
  const SizeValueAttrs attrs{{size}};
  Tensor out = apply_prepared(kSizeValue, {}, &attrs, where)[0];
  out.node()->weak = true;  // a Python int would take the dtype of what it meets
  return out;
}

}  // namespace weft
