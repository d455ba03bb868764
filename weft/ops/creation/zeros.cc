// zeros: a tensor of zeros; one stored element, repeated by stride 0.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {

Types fill_infer(const FillAttrs& at, const InferCtx& cx, TypeSpan) {
  for (Dim dim : at.shape) {
    cx.require(!dim.is_known() || dim.value() >= 0, "negative", "shape ", at.shape,
               " has a negative size; sizes are at least 0");
  }
  num_elements(at.shape);  // raises if the count does not fit
  return {{at.dtype, at.shape}};
}

Tensors batched_fill(const OpDef& op, const FillAttrs& at, const BatchCtx& cx) {
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < cx.size.value(); ++i) {
    Tensors row;
    for (size_t k = 0; k < cx.inputs.size(); ++k) {
      row.push_back(cx.batched[k] ? select_row(cx.inputs[k], i, cx.where) : cx.inputs[k]);
    }
    rows.push_back(apply(op, row, at, cx.where));
  }
  if (!rows.empty()) return {stack(rows, 0, cx.where)};
  Shape shape = at.shape;
  shape.insert(0, 0);
  return {zeros(shape, at.dtype, cx.where)};
}

namespace {

Tensors run(const FillAttrs&, TensorSpan, TypeSpan out) {
  const Tensor zero = Tensor::scalar(out[0].dtype, 0);
  return {zero.view(out[0].shape, Ints(out[0].shape.size(), 0))};
}

Tensors batched(const FillAttrs& at, const BatchCtx& cx) {
  Shape shape = at.shape;
  shape.insert(0, cx.size);
  return {zeros(shape, at.dtype, cx.where)};
}

}  // namespace

constinit const OpDef kZeros{
    .name = "zeros",
    .doc = "A tensor of zeros.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("it has no inputs"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .known_as = {Alias{"numpy", "zeros"}, Alias{"torch", "zeros"}, Alias{"jax", "numpy.zeros"},
                 Alias{"tf", "zeros"}},
};

Tensor zeros(const Shape& shape, DType dtype, Where where) {
  return apply(kZeros, {}, FillAttrs{shape, dtype}, where);
}

}  // namespace weft
