// norm.rows: Euclidean lengths along the last axis, in one kernel.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  Type out = in[0];
  cx.require(!out.shape.empty(), "rank", "x has rank 0; it needs an axis to sum along");
  out.shape.back() = 1;
  return {out};
}

// Rows of very large or very small elements are scaled by a power of two, which rounds nothing.
void meaning(const Expr* in, Expr* out) {
  const Expr x = in[0], greatest = row_max(abs(x));
  const bool is_double = x.dtype() == DType::kF64;
  const auto number = [&](double value) { return Expr::constant(x.dtype(), value); };
  const double large = is_double ? 0x1p400 : 0x1p40, factor = is_double ? 0x1p800 : 0x1p100;
  const Expr is_large = greatest > number(large), is_small = greatest < number(1 / large);
  const auto choose = [&](double if_large, double if_small) {
    return where(is_large, number(if_large), where(is_small, number(if_small), number(1)));
  };
  const Expr scaled = x * choose(1 / factor, factor);
  out[0] = sqrt(row_sum(scaled * scaled)) * choose(factor, 1 / factor);
}

// x / |x|, and 0 for a row of zeros.
Tensor direction(const GradCtx& cx) {
  const Tensor &x = cx.inputs[0], &length = cx.outputs[0];
  const Tensor zero = equal(length, 0.0, cx.where);
  return where(zero, 0.0, divide(x, where(zero, 1.0, length, cx.where), cx.where), cx.where);
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {multiply_no_nan(direction(cx), g[0], cx.where)};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  return {row_total(multiply_no_nan(direction(cx), t[0], cx.where), cx.where)};
}

}  // namespace

constinit const OpDef kNormRows{
    .name = "norm.rows",
    .doc =
        "The Euclidean length of each row, along the last axis, which stays with size 1; without "
        "overflow, and with gradient 0 for a row of zeros. What `norm` of order 2 is made of.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis to sum along"}},
    .infer = rule<rows_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::same_shape(),
    .kernel = kernel::row(1, 1, meaning, 0),
};

}  // namespace weft
