// random.rademacher: 1 or -1.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace random {
namespace {

Tensors compose_rademacher(const FillAttrs& at, TensorSpan in) {
  const InferCtx cx{"rademacher"};
  fill_infer(at, cx, {});
  cx.require_type(at.dtype != DType::kBool && !is_unsigned_integer(at.dtype), "dtype", "dtype is ",
                  at.dtype, ", which does not hold -1");
  const KeyWords words = words_of_key(cx.op, in[0]);
  const Tensor unit = apply(kUnitDraws, inputs(words.first, words.second),
                            FillAttrs{at.shape, DType::kF32}, Where::here());
  return {where(unit < 0.5, Tensor::scalar(at.dtype, 1), Tensor::scalar(at.dtype, -1))};
}

}  // namespace

Tensor rademacher(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kRademacher, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kRademacher{
    .name = "rademacher",
    .module = "random",
    .doc = "1 or -1, each with probability 1/2.",
    .inputs = {"key: key"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype holds -1"}},
    .compose = rule<random::compose_rademacher>(),
    .known_as = {Alias{"jax", "random.rademacher"}},
};

}  // namespace weft
