// take: the slices of a tensor at indices along an axis.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct TakeAttrs {
  std::optional<int64_t> axis;
  int64_t batch_axes = 0;
  static constexpr auto fields = fields_of(
      field("axis", &TakeAttrs::axis, "the axis to take from; may be left out for rank 1"),
      field("batch_axes", &TakeAttrs::batch_axes,
            "how many leading axes `x` and `indices` share: each example has its own indices"));
};

// For the transpose: into an axis of which size the updates are added.
struct TakeVjpAttrs {
  int64_t axis = 0;
  Shape size;
  static constexpr auto fields =
      fields_of(field("axis", &TakeVjpAttrs::axis, "the axis that was taken from", kRequired),
                field("size", &TakeVjpAttrs::size, "its size, one number", kRequired));
};

Types take_infer(const TakeAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  require_index_dtype(cx, in[1].dtype);
  cx.require(at.axis || shape.size() == 1, "axis_needed", "x has shape ", shape,
             "; say which axis to take from unless the rank is 1");
  const auto axis = static_cast<size_t>(cx.axis(at.axis.value_or(0), shape));
  const int64_t most = std::min(static_cast<int64_t>(axis), in[1].rank());
  cx.require(0 <= at.batch_axes && at.batch_axes <= most, "batch_axes", "batch_axes is ",
             at.batch_axes, "; with axis ", axis, " and indices of shape ", in[1].shape,
             " it goes from 0 to ", most);
  const auto shared = static_cast<size_t>(at.batch_axes);
  cx.require(same(ShapeView(shape).subspan(0, shared), ShapeView(in[1].shape).subspan(0, shared)) !=
                 Tri::kNo,
             "batch", "x has shape ", shape, " and indices have shape ", in[1].shape,
             "; they must agree on the axes that batch_axes, ", shared, ", counts");
  Shape out(ShapeView(shape).subspan(0, axis));
  for (Dim dim : ShapeView(in[1].shape).subspan(shared)) out.push_back(dim);
  for (Dim dim : ShapeView(shape).subspan(axis + 1)) out.push_back(dim);
  return {{in[0].dtype, out}};
}

// Indices that share `batch` axes with x: [..., q, ...] beside the axes of x around `axis`.
Tensor aligned_indices(const Tensor& indices, ShapeView x, int64_t axis, int64_t batch,
                       Where where) {
  const auto shared = static_cast<size_t>(batch);
  Shape column(indices.shape().subspan(0, shared)), full = column;
  const Dim count = num_elements(indices.shape().subspan(shared));
  for (int64_t i = batch; i < rank_of(x); ++i) {
    column.push_back(i == axis ? count : Dim(1));
    full.push_back(i == axis ? count : x[static_cast<size_t>(i)]);
  }
  return broadcast_to(reshape(indices, column, where), full, where);
}

// By gather, whose aligned indices have other positions than the given ones: after an error, the
// given ones are taken from an axis of the same place and size, which names theirs.
void take_examples(const Tensor& result, const Tensor& x, const Tensor& indices, int64_t axis,
                   int64_t batch) {
  const Blame blame{"take", "range"};
  const Tensor aligned = aligned_indices(indices, x.shape(), axis, batch, {});
  try {
    native::gather(result.view(aligned.shape(), contiguous_strides(aligned.shape())), x, aligned,
                   axis, blame);
  } catch (const Error& error) {
    if (error.code != Code::kIndex) throw;
    Shape line(static_cast<size_t>(axis), Dim(1));
    line.push_back(x.dim(axis));
    const Tensor stand_in = broadcast_to(Tensor::scalar(x.dtype(), 0), line);
    native::take(Tensor::empty(x.dtype(), Shape(indices.shape())), stand_in, indices, axis, blame);
    throw;
  }
}

void run(const TakeAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const Tensor indices = index_tensor(in[1]);
  const int64_t axis = normalized(at.axis.value_or(0), in[0].rank());
  if (at.batch_axes == 0) {
    native::take(result, in[0], indices, axis, {"take", "range"});
  } else {
    take_examples(result, in[0], indices, axis, at.batch_axes);
  }
}

// Adds `g`, whose axes of indices are joined, at aligned indices.
Tensor added_at(const Tensor& g, const Tensor& indices, int64_t axis, int64_t batch, Dim size,
                Where where) {
  const auto begin = static_cast<size_t>(axis), shared = static_cast<size_t>(batch);
  const size_t taken = indices.shape().size() - shared;
  Shape flat(g.shape().subspan(0, begin)), out = flat;
  flat.push_back(num_elements(indices.shape().subspan(shared)));
  out.push_back(size);
  for (Dim dim : g.shape().subspan(begin + taken)) flat.push_back(dim), out.push_back(dim);
  const Tensor changes = reshape(g, flat, where);
  const Tensor places = aligned_indices(indices, flat, axis, batch, where);
  return scatter_add(zeros(out, g.dtype(), where), places, changes, axis, where);
}

