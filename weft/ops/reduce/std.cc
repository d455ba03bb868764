// std: the standard deviation over axes.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/var.h"

namespace weft {

Tensor deviation(const Tensor& variance) {
  const Tensor zero = equal(variance, 0.0);
  return where(zero, 0.0, sqrt(where(zero, 1.0, variance)));
}

namespace {

Tensors compose_std(const VarAttrs& at, TensorSpan in) {
  const Tensor given = as_inexact(in[0]);
  const Tensor x = cast(given, compute_of(given.dtype()));
  return {cast(deviation(variance(InferCtx{"std"}, at, x)), real_of(given.dtype()))};
}

}  // namespace

constinit const CompositeDef kStd{
    .name = "std",
    .doc =
        "The standard deviation over `axis`: the square root of `var` with the same `correction`. "
        "Where all elements are equal it is 0, and so is its gradient. Of complex numbers it is "
        "real. "
        "Integers and bools become float32.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<VarAttrs>(),
    .compose = rule<compose_std>(),
    .known_as = {Alias{"numpy", "std"},
                 Alias{"torch", "std: its correction is 1 unless given, ours 0 as NumPy's ddof"},
                 Alias{"jax", "numpy.std"}, Alias{"tf", "math.reduce_std"}},
};

Tensor std(const Tensor& x, std::optional<Ints> axis, double correction, bool keepdims,
           Where where) {
  return compose(kStd, inputs(x), VarAttrs{std::move(axis), correction, keepdims}, where);
}

}  // namespace weft
