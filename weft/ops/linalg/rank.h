// Which singular values count as more than 0: what pinv, lstsq and matrix_rank share.
#pragma once

#include "weft/ops/linalg/matrices.h"

namespace weft::linalg {

struct RankAttrs {
  std::optional<double> rtol;
  static constexpr auto fields = fields_of(
      field("rtol", &RankAttrs::rtol,
            "singular values up to this times the greatest count as 0; the longer side times the "
            "dtype's epsilon if left out"));
};

// Raises [op.rtol] for NaN and numbers below 0.
void require_tolerance(const InferCtx& cx, const RankAttrs& at);

// s > rtol * max(s), for the singular values s of x.
Tensor is_counted(const Tensor& s, const Tensor& x, const RankAttrs& at);

}  // namespace weft::linalg
