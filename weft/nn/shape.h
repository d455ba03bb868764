// Layers that only rearrange or compare.
#pragma once

#include "weft/nn/module.h"
#include "weft/nn/name.h"
#include "weft/nn/sizes.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::nn {

// Joins the axes from start_axis to end_axis into one: all but the batch, unless told.
struct Flatten : Module<Flatten> {
  static constexpr auto fields = kNoFields;

  explicit Flatten(int64_t start_axis = 1, int64_t end_axis = -1)
      : start_axis(start_axis), end_axis(end_axis) {}

  int64_t start_axis, end_axis;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

// Divides an axis into axes of these sizes.
struct Unflatten : Module<Unflatten> {
  static constexpr auto fields = kNoFields;

  Unflatten(int64_t axis, const Ints& sizes) : axis(axis), sizes(sizes) {}

  int64_t axis;
  Ints sizes;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

struct UpsampleOptions {
  Sizes size = {};  // one of these two
  std::optional<double> scale_factor = {};
  std::string mode = "nearest";
  bool align_corners = false;
  std::string data_format = {};
};

// Makes space larger by interpolation: nn::Upsample({.scale_factor = 2.0, .mode = "bilinear"}).
struct Upsample : Module<Upsample> {
  static constexpr auto fields = kNoFields;

  explicit Upsample(UpsampleOptions options) : options(std::move(options)) {}

  UpsampleOptions options;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

template <Name kText, Tensor (*kFunction)(const Tensor&, int64_t, Where)>
struct ByFactor : Module<ByFactor<kText, kFunction>> {
  static constexpr std::string_view kName = kText;
  static constexpr auto fields = kNoFields;

  explicit ByFactor(int64_t factor) : factor(factor) {}

  int64_t factor;

  Tensor forward(const Tensor& x, Where where) const { return kFunction(x, factor, where); }
  std::string extra_repr() const override { return text(factor); }
};

// [.., channels * factor^2, h, w] becomes [.., channels, h * factor, w * factor]; and back.
using PixelShuffle = ByFactor<"PixelShuffle", pixel_shuffle>;
using PixelUnshuffle = ByFactor<"PixelUnshuffle", pixel_unshuffle>;

struct FoldOptions {
  Sizes dilation = 1, padding = 0, stride = 1;
};

// The windows of an image as columns.
struct Unfold : Module<Unfold> {
  static constexpr auto fields = kNoFields;

  explicit Unfold(const Sizes& kernel_size, FoldOptions options = {})
      : kernel_size(kernel_size), options(std::move(options)) {}

  Sizes kernel_size;
  FoldOptions options;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

// The sum of columns at the places of their windows: the transpose of Unfold.
struct Fold : Module<Fold> {
  static constexpr auto fields = kNoFields;

  Fold(const Sizes& output_size, const Sizes& kernel_size, FoldOptions options = {})
      : output_size(output_size), kernel_size(kernel_size), options(std::move(options)) {}

  Sizes output_size, kernel_size;
  FoldOptions options;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

// The cosine of the angle between two vectors along an axis.
struct CosineSimilarity : Module<CosineSimilarity> {
  static constexpr auto fields = kNoFields;

  explicit CosineSimilarity(int64_t axis = 1, double eps = 1e-8) : axis(axis), eps(eps) {}

  int64_t axis;
  double eps;

  Tensor forward(const Tensor& a, const Tensor& b, Where where) const;
  std::string extra_repr() const override;
};

}  // namespace weft::nn
