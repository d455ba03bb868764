// Noting the calls of layers and ops with what is not there yet.
#include "weft/nn/awaited.h"

#include <algorithm>
#include <mutex>

#include "weft/base/error.h"
#include "weft/base/mutex.h"
#include "weft/nn/graph.h"
#include "weft/op/apply.h"
#include "weft/op/followed.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/random/key.h"
#include "weft/trace/eager_scope.h"

namespace weft::nn::detail {
namespace {

// Sizes that stand for one that is not known: a result's size that differs between both is not
// known either.
using StandIns = std::array<int64_t, 2>;
constexpr StandIns kBatch{2, 3}, kUnknown{32, 48};

// The symbols of sizes that are not known, and what stands for them.
class Sizes {
 public:
  Dim fresh(StandIns sizes) {
    const std::lock_guard lock(mutex_);
    const Dim symbol = Dim::symbol(text("size_", all_.size()));
    all_.push_back({symbol, sizes});
    return symbol;
  }
  // A size with a stand-in for each symbol.
  int64_t stand_in(Dim size, size_t which) {
    if (size.is_known()) return size.value();
    std::vector<Dim> symbols;
    append_symbols(symbols, size);
    std::vector<DimBinding> bindings;
    const std::lock_guard lock(mutex_);
    for (const Dim symbol : symbols) {
      const auto found = std::ranges::find(all_, symbol, &Known::symbol);
      const StandIns sizes = found == all_.end() ? kBatch : found->sizes;
      bindings.push_back({symbol, Dim(sizes[which])});
    }
    return substituted(size, bindings).value();
  }

 private:
  struct Known {
    Dim symbol;
    StandIns sizes;
  };
  Mutex mutex_;
  std::vector<Known> all_;
};
Sizes& sizes() {
  static Sizes all;
  return all;
}
Dim batch_size() { return Dim::symbol("batch"); }

Level* home_of(const Tracer*);

}  // namespace

std::string described(const Tracer* t) {
  const auto* const it = static_cast<const Awaited*>(t);
  const std::string what = it->call           ? "made of an nn::Input"
                           : it->name.empty() ? "an nn::Input"
                                              : text("nn::Input '", it->name, "'");
  return text(what, ", not there yet");
}

namespace {

const TracerType kAwaited{"Input", [](Tracer* t) noexcept { delete static_cast<Awaited*>(t); },
                          [](const Tracer*) -> const TensorNode* { return nullptr; }, described,
                          home_of};

}  // namespace

const Awaited* awaited(const Tensor& t) {
  const bool is_it = t.defined() && t.node()->kind == NodeKind::kTracer &&
                     static_cast<const Tracer*>(t.node())->type == &kAwaited;
  return is_it ? static_cast<const Awaited*>(t.node()) : nullptr;
}

namespace {

// Notes the ops on values that are not there yet. Sizes that are not known are equal if what stands
// for them is.
class Noting final : public Level, public DimOracle {
 public:
  Noting() : Level(next_level_id(/*is_tape=*/false)) {}

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    Types types;
    for (const Tensor& t : in) types.push_back(t.defined() ? t.type() : Type());
    const DimOracleIs oracle(this);
    const auto call = new_shared<NotedCall>();
    call->op = &op;
    call->attrs = new_shared<const AnyAttrs>(op.attrs, attrs);
    for (const Tensor& t : in) call->in.push_back(as_given(kept(op.name, t)));
    call->where = where;
    return results(call, op.infer(attrs, InferCtx{op.name}, types), where);
  }
  // An operand as calls to come have it: a Variable is read again by each of them. Raises
  // [Input.variable] and [Input.draw] for what they would have as it is now.
  static Tensor kept(std::string_view who, const Tensor& t);
  static Tensors results(const Shared<NotedCall>& call, const Types& types, Where where) {
    call->out = types;
    follow_origins(true);  // a graph is being made, maybe on from one that has been used
    Tensors out;
    for (size_t k = 0; k < types.size(); ++k) {
      auto* const node = new Awaited(types[k], where);
      node->call = call;
      node->place = k;
      out.push_back(Tensor::adopt(node));
    }
    return out;
  }

