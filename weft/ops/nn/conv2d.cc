// conv2d: convolution over 2 axes of space, in the layouts of other frameworks.
#include "weft/op/apply.h"
#include "weft/ops/nn/conv_call.h"

namespace weft {
namespace {

Tensors composed(const ConvCallAttrs& at, TensorSpan in) {
  return conv_call(at, InferCtx{"conv2d"}, in, 2);
}

}  // namespace

constinit const CompositeDef kConv2d{
    .name = "conv2d",
    .module = "nn",
    .doc =
        "Convolution of `x` [batch, channels, height, width] with `weight` [filters, channels / "
        "groups, "
        "taps..], plus `bias`, a number a filter. The batch axis may be left out. Per axis of "
        "space "
        "the result has `floor((size + padding - dilation * (taps - 1) - 1) / stride) + 1` places, "
        "`padding` counted on both sides; `padding=\"same\"` puts an odd zero at the end. The "
        "order of summation is that of nn.conv. The result lies in memory with its channels last, "
        "whatever its axes are, so that the next convolution reads it as it is.",
    .inputs = {"x: numeric", "weight: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ConvCallAttrs>(),
    .laws = {Law{"rank", "`x` has 2 axes of space, channels, and a batch axis or none"},
             Law{"weight", "`weight` has 4 axes"},
             Law{"bias", "`bias` has a number for each filter"},
             Law{"count", "lists have one number, or one for each axis of space; padding also two"},
             Law{"positive", "stride, dilation and groups are at least 1"},
             Law{"padding", "padding is at least 0; as a word it is \"same\" or \"valid\""},
             Law{"channels", "`x` has groups times the channels of `weight`, whose filters divide"},
             Law{"data_format", "`data_format` is `NCHW`, `NHWC` or left out"},
             Law{"window", "the window covers at least one place and fits into the padded input"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.conv2d"}, Alias{"torch", "conv2d"},
                 Alias{"jax", "lax.conv"},
                 Alias{"tf",
                       "nn.conv2d: its x is NHWC unless told, ours NCHW; its filters are [taps.., "
                       "channels, filters]"}},
};

namespace nn {

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvCallAttrs& at,
              Where where) {
  return compose(kConv2d, inputs(x, weight, bias), at, where);
}

}  // namespace nn
}  // namespace weft
