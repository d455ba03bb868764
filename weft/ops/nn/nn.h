// Neural-network ops: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor relu(const Tensor& x, Where where = Where::here());
Tensor gelu(const Tensor& x, Where where = Where::here());
Tensor softmax(const Tensor& x, int64_t axis = -1, Where where = Where::here());
Tensor log_softmax(const Tensor& x, int64_t axis = -1, Where where = Where::here());

struct ConvCallAttrs;
struct ConvTransposeAttrs;

namespace nn {
// Over the last axes of `x`, as many as `weight` has; weight and bias may be undefined.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps = 1e-5,
                  Where where = Where::here());

// x is [batch, channels, space..], weight [filters, channels / groups, taps..]; bias may be
// undefined. Their attributes are in conv_call.h.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvCallAttrs& at,
              Where where = Where::here());
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvCallAttrs& at,
              Where where = Where::here());
Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvCallAttrs& at,
              Where where = Where::here());
// weight is [channels, filters / groups, taps..].
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTransposeAttrs& at, Where where = Where::here());
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTransposeAttrs& at, Where where = Where::here());
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTransposeAttrs& at, Where where = Where::here());
Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t axis = -1, double eps = 1e-8,
                         Where where = Where::here());
}  // namespace nn

struct AxisAttrs {
  int64_t axis = -1;
  static constexpr auto fields =
      fields_of(field("axis", &AxisAttrs::axis, "the axis to work along"));
};

struct LayerNormAttrs {
  int64_t axes = 1;
  double eps = 1e-5;
  static constexpr auto fields =
      fields_of(field("axes", &LayerNormAttrs::axes, "how many of the last axes are normalized"),
                field("eps", &LayerNormAttrs::eps, "what is added to the variance"));
};

struct LayerNormVjpAttrs {
  int64_t keep = 0;
  static constexpr auto fields =
      fields_of(field("keep", &LayerNormVjpAttrs::keep,
                      "how many of the first axes the cotangents of weight and bias keep"));
};

extern const OpDef kRelu, kGelu, kSoftmax, kSoftmaxVjp, kLogSoftmax, kLogSoftmaxVjp, kLayerNormRows,
    kLayerNormVjp, kConv, kConvDw;
extern const CompositeDef kCosineSimilarity, kLayerNorm, kConv1d, kConv2d, kConv3d,
    kConvTranspose1d, kConvTranspose2d, kConvTranspose3d;

}  // namespace weft
