// Checkpoints of models and runs.
#include "weft/train/checkpoints.h"

#include <cmath>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/function_ref.h"
#include "weft/train/monitor.h"
#include "weft/train/run.h"

namespace weft::train {
namespace {

void require_count(std::string_view who, std::string_view name, int64_t value) {
  if (value >= 0) return;
  fail(Code::kInvalid, who, name, name, " is ", value, "; it is 1 or more, or 0 for never");
}

// Was it saved? If not, training goes on, and the next one is tried.
bool tried(std::string_view who, Run& run, int64_t step, FunctionRef<void()> action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.code == Code::kInterrupted) throw;
    run.warn(text(who, ": step ", step, " could not be saved: ", error.message,
                  "; training goes on [", who, ".save]"));
    return false;
  }
  return true;
}

}  // namespace

ModelCheckpoint::ModelCheckpoint(std::string folder, ModelCheckpointOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  require_count("ModelCheckpoint", "every_steps", options_.every_steps);
  require_count("ModelCheckpoint", "every_epochs", options_.every_epochs);
  is_max_mode("ModelCheckpoint", options_.monitor, options_.mode);
}

void ModelCheckpoint::on_train_begin(Run& run) {
  CheckpointOptions how{.max_to_keep = options_.max_to_keep, .asynchronous = options_.asynchronous};
  if (!options_.monitor.empty()) {
    const bool is_max = is_max_mode("ModelCheckpoint", options_.monitor, options_.mode);
    how.best = Best{options_.monitor, is_max ? "max" : "min"};
  }
  CheckpointManager::Objects objects = {{"model", run.module()}, {"optimizer", run.optimizer()}};
  manager_ = new_shared<CheckpointManager>(folder_, std::move(objects), how);
}

void ModelCheckpoint::on_batch_end(Run& run, int64_t) {
  const int64_t every = options_.every_steps;
  if (every == 0 || run.step() % every != 0) return;
  save(run, {});
}

void ModelCheckpoint::save(Run& run, const MetricValues& metrics) {
  on_train_end(run);
  tried("ModelCheckpoint", run, run.step(), [&] { manager_->save(run.step(), metrics); });
  if (options_.asynchronous) under_way_ = run.step();
}

void ModelCheckpoint::on_epoch_end(Run& run, int64_t epoch, const Logs& logs) {
  const int64_t every = options_.every_epochs;
  if (every == 0 || (epoch + 1) % every != 0) return;
  const std::string& monitor = options_.monitor;
  if (!monitor.empty() && logs.find(monitor) == nullptr) {
    fail(Code::kInvalid, "ModelCheckpoint", "monitor", "there is no '", monitor,
         "' to watch; there are ", logs.names());
  }
  MetricValues numbers;
  for (const auto& [name, value] : logs) {
    if (std::isfinite(value)) numbers[name] = value;
  }
  const bool is_measured = monitor.empty() || numbers.contains(monitor);
  save(run, is_measured ? numbers : MetricValues());
}

void ModelCheckpoint::on_train_end(Run& run) {
  if (const std::optional<int64_t> step = std::exchange(under_way_, {})) {
    tried("ModelCheckpoint", run, *step, [&] { manager_->wait(); });
  }
}

Resume::Resume(std::string folder, ResumeOptions options)
    : folder_(std::move(folder)), options_(options) {
  require_count("Resume", "every_steps", options_.every_steps);
}

void Resume::on_train_begin(Run& run) {
  if (&*run.callbacks().back() != this) {
    fail(Code::kInvalid, "Resume", "order",
         "stands before other callbacks, whose states it could not save as they are after a step; "
         "put it last");
  }
  const Kept whole([&run] { return run.state_dict(); },
                   [&run](const SavedState& state) { run.load_state_dict(state); });
  CheckpointManager::Objects objects = {{"model", run.module()}, {"run", whole}};
  manager_ =
      new_shared<CheckpointManager>(folder_, std::move(objects),
                                    CheckpointOptions{.max_to_keep = options_.max_to_keep,
                                                      .asynchronous = options_.asynchronous});
  try {
    resumed_step_ = manager_->restore_latest();
  } catch (const Error& error) {
    if (error.code != Code::kInvalid || error.op == "resume") throw;
    fail(Code::kInvalid, "resume", "model", "what is saved in '", folder_,
         "' is of another model or optimizer: ", error.op, ": ", error.message, " [", error.op, '.',
         error.law, "]; take another folder for this one");
  }
  saved_ = Place(run.epoch(), run.batch(), run.step());
  if (!resumed_step_ || !run.is_at_end()) return;
  const std::string why =
      run.stop_reason() ? text(" (", *run.stop_reason(), ')') : text(" of ", run.epochs());
  run.note(text("resume: the run in '", folder_, "' has come to its end after epoch ", run.epoch(),
                why, "; nothing is left to train"));
}

void Resume::save(Run& run) {
  const Place place(run.epoch(), run.batch(), run.step());
  if (saved_ == place) return;
  wait(run);
  if (tried("Resume", run, run.step(), [&] { manager_->save(run.step()); })) saved_ = place;
  if (options_.asynchronous) under_way_ = run.step();
}

// Until the save under way is done; one that failed is told of, and is none.
void Resume::wait(Run& run) {
  const std::optional<int64_t> step = std::exchange(under_way_, {});
  if (step && !tried("Resume", run, *step, [&] { manager_->wait(); })) saved_.reset();
}

void Resume::on_batch_end(Run& run, int64_t) {
  // A step that was refused, since its numbers are not finite, is none to go on from.
  const int64_t every = options_.every_steps;
  if (every != 0 && run.step() % every == 0 && !run.stop_reason()) save(run);
}

void Resume::on_epoch_end(Run& run, int64_t, const Logs&) {
  reason_ = run.stop_reason();
  save(run);
}

void Resume::on_train_end(Run& run) {
  wait(run);
  if (run.stop_reason() == "interrupted") save(run);
  wait(run);
}

SavedState Resume::state_dict() const {
  return SavedState::dict({{"stop_reason", reason_ ? SavedState(*reason_) : SavedState()}});
}

void Resume::load_state_dict(Run& run, const SavedState& state) {
  reason_.reset();
  const SavedState* const reason = state.find("stop_reason");
  if (reason == nullptr || !std::holds_alternative<std::string>(reason->value())) return;
  reason_ = reason->text();
  run.stop(*reason_);
}

}  // namespace weft::train
