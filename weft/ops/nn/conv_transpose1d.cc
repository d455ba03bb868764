// conv_transpose1d: the transpose of conv1d, which spreads each element by the window.
#include "weft/op/apply.h"
#include "weft/ops/nn/conv_call.h"

namespace weft {
namespace {

Tensors composed(const ConvTransposeAttrs& at, TensorSpan in) {
  return conv_transpose_call(at, InferCtx{"conv_transpose1d"}, in, 1);
}

}  // namespace

constinit const CompositeDef kConvTranspose1d{
    .name = "conv_transpose1d",
    .module = "nn",
    .doc =
        "The transpose of conv1d (not its inverse): `x` [batch, channels, width], `weight` "
        "[channels, filters / groups, taps..], plus `bias`, a number a filter. The batch axis may "
        "be left out. Per axis of space the result has `(size - 1) * stride - 2 * padding + "
        "dilation * (taps - 1) + output_padding + 1` places. The order of summation is that of "
        "nn.conv with the taps reversed and the elements of `x` set `stride` apart.",
    .inputs = {"x: numeric", "weight: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ConvTransposeAttrs>(),
    .laws = {Law{"rank", "`x` has 1 axis of space, channels, and a batch axis or none"},
             Law{"weight", "`weight` has 3 axes"},
             Law{"channels", "`x` and `weight` have the same channels, a multiple of groups"},
             Law{"bias", "`bias` has a number for each filter"},
             Law{"count", "lists have one number, or one for each axis of space"},
             Law{"positive", "stride, dilation and groups are at least 1"},
             Law{"output_padding",
                 "padding and output_padding are at least 0, the latter below stride or dilation"},
             Law{"data_format", "`data_format` is `NCW`, `NWC` or left out"},
             Law{"window", "an axis of the result has at least one place"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.conv_transpose1d"},
                 Alias{"torch", "conv_transpose1d"}, Alias{"jax", "lax.conv_transpose"},
                 Alias{"tf", "nn.conv1d_transpose"}},
};

namespace nn {

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTransposeAttrs& at, Where where) {
  return compose(kConvTranspose1d, inputs(x, weight, bias), at, where);
}

}  // namespace nn
}  // namespace weft
