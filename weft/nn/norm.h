// Normalisation, with running statistics where they belong. All begin with a weight of 1 and a bias
// of 0, and are computed in float32 under mixed precision.
#pragma once

#include "weft/nn/layer.h"
#include "weft/nn/sizes.h"

namespace weft::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  // By how much the running statistics move towards those of a batch; nullopt: they are the mean
  // over all batches.
  std::optional<double> momentum = 0.1;
  bool affine = true;
  bool track_running_stats = true;
  int64_t axis = 1;  // of channels
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// In training the batch's own statistics are used, and the running ones move towards them; else the
// running ones are.
template <int kAxes>
struct BatchNormLayer : Layer<BatchNormLayer<kAxes>> {
  static constexpr std::string_view kNames[3] = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"};
  static constexpr std::string_view kName = kNames[kAxes - 1];

  explicit BatchNormLayer(int64_t num_features = kInferred, BatchNormOptions options = {});

  mutable int64_t num_features;
  mutable Variable weight, bias, running_mean, running_var, num_batches_tracked;
  static constexpr auto fields =
      fields_of(field("weight", &BatchNormLayer::weight), field("bias", &BatchNormLayer::bias),
                buffer("running_mean", &BatchNormLayer::running_mean),
                buffer("running_var", &BatchNormLayer::running_var),
                buffer("num_batches_tracked", &BatchNormLayer::num_batches_tracked));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  BatchNormOptions options_;
};

using BatchNorm1d = BatchNormLayer<1>;  // of [batch, channels] or [batch, channels, length]
using BatchNorm2d = BatchNormLayer<2>;
using BatchNorm3d = BatchNormLayer<3>;

struct InstanceNormOptions {
  double eps = 1e-5;
  bool affine = false;
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// Normalizes each channel of each example by itself.
template <int kAxes>
struct InstanceNormLayer : Layer<InstanceNormLayer<kAxes>> {
  static constexpr std::string_view kNames[3] = {"InstanceNorm1d", "InstanceNorm2d",
                                                 "InstanceNorm3d"};
  static constexpr std::string_view kName = kNames[kAxes - 1];

  explicit InstanceNormLayer(int64_t num_features = kInferred, InstanceNormOptions options = {});

  mutable int64_t num_features;
  mutable Variable weight, bias;
  static constexpr auto fields = fields_of(field("weight", &InstanceNormLayer::weight),
                                           field("bias", &InstanceNormLayer::bias));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  InstanceNormOptions options_;
};

using InstanceNorm1d = InstanceNormLayer<1>;
using InstanceNorm2d = InstanceNormLayer<2>;
using InstanceNorm3d = InstanceNormLayer<3>;

extern template struct BatchNormLayer<1>;
extern template struct BatchNormLayer<2>;
extern template struct BatchNormLayer<3>;
extern template struct InstanceNormLayer<1>;
extern template struct InstanceNormLayer<2>;
extern template struct InstanceNormLayer<3>;

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// Normalizes groups of num_channels / num_groups channels of each example.
struct GroupNorm : Layer<GroupNorm> {
  explicit GroupNorm(int64_t num_groups, int64_t num_channels = kInferred,
                     GroupNormOptions options = {});

  int64_t num_groups;
  mutable int64_t num_channels;
  mutable Variable weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &GroupNorm::weight), field("bias", &GroupNorm::bias));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  GroupNormOptions options_;
};

}  // namespace weft::nn
