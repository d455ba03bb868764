// Noting calls of layers and ops, and calling them again.
#include "weft/nn/graph.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/followed.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/random/key.h"
#include "weft/trace/eager_scope.h"

namespace weft::nn {
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
  std::mutex mutex_;
  std::vector<Known> all_;
};
Sizes& sizes() {
  static Sizes all;
  return all;
}
Dim batch_size() { return Dim::symbol("batch"); }

// An op or a module, and what it was called with.
struct Call {
  const OpDef* op = nullptr;  // null: a module
  Shared<const AnyAttrs> attrs;
  Shared<const detail::NotedModule> module;
  detail::CallWithLeaves function;
  std::vector<Tensor> in;
  Types out;  // with symbols
  Where where;
};

// A value that is not there yet.
struct Awaited : Tracer {
  Shape shape;
  std::string name;         // of an Input
  Shared<const Call> call;  // what gives it; null of an Input and of a Variable
  Variable variable;        // whose value it is
  size_t place = 0;         // its number among all that is given
  Where where;
  Awaited(const Type& type, Where where);
  ~Awaited();
};

Level* home_of(const Tracer*);

std::string described(const Tracer* t) {
  const auto* const it = static_cast<const Awaited*>(t);
  const std::string what = it->call           ? "made of an nn::Input"
                           : it->name.empty() ? "an nn::Input"
                                              : text("nn::Input '", it->name, "'");
  return text(what, ", not there yet");
}

const TracerType kAwaited{"Input", [](Tracer* t) noexcept { delete static_cast<Awaited*>(t); },
                          [](const Tracer*) -> const TensorNode* { return nullptr; }, described,
                          home_of};

const Awaited* awaited(const Tensor& t) {
  const bool is_it = t.defined() && t.node()->kind == NodeKind::kTracer &&
                     static_cast<const Tracer*>(t.node())->type == &kAwaited;
  return is_it ? static_cast<const Awaited*>(t.node()) : nullptr;
}

// Notes the ops on values that are not there yet. Sizes that are not known are equal if what stands
// for them is.
class Noting final : public Level, public DimOracle {
 public:
  Noting() : Level(next_level_id(/*is_tape=*/false)) {}

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    Types types;
    for (const Tensor& t : in) types.push_back(t.defined() ? t.type() : Type());
    const DimOracleIs oracle(this);
    const auto call = new_shared<Call>();
    call->op = &op;
    call->attrs = new_shared<const AnyAttrs>(op.attrs, attrs);
    for (const Tensor& t : in) call->in.push_back(as_given(kept(op.name, t)));
    call->where = where;
    return results(call, op.infer(attrs, InferCtx{op.name}, types), where);
  }
  // An operand as calls to come have it: a Variable is read again by each of them. Raises
  // [Input.variable] and [Input.draw] for what they would have as it is now.
  static Tensor kept(std::string_view who, const Tensor& t);
  static Tensors results(const Shared<Call>& call, const Types& types, Where where) {
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

namespace detail {

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
  const auto call = new_shared<Call>();
  call->module = known;
  call->function = std::move(function);
  for (const Tensor& leaf : leaves) call->in.push_back(Noting::kept(module.type_name(), leaf));
  call->where = where;
  return Noting::results(call, types, where);
}

}  // namespace detail

Tensor Input(const Shape& shape, const InputOptions& options, Where where) {
  Type type{options.dtype, {batch_size()}};
  for (const Dim size : shape) {
    if (!size.is_known() || size.value() < kInferred) {
      fail(Code::kInvalid, "Input", "shape", "shape is ", shape,
           "; sizes are numbers, without the batch, and kInferred where they are not known");
    }
    type.shape.push_back(size.value() == kInferred ? sizes().fresh(kUnknown) : size);
  }
  detail::has_inputs.store(true, std::memory_order_relaxed);
  follow_origins(true);
  auto* const node = new Awaited(type, where);
  node->name = options.name;
  return Tensor::adopt(node);
}

void Lambda::fail_count(size_t count) {
  fail(Code::kInvalid, "Lambda", "count", "there are ", count,
       " tensors, which the function does not take");
}

Ends::Ends(std::initializer_list<Tensor> several) : is_list(true) {
  for (const Tensor& one : several) all.emplace_back("", one);
}
Ends::Ends(const std::vector<Tensor>& several) : is_list(true) {
  for (const Tensor& one : several) all.emplace_back("", one);
}

// Steps in the order in which they are computed.
struct Model::Program {
  // A value: of an input, of an earlier step, of a Variable among the items, or one that is there.
  struct Place {
    enum class Kind : uint8_t { kInput, kStep, kVariable, kConstant } kind = Kind::kConstant;
    size_t step = 0, place = 0;
    Tensor constant = {};
  };
  struct Step {
    Shared<const Call> call;
    size_t item = 0;  // of a module: its number among the items
    std::vector<Place> in;
  };
  std::vector<Tensor> inputs;
  std::vector<Step> steps;
  std::vector<Place> results;
};

