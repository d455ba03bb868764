// Pools: the greatest or the mean of each window.
#pragma once

#include "weft/nn/module.h"
#include "weft/nn/sizes.h"

namespace weft::nn {

struct MaxPoolOptions {
  Sizes stride = {};  // the size of the window if left out
  Sizes padding = 0, dilation = 1;
  bool ceil_mode = false;
  std::string data_format = {};
};

struct AvgPoolOptions {
  Sizes stride = {};  // the size of the window if left out
  Sizes padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override = {};
  std::string data_format = {};
};

struct AdaptivePoolOptions {
  std::string data_format = {};
};

// Windows of one size, over kAxes axes of space.
template <int kAxes, class Options>
struct PoolLayer : Module<PoolLayer<kAxes, Options>> {
  static constexpr auto fields = kNoFields;

  static constexpr bool kIsMax = std::is_same_v<Options, MaxPoolOptions>;
  static constexpr std::string_view kNames[2][3] = {{"AvgPool1d", "AvgPool2d", "AvgPool3d"},
                                                    {"MaxPool1d", "MaxPool2d", "MaxPool3d"}};
  static constexpr std::string_view kName = kNames[kIsMax][kAxes - 1];

  PoolLayer(const Sizes& kernel_size, Options options = {})  // NOLINT: nn::MaxPool2d pool = 2
      : kernel_size(kernel_size), options(std::move(options)) {}

  Sizes kernel_size;
  Options options;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

// Windows that give a result of a certain size.
template <int kAxes, bool kIsMax>
struct AdaptivePoolLayer : Module<AdaptivePoolLayer<kAxes, kIsMax>> {
  static constexpr auto fields = kNoFields;

  static constexpr std::string_view kNames[2][3] = {
      {"AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"},
      {"AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"}};
  static constexpr std::string_view kName = kNames[kIsMax][kAxes - 1];

  AdaptivePoolLayer(const Sizes& output_size, AdaptivePoolOptions options = {})  // NOLINT
      : output_size(output_size), options(std::move(options)) {}

  Sizes output_size;
  AdaptivePoolOptions options;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

using MaxPool1d = PoolLayer<1, MaxPoolOptions>;
using MaxPool2d = PoolLayer<2, MaxPoolOptions>;
using MaxPool3d = PoolLayer<3, MaxPoolOptions>;
using AvgPool1d = PoolLayer<1, AvgPoolOptions>;
using AvgPool2d = PoolLayer<2, AvgPoolOptions>;
using AvgPool3d = PoolLayer<3, AvgPoolOptions>;
using AdaptiveAvgPool1d = AdaptivePoolLayer<1, false>;
using AdaptiveAvgPool2d = AdaptivePoolLayer<2, false>;
using AdaptiveAvgPool3d = AdaptivePoolLayer<3, false>;
using AdaptiveMaxPool1d = AdaptivePoolLayer<1, true>;
using AdaptiveMaxPool2d = AdaptivePoolLayer<2, true>;
using AdaptiveMaxPool3d = AdaptivePoolLayer<3, true>;

extern template struct PoolLayer<1, MaxPoolOptions>;
extern template struct PoolLayer<2, MaxPoolOptions>;
extern template struct PoolLayer<3, MaxPoolOptions>;
extern template struct PoolLayer<1, AvgPoolOptions>;
extern template struct PoolLayer<2, AvgPoolOptions>;
extern template struct PoolLayer<3, AvgPoolOptions>;
extern template struct AdaptivePoolLayer<1, false>;
extern template struct AdaptivePoolLayer<2, false>;
extern template struct AdaptivePoolLayer<3, false>;
extern template struct AdaptivePoolLayer<1, true>;
extern template struct AdaptivePoolLayer<2, true>;
extern template struct AdaptivePoolLayer<3, true>;

}  // namespace weft::nn
