// Run: one training. Callbacks see it; its state holds where it stands, so that it can be taken up
// again.
#pragma once

#include <memory>

#include "weft/train/model.h"

namespace weft::train {

class Batches;
class Pass;
class Interrupts;
class Progress;

class Run {
 public:
  Run(Shared<Compiled> compiled, const Examples& examples, const FitOptions& options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  History train();

  int64_t epoch() const { return epoch_; }
  int64_t step() const { return step_; }    // of all epochs
  int64_t batch() const { return batch_; }  // of this epoch
  nn::ModuleBase& module() const;
  optim::Optimizer& optimizer() const;
  Compiled& compiled() const { return *compiled_; }
  Logs logs() const;  // of this epoch so far
  const History& history() const { return history_; }
  const Callbacks& callbacks() const { return callbacks_; }

  // Ends the training after this step, or this epoch if it is between two. The first reason that is
  // given is History::stop_reason.
  void stop(const std::string& reason) {
    if (!stop_reason_) stop_reason_ = reason;
  }
  const std::optional<std::string>& stop_reason() const { return stop_reason_; }
  // Has it come to its last epoch, or was it stopped?
  bool is_at_end() const { return epoch_ >= options_.epochs || stop_reason_.has_value(); }
  int64_t epochs() const { return options_.epochs; }
  // Shows a line, unless nothing is to be shown.
  void note(const std::string& what) const;
  // Tells of what went wrong, though training goes on: in the log, and in the history.
  void warn(const std::string& what);

  SavedState state_dict() const;
  void load_state_dict(const SavedState& state);

 private:
  template <class... Args>
  void tell(void (Callback::*word)(Run&, Args...), const std::type_identity_t<Args>&... args);
  void prepare();
  SavedState::Dict circumstances() const;
  void need_same(const SavedState& state) const;
  void run_epoch();
  void run_step(Batch& batch);
  void compute(const Batch& batch);
  void begin_pass();
  bool next(Batch& out);
  bool next_waited_for(Batch& out);
  bool end_epoch();

  Shared<Compiled> compiled_;
  const FitOptions options_;
  Callbacks callbacks_;
  std::unique_ptr<Batches> source_, validation_;
  std::unique_ptr<Progress> progress_;
  const Interrupts* interrupts_ = nullptr;  // while it trains
  bool checks_gradients_ = false;
  Tensor class_table_;  // weights by class; undefined: all have 1
  bool knows_classes_;  // that there are no weights of others

  int64_t epoch_, step_ = 0, batch_ = 0;
  Tensor key_;  // of the order of this epoch
  std::unique_ptr<Pass> pass_;
  std::optional<Batch>
      ahead_;  // of pass_: it told the sizes of layers, and is the first all the same
  std::optional<SavedState> taken_up_;  // where the data stood, if the run was taken up
  int64_t again_ = 0;                   // batches that are read again from there
  std::unique_ptr<SavedState> anchor_;  // where they stood when this pass was begun or taken up
  int64_t anchor_batch_ = 0;            // the batch there
  bool broke_off_ = false;  // what makes data was broken off, and may stand in the middle of one
  History history_;
  double begun_ = 0;  // when the step under way had its batch, in seconds; 0: none is
  std::optional<std::string> stop_reason_;
};

// The loss and the metrics over all of `source`; nothing if it was interrupted.
std::optional<Logs> measured(Compiled& compiled, const Batches& source, std::string_view who,
                             std::string_view prefix, Progress* progress = nullptr,
                             const Interrupts* interrupts = nullptr);

}  // namespace weft::train
