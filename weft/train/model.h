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
  // Training ends before the epoch of this number; the first is 0, so that it is how many there are
  // unless initial_epoch says otherwise.
  int64_t epochs = 1;
  int64_t batch_size = 32;        // rows in a batch; of no account for a dataset, which has batches
  Examples validation_data = {};  // evaluated after every epoch, as val_loss and val_<metric>
  Callbacks callbacks = {};       // told of the training in this order; see callback.h
  ClassWeight class_weight = {};  // how much examples count, by the class that is their target
  int64_t initial_epoch = 0;      // the number of the first epoch: of a training that goes on
  // 1 shows a progress bar, 2 one line an epoch, 0 nothing; kAuto is 1 on a terminal, 2 elsewhere.
  int verbose = kAuto;
  bool shuffle = true;  // rows are put into a new order in each epoch; of no account for a dataset
  // The part of the rows, at their end, that is kept for validation; 0: none. Raises
  // [fit.validation_split] for a dataset, and beside validation_data.
  double validation_split = 0;
  // A folder for checkpoints of the whole run, one after each epoch: a run that was stopped goes on
  // where it was, and ends with the same bytes. Empty: none.
  std::string resume = {};
};

struct EvaluateOptions {
  int64_t batch_size = 32;  // rows in a batch; of no account for a dataset
  int verbose = 0;          // as in FitOptions, where 0 shows nothing
};

// A module as training calls it: its inputs in a row to its outputs in a row. Layers of the library
// are told the user's line.
struct Forward {
  Shared<nn::ModuleBase> module;
  std::function<Tensors(TensorSpan inputs, Where where)> call;
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
  History fit(const Examples& examples, const FitOptions& options = {},
              Where where = Where::here());
  // The loss and the metrics over all examples; the model is not trained.
  Logs evaluate(const Examples& examples, const EvaluateOptions& options = {},
                Where where = Where::here());
  // What the model gives for all rows, computed in batches, without training.
  Tensor predict(const Examples& x, int64_t batch_size = 32, Where where = Where::here());
  // The same of several outputs.
  Tensors predict_all(const Examples& x, int64_t batch_size = 32, Where where = Where::here());
  // One step; gives the loss and the metrics of this batch.
  Logs train_on_batch(const Examples& batch, const ClassWeight& class_weight = {},
                      Where where = Where::here());

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

inline Tensors in_a_row(Tensors outputs) { return outputs; }
template <class T>
Tensors in_a_row(const T& outputs) {
  return flattened(outputs);
}

// With the line if it takes one.
template <class M, class... Args>
Tensors called(M& module, Where where, const Args&... args) {
  if constexpr (std::invocable<M&, const Args&..., Where>) {
    return in_a_row(module(args..., where));
  } else {
    return in_a_row(module(args...));
  }
}

template <class M>
Tensors call(M& module, TensorSpan in, Where where) {
  if constexpr (std::invocable<M&, TensorSpan>) {
    return called(module, where, in);
  } else {
    if constexpr (std::invocable<M&, const Tensor&>) {
      if (in.size() == 1) return called(module, where, in[0]);
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&>) {
      if (in.size() == 2) return called(module, where, in[0], in[1]);
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&, const Tensor&>) {
      if (in.size() == 3) return called(module, where, in[0], in[1], in[2]);
    }
    if constexpr (std::invocable<M&, const Tensor&, const Tensor&, const Tensor&, const Tensor&>) {
      if (in.size() == 4) return called(module, where, in[0], in[1], in[2], in[3]);
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
  return {held, [held](TensorSpan in, Where where) { return call(*held, in, where); }};
}

}  // namespace detail

template <class M>
  requires std::derived_from<std::remove_cvref_t<M>, nn::ModuleBase>
Model::Model(M&& module) : Model(detail::forward_of(std::forward<M>(module))) {}

}  // namespace weft::train
