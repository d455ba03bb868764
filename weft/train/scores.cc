// Outputs and targets of metrics, and laws of their shapes.
#include "weft/train/scores.h"

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::train {
namespace {

bool is_column(const Tensor& x) { return x.rank() >= 2 && same(x.dim(-1), 1) == Tri::kYes; }

// Does an example have a score for each class?
bool has_classes(const Metric& metric, const Tensor& output) {
  return metric.scores == Scores::kOfClasses && output.rank() >= 2 && !is_column(output);
}

Tensor first_of(const Tensor& x) { return index(x, {kEllipsis, 0}); }
Tensor one_score(const Tensor& x) { return is_column(x) ? first_of(x) : x; }

}  // namespace

OutputAndTarget with_classes_last(const Metric& metric, const Tensor& output,
                                  const Tensor& target) {
  OutputAndTarget out{output, target};
  const int64_t rank = output.rank(), axis = metric.axis < 0 ? metric.axis + rank : metric.axis;
  const bool have_one_rank = target.rank() == rank;
  if (0 <= axis && axis < rank - 1) {
    out.output = moveaxis(output, Ints{axis}, Ints{-1});
    if (have_one_rank) out.target = moveaxis(target, Ints{axis}, Ints{-1});
  }
  if (have_one_rank && has_classes(metric, out.output)) out.target = one_score(out.target);
  return out;
}

ScoredBatch read_scores(const Metric& metric, const Tensor& output, const Tensor& target) {
  const OutputAndTarget given = with_classes_last(metric, output, target);
  const auto need_same = [&](const Tensor& a, const Tensor& b, std::string_view told) {
    if (same(a.shape(), b.shape()) != Tri::kNo) return;
    fail(Code::kInvalid, metric.name(), "shape", "the output has shape ", given.output.shape(),
         " and the target ", given.target.shape(), "; ", told);
  };
  if (!has_classes(metric, given.output)) {
    const Tensor scores = one_score(given.output), answers = one_score(given.target);
    need_same(scores, answers, "each score has one target");
    const Tensor yes = is_floating(answers.dtype()) ? answers > 0.5 : answers;
    return {scores, cast(yes, DType::kI64), false};
  }
  const bool is_one_hot = given.target.rank() == given.output.rank();
  need_same(is_one_hot ? given.output : first_of(given.output), given.target,
            "targets are the class of each example, or one hot");
  return {given.output, is_one_hot ? argmax(given.target, -1) : cast(given.target, DType::kI64),
          true};
}

Tensor predicted(const Metric& metric, const ScoredBatch& batch, std::optional<double> threshold) {
  if (batch.has_classes) return argmax(batch.scores, -1);
  const double limit = threshold.value_or(metric.scores == Scores::kLogits ? 0.0 : 0.5);
  return cast(batch.scores > limit, DType::kI64);
}

Tensor counted(const Metric& metric, const Tensor& classes) {
  return metric.ignore_index ? classes != *metric.ignore_index : equal(classes, classes);
}

}  // namespace weft::train