  int64_t value_of(Dim dim) override {
    fail(Code::kInvalid, "Input", "size", "the size ", dim,
         " is not known yet; do what depends on it in a layer, such as nn::Lambda");
  }
  Tri is_same(Dim a, Dim b) override { return tri(compared(a, b) == 0); }
  Tri is_less(Dim a, Dim b) override { return tri(compared(a, b) < 0); }
  std::optional<int64_t> hint(Dim) override { return {}; }

 private:
  static Tri tri(bool yes) { return yes ? Tri::kYes : Tri::kNo; }
  static int compared(Dim a, Dim b) {
    int signs[2];
    for (size_t which = 0; which < 2; ++which) {
      const int64_t x = sizes().stand_in(a, which), y = sizes().stand_in(b, which);
      signs[which] = x < y ? -1 : x > y;
    }
    return signs[0] == 0 ? signs[1] : signs[0];
  }
  // Numbers come in the dtype of what they meet. In a call to come that may be another one, of
  // mixed precision, which a number does not widen.
  static Tensor as_given(const Tensor& t) {
    if (!t.defined() || !t.is_concrete() || t.rank() > 0 || t.is_weak()) return t;
    return is_floating(t.dtype()) ? Tensor(t.item()) : t;
  }
};

Noting& noting() {
  static Noting level;
  return level;
}
Level* home_of(const Tracer*) { return &noting(); }

// With the last of them nothing is followed any more: no graph is being made.
constinit std::atomic<int64_t> awaited_values{0};

}  // namespace

Awaited::~Awaited() {
  if (awaited_values.fetch_sub(1) == 1) follow_origins(false);
}
Awaited::Awaited(const Type& type, Where where)
    : Tracer(&kAwaited), shape(type.shape), where(where) {
  awaited_values.fetch_add(1);
  level = noting().id;
  dtype = type.dtype;
  rank = static_cast<uint8_t>(type.rank());
  dims = shape.data();
}

namespace {

Tensor Noting::kept(std::string_view who, const Tensor& t) {
  if (!t.defined() || awaited(t) != nullptr) return t;
  if (const Variable variable = variable_read_as(t); variable.defined()) {
    auto* const node = new Awaited(t.type(), Where());
    node->variable = variable;
    return Tensor::adopt(node);
  }
  const ValueOrigin origin = origin_of(t);
  if (origin == ValueOrigin::kDraw) {
    fail(Code::kInvalid, "Input", "draw", who,
         " takes what the default generator has drawn, beside a value that is not there yet; a "
         "model would keep it as it is now. Draw in a layer, such as nn::Lambda, or from a "
         "random::Key if it is to stay");
  }
  if (origin == ValueOrigin::kItself && t.is_concrete()) return t;
  fail(Code::kInvalid, "Input", "variable", who,
       " takes a value that follows a Variable or belongs to a transformation, beside one that is "
       "not there yet; a model would keep it as it is now. Hold the Variable in a module, and "
       "call that");
}

// Zeros of this shape, where `which` chooses the sizes that are not known.
Tensor stand_in(const Tensor& t, size_t which) {
  if (awaited(t) == nullptr) return t;
  Shape shape;
  for (const Dim size : t.shape()) shape.push_back(sizes().stand_in(size, which));
  return zeros(shape, t.dtype());
}

// The size that is known to be `a` and `b` with the two stand-ins, by the sizes of the inputs.
Dim size_of(int64_t a, int64_t b, TensorSpan in) {
  if (a == b) return a;
  const Dim batch = batch_size();
  if (StandIns{a, b} == kBatch) return batch;
  for (const Tensor& t : in) {
    if (awaited(t) == nullptr) continue;
    for (const Dim size : t.shape()) {
      if (sizes().stand_in(size, 0) == a && sizes().stand_in(size, 1) == b) return size;
    }
  }
  return sizes().fresh({a, b});
}

// Modes and draws as they were, when it ends.
class AsBefore {
 public:
  explicit AsBefore(ModuleBase& module) : generator_(random::generator_state()) {
    for (ModuleBase* const one : module.modules()) {
      modes_.emplace_back(one, one->training);
      one->training = false;
    }
  }
  ~AsBefore() {
    for (const auto& [module, mode] : modes_) module->training = mode;
    random::set_generator_state(generator_);
  }
  AsBefore(const AsBefore&) = delete;
  AsBefore& operator=(const AsBefore&) = delete;

