// Dropout: some elements, or whole channels, are 0 in training. Draws come from the default
// generator.
#pragma once

#include "weft/nn/module.h"
#include "weft/nn/name.h"
#include "weft/ops/dropout/dropout.h"

namespace weft::nn {

namespace detail {
// Raises [who.probability] unless it is one.
double probability(std::string_view who, double p);
std::string shown_probability(double p);
// The next key of the default generator, as the open levels give it.
Tensor drawn_words();
}  // namespace detail

using DropoutFunction = Tensor (*)(const Tensor& key, const Tensor& x, double p, bool train, Where);

// Each is 0 with probability p in training; the others are scaled by 1 / (1 - p).
template <Name kText, DropoutFunction kFunction>
struct DropoutLayer : Module<DropoutLayer<kText, kFunction>> {
  static constexpr std::string_view kName = kText;
  static constexpr auto fields = kNoFields;

  explicit DropoutLayer(double p = 0.5) : p(detail::probability(kName, p)) {}

  double p;

  Tensor forward(const Tensor& x, Where where) const {
    if (!this->training || p == 0) return x;
    return kFunction(detail::drawn_words(), x, p, true, where);
  }
  std::string extra_repr() const override { return detail::shown_probability(p); }
};

using Dropout = DropoutLayer<"Dropout", dropout>;
// Whole channels of [batch, channels, space..].
using Dropout1d = DropoutLayer<"Dropout1d", dropout1d>;
using Dropout2d = DropoutLayer<"Dropout2d", dropout2d>;
using Dropout3d = DropoutLayer<"Dropout3d", dropout3d>;
// Keeps mean and variance of what SELU gives.
using AlphaDropout = DropoutLayer<"AlphaDropout", alpha_dropout>;

}  // namespace weft::nn
