// var: the variance over axes, in two passes.
#include "weft/ops/reduce/var.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Tensors compose_var(const VarAttrs& at, TensorSpan in) {
  return {variance(InferCtx{"var"}, at, in[0])};
}

// |x|^2 of complex numbers.
Tensor squared_length(const Tensor& x) {
  const Tensor of_imag = square(imag(x));
  return square(real(x)) + of_imag;
}

}  // namespace

// The mean of the squared differences from the mean: no cancellation, unlike mean(x^2) - mean(x)^2.
Tensor variance(const InferCtx& cx, const VarAttrs& at, const Tensor& input) {
  const Tensor given = as_inexact(input);
  const Tensor x = cast(given, compute_of(given.dtype()));
  const Ints axes = reduced_axes(cx, x.shape(), at.axis);
  const Tensor apart = x - mean(x, axes, /*keepdims=*/true);
  const Tensor squares = is_complex(x.dtype()) ? squared_length(apart) : square(apart);
  const Tensor count = divisor(squares, axes, at.correction);
  const Tensor out = sum(squares, axes, at.keepdims) / count;
  return cast(out, real_of(given.dtype()));
}

constinit const CompositeDef kVar{
    .name = "var",
    .doc =
        "The variance over `axis`: the sum of squared differences from the mean, divided by `n - "
        "correction`, where `n` is the number of elements (`correction=1` gives the unbiased "
        "estimate). Where `n <= correction` it is NaN. Of complex numbers it is that of the "
        "distances `abs(x - mean(x))`, a real number. Integers and bools become float32.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<VarAttrs>(),
    .compose = rule<compose_var>(),
    .known_as = {Alias{"numpy", "var"},
                 Alias{"torch", "var: its correction is 1 unless given, ours 0 as NumPy's ddof"},
                 Alias{"jax", "numpy.var"}, Alias{"tf", "math.reduce_variance"}},
};

Tensor var(const Tensor& x, std::optional<Ints> axis, double correction, bool keepdims,
           Where where) {
  return compose(kVar, inputs(x), VarAttrs{std::move(axis), correction, keepdims}, where);
}

}  // namespace weft