 private:
  const random::GeneratorState generator_;
  std::vector<std::pair<ModuleBase*, bool>> modes_;
};

bool have_same_variables(const ModuleBase& a, const ModuleBase& b) {
  const auto ids = [](const ModuleBase& module) {
    std::vector<const void*> out;
    for (const detail::Found& one : detail::walked(module, /*need_all=*/false)) {
      if (one.place != nullptr) out.push_back(one.place->id());
    }
    return out;
  };
  return ids(a) == ids(b);
}

}  // namespace

constinit std::atomic<bool> has_inputs{false};

bool is_any_awaited(TensorSpan leaves) {
  return std::ranges::any_of(leaves, [](const Tensor& t) { return awaited(t) != nullptr; });
}

void fail_noted(const ModuleBase& module) {
  fail(Code::kType, "Input", "module", module.type_name(),
       " cannot be part of a graph of layers: it cannot be copied, or takes or gives what is no "
       "tree of tensors");
}

Tensors noted_call(const ModuleBase& module, FunctionRef<HeldModule()> copied, TensorSpan leaves,
                   FunctionRef<Tensors(TensorSpan)> now, CallWithLeaves function, Where where) {
  Types types;
  {
    const AsBefore later(const_cast<ModuleBase&>(module));
    const EagerScope eager;
    const NoGrad no_grad;
    const Unfollowed of_the_layer;
    std::array<Tensors, 2> out;
    for (size_t which = 0; which < 2; ++which) {
      Tensors in;
      for (const Tensor& leaf : leaves) in.push_back(stand_in(leaf, which));
      out[which] = now(in);
    }
    for (size_t k = 0; k < out[0].size(); ++k) {
      const Tensor &one = out[0][k], &other = out[1][k];
      if (!one.defined()) {
        fail(Code::kType, "Input", "module", module.type_name(),
             " gave a tensor that is not there, which no graph of layers can hold");
      }
      Type type{one.dtype(), {}};
      for (int64_t axis = 0; axis < one.rank(); ++axis) {
        type.shape.push_back(size_of(one.dim(axis).value(), other.dim(axis).value(), leaves));
      }
      types.push_back(std::move(type));
    }
  }
  Shared<NotedModule>& known = module.noted_;
  if (known == nullptr || !have_same_variables(*known->held.module(), module)) {
    HeldModule held = copied();
    known = new_shared<NotedModule>(NotedModule{std::move(held)});
  }
  const auto call = new_shared<NotedCall>();
  call->module = known;
  call->function = std::move(function);
  for (const Tensor& leaf : leaves) call->in.push_back(Noting::kept(module.type_name(), leaf));
  call->where = where;
  return Noting::results(call, types, where);
}

}  // namespace weft::nn::detail

namespace weft::nn {

Tensor Input(const Shape& shape, const InputOptions& options, Where where) {
  Type type{options.dtype, {detail::batch_size()}};
  for (const Dim size : shape) {
    if (!size.is_known() || size.value() < kInferred) {
      fail(Code::kInvalid, "Input", "shape", "shape is ", shape,
           "; sizes are numbers, without the batch, and kInferred where they are not known");
    }
    type.shape.push_back(size.value() == kInferred ? detail::sizes().fresh(detail::kUnknown)
                                                   : size);
  }
  detail::has_inputs.store(true, std::memory_order_relaxed);
  follow_origins(true);
  auto* const node = new detail::Awaited(type, where);
  node->name = options.name;
  return Tensor::adopt(node);
}

}  // namespace weft::nn
