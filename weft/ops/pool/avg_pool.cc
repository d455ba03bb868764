// avg_pool1d, avg_pool2d, avg_pool3d: the mean of each window.
#include "weft/op/apply.h"
#include "weft/ops/pool/pool_call.h"

namespace weft {
namespace {

constexpr const char* kNames[] = {"avg_pool1d", "avg_pool2d", "avg_pool3d"};
constexpr const char* kTorch[] = {"nn.functional.avg_pool1d", "nn.functional.avg_pool2d",
                                  "nn.functional.avg_pool3d"};
constexpr const char* kTf[] = {"nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d"};

template <int Axes>
Tensors composed(const AvgPoolAttrs& at, TensorSpan in) {
  const InferCtx cx{kNames[Axes - 1]};
  const PoolLayout layout(cx, in[0], Axes, at.data_format);
  MeanWindowAttrs windows;
  windows.taps = for_each_axis(cx, at.kernel_size, Axes, "kernel_size");
  windows.stride = for_each_axis(cx, at.stride ? *at.stride : at.kernel_size, Axes, "stride");
  windows.low = windows.high = for_each_axis(cx, at.padding, Axes, "padding");
  windows.ceil_mode = at.ceil_mode;
  windows.count_include_pad = at.count_include_pad;
  windows.divisor = at.divisor_override;
  require_padding(cx, windows.low, windows.taps);
  layout.check(cx, windows);
  return {layout.restored(apply(kPoolMean, inputs(layout.x()), windows, Where{}))};
}

template <int Axes>
constexpr CompositeDef definition() {
  return {
      .name = kNames[Axes - 1],
      .module = "nn",
      .doc =
          "The mean of each window of `x` [batch, channels, space..]; the batch axis may be left "
          "out. Per axis there are `floor((size + 2 * padding - kernel_size) / stride) + 1` "
          "places, rounded up with `ceil_mode` if the last window begins inside. Padding counts as "
          "elements of value 0 unless `count_include_pad=False`; what hangs over it never counts. "
          "`divisor_override` is what sums are divided by instead.",
      .inputs = {"x: floating"},
      .outputs = {"out: like x"},
      .attrs = attrs_type<AvgPoolAttrs>(),
      .laws = {Law{"rank", kLawRank}, Law{"count", kLawCount}, Law{"data_format", kLawFormat},
               Law{"positive", kLawPositive}, Law{"window", kLawWindow},
               Law{"padding", "padding is at least 0 and at most half the window"}},
      .compose = rule<composed<Axes>>(),
      .known_as = {Alias{"torch", kTorch[Axes - 1]}, Alias{"tf", kTf[Axes - 1]},
                   Alias{"flax", "linen.avg_pool"}},
  };
}

}  // namespace

constinit const CompositeDef kAvgPool1d = definition<1>();
constinit const CompositeDef kAvgPool2d = definition<2>();
constinit const CompositeDef kAvgPool3d = definition<3>();

namespace nn {

Tensor avg_pool1d(const Tensor& x, const AvgPoolAttrs& at, Where where) {
  return compose(kAvgPool1d, inputs(x), at, where);
}
Tensor avg_pool2d(const Tensor& x, const AvgPoolAttrs& at, Where where) {
  return compose(kAvgPool2d, inputs(x), at, where);
}
Tensor avg_pool3d(const Tensor& x, const AvgPoolAttrs& at, Where where) {
  return compose(kAvgPool3d, inputs(x), at, where);
}

}  // namespace nn
}  // namespace weft
