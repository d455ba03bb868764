// Neural-network ops: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor relu(const Tensor& x, Where where = Where::here());
// approximate: "none" or "tanh".
Tensor gelu(const Tensor& x, std::string_view approximate = "none", Where where = Where::here());
Tensor softmax(const Tensor& x, int64_t axis = -1, Where where = Where::here());
Tensor log_softmax(const Tensor& x, int64_t axis = -1, Where where = Where::here());

struct ConvCallAttrs;
struct ConvTransposeAttrs;

namespace nn {
Tensor relu6(const Tensor& x, Where where = Where::here());
Tensor selu(const Tensor& x, Where where = Where::here());
Tensor silu(const Tensor& x, Where where = Where::here());
Tensor mish(const Tensor& x, Where where = Where::here());
Tensor hardsigmoid(const Tensor& x, Where where = Where::here());
Tensor hardswish(const Tensor& x, Where where = Where::here());
Tensor softsign(const Tensor& x, Where where = Where::here());
Tensor log_sigmoid(const Tensor& x, Where where = Where::here());
Tensor leaky_relu(const Tensor& x, const Tensor& negative_slope = 0.01,
                  Where where = Where::here());
Tensor prelu(const Tensor& x, const Tensor& weight, Where where = Where::here());
Tensor elu(const Tensor& x, const Tensor& alpha = 1.0, Where where = Where::here());
Tensor celu(const Tensor& x, const Tensor& alpha = 1.0, Where where = Where::here());
Tensor softplus(const Tensor& x, const Tensor& beta = 1.0, Where where = Where::here());
Tensor hardtanh(const Tensor& x, double min_val = -1, double max_val = 1,
                Where where = Where::here());
Tensor threshold(const Tensor& x, double threshold, double value, Where where = Where::here());
Tensor glu(const Tensor& x, int64_t axis = -1, Where where = Where::here());
Tensor swiglu(const Tensor& x, int64_t axis = -1, Where where = Where::here());
// x [.., features in], weight [features out, features in]; bias may be undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              Where where = Where::here());
Tensor embedding(const Tensor& indices, const Tensor& weight,
                 std::optional<int64_t> padding_idx = {}, Where where = Where::here());
// Bags are the rows of `indices`, or begin at `offsets` if these are defined.
Tensor embedding_bag(const Tensor& indices, const Tensor& weight, const Tensor& offsets = Tensor(),
                     const std::string& mode = "mean", Where where = Where::here());
// Distances between points [.., n, coordinates] and [.., m, coordinates].
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2, Where where = Where::here());
Tensor normalize(const Tensor& x, double p = 2, int64_t axis = 1, double eps = 1e-12,
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

extern const OpDef kRelu, kSoftmax, kSoftmaxVjp, kLogSoftmax, kLogSoftmaxVjp, kConv, kConvDw;
extern const CompositeDef kLinear, kEmbedding, kEmbeddingBag, kInterpolate, kCdist, kNormalize;
extern const CompositeDef kCosineSimilarity, kConv1d, kConv2d, kConv3d, kConvTranspose1d,
    kConvTranspose2d, kConvTranspose3d;
// Activations
extern const OpDef kGeluErf, kGeluTanh, kRelu6, kLeakyRelu, kElu, kCelu, kSelu, kSilu, kMish,
    kHardsigmoid, kHardswish, kSoftplus, kSoftsign, kLogSigmoid, kGluGate, kSwigluGate;
extern const CompositeDef kGelu, kPrelu, kHardtanh, kThreshold, kGlu, kSwiglu;

}  // namespace weft
