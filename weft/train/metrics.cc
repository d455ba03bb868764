// What the metrics of the library add up.
#include "weft/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"
#include "weft/state/state.h"
#include "weft/trace/eager_scope.h"
#include "weft/train/loss.h"
#include "weft/train/scores.h"

namespace weft::train {
namespace {

Tensor wide(const Tensor& x) { return cast(x, DType::kF64); }
Tensor matches(const Tensor& hits) { return sum(wide(hits)); }

// How many elements there are, none left out.
Tensor count_of(const Tensor& x) {
  const Tensor equal_ones = matches(equal(x, x)), others = matches(not_equal(x, x));
  return equal_ones + others;
}

Tensor flat(const Tensor& x) { return reshape(x, Shape{Dim(-1)}); }

}  // namespace

Mean::Mean(std::string name) : Metric(std::move(name), {{"sum"}, {"count"}}) {}

void Mean::update_by(const Tensor& value, const Tensor& count) const {
  const Tensor number = wide(value);
  add("sum", number * wide(count));
  add("count", count);
}

void Mean::add_all(const Tensor& numbers) const {
  add("sum", sum(wide(numbers)));
  add("count", size_value(num_elements(numbers.shape())));
}

void Mean::add_batch(const Tensor& value, TensorSpan outputs) const {
  if (value.rank() > 0) {
    add_all(value);
    return;
  }
  const auto with_rows =
      std::ranges::find_if(outputs, [](const Tensor& x) { return x.rank() > 0; });
  update_by(value, size_value(with_rows == outputs.end() ? Dim(1) : with_rows->dim(0)));
}

void Mean::update(const Tensor& output, const Tensor&) { add_all(output); }
double Mean::result() const { return ratio(total("sum"), total("count")); }

void Function::update(const Tensor& output, const Tensor& target) {
  update_all({&output, 1}, {&target, 1});
}

void Function::update_all(TensorSpan outputs, TensorSpan targets) {
  if (all_) {
    add_batch(all_(outputs, targets), outputs);
    return;
  }
  if (outputs.size() != 1 || targets.size() != 1) Metric::update_all(outputs, targets);
  add_batch(f_(outputs[0], targets[0]), outputs);
}

Accuracy::Accuracy(std::string name) : Metric(std::move(name), {{"right"}, {"count"}}) {}

void Accuracy::add_hits(const Tensor& hits, const Tensor& classes) const {
  const Tensor are_counted = counted(*this, classes);
  add("right", matches(bitwise_and(hits, are_counted)));
  add("count", matches(are_counted));
}

void Accuracy::update(const Tensor& output, const Tensor& target) {
  const ScoredBatch batch = read_scores(*this, output, target);
  add_hits(equal(predicted(*this, batch), batch.classes), batch.classes);
}

double Accuracy::result() const { return ratio(total("right"), total("count")); }

TopKAccuracy::TopKAccuracy(int64_t k, const std::string& name)
    : Accuracy(name.empty() ? text("top_", k, "_accuracy") : name), k_(k) {}

void TopKAccuracy::update(const Tensor& output, const Tensor& target) {
  const ScoredBatch batch = read_scores(*this, output, target);
  if (!batch.has_classes) {
    fail(Code::kInvalid, name(), "classes", "the output has shape ", batch.scores.shape(),
         ", one score for each answer; the best of them are of scores of classes");
  }
  const Tensor best = topk(batch.scores, k_).indices;
  add_hits(any(equal(best, expand_dims(batch.classes, -1)), Ints{-1}), batch.classes);
}

Binary::Binary(std::string_view name, std::string_view type, const BinaryOptions& options)
    : Metric(options.name.empty() ? std::string(name) : options.name,
             {{"true_positives"}, {"false_positives"}, {"false_negatives"}}),
      options_(options),
      type_(type) {}

void Binary::update(const Tensor& output, const Tensor& target) {
  const ScoredBatch batch = read_scores(*this, output, target);
  if (batch.has_classes && !options_.of && batch.scores.dim(-1).value() > 2) {
    fail(Code::kInvalid, name(), "classes", "the output has scores of ", batch.scores.dim(-1),
         " classes; name the one that counts: train::", type_, "({.of = 1})");
  }
  const int64_t of = options_.of.value_or(1);
  const Tensor said = predicted(*this, batch, options_.threshold) == of;
  const Tensor is_true = batch.classes == of;
  const Tensor not_said = bitwise_invert(said), is_false = bitwise_invert(is_true);
  const Tensor are_counted = counted(*this, batch.classes);
  const auto both = [&](const Tensor& a, const Tensor& b) {
    return matches(bitwise_and(bitwise_and(a, b), are_counted));
  };
  add("true_positives", both(said, is_true));
  add("false_positives", both(said, is_false));
  add("false_negatives", both(not_said, is_true));
}

double Precision::result() const {
  return ratio(total("true_positives"), total("true_positives") + total("false_positives"));
}

double Recall::result() const {
  return ratio(total("true_positives"), total("true_positives") + total("false_negatives"));
}

double F1::result() const {
  const double right = 2 * total("true_positives");
  return ratio(right, right + total("false_positives") + total("false_negatives"));
}

ConfusionMatrix::ConfusionMatrix(int64_t num_classes, std::string name)
    : Metric(std::move(name), {{"counts", Shape{Dim(num_classes), Dim(num_classes)}}}),
      num_classes_(num_classes) {}

void ConfusionMatrix::update(const Tensor& output, const Tensor& target) {
  const ScoredBatch batch = read_scores(*this, output, target);
  const Tensor classes = flat(batch.classes);
  const Tensor are_counted = counted(*this, classes);
  const Tensor known = one_hot(where(are_counted, classes, 0), num_classes_);
  const Tensor true_ones = known * expand_dims(cast(are_counted, DType::kF32), -1);
  const Tensor said = one_hot(flat(predicted(*this, batch)), num_classes_);
  const Tensor rows = swapaxes(wide(true_ones), -1, -2);
  add("counts", matmul(rows, wide(said)));
}

Tensor ConfusionMatrix::matrix() const { return cast(variable("counts").value(), DType::kI64); }

double ConfusionMatrix::result() const {
  const Tensor counts = variable("counts").value();
  const double right = trace(counts).item(), all = sum(counts).item();
  return ratio(right, all);
}

Tensor MSE::errors(const Tensor& output, const Tensor& target) const {
  if (same(output.shape(), target.shape()) == Tri::kNo) {
    fail(Code::kInvalid, name(), "shape", "the output has shape ", output.shape(),
         " and the target ", target.shape(), "; they must be equal");
  }
  const Tensor said = wide(output);
  return said - wide(target);
}

void MSE::add_errors(const Tensor& sizes) const {
  add("sum", sum(sizes));
  add("count", count_of(sizes));
}

void MSE::update(const Tensor& output, const Tensor& target) {
  const Tensor all = errors(output, target);
  add_errors(all * all);
}

double MSE::result() const { return ratio(total("sum"), total("count")); }

void MAE::update(const Tensor& output, const Tensor& target) {
  add_errors(abs(errors(output, target)));
}

namespace {

// A row for each example.
Tensor columns_of(const Tensor& x) {
  if (x.rank() == 1) return expand_dims(x, -1);
  return x.rank() == 2 ? x : reshape(x, Shape{x.dim(0), Dim(-1)});
}

}  // namespace

void R2::make(int64_t columns) {
  if (!count_.defined()) {
    const EagerScope now;
    const auto zero = [&](std::string_view of, const Shape& shape) {
      return Variable(zeros(shape, DType::kF64),
                      {.name = text(name(), '_', of), .trainable = false});
    };
    const Shape each{Dim(columns)};
    count_ = zero("count", {});
    mean_ = zero("mean", each), spread_ = zero("spread", each), errors_ = zero("errors", each);
  }
  const int64_t held = mean_.shape()[0].value();
  if (held == columns) return;
  fail(Code::kInvalid, name(), "columns", "the output has ", columns, " columns and had ", held,
       "; make a metric for each model");
}

void R2::update(const Tensor& output, const Tensor& target) {
  const Tensor misses = columns_of(errors(output, target)), targets = columns_of(wide(target));
  make(targets.dim(1).value());
  // The spreads of two parts about their own means make the spread of both (Chan, Golub and LeVeque
  // 1979).
  const Tensor count = count_of(index(targets, {kEllipsis, 0}));
  const Tensor mean = sum(targets, Ints{0}) / count;
  const Tensor apart = targets - mean;
  const Tensor before = count_.read(), old = mean_.read();
  const Tensor total = before + count, shift = mean - old;
  count_.assign(total);
  mean_.assign(old + shift * (count / total));
  const Tensor own = sum(apart * apart, Ints{0});
  const Tensor square = shift * shift, share = before * count / total;
  spread_.assign_add(own + square * share);
  errors_.assign_add(sum(misses * misses, Ints{0}));
}

double R2::result() const {
  if (!count_.defined() || count_.value().item() < 2) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Tensor spread = spread_.value(), misses = errors_.value(), is_flat = spread == 0.0;
  const Tensor of_equal = wide(misses == 0.0);
  const Tensor some = where(is_flat, Tensor::scalar(DType::kF64, 1), spread);
  return mean(where(is_flat, of_equal, 1.0 - misses / some)).item();
}

void R2::reset() {
  if (!count_.defined()) return;
  for (const Variable* const one : {&count_, &mean_, &spread_, &errors_}) one->zero();
}

SavedState R2::state_dict() const {
  if (!count_.defined()) return SavedState::dict({});
  return SavedState::dict(
      {{"count", count_}, {"mean", mean_}, {"spread", spread_}, {"errors", errors_}});
}

void R2::load_state_dict(const SavedState& state) {
  if (state.find("count") == nullptr) return;
  make(state.at("mean").tensor().dim(0).value());
  count_.assign(state.at("count").tensor());
  mean_.assign(state.at("mean").tensor());
  spread_.assign(state.at("spread").tensor());
  errors_.assign(state.at("errors").tensor());
}

Perplexity::Perplexity(std::string name) : Metric(std::move(name), {{"sum"}, {"count"}}) {}

void Perplexity::update(const Tensor& output, const Tensor& target) {
  const nn::CrossEntropyOptions each_one{.ignore_index = ignore_index,
                                         .reduction = nn::Reduction::kNone};
  const OutputAndTarget given = with_classes_last(*this, output, target);
  const Tensor each = nn::cross_entropy(given.output, given.target, {}, each_one);
  add("sum", sum(wide(each)));
  add("count", ignore_index ? matches(counted(*this, given.target)) : count_of(each));
}

double Perplexity::result() const {
  const double mean = ratio(total("sum"), total("count"));
  return mean > 700 ? std::numeric_limits<double>::infinity() : std::exp(mean);
}

void AUC::update(const Tensor& output, const Tensor& target) {
  const ScoredBatch batch = read_scores(*this, output, target);
  Tensor all = wide(batch.scores);
  if (batch.has_classes) {
    if (all.dim(-1).value() != 2) {
      fail(Code::kInvalid, name(), "classes", "the output has scores of ", all.dim(-1),
           " classes, but a curve is of two; watch train::ConfusionMatrix, or one class against "
           "the rest in a metric of your own");
    }
    const Tensor yes = index(all, {kEllipsis, 1}), no = index(all, {kEllipsis, 0});
    all = yes - no;
  }
  const std::vector<double> numbers = all.to_vector<double>();
  const std::vector<int64_t> classes = batch.classes.to_vector<int64_t>();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (classes[i] != ignore_index) all_.push_back({numbers[i], classes[i] > 0});
  }
}

