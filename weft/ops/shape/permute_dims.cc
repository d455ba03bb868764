// permute_dims: the axes in another order, as a view.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct PermuteAttrs {
  Ints axes;
  static constexpr auto fields =
      fields_of(field("axes", &PermuteAttrs::axes,
                      "for each axis of the result the axis it comes from", kRequired));
};

Types permute_infer(const PermuteAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  cx.require(at.axes.size() == shape.size(), "count", "axes ", at.axes, " has ", at.axes.size(),
             " entries for shape ", shape, " of rank ", shape.size(), "; name every axis once");
  cx.axes(at.axes, shape);
  Shape out;
  for (int64_t axis : at.axes) out.push_back(shape[static_cast<size_t>(cx.axis(axis, shape))]);
  return {{in[0].dtype, out}};
}

ViewLayouts views(const PermuteAttrs& at, const StridedLayout& x, TypeSpan) {
  Ints strides;
  for (int64_t axis : at.axes) {
    strides.push_back(x.strides[static_cast<size_t>(normalized(axis, rank_of(x.shape)))]);
  }
  return {ViewLayout{strides}};
}

Tensors transpose(const PermuteAttrs& at, const GradCtx& cx, TensorSpan g) {
  Ints inverse(at.axes.size());
  for (size_t i = 0; i < at.axes.size(); ++i) {
    inverse[static_cast<size_t>(normalized(at.axes[i], g[0].rank()))] = static_cast<int64_t>(i);
  }
  return {permute_dims(g[0], inverse, cx.where)};
}

Tensors batched(const PermuteAttrs& at, const BatchCtx& cx) {
  Ints axes{0};
  for (int64_t axis : at.axes) axes.push_back(normalized(axis, cx.inputs[0].rank() - 1) + 1);
  return {permute_dims(cx.inputs[0], axes, cx.where)};
}

}  // namespace

Tensor permuted_view(const Tensor& x, const Ints& axes) {
  Shape shape;
  Ints strides;
  for (int64_t axis : axes) {
    const auto from = static_cast<size_t>(normalized(axis, x.rank()));
    shape.push_back(x.shape()[from]);
    strides.push_back(x.strides()[from]);
  }
  return x.view(shape, strides);
}

constinit const OpDef kPermuteDims{
    .name = "permute_dims",
    .doc = "The axes in another order: axis `i` of the result is axis `axes[i]`. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<PermuteAttrs>(),
    .laws = {Law{"count", "every axis is named"}},
    .infer = rule<permute_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "transpose"}, Alias{"torch", "permute"},
                 Alias{"jax", "numpy.transpose"}, Alias{"tf", "transpose"}},
};

Tensor permute_dims(const Tensor& x, const Ints& axes, Where where) {
  return apply(kPermuteDims, inputs(x), PermuteAttrs{axes}, where);
}

}  // namespace weft
