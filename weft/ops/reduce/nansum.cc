// nansum: the sum over axes of what is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {
namespace {

Types numbers_infer(const SumAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{at.dtype.value_or(accumulate_of(in[0].dtype)),
           reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

// As `sum`, of elements that become 0 on their way where they are NaN.
constexpr Reduction kReduction{
    .map =
        [](Expr x, Expr, Expr* state) {
          state[0] = cast(where(x == x, x, scalar_like(x, 0.0)), accumulate_of(x.dtype()));
        },
    .combine = [](const Expr* a, const Expr* b, Expr* out) { out[0] = a[0] + b[0]; },
    .identity = [](DType x, Expr* state) { state[0] = Expr::constant(accumulate_of(x), -0.0); },
    .empty = 0,
};

// What NaN took the place of has no derivative.
Tensor at_numbers(const Tensor& change, const Tensor& x, Where at) {
  return where(equal(x, x, at), change, scalar_like(change, 0), at);
}
Tensors pulled(const SumAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const Tensor each = cast(spread(g[0], x, at.axis, cx.where), x.dtype(), cx.where);
  return {at_numbers(each, x, cx.where)};
}
Tensors pushed(const SumAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  return {apply(kSum, inputs(at_numbers(t[0], cx.inputs[0], cx.where)), at, cx.where)};
}

Tensors compose_nansum(const SumAttrs& at, TensorSpan in) {
  reduced_axes(InferCtx{"nansum"}, in[0].shape(), at.axis);
  if (is_floating(in[0].dtype())) return {apply(kNansumNumbers, in, at, Where::here())};
  return {apply(kSum, inputs(nan_replaced(in[0], 0)), at, Where::here())};
}

}  // namespace

constinit const CompositeDef kNansum{
    .name = "nansum",
    .doc =
        "The sum over `axis` with NaN counted as 0. Integers and bools are summed in 64 bits; the "
        "order of summation is that of `sum`.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<SumAttrs>(),
    .compose = rule<compose_nansum>(),
    .known_as = {Alias{"numpy", "nansum"}, Alias{"torch", "nansum"}, Alias{"jax", "numpy.nansum"}},
};

constinit const OpDef kNansumNumbers{
    .name = "nansum.numbers",
    .doc =
        "The sum over `axis` with NaN counted as 0, in one pass: what `nansum` is of floats. The "
        "order of summation is that of `sum`.",
    .inputs = {"x: floating"},
    .outputs = {"out: any"},
    .attrs = attrs_type<SumAttrs>(),
    .infer = rule<numbers_infer>(),
    .grad = derive::rules<pulled, pushed>().reading(1, false),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
};

Tensor nansum(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNansum, inputs(x),
                 SumAttrs{.axis = std::move(axis), .dtype = {}, .keepdims = keepdims}, where);
}

}  // namespace weft
