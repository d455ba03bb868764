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

namespace weft::train {
namespace {

Tensor wide(const Tensor& x) { return cast(x, DType::kF64); }
Tensor matches(const Tensor& hits) { return sum(wide(hits)); }

// Does an output have a score for each class?
bool has_classes(const Tensor& output) {
  return output.rank() >= 2 && same(output.dim(-1), 1) != Tri::kYes;
}

Tensor one_score(const Tensor& output) {
  return output.rank() >= 2 ? index(output, {kEllipsis, 0}) : output;
}

// The class that an output names: of the greatest score, or above one half for one score an
// example.
Tensor predicted(const Tensor& output) {
  if (has_classes(output)) return argmax(output, -1);
  return cast(one_score(output) > 0.5, DType::kI64);
}

// Targets as classes: they may be given one hot, too.
Tensor classes(const Tensor& output, const Tensor& target) {
  if (target.rank() == output.rank() && output.rank() >= 2) {
    return has_classes(output) ? argmax(target, -1)
                               : cast(index(target, {kEllipsis, 0}) > 0.5, DType::kI64);
  }
  return cast(target, DType::kI64);
}

// How many elements there are, none left out.
Tensor count_of(const Tensor& x) {
  const Tensor equal_ones = matches(equal(x, x)), others = matches(not_equal(x, x));
  return equal_ones + others;
}

Tensor flat(const Tensor& x) { return reshape(x, Shape{Dim(-1)}); }

// Numbers in order; NaN is above all, and equal to itself.
bool is_below(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

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

void Mean::update(const Tensor& output, const Tensor&) { add_all(output); }
double Mean::result() const { return ratio(total("sum"), total("count")); }

void Function::update(const Tensor& output, const Tensor& target) {
  update_all({&output, 1}, {&target, 1});
}

void Function::update_all(TensorSpan outputs, TensorSpan targets) {
  if (all_) {
    add_all(all_(outputs, targets));
    return;
  }
  if (outputs.size() != 1 || targets.size() != 1) Metric::update_all(outputs, targets);
  add_all(f_(outputs[0], targets[0]));
}

Accuracy::Accuracy(std::string name) : Metric(std::move(name), {{"right"}, {"count"}}) {}

void Accuracy::add_hits(const Tensor& hits) const {
  add("right", matches(hits));
  add("count", matches(bitwise_or(hits, bitwise_invert(hits))));
}

void Accuracy::update(const Tensor& output, const Tensor& target) {
  const Tensor said = predicted(output), true_ones = classes(output, target);
  add_hits(equal(said, true_ones));
}

double Accuracy::result() const { return ratio(total("right"), total("count")); }

TopKAccuracy::TopKAccuracy(int64_t k, const std::string& name)
    : Accuracy(name.empty() ? text("top_", k, "_accuracy") : name), k_(k) {}

void TopKAccuracy::update(const Tensor& output, const Tensor& target) {
  const Tensor best = topk(output, k_).indices;
  const Tensor true_ones = expand_dims(classes(output, target), -1);
  add_hits(any(equal(best, true_ones), Ints{-1}));
}

Binary::Binary(std::string_view name, const BinaryOptions& options)
    : Metric(options.name.empty() ? std::string(name) : options.name,
             {{"true_positives"}, {"false_positives"}, {"false_negatives"}}),
      options_(options) {}

void Binary::update(const Tensor& output, const Tensor& target) {
  const Tensor said = has_classes(output) ? argmax(output, -1) == options_.of
                                          : one_score(output) > options_.threshold;
  const Tensor is_true = classes(output, target) == options_.of;
  const Tensor not_said = bitwise_invert(said), is_false = bitwise_invert(is_true);
  add("true_positives", matches(bitwise_and(said, is_true)));
  add("false_positives", matches(bitwise_and(said, is_false)));
  add("false_negatives", matches(bitwise_and(not_said, is_true)));
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
  const Tensor true_ones = one_hot(flat(classes(output, target)), num_classes_);
  const Tensor said = one_hot(flat(predicted(output)), num_classes_);
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

R2::R2(std::string name) : MSE(std::move(name), {{"sum"}, {"count"}, {"targets"}, {"squares"}}) {}

void R2::update(const Tensor& output, const Tensor& target) {
  MSE::update(output, target);
  const Tensor numbers = wide(target);
  add("targets", sum(numbers));
  add("squares", sum(numbers * numbers));
}

double R2::result() const {
  const double targets = total("targets");
  const double spread = total("squares") - ratio(targets * targets, total("count"));
  return 1.0 - ratio(total("sum"), spread);
}

Perplexity::Perplexity(std::string name) : Metric(std::move(name), {{"sum"}, {"count"}}) {}

void Perplexity::update(const Tensor& output, const Tensor& target) {
  const nn::CrossEntropyOptions each_one{.reduction = nn::Reduction::kNone};
  const Tensor each = nn::cross_entropy(output, target, {}, each_one);
  add("sum", sum(wide(each)));
  add("count", count_of(each));
}

double Perplexity::result() const {
  const double mean = ratio(total("sum"), total("count"));
  return mean > 700 ? std::numeric_limits<double>::infinity() : std::exp(mean);
}

void AUC::update(const Tensor& output, const Tensor& target) {
  const Tensor scores = output.rank() == 1 ? output : index(output, {kEllipsis, -1});
  const std::vector<double> numbers = wide(scores).to_vector<double>();
  const std::vector<int64_t> positives = classes(output, target).to_vector<int64_t>();
  if (numbers.size() != positives.size()) {
    fail(Code::kInvalid, name(), "shape", "there are ", numbers.size(), " scores for ",
         positives.size(), " targets; each example has one of both");
  }
  for (size_t i = 0; i < numbers.size(); ++i) all_.push_back({numbers[i], positives[i] > 0});
}

// By the ranks of the positive examples, equal scores having their mean rank.
double AUC::result() const {
  std::vector<Scored> sorted = all_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Scored& a, const Scored& b) { return is_below(a.score, b.score); });
  double positives = 0, ranks = 0;
  for (size_t first = 0; first < sorted.size();) {
    size_t end = first;
    double positive_ones = 0;
    while (end < sorted.size() && !is_below(sorted[first].score, sorted[end].score)) {
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

State AUC::state_dict() const {
  std::vector<double> scores;
  std::vector<uint8_t> targets;
  for (const Scored& one : all_) {
    scores.push_back(one.score);
    targets.push_back(one.is_positive ? 1 : 0);
  }
  const Shape shape{Dim(static_cast<int64_t>(all_.size()))};
  return State::dict(
      {{"scores", Tensor::from_bytes(DType::kF64, shape, std::as_bytes(std::span(scores)))},
       {"targets", Tensor::from_bytes(DType::kBool, shape, std::as_bytes(std::span(targets)))}});
}

void AUC::load_state_dict(const State& state) {
  const std::vector<double> scores = state.at("scores").tensor().to_vector<double>();
  const std::vector<bool> targets = state.at("targets").tensor().to_vector<bool>();
  std::vector<Scored> all;
  for (size_t i = 0; i < std::min(scores.size(), targets.size()); ++i) {
    all.push_back({scores[i], targets[i]});
  }
  all_ = std::move(all);
}

}  // namespace weft::train
