// What cross_entropy and nll_loss share: numbered classes, their weights, examples left out.
#pragma once

#include "weft/ops/loss/loss.h"

namespace weft {

struct ClassAttrs {
  int64_t axis = -1;
  std::optional<int64_t> ignore_index;
  std::string reduction = "mean";
  static constexpr auto fields = fields_of(
      field("axis", &ClassAttrs::axis, "the axis of the classes"),
      field("ignore_index", &ClassAttrs::ignore_index,
            "examples with this target count nothing; none if left out"),
      field("reduction", &ClassAttrs::reduction, "\"mean\", \"sum\", or \"none\" for all of them"));
};

// One row of classes for each example.
struct ClassRows {
  Tensor rows;     // [..., classes]
  Tensor labels;   // [..., 1]: the number of a class, 0 where the example is left out
  Tensor counts;   // [..., 1]: 0 where the example is left out, else 1; undefined if all are 1
  Tensor weights;  // [..., 1]: that times the weight of the class; undefined if all are 1

  // Raises [op.target], [op.range], [op.weight] and [op.axis].
  ClassRows(std::string_view op, TensorSpan in, int64_t axis, std::optional<int64_t> ignore_index);
  // Losses [..., 1], already weighted, as `reduction` says; the mean is by the sum of the weights.
  Tensor reduced(std::string_view op, const Tensor& weighted, std::string_view reduction) const;
};

// The losses times `weights`, if there are any.
Tensor weighted_by(const Tensor& weights, const Tensor& losses);
// `x` with `axis`, counted from 0, at the end.
Tensor with_classes_last(const Tensor& x, int64_t axis);
// The weight of each class, which has shape [classes]; raises [op.weight].
Tensor class_weights(std::string_view op, const Tensor& weight, Dim classes);

// The numbers of classes as they are; raises [op.range] if one is no class. Unlike an index, -1 is
// none.
Tensor class_labels(const Tensor& x, int64_t classes);

inline constexpr Law kClassWeightLaw{"weight", "`weight` has one number for each class"};

}  // namespace weft
