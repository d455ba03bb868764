// dynamic_slice, dynamic_update_slice: windows of a fixed size at a computed position.
#include "weft/ops/shape/dynamic_slice.h"

#include <algorithm>

#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

void require_window(const InferCtx& cx, ShapeView x, ShapeView sizes, TypeSpan starts) {
  cx.require(starts.size() == x.size(), "count", "got ", starts.size(), " starts for x of shape ",
             x, "; give one for each axis");
  cx.require(sizes.size() == x.size(), "rank", "the window has shape ", sizes, " but x has shape ",
             x, "; their ranks must be equal");
  for (size_t i = 0; i < x.size(); ++i) {
    cx.require(starts[i].shape.empty(), "start", "the start of axis ", i, " has shape ",
               starts[i].shape, "; starts are single integers");
    require_index_dtype(cx, starts[i].dtype);
    const bool fits =
        decide_less(sizes[i], 0) != Tri::kYes && decide_less(x[i], sizes[i]) != Tri::kYes;
    cx.require(fits, "size", "the window has shape ", sizes, ", which does not fit x of shape ", x,
               ": sizes of axis ", i, " go from 0 to ", x[i]);
  }
}

Types slice_infer(const DynamicSliceAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_window(cx, in[0].shape, at.sizes, in.subspan(1));
  return {{in[0].dtype, at.sizes}};
}

Types window_update_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_window(cx, in[0].shape, in[1].shape, in.subspan(2));
  return {in[0]};
}

// The window of a concrete tensor, as a view.
Tensor window_of(const Tensor& x, TensorSpan starts, const Shape& sizes) {
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const Tensor number = cast(starts[i], DType::kI64);
    const int64_t given = *static_cast<const int64_t*>(number.data());
    const int64_t size = x.shape()[i].value(), most = size - sizes[i].value();
    // Clamped before the addition, which could overflow: a start may be any integer.
    const int64_t start = given < 0 ? std::max(given, -size) + size : given;
    offset += std::min(start, most) * x.strides()[i];
  }
  return x.view(sizes, Ints(x.strides()), offset);
}

void run_slice(const DynamicSliceAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::copy(result, window_of(in[0], in.subspan(1), at.sizes));
}

void run_window_update(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::copy(result, in[0]);
  native::copy(window_of(result, in.subspan(2), Shape(in[1].shape())), in[1]);
}

// Zeros, with the cotangent in the window.
Tensors slice_vjp(const DynamicSliceAttrs&, const GradCtx& cx, TensorSpan g) {
  Tensors out(cx.inputs.size());
  const Tensor none = zeros(Shape(cx.inputs[0].shape()), g[0].dtype(), cx.where);
  out[0] = dynamic_update_slice(none, g[0], cx.inputs.subspan(1), cx.where);
  return out;
}
Tensors slice_jvp(const DynamicSliceAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  return {dynamic_slice(t[0], cx.inputs.subspan(1), at.sizes, cx.where)};
}

// x gets the cotangent with zeros in the window; the update gets that of the window.
Tensors update_vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  Tensors out(cx.inputs.size());
  const TensorSpan starts = cx.inputs.subspan(2);
  const Shape sizes(cx.inputs[1].shape());
  if (cx.wanted[0]) {
    const Tensor none = zeros(sizes, g[0].dtype(), cx.where);
    out[0] = dynamic_update_slice(g[0], none, starts, cx.where);
  }
  if (cx.wanted[1]) out[1] = dynamic_slice(g[0], starts, sizes, cx.where);
  return out;
}
Tensors update_jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined() && !t[1].defined()) return {Tensor()};
  const auto tangent = [&](size_t i) {
    if (t[i].defined()) return t[i];
    return zeros(Shape(cx.inputs[i].shape()), cx.outputs[0].dtype(), cx.where);
  };
  const Tensor of_x = tangent(0);
  const Tensor of_update = tangent(1);
  return {dynamic_update_slice(of_x, of_update, cx.inputs.subspan(2), cx.where)};
}

// One window for the whole batch: the batch axis starts at 0.
Tensors behind_batch(TensorSpan starts) {
  Tensors out{Tensor(0)};
  for (const Tensor& start : starts) out.push_back(start);
  return out;
}

// The index of the batch axis of x; it goes before those of window_indices.
Tensor examples(const BatchCtx& cx, int64_t rank) {
  Shape shape(static_cast<size_t>(rank + 1), Dim(1));
  shape[0] = cx.size;
  const Tensor size = size_as_tensor(cx.size, cx.where);
  return reshape(arange(size, cx.where), shape, cx.where);
}

Tensors batched_slice(const DynamicSliceAttrs& at, const BatchCtx& cx) {
  const TensorSpan starts = cx.inputs.subspan(1);
  const Tensor& x = cx.inputs[0];
  if (!any_batched(cx, 1)) {
    Shape sizes = at.sizes;
    sizes.insert(0, cx.size);
    return {dynamic_slice(x, behind_batch(starts), sizes, cx.where)};
  }
  const auto rank = static_cast<int64_t>(at.sizes.size());
  const bool of_x = cx.batched[0];
  const ShapeView example = of_x ? x.shape().subspan(1) : x.shape();
  Tensors indices = window_indices(example, starts, at.sizes, cx.where);
  if (of_x) indices.insert(0, examples(cx, rank));
  return {index_at(x, indices, all_axes(x.rank()), cx.where)};
}