namespace {

bool is_symbol(Dim size) {
  if (size.is_known()) return false;
  std::vector<Dim> symbols;
  append_symbols(symbols, size);
  return symbols.size() == 1 && symbols[0] == size;
}

// The sizes of a call of a model.
class Bindings {
 public:
  void bind(ShapeView sizes, const Tensor& value) {
    for (size_t i = 0; i < sizes.size() && i < static_cast<size_t>(value.rank()); ++i) {
      if (!is_symbol(sizes[i])) continue;
      const auto known = std::ranges::find(all_, sizes[i], &DimBinding::symbol);
      if (known == all_.end()) all_.push_back({sizes[i], value.shape()[i]});
    }
  }
  Tensors applied(const Call& call, TensorSpan in) const {
    const AttrsType& type = *call.op->attrs;
    if (!has_symbols(type, call.attrs->data())) {
      return apply_all(*call.op, in, call.attrs->data(), call.where);
    }
    const AnyAttrs attrs = substituted(type, call.attrs->data(), all_);
    return apply_all(*call.op, in, attrs.data(), call.where);
  }

 private:
  std::vector<DimBinding> all_;
};

std::string in_words(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += text(out.empty() ? "'" : ", '", name, "'");
  return out;
}

}  // namespace

// Finds what lies between the ends, as Python does, so that names and draws are in one order.
class ModelBuilder {
 public:
  ModelBuilder(Model& model, const Ends& inputs) : model_(model) {
    for (const auto& [given, input] : inputs.all) add_input(given, input, inputs.is_list);
  }

  Shared<const Model::Program> built(const Ends& outputs) {
    for (const auto& [name, output] : outputs.all) {
      if (awaited(output) == nullptr) {
        fail(Code::kType, "Model", "outputs", "an output is a tensor that is there",
             "; outputs are what layers give of an nn::Input");
      }
      program_->results.push_back(place_of(output));
      model_.output_names.push_back(!name.empty()     ? name
                                    : outputs.is_list ? text("output_", model_.output_names.size())
                                                      : "output");
    }
    for (size_t k = 0; k < used_.size(); ++k) {
      if (used_[k]) continue;
      fail(Code::kInvalid, "Model", "inputs", "no output depends on the input '",
           model_.input_names[k], "'; leave it out");
    }
    return program_;
  }

 private:
  using Place = Model::Program::Place;

  void add_input(const std::string& given, const Tensor& input, bool is_list) {
    const Awaited* const node = awaited(input);
    if (node == nullptr || node->call != nullptr) {
      fail(Code::kType, "Model", "inputs", "an input is ",
           node == nullptr ? "a tensor that is there" : "what a layer gave",
           "; inputs are made by nn::Input");
    }
    std::vector<std::string>& names = model_.input_names;
    std::string name = !given.empty() ? given : node->name;
    if (name.empty()) name = is_list ? text("input_", names.size()) : "input";
    if (std::ranges::find(names, name) != names.end()) {
      fail(Code::kInvalid, "Model", "inputs", "two inputs are named '", name, "'; names differ");
    }
    names.push_back(name);
    program_->inputs.push_back(input);
    used_.push_back(false);
  }

  Place place_of(const Tensor& value) {
    const Awaited* const node = awaited(value);
    if (node == nullptr) return {Place::Kind::kConstant, 0, 0, value};
    if (node->variable.defined()) return {Place::Kind::kVariable, item_of(node->variable), 0, {}};
    if (node->call == nullptr) return {Place::Kind::kInput, input_of(*node), 0, {}};
    if (!numbers_.contains(node->call.get())) add(node->call);
    return {Place::Kind::kStep, numbers_.at(node->call.get()), node->place, {}};
  }

  size_t input_of(const Awaited& node) {
    for (size_t k = 0; k < program_->inputs.size(); ++k) {
      if (program_->inputs[k].node() != &node) continue;
      used_[k] = true;
      return k;
    }
    fail(Code::kInvalid, "Model", "inputs", "an output depends on ", described(&node),
         ", which is not among the inputs ", in_words(model_.input_names));
  }

  // Puts a call and those that it needs in order; without recursion, since graphs may be deep.
  void add(const Shared<const Call>& last) {
    std::vector<Shared<const Call>> waiting{last};
    while (!waiting.empty()) {
      const Shared<const Call> call = waiting.back();
      std::vector<Shared<const Call>> needed;
      for (const Tensor& value : call->in) {
        const Awaited* const node = awaited(value);
        if (node != nullptr && node->call != nullptr && !numbers_.contains(node->call.get())) {
          needed.push_back(node->call);
        }
      }
      if (!needed.empty()) {
        waiting.insert(waiting.end(), needed.rbegin(), needed.rend());
        continue;
      }
      waiting.pop_back();
      if (!numbers_.contains(call.get())) put(call);
    }
  }

