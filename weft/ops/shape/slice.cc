// slice: basic indexing, x[1:3, ..., newaxis, 0], as a view.
#include "weft/op/apply.h"
#include "weft/ops/shape/basic_index.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types slice_infer(const SliceAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, indexed_shape(at.index, cx, in[0].shape)}};
}

ViewLayouts views(const SliceAttrs& at, const StridedLayout& x, TypeSpan) {
  return {indexed_view(at.index, x)};
}

// The cotangent lies where the elements came from, with zeros around it.
Tensors transpose(const SliceAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {slice_update(zeros(Shape(cx.inputs[0].shape()), g[0].dtype(), cx.where), g[0], at.index,
                       cx.where)};
}

Tensors batched(const SliceAttrs& at, const BatchCtx& cx) {
  Index index = at.index;
  index.insert(0, IndexItem{});
  return {slice(cx.inputs[0], index, cx.where)};
}

}  // namespace

constinit const OpDef kSlice{
    .name = "slice",
    .doc =
        "Basic indexing, `x[1:3, ..., newaxis, 0]`: a view. Ranges are clamped as in Python; an "
        "integer out of range "
        "raises.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SliceAttrs>(),
    .laws = {Law{"ellipsis", "at most one ellipsis"}, Law{"count", "at most one entry per axis"},
             Law{"step", "steps are not 0"}, Law{"range", "integers are in range"}},
    .infer = rule<slice_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "__getitem__"}, Alias{"tf", "strided_slice"},
                 Alias{"jax", "lax.slice"}},
};

Tensor slice(const Tensor& x, const Index& index, Where where) {
  return apply(kSlice, inputs(x), SliceAttrs{index}, where);
}

Tensor select_row(const Tensor& x, int64_t row, Where where) {
  return slice(x, Index{{.kind = IndexItem::Kind::kInteger, .start = row, .stop = {}, .step = 1}},
               where);
}

}  // namespace weft
