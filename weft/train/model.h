// Model: a module with what trains it: compile, fit, evaluate, predict.
//
//   nn::Sequential net({nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 2)});
//   train::Model model(net);
//   optim::Adam adam(net.parameters(), {.lr = 0.02});
//   model.compile(adam, "cross_entropy", {"accuracy"});
//   const train::History history = model.fit({x, y}, {.epochs = 20, .validation_data = {u, v}});
#pragma once

#include <map>

#include "weft/train/callback.h"
#include "weft/train/examples.h"
#include "weft/train/loss.h"
#include "weft/train/metric.h"
#include "weft/train/optimizer.h"

namespace weft::train {

struct CompileOptions {
  bool run_eagerly = false;              // computes steps op by op, with the same bits
  std::optional<DType> precision = {};   // products are computed in it: kBF16, or kF16 with a
                                         // scaled loss; parameters stay as they are
  std::optional<double> clip_norm = {};  // the greatest norm of all gradients together
  int64_t accumulate = 1;                // batches whose gradients are averaged before an update
};

using ClassWeight = std::map<int64_t, double>;  // weights of classes; others have 1

inline constexpr int kAuto = -1;

struct FitOptions {
  int64_t epochs = 1;             // the last epoch
  int64_t batch_size = 32;        // rows in a batch, if the examples are no dataset
  Examples validation_data = {};  // evaluated after every epoch
  Callbacks callbacks = {};
  ClassWeight class_weight = {};  // for targets that are classes
  int64_t initial_epoch = 0;
  // 1 shows a progress bar, 2 one line an epoch, 0 nothing; kAuto is 1 on a terminal, 2 elsewhere.
  int verbose = kAuto;
  bool shuffle = true;          // rows are put into a new order in each epoch
  double validation_split = 0;  // the part of the rows, at their end, that is kept for validation
  std::string resume = {};  // a folder for checkpoints: a run that was stopped goes on where it was
};

struct EvaluateOptions {
  int64_t batch_size = 32;
  int verbose = 0;
};

// A module as training calls it: its inputs in a row to its outputs in a row.
struct Forward {
  Shared<nn::ModuleBase> module;
  std::function<Tensors(TensorSpan inputs)> call;
};

class Compiled;
class Stepped;

class Model {
 public:
  // Refers to a variable of the caller, or keeps a temporary. The module takes one to four tensors,
  // or a TensorSpan, and gives a tensor or a tree of them.
  template <class M>
    requires std::derived_from<std::remove_cvref_t<M>, nn::ModuleBase>
  explicit Model(M&& module);
  // The same for a module that is called in another way.
  Model(nn::ModuleBase& module, std::function<Tensors(TensorSpan inputs)> call);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // How it is trained. Steps are traced functions; to change a module's mode, dtype or what is
  // frozen traces them again.
  void compile(AnyOptimizer optimizer, Loss loss = {}, Metrics metrics = {},
               CompileOptions options = {});
  // Trains. Ctrl-C ends it after the step at hand, a second one at once.
  History fit(const Examples& examples, const FitOptions& options = {});
  // The loss and the metrics over all examples; the model is not trained.
  Logs evaluate(const Examples& examples, const EvaluateOptions& options = {});
  // What the model gives for all rows, computed in batches, without training.
  Tensor predict(const Examples& x, int64_t batch_size = 32);
  Tensors predict_all(const Examples& x, int64_t batch_size = 32);  // of several outputs
  // One step; gives the loss and the metrics of this batch.
  Logs train_on_batch(const Examples& batch, const ClassWeight& class_weight = {});

  nn::ModuleBase& module() const { return *forward_.module; }
  optim::Optimizer& optimizer();

 private:
  explicit Model(Forward forward);
  Compiled& compiled(std::string_view who);

  Forward forward_;
  Shared<Compiled> compiled_;
  Shared<Stepped> predict_;
};

namespace detail {

[[noreturn]] void fail_inputs(const nn::ModuleBase& module, size_t count);

template <class M>
Tensors call(M& module, TensorSpan in) {
  if constexpr (std::invocable<M&, TensorSpan>) {
    return flattened(module(in));
  } else {
    if constexpr (std::invocable<M&, const Tensor&>) {
      if (in.size() == 1) return flattened(module(in[0]));
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&>) {
      if (in.size() == 2) return flattened(module(in[0], in[1]));
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&, const Tensor&>) {
      if (in.size() == 3) return flattened(module(in[0], in[1], in[2]));
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&, const Tensor&, const Tensor&>) {
      if (in.size() == 4) return flattened(module(in[0], in[1], in[2], in[3]));
    }
    fail_inputs(module, in.size());
  }
}

template <class M>
Forward forward_of(M&& module) {
  using Type = std::remove_cvref_t<M>;
  Shared<Type> held;
  if constexpr (std::is_lvalue_reference_v<M>) {
    held = Shared<Type>(&module, [](void*) {});
  } else {
    held = new_shared<Type>(std::forward<M>(module));
  }
  return {held, [held](TensorSpan in) { return call(*held, in); }};
}

}  // namespace detail

template <class M>
  requires std::derived_from<std::remove_cvref_t<M>, nn::ModuleBase>
Model::Model(M&& module) : Model(detail::forward_of(std::forward<M>(module))) {}

}  // namespace weft::train
