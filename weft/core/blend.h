// Taps: which elements of an axis are blended into each place of a result.
#pragma once

#include <vector>

#include "weft/core/native.h"

namespace weft {

// Place p is the sum over t, ascending, of weights[t * places + p] times element
// elements[t * places + p] of the axis, all of them inside.
struct Taps {
  int64_t places = 0;
  std::vector<int64_t> elements;
  std::vector<double> weights;

  int64_t count() const { return places == 0 ? 0 : static_cast<int64_t>(elements.size()) / places; }
};

namespace native {

// Contiguous `out`, whose axis has the taps' places, from contiguous `in` of one floating dtype.
// The weights have the dtype that it computes in; f16 and bf16 are rounded once.
extern Native<void(const Tensor& out, const Tensor& in, int64_t axis, const Taps& taps)> blend;

}  // namespace native
}  // namespace weft
