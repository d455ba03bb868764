// multiply_at: a copy of a tensor with elements multiplied by updates at indices; and the
// recurrence that its derivatives are made of.
#include "weft/ops/math/math.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

// For each update, in the order of the positions: before = s, then s = a * s + b, where s is the
// element of x at its place.
struct Chain {
  Tensor last, before;
};

Chain chain_at(const Tensor& x, const Tensor& a, const Tensor& b, TensorSpan indices,
               const IndexAtAttrs& at, Where where) {
  Tensors in{x, a, b};
  for (const Tensor& index : indices) in.push_back(index);
  Tensors out = apply_all(kChainAt, in, at, where);
  return {std::move(out[0]), std::move(out[1])};
}

// The same backwards: positions in reverse.
class Reversed {
 public:
  Reversed(const IndexAtAttrs& at, ShapeView x, TensorSpan indices, Where where)
      : at_(at), where_(where) {
    Types types;
    for (const Tensor& index : indices) types.push_back(index.type());
    places_ = indexed_axes(at, InferCtx{"multiply_at"}, x, types);
    Ints all;
    for (size_t d = 0; d < places_.joint.size(); ++d) all.push_back(static_cast<int64_t>(d));
    for (int64_t d : all) axes_.push_back(d + at.at);
    for (const Tensor& index : indices) {
      indices_.push_back(flip(broadcast_to(index, places_.joint, where), all, where));
    }
  }

  Tensor flipped(const Tensor& x) const {
    return flip(broadcast_to(x, places_.result, where_), axes_, where_);
  }
  // The adjoint of the state, started with `g`: in the end, and before each update.
  Chain run(const Tensor& g, const Tensor& a, const Tensor& b) const {
    const Tensor back = flipped(b);
    Chain out = chain_at(g, flipped(conj(a, where_)), back, indices_, at_, where_);
    out.before = flip(out.before, axes_, where_);
    return out;
  }

 private:
  const IndexAtAttrs& at_;
  const Where where_;
  IndexedAxes places_;
  Ints axes_;
  Tensors indices_;
};

// ---- multiply_at ----

Tensors vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  const TensorSpan indices = cx.inputs.subspan(2);
  const Tensor &x = cx.inputs[0], &value = cx.inputs[1], zero = scalar_like(x, 0);
  const Chain back = Reversed(at, x.shape(), indices, cx.where).run(g[0], value, zero);
  Tensors out(cx.inputs.size());
  out[0] = back.last;
  if (cx.wanted[1]) {
    const Chain forward = chain_at(x, value, zero, indices, at, cx.where);
    out[1] = multiply_no_nan(conj(forward.before, cx.where), back.before, cx.where);
  }
  return out;
}

Tensors jvp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan t) {
  const TensorSpan indices = cx.inputs.subspan(2);
  const Tensor &x = cx.inputs[0], &value = cx.inputs[1];
  const Tensor zero = scalar_like(x, 0);
  if (!t[1].defined()) return {chain_at(t[0], value, zero, indices, at, cx.where).last};
  const Tensor start = t[0].defined() ? t[0] : zeros(Shape(x.shape()), x.dtype(), cx.where);
  const Chain forward = chain_at(x, value, zero, indices, at, cx.where);
  const Tensor change = multiply_no_nan(forward.before, t[1], cx.where);
  return {chain_at(start, value, change, indices, at, cx.where).last};
}

void run(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  run_update(at, in, out[0], Join::kMultiply, "multiply_at");
}

// ---- the recurrence ----

Types chain_infer(const IndexAtAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape places = indexed_axes(at, cx, in[0].shape, in.subspan(3)).result;
  for (size_t i = 1; i < 3; ++i) {
    cx.require(same(cx.broadcast(places, in[i].shape), places) != Tri::kNo, "value",
               "a value of shape ", in[i].shape, " does not fit the indexed places, of shape ",
               places, "; it must broadcast to that shape");
  }
  return {in[0], {in[0].dtype, places}};
}

void run_chain(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  const UpdatedPlaces places(at, in[0], in.subspan(3), out[0]);
  native::chain_at(places.work, out[1], broadcast_to(in[1], places.axes.result),
                   broadcast_to(in[2], places.axes.result), places.indices, at.at, places.numbers,
                   {"multiply_at.chain", "range"});
  places.store_in(out[0]);
}

// With the adjoint of the state before each update, which is that of b: a's is that times what the
// state was.
Tensors chain_vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &a = cx.inputs[1], zero = scalar_like(x, 0);
  const Reversed reversed(at, x.shape(), cx.inputs.subspan(3), cx.where);
  const Tensor start = g[0].defined() ? g[0] : zeros(Shape(x.shape()), x.dtype(), cx.where);
  const Chain back = reversed.run(start, a, g[1].defined() ? g[1] : zero);
  Tensors out(cx.inputs.size());
  out[0] = back.last;
  if (cx.wanted[1]) {
    out[1] = multiply_no_nan(conj(cx.outputs[1], cx.where), back.before, cx.where);
  }
  out[2] = back.before;
  return out;
}

Tensors chain_jvp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor& x = cx.inputs[0];
  const Tensor start = t[0].defined() ? t[0] : zeros(Shape(x.shape()), x.dtype(), cx.where);
  Tensor term = t[2].defined() ? t[2] : scalar_like(x, 0);
  if (t[1].defined()) {
    term = add(term, multiply_no_nan(cx.outputs[1], t[1], cx.where), cx.where);
  }
  const Chain out = chain_at(start, cx.inputs[1], term, cx.inputs.subspan(3), at, cx.where);
  return {out.last, out.before};
}

Tensors chain_batched(const IndexAtAttrs& at, const BatchCtx& cx) {
  const BatchedUpdate batch(at, cx, 3);
  Tensors out = apply_all(kChainAt, batch.inputs, batch.attrs, cx.where);
  if (batch.each) out[1] = moveaxis(out[1], {at.at}, {0}, cx.where);
  return out;
}

}  // namespace

constinit const OpDef kMultiplyAt{
    .name = "multiply_at",
    .doc =
        "A copy of `x` with the places that `index_at` would read multiplied by `value`: what "
        "`x.at[i, :, k].multiply(value)` calls. Where a place is named several times all updates "
        "are multiplied, in the order of the positions in the indices; half floats in float32, "
        "rounded once. The gradient is right where elements are 0.",
    .inputs = {"x: any", "value: like x", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the value broadcasts to the shape of the places"}},
    .infer = rule<update_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(~0u, false),
    .batch = batch::rule<batched_update_of<kMultiplyAt>>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "multiply.at"}, Alias{"jax", "lax.scatter_mul"}},
};

constinit const OpDef kChainAt{
    .name = "multiply_at.chain",
    .doc =
        "For each update, in the order of the positions in the indices: `before` is what the "
        "element `s` of `x` at its place is, then it becomes `a * s + b`, where 0 times anything "
        "is 0; `last` is `x` after all "
        "of them. Its derivatives are made of itself.",
    .inputs = {"x: inexact", "a: like x", "b: like x", "indices...: integer"},
    .outputs = {"last: like x", "before: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the values broadcast to the shape of the places"}},
    .infer = rule<chain_infer>(),
    .grad = derive::rules<chain_vjp, chain_jvp>().reading(~5u, true),
    .batch = batch::rule<chain_batched>(),
    .kernel = kernel::native<run_chain>(),
};

Tensor multiply_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
                   Where where) {
  Tensors in{x, value};
  for (const Tensor& index : indices) in.push_back(index);
  return apply(kMultiplyAt, in, at, where);
}

}  // namespace weft
