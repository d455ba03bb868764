// alpha_dropout: dropout that keeps mean 0 and variance 1, for networks of selu.
#include <cmath>

#include "weft/op/apply.h"
#include "weft/ops/dropout/dropout.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

constexpr double kDropped = -1.7580993408473766;  // what selu tends to at -inf

Tensors composed(const DropoutAttrs& at, TensorSpan in) {
  const InferCtx cx{"alpha_dropout"};
  require_probability(cx, at.p);
  const Tensor x = as_floating(cx.op, in[1]);
  const Tensor keep = kept(cx, in[0], at.p, Shape(x.shape()));
  if (!at.train || at.p == 0) return {x};
  if (at.p == 1) return {where(keep, x, 0.0)};
  const double scale = 1 / std::sqrt((1 - at.p) * (1 + at.p * kDropped * kDropped));
  const double shift = -scale * kDropped * at.p;
  return {where(keep, x * Tensor(scale) + Tensor(shift), scale * kDropped + shift)};
}

}  // namespace

constinit const CompositeDef kAlphaDropout{
    .name = "alpha_dropout",
    .module = "nn",
    .doc =
        "Each element becomes -1.758.. (what selu tends to at -inf) with probability `p`; then all "
        "are scaled and shifted so that mean 0 and variance 1 stay: `a * x + b` with `a = 1 / "
        "sqrt((1 - p) (1 + p * 1.758..^2))` and `b = 1.758.. * a * p`. All 0 where `p` is 1. Draws "
        "are those of nn.dropout. With `train=False`, `x` as it is.",
    .inputs = {"key: key", "x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DropoutAttrs>(),
    .laws = {Law{"probability", "`p` is between 0 and 1"}, Law{"key", "a key has shape [2]"},
             Law{"dtype", "`x` is floating, the key uint32"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.alpha_dropout"},
                 Alias{"tf", "keras.layers.AlphaDropout"}},
};

namespace nn {

Tensor alpha_dropout(const Tensor& key, const Tensor& x, double p, bool train, Where where) {
  return compose(kAlphaDropout, inputs(key, x), DropoutAttrs{p, train}, where);
}

}  // namespace nn
}  // namespace weft