  void put(const Shared<const Call>& call) {
    Model::Program::Step step;
    step.call = call;
    if (call->op == nullptr) step.item = item_of(call->module);
    for (const Tensor& value : call->in) step.in.push_back(place_of(value));
    program_->steps.push_back(std::move(step));
    numbers_.emplace(call.get(), program_->steps.size() - 1);
  }

  size_t item_of(const Shared<const detail::NotedModule>& noted) {
    const auto [at, is_new] = items_.emplace(noted.get(), model_.items.size());
    if (is_new) add_item(noted->held.module()->type_name(), {noted->held, {}});
    return at->second;
  }
  size_t item_of(const Variable& variable) {
    const auto [at, is_new] = items_.emplace(variable.id(), model_.items.size());
    if (is_new) add_item("variable", {{}, variable});
    return at->second;
  }

  void add_item(std::string word, ModelItem item) {
    for (char& c : word) {
      const auto letter = static_cast<unsigned char>(c);
      c = std::isalnum(letter) ? static_cast<char>(std::tolower(letter)) : '_';
    }
    std::string name = word;
    const auto is_taken = [&] {
      return std::ranges::any_of(model_.items, [&](const auto& it) { return it.first == name; });
    };
    for (size_t count = 1; is_taken(); ++count) name = text(word, '_', count);
    model_.items.emplace_back(name, std::move(item));
  }

  Model& model_;
  const Shared<Model::Program> program_ = new_shared<Model::Program>();
  std::vector<bool> used_;
  std::unordered_map<const Call*, size_t> numbers_;
  std::unordered_map<const void*, size_t> items_;  // by a module or a Variable
};

Model::Model(const Ends& inputs, const Ends& outputs)
    : program_(ModelBuilder(*this, inputs).built(outputs)) {}

Tensors Model::forward(TensorSpan inputs) const {
  if (inputs.size() != input_names.size()) {
    fail(Code::kInvalid, "Model", "call", "was called with ", inputs.size(),
         " values; its inputs are ", in_words(input_names));
  }
  follow_origins(false);  // it is in use: no graph is being made
  Bindings bindings;
  for (size_t k = 0; k < inputs.size(); ++k) bindings.bind(program_->inputs[k].shape(), inputs[k]);
  std::vector<Tensors> results;
  const auto value = [&](const Program::Place& at) {
    switch (at.kind) {
      case Program::Place::Kind::kInput: return inputs[at.step];
      case Program::Place::Kind::kStep: return results[at.step][at.place];
      case Program::Place::Kind::kVariable: return items[at.step].second.variable.read();
      case Program::Place::Kind::kConstant: return at.constant;
    }
    __builtin_unreachable();
  };
  for (const Program::Step& step : program_->steps) {
    Tensors in;
    for (const Program::Place& at : step.in) in.push_back(value(at));
    const Call& call = *step.call;
    results.push_back(call.op != nullptr
                          ? bindings.applied(call, in)
                          : call.function(*items[step.item].second.layer->module(), in));
    for (size_t k = 0; k < call.out.size(); ++k) {
      bindings.bind(call.out[k].shape, results.back()[k]);
    }
  }
  Tensors out;
  for (const Program::Place& at : program_->results) out.push_back(value(at));
  return out;
}

Tensor Model::only(const Tensors& outputs) const {
  if (outputs.size() != 1) {
    fail(Code::kInvalid, "Model", "outputs", "the model gives ", outputs.size(),
         " outputs; give it a TensorSpan of its inputs, and it gives all of them");
  }
  return outputs[0];
}

State Model::named(const State& inputs) const {
  Tensors row;
  for (const std::string& name : input_names) {
    const auto given = inputs.find(name);
    if (given != inputs.end()) row.push_back(given->second);
  }
  if (row.size() != inputs.size() || row.size() != input_names.size()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : inputs) names.push_back(name);
    fail(Code::kInvalid, "Model", "call", "was called with ", in_words(names), "; its inputs are ",
         in_words(input_names));
  }
  const Tensors outputs = (*this)(TensorSpan(row));
  State out;
  for (size_t k = 0; k < outputs.size(); ++k) out.emplace(output_names[k], outputs[k]);
  return out;
}

Summary Model::summary() {
  Tensors inputs;
  for (const Tensor& input : program_->inputs) {
    Shape shape;
    for (const Dim size : input.shape()) shape.push_back(size.is_known() ? size : Dim(1));
    inputs.push_back(zeros(shape, input.dtype()));
  }
  return detail::summarized(*this, [&] { (*this)(TensorSpan(inputs)); });
}

}  // namespace weft::nn
