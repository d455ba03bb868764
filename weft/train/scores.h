// How metrics read what models give and what they should have given: scores of classes, or of yes
// and no.
#pragma once

#include "weft/train/metric.h"

namespace weft::train {

// A batch: scores, with classes along the last axis or one for each answer; and the class of each
// answer.
struct ScoredBatch {
  Tensor scores, classes;
  bool has_classes;
};
// Targets are the class of each example, alone or in a column, or one hot; raises [metric.shape].
ScoredBatch read_scores(const Metric& metric, const Tensor& output, const Tensor& target);

// Both with classes along the last axis, whichever the loss has them along; targets that are a
// column of classes without it.
struct OutputAndTarget {
  Tensor output, target;
};
OutputAndTarget with_classes_last(const Metric& metric, const Tensor& output, const Tensor& target);

// The classes that scores name: of the greatest one; of one that stands alone 1, for yes, above one
// half, of logits above 0, or above the threshold.
Tensor predicted(const Metric& metric, const ScoredBatch& batch,
                 std::optional<double> threshold = {});

// Which targets count?
Tensor counted(const Metric& metric, const Tensor& classes);

}  // namespace weft::train
