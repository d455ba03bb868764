// fit: epochs of steps, with what people watch around them.
#include "weft/train/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/ops/random/key.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/batches.h"
#include "weft/train/checkpoints.h"
#include "weft/train/compiled.h"
#include "weft/train/interrupts.h"
#include "weft/train/progress.h"

namespace weft::train {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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
  batch.weight = take(table, batch.y[0], 0);
}

Logs measured(Compiled& compiled, const Batches& source, std::string_view prefix,
              Progress* progress) {
  const ModeIs evaluating(compiled.module(), false);
  const NoGrad no_grad;
  compiled.reset();
  const std::unique_ptr<Pass> pass = source.pass();
  for (Batch batch; pass->next(batch);) {
    compiled.test(batch);
    if (progress != nullptr && progress->advance(batch.count())) progress->show(compiled.logs());
  }
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
  if (pass_ != nullptr) {
    if (const std::unique_ptr<State> position = pass_->position()) {
      out.emplace_back("iterator", *position);
    }
  }
  return State::dict(std::move(out));
}

void Run::load_state_dict(const State& state) {
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
  while (epoch_ < options_.epochs && !stop_reason_) run_epoch();
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
}

bool Run::next_waited_for(Batch& out) {
  const double asked = seconds_now();
  if (begun_ == 0) {
    begin_pass();
  } else {
    history_.times.worked += asked - begun_;
  }
  const bool has_one = next(out);
  const double given = seconds_now();
  history_.times.waited += given - asked;
  begun_ = has_one ? given : 0;
  return has_one;
}

bool Run::next(Batch& out) {
  if (!ahead_) return pass_->next(out);
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
  end_epoch();
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

void Run::end_epoch() {
  Logs logs = compiled_->logs();
  if (validation_ != nullptr) {
    for (const auto& [name, value] : measured(*compiled_, *validation_, "val_")) {
      logs.set(name, value);
    }
  }
  history_.add(epoch_, logs);
  progress_->end(logs);
  const int64_t ended = epoch_;
  ++epoch_;
  batch_ = 0;
  tell(&Callback::on_epoch_end, ended, logs);
}

}  // namespace weft::train
