// What fftfreq and rfftfreq share.
#pragma once

#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft::fft {

struct FrequencyAttrs {
  int64_t n = 0;
  double d = 1;
  std::optional<DType> dtype;
  static constexpr auto fields =
      fields_of(field("n", &FrequencyAttrs::n, "the length of the transform", kRequired),
                field("d", &FrequencyAttrs::d, "the distance of two samples"),
                field("dtype", &FrequencyAttrs::dtype, "the dtype; float32 if left out"));
};

// The dtype; raises [op.length] or [op.dtype].
DType require_frequencies(const InferCtx& cx, const FrequencyAttrs& at);
// counts / (n d).
Tensor frequencies(const Tensor& counts, const FrequencyAttrs& at, DType dtype);

}  // namespace weft::fft
