// set_at and add_at: a copy of a tensor, updated where several index tensors point.
//
// What multiply_at, min_at and max_at share with them is here too.
#include <algorithm>

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

Tensor with_update(const OpDef& op, const Tensor& x, const Tensor& value, TensorSpan indices,
                   const IndexAtAttrs& at, Where where) {
  Tensors in{x, value};
  for (const Tensor& index : indices) in.push_back(index);
  return apply(op, in, at, where);
}

Tensor or_zeros(const Tensor& tangent, const Tensor& like, Where where) {
  return tangent.defined() ? tangent : zeros(Shape(like.shape()), like.dtype(), where);
}

// For each update whether it is the last at its place: only that one is in the result.
Tensor is_last(const Tensor& x, TensorSpan indices, const IndexAtAttrs& at, Where where) {
  const Shape shape = indexed_axes(at, x, indices).result;
  const Tensor turn = reshape(positions(num_elements(shape), DType::kI64, where), shape, where);
  const Tensor none = zeros(Shape(x.shape()), DType::kI64, where);
  const Tensor last = with_update(kSetAt, none, turn, indices, at, where);
  return equal(index_at(last, indices, at, where), turn, where);
}

Tensors set_vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  const TensorSpan indices = cx.inputs.subspan(2);
  Tensors out(cx.inputs.size());
  const Tensor none = zeros({}, g[0].dtype(), cx.where);
  if (cx.wanted[0]) out[0] = set_at(g[0], none, indices, at, cx.where);
  if (!cx.wanted[1]) return out;
  out[1] = index_at(g[0], indices, at, cx.where);
  const bool is_single = num_elements(indexed_axes(at, cx.inputs[0], indices).joint) == Dim(1);
  if (!is_single) {
    out[1] = where(is_last(cx.inputs[0], indices, at, cx.where), out[1], none, cx.where);
  }
  return out;
}

Tensors add_vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  Tensors out(cx.inputs.size());
  out[0] = g[0];
  if (cx.wanted[1]) out[1] = index_at(g[0], cx.inputs.subspan(2), at, cx.where);
  return out;
}

template <const OpDef& op>
Tensors linear_jvp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor update = or_zeros(t[1], cx.inputs[1], cx.where);
  return {with_update(op, or_zeros(t[0], cx.inputs[0], cx.where), update, cx.inputs.subspan(2), at,
                      cx.where)};
}

void run_set(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  run_update(at, in, out[0], Join::kSet, "set_at");
}
void run_add(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  run_update(at, in, out[0], Join::kAdd, "add_at");
}

// A value as an axis for the batch needs it: of `rank` axes, with one more at `place`.
Tensor with_axis_at(const Tensor& value, bool is_batched, int64_t rank, int64_t place,
                    Where where) {
  const ShapeView own = is_batched ? value.shape().subspan(1) : value.shape();
  Shape shape(static_cast<size_t>(rank), Dim(1));
  std::copy(own.begin(), own.end(), shape.end() - static_cast<int64_t>(own.size()));
  shape.insert(0, is_batched ? value.shape()[0] : Dim(1));
  return moveaxis(reshape(value, shape, where), {0}, {place}, where);
}

}  // namespace

Types update_infer(const IndexAtAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape place = indexed_axes(at, cx, in[0].shape, in.subspan(2)).result;
  const Shape joint = cx.broadcast(place, in[1].shape);
  cx.require(same(joint, place) != Tri::kNo, "value", "a value of shape ", in[1].shape,
             " does not fit the indexed places, of shape ", place,
             "; it must broadcast to that shape");
  return {in[0]};
}

UpdatedPlaces::UpdatedPlaces(const IndexAtAttrs& at, const Tensor& x, TensorSpan given,
                             const Tensor& out)
    : axes(indexed_axes(at, x, given)) {
  for (const Tensor& index : given) indices.push_back(index_tensor(index));
  for (int64_t axis : at.axes) numbers.push_back(normalized(axis, x.rank()));
  const Tensor view = permuted_view(x, axes.order);
  work = axes.in_order ? out : Tensor::empty(x.dtype(), view.shape());
  native::copy(work, view);
}

