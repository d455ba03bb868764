// min_at and max_at: a copy of a tensor in which updates at indices lower or raise elements.
#include "weft/core/dtype.h"
#include "weft/ops/math/math.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

// Who shares a result: the element of x, and each update, if they equal it.
struct Shares {
  Tensor of_x, of_value;  // bools
  Tensor ties;            // how many share each element; at least 1
};

Shares shares_of(const IndexAtAttrs& at, const GradCtx& cx) {
  const TensorSpan indices = cx.inputs.subspan(2);
  const Tensor &x = cx.inputs[0], &out = cx.outputs[0];
  const DType wide = compute_of(x.dtype());  // counts do not fit half floats
  Shares shares;
  shares.of_x = equal(x, out, cx.where);
  shares.of_value = equal(cx.inputs[1], index_at(out, indices, at, cx.where), cx.where);
  const Tensor of_value = cast(shares.of_value, wide, cx.where);
  const Tensor count = add_at(cast(shares.of_x, wide, cx.where), of_value, indices, at, cx.where);
  shares.ties = cast(maximum(count, scalar_like(count, 1), cx.where), x.dtype(), cx.where);
  return shares;
}

Tensors vjp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Shares shares = shares_of(at, cx);
  const Tensor each = divide(g[0], shares.ties, cx.where), none = scalar_like(each, 0);
  Tensors out(cx.inputs.size());
  if (cx.wanted[0]) out[0] = where(shares.of_x, each, none, cx.where);
  if (cx.wanted[1]) {
    const Tensor there = index_at(each, cx.inputs.subspan(2), at, cx.where);
    out[1] = where(shares.of_value, there, none, cx.where);
  }
  return out;
}

Tensors jvp(const IndexAtAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Shares shares = shares_of(at, cx);
  const Tensor none = scalar_like(shares.ties, 0);
  const Tensor zero = zeros(Shape(cx.inputs[0].shape()), none.dtype(), cx.where);
  Tensor out = t[0].defined() ? where(shares.of_x, t[0], none, cx.where) : zero;
  if (t[1].defined()) {
    const Tensor there = where(shares.of_value, t[1], none, cx.where);
    out = add_at(out, there, cx.inputs.subspan(2), at, cx.where);
  }
  return {divide(out, shares.ties, cx.where)};
}

void run_min(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  run_update(at, in, out[0], Join::kMin, "min_at");
}
void run_max(const IndexAtAttrs& at, TensorSpan in, TensorSpan out) {
  run_update(at, in, out[0], Join::kMax, "max_at");
}

}  // namespace

constinit const OpDef kMinAt{
    .name = "min_at",
    .doc =
        "A copy of `x` in which each place that `index_at` would read is the least of what it "
        "held and of the updates for it: what `x.at[i, :, k].min(value)` calls. NaN and zeros are "
        "ordered as in `minimum`. Those that are equal to the result share its gradient equally; "
        "where it is NaN there is none.",
    .inputs = {"x: ordered", "value: like x", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the value broadcasts to the shape of the places"}},
    .infer = rule<update_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched_update_of<kMinAt>>(),
    .kernel = kernel::native<run_min>(),
    .known_as = {Alias{"numpy", "minimum.at"}, Alias{"jax", "lax.scatter_min"},
                 Alias{"tf", "tensor_scatter_nd_min"}},
};

constinit const OpDef kMaxAt{
    .name = "max_at",
    .doc =
        "A copy of `x` in which each place that `index_at` would read is the greatest of what it "
        "held and of the updates for it: what `x.at[i, :, k].max(value)` calls. NaN and zeros are "
        "ordered as in `maximum`. Those that are equal to the result share its gradient equally; "
        "where it is NaN there is none.",
    .inputs = {"x: ordered", "value: like x", "indices...: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<IndexAtAttrs>(),
    .laws = {Law{"count", "there is one index for each axis"},
             Law{"axis_twice", "no axis is named twice"},
             Law{"at", "`at` counts axes that are not indexed"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"},
             Law{"value", "the value broadcasts to the shape of the places"}},
    .infer = rule<update_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched_update_of<kMaxAt>>(),
    .kernel = kernel::native<run_max>(),
    .known_as = {Alias{"numpy", "maximum.at"}, Alias{"jax", "lax.scatter_max"},
                 Alias{"tf", "tensor_scatter_nd_max"}},
};

Tensor min_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where) {
  Tensors in{x, value};
  for (const Tensor& index : indices) in.push_back(index);
  return apply(kMinAt, in, at, where);
}
Tensor max_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where) {
  Tensors in{x, value};
  for (const Tensor& index : indices) in.push_back(index);
  return apply(kMaxAt, in, at, where);
}

}  // namespace weft
