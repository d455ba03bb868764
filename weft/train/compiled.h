// Compiled: what compile() sets down, and the steps that are made of it.
#pragma once

#include <functional>

#include "weft/runtime/traced.h"
#include "weft/train/loss_scaler.h"
#include "weft/train/metrics.h"
#include "weft/train/model.h"

namespace weft::train {

// A function of tensors and the module: traced for each mode of the module, or called as it is.
class Stepped {
 public:
  Stepped(std::string name, bool is_traced);
  // `form` tells calls of another structure apart.
  Tensors operator()(const nn::ModuleBase& module, FlatFunction f, TensorSpan in,
                     const std::string& form);

 private:
  std::optional<TracedFunction> traces_;
};

class Compiled {
 public:
  Compiled(Forward forward, AnyOptimizer optimizer, Loss loss, Metrics metrics,
           CompileOptions options);

  // The module computes in the precision that was asked for; then as it did before, except where
  // that was changed since.
  void begin();
  void end();

  // What follows is called from that line of the user's.
  void call_from(Where where) { where_ = where; }

  // Do layers wait for the sizes of a first batch?
  bool waits() const;
  // Makes parameters whose sizes the first batch tells; raises [who.channels].
  void learn_sizes(const Batch& first, std::string_view who) const;
  // The same, and the optimizer.
  void prepare(const Batch& first, std::string_view who);
  optim::Optimizer& optimizer() { return optimizer_.of(module()); }
  nn::ModuleBase& module() const { return *forward_.module; }
  Tensors call(TensorSpan x) const { return forward_.call(x, where_); }
  const Loss& loss() const { return loss_; }

  void reset();  // forgets what was measured
  Logs logs(std::string_view prefix = "") const;
  // What was measured since reset(), as a state.
  SavedState measures() const;
  void load_measures(const SavedState& state);
  // While it lives a training is under way: what callbacks measure is no part of its epoch.
  class Fitting {
   public:
    explicit Fitting(Compiled& compiled) : compiled_(compiled) { compiled_.is_fitting_ = true; }
    ~Fitting() { compiled_.is_fitting_ = false; }
    Fitting(const Fitting&) = delete;
    Fitting& operator=(const Fitting&) = delete;

   private:
    Compiled& compiled_;
  };
  // f(), which measures apart from the epoch that is under way.
  Logs apart(const std::function<Logs()>& f);

  // A step of training.
  void train(const Batch& batch);
  // The same in two: what gradients() gives is finite, or there is no update.
  struct Gradients {
    Tensor loss;
    Tensors gradients, outputs;
    bool is_finite;
  };
  Gradients gradients(const Batch& batch);
  void update(const Gradients& found, const Batch& batch);
  // What is measured of a batch without training.
  void test(const Batch& batch);

  // The loss, its gradients and what the model gave, op by op.
  struct Computed {
    Tensor loss;
    Tensors gradients, outputs;
  };
  Computed computed(TensorSpan x, TensorSpan y, const Tensor& weight);

  // What must be kept beside the model to go on with the same bits.
  SavedState state_dict();
  void load_state_dict(const SavedState& state);

 private:
  std::vector<Variable> trained() const;
  void need_same(const SavedState& state) const;
  // Raises [compile.loss] if it is not one number.
  Tensor loss_of(TensorSpan outputs, TensorSpan y, const Tensor& weight) const;
  void measure(TensorSpan outputs, TensorSpan y, const Tensor& weight, const Tensor& loss,
               const Tensor& count);
  void measure_outside(TensorSpan outputs, const Batch& batch);
  void take(TensorSpan gradients);
  void add(TensorSpan gradients);
  std::vector<Variable> trained_sums() const;
  void apply(TensorSpan gradients);
  void apply_sums();
  // Measures a batch by `step`, which gives the outputs.
  Tensors run(Stepped& step, const Batch& batch, TensorSpan more, FlatFunction f);

  Forward forward_;
  Where where_;
  AnyOptimizer optimizer_;
  Loss loss_;
  Metrics metrics_;
  std::vector<std::string> names_;  // of the loss and the metrics, each another
  CompileOptions options_;
  Mean mean_loss_{"loss"};
  bool is_fitting_ = false;
  std::optional<LossScaler> scaler_;
  std::vector<std::pair<nn::ModuleBase*, std::optional<DType>>> before_;  // what they computed in
  std::vector<Variable> sums_;  // of all parameters: gradients of batches whose update is to come
  Variable seen_;               // such batches
  Stepped train_step_, gradient_step_, update_step_, test_step_;
};

// The mode of a module and of all below.
void set_training(nn::ModuleBase& module, bool mode);
// While it lives a module is in a mode; then each of its modules is in its own again.
class ModeIs {
 public:
  ModeIs(nn::ModuleBase& module, bool mode);
  ~ModeIs();
  ModeIs(const ModeIs&) = delete;
  ModeIs& operator=(const ModeIs&) = delete;

 private:
  std::vector<std::pair<nn::ModuleBase*, bool>> before_;
};

}  // namespace weft::train
