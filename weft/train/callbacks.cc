// Callbacks that watch numbers and set rates.
#include "weft/train/callbacks.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>

#include "weft/base/error.h"
#include "weft/train/monitor.h"
#include "weft/train/run.h"

namespace weft::train {
namespace {

SavedState or_nothing(const std::optional<double>& number) {
  return number ? SavedState(*number) : SavedState();
}

// Parts of names, between _, of numbers that are better when they are less, or when they are
// greater.
constexpr std::string_view kLess[] = {
    "loss", "error", "err",     "mse",      "rmse",       "mae",  "mape", "nll",
    "bce",  "wer",   "entropy", "distance", "perplexity", "cost", "cer",  "divergence"};
constexpr std::string_view kGreater[] = {"accuracy", "acc", "precision", "recall", "f1",
                                         "auc",      "r2",  "iou",       "miou",   "dice",
                                         "map",      "ap",  "bleu",      "ndcg"};

bool has_part(std::string_view name, std::span<const std::string_view> words) {
  std::string lower(name);
  for (char& letter : lower) {
    if ('A' <= letter && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  const auto is_word = [&](const std::string& part) {
    return std::ranges::find(words, part) != words.end();
  };
  std::istringstream parts(lower);
  for (std::string part; std::getline(parts, part, '_');) {
    if (is_word(part)) return true;
  }
  return false;
}

bool is_nothing(const SavedState& state) {
  return std::holds_alternative<std::monostate>(state.value());
}

}  // namespace

bool is_max_mode(std::string_view who, std::string_view monitor, std::string_view mode) {
  if (mode == "min" || mode == "max") return mode == "max";
  if (mode != "auto") {
    fail(Code::kInvalid, who, "mode", "mode is '", mode, "'; it is 'min', 'max' or 'auto'");
  }
  if (monitor.empty()) return false;
  if (has_part(monitor, kLess)) return false;
  if (has_part(monitor, kGreater)) return true;
  fail(Code::kInvalid, who, "mode", "'", monitor,
       "' does not tell whether less of it is better or more; give mode 'min' or 'max'");
}

Watcher::Watcher(std::string who, std::string monitor, const std::string& mode, double min_delta)
    : monitor_(std::move(monitor)),
      who_(std::move(who)),
      is_max_(is_max_mode(who_, monitor_, mode)),
      min_delta_(std::abs(min_delta)) {}

double Watcher::watched(const Logs& logs) const {
  if (const double* const value = logs.find(monitor_)) return *value;
  bool is_validated = !monitor_.starts_with("val_");
  for (const auto& [name, value] : logs) is_validated |= name.starts_with("val_");
  fail(Code::kInvalid, who_, "monitor", "there is no '", monitor_, "' to watch; there are ",
       logs.empty() ? "no numbers" : logs.names(),
       is_validated ? "" : "; give fit validation_data");
}

bool Watcher::is_better(double value) const {
  if (std::isnan(value)) return false;
  if (!best_) return true;
  return is_max_ ? value > *best_ + min_delta_ : value < *best_ - min_delta_;
}

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
    : Watcher("EarlyStopping", options.monitor, options.mode, options.min_delta),
      options_(options) {}

void EarlyStopping::on_train_begin(Run&) {
  best_.reset();
  best_epoch_.reset();
  wait_ = 0;
  weights_.reset();
}

void EarlyStopping::on_epoch_end(Run& run, int64_t epoch, const Logs& logs) {
  const double value = watched(logs);
  if (is_better(value)) {
    best_ = value;
    best_epoch_ = epoch;
    wait_ = 0;
    if (options_.restore_best_weights) weights_ = run.module().state_dict();
    return;
  }
  ++wait_;
  if (wait_ < std::max<int64_t>(options_.patience, 1)) return;
  const std::string best =
      best_ ? text("; it was best in epoch ", *best_epoch_ + 1, ", ", shown(*best_)) : "";
  run.stop(text("early stopping: ", monitor_, " has not become better for ", wait_, " epoch",
                wait_ == 1 ? "" : "s", best));
}

void EarlyStopping::on_train_end(Run& run) {
  if (!weights_ || run.stop_reason() == "interrupted") return;
  run.module().load_state_dict(*weights_);
}

SavedState EarlyStopping::state_dict() const {
  return SavedState::dict({{"best", or_nothing(best_)},
                           {"best_epoch", best_epoch_ ? SavedState(*best_epoch_) : SavedState()},
                           {"wait", wait_},
                           {"weights", weights_ ? SavedState(*weights_) : SavedState()}});
}

void EarlyStopping::load_state_dict(Run&, const SavedState& state) {
  if (state.find("wait") == nullptr) return;
  const SavedState &best = state.at("best"), &epoch = state.at("best_epoch");
  const SavedState& weights = state.at("weights");
  best_ = is_nothing(best) ? std::nullopt : std::optional(best.number());
  best_epoch_ = is_nothing(epoch) ? std::nullopt : std::optional(epoch.integer());
  wait_ = state.at("wait").integer();
  weights_ = is_nothing(weights) ? std::nullopt : std::optional(weights.tensors());
}

void LearningRateScheduler::on_train_begin(Run& run) {
  parts_.clear();
  const double first = run.optimizer().lr();
  for (const optim::Group& group : run.optimizer().groups()) {
    parts_.push_back(first != 0 ? group.value("lr") / first : 1);
  }
}

void LearningRateScheduler::on_epoch_begin(Run& run, int64_t epoch) {
  if (schedule_ != nullptr) return;
  optim::Optimizer& optimizer = run.optimizer();
  const double first = first_ ? first_(epoch) : 0;
  for (size_t g = 0; g < parts_.size(); ++g) {
    const double old = optimizer.groups()[g].value("lr");
    optimizer.set_option(g, "lr", first_ ? first * parts_[g] : rate_(epoch, old));
  }
}

void LearningRateScheduler::on_epoch_end(Run&, int64_t, const Logs&) {
  if (schedule_ != nullptr && every_ == Every::kEpoch) schedule_->step();
}

void LearningRateScheduler::on_batch_end(Run&, int64_t) {
  if (schedule_ != nullptr && every_ == Every::kStep) schedule_->step();
}

SavedState LearningRateScheduler::state_dict() const {
  if (schedule_ == nullptr) return SavedState::dict({});
  return SavedState::dict({{"schedule", schedule_->state_dict()}});
}

void LearningRateScheduler::load_state_dict(Run&, const SavedState& state) {
  const SavedState* const own = state.find("schedule");
  if (own == nullptr || schedule_ == nullptr) return;
  schedule_->load_state_dict(own->tensors());
}

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : Watcher("ReduceLROnPlateau", options.monitor, options.mode, options.min_delta),
      options_(options) {
  if (0 < options.factor && options.factor < 1) return;
  fail(Code::kInvalid, "ReduceLROnPlateau", "factor", "factor is ", options.factor,
       "; it lies between 0 and 1");
}

void ReduceLROnPlateau::on_train_begin(Run&) {
  best_.reset();
  wait_ = rest_ = 0;
}

void ReduceLROnPlateau::on_epoch_end(Run& run, int64_t, const Logs& logs) {
  const double value = watched(logs);
  if (is_better(value)) {
    best_ = value;
    wait_ = 0;
  } else if (rest_ == 0 && ++wait_ >= std::max<int64_t>(options_.patience, 1)) {
    optim::Optimizer& optimizer = run.optimizer();
    for (size_t g = 0; g < optimizer.groups().size(); ++g) {
      const double rate = optimizer.groups()[g].value("lr");
      optimizer.set_option(g, "lr", std::max(rate * options_.factor, options_.min_lr));
    }
    wait_ = 0;
    rest_ = options_.cooldown + 1;
  }
  rest_ = std::max<int64_t>(rest_ - 1, 0);
}

SavedState ReduceLROnPlateau::state_dict() const {
  return SavedState::dict({{"best", or_nothing(best_)}, {"wait", wait_}, {"rest", rest_}});
}

void ReduceLROnPlateau::load_state_dict(Run&, const SavedState& state) {
  if (state.find("wait") == nullptr) return;
  const SavedState& best = state.at("best");
  best_ = is_nothing(best) ? std::nullopt : std::optional(best.number());
  wait_ = state.at("wait").integer();
  rest_ = state.at("rest").integer();
}

void LambdaCallback::on_train_begin(Run& run) {
  if (functions_.on_train_begin) functions_.on_train_begin(run);
}
void LambdaCallback::on_train_end(Run& run) {
  if (functions_.on_train_end) functions_.on_train_end(run);
}
void LambdaCallback::on_epoch_begin(Run& run, int64_t epoch) {
  if (functions_.on_epoch_begin) functions_.on_epoch_begin(run, epoch);
}
void LambdaCallback::on_epoch_end(Run& run, int64_t epoch, const Logs& logs) {
  if (functions_.on_epoch_end) functions_.on_epoch_end(run, epoch, logs);
}
void LambdaCallback::on_batch_begin(Run& run, int64_t batch) {
  if (functions_.on_batch_begin) functions_.on_batch_begin(run, batch);
}
void LambdaCallback::on_batch_end(Run& run, int64_t batch) {
  if (functions_.on_batch_end) functions_.on_batch_end(run, batch);
}

}  // namespace weft::train
