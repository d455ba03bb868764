// fit: epochs of steps, with what people watch around them.
#include "weft/train/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/log.h"
#include "weft/data/wait_watch.h"
#include "weft/op/levels.h"
#include "weft/ops/random/key.h"
#include "weft/train/batches.h"
#include "weft/train/blame.h"
#include "weft/train/checkpoints.h"
#include "weft/train/class_weights.h"
#include "weft/train/compiled.h"
#include "weft/train/interrupts.h"
#include "weft/train/profile.h"
#include "weft/train/progress.h"

namespace weft::train {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A circumstance of a run in words.
std::string told(std::string_view law, const SavedState& value) {
  if (law == "batch_size") return text("batches of ", value.integer(), " rows");
  if (law == "rows") return text(value.integer(), " rows");
  if (law == "batches") return text(value.integer(), " batches in an epoch");
  std::string all;
  for (const SavedState& one : value.items()) all += text(all.empty() ? "[" : ", ", one.number());
  return text("class weights ", all.empty() ? "of 1" : all + "]");
}

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
    if (is_empty) compiled.learn_sizes(batch, who);
    told_of_layers(compiled, batch, who, [&] { compiled.test(batch); });
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
      knows_classes_(!class_table_.defined()),
      epoch_(options.initial_epoch) {
  Examples trained = examples, kept = options.validation_data;
  need_sense(examples, options);
  if (options.validation_split != 0) {
    std::tie(trained, kept) = split_rows(examples, options.validation_split);
  }
  const auto batches = [&](const Examples& one) {
    return batches_of(one, one.dataset() == nullptr ? options.batch_size : std::nullopt, "fit");
  };
  source_ = batches(trained);
  if (kept.defined()) validation_ = batches(kept);
  if (!options.resume.empty()) callbacks_.push_back(Resume(options.resume));
  for (const Given<Callback>& one : callbacks_) checks_gradients_ |= one->checks_gradients();
}

Run::~Run() = default;

nn::ModuleBase& Run::module() const { return compiled_->module(); }
optim::Optimizer& Run::optimizer() const { return compiled_->optimizer(); }
Logs Run::logs() const { return compiled_->logs(); }

// What a run is made with beside the model, by the law that asks for the same again.
SavedState::Dict Run::circumstances() const {
  SavedState::List weights;
  if (class_table_.defined()) {
    for (const float weight : class_table_.to_vector<float>()) weights.emplace_back(double{weight});
  }
  SavedState::Dict out;
  if (source_->batch_size() != 0) {
    out.emplace_back("batch_size", source_->batch_size());
    out.emplace_back("rows", source_->rows());
  } else if (source_->length() >= 0) {
    out.emplace_back("batches", source_->length());
  }
  out.emplace_back("class_weight", SavedState::list(std::move(weights)));
  return out;
}

// With other batches or weights it would be another run.
void Run::need_same(const SavedState& state) const {
  for (const auto& [law, now] : circumstances()) {
    const SavedState* const before = state.find(law);
    if (before == nullptr) continue;
    const std::string is = told(law, now), was = told(law, *before);
    if (is == was) continue;
    fail(Code::kInvalid, "resume", law, "the run was saved with ", was, ", and has ", is,
         " now; go on as it was, or take another folder");
  }
}

SavedState Run::state_dict() const {
  SavedState::Dict callbacks;
  for (size_t k = 0; k < callbacks_.size(); ++k) {
    callbacks.emplace_back(text(k), callbacks_[k]->state_dict());
  }
  SavedState::Dict out = {{"epoch", epoch_},
                          {"step", step_},
                          {"batch", batch_},
                          {"history", history_.state_dict()},
                          {"compiled", compiled_->state_dict()},
                          {"callbacks", SavedState::dict(std::move(callbacks))}};
  if (key_.defined()) out.emplace_back("key", key_);
  for (auto& [name, value] : circumstances()) out.emplace_back(name, std::move(value));
  if (pass_ != nullptr) {
    if (broke_off_ && anchor_ != nullptr) {
      out.emplace_back("iterator", *anchor_);
      out.emplace_back("again", batch_ - anchor_batch_);
    } else if (const std::unique_ptr<SavedState> position = pass_->position()) {
      out.emplace_back("iterator", *position);
      out.emplace_back("again", 0);
    }
  }
  return SavedState::dict(std::move(out));
}

void Run::load_state_dict(const SavedState& state) {
  need_same(state);
  epoch_ = state.at("epoch").integer();
  step_ = state.at("step").integer();
  batch_ = state.at("batch").integer();
  history_.load_state_dict(state.at("history"));
  compiled_->load_state_dict(state.at("compiled"));
  for (size_t k = 0; k < callbacks_.size(); ++k) {
    const SavedState* const own = state.at("callbacks").find(text(k));
    callbacks_[k]->load_state_dict(*this, own != nullptr ? *own : SavedState::dict({}));
  }
  const SavedState* const key = state.find("key");
  key_ = key != nullptr ? key->tensor() : Tensor();
  const SavedState* const position = state.find("iterator");
  taken_up_ = position != nullptr ? std::optional(*position) : std::nullopt;
  const SavedState* const again = state.find("again");
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
  {
    const Compiled::Fitting fitting(*compiled_);
    while (!is_at_end()) {
      run_epoch();
      if (interrupts.asked()) stop("interrupted");
    }
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
  compiled_->prepare(first, "fit");
  const std::vector<Variable> parameters = module().parameters();
  if (std::ranges::any_of(parameters, &Variable::trainable)) return;
  const std::string what = module().type_name();
  fail(Code::kInvalid, "fit", "parameters",
       parameters.empty() ? text(what, " has no parameters; there is nothing to train")
                          : text("all parameters of ", what,
                                 " are frozen; there is nothing to train: unfreeze() some"));
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
  const data::Wait wait;
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
  if (!ahead_) return next_of(*pass_, out, interrupts_, broke_off_);
  out = *std::exchange(ahead_, {});
  return true;
}

void Run::run_epoch() {
  if (batch_ == 0) {
    compiled_->reset();
    const bool draws = options_.shuffle.value_or(true) && source_->are_shuffled();
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
  if (!knows_classes_) {
    const ModeIs evaluating(module(), false);
    const NoGrad no_grad;
    need_classes(class_table_, compiled_->call(batch.x), batch.y, "fit");
    knows_classes_ = true;
  }
  told_of_layers(*compiled_, batch, "fit", [&] { compute(batch); });
  ++batch_;
  ++step_;
  if (progress_->advance(batch.count())) progress_->show(compiled_->logs());
  tell(&Callback::on_batch_end, batch_ - 1);
  if (interrupts_->asked()) stop("interrupted");
}

void Run::compute(const Batch& batch) {
  if (!checks_gradients_) {
    compiled_->train(batch);
  } else if (const Compiled::Gradients found = compiled_->gradients(batch); found.is_finite) {
    compiled_->update(found, batch);
  } else {
    for (const Given<Callback>& one : callbacks_) {
      if (one->checks_gradients()) one->on_not_finite(*this, batch);
    }
  }
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
    const SavedState of_training = compiled_->measures();
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

void Run::note(const std::string& what) const { progress_->note(what); }

void Run::warn(const std::string& what) {
  history_.warnings.push_back(what);
  log_warning(what);
}

}  // namespace weft::train
