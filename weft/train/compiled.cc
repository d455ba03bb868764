// The steps, from a batch to new parameters and metrics. What is traced is computed by these alone,
// so that eager steps have the same bits.
#include "weft/train/compiled.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/control/control.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/optim/clip.h"
#include "weft/train/blame.h"
#include "weft/transform/tape.h"

namespace weft::train {
namespace {

// What a trace of a module depends on beside tensors: modes, dtypes, hooks, and what is frozen.
class Modes final : public nn::FieldVisitor {
 public:
  void enter(nn::ModuleBase& module) {
    text += module.training ? 't' : 'e';
    if (module.compute_dtype) text += name_of(*module.compute_dtype);
    for (const auto& hook : module.hooks()) {
      if (!hook->is_removed) text += weft::text('h', hook->number);
    }
    module.visit(*this);
  }
  void variable(const std::string&, Variable& place, bool) override {
    text += place.trainable() ? '+' : '-';
  }
  void module(const std::string&, nn::ModuleBase& module) override { enter(module); }

  std::string text;
};

Tensor zeros_like(const Variable& variable) { return zeros(variable.shape(), variable.dtype()); }

// Does something, or not; in a graph, when it runs.
void do_if(const Tensor& condition, FunctionRef<void()> action) {
  const auto act = [&](TensorSpan) { return action(), Tensors{}; };
  const auto leave = [](TensorSpan) { return Tensors{}; };
  cond_flat(condition, act, leave, {}, Where());
}

TensorSpan span_of(const Tensors& all, size_t first, size_t count) {
  return TensorSpan(all).subspan(first, count);
}

// A batch as the arguments of a step: x, y, the weight if there is one, the count, and more.
struct Arguments {
  size_t x, y;
  bool is_weighted;

  explicit Arguments(const Batch& batch)
      : x(batch.x.size()), y(batch.y.size()), is_weighted(batch.weight.defined()) {}
  size_t count_at() const { return x + y + (is_weighted ? 1 : 0); }
  Tensors flat(const Batch& batch, TensorSpan more) const {
    Tensors out = batch.x;
    for (const Tensor& one : batch.y) out.push_back(one);
    if (is_weighted) out.push_back(batch.weight);
    out.push_back(Tensor::scalar(DType::kF32, static_cast<double>(batch.count())));
    for (const Tensor& one : more) out.push_back(one);
    return out;
  }
  std::string form() const { return text(x, ' ', y, ' ', is_weighted); }

