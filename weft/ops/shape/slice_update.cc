// slice_update: a copy of x with x[index] replaced (`x.at[index].set(value)`).
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/basic_index.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types update_infer(const SliceAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape place = indexed_shape(at.index, cx, in[0].shape);
  const Shape joint = cx.broadcast(place, in[1].shape);
  cx.require(same(joint, place) != Tri::kNo, "value", "a value of shape ", in[1].shape,
             " does not fit x[", at.index, "] of shape ", place,
             "; it must broadcast to that shape");
  return {in[0]};
}

void run(const SliceAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::copy(result, in[0]);
  const ViewLayout part = indexed_view(at.index, {result.shape(), result.strides()});
  const Tensor place = result.view(
      indexed_shape(at.index, InferCtx{"slice_update"}, result.shape()), part.strides, part.offset);
  native::copy(place, broadcast_to(in[1], Shape(place.shape())));
}

// What was replaced gets no cotangent; the value gets that of its place.
Tensors transpose(const SliceAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor none = zeros({}, g[0].dtype(), cx.where);
  return {slice_update(g[0], none, at.index, cx.where), slice(g[0], at.index, cx.where)};
}

Tensors batched(const SliceAttrs& at, const BatchCtx& cx) {
  Index index = at.index;
  index.insert(0, IndexItem{});
  const Tensor x = cx.with_batch_axis(0);
  Tensor value = cx.inputs[1];
  if (cx.batched[1]) {
    // Axes of size 1 behind the batch axis, so that the value's own axes stay on the right.
    const Shape place = indexed_shape(index, InferCtx{"slice_update"}, x.shape());
    Shape aligned{cx.size};
    for (size_t i = value.shape().size(); i < place.size(); ++i) aligned.push_back(1);
    for (Dim dim : value.shape().subspan(1)) aligned.push_back(dim);
    value = reshape(value, aligned, cx.where);
  }
  return {slice_update(x, value, index, cx.where)};
}

}  // namespace

constinit const OpDef kSliceUpdate{
    .name = "slice_update",
    .doc = "A copy of `x` in which `x[index]` is `value`: what `x.at[index].set(value)` calls.",
    .inputs = {"x: any", "value: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SliceAttrs>(),
    .laws = {Law{"ellipsis", "at most one ellipsis"}, Law{"count", "at most one entry per axis"},
             Law{"step", "steps are not 0"}, Law{"range", "integers are in range"},
             Law{"value", "the value broadcasts to the shape of x[index]"}},
    .infer = rule<update_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"torch", "slice_scatter"}},
};

Tensor slice_update(const Tensor& x, const Tensor& value, const Index& index, Where where) {
  return apply(kSliceUpdate, inputs(x, value), SliceAttrs{index}, where);
}

}  // namespace weft
