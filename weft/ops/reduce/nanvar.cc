// nanvar and nanstd: variance and deviation over axes of what is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"
#include "weft/ops/reduce/var.h"

namespace weft {
namespace {

// Of x, which is in the dtype to compute in.
Tensor variance_of_numbers(const InferCtx& cx, const VarAttrs& at, const Tensor& x) {
  const Ints axes = reduced_axes(cx, x.shape(), at.axis);
  const Tensor is_number = logical_not(isnan(x)), clean = nan_replaced(x, 0);
  const Tensor count = sum(cast(is_number, x.dtype()), axes, /*keepdims=*/true);
  const Tensor mean = sum(clean, axes, /*keepdims=*/true) / count;
  // Where there is no number the mean is NaN, and nothing is taken from it.
  const Tensor squares = where(is_number, square(clean - mean), 0.0);
  const Tensor total = sum(squares, axes, at.keepdims);
  const Tensor left = reshape(count, Shape(total.shape())) - at.correction;
  return total / where(left > 0.0, left, __builtin_nan(""));
}

Tensors compose_nanvar(const VarAttrs& at, TensorSpan in) {
  const Tensor x = as_floating("nanvar", in[0]);
  const Tensor wide = cast(x, compute_of(x.dtype()));
  return {cast(variance_of_numbers(InferCtx{"nanvar"}, at, wide), x.dtype())};
}

Tensors compose_nanstd(const VarAttrs& at, TensorSpan in) {
  const Tensor x = as_floating("nanstd", in[0]);
  const Tensor wide = cast(x, compute_of(x.dtype()));
  return {cast(deviation(variance_of_numbers(InferCtx{"nanstd"}, at, wide)), x.dtype())};
}

}  // namespace

constinit const CompositeDef kNanvar{
    .name = "nanvar",
    .doc =
        "The variance over `axis` of the elements that are not NaN, as `var` has it; NaN where no "
        "more than `correction` of them are numbers. Integers and bools become float32.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<VarAttrs>(),
    .compose = rule<compose_nanvar>(),
    .known_as = {Alias{"numpy", "nanvar"}, Alias{"jax", "numpy.nanvar"}},
};

constinit const CompositeDef kNanstd{
    .name = "nanstd",
    .doc =
        "The standard deviation over `axis` of the elements that are not NaN: the square root of "
        "`nanvar`. Where they are all equal it is 0, and so is its gradient. Integers and bools "
        "become float32.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<VarAttrs>(),
    .compose = rule<compose_nanstd>(),
    .known_as = {Alias{"numpy", "nanstd"}, Alias{"jax", "numpy.nanstd"}},
};

Tensor nanvar(const Tensor& x, std::optional<Ints> axis, double correction, bool keepdims,
              Where where) {
  return compose(kNanvar, inputs(x), VarAttrs{std::move(axis), correction, keepdims}, where);
}
Tensor nanstd(const Tensor& x, std::optional<Ints> axis, double correction, bool keepdims,
              Where where) {
  return compose(kNanstd, inputs(x), VarAttrs{std::move(axis), correction, keepdims}, where);
}

}  // namespace weft
