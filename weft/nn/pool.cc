// Pools of windows of one size, and of a result of one size.
#include "weft/nn/pool.h"

#include "weft/nn/repr.h"
#include "weft/ops/pool/pool.h"

namespace weft::nn {
namespace {

template <class Attrs>
using Pool = Tensor (*)(const Tensor&, const Attrs&, Where);
using PoolWithIndices = Tensors (*)(const Tensor&, const AdaptivePoolAttrs&, Where);
constexpr Pool<MaxPoolAttrs> kMax[] = {max_pool1d, max_pool2d, max_pool3d};
constexpr Pool<AvgPoolAttrs> kMean[] = {avg_pool1d, avg_pool2d, avg_pool3d};
constexpr Pool<AdaptivePoolAttrs> kAdaptiveMean[] = {adaptive_avg_pool1d, adaptive_avg_pool2d,
                                                     adaptive_avg_pool3d};
constexpr PoolWithIndices kAdaptiveMax[] = {adaptive_max_pool1d, adaptive_max_pool2d,
                                            adaptive_max_pool3d};

std::optional<Ints> if_given(const Sizes& sizes) {
  return sizes.values.empty() ? std::nullopt : std::optional(sizes.values);
}

}  // namespace

template <int kAxes, class Options>
Tensor PoolLayer<kAxes, Options>::forward(const Tensor& x, Where where) const {
  const Options& at = options;
  if constexpr (kIsMax) {
    return kMax[kAxes - 1](x,
                           {kernel_size.values, if_given(at.stride), at.padding.values,
                            at.dilation.values, at.ceil_mode, at.data_format},
                           where);
  } else {
    return kMean[kAxes - 1](
        x,
        {kernel_size.values, if_given(at.stride), at.padding.values, at.ceil_mode,
         at.count_include_pad, at.divisor_override, at.data_format},
        where);
  }
}

template <int kAxes, class Options>
std::string PoolLayer<kAxes, Options>::extra_repr() const {
  return Words().item(kernel_size).add_unless(Sizes(), "stride", options.stride).text();
}

template <int kAxes, bool kIsMax>
Tensor AdaptivePoolLayer<kAxes, kIsMax>::forward(const Tensor& x, Where where) const {
  const AdaptivePoolAttrs at{output_size.values, options.data_format};
  if constexpr (kIsMax) {
    return kAdaptiveMax[kAxes - 1](x, at, where)[0];
  } else {
    return kAdaptiveMean[kAxes - 1](x, at, where);
  }
}

template <int kAxes, bool kIsMax>
std::string AdaptivePoolLayer<kAxes, kIsMax>::extra_repr() const {
  return shown(output_size);
}

template struct PoolLayer<1, MaxPoolOptions>;
template struct PoolLayer<2, MaxPoolOptions>;
template struct PoolLayer<3, MaxPoolOptions>;
template struct PoolLayer<1, AvgPoolOptions>;
template struct PoolLayer<2, AvgPoolOptions>;
template struct PoolLayer<3, AvgPoolOptions>;
template struct AdaptivePoolLayer<1, false>;
template struct AdaptivePoolLayer<2, false>;
template struct AdaptivePoolLayer<3, false>;
template struct AdaptivePoolLayer<1, true>;
template struct AdaptivePoolLayer<2, true>;
template struct AdaptivePoolLayer<3, true>;

}  // namespace weft::nn
