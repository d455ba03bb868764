// cumulative_prod: running products along an axis.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Expr times(Expr a, Expr b) { return a * b; }

// The product of all elements before each one.
Tensor before(const ScanAttrs& at, const GradCtx& cx) {
  const Tensor& out = cx.outputs[0];
  return shifted_in(out, 1, normalized(at.axis, out.rank()), /*keep_last=*/false, cx.where);
}

// With p[k] the product before k, dx[k] = p[k] * s[k], where s[k] = g[k] + x[k+1] * s[k+1]: a
// recurrence from the end. Nothing is divided, so zeros are right.
Tensors vjp(const ScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const int64_t axis = normalized(at.axis, x.rank());
  if (x.shape()[static_cast<size_t>(axis)] == Dim(0)) return {g[0]};
  const Tensor back = flip(conj(x, cx.where), Ints{axis}, cx.where);
  const Tensor factors = shifted_in(back, 0, axis, /*keep_last=*/false, cx.where);
  const Tensor from_end =
      linear_recurrence(factors, flip(g[0], Ints{axis}, cx.where), axis, cx.where);
  const Tensor sums = flip(from_end, Ints{axis}, cx.where);
  return {multiply_no_nan(conj(before(at, cx), cx.where), sums, cx.where)};
}

Tensors jvp(const ScanAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const Tensor& x = cx.inputs[0];
  const int64_t axis = normalized(at.axis, x.rank());
  if (x.shape()[static_cast<size_t>(axis)] == Dim(0)) return {t[0]};
  return {linear_recurrence(x, multiply_no_nan(before(at, cx), t[0], cx.where), axis, cx.where)};
}

Tensors compose_cumulative_prod(const CumulativeAttrs& at, TensorSpan in) {
  int64_t axis = 0;
  const Tensor x = scan_input("cumulative_prod", at, in[0], &axis);
  const Tensor products = apply(kCumulativeProdScan, inputs(x), ScanAttrs{axis}, Where::here());
  return {at.include_initial ? shifted_in(products, 1, axis, /*keep_last=*/true, Where::here())
                             : products};
}

}  // namespace

constinit const OpDef kCumulativeProdScan{
    .name = "cumulative_prod.scan",
    .doc =
        "Running products along `axis` in the input's own dtype: what `cumulative_prod` is made "
        "of. Elements are multiplied strictly from left to right. Products are kept in float64 for "
        "float32, complex128 for complex64, float32 for half floats.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ScanAttrs>(),
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::scan(times, 1),
};

constinit const CompositeDef kCumulativeProd{
    .name = "cumulative_prod",
    .doc =
        "Running products along `axis`, from left to right. Integers and bools are multiplied in "
        "64 bits, float32 in float64; each result is rounded once. `include_initial` starts with "
        "1. The gradient is right where elements are 0; "
        "an infinite element makes NaN the gradient of those before it.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<CumulativeAttrs>(),
    .laws = {Law{"axis_needed", "an axis is given unless the rank is 1"}},
    .compose = rule<compose_cumulative_prod>(),
    .known_as = {Alias{"numpy",
                       "cumprod: without an axis it flattens, where ours takes vectors alone"},
                 Alias{"torch", "cumprod"}, Alias{"jax", "numpy.cumprod"},
                 Alias{"tf", "math.cumprod"}},
};

Tensor cumulative_prod(const Tensor& x, std::optional<int64_t> axis, Where where) {
  return compose(kCumulativeProd, inputs(x), CumulativeAttrs{axis, {}, false}, where);
}

}  // namespace weft
