// Metric: measured batch by batch, exact over all examples whatever the sizes of the batches.
//
//   struct Above : train::Metric {
//     explicit Above() : Metric("above", {{"hits", {}}, {"count", {}}}) {}
//     void update(const Tensor& output, const Tensor& target) override {
//       add("hits", sum(cast(output > target, DType::kF64)));
//       add("count", size_value(output.dim(0)));
//     }
//     double result() const override { return ratio(total("hits"), total("count")); }
//   };
#pragma once

#include <functional>

#include "weft/train/given.h"
#include "weft/train/history.h"

namespace weft::train {

class Loss;

// What outputs are.
enum class Scores : uint8_t {
  kOfClasses,      // a score for each class, or one probability an example
  kProbabilities,  // each element says yes or no, above one half
  kLogits,         // the same, above 0
};

class Metric {
 public:
  virtual ~Metric() = default;

  const std::string& name() const { return name_; }
  // Understands outputs and targets as a loss does: compile() calls it.
  virtual void follow(const Loss& loss);
  Scores scores = Scores::kOfClasses;
  int64_t axis = -1;                         // of classes
  std::optional<int64_t> ignore_index = {};  // a target that counts nothing
  // Adds a batch. It is part of the traced step, unless is_traced() is false.
  virtual void update(const Tensor& output, const Tensor& target) = 0;
  // The same of a model with several outputs, or a dataset without targets; without it, one of
  // each is needed [metric.outputs].
  virtual void update_all(TensorSpan outputs, TensorSpan targets);
  // NaN if there is none.
  virtual double result() const = 0;
  virtual bool is_traced() const { return true; }
  // Does result() belong among the numbers that are logged?
  virtual bool is_number() const { return true; }
  virtual void reset();

  virtual SavedState state_dict() const;
  virtual void load_state_dict(const SavedState& state);

 protected:
  struct Total {
    std::string name;
    Shape shape = {};
  };
  // Totals are float64 Variables, so that traced steps add to them.
  Metric(std::string name, const std::vector<Total>& totals);
  void add(std::string_view total, const Tensor& term) const;
  double total(std::string_view name) const { return variable(name).value().item(); }
  const Variable& variable(std::string_view name) const;
  static double ratio(double a, double b);  // NaN if b is 0

 private:
  std::string name_;
  std::vector<std::pair<std::string, Variable>> totals_;
};

// A metric by itself or by its name: "accuracy", "top_k_accuracy", "precision", "recall", "f1",
// "auc", "mse", "mae", "r2", "perplexity".
class AnyMetric : public Given<Metric> {
 public:
  using Given<Metric>::Given;
  AnyMetric(std::string_view name);  // NOLINT: raises [compile.metrics]
  AnyMetric(const char* name) : AnyMetric(std::string_view(name)) {}  // NOLINT
};
using Metrics = std::vector<AnyMetric>;

}  // namespace weft::train
