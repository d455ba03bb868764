// adaptive_avg_pool1d .. and adaptive_max_pool1d ..: windows that divide an axis into given parts.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/pool/pool_call.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

constexpr const char* kNames[2][3] = {
    {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"},
    {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"}};
constexpr const char* kTorch[2][3] = {
    {"nn.functional.adaptive_avg_pool1d", "nn.functional.adaptive_avg_pool2d",
     "nn.functional.adaptive_avg_pool3d"},
    {"nn.functional.adaptive_max_pool1d", "nn.functional.adaptive_max_pool2d",
     "nn.functional.adaptive_max_pool3d"}};

// Is there one window, which has elements, over all of [batch, space.., channels]?
bool is_one_window(ShapeView x, const Ints& places) {
  const Dim elements = num_elements(x.subspan(1, places.size()));
  return decide_less(0, elements) == Tri::kYes &&
         std::ranges::all_of(places, [](int64_t count) { return count == 1; });
}

template <int Axes, bool OfMax>
Tensors composed(const AdaptivePoolAttrs& at, TensorSpan in) {
  const InferCtx cx{kNames[OfMax][Axes - 1]};
  const PoolLayout layout(cx, in[0], Axes, at.data_format);
  MeanWindowAttrs windows;
  windows.places = for_each_axis(cx, at.output_size, Axes, "output_size");
  layout.check(cx, windows);
  const Tensor x = layout.x();
  if (!OfMax && is_one_window(x.shape(), windows.places)) {
    Ints space;
    for (int64_t d = 1; d <= Axes; ++d) space.push_back(d);
    return {layout.restored(mean(x, space, /*keepdims=*/true))};
  }
  if (!OfMax) return {layout.restored(apply(kPoolMean, inputs(x), windows, Where{}))};
  const Tensors out =
      apply_all(kPoolMax, inputs(x), static_cast<const WindowAttrs&>(windows), Where{});
  return {layout.restored(out[0]), layout.restored(out[1])};
}

template <int Axes, bool OfMax>
constexpr CompositeDef definition() {
  CompositeDef out{
      .name = kNames[OfMax][Axes - 1],
      .module = "nn",
      .doc = OfMax ? "The greatest element of each window of `x` [batch, channels, space..], and "
                     "its index in the axes of space taken as one. Window i of an axis goes from "
                     "`floor(i * size / places)` to `ceil((i + 1) * size / places)`; the batch "
                     "axis may be left out. Of equal elements the first is taken."
                   : "The mean of each window of `x` [batch, channels, space..]. Window i of an "
                     "axis goes from `floor(i * size / places)` to `ceil((i + 1) * size / "
                     "places)`; the batch axis may be left out.",
      .inputs = {OfMax ? "x: real" : "x: floating"},
      .outputs = {"out: like x"},
      .attrs = attrs_type<AdaptivePoolAttrs>(),
      .laws = {Law{"rank", kLawRank}, Law{"count", kLawCount}, Law{"data_format", kLawFormat},
               Law{"positive", kLawPositive}, Law{"window", kLawWindow}},
      .compose = rule<composed<Axes, OfMax>>(),
      .known_as = {Alias{"torch", kTorch[OfMax][Axes - 1]}},
  };
  if (OfMax) out.outputs = {"out: like x", "indices: int64"};
  return out;
}

}  // namespace

constinit const CompositeDef kAdaptiveAvgPool1d = definition<1, false>();
constinit const CompositeDef kAdaptiveAvgPool2d = definition<2, false>();
constinit const CompositeDef kAdaptiveAvgPool3d = definition<3, false>();
constinit const CompositeDef kAdaptiveMaxPool1d = definition<1, true>();
constinit const CompositeDef kAdaptiveMaxPool2d = definition<2, true>();
constinit const CompositeDef kAdaptiveMaxPool3d = definition<3, true>();

namespace nn {

Tensor adaptive_avg_pool1d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose(kAdaptiveAvgPool1d, inputs(x), at, where);
}
Tensor adaptive_avg_pool2d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose(kAdaptiveAvgPool2d, inputs(x), at, where);
}
Tensor adaptive_avg_pool3d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose(kAdaptiveAvgPool3d, inputs(x), at, where);
}
Tensors adaptive_max_pool1d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose_all(kAdaptiveMaxPool1d, inputs(x), &at, where);
}
Tensors adaptive_max_pool2d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose_all(kAdaptiveMaxPool2d, inputs(x), &at, where);
}
Tensors adaptive_max_pool3d(const Tensor& x, const AdaptivePoolAttrs& at, Where where) {
  return compose_all(kAdaptiveMaxPool3d, inputs(x), &at, where);
}

}  // namespace nn
}  // namespace weft
