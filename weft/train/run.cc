// fit: epochs of steps, with what people watch around them.
#include "weft/train/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/log.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/key.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/batches.h"
#include "weft/train/checkpoints.h"
#include "weft/train/compiled.h"
#include "weft/train/interrupts.h"
#include "weft/train/profile.h"
#include "weft/train/progress.h"

namespace weft::train {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

namespace {

// Targets as classes: of several floats an example, one hot, the place of the greatest.
Tensor classes_of(const Tensor& target) {
  Tensor y = target;
  if (y.rank() >= 2 && same(y.dim(-1), 1) == Tri::kYes) {
    y = index(y, {kEllipsis, 0});
  } else if (y.rank() >= 2 && is_floating(y.dtype())) {
    return argmax(y, -1);
  }
  return cast(is_floating(y.dtype()) ? floor(y + 0.5) : y, DType::kI64);
}

}  // namespace

Tensor class_table(const ClassWeight& weights, std::string_view who) {
  if (weights.empty()) return {};
  if (weights.begin()->first < 0) {
    fail(Code::kInvalid, who, "class_weight", "class_weight names the class ",
         weights.begin()->first, "; classes count from 0");
  }
  std::vector<float> table(static_cast<size_t>(weights.rbegin()->first) + 1, 1.0F);
  for (const auto& [number, weight] : weights) {
    table[static_cast<size_t>(number)] = static_cast<float>(weight);
  }
  const Shape shape{Dim(static_cast<int64_t>(table.size()))};
  return Tensor::from_bytes(DType::kF32, shape, std::as_bytes(std::span(table)));
}

void weigh(Batch& batch, const Tensor& table) {
  if (!table.defined()) return;
  if (batch.y.size() != 1) {
    fail(Code::kInvalid, "fit", "class_weight", "there are weights of classes for ", batch.y.size(),
         " targets; they need one target, of classes");
  }
  const Tensor classes = classes_of(batch.y[0]);
  const int64_t last = table.dim(0).value() - 1;
  const Tensor is_class = classes >= 0, is_named = classes <= last;
  const Tensor is_in = logical_and(is_class, is_named);
  const Tensor weights = take(table, minimum(maximum(classes, 0), last), 0);
  batch.weight = where(is_in, weights, Tensor::scalar(DType::kF32, 1));
}

namespace {

// The next batch; none if Ctrl-C ended the wait for it, which `broke_off` then tells.
bool next_of(Pass& pass, Batch& out, const Interrupts* interrupts, bool& broke_off) {
  if (interrupts == nullptr) return pass.next(out);
  try {
    const Interrupts::Wait wait;
    return !interrupts->asked() && pass.next(out);
  } catch (const Error& error) {
    if (error.code != Code::kInterrupted || !interrupts->asked()) throw;
    broke_off = true;
    return false;
  }
}

}  // namespace

std::optional<Logs> measured(Compiled& compiled, const Batches& source, std::string_view who,
                             std::string_view prefix, Progress* progress,
                             const Interrupts* interrupts) {
  const ModeIs evaluating(compiled.module(), false);
  const NoGrad no_grad;
  compiled.reset();
  const std::unique_ptr<Pass> pass = source.pass();
  bool is_empty = true, broke_off = false;
  for (Batch batch; next_of(*pass, batch, interrupts, broke_off); is_empty = false) {
    compiled.test(batch);
    if (progress != nullptr && progress->advance(batch.count())) progress->show(compiled.logs());
  }
  if (interrupts != nullptr && interrupts->asked()) return std::nullopt;
  if (is_empty) fail_nothing(who, prefix.empty() ? "evaluate" : "validate");
  return compiled.logs(prefix);
}

Run::Run(Shared<Compiled> compiled, const Examples& examples, const FitOptions& options)
    : compiled_(std::move(compiled)),
      options_(options),
      callbacks_(options.callbacks),
      progress_(progress_by(options.verbose, "fit")),
      class_table_(class_table(options.class_weight, "fit")),
      epoch_(options.initial_epoch) {
  Examples trained = examples, kept = options.validation_data;
  if (options.validation_split != 0) {
    std::tie(trained, kept) = split_rows(examples, options.validation_split);
  }
  source_ = batches_of(trained, options.batch_size, "fit");
  if (kept.defined()) validation_ = batches_of(kept, options.batch_size, "fit");
  if (!options.resume.empty()) callbacks_.push_back(Resume(options.resume));
  for (const Given<Callback>& one : callbacks_) checks_gradients_ |= one->checks_gradients();
}

Run::~Run() = default;

nn::ModuleBase& Run::module() const { return compiled_->module(); }
optim::Optimizer& Run::optimizer() const { return compiled_->optimizer(); }
Logs Run::logs() const { return compiled_->logs(); }

State Run::state_dict() const {
  State::Dict callbacks;
  for (size_t k = 0; k < callbacks_.size(); ++k) {
    callbacks.emplace_back(text(k), callbacks_[k]->state_dict());
  }
  State::Dict out = {{"epoch", epoch_},
                     {"step", step_},
                     {"batch", batch_},
                     {"history", history_.state_dict()},
                     {"compiled", compiled_->state_dict()},
                     {"callbacks", State::dict(std::move(callbacks))}};
  if (key_.defined()) out.emplace_back("key", key_);
  if (source_->batch_size() != 0) out.emplace_back("batch_size", source_->batch_size());
  if (pass_ != nullptr) {
    if (broke_off_ && anchor_ != nullptr) {
      out.emplace_back("iterator", *anchor_);
      out.emplace_back("again", batch_ - anchor_batch_);
    } else if (const std::unique_ptr<State> position = pass_->position()) {
      out.emplace_back("iterator", *position);
      out.emplace_back("again", 0);
    }
  }
  return State::dict(std::move(out));
}

void Run::load_state_dict(const State& state) {
  // In the middle of an epoch the number of the batch tells the rows, if batches are as large.
  const State* const size = state.find("batch_size");
  const int64_t at = state.at("batch").integer(), now = source_->batch_size();
  if (at != 0 && size != nullptr && now != 0 && size->integer() != now) {
    fail(Code::kInvalid, "resume", "batch_size", "the run stands at batch ", at,
         " of an epoch, of ", size->integer(), " rows each, but batch_size is ", now,
         "; go on with ", size->integer());
  }
  epoch_ = state.at("epoch").integer();
  step_ = state.at("step").integer();
  batch_ = state.at("batch").integer();
  history_.load_state_dict(state.at("history"));
  compiled_->load_state_dict(state.at("compiled"));
  for (size_t k = 0; k < callbacks_.size(); ++k) {
    const State* const own = state.at("callbacks").find(text(k));
    callbacks_[k]->load_state_dict(*this, own != nullptr ? *own : State::dict({}));
  }
  const State* const key = state.find("key");
  key_ = key != nullptr ? key->tensor() : Tensor();
  const State* const position = state.find("iterator");
  taken_up_ = position != nullptr ? std::optional(*position) : std::nullopt;
  const State* const again = state.find("again");
  again_ = again != nullptr ? again->integer() : 0;
}

template <class... Args>
void Run::tell(void (Callback::*word)(Run&, Args...), const std::type_identity_t<Args>&... args) {
  for (const Given<Callback>& one : callbacks_) ((*one).*word)(*this, args...);
}

History Run::train() {
  const ModeIs training(module(), true);
  const Interrupts interrupts;
  interrupts_ = &interrupts;
  prepare();
  tell(&Callback::on_train_begin);
  while (epoch_ < options_.epochs && !stop_reason_) {
    run_epoch();
    if (interrupts.asked()) stop("interrupted");
  }
  tell(&Callback::on_train_end);
  history_.stop_reason = stop_reason_;
  return history_;
}

void Run::prepare() {
  Batch first;
  if (compiled_->waits()) {
    std::unique_ptr<Pass> pass = source_->pass();
    if (!pass->next(first)) return;
    if (!source_->are_shuffled()) {  // a dataset: the first epoch goes on from there
      ahead_ = first;
      pass_ = std::move(pass);
    }
  }
  compiled_->prepare(first);
}

void Run::begin_pass() {
  if (!ahead_ || taken_up_) {
    ahead_.reset();
    pass_ = source_->pass(key_, batch_, taken_up_ ? &*taken_up_ : nullptr);
  }
  taken_up_.reset();
  const int64_t again = std::exchange(again_, 0);
  anchor_ = pass_->position();
  anchor_batch_ = batch_ + (ahead_ ? 1 : 0) - again;
  Batch read;
  for (int64_t i = 0; i < again; ++i) pass_->next(read);
}

bool Run::next_waited_for(Batch& out) {
  Profile* const profile = Profile::current();
  if (profile != nullptr && begun_ != 0) profile->step();
  const double asked = seconds_now(), from = profile != nullptr ? profile->now() : 0;
  if (begun_ == 0) {
    begin_pass();
  } else {
    history_.times.worked += asked - begun_;
  }
  const bool has_one = next(out);
  const double given = seconds_now();
  history_.times.waited += given - asked;
  if (profile != nullptr) profile->waited(from, profile->now() - from);
  begun_ = has_one ? given : 0;
  return has_one;
}

bool Run::next(Batch& out) {
  if (!ahead_) return next_of(*pass_, out, interrupts_, broke_off_);
  out = *std::exchange(ahead_, {});
  return true;
}

void Run::run_epoch() {
  if (batch_ == 0) {
    compiled_->reset();
    const bool draws = options_.shuffle && source_->are_shuffled();
    key_ = draws ? random::next_key().words() : Tensor();
    tell(&Callback::on_epoch_begin, epoch_);
  }
  progress_->begin(epoch_, options_.epochs, source_->length(), batch_);
  set_training(module(), true);
  begun_ = 0;
  for (Batch batch; next_waited_for(batch);) {
    run_step(batch);
    if (!stop_reason_) continue;
    progress_->leave(*stop_reason_);
    return;
  }
  if (!end_epoch()) progress_->leave(*stop_reason_);
}

void Run::run_step(Batch& batch) {
  tell(&Callback::on_batch_begin, batch_);
  weigh(batch, class_table_);
  if (!checks_gradients_) {
    compiled_->train(batch);
  } else if (const Compiled::Gradients found = compiled_->gradients(batch); found.is_finite) {
    compiled_->update(found, batch);
  } else {
    for (const Given<Callback>& one : callbacks_) {
      if (one->checks_gradients()) one->on_not_finite(*this, batch);
    }
  }
  ++batch_;
  ++step_;
  if (progress_->advance(batch.count())) progress_->show(compiled_->logs());
  tell(&Callback::on_batch_end, batch_ - 1);
  if (interrupts_->asked()) stop("interrupted");
}

// Has the epoch ended? One that is interrupted stays open: who takes it up goes on, or validates,
// first.
bool Run::end_epoch() {
  if (interrupts_->asked()) {  // while it waited for data
    stop("interrupted");
    return false;
  }
  if (batch_ == 0) fail_nothing("fit", "train");
  Logs logs = compiled_->logs();
  if (validation_ != nullptr) {
    const State of_training = compiled_->measures();
    const std::optional<Logs> found =
        measured(*compiled_, *validation_, "fit", "val_", nullptr, interrupts_);
    if (!found) {
      compiled_->load_measures(of_training);
      stop("interrupted");
      return false;
    }
    for (const auto& [name, value] : *found) logs.set(name, value);
  }
  history_.add(epoch_, logs);
  progress_->end(logs);
  const int64_t ended = epoch_;
  ++epoch_;
  batch_ = 0;
  tell(&Callback::on_epoch_end, ended, logs);
  return true;
}

void Run::warn(const std::string& what) {
  history_.warnings.push_back(what);
  log_warning(what);
}

}  // namespace weft::train
