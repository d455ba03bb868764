// The metrics of the library: read metric.h first.
#pragma once

#include "weft/train/metric.h"

namespace weft::train {

// The mean of numbers: of the loss, for example.
class Mean : public Metric {
 public:
  explicit Mean(std::string name = "mean");
  // Adds a mean over `count` examples.
  void update_by(const Tensor& value, const Tensor& count) const;
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;

 protected:
  void add_all(const Tensor& numbers) const;
  // The same, but one number of a whole batch counts as often as the batch has rows.
  void add_batch(const Tensor& value, TensorSpan outputs) const;
};

// A function of output and target as a metric: the mean of what it gives for each example. Where it
// gives one number for a batch, that counts as often as the batch has rows.
class Function : public Mean {
 public:
  using OfTwo = std::function<Tensor(const Tensor& output, const Tensor& target)>;
  using OfAll = std::function<Tensor(TensorSpan outputs, TensorSpan targets)>;
  Function(std::string name, OfTwo f) : Mean(std::move(name)), f_(std::move(f)) {}
  Function(std::string name, OfAll f) : Mean(std::move(name)), all_(std::move(f)) {}
  void update(const Tensor& output, const Tensor& target) override;
  void update_all(TensorSpan outputs, TensorSpan targets) override;

 private:
  OfTwo f_;
  OfAll all_;
};

// The part of examples whose class is named rightly: by the greatest score, or, of one score an
// example, by one half, of logits by 0. After BCELoss and BCEWithLogitsLoss each element says yes
// or no. Targets are classes, or one hot.
class Accuracy : public Metric {
 public:
  explicit Accuracy(std::string name = "accuracy");
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;

 protected:
  void add_hits(const Tensor& hits, const Tensor& classes) const;
};

// The part of examples whose class is among the `k` greatest scores.
class TopKAccuracy : public Accuracy {
 public:
  explicit TopKAccuracy(int64_t k = 5, const std::string& name = "");
  void update(const Tensor& output, const Tensor& target) override;

 private:
  int64_t k_;
};

struct BinaryOptions {
  std::optional<int64_t> of = {};        // the class against the rest; class 1 of two
  std::optional<double> threshold = {};  // of one score an example; one half, of logits 0
  std::string name = {};
};
// What metrics of one class against the rest count. Of more than two classes `of` names one
// [f1.classes].
class Binary : public Metric {
 public:
  void update(const Tensor& output, const Tensor& target) override;

 protected:
  Binary(std::string_view name, std::string_view type, const BinaryOptions& options);

 private:
  BinaryOptions options_;
  std::string_view type_;
};
// Of those said to be of a class, the part that is.
class Precision : public Binary {
 public:
  explicit Precision(const BinaryOptions& options = {})
      : Binary("precision", "Precision", options) {}
  double result() const override;
};
// Of those of a class, the part that was said to be.
class Recall : public Binary {
 public:
  explicit Recall(const BinaryOptions& options = {}) : Binary("recall", "Recall", options) {}
  double result() const override;
};
// The harmonic mean of precision and recall.
class F1 : public Binary {
 public:
  explicit F1(const BinaryOptions& options = {}) : Binary("f1", "F1", options) {}
  double result() const override;
};

// How often each class (row) was said to be each class (column). It is no number of the logs.
class ConfusionMatrix : public Metric {
 public:
  explicit ConfusionMatrix(int64_t num_classes, std::string name = "confusion_matrix");
  void update(const Tensor& output, const Tensor& target) override;
  Tensor matrix() const;           // int64[num_classes, num_classes]
  double result() const override;  // the part on the diagonal
  bool is_number() const override { return false; }

 private:
  int64_t num_classes_;
};

// The mean of squared errors.
class MSE : public Metric {
 public:
  explicit MSE(std::string name = "mse") : MSE(std::move(name), {{"sum"}, {"count"}}) {}
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;

 protected:
  MSE(std::string name, const std::vector<Total>& totals) : Metric(std::move(name), totals) {}
  // In float64; raises [mse.shape].
  Tensor errors(const Tensor& output, const Tensor& target) const;
  void add_errors(const Tensor& sizes) const;
};
// The mean of absolute errors.
class MAE : public MSE {
 public:
  explicit MAE(std::string name = "mae") : MSE(std::move(name)) {}
  void update(const Tensor& output, const Tensor& target) override;
};
// The part of the target's variance that is explained: 1 - errors / variance, the mean of all
// columns. A column whose targets are all equal has 1 if it is met, and 0 if not, as in
// scikit-learn.
class R2 : public MSE {
 public:
  explicit R2(std::string name = "r2") : MSE(std::move(name), {}) {}
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;
  void reset() override;
  SavedState state_dict() const override;
  void load_state_dict(const SavedState& state) override;

 private:
  void make(int64_t columns);
  // Made by the first batch: how many rows, and of each column the mean, the sum of squares about
  // it, and that of the errors.
  Variable count_, mean_, spread_, errors_;
};

// exp of the mean cross entropy of the classes: how many of them are as good as even.
class Perplexity : public Metric {
 public:
  explicit Perplexity(std::string name = "perplexity");
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;
};

// The area under the curve of true over false positives: how often a positive example has a greater
// score than a negative one, ties counted by half. Of scores of two classes it is their difference
// that counts, and of more it raises [auc.classes]. Exact: all scores are kept.
class AUC : public Metric {
 public:
  explicit AUC(std::string name = "auc") : Metric(std::move(name), {}) {}
  void update(const Tensor& output, const Tensor& target) override;
  double result() const override;
  bool is_traced() const override { return false; }
  void reset() override;
  SavedState state_dict() const override;
  void load_state_dict(const SavedState& state) override;

 private:
  struct Scored {
    double score;
    bool is_positive;
  };
  std::vector<Scored> all_;
};

// A metric of one of several outputs, and of the target at its place: `OfOutput(1, "accuracy")`.
class OfOutput : public Metric {
 public:
  OfOutput(size_t place, AnyMetric metric, const std::string& name = "");
  void follow(const Loss& loss) override;
  void update(const Tensor& output, const Tensor& target) override;
  void update_all(TensorSpan outputs, TensorSpan targets) override;
  double result() const override { return metric_->result(); }
  bool is_traced() const override { return metric_->is_traced(); }
  bool is_number() const override { return metric_->is_number(); }
  void reset() override { metric_->reset(); }
  SavedState state_dict() const override { return metric_->state_dict(); }
  void load_state_dict(const SavedState& state) override { metric_->load_state_dict(state); }

 private:
  size_t place_;
  AnyMetric metric_;
};

}  // namespace weft::train
