// What fftshift and ifftshift share.
#pragma once

#include "weft/op/apply.h"

namespace weft::fft {

struct ShiftAttrs {
  std::optional<Ints> axes;
  static constexpr auto fields =
      fields_of(field("axes", &ShiftAttrs::axes, "the axes to shift; all of them if left out"));
};

// Each axis turned so that its first element comes to n / 2 (up: n - n / 2 comes first).
Tensor shifted(const InferCtx& cx, const Tensor& x, const ShiftAttrs& at, bool back);

}  // namespace weft::fft
