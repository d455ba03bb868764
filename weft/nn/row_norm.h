// Norms over the last axes. They begin with a weight of 1 and a bias of 0, and are computed in
// float32 under mixed precision.
#pragma once

#include "weft/nn/layer.h"
#include "weft/nn/sizes.h"

namespace weft::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;
  bool bias = true;
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// (x - mean) / sqrt(variance + eps) * weight + bias over the last axes, which have the shape
// `normalized_shape`. Its last size may be left out: that of the first input.
struct LayerNorm : Layer<LayerNorm> {
  explicit LayerNorm(const Sizes& normalized_shape = kInferred, LayerNormOptions options = {});

  mutable Sizes normalized_shape;
  mutable Variable weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &LayerNorm::weight), field("bias", &LayerNorm::bias));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;
  std::optional<int64_t> size_of(const State& state) const override;

 private:
  LayerNormOptions options_;
};

struct RMSNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// x / sqrt(mean of squares + eps) * weight over the last axes.
struct RMSNorm : Layer<RMSNorm> {
  explicit RMSNorm(const Sizes& normalized_shape = kInferred, RMSNormOptions options = {});

  mutable Sizes normalized_shape;
  mutable Variable weight;
  static constexpr auto fields = fields_of(field("weight", &RMSNorm::weight));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;
  std::optional<int64_t> size_of(const State& state) const override;

 private:
  RMSNormOptions options_;
};

}  // namespace weft::nn
