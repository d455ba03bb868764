// Callback: what is told of a training. Subclass it and write the methods that matter.
//
//   struct Counter : train::Callback {
//     int64_t batches = 0;
//     void on_batch_end(train::Run&, int64_t) override { ++batches; }
//   };
#pragma once

#include "weft/train/given.h"
#include "weft/train/history.h"

namespace weft::train {

class Run;
struct Batch;

// None of the calls gives anything back: what a callback wants, it does with the Run. run.stop(why)
// ends the training, run.warn(what) tells of it, run.module() and run.optimizer() are at work.
class Callback {
 public:
  virtual ~Callback() = default;

  // Before the first epoch.
  virtual void on_train_begin(Run&) {}
  // After the last epoch, or the last step of a training that was stopped.
  virtual void on_train_end(Run&) {}
  // Before an epoch; the first is 0.
  virtual void on_epoch_begin(Run&, int64_t epoch) { static_cast<void>(epoch); }
  // After an epoch and its validation. run.epoch() is the next one by now.
  virtual void on_epoch_end(Run&, int64_t epoch, const Logs& logs) {
    static_cast<void>(epoch), static_cast<void>(logs);
  }
  // Before a step; the first of an epoch is 0.
  virtual void on_batch_begin(Run&, int64_t batch) { static_cast<void>(batch); }
  // After a step; run.logs() is what was measured in this epoch so far.
  virtual void on_batch_end(Run&, int64_t batch) { static_cast<void>(batch); }

  // Gives whether losses and gradients are looked at. True: on_not_finite is called, before
  // parameters are changed, if one is not finite.
  virtual bool checks_gradients() const { return false; }
  // Instead of such a step.
  virtual void on_not_finite(Run&, const Batch& batch) { static_cast<void>(batch); }

  // Gives what must be kept to go on later as if nothing had happened: a dict, of numbers, texts,
  // tensors, and lists and dicts of them. Checkpoints of the run have it.
  virtual SavedState state_dict() const { return SavedState::dict({}); }
  // Takes what state_dict gave; an empty dict if the checkpoint has nothing of this callback.
  virtual void load_state_dict(Run&, const SavedState& state) { static_cast<void>(state); }
};

using Callbacks = std::vector<Given<Callback>>;

}  // namespace weft::train