// By the ranks of the positive examples, equal scores having their mean rank; NaN has none.
double AUC::result() const {
  const auto is_nan = [](const Scored& one) { return std::isnan(one.score); };
  if (std::ranges::any_of(all_, is_nan)) return std::numeric_limits<double>::quiet_NaN();
  std::vector<Scored> sorted = all_;
  std::ranges::sort(sorted, {}, &Scored::score);
  double positives = 0, ranks = 0;
  for (size_t first = 0; first < sorted.size();) {
    size_t end = first;
    double positive_ones = 0;
    while (end < sorted.size() && sorted[end].score == sorted[first].score) {
      positive_ones += sorted[end++].is_positive ? 1 : 0;
    }
    ranks += positive_ones * (static_cast<double>(first + 1 + end) / 2);
    positives += positive_ones;
    first = end;
  }
  const double negatives = static_cast<double>(sorted.size()) - positives;
  return ratio(ranks - positives * (positives + 1) / 2, positives * negatives);
}

void AUC::reset() { all_.clear(); }

SavedState AUC::state_dict() const {
  std::vector<double> scores;
  std::vector<uint8_t> targets;
  for (const Scored& one : all_) {
    scores.push_back(one.score);
    targets.push_back(one.is_positive ? 1 : 0);
  }
  const Shape shape{Dim(static_cast<int64_t>(all_.size()))};
  return SavedState::dict(
      {{"scores", Tensor::from_bytes(DType::kF64, shape, std::as_bytes(std::span(scores)))},
       {"targets", Tensor::from_bytes(DType::kBool, shape, std::as_bytes(std::span(targets)))}});
}