void UpdatedPlaces::store_in(const Tensor& out) const {
  if (axes.in_order) return;
  Ints back(axes.order.size(), 0);
  for (size_t i = 0; i < back.size(); ++i) {
    back[static_cast<size_t>(axes.order[i])] = static_cast<int64_t>(i);
  }
  native::copy(out, permuted_view(work, back));
}

void run_update(const IndexAtAttrs& at, TensorSpan in, const Tensor& out, Join join,
                const char* op) {
  const UpdatedPlaces places(at, in[0], in.subspan(2), out);
  native::update_at(places.work, broadcast_to(in[1], places.axes.result), places.indices, at.at,
                    places.numbers, join, {op, "range"});
  places.store_in(out);
}

BatchedUpdate::BatchedUpdate(const IndexAtAttrs& at, const BatchCtx& cx, size_t first)
    : each(any_batched(cx, first)), attrs{{}, each ? at.at : at.at + 1} {
  inputs.push_back(cx.with_batch_axis(0));
  const int64_t rank = inputs[0].rank() - 1;
  if (each) attrs.axes.push_back(0);
  for (int64_t axis : at.axes) attrs.axes.push_back(normalized(axis, rank) + 1);
  int64_t joint = 0;  // the rank of the indices together
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    joint = std::max(joint, cx.inputs[i].rank() - (cx.batched[i] ? 1 : 0));
  }
  const int64_t places = rank - static_cast<int64_t>(at.axes.size()) + joint;
  for (size_t i = 1; i < first; ++i) {
    inputs.push_back(with_axis_at(cx.inputs[i], cx.batched[i], places, each ? at.at : 0, cx.where));
  }
  const Tensors indices =
      each ? batched_indices(cx, first, true)
           : Tensors(cx.inputs.begin() + static_cast<int64_t>(first), cx.inputs.end());
  for (const Tensor& index : indices) inputs.push_back(index);
}

Tensors batched_update(const OpDef& op, const IndexAtAttrs& at, const BatchCtx& cx) {
  const BatchedUpdate batch(at, cx, 2);
  return apply_all(op, batch.inputs, batch.attrs, cx.where);
}

constinit const OpDef kSetAt{
    .name = "set_at",
    .doc =
        "A copy of `x` in which the places that `index_at` would read hold `value`: what "
        "`x.at[i, :, k].set(value)` calls. Where a place is named several times the last update, "
        "in the order of the positions in the indices, stays; only it gets a gradient.",
    .inputs = {"x: any", "value: like x", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the value broadcasts to the shape of the places"}},
    .infer = rule<update_infer>(),
    .grad = derive::rules<set_vjp, linear_jvp<kSetAt>>().reading(~3u, false),
    .batch = batch::rule<batched_update_of<kSetAt>>(),
    .kernel = kernel::native<run_set>(),
    .known_as = {Alias{"torch", "index_put"}, Alias{"jax", "lax.scatter"},
                 Alias{"tf", "tensor_scatter_nd_update"}},
};

constinit const OpDef kAddAt{
    .name = "add_at",
    .doc =
        "A copy of `x` with `value` added at the places that `index_at` would read: its "
        "transpose, and what `x.at[i, :, k].add(value)` calls. Where a place is named several "
        "times all updates are added, in the order of the positions in the indices; half floats "
        "in float32, rounded once.",
    .inputs = {"x: any", "value: like x", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the value broadcasts to the shape of the places"}},
    .infer = rule<update_infer>(),
    .grad = derive::rules<add_vjp, linear_jvp<kAddAt>>().reading(~3u, false),
    .batch = batch::rule<batched_update_of<kAddAt>>(),
    .kernel = kernel::native<run_add>(),
    .known_as = {Alias{"numpy", "add.at"}, Alias{"jax", "lax.scatter_add"},
                 Alias{"torch", "index_put"}, Alias{"tf", "tensor_scatter_nd_add"}},
};

Tensor set_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where) {
  return with_update(kSetAt, x, value, indices, at, where);
}
Tensor add_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where) {
  return with_update(kAddAt, x, value, indices, at, where);
}

}  // namespace weft
