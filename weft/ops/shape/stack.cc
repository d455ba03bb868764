// stack: joins tensors of one shape along a new axis.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct StackAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &StackAttrs::axis, "where the new axis goes"));
};

int64_t new_axis(const StackAttrs& at, const InferCtx& cx, ShapeView shape) {
  const int64_t rank = rank_of(shape) + 1;
  const int64_t axis = normalized(at.axis, rank);
  cx.require_index(0 <= axis && axis < rank, "axis", "axis ", at.axis,
                   " is out of range for a result of rank ", rank, "; axes go from ", -rank, " to ",
                   rank - 1);
  return axis;
}

Types stack_infer(const StackAttrs& at, const InferCtx& cx, TypeSpan in) {
  const int64_t axis = new_axis(at, cx, in[0].shape);
  for (size_t i = 1; i < in.size(); ++i) {
    cx.require(same(in[i].shape, in[0].shape) != Tri::kNo, "shape", "input ", i, " has shape ",
               in[i].shape, " but input 0 has shape ", in[0].shape, "; all shapes must be equal");
  }
  Type out = in[0];
  out.shape.insert(static_cast<size_t>(axis), static_cast<int64_t>(in.size()));
  return {out};
}

// Row i of `x` along `axis`, as a view.
Tensor row_view(const Tensor& x, size_t axis, int64_t i) {
  Shape shape(x.shape());
  Ints strides(x.strides());
  const int64_t offset = i * strides[axis];
  shape.erase(axis);
  strides.erase(axis);
  return x.view(shape, strides, offset);
}

void run(const StackAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const auto axis = static_cast<size_t>(normalized(at.axis, out[0].rank()));
  for (size_t i = 0; i < in.size(); ++i) {
    native::copy(row_view(result, axis, static_cast<int64_t>(i)), in[i]);
  }
}

Index row_index(int64_t axis, int64_t i) {
  Index index(static_cast<size_t>(axis));
  index.push_back({.kind = IndexItem::Kind::kInteger, .start = i, .stop = {}, .step = 1});
  return index;
}

Tensors transpose(const StackAttrs& at, const GradCtx& cx, TensorSpan g) {
  const int64_t axis = normalized(at.axis, g[0].rank());
  Tensors out(cx.inputs.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (cx.wanted[i]) out[i] = slice(g[0], row_index(axis, static_cast<int64_t>(i)), cx.where);
  }
  return out;
}

// The new axis counts in the result, which has one axis more than the inputs.
Tensors batched(const StackAttrs& at, const BatchCtx& cx) {
  std::vector<Tensor> in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.with_batch_axis(i));
  return {stack(in, normalized(at.axis, in[0].rank()) + 1, cx.where)};
}

}  // namespace

constinit const OpDef kStack{
    .name = "stack",
    .doc = "Joins tensors of one shape along a new axis.",
    .inputs = {"xs...: any"},
    .outputs = {"out: like xs"},
    .attrs = attrs_type<StackAttrs>(),
    .laws = {Law{"shape", "all inputs have one shape"}},
    .infer = rule<stack_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "stack"}, Alias{"torch", "stack"}, Alias{"jax", "numpy.stack"},
                 Alias{"tf", "stack"}},
};

Tensor stack(TensorSpan xs, int64_t axis, Where where) {
  return apply(kStack, xs, StackAttrs{axis}, where);
}

}  // namespace weft
