// The callbacks of the library: what is done while a model is trained. Read callback.h first.
//
//   train::EarlyStopping stopping({.monitor = "val_loss", .patience = 3});
//   model.fit({x, y}, {.callbacks = {stopping, train::CSVLogger("log.csv")}});
#pragma once

#include <functional>

#include "weft/optim/schedule.h"
#include "weft/train/callback.h"

namespace weft::train {

// What callbacks share that watch a number of the logs: whether it has become better.
class Watcher : public Callback {
 public:
  std::optional<double> best() const { return best_; }

 protected:
  // `mode` is "min" if less is better, "max" if more is; "auto" goes by the name. Raises
  // [who.mode].
  Watcher(std::string who, std::string monitor, const std::string& mode, double min_delta);
  // Raises [who.monitor] if it is not there.
  double watched(const Logs& logs) const;
  // Better than the best, by min_delta at least? NaN never is.
  bool is_better(double value) const;

  const std::string monitor_;
  std::optional<double> best_;

 private:
  const std::string who_;
  const bool is_max_;
  const double min_delta_;
};

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";   // the number that is watched
  int64_t patience = 0;               // epochs without progress that are borne
  double min_delta = 0;               // less is no progress
  std::string mode = "auto";          // "min", "max"
  bool restore_best_weights = false;  // the model ends with the parameters of its best epoch; one
                                      // that is interrupted keeps the last
};
// Ends a training when a number has not become better for a while.
class EarlyStopping : public Watcher {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});
  std::optional<int64_t> best_epoch() const { return best_epoch_; }

  void on_train_begin(Run& run) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  void on_train_end(Run& run) override;
  SavedState state_dict() const override;
  void load_state_dict(Run& run, const SavedState& state) override;

 private:
  EarlyStoppingOptions options_;
  std::optional<int64_t> best_epoch_;
  int64_t wait_ = 0;
  std::optional<TensorDict> weights_;
};

enum class Every : uint8_t { kEpoch, kStep };

// Sets the learning rate: by a function of the epoch, or of the epoch and the rate there is; or by
// an optim::Schedule, which moves on after every epoch or step. Of several groups of parameters a
// function of the epoch gives the first one's rate, and the others keep their proportion to it; one
// of both is asked for each.
class LearningRateScheduler : public Callback {
 public:
  explicit LearningRateScheduler(std::function<double(int64_t epoch)> rate)
      : first_(std::move(rate)) {}
  explicit LearningRateScheduler(std::function<double(int64_t epoch, double rate)> rate)
      : rate_(std::move(rate)) {}
  explicit LearningRateScheduler(optim::Schedule& schedule, Every every = Every::kEpoch)
      : schedule_(&schedule), every_(every) {}

  void on_train_begin(Run& run) override;
  void on_epoch_begin(Run& run, int64_t epoch) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  void on_batch_end(Run& run, int64_t batch) override;
  SavedState state_dict() const override;
  void load_state_dict(Run& run, const SavedState& state) override;

 private:
  std::function<double(int64_t)> first_;
  std::function<double(int64_t, double)> rate_;
  std::vector<double> parts_;  // the groups' rates by the first one's
  optim::Schedule* schedule_ = nullptr;
  Every every_ = Every::kEpoch;
};

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;  // what the rate is multiplied by
  int64_t patience = 10;
  double min_delta = 1e-4;
  std::string mode = "auto";
  int64_t cooldown = 0;  // epochs after a change that are not counted
  double min_lr = 0;
};
// Multiplies the learning rate, of each group of parameters its own, by a factor when a number has
// not become better for a while.
class ReduceLROnPlateau : public Watcher {
 public:
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});
  void on_train_begin(Run& run) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  SavedState state_dict() const override;
  void load_state_dict(Run& run, const SavedState& state) override;

 private:
  ReduceLROnPlateauOptions options_;
  int64_t wait_ = 0, rest_ = 0;
};

// Writes a line for each epoch to a CSV file, which is whole at any time. A file that cannot be
// written is warned of, and tried again after the next epoch.
class CSVLogger : public Callback {
 public:
  // `append`: lines of earlier epochs that are in the file stay; those of a run that is resumed
  // always do. Raises [CSVLogger.append] when the training begins, if the file is of another kind.
  explicit CSVLogger(std::string path, bool append = false)
      : path_(std::move(path)), append_(append) {}
  void on_train_begin(Run& run) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  SavedState state_dict() const override;
  void load_state_dict(Run& run, const SavedState& state) override;

 private:
  using Row = std::vector<std::pair<std::string, std::string>>;  // "epoch" first
  std::vector<Row> read_rows() const;
  std::string path_;
  bool append_;
  std::vector<Row> rows_;
};

// A callback of functions, named as the methods of Callback are.
struct LambdaCallback : Callback {
  struct Functions {
    std::function<void(Run&)> on_train_begin = {}, on_train_end = {};
    std::function<void(Run&, int64_t epoch)> on_epoch_begin = {};
    std::function<void(Run&, int64_t epoch, const Logs& logs)> on_epoch_end = {};
    std::function<void(Run&, int64_t batch)> on_batch_begin = {}, on_batch_end = {};
  };
  explicit LambdaCallback(Functions functions) : functions_(std::move(functions)) {}
  void on_train_begin(Run& run) override;
  void on_train_end(Run& run) override;
  void on_epoch_begin(Run& run, int64_t epoch) override;
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override;
  void on_batch_begin(Run& run, int64_t batch) override;
  void on_batch_end(Run& run, int64_t batch) override;

 private:
  Functions functions_;
};

}  // namespace weft::train
