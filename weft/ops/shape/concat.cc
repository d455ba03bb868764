// concat: joins tensors along an axis they have.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/concat_part.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct ConcatAttrs {
  std::optional<int64_t> axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &ConcatAttrs::axis, "the axis to join along; none: flatten first"));
};

Types flat_infer(TypeSpan in) {
  Dim total = 0;
  for (const Type& type : in) total += num_elements(type.shape);
  return {{in[0].dtype, {total}}};
}

Types concat_infer(const ConcatAttrs& at, const InferCtx& cx, TypeSpan in) {
  if (!at.axis) return flat_infer(in);
  Type out = in[0];
  const auto axis = static_cast<size_t>(cx.axis(*at.axis, out.shape));
  for (size_t i = 1; i < in.size(); ++i) {
    bool fits = in[i].shape.size() == out.shape.size();
    for (size_t d = 0; fits && d < out.shape.size(); ++d) {
      fits = d == axis || same(in[i].shape[d], in[0].shape[d]) != Tri::kNo;
    }
    cx.require(fits, "C3", "input ", i, " has shape ", in[i].shape, " but input 0 has shape ",
               in[0].shape, "; they may differ only on axis ", *at.axis);
    out.shape[axis] += in[i].shape[axis];
  }
  return {out};
}

// The part of `x` from `begin` along `axis`, of `size`, as a view.
Tensor part_view(const Tensor& x, size_t axis, int64_t begin, Dim size) {
  Shape shape(x.shape());
  shape[axis] = size;
  const int64_t offset = num_elements(shape) == Dim(0) ? 0 : begin * x.strides()[axis];
  return x.view(shape, x.strides(), offset);
}

Tensors run(const ConcatAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor result = Tensor::empty(out[0].dtype, out[0].shape);
  const auto axis = static_cast<size_t>(normalized(at.axis.value_or(0), out[0].rank()));
  int64_t begin = 0;
  for (const Tensor& x : in) {
    const Dim size = at.axis ? x.shape()[axis] : Dim(x.numel());
    Tensor place = part_view(result, axis, begin, size);
    if (!at.axis) place = place.view(x.shape(), contiguous_strides(x.shape()));
    native::copy(place, x);
    begin += size.value();
  }
  return {result};
}

// The part of the result that an input of this size gave, where all before it end at `begin`.
Tensor part_of(const Tensor& x, size_t axis, Dim begin, Dim size, Where where) {
  if (!begin.is_known() || !size.is_known()) {
    return concat_part(x, static_cast<int64_t>(axis), begin, size, where);
  }
  Index index(axis);
  index.push_back({.kind = IndexItem::Kind::kRange,
                   .start = begin.value(),
                   .stop = (begin + size).value(),
                   .step = 1});
  return slice(x, index, where);
}

Tensors transpose(const ConcatAttrs& at, const GradCtx& cx, TensorSpan g) {
  const auto axis = static_cast<size_t>(normalized(at.axis.value_or(0), g[0].rank()));
  Tensors out(cx.inputs.size());
  Dim begin = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const Tensor& x = cx.inputs[i];
    const Dim size = at.axis ? x.shape()[axis] : num_elements(x.shape());
    if (cx.wanted[i]) {
      const Tensor part = part_of(g[0], axis, begin, size, cx.where);
      out[i] = at.axis ? part : reshape(part, Shape(x.shape()), cx.where);
    }
    begin += size;
  }
  return out;
}

Tensors batched(const ConcatAttrs& at, const BatchCtx& cx) {
  std::vector<Tensor> in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    in.push_back(cx.with_batch_axis(i));
    const Dim count = num_elements(in.back().shape().subspan(1));
    if (!at.axis) in.back() = reshape(in.back(), Shape{cx.size, count}, cx.where);
  }
  return {concat(in, at.axis ? normalized(*at.axis, in[0].rank() - 1) + 1 : 1, cx.where)};
}

}  // namespace

constinit const OpDef kConcat{
    .name = "concat",
    .doc =
        "Joins tensors along `axis`; all other sizes are equal. With `axis=None` the inputs are "
        "flattened first.",
    .inputs = {"xs...: any"},
    .outputs = {"out: like xs"},
    .attrs = attrs_type<ConcatAttrs>(),
    .laws = {Law{"C3", "shapes differ only on the axis"}},
    .infer = rule<concat_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
    .known_as = {Alias{"numpy", "concatenate"}, Alias{"torch", "cat"},
                 Alias{"jax", "numpy.concatenate"}, Alias{"tf", "concat"}},
};

Tensor concat(TensorSpan xs, int64_t axis, Where where) {
  return apply(kConcat, xs, ConcatAttrs{axis}, where);
}

}  // namespace weft