Tensors transpose(const TakeAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const int64_t axis = normalized(at.axis.value_or(0), x.rank());
  const Dim size = x.dim(axis);
  if (at.batch_axes > 0) {
    return {added_at(g[0], cx.inputs[1], axis, at.batch_axes, size, cx.where), Tensor()};
  }
  return {apply(kTakeVjp, inputs(g[0], cx.inputs[1]), TakeVjpAttrs{axis, {size}}, cx.where),
          Tensor()};
}

Tensors batched(const TakeAttrs& at, const BatchCtx& cx) {
  const Tensor &x = cx.inputs[0], &indices = cx.inputs[1];
  const int64_t rank = x.rank() - (cx.batched[0] ? 1 : 0);
  const int64_t axis = normalized(at.axis.value_or(0), rank);
  if (at.batch_axes == 0 && !cx.batched[1]) return {take(x, indices, axis + 1, cx.where)};
  if (at.batch_axes == 0 && !cx.batched[0]) {
    const Tensor out = take(x, indices, axis, cx.where);
    Ints order{axis};
    for (int64_t i = 0; i < out.rank(); ++i) {
      if (i != axis) order.push_back(i);
    }
    return {permute_dims(out, order, cx.where)};
  }
  const Tensor indices_of_each = cx.with_batch_axis(1);
  return {apply(kTake, inputs(cx.with_batch_axis(0), indices_of_each),
                TakeAttrs{axis + 1, at.batch_axes + 1}, cx.where)};
}

// ---- the transpose ----

// The shape of x, from that of its taken slices.
Types vjp_infer(const TakeVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &g = in[0].shape, &indices = in[1].shape;
  require_index_dtype(cx, in[1].dtype);
  const int64_t rank = in[0].rank() - in[1].rank() + 1;
  cx.require_index(0 <= at.axis && at.axis < rank, "axis", "axis ", at.axis,
                   " is out of range for a result of rank ", rank);
  cx.require(at.size.size() == 1, "size", "size is ", at.size, "; it must be one number");
  const auto axis = static_cast<size_t>(at.axis);
  cx.require(same(ShapeView(g).subspan(axis, indices.size()), indices) != Tri::kNo, "shape",
             "updates of shape ", g, " do not have the axes ", indices, " of the indices at axis ",
             at.axis);
  Shape out(ShapeView(g).subspan(0, axis));
  out.push_back(at.size[0]);
  for (Dim dim : ShapeView(g).subspan(axis + indices.size())) out.push_back(dim);
  return {{in[0].dtype, out}};
}

void vjp_run(const TakeVjpAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  fill(result, 0);
  native::take_add(result, index_tensor(in[1]), in[0], at.axis, {"take", "range"});
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
  return {added_at(g, cx.inputs[1], at.axis + 1, 1, at.size[0], cx.where)};
}

}  // namespace

constinit const OpDef kTake{
    .name = "take",
    .doc =
        "The slices of `x` at `indices` along `axis`, which the axes of `indices` replace. "
        "Negative indices count from the end; one out of range raises. With `batch_axes` the "
        "leading axes of both go together, and `indices` replace `axis` by their other axes.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<TakeAttrs>(),
    .laws = {Law{"axis_needed", "an axis is given unless the rank is 1"},
             Law{"batch_axes", "the shared axes come before `axis`"},
             Law{"batch", "shared axes have the same sizes"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"}},
    .infer = rule<take_infer>(),
    .grad = derive::linear<transpose>().except(1, "indices are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy",
                       "take: without an axis it flattens, where ours takes vectors alone"},
                 Alias{"torch", "index_select"},
                 Alias{"jax", "numpy.take: an index out of range gives NaN there, and raises here"},
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
             Law{"size", "size is one number"}, Law{"index_dtype", "indices fit int64"}},
    .infer = rule<vjp_infer>(),
    .grad = derive::linear<vjp_transpose>().except(1, "indices are integers"),
    .batch = batch::rule<vjp_batched>(),
    .kernel = kernel::native<vjp_run>(),
};

Tensor take(const Tensor& x, const Tensor& indices, int64_t axis, Where where) {
  return apply(kTake, inputs(x, indices), TakeAttrs{.axis = axis}, where);
}

}  // namespace weft
