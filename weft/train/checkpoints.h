// Callbacks that save: checkpoints of a model, and of a whole run, which can be taken up again.
#pragma once

#include <tuple>

#include "weft/io/checkpoint/manager.h"
#include "weft/train/callback.h"

namespace weft::train {

struct ModelCheckpointOptions {
  int64_t every_steps = 0;   // saves after so many steps; 0: not by steps
  int64_t every_epochs = 1;  // saves after so many epochs; 0: by steps alone
  std::string monitor = {};  // a number by which the best one is kept, however old it is
  std::string mode = "auto";
  std::optional<int64_t> max_to_keep = 5;
  // Files are written beside the training, which waits only if the one before is not done. What
  // went wrong is told when the next one is saved.
  bool asynchronous = false;
};
// Saves the model and its optimizer while it is trained, by a CheckpointManager, which brings one
// back. One that cannot be saved is warned of, in History::warnings too, and training goes on.
class ModelCheckpoint : public Callback {
 public:
  explicit ModelCheckpoint(std::string folder, ModelCheckpointOptions options = {});
  CheckpointManager& manager() const { return *manager_; }  // from the first epoch on

  void on_train_begin(Run& run) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  void on_batch_end(Run& run, int64_t batch) override;
  void on_train_end(Run& run) override;

 private:
  void save(Run& run, const MetricValues& metrics);
  std::string folder_;
  ModelCheckpointOptions options_;
  Shared<CheckpointManager> manager_;
  std::optional<int64_t> under_way_;  // the step of a save that may not be done
};

struct ResumeOptions {
  int64_t every_steps = 0;  // 0: after epochs, and when it is interrupted
  std::optional<int64_t> max_to_keep = 2;
  bool asynchronous = false;  // as ModelCheckpoint's
};
// Lets a run go on where it was stopped, with the same bits: what FitOptions::resume uses.
//
// It takes up the latest checkpoint of the folder when the training begins, and saves the model and
// the run: epoch, step, place in the data, optimizer, metrics, other callbacks, random state. It is
// the last of all callbacks, so that the others' states are saved as they are after the step. A run
// that has come to its end is at its end when it is taken up, too.
class Resume : public Callback {
 public:
  explicit Resume(std::string folder, ResumeOptions options = {});
  // Where this run was taken up; nothing if it began anew.
  std::optional<int64_t> resumed_step() const { return resumed_step_; }

  void on_train_begin(Run& run) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  void on_batch_end(Run& run, int64_t batch) override;
  void on_train_end(Run& run) override;
  SavedState state_dict() const override;
  void load_state_dict(Run& run, const SavedState& state) override;

 private:
  using Place = std::tuple<int64_t, int64_t, int64_t>;
  void save(Run& run);
  void wait(Run& run);
  std::string folder_;
  ResumeOptions options_;
  Shared<CheckpointManager> manager_;
  std::optional<int64_t> resumed_step_;
  std::optional<Place> saved_;
  std::optional<int64_t> under_way_;  // the step of a save that may not be done
  std::optional<std::string> reason_;
};

}  // namespace weft::train
