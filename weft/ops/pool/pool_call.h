// What the pools people call share: layouts and lists brought to the primitives' form.
#pragma once

#include "weft/ops/pool/pool.h"

namespace weft {

// x as [batch, space.., channels], and results as x was; raises [op.rank], [op.data_format].
class PoolLayout {
 public:
  PoolLayout(const InferCtx& cx, const Tensor& x, int64_t axes, std::string_view format);
  Tensor x() const;
  Tensor restored(const Tensor& y) const;
  // Raises [op.positive] and [op.window] of x as it was given.
  void check(const InferCtx& cx, const WindowAttrs& windows) const;

 private:
  Tensor given_;
  int64_t axes_;
  bool channels_last_, has_batch_;
};

// One number for each axis; raises [op.count].
Ints for_each_axis(const InferCtx& cx, const Ints& list, int64_t axes, std::string_view name);
// Raises [op.padding] unless padding is at least 0 and at most half the window.
void require_padding(const InferCtx& cx, const Ints& padding, const Ints& taps);

constexpr std::string_view kLawRank = "`x` has axes of space, channels, and a batch axis or none";
constexpr std::string_view kLawFormat = "`data_format` is `NCHW`, `NHWC` or left out";
constexpr std::string_view kLawCount = "lists have one number, or one for each axis of space";
constexpr std::string_view kLawPositive = "sizes, strides and dilations are at least 1";
constexpr std::string_view kLawWindow = "every window fits in, and covers some element";

}  // namespace weft