  TensorSpan x_of(TensorSpan in) const { return in.first(x); }
  TensorSpan y_of(TensorSpan in) const { return in.subspan(x, y); }
  Tensor weight_of(TensorSpan in) const { return is_weighted ? in[x + y] : Tensor(); }
  const Tensor& count_of(TensorSpan in) const { return in[count_at()]; }
  TensorSpan more_of(TensorSpan in) const { return in.subspan(count_at() + 1); }
};

// A name that differs from those before: the second f1 is f1_2.
std::string free_name(const std::vector<std::string>& taken, const std::string& name) {
  std::string own = name;
  for (int number = 2; std::ranges::find(taken, own) != taken.end(); ++number) {
    own = text(name, '_', number);
  }
  return own;
}

}  // namespace

Stepped::Stepped(std::string name, bool is_traced) {
  if (is_traced) traces_.emplace(TracedOptions{.name = std::move(name), .warn_after = 0});
}

Tensors Stepped::operator()(const nn::ModuleBase& module, FlatFunction f, TensorSpan in,
                            const std::string& form) {
  if (!traces_) return f(in);
  Modes modes;
  modes.text = form;
  modes.enter(const_cast<nn::ModuleBase&>(module));  // the walk changes nothing
  return (*traces_)(f, in, modes.text, Where());
}

Compiled::Compiled(Forward forward, AnyOptimizer optimizer, Loss loss, Metrics metrics,
                   CompileOptions options)
    : forward_(std::move(forward)),
      optimizer_(std::move(optimizer)),
      loss_(std::move(loss)),
      metrics_(std::move(metrics)),
      options_(options),
      train_step_("train_step", !options.run_eagerly),
      gradient_step_("gradient_step", !options.run_eagerly),
      update_step_("update_step", !options.run_eagerly),
      test_step_("test_step", !options.run_eagerly) {
  names_.push_back(mean_loss_.name());
  for (const AnyMetric& metric : metrics_) {
    metric->follow(loss_);
    names_.push_back(free_name(names_, metric->name()));
  }
  if (options_.accumulate < 1) {
    fail(Code::kInvalid, "compile", "accumulate", "accumulate is ", options_.accumulate,
         "; it is a number of batches, 1 or more");
  }
  if (options_.precision) {
    const DType dtype = *options_.precision;
    if (!is_floating(dtype)) {
      fail(Code::kType, "compile", "precision", "precision is ", dtype,
           "; products are computed in floats, such as bfloat16");
    }
    if (dtype == DType::kF16) scaler_.emplace();
  }
}

void Compiled::begin() {
  if (!options_.precision) return;
  std::vector<nn::ModuleBase*> modules = module().modules();
  for (nn::ModuleBase* const one : loss_.modules()) modules.push_back(one);
  for (nn::ModuleBase* const one : modules) {
    before_.emplace_back(one, one->compute_dtype);
    one->compute_dtype = options_.precision;
  }
}

void Compiled::end() {
  for (const auto& [module, dtype] : before_) {
    if (module->compute_dtype == options_.precision) module->compute_dtype = dtype;
  }
  before_.clear();
}

std::vector<Variable> Compiled::trained() const {
  std::vector<Variable> out;
  for (const Variable& parameter : module().parameters()) {
    if (parameter.trainable()) out.push_back(parameter);
  }
  return out;
}

bool Compiled::waits() const {
  return std::ranges::any_of(module().modules(), &nn::ModuleBase::is_pending);
}

void Compiled::learn_sizes(const Batch& first, std::string_view who) const {
  train::learn_sizes(module(), [&](TensorSpan x) { return call(x); }, first, who);
}

void Compiled::prepare(const Batch& first, std::string_view who) {
  learn_sizes(first, who);
  if (options_.accumulate > 1 && sums_.empty()) {
    for (const Variable& parameter : module().parameters()) {  // frozen ones may learn later
      sums_.push_back(Variable(zeros_like(parameter), {.trainable = false}));
    }
    seen_ = Variable(Tensor::scalar(DType::kI64, 0), {.trainable = false});
  }
  optimizer();
}

void Compiled::reset() {
  mean_loss_.reset();
  for (const AnyMetric& metric : metrics_) metric->reset();
}

Logs Compiled::logs(std::string_view prefix) const {
  Logs out;
  out.set(text(prefix, names_[0]), mean_loss_.result());
  for (size_t k = 0; k < metrics_.size(); ++k) {
    const AnyMetric& metric = metrics_[k];
    if (metric->is_number()) out.set(text(prefix, names_[k + 1]), metric->result());
  }
  return out;
}

Tensor Compiled::loss_of(TensorSpan outputs, TensorSpan y, const Tensor& weight) const {
  const Tensor loss = loss_.weighted(outputs, y, weight, where_);
  if (!loss.defined()) {
    fail(Code::kType, "compile", "loss", "the loss gives a tensor that is not there");
  }
  if (loss.rank() > 0 || !is_floating(loss.dtype())) {
    fail(Code::kType, "compile", "loss", "the loss of a batch is ", loss.type(),
         "; it is one number, a float, such as the mean() of the losses of its examples");
  }
  return loss;
}

Compiled::Computed Compiled::computed(TensorSpan x, TensorSpan y, const Tensor& weight) {
  GradientTape tape;
  Computed out;
  out.outputs = call(x);
  out.loss = loss_of(out.outputs, y, weight);
  const Tensor target = scaler_ ? scaler_->scale(out.loss) : out.loss;
  tape.stop();
  Tensors leaves;
  for (const Variable& parameter : trained()) leaves.push_back(tape.leaf_of(parameter));
  out.gradients = tape.gradient({&target, 1}, leaves, {}, Unconnected::kZero);
  out.loss = without_ended_levels(out.loss);
  for (Tensor& one : out.outputs) one = without_ended_levels(one);
  return out;
}

void Compiled::measure(TensorSpan outputs, TensorSpan y, const Tensor& weight, const Tensor& loss,
                       const Tensor& count) {
  const Loss::Counted counted = loss_.counted(loss, y, weight, count);
  mean_loss_.update_by(counted.loss, counted.count);
  for (const AnyMetric& metric : metrics_) {
    if (metric->is_traced()) metric->update_all(outputs, y);
  }
}

void Compiled::measure_outside(TensorSpan outputs, const Batch& batch) {
  for (const AnyMetric& metric : metrics_) {
    if (!metric->is_traced()) metric->update_all(outputs, batch.y);
  }
}

void Compiled::apply(TensorSpan gradients) {
  Tensors clipped;
  if (options_.clip_norm) {
    clipped = optim::clip_by_global_norm(gradients, *options_.clip_norm).tensors;
    gradients = clipped;
  }
  const std::vector<Variable> parameters = trained();
  std::vector<optim::GradientOf> pairs;
  for (size_t i = 0; i < parameters.size(); ++i) pairs.emplace_back(gradients[i], parameters[i]);
  optimizer().apply_gradients(pairs);
}

// Updates by gradients, or keeps them for the update to come.
void Compiled::take(TensorSpan gradients) {
  if (!scaler_) {
    add(gradients);
    return;
  }
  // A batch whose gradients overflow is left out, and is none of those that are averaged.
  const LossScaler::Unscaled unscaled = scaler_->unscale(gradients);
  do_if(unscaled.is_finite, [&] { add(unscaled.gradients); });
  scaler_->update(unscaled.is_finite);
}

void Compiled::add(TensorSpan gradients) {
  if (options_.accumulate == 1) {
    apply(gradients);
    return;
  }
  const auto batches = static_cast<double>(options_.accumulate);
  const std::vector<Variable> sums = trained_sums();
  for (size_t i = 0; i < sums.size(); ++i) sums[i].assign_add(gradients[i] / batches);
  seen_.assign_add(Tensor::scalar(DType::kI64, 1));
  const Tensor left = seen_.read() % options_.accumulate;
  do_if(left == 0, [&] { apply_sums(); });
}

std::vector<Variable> Compiled::trained_sums() const {
  std::vector<Variable> out;
  const std::vector<Variable> parameters = module().parameters();
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (parameters[i].trainable()) out.push_back(sums_[i]);
  }
  return out;
}

