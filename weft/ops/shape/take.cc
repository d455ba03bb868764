// take: the slices of a tensor at indices along an axis.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct TakeAttrs {
  std::optional<int64_t> axis;
  static constexpr auto fields = fields_of(
      field("axis", &TakeAttrs::axis, "the axis to take from; may be left out for rank 1"));
};

// For the transpose: into an axis of which size the updates are added.
struct TakeVjpAttrs {
  int64_t axis = 0;
  int64_t size = 0;
  static constexpr auto fields =
      fields_of(field("axis", &TakeVjpAttrs::axis, "the axis that was taken from", kRequired),
                field("size", &TakeVjpAttrs::size, "its size", kRequired));
};

Types take_infer(const TakeAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  require_index_dtype(cx, in[1].dtype);
  cx.require(at.axis || shape.size() == 1, "axis_needed", "x has shape ", shape,
             "; say which axis to take from unless the rank is 1");
  const auto axis = static_cast<size_t>(cx.axis(at.axis.value_or(0), shape));
  Shape out(ShapeView(shape).subspan(0, axis));
  for (Dim dim : in[1].shape) out.push_back(dim);
  for (Dim dim : ShapeView(shape).subspan(axis + 1)) out.push_back(dim);
  return {{in[0].dtype, out}};
}

Tensors run(const TakeAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor result = Tensor::empty(out[0].dtype, out[0].shape);
  const int64_t axis = normalized(at.axis.value_or(0), in[0].rank());
  native::take(result, in[0], index_tensor(in[1]), axis, {"take", "range"});
  return {result};
}

Tensors transpose(const TakeAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const int64_t axis = normalized(at.axis.value_or(0), x.rank());
  return {apply(kTakeVjp, inputs(g[0], cx.inputs[1]), TakeVjpAttrs{axis, x.dim(axis).value()},
                cx.where),
          Tensor()};
}

// Indices of one example: [..., q, ...] beside the axes of x around `axis`, for gather.
Tensor aligned_indices(const Tensor& indices, ShapeView x, int64_t axis, Where where) {
  Shape column{indices.shape()[0]}, full{indices.shape()[0]};
  const Dim count = num_elements(indices.shape().subspan(1));
  for (int64_t i = 1; i < rank_of(x); ++i) {
    column.push_back(i == axis + 1 ? count : Dim(1));
    full.push_back(i == axis + 1 ? count : x[static_cast<size_t>(i)]);
  }
  return broadcast_to(reshape(indices, column, where), full, where);
}

Tensors batched(const TakeAttrs& at, const BatchCtx& cx) {
  const Tensor &x = cx.inputs[0], &indices = cx.inputs[1];
  const int64_t rank = x.rank() - (cx.batched[0] ? 1 : 0);
  const int64_t axis = normalized(at.axis.value_or(0), rank);
  if (!cx.batched[1]) return {take(x, indices, axis + 1, cx.where)};
  if (!cx.batched[0]) {
    const Tensor out = take(x, indices, axis, cx.where);
    Ints order{axis};
    for (int64_t i = 0; i < out.rank(); ++i) {
      if (i != axis) order.push_back(i);
    }
    return {permute_dims(out, order, cx.where)};
  }
  const Tensor flat =
      gather(x, aligned_indices(indices, x.shape(), axis, cx.where), axis + 1, cx.where);
  Shape shape(x.shape().subspan(0, static_cast<size_t>(axis) + 1));
  for (Dim dim : indices.shape().subspan(1)) shape.push_back(dim);
  for (Dim dim : x.shape().subspan(static_cast<size_t>(axis) + 2)) shape.push_back(dim);
  return {reshape(flat, shape, cx.where)};
}

// ---- the transpose ----

