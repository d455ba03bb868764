// concat: joins tensors along an axis they have.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/parts.h"
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

void run(const ConcatAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const auto axis = static_cast<size_t>(normalized(at.axis.value_or(0), out[0].rank()));
  int64_t begin = 0;
  for (const Tensor& x : in) {
    const Dim size = at.axis ? x.shape()[axis] : Dim(x.numel());
    Tensor place = part_view(result, axis, begin, size);
    if (!at.axis) place = place.view(x.shape(), contiguous_strides(x.shape()));
    native::copy(place, x);
    begin += size.value();
  }
}

Tensors transpose(const ConcatAttrs& at, const GradCtx& cx, TensorSpan g) {
  const int64_t axis = normalized(at.axis.value_or(0), g[0].rank());
  Shape sizes;
  for (const Tensor& x : cx.inputs) {
    sizes.push_back(at.axis ? x.dim(axis) : num_elements(x.shape()));
  }
  Tensors out = parts_of(g[0], sizes, axis, cx.where);
  for (size_t i = 0; i < out.size(); ++i) {
    if (!cx.wanted[i]) {
      out[i] = Tensor();
    } else if (!at.axis) {
      out[i] = reshape(out[i], Shape(cx.inputs[i].shape()), cx.where);
    }
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
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "concatenate"}, Alias{"torch", "cat"},
                 Alias{"jax", "numpy.concatenate"}, Alias{"tf", "concat"}},
};

Tensor concat(TensorSpan xs, int64_t axis, Where where) {
  return apply(kConcat, xs, ConcatAttrs{axis}, where);
}

}  // namespace weft