Tensors batched_window_update(const NoAttrs&, const BatchCtx& cx) {
  const TensorSpan starts = cx.inputs.subspan(2);
  const Tensor x = cx.with_batch_axis(0);
  const Tensor update = cx.with_batch_axis(1);
  if (!any_batched(cx, 2)) {
    return {dynamic_update_slice(x, update, behind_batch(starts), cx.where)};
  }
  const Shape sizes(update.shape().subspan(1));
  Tensors indices = window_indices(x.shape().subspan(1), starts, sizes, cx.where);
  indices.insert(0, examples(cx, update.rank() - 1));
  return {set_at(x, update, indices, all_axes(x.rank()), cx.where)};
}

}  // namespace

IndexAtAttrs all_axes(int64_t rank) {
  IndexAtAttrs out;
  for (int64_t axis = 0; axis < rank; ++axis) out.axes.push_back(axis);
  return out;
}

Tensors window_indices(ShapeView x, TensorSpan starts, const Shape& sizes, Where where) {
  const size_t rank = sizes.size();
  const bool of_batch = std::any_of(starts.begin(), starts.end(),
                                    [](const Tensor& start) { return start.rank() > 0; });
  Tensors out;
  for (size_t i = 0; i < rank; ++i) {
    const Tensor given = cast(starts[i], DType::kI64, where);
    const Tensor size = size_as_tensor(x[i], where);
    const Tensor most = size_as_tensor(x[i] - sizes[i], where);
    const Tensor from_end = maximum(given, negative(size, where), where) + size;
    const Tensor from_front = minimum(given, most, where);
    const Tensor is_negative = less(given, Tensor(0), where);
    Tensor start = minimum(weft::where(is_negative, from_end, from_front, where), most, where);
    Shape shape(rank + of_batch, Dim(1));
    if (start.rank() > 0) shape[0] = start.shape()[0];
    start = reshape(start, shape, where);
    Shape along(rank, Dim(1));
    along[i] = sizes[i];
    const Tensor places = arange(size_as_tensor(sizes[i], where), where);
    out.push_back(add(start, reshape(places, along, where), where));
  }
  return out;
}

constinit const OpDef kDynamicSlice{
    .name = "dynamic_slice",
    .doc =
        "The window of `x` that begins at `starts`, one integer for each axis, and has the shape "
        "`sizes`; the starts may be computed. A negative start counts from the end of its axis. A "
        "window that would leave `x` is moved until it lies inside: starts are clamped to "
        "`x.shape[i] - sizes[i]`.",
    .inputs = {"x: any", "starts...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DynamicSliceAttrs>(),
    .laws = {Law{"count", "there is one start for each axis"},
             Law{"rank", "the window has the rank of x"},
             Law{"start", "starts are single integers"},
             Law{"size", "the window is at most as large as x"},
             Law{"index_dtype", "starts fit int64"}},
    .infer = rule<slice_infer>(),
    .grad = derive::rules<slice_vjp, slice_jvp>().reading(~1u, false),
    .batch = batch::rule<batched_slice>(),
    .kernel = kernel::native<run_slice>(),
    .known_as = {Alias{"jax", "lax.dynamic_slice"},
                 Alias{"tf", "slice: a window that leaves the input is moved inside, not refused"}},
};

constinit const OpDef kDynamicUpdateSlice{
    .name = "dynamic_update_slice",
    .doc =
        "A copy of `x` in which the window of the shape of `update` that begins at `starts`, one "
        "integer for each axis, is `update`. The window lies where that of `dynamic_slice` does: "
        "a negative start counts from the end, and a window that would leave `x` is moved inside.",
    .inputs = {"x: any", "update: like x", "starts...: integer"},
    .outputs = {"out: like x"},
    .laws = {Law{"count", "there is one start for each axis"},
             Law{"rank", "the update has the rank of x"},
             Law{"start", "starts are single integers"},
             Law{"size", "the update is at most as large as x"},
             Law{"index_dtype", "starts fit int64"}},
    .infer = rule<window_update_infer>(),
    .grad = derive::rules<update_vjp, update_jvp>().reading(~3u, false),
    .batch = batch::rule<batched_window_update>(),
    .kernel = kernel::native<run_window_update>(),
    .known_as = {Alias{"jax", "lax.dynamic_update_slice"}},
};

Tensor dynamic_slice(const Tensor& x, TensorSpan starts, const Shape& sizes, Where where) {
  Tensors in{x};
  for (const Tensor& start : starts) in.push_back(start);
  return apply(kDynamicSlice, in, DynamicSliceAttrs{sizes}, where);
}

Tensor dynamic_update_slice(const Tensor& x, const Tensor& update, TensorSpan starts, Where where) {
  Tensors in{x, update};
  for (const Tensor& start : starts) in.push_back(start);
  return apply(kDynamicUpdateSlice, in, kNoAttrs, where);
}

}  // namespace weft
