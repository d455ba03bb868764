// sum: adds elements over axes.
#include "weft/op/apply.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Types sum_infer(const SumAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{at.dtype.value_or(accumulate_of(in[0].dtype)),
           reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

// -0 is the identity of addition; an empty sum is +0 all the same (the driver fills it).
constexpr Reduction kReduction{
    .map = [](Expr x, Expr, Expr* state) { state[0] = cast(x, accumulate_of(x.dtype())); },
    .combine = [](const Expr* a, const Expr* b, Expr* out) { out[0] = a[0] + b[0]; },
    .identity = [](DType x, Expr* state) { state[0] = Expr::constant(accumulate_of(x), -0.0); },
    .empty = 0,
};

// Every element gets the cotangent of the sum it went into.
Tensors transpose(const SumAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  return {cast(spread(g[0], x, at.axis, cx.where), x.dtype(), cx.where)};
}

}  // namespace

constinit const OpDef kSum{
    .name = "sum",
    .doc =
        "The sum over `axis`. Integers and bools are summed in 64 bits; an empty sum is 0. The "
        "order of summation is "
        "fixed by the shape alone.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<SumAttrs>(),
    .infer = rule<sum_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "sum"}, Alias{"torch", "sum"}, Alias{"jax", "numpy.sum"},
                 Alias{"tf", "reduce_sum"}},
};

Tensor sum(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return apply(kSum, inputs(x),
               SumAttrs{.axis = std::move(axis), .dtype = {}, .keepdims = keepdims}, where);
}

Tensor row_total(const Tensor& x, Where where) { return sum(x, Ints{-1}, true, where); }

}  // namespace weft
