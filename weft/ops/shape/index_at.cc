// index_at: what several index tensors name together, each along an axis of its own.
#include "weft/ops/shape/index_at.h"

#include <algorithm>

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Types index_infer(const IndexAtAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, indexed_axes(at, cx, in[0].shape, in.subspan(1)).result}};
}

void run(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  const IndexedAxes axes = indexed_axes(at, in[0], in.subspan(1));
  const Tensor& result = out[0];
  Tensors indices;
  for (const Tensor& index : in.subspan(1)) indices.push_back(index_tensor(index));
  Ints numbers;
  for (int64_t axis : at.axes) numbers.push_back(normalized(axis, in[0].rank()));
  native::index_at(result, permuted_view(in[0], axes.order), indices, at.at, numbers,
                   {"index_at", "range"});
}

Tensors vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  Tensors out(cx.inputs.size());
  const Tensor none = zeros(Shape(cx.inputs[0].shape()), g[0].dtype(), cx.where);
  out[0] = add_at(none, g[0], cx.inputs.subspan(1), at, cx.where);
  return out;
}

Tensors jvp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan t) {
  return {index_at(t[0], cx.inputs.subspan(1), at, cx.where)};
}

Tensors batched(const IndexAtAttrs& at, const BatchCtx& cx) {
  const bool of_x = cx.batched[0];
  const Tensor& x = cx.inputs[0];
  const int64_t rank = x.rank() - (of_x ? 1 : 0);
  IndexAtAttrs wider{{}, at.at};
  for (int64_t axis : at.axes) wider.axes.push_back(normalized(axis, rank) + (of_x ? 1 : 0));
  if (!any_batched(cx, 1)) {
    ++wider.at;
    return {index_at(x, cx.inputs.subspan(1), wider, cx.where)};
  }
  if (of_x) wider.axes.insert(0, 0);
  const Tensor out = index_at(x, batched_indices(cx, 1, of_x), wider, cx.where);
  return {moveaxis(out, {at.at}, {0}, cx.where)};
}

}  // namespace

IndexedAxes indexed_axes(const IndexAtAttrs& at, const InferCtx& cx, ShapeView x,
                         TypeSpan indices) {
  cx.require(at.axes.size() == indices.size(), "count", "got ", indices.size(),
             " index tensors for the axes ", at.axes, "; give one for each");
  IndexedAxes out;
  cx.axes(at.axes, x);  // they are in range, and none is named twice
  for (const Type& index : indices) {
    require_index_dtype(cx, index.dtype);
    out.joint = cx.broadcast(out.joint, index.shape);
  }
  Ints named, rest;
  for (int64_t axis : at.axes) named.push_back(normalized(axis, rank_of(x)));
  for (int64_t axis = 0; axis < rank_of(x); ++axis) {
    if (std::find(named.begin(), named.end(), axis) == named.end()) rest.push_back(axis);
  }
  cx.require_index(0 <= at.at && at.at <= static_cast<int64_t>(rest.size()), "at", "at is ", at.at,
                   ", but ", rest.size(), " axes are not indexed; it must be from 0 to ",
                   rest.size());
  const auto before = static_cast<size_t>(at.at);
  const auto keep = [&](size_t i) {
    out.order.push_back(rest[i]);
    out.around.push_back(x[static_cast<size_t>(rest[i])]);
    out.result.push_back(out.around.back());
  };
  for (size_t i = 0; i < before; ++i) keep(i);
  for (int64_t axis : named) out.order.push_back(axis);
  for (Dim dim : out.joint) out.result.push_back(dim);
  for (size_t i = before; i < rest.size(); ++i) keep(i);
  for (size_t i = 0; i < out.order.size(); ++i) {
    out.in_order &= out.order[i] == static_cast<int64_t>(i);
  }
  return out;
}

IndexedAxes indexed_axes(const IndexAtAttrs& at, const Tensor& x, TensorSpan indices) {
  Types types;
  for (const Tensor& index : indices) types.push_back(index.type());
  return indexed_axes(at, InferCtx{"index_at"}, x.shape(), types);
}

bool any_batched(const BatchCtx& cx, size_t first) {
  return std::find(cx.batched.begin() + static_cast<int64_t>(first), cx.batched.end(), true) !=
         cx.batched.end();
}

Tensors batched_indices(const BatchCtx& cx, size_t first, bool with_examples) {
  int64_t rank = 0;
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    rank = std::max(rank, cx.inputs[i].rank() - (cx.batched[i] ? 1 : 0));
  }
  const auto aligned = [&](const Tensor& index) {
    Shape shape(static_cast<size_t>(rank + 1), Dim(1));
    shape[0] = index.shape()[0];
    std::copy(index.shape().begin() + 1, index.shape().end(), shape.end() - (index.rank() - 1));
    return reshape(index, shape, cx.where);
  };
  Tensors out;
  if (with_examples) out.push_back(aligned(arange(cx.size.value(), cx.where)));
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    out.push_back(cx.batched[i] ? aligned(cx.inputs[i]) : cx.inputs[i]);
  }
  return out;
}

constinit const OpDef kIndexAt{
    .name = "index_at",
    .doc =
        "What several `indices` name together, each along its own of `axes`: with "
        "`axes=(0, 2), at=0` it is `out[p, j] = x[i[p], j, k[p]]`. The indices broadcast; the "
        "axes of their joint shape stand behind the first `at` of the axes that are not "
        "indexed. Negative indices count from the end; one out of range raises. This is what "
        "`x[i, :, k]` calls.",
    .inputs = {"x: any", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"}},
    .infer = rule<index_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(~1u, false),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"torch", "index"}, Alias{"jax", "lax.gather"}},
};

Tensor index_at(const Tensor& x, TensorSpan indices, const IndexAtAttrs& at, Where where) {
  Tensors in{x};
  for (const Tensor& index : indices) in.push_back(index);
  return apply(kIndexAt, in, at, where);
}

}  // namespace weft
