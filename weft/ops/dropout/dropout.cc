// dropout: elements set to 0 at random, the others scaled up.
#include "weft/ops/dropout/dropout.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

Tensor kept(const InferCtx& cx, const Tensor& key, double p, const Shape& shape) {
  const random::KeyWords words = random::words_of_key(cx.op, key);
  const Tensor unit = apply(kUnitDraws, inputs(words.first, words.second),
                            FillAttrs{shape, DType::kF32}, Where::here());
  return unit >= Tensor::scalar(DType::kF32, p);
}

void require_probability(const InferCtx& cx, double p) {
  cx.require(0 <= p && p <= 1, "probability", "p is ", p, "; it must be between 0 and 1");
}

namespace {

Tensors composed(const DropoutAttrs& at, TensorSpan in) {
  const InferCtx cx{"dropout"};
  require_probability(cx, at.p);
  const Tensor x = as_floating(cx.op, in[1]);
  const Tensor keep = kept(cx, in[0], at.p, Shape(x.shape()));
  if (!at.train || at.p == 0) return {x};
  return {where(keep, at.p < 1 ? x * Tensor(1 / (1 - at.p)) : x, 0.0)};
}

}  // namespace

constinit const CompositeDef kDropout{
    .name = "dropout",
    .module = "nn",
    .doc =
        "Each element becomes 0 with probability `p`, else it is scaled by `1 / (1 - p)`, so that "
        "its expectation stays. With `train=False`, `x` as it is. Element i is kept if draw i of "
        "`key` (float32, from [0, 1)) is at least `p`. A dropped element is 0 and has no gradient, "
        "even if it is infinite or NaN.",
    .inputs = {"key: key", "x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DropoutAttrs>(),
    .laws = {Law{"probability", "`p` is between 0 and 1"}, Law{"key", "a key has shape [2]"},
             Law{"dtype", "`x` is floating, the key uint32"}},
    .compose = rule<composed>(),
    .known_as =
        {Alias{
             "torch",
             "nn.functional.dropout: ours draws from a key, which comes first; training is train"},
         Alias{"tf", "nn.dropout"}, Alias{"flax", "linen.Dropout"}},
};

namespace nn {

Tensor dropout(const Tensor& key, const Tensor& x, double p, bool train, Where where) {
  return compose(kDropout, inputs(key, x), DropoutAttrs{p, train}, where);
}

}  // namespace nn
}  // namespace weft
