// random.lognormal: draws whose logarithm is normal.
#include "weft/ops/random/lognormal.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

// The logarithm is computed in at least float32, so that half floats are rounded once.
Tensors composed(const FillAttrs& at, TensorSpan in) {
  const InferCtx cx{"lognormal"};
  fill_infer(at, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  words_of_key(cx.op, in[0]);
  const FillAttrs wide{at.shape, compute_of(at.dtype)};
  const Tensor draws = normal(in[0], at.shape, wide.dtype);
  return {cast(exp(located(cx.op, wide, draws, in, 1)), at.dtype)};
}

}  // namespace

Tensor lognormal(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kLognormal, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kLognormal{
    .name = "lognormal",
    .module = "random",
    .doc =
        "Draws whose logarithm is normal with `mean` (0) and deviation `sigma` (1): `exp(mean + "
        "sigma * z)` of the draws `z` of random.normal with the same key. Differentiable in "
        "`mean` and `sigma`.",
    .inputs = {"key: key", "mean?: floating", "sigma?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::composed>(),
    .known_as = {Alias{"numpy", "random.lognormal"}, Alias{"torch", "Tensor.log_normal_"},
                 Alias{"jax", "random.lognormal: it takes sigma before the shape, and no mean"}},
};

}  // namespace weft