void AUC::load_state_dict(const SavedState& state) {
  const std::vector<double> scores = state.at("scores").tensor().to_vector<double>();
  const std::vector<bool> targets = state.at("targets").tensor().to_vector<bool>();
  std::vector<Scored> all;
  for (size_t i = 0; i < std::min(scores.size(), targets.size()); ++i) {
    all.push_back({scores[i], targets[i]});
  }
  all_ = std::move(all);
}

OfOutput::OfOutput(size_t place, AnyMetric metric, const std::string& name)
    : Metric(name.empty() ? text(place, '_', metric->name()) : name, {}),
      place_(place),
      metric_(std::move(metric)) {}

void OfOutput::follow(const Loss& loss) {
  metric_->follow(place_ < loss.parts().size() ? loss.parts()[place_] : loss);
}

void OfOutput::update(const Tensor& output, const Tensor& target) {
  update_all({&output, 1}, {&target, 1});
}

void OfOutput::update_all(TensorSpan outputs, TensorSpan targets) {
  if (place_ >= outputs.size() || place_ >= targets.size()) {
    fail(Code::kInvalid, name(), "outputs", "there are ", outputs.size(), " outputs and ",
         targets.size(), " targets of a batch; there is none at place ", place_);
  }
  metric_->update_all(outputs.subspan(place_, 1), targets.subspan(place_, 1));
}

}  // namespace weft::train