void Compiled::apply_sums() {
  Tensors all;
  for (const Variable& total : trained_sums()) all.push_back(total.read());
  apply(all);
  for (const Variable& total : sums_) total.assign(zeros_like(total));
}

Tensors Compiled::run(Stepped& step, const Batch& batch, TensorSpan more, FlatFunction f) {
  const Arguments arguments(batch);
  return step(module(), f, arguments.flat(batch, more), arguments.form());
}

void Compiled::train(const Batch& batch) {
  const Arguments at(batch);
  const auto step = [&](TensorSpan in) {
    const Computed found = computed(at.x_of(in), at.y_of(in), at.weight_of(in));
    measure(found.outputs, at.y_of(in), at.weight_of(in), found.loss, at.count_of(in));
    take(found.gradients);
    return found.outputs;
  };
  measure_outside(run(train_step_, batch, {}, step), batch);
}

Compiled::Gradients Compiled::gradients(const Batch& batch) {
  const Arguments at(batch);
  const size_t count = trained().size();
  const auto step = [&](TensorSpan in) {
    const Computed found = computed(at.x_of(in), at.y_of(in), at.weight_of(in));
    Tensor is_finite = isfinite(found.loss);
    if (!scaler_) {  // scaled ones overflow at times: their steps are left out
      for (const Tensor& one : found.gradients) {
        is_finite = logical_and(is_finite, all(isfinite(one)));
      }
    }
    Tensors out = {found.loss, is_finite};
    for (const Tensor& one : found.gradients) out.push_back(one);
    for (const Tensor& one : found.outputs) out.push_back(one);
    return out;
  };
  const Tensors out = run(gradient_step_, batch, {}, step);
  return {out[0], Tensors(span_of(out, 2, count)),
          Tensors(span_of(out, 2 + count, out.size() - 2 - count)), out[1].item_int() != 0};
}

void Compiled::update(const Gradients& found, const Batch& batch) {
  const Arguments at(batch);
  const size_t count = found.gradients.size(), outputs = found.outputs.size();
  Tensors more = {found.loss};
  for (const Tensor& one : found.gradients) more.push_back(one);
  for (const Tensor& one : found.outputs) more.push_back(one);
  const auto step = [&](TensorSpan in) {
    const TensorSpan rest = at.more_of(in);
    measure(rest.subspan(1 + count, outputs), at.y_of(in), at.weight_of(in), rest[0],
            at.count_of(in));
    take(rest.subspan(1, count));
    return Tensors{};
  };
  run(update_step_, batch, more, step);
  measure_outside(found.outputs, batch);
}

