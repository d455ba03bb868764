// What metrics share, and metrics by name.
#include "weft/train/metric.h"

#include <limits>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/trace/eager_scope.h"
#include "weft/train/loss.h"
#include "weft/train/metrics.h"
#include "weft/train/names.h"

namespace weft::train {

Metric::Metric(std::string name, const std::vector<Total>& totals) : name_(std::move(name)) {
  const EagerScope now;
  for (const Total& total : totals) {
    const std::string variable = text(name_, '_', total.name);
    totals_.emplace_back(total.name, Variable(zeros(total.shape, DType::kF64),
                                              {.name = variable, .trainable = false}));
  }
}

void Metric::follow(const Loss& loss) {
  if (const std::optional<Scores> known = loss.scores()) scores = *known;
  const nn::CrossEntropyOptions* const of_classes = loss.of_classes();
  axis = of_classes != nullptr ? of_classes->axis : -1;
  ignore_index = of_classes != nullptr ? of_classes->ignore_index : std::nullopt;
}

void Metric::update_all(TensorSpan outputs, TensorSpan targets) {
  if (outputs.size() != 1 || targets.size() != 1) {
    fail(Code::kInvalid, name_, "outputs", "there are ", outputs.size(), " outputs and ",
         targets.size(),
         " targets of a batch; it measures one of each: give train::Function(name, "
         "f) an f of all of them");
  }
  update(outputs[0], targets[0]);
}

void Metric::reset() {
  for (const auto& [name, variable] : totals_) variable.zero();
}

SavedState Metric::state_dict() const {
  SavedState::Dict out;
  for (const auto& [name, variable] : totals_) out.emplace_back(name, variable);
  return SavedState::dict(std::move(out));
}

void Metric::load_state_dict(const SavedState& state) {
  for (const auto& [name, variable] : totals_) variable.assign(state.at(name).tensor());
}

void Metric::add(std::string_view total, const Tensor& term) const {
  variable(total).assign_add(cast(term, DType::kF64));
}

const Variable& Metric::variable(std::string_view name) const {
  for (const auto& [known, variable] : totals_) {
    if (known == name) return variable;
  }
  fail(Code::kIndex, name_, "total", "has no total '", name, "'; name it in the constructor");
}

double Metric::ratio(double a, double b) {
  return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
}

namespace {

template <class M>
Shared<Metric> made() {
  return new_shared<M>();
}

constexpr Named<Shared<Metric> (*)()> kMetrics[] = {
    {"accuracy", made<Accuracy>},
    {"top_k_accuracy", made<TopKAccuracy>},
    {"precision", made<Precision>},
    {"recall", made<Recall>},
    {"f1", made<F1>},
    {"auc", made<AUC>},
    {"mse", made<MSE>},
    {"mae", made<MAE>},
    {"r2", made<R2>},
    {"perplexity", made<Perplexity>},
};

}  // namespace

AnyMetric::AnyMetric(std::string_view name)
    : Given<Metric>(named(std::span(kMetrics), name, "metric", "metrics")()) {}

}  // namespace weft::train