// The shape of x, from that of its taken slices.
Types vjp_infer(const TakeVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &g = in[0].shape, &indices = in[1].shape;
  require_index_dtype(cx, in[1].dtype);
  const int64_t rank = in[0].rank() - in[1].rank() + 1;
  cx.require_index(0 <= at.axis && at.axis < rank, "axis", "axis ", at.axis,
                   " is out of range for a result of rank ", rank);
  const auto axis = static_cast<size_t>(at.axis);
  cx.require(same(ShapeView(g).subspan(axis, indices.size()), indices) != Tri::kNo, "shape",
             "updates of shape ", g, " do not have the axes ", indices, " of the indices at axis ",
             at.axis);
  Shape out(ShapeView(g).subspan(0, axis));
  out.push_back(at.size);
  for (Dim dim : ShapeView(g).subspan(axis + indices.size())) out.push_back(dim);
  return {{in[0].dtype, out}};
}

Tensors vjp_run(const TakeVjpAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor result = Tensor::empty(out[0].dtype, out[0].shape);
  native::fill(result, Tensor::scalar(out[0].dtype, 0).data());
  native::take_add(result, index_tensor(in[1]), in[0], at.axis, {"take", "range"});
  return {result};
}

Tensors vjp_transpose(const TakeVjpAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {take(g[0], cx.inputs[1], at.axis, cx.where), Tensor()};
}

// With indices for each example, by scatter_add on the joined index axes.
Tensors vjp_batched(const TakeVjpAttrs& at, const BatchCtx& cx) {
  const Tensor g = cx.with_batch_axis(0);
  if (!cx.batched[1]) {
    return {apply(kTakeVjp, inputs(g, cx.inputs[1]), TakeVjpAttrs{at.axis + 1, at.size}, cx.where)};
  }
  const Tensor& indices = cx.inputs[1];
  const auto axis = static_cast<size_t>(at.axis) + 1;
  const size_t taken = indices.shape().size() - 1;
  Shape flat(g.shape().subspan(0, axis)), out = flat;
  flat.push_back(num_elements(indices.shape().subspan(1)));
  out.push_back(at.size);
  for (Dim dim : g.shape().subspan(axis + taken)) flat.push_back(dim), out.push_back(dim);
  return {scatter_add(zeros(out, g.dtype(), cx.where),
                      aligned_indices(indices, flat, at.axis, cx.where), reshape(g, flat, cx.where),
                      at.axis + 1, cx.where)};
}

}  // namespace

constinit const OpDef kTake{
    .name = "take",
    .doc =
        "The slices of `x` at `indices` along `axis`, which the axes of `indices` replace. "
        "Negative indices count from the end; one out of range raises.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<TakeAttrs>(),
    .laws = {Law{"axis_needed", "an axis is given unless the rank is 1"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"}},
    .infer = rule<take_infer>(),
    .grad = derive::linear<transpose>().except(1, "indices are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
    .known_as = {Alias{"numpy", "take"}, Alias{"torch", "index_select"}, Alias{"jax", "numpy.take"},
                 Alias{"tf", "gather"}},
};

constinit const OpDef kTakeVjp{
    .name = "take.vjp",
    .doc =
        "Adds slices of `updates` at `indices` along an axis of zeros: the transpose of `take`. "
        "Several updates of one element are added in the order of their position.",
    .inputs = {"updates: numeric", "indices: integer"},
    .outputs = {"out: like updates"},
    .attrs = attrs_type<TakeVjpAttrs>(),
    .laws = {Law{"shape", "updates have the axes of the indices"},
             Law{"index_dtype", "indices fit int64"}},
    .infer = rule<vjp_infer>(),
    .grad = derive::linear<vjp_transpose>().except(1, "indices are integers"),
    .batch = batch::rule<vjp_batched>(),
    .kernel = kernel::run<vjp_run>(),
};

Tensor take(const Tensor& x, const Tensor& indices, int64_t axis, Where where) {
  return apply(kTake, inputs(x, indices), TakeAttrs{axis}, where);
}

}  // namespace weft