void Compiled::test(const Batch& batch) {
  const Arguments at(batch);
  const auto step = [&](TensorSpan in) {
    const Tensors outputs = call(at.x_of(in));
    const Tensor loss = loss_of(outputs, at.y_of(in), at.weight_of(in));
    measure(outputs, at.y_of(in), at.weight_of(in), loss, at.count_of(in));
    return outputs;
  };
  measure_outside(run(test_step_, batch, {}, step), batch);
}

SavedState Compiled::measures() const {
  SavedState::Dict metrics;
  for (size_t k = 0; k < metrics_.size(); ++k) {
    metrics.emplace_back(text(k), metrics_[k]->state_dict());
  }
  return SavedState::dict(
      {{"loss", mean_loss_.state_dict()}, {"metrics", SavedState::dict(std::move(metrics))}});
}

void Compiled::load_measures(const SavedState& state) {
  mean_loss_.load_state_dict(state.at("loss"));
  for (size_t k = 0; k < metrics_.size(); ++k) {
    metrics_[k]->load_state_dict(state.at("metrics").at(text(k)));
  }
}

Logs Compiled::apart(const std::function<Logs()>& f) {
  if (!is_fitting_) return f();
  const SavedState before = measures();
  try {
    const Logs out = f();
    load_measures(before);
    return out;
  } catch (...) {
    load_measures(before);
    throw;
  }
}

SavedState Compiled::state_dict() {
  const SavedState measured = measures();
  SavedState::List names;
  for (size_t k = 0; k < metrics_.size(); ++k) names.emplace_back(names_[k + 1]);
  SavedState::Dict out = {{"optimizer", optimizer().state_dict()},
                          {"loss", measured.at("loss")},
                          {"metrics", measured.at("metrics")},
                          {"names", SavedState::list(std::move(names))}};
  if (scaler_) out.emplace_back("scaler", scaler_->state_dict());
  if (seen_.defined()) {
    SavedState::Dict accumulated = {{"seen", seen_}};
    for (size_t k = 0; k < sums_.size(); ++k) accumulated.emplace_back(text(k), sums_[k]);
    out.emplace_back("accumulated", SavedState::dict(std::move(accumulated)));
  }
  return SavedState::dict(std::move(out));
}

// Refuses the state of a model that was compiled otherwise.
void Compiled::need_same(const SavedState& state) const {
  const SavedState* const names = state.find("names");
  const auto add = [](std::string& all, const std::string& one) {
    all += text(all.empty() ? "" : ", ", one);
  };
  std::string before, now;
  if (names != nullptr) {
    for (const SavedState& name : names->items()) add(before, name.text());
  } else {
    for (const auto& [name, own] : state.at("metrics").members()) add(before, name);
  }
  for (size_t k = 0; k < metrics_.size(); ++k) {
    add(now, names != nullptr ? names_[k + 1] : text(k));
  }
  const auto require = [](std::string_view law, std::string_view a, std::string_view b) {
    if (a == b) return;
    fail(Code::kInvalid, "resume", law, "the run was saved with ", a.empty() ? "no metrics" : a,
         ", and has ", b.empty() ? "no metrics" : b,
         " now; compile it as it was, or take another folder");
  };
  const auto losses = [](bool are) { return are ? "scaled losses" : "plain losses"; };
  const auto gradients = [](bool are) {
    return are ? "accumulated gradients" : "single gradients";
  };
  require("metrics", before, now);
  require("precision", losses(state.find("scaler") != nullptr), losses(scaler_.has_value()));
  require("accumulate", gradients(state.find("accumulated") != nullptr),
          gradients(seen_.defined()));
}

void Compiled::load_state_dict(const SavedState& state) {
  need_same(state);
  optimizer().load_state_dict(state.at("optimizer").tensors());
  load_measures(state);
  if (scaler_) scaler_->load_state_dict(state.at("scaler"));
  if (!seen_.defined()) return;
  const SavedState& accumulated = state.at("accumulated");
  seen_.assign(accumulated.at("seen").tensor());
  for (size_t k = 0; k < sums_.size(); ++k) sums_[k].assign(accumulated.at(text(k)).tensor());
}

void set_training(nn::ModuleBase& module, bool mode) {
  for (nn::ModuleBase* const one : module.modules()) one->training = mode;
}

ModeIs::ModeIs(nn::ModuleBase& module, bool mode) {
  for (nn::ModuleBase* const one : module.modules()) {
    before_.emplace_back(one, one->training);
    one->training = mode;
  }
}

ModeIs::~ModeIs() {
  for (const auto& [module, mode] : before_) module->training = mode;
}

}  // namespace weft::train
