// dropout1d, dropout2d, dropout3d: whole channels set to 0 at random, the others scaled up.
#include "weft/op/apply.h"
#include "weft/ops/dropout/dropout.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

constexpr const char* kNames[] = {"", "dropout1d", "dropout2d", "dropout3d"};

template <int Axes>
Tensors composed(const DropoutAttrs& at, TensorSpan in) {
  const InferCtx cx{kNames[Axes]};
  require_probability(cx, at.p);
  const Tensor x = as_floating(cx.op, in[1]);
  cx.require(x.rank() == Axes + 1 || x.rank() == Axes + 2, "rank", "x has shape ", x.shape(),
             "; it must be [channels, space..] with ", Axes,
             " axes of space, and may have a batch axis in front");
  Shape channels(x.shape());
  for (int d = 0; d < Axes; ++d) channels[channels.size() - 1 - static_cast<size_t>(d)] = 1;
  const Tensor keep = kept(cx, in[0], at.p, channels);
  if (!at.train || at.p == 0) return {x};
  return {where(keep, at.p < 1 ? x * Tensor(1 / (1 - at.p)) : x, 0.0)};
}

template <int Axes>
constexpr CompositeDef definition() {
  return {
      .name = kNames[Axes],
      .module = "nn",
      .doc =
          "Each channel of `x` [batch, channels, space..] becomes 0 with probability `p`, else it "
          "is scaled by `1 / (1 - p)`; the batch axis may be left out. Channel i, counted over the "
          "batch, is kept if draw i of `key` is at least `p`. With `train=False`, `x` as it is.",
      .inputs = {"key: key", "x: floating"},
      .outputs = {"out: like x"},
      .attrs = attrs_type<DropoutAttrs>(),
      .laws = {Law{"probability", "`p` is between 0 and 1"}, Law{"key", "a key has shape [2]"},
               Law{"dtype", "`x` is floating, the key uint32"},
               Law{"rank",
                   "`x` has channels, as many axes of space as the name says, and a batch "
                   "axis or none"}},
      .compose = rule<composed<Axes>>(),
      .known_as = {Axes == 1   ? Alias{"torch", "nn.functional.dropout1d"}
                   : Axes == 2 ? Alias{"torch", "nn.functional.dropout2d"}
                               : Alias{"torch", "nn.functional.dropout3d"},
                   Axes == 1   ? Alias{"tf", "keras.layers.SpatialDropout1D"}
                   : Axes == 2 ? Alias{"tf", "keras.layers.SpatialDropout2D"}
                               : Alias{"tf", "keras.layers.SpatialDropout3D"}},
  };
}

}  // namespace

constinit const CompositeDef kDropout1d = definition<1>();
constinit const CompositeDef kDropout2d = definition<2>();
constinit const CompositeDef kDropout3d = definition<3>();

namespace nn {

Tensor dropout1d(const Tensor& key, const Tensor& x, double p, bool train, Where where) {
  return compose(kDropout1d, inputs(key, x), DropoutAttrs{p, train}, where);
}
Tensor dropout2d(const Tensor& key, const Tensor& x, double p, bool train, Where where) {
  return compose(kDropout2d, inputs(key, x), DropoutAttrs{p, train}, where);
}
Tensor dropout3d(const Tensor& key, const Tensor& x, double p, bool train, Where where) {
  return compose(kDropout3d, inputs(key, x), DropoutAttrs{p, train}, where);
}

}  // namespace nn
}  // namespace weft
