// logsumexp: log(sum(exp(x))) over axes, without overflow.
//
// The op people call moves its axes to the end and joins them; below it are two row kernels, for
// the rows themselves and for their gradient.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

constexpr double kLowest = -__builtin_inf();
constexpr uint32_t kOfRow = 0b10;  // the second input of both kernels

// The shape of `x` with what is one number for each of its rows, called `name`.
Shape full_shape(const InferCtx& cx, const Shape& x, const Shape& row, std::string_view name) {
  cx.require(!x.empty(), "rank", "x has rank 0; it needs an axis to sum along");
  cx.require(row.empty() || same(row.back(), 1) != Tri::kNo, "row", name, " has shape ", row,
             "; it has one number for each row of x, so its last axis has size 1");
  return cx.broadcast(x, row);
}

Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  Type out{in[0].dtype, full_shape(cx, in[0].shape, in[1].shape, "base")};
  out.shape.back() = 1;
  return {out};
}

Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, full_shape(cx, in[0].shape, in[1].shape, "g")}};
}

// x less the greatest element, where that is finite: of -inf alone nothing can be taken.
struct Shifted {
  Expr shift, weight, total;

  explicit Shifted(Expr x) : shift(shift_of(x)), weight(exp(x - shift)), total(row_sum(weight)) {}
  static Expr shift_of(Expr x) {
    const Expr greatest = row_max(x), infinity = Expr::constant(x.dtype(), -kLowest);
    return where(abs(greatest) < infinity, greatest, Expr::constant(x.dtype(), 0));
  }
};

void meaning(const Expr* in, Expr* out) {
  const Shifted x(in[0]);
  out[0] = log(x.total) + (x.shift - in[1]);  // exact where base is about the greatest
}

// The share of each element times the row's cotangent; 0 where that is, and for rows of -inf alone.
void vjp_meaning(const Expr* in, Expr* out) {
  const Shifted x(in[0]);
  const Expr g = in[1], zero = Expr::constant(g.dtype(), 0);
  const Expr factor = g / x.total;  // once a row
  out[0] = where((x.total == zero) | (g == zero), zero, x.weight * factor);
}

Tensor shares(const Tensor& x, const Tensor& g, Where where) {
  return apply(kLogsumexpVjp, inputs(x, g), kNoAttrs, where);
}
Tensor shares(const Tensor& x, Where where) {
  Shape rows(x.shape());
  rows.back() = 1;
  return shares(x, broadcast_to(Tensor::scalar(x.dtype(), 1), rows, where), where);
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {shares(cx.inputs[0], g[0], cx.where), -g[0]};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  Tensor out;
  if (t[0].defined()) {
    const Tensor share = shares(cx.inputs[0], cx.where);
    out = row_total(multiply_no_nan(share, t[0], cx.where), cx.where);
  }
  if (t[1].defined()) out = out.defined() ? out - t[1] : -t[1];
  if (out.defined()) out = broadcast_to(out, Shape(cx.outputs[0].shape()), cx.where);
  return {out};
}

// Of out = share * g: the share of x changes by share * (dx - sum(share * dx)).
Tensors backward_vjp(const NoAttrs&, const GradCtx& cx, TensorSpan u) {
  const Tensor share = shares(cx.inputs[0], cx.where);
  const Tensor along = multiply_no_nan(cx.outputs[0], u[0], cx.where);
  const Tensor back = multiply_no_nan(share, row_total(along, cx.where), cx.where);
  return {along - back, row_total(multiply_no_nan(share, u[0], cx.where), cx.where)};
}
Tensors backward_jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  Tensor out;
  if (t[1].defined()) out = shares(cx.inputs[0], t[1], cx.where);
  if (t[0].defined()) {
    const Tensor share = shares(cx.inputs[0], cx.where);
    const Tensor mean = row_total(multiply_no_nan(share, t[0], cx.where), cx.where);
    const Tensor term = multiply_no_nan(cx.outputs[0], t[0] - mean, cx.where);
    out = sum_of(out, term);
  }
  return {out};
}

// Rows too long for the cache, by ops that share out the row itself. The shift's gradient cancels,
// so it is cut; a sum of 0 is replaced before the log, so that no 0 * inf appears in gradients.
Tensor of_long_rows(const Tensor& x) {
  const Tensor greatest = stop_gradient(max(x, Ints{-1}, /*keepdims=*/true));
  const Tensor shift = where(isfinite(greatest), greatest, 0.0);
  const Tensor total = sum(exp(x - shift), Ints{-1}, /*keepdims=*/true);
  const Tensor nothing = equal(total, 0.0);
  return where(nothing, kLowest, log(where(nothing, 1.0, total)) + shift);
}

// `x` with its `axes` at the end, joined to one.
Tensor as_rows(const Tensor& x, const Ints& axes) {
  Ints order;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  }
  Shape shape;
  for (const int64_t d : order) shape.push_back(x.dim(d));
  shape.push_back(reduced_count(x.shape(), axes));
  for (const int64_t d : axes) order.push_back(d);
  return reshape(permute_dims(x, order), shape);
}

Tensors compose_logsumexp(const ReduceAttrs& at, TensorSpan in) {
  const Tensor x = as_floating("logsumexp", in[0]);
  const InferCtx cx{"logsumexp"};
  const Ints axes = reduced_axes(cx, x.shape(), at.axis);
  const Shape shape = reduced_shape(cx, x.shape(), at.axis, at.keepdims);
  const Dim count = reduced_count(x.shape(), axes);
  if (count == Dim(0)) return {broadcast_to(Tensor::scalar(x.dtype(), kLowest), shape)};
  const Tensor rows = as_rows(x, axes);
  if (decide_less(kLongRow, count) == Tri::kYes) {
    const Tensor wide = cast(rows, compute_of(x.dtype()));
    return {cast(reshape(of_long_rows(wide), shape), x.dtype())};
  }
  return {reshape(apply(kLogsumexpRows, inputs(rows, Tensor(0.0)), kNoAttrs, Where{}), shape)};
}

}  // namespace

constinit const OpDef kLogsumexpRows{
    .name = "logsumexp.rows",
    .doc =
        "logsumexp along the last axis, which stays with size 1, less one number for each row: "
        "`base`, which loses nothing where it is large.",
    .inputs = {"x: floating", "base: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis to sum along"},
             Law{"row", "`base` has one number for each row of `x`"}},
    .infer = rule<rows_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(1, false),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(2, 1, meaning, kOfRow),
};

constinit const OpDef kLogsumexpVjp{
    .name = "logsumexp.vjp",
    .doc =
        "`softmax(x) * g` along the last axis, with one `g` for each row: the cotangent of "
        "logsumexp.rows. It is 0 where `g` is, and in rows of -inf alone.",
    .inputs = {"x: floating", "g: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis to sum along"},
             Law{"row", "`g` has one number for each row of `x`"}},
    .infer = rule<vjp_infer>(),
    .grad = derive::rules<backward_vjp, backward_jvp>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(2, 1, vjp_meaning, kOfRow),
};

constinit const CompositeDef kLogsumexp{
    .name = "logsumexp",
    .doc =
        "`log(sum(exp(x)))` over `axis`, without overflow. Where all elements are -inf, or there "
        "are none, it is -inf, with gradient 0. Integers and bools become float32.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .compose = rule<compose_logsumexp>(),
    .known_as = {Alias{"scipy", "special.logsumexp"}, Alias{"torch", "logsumexp"},
                 Alias{"jax", "nn.logsumexp"}, Alias{"tf", "reduce_logsumexp"}},
};

Tensor logsumexp(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kLogsumexp, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
