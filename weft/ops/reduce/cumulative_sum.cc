// cumulative_sum: running sums along an axis.
#include "weft/op/apply.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Expr plus(Expr a, Expr b) { return a + b; }

// An element is in its own sum and in all later ones: the cotangents' running sum from the end.
Tensors transpose(const ScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Ints axis{at.axis};
  const Tensor back = flip(g[0], axis, cx.where);
  return {flip(apply(kCumulativeSumScan, inputs(back), at, cx.where), axis, cx.where)};
}

Tensors compose_cumulative_sum(const CumulativeAttrs& at, TensorSpan in) {
  int64_t axis = 0;
  const Tensor x = scan_input("cumulative_sum", at, in[0], &axis);
  const Tensor sums = apply(kCumulativeSumScan, inputs(x), ScanAttrs{axis}, Where::here());
  return {at.include_initial ? shifted_in(sums, 0, axis, /*keep_last=*/true, Where::here()) : sums};
}

}  // namespace

constinit const OpDef kCumulativeSumScan{
    .name = "cumulative_sum.scan",
    .doc =
        "Running sums along `axis` in the input's own dtype: what `cumulative_sum` is made of. "
        "Sums are kept in float64 for float32, complex128 for complex64, float32 for half floats. "
        "Rows are cut into blocks of 512: elements of a block are added from left to right, and "
        "then the sum of the blocks before it is added.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ScanAttrs>(),
    .infer = rule<scan_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::scan(plus, 0),
};

constinit const CompositeDef kCumulativeSum{
    .name = "cumulative_sum",
    .doc =
        "Running sums along `axis`. Integers and bools are summed in 64 bits, float32 in float64; "
        "each result is rounded once. `include_initial` starts with 0.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<CumulativeAttrs>(),
    .laws = {Law{"axis_needed", "an axis is given unless the rank is 1"}},
    .compose = rule<compose_cumulative_sum>(),
    .known_as = {Alias{"numpy",
                       "cumsum: without an axis it flattens, where ours takes vectors alone"},
                 Alias{"torch", "cumsum"}, Alias{"jax", "numpy.cumsum"}, Alias{"tf", "cumsum"}},
};

Tensor cumulative_sum(const Tensor& x, std::optional<int64_t> axis, Where where) {
  return compose(kCumulativeSum, inputs(x), CumulativeAttrs{axis, {}, false}, where);
}

}  // namespace weft
