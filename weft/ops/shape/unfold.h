// unfold and fold: their options are one number, or one for rows and one for columns.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

struct UnfoldAttrs {
  Ints kernel_size = {}, dilation{1, 1}, padding{0, 0}, stride{1, 1};
  static constexpr auto fields = fields_of(
      field("kernel_size", &UnfoldAttrs::kernel_size, "rows and columns of a window", kRequired),
      field("dilation", &UnfoldAttrs::dilation, "the step between elements of a window"),
      field("padding", &UnfoldAttrs::padding, "zeros around the image"),
      field("stride", &UnfoldAttrs::stride, "the step between windows"));
};
struct FoldAttrs {
  Ints output_size = {}, kernel_size = {}, dilation{1, 1}, padding{0, 0}, stride{1, 1};
  static constexpr auto fields = fields_of(
      field("output_size", &FoldAttrs::output_size, "rows and columns of the image", kRequired),
      field("kernel_size", &FoldAttrs::kernel_size, "rows and columns of a window", kRequired),
      field("dilation", &FoldAttrs::dilation, "the step between elements of a window"),
      field("padding", &FoldAttrs::padding, "zeros around the image"),
      field("stride", &FoldAttrs::stride, "the step between windows"));
};

namespace nn {

// nn::unfold(x, {.kernel_size = {3}, .padding = {1}})
Tensor unfold(const Tensor& x, const UnfoldAttrs& at, Where where = Where::here());
// nn::fold(columns, {.output_size = {8, 6}, .kernel_size = {3}, .padding = {1}})
Tensor fold(const Tensor& x, const FoldAttrs& at, Where where = Where::here());

}  // namespace nn
}  // namespace weft
