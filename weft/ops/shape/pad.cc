// pad: a constant around a tensor.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct PadAttrs {
  Ints before, after;
  static constexpr auto fields = fields_of(
      field("before", &PadAttrs::before, "how many elements to add before each axis", kRequired),
      field("after", &PadAttrs::after, "how many elements to add after each axis", kRequired));
};

Types pad_infer(const PadAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  cx.require(at.before.size() == shape.size() && at.after.size() == shape.size(), "count",
             "before ", at.before, " and after ", at.after, " do not fit shape ", shape,
             "; give one number for each of its ", shape.size(), " axes");
  cx.require(in.size() < 2 || in[1].rank() == 0, "value", "value has shape ",
             in.size() < 2 ? Shape() : in[1].shape, "; it must have rank 0");
  Type out = in[0];
  for (size_t i = 0; i < shape.size(); ++i) {
    cx.require(at.before[i] >= 0 && at.after[i] >= 0, "negative", "before ", at.before,
               " and after ", at.after, " have a negative number; slice to take elements away");
    out.shape[i] = shape[i] + at.before[i] + at.after[i];
  }
  return {out};
}

// The place of `x` in the result.
Index inside(const PadAttrs& at, ShapeView shape) {
  Index index;
  for (size_t i = 0; i < shape.size(); ++i) {
    index.push_back({.kind = IndexItem::Kind::kRange,
                     .start = at.before[i],
                     .stop = at.before[i] + shape[i].value(),
                     .step = 1});
  }
  return index;
}

Tensors run(const PadAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor& x = in[0];
  const Tensor result = Tensor::empty(out[0].dtype, out[0].shape);
  const Tensor value = in.size() < 2 ? Tensor::scalar(x.dtype(), 0) : in[1];
  native::fill(result, value.data());
  int64_t offset = 0;
  for (size_t i = 0; i < at.before.size(); ++i) offset += at.before[i] * result.strides()[i];
  if (x.numel() > 0) native::copy(result.view(x.shape(), result.strides(), offset), x);
  return {result};
}

// The value gets the cotangents of all the places it went to.
Tensors transpose(const PadAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Index index = inside(at, cx.inputs[0].shape());
  Tensors out{slice(g[0], index, cx.where)};
  if (cx.inputs.size() < 2) return out;
  out.push_back(Tensor());
  if (cx.wanted[1]) {
    const Tensor none = zeros({}, g[0].dtype(), cx.where);
    out[1] = sum(slice_update(g[0], none, index, cx.where), {}, false, cx.where);
  }
  return out;
}

// With a value for each example, the values are put where the padding is.
Tensors batched(const PadAttrs& at, const BatchCtx& cx) {
  const Tensor x = cx.with_batch_axis(0);
  PadAttrs wider = at;
  wider.before.insert(0, 0);
  wider.after.insert(0, 0);
  if (cx.inputs.size() < 2) return {apply(kPad, inputs(x), wider, cx.where)};
  if (!cx.batched[1]) return {apply(kPad, inputs(x, cx.inputs[1]), wider, cx.where)};
  const Tensor padded = apply(kPad, inputs(x), wider, cx.where);
  const Tensor yes =
      broadcast_to(Tensor::scalar(DType::kBool, 1), Shape(x.shape().subspan(1)), cx.where);
  const Tensor is_inside = apply(kPad, inputs(yes), at, cx.where);
  Shape column(static_cast<size_t>(x.rank()), 1);
  column[0] = cx.size;
  return {where(is_inside, padded, reshape(cx.inputs[1], column, cx.where), cx.where)};
}

}  // namespace

constinit const OpDef kPad{
    .name = "pad",
    .doc =
        "The tensor with `before[i]` and `after[i]` elements added around axis `i`, all of them "
        "`value` (0 if left out).",
    .inputs = {"x: any", "value?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<PadAttrs>(),
    .laws = {Law{"count", "there is one number for each axis"},
             Law{"negative", "the numbers are at least 0"}, Law{"value", "the value has rank 0"}},
    .infer = rule<pad_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
    .known_as = {Alias{"numpy", "pad"}, Alias{"torch", "nn.functional.pad"},
                 Alias{"jax", "numpy.pad"}, Alias{"tf", "pad"}},
};

Tensor pad(const Tensor& x, const Ints& before, const Ints& after, const Tensor& value,
           Where where) {
  return apply(kPad, inputs(x, value), PadAttrs{before, after}, where);
}

}  // namespace weft
