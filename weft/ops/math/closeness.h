// Equality up to rounding: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

struct CloseAttrs {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
  static constexpr auto fields =
      fields_of(field("rtol", &CloseAttrs::rtol, "the tolerance relative to abs(b)"),
                field("atol", &CloseAttrs::atol, "the tolerance that is added to it"),
                field("equal_nan", &CloseAttrs::equal_nan, "whether NaN is close to NaN"));
};

Tensor isclose(const Tensor& a, const Tensor& b, const CloseAttrs& at = {},
               Where where = Where::here());
Tensor allclose(const Tensor& a, const Tensor& b, const CloseAttrs& at = {},
                Where where = Where::here());
Tensor array_equal(const Tensor& a, const Tensor& b, bool equal_nan = false,
                   Where where = Where::here());

extern const CompositeDef kIsClose, kAllClose, kArrayEqual;

}  // namespace weft
