// Normalisation: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

struct RowNormAttrs {
  int64_t axes = 1;
  double eps = 1e-5;
  static constexpr auto fields =
      fields_of(field("axes", &RowNormAttrs::axes, "how many of the last axes are normalized"),
                field("eps", &RowNormAttrs::eps, "what is added to the variance or mean square"));
};

struct RowNormVjpAttrs {
  int64_t keep = 0;
  static constexpr auto fields =
      fields_of(field("keep", &RowNormVjpAttrs::keep,
                      "how many of the first axes the cotangents of weight and bias keep"));
};

namespace nn {
// Over the last axes of `x`, as many as `weight` has; weight and bias may be undefined.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps = 1e-5,
                  Where where = Where::here());
Tensor rms_norm(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
                double eps = 1e-5, Where where = Where::here());
// x [batch, channels, space..]; weight and bias, a number a channel, may be undefined.
Tensor group_norm(const Tensor& x, int64_t num_groups, const Tensor& weight = Tensor(),
                  const Tensor& bias = Tensor(), double eps = 1e-5, Where where = Where::here());
Tensor instance_norm(const Tensor& x, const Tensor& weight = Tensor(),
                     const Tensor& bias = Tensor(), double eps = 1e-5, Where where = Where::here());
// The result and the new running mean and variance; all but x may be undefined when training.
Tensors batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                   const Tensor& weight = Tensor(), const Tensor& bias = Tensor(),
                   bool training = false, double momentum = 0.1, double eps = 1e-5,
                   int64_t axis = 1, Where where = Where::here());
}  // namespace nn

extern const OpDef kLayerNormRows, kLayerNormVjp, kRmsNormRows, kRmsNormVjp;
extern const OpDef kBatchNormMoments, kBatchNormScaled, kBatchNormSums, kBatchNormDx,
    kBatchNormTrain, kBatchNormVjp;
extern const CompositeDef kLayerNorm, kRmsNorm, kGroupNorm, kInstanceNorm, kBatchNorm;

}  // namespace weft
