// Variables: reads under a lock, writes in place where nobody can tell.
#include "weft/op/variable.h"

#include <thread>

#include "weft/base/mutex.h"
#include "weft/base/thread_pool.h"
#include "weft/core/lowest_node.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/concrete_value.h"
#include "weft/op/context.h"
#include "weft/op/followed.h"
#include "weft/op/hooks.h"
#include "weft/op/observe.h"
#include "weft/op/record.h"
#include "weft/op/variable_state.h"

namespace weft {

namespace {

const TracerType kVariable{
    "variable", [](Tracer* t) noexcept { delete static_cast<VariableState*>(t); },
    [](const Tracer*) -> const TensorNode* { return nullptr; },
    [](const Tracer* t) -> std::string { return static_cast<const VariableState*>(t)->name; }};

Tensor new_state(Tensor value, std::string_view name, bool trainable, Where where) {
  auto* const state = new VariableState;
  state->current = std::move(value);
  state->name = name;
  state->trainable.store_release(trainable);
  state->where = where;
  return Tensor::adopt(state);
}

// The plain value under tracers; what a Variable stores.
Tensor plain(const Tensor& t, std::string_view who) {
  if (has_concrete_value(t)) return concrete_value(t, {who, "value", "", /*is_aside=*/true});
  if (!t.defined()) fail(Code::kType, who, "value", "needs a value, but it is undefined");
  const Tracer* const tracer = static_cast<const Tracer*>(lowest_node(t.node()));
  if (tracer->type->home != nullptr) {
    fail(Code::kInvalid, who, "traced", "the value (", tracer->type->describe(tracer),
         ") is known only when the graph runs, and a Variable has a value from the beginning; "
         "give one that is there, compute it in an eager scope, or assign it as part "
         "of the graph");
  }
  fail(Code::kInvalid, who, "batched",
       "the value is batched by vmap, and a Variable holds one value; reduce over the batch "
       "first, or return the value from the function");
}

// A transformation that differentiates the value would lose what goes through the Variable.
void require_unfollowed(const Tensor& value) {
  if (!is_differentiable(value.dtype())) return;
  for (Tensor t = value; t.defined() && !t.is_concrete(); t = value_below(t)) {
    GradNode* const record = grad_node(t);
    if (record != nullptr && record->is_stop()) return;
    if (static_cast<const Tracer*>(t.node())->type->home != nullptr) return;  // of a graph
    if (is_tape_level(t.level()) || find_level(t.level()) == nullptr || !is_recording(t.level())) {
      continue;
    }
    fail(Code::kType, "Variable", "followed", static_cast<const Tracer*>(t.node())->type->name,
         " differentiates this value, and what goes through a Variable would be lost to it; "
         "compute with the tensor itself, or take stop_gradient of it if it is meant as a "
         "constant");
  }
}

VariableState& box_of(const VariableState& state) {
  return *static_cast<VariableState*>(state.gradient.node());
}

// Under the lock. `value` is what is to be stored, as the place's value or as its gradient.
void check_type(const VariableState& state, const Tensor& value, std::string_view who,
                bool is_gradient = false) {
  const bool fits = value.dtype() == state.current.dtype() &&
                    same(value.shape(), state.current.shape()) == Tri::kYes;
  if (!fits) {
    fail(Code::kType, who, "type", "the Variable", state.name.empty() ? "" : " ", state.name,
         " holds ", state.current.type(), " but the ", is_gradient ? "gradient" : "value", " is ",
         value.type(),
         is_gradient ? "; a gradient has its dtype and shape"
                     : "; a Variable keeps its dtype and shape");
  }
}

// What a read gives: a graph's value, a leaf of a tape, or the value itself.
Tensor read_state(const Variable& variable, VariableState& s) {
  if (s.is_given) return s.current;
  Tensor value;
  const bool is_ambient = is_recording(kTapeLevel);
  {
    const std::unique_lock lock = lock_value(s);
    if (is_ambient && context.tapes == 0 && s.leaf.defined()) return s.leaf;
    value = s.current;
  }
  const bool has_slope = is_differentiable(value.dtype());
  if (context.tapes > 0) {
    // A graph stands for all around it: what it reads, it reads from there when it is run or
    // called.
    const std::span<Level* const> levels = open_levels();
    size_t first = levels.size();
    while (first > 0 && !levels[--first]->stages()) {
    }
    for (Level* const level : levels.subspan(first)) {
      if (level->follows_variables() && (has_slope || level->stages())) {
        value = level->follow(variable, value);
      }
    }
    if (!value.is_concrete()) return value;  // else no tape took it
  }
  const auto is_trainable = [&] { return s.trainable.load_acquire(); };
  if (!has_slope || !is_ambient || !is_trainable()) return value;
  Tensor leaf = make_leaf(kTapeLevel, value, s.where);
  grad_node(leaf)->edges()[0].saved = s.gradient;
  std::lock_guard lock(s.mutex);
  if (s.hooks != nullptr) share_hooks(grad_node(leaf), s.hooks);
  if (!s.leaf.defined() && s.current.node() == value.node() && is_trainable()) {
    s.exchange_leaf(leaf);
  }
  return s.leaf.defined() ? s.leaf : leaf;
}

}  // namespace

VariableState::VariableState() : Tracer(&kVariable) {}

// A value that was given in place of a Variable cannot be written to.
void require_place(const VariableState& state) {
  if (!state.is_given) return;
  fail(Code::kInvalid, "Variable", "given", "a value was given in place of the Variable",
       state.name.empty() ? "" : text(" ", state.name),
       ", and cannot be assigned to; leave it out of the values, or give it back as a result");
}

void wait_for_value(VariableState& state, std::unique_lock<ShortMutex>& lock) {
  while (!state.current.defined()) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
}

Level* staging_level() {
  if (context.tapes == 0) return nullptr;
  const std::span<Level* const> levels = open_levels();
  for (size_t i = levels.size(); i-- > 0;) {
    if (levels[i]->stages()) return levels[i];
  }
  return nullptr;
}

Variable::Variable(const Tensor& value, VariableOptions options, Where where) {
  if (!value.defined())
    fail(Code::kType, "Variable", "value", "needs a value, but it is undefined");
  require_unfollowed(value);
  Tensor strong = plain(value.is_weak() ? cast(value, value.dtype(), where) : value, "Variable");
  state_ = new_state(std::move(strong), options.name, options.trainable, where);
  state().gradient =
      new_state(Tensor(), options.name.empty() ? "" : text(options.name, ".grad"), false, where);
}

VariableState& Variable::state() const {
  if (!state_.defined()) fail(Code::kType, "Variable", "undefined", "there is no Variable here");
  return *static_cast<VariableState*>(state_.node());
}

std::string_view Variable::name() const { return state().name; }
bool Variable::trainable() const { return state().trainable.load_acquire(); }
void Variable::set_trainable(bool trainable) const {
  VariableState& s = state();
  Tensor old_leaf;
  std::lock_guard lock(s.mutex);
  s.trainable.store_release(trainable);
  s.exchange_leaf(old_leaf);
}
DType Variable::dtype() const { return stored_value(*this).dtype(); }
Shape Variable::shape() const { return Shape(stored_value(*this).shape()); }

Tensor stored_value(const Variable& variable) {
  VariableState& s = variable.state();
  const std::unique_lock lock = lock_value(s);
  return s.current;
}

Tensor Variable::value() const {
  if (Level* const level = state().is_given ? nullptr : staging_level()) {
    if (Tensor value = level->detached_value(*this); value.defined()) return value;
  }
  return stored_value(*this);
}

Tensor Variable::read() const {
  // Nothing follows it: the value alone.
  if (context.tapes == 0 && !is_recording(kTapeLevel) && context.followed == nullptr) {
    return stored_value(*this);
  }
  Tensor value = read_state(*this, state());
  if (context.followed != nullptr) [[unlikely]]
    note_read(*this, value);
  return value;
}

bool Variable::reads_as(const Tensor& held) const {
  return held.defined() && held.node() == state().leaf_now.load_acquire() && context.tapes == 0 &&
         is_recording(kTapeLevel);
}

void Variable::assign(const Tensor& value, Where where) const {
  VariableState& s = state();
  require_place(s);
  if (Level* const graph = staging_level(); graph && graph->assign(*this, value, where)) return;
  Tensor next = plain(value, "assign");
  Tensor old_leaf;
  const std::unique_lock lock = lock_value(s);
  check_type(s, next, "assign");
  std::swap(s.current, next);
  s.exchange_leaf(old_leaf);
}

void Variable::assign_add(const Tensor& term, Where where) const {
  VariableState& s = state();
  require_place(s);
  const NoGrad no_grad;
  if (staging_level() != nullptr) {
    const CalledFrom caller(where);  // the read is of that line, too
    return assign(add(read(), term, where), where);
  }
  const Tensor plain_term = plain(term, "assign_add");
  Tensor old, old_leaf, new_leaf;
  {
    std::lock_guard lock(s.mutex);
    s.exchange_leaf(old_leaf);
  }
  old_leaf = Tensor();          // it held the value
  const Unobserved unobserved;  // an observer could read this Variable
  const Uninterrupted whole;    // and so could a signal handler
  const std::unique_lock lock = lock_value(s);
  if (eager_add_to(s.current, plain_term)) return;
  Tensor next = add(s.current, plain_term, where);
  check_type(s, next, "assign_add");
  old = std::exchange(s.current, std::move(next));
  s.exchange_leaf(new_leaf);  // of a reader in between: it holds the old value
}

void Variable::assign_sub(const Tensor& term, Where where) const {
  const NoGrad no_grad;
  const Tensor given = staging_level() != nullptr ? term : plain(term, "assign_sub");
  assign_add(multiply(given, -1.0, where), where);
}

void Variable::zero() const {
  const Tensor now = stored_value(*this);
  assign(zeros(Shape(now.shape()), now.dtype(), Where()));
}

Variable Variable::grad() const {
  Variable out;
  if (!state().gradient.defined()) return out;  // a gradient has none itself
  VariableState& box = box_of(state());
  std::lock_guard lock(box.mutex);
  out.state_ = box.gradient;
  return out;
}

void Variable::clear_grad() const {
  if (!state().gradient.defined()) return;
  VariableState& box = box_of(state());
  Tensor old;
  std::lock_guard lock(box.mutex);
  std::swap(box.gradient, old);
}

void Variable::set_grad(const Tensor& gradient) const {
  if (!gradient.defined()) return clear_grad();
  VariableState& s = state();
  require_place(s);
  const DType dtype = this->dtype();
  Tensor next = plain(gradient.is_weak() ? cast(gradient, dtype, Where()) : gradient, "grad");
  {
    const std::unique_lock lock = lock_value(s);
    check_type(s, next, "grad", /*is_gradient=*/true);
  }
  VariableState& box = box_of(s);
  Tensor place = new_state(std::move(next), box.name, false, box.where);
  std::lock_guard lock(box.mutex);
  std::swap(box.gradient, place);
}

Shared<HookList> VariableHooks::list_of(const Variable& variable) {
  VariableState& s = variable.state();
  std::lock_guard lock(s.mutex);
  if (s.hooks == nullptr) {
    s.hooks = new_hook_list();
    if (s.leaf.defined()) share_hooks(grad_node(s.leaf), s.hooks);
  }
  return s.hooks;
}

void VariableHooks::attach(const Variable& variable, const Tensor& leaf) {
  VariableState& s = variable.state();
  std::lock_guard lock(s.mutex);
  if (s.hooks != nullptr) share_hooks(grad_node(leaf), s.hooks);
}

Variable VariableHooks::reading(const Variable& variable, const Tensor& value) {
  Variable out;
  out.state_ = new_state(value, variable.name(), variable.trainable(), variable.state().where);
  out.state().is_given = true;
  return out;
}

void add_gradient(GradNode* leaf, const Tensor& gradient) {
  const Tensor place = leaf->edges()[0].saved;
  if (!place.defined()) return;
  VariableState& box = *static_cast<VariableState*>(place.node());
  Tensor old;
  const Unobserved unobserved;
  const Uninterrupted whole;  // a signal handler could read the gradient
  std::lock_guard lock(box.mutex);
  if (!box.gradient.defined()) {
    box.gradient = new_state(gradient, box.name, false, box.where);
    return;
  }
  VariableState& sum = *static_cast<VariableState*>(box.gradient.node());
  const std::unique_lock lock_sum = lock_value(sum);
  if (!eager_add_to(sum.current, gradient)) {
    old = std::exchange(sum.current, add(sum.current, gradient, Where()));
  }
}

}  // namespace weft
