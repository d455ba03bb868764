// max_pool1d, max_pool2d, max_pool3d: the greatest element of each window; and with its index.
#include "weft/op/apply.h"
#include "weft/ops/pool/pool_call.h"

namespace weft {
namespace {

constexpr const char* kNames[2][3] = {
    {"max_pool1d", "max_pool2d", "max_pool3d"},
    {"max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"}};
constexpr const char* kTorch[2][3] = {
    {"nn.functional.max_pool1d", "nn.functional.max_pool2d", "nn.functional.max_pool3d"},
    {"nn.functional.max_pool1d_with_indices", "nn.functional.max_pool2d_with_indices",
     "nn.functional.max_pool3d_with_indices"}};
constexpr const char* kTf[2][3] = {
    {"nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"},
    {"keras.layers.MaxPool1D", "nn.max_pool_with_argmax", "keras.layers.MaxPool3D"}};

template <int Axes, bool WithIndices>
Tensors composed(const MaxPoolAttrs& at, TensorSpan in) {
  const InferCtx cx{kNames[WithIndices][Axes - 1]};
  const PoolLayout layout(cx, in[0], Axes, at.data_format);
  WindowAttrs windows;
  windows.taps = for_each_axis(cx, at.kernel_size, Axes, "kernel_size");
  windows.stride = for_each_axis(cx, at.stride ? *at.stride : at.kernel_size, Axes, "stride");
  windows.dilation = for_each_axis(cx, at.dilation, Axes, "dilation");
  windows.low = windows.high = for_each_axis(cx, at.padding, Axes, "padding");
  windows.ceil_mode = at.ceil_mode;
  require_padding(cx, windows.low, windows.taps);
  layout.check(cx, windows);
  const Tensors out = apply_all(kPoolMax, inputs(layout.x()), windows, Where{});
  if (!WithIndices) return {layout.restored(out[0])};
  return {layout.restored(out[0]), layout.restored(out[1])};
}

template <int Axes, bool WithIndices>
constexpr CompositeDef definition() {
  CompositeDef out{
      .name = kNames[WithIndices][Axes - 1],
      .module = "nn",
      .doc = WithIndices
                 ? "The greatest element of each window of `x` [batch, channels, space..], and its "
                   "index in the axes of space taken as one. Otherwise as without indices."
                 : "The greatest element of each window of `x` [batch, channels, space..]; the "
                   "batch axis may be left out. Per axis there are `floor((size + 2 * padding - "
                   "dilation * (kernel_size - 1) - 1) / stride) + 1` places, rounded up with "
                   "`ceil_mode` if the last window begins inside. Padding is never taken. Of equal "
                   "elements the first is taken and gets the gradient; NaN is greater than all.",
      .inputs = {"x: real"},
      .outputs = {"out: like x"},
      .attrs = attrs_type<MaxPoolAttrs>(),
      .laws = {Law{"rank", kLawRank}, Law{"count", kLawCount}, Law{"data_format", kLawFormat},
               Law{"positive", kLawPositive}, Law{"window", kLawWindow},
               Law{"padding", "padding is at least 0 and at most half the window"}},
      .compose = rule<composed<Axes, WithIndices>>(),
      .known_as = {Alias{"torch", kTorch[WithIndices][Axes - 1]},
                   Alias{"tf", kTf[WithIndices][Axes - 1]}, Alias{"flax", "linen.max_pool"}},
  };
  if (WithIndices) out.outputs = {"out: like x", "indices: int64"};
  return out;
}

}  // namespace

constinit const CompositeDef kMaxPool1d = definition<1, false>();
constinit const CompositeDef kMaxPool2d = definition<2, false>();
constinit const CompositeDef kMaxPool3d = definition<3, false>();
constinit const CompositeDef kMaxPool1dWithIndices = definition<1, true>();
constinit const CompositeDef kMaxPool2dWithIndices = definition<2, true>();
constinit const CompositeDef kMaxPool3dWithIndices = definition<3, true>();

namespace nn {

Tensor max_pool1d(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose(kMaxPool1d, inputs(x), at, where);
}
Tensor max_pool2d(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose(kMaxPool2d, inputs(x), at, where);
}
Tensor max_pool3d(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose(kMaxPool3d, inputs(x), at, where);
}
Tensors max_pool1d_with_indices(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose_all(kMaxPool1dWithIndices, inputs(x), &at, where);
}
Tensors max_pool2d_with_indices(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose_all(kMaxPool2dWithIndices, inputs(x), &at, where);
}
Tensors max_pool3d_with_indices(const Tensor& x, const MaxPoolAttrs& at, Where where) {
  return compose_all(kMaxPool3dWithIndices, inputs(x), &at, where);
}

}  // namespace nn
}  // namespace weft
