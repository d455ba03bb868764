// Writing ops into a graph: inputs become edges, what comes from outside constants or parameters.
#include "weft/trace/staging.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/core/native.h"
#include "weft/op/check_laws.h"
#include "weft/op/record.h"
#include "weft/op/registry.h"
#include "weft/op/scope.h"
#include "weft/op/staged_size.h"
#include "weft/op/variable_state.h"
#include "weft/ops/math/math.h"
#include "weft/ops/random/key.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/state/size_float.h"
#include "weft/state/state.h"
#include "weft/trace/generator.h"
#include "weft/transform/checkpoint.h"
#include "weft/transform/custom_call.h"

namespace weft {
namespace {

// A value of a graph: a type, and the edge it stands for.
struct Symbolic : Tracer {
  Shared<Staging> staging;
  ir::ValueId id;
  Shape shape;
  Symbolic(Shared<Staging> staging, ir::ValueId id, const Type& type);
};

const TracerType kSymbolic{"graph", [](Tracer* t) noexcept { delete static_cast<Symbolic*>(t); },
                           [](const Tracer*) -> const TensorNode* { return nullptr; },
                           [](const Tracer* t) -> std::string {
                             const auto& s = *static_cast<const Symbolic*>(t);
                             return text("graph value %", s.staging->graph().name_of(s.id));
                           },
                           [](const Tracer* t) -> Level* {
                             Staging* const staging =
                                 static_cast<const Symbolic*>(t)->staging.get();
                             return staging->kind() == Staging::Kind::kGraph ? staging : nullptr;
                           }};

Symbolic::Symbolic(Shared<Staging> at, ir::ValueId value, const Type& type)
    : Tracer(&kSymbolic), staging(std::move(at)), id(value), shape(type.shape) {
  level = staging->id;
  dtype = type.dtype;
  rank = static_cast<uint8_t>(type.rank());
  dims = shape.data();
}

const Symbolic* symbolic(const Tensor& t) {
  const bool is_one = t.defined() && t.node()->kind == NodeKind::kTracer &&
                      static_cast<const Tracer*>(t.node())->type == &kSymbolic;
  return is_one ? static_cast<const Symbolic*>(t.node()) : nullptr;
}

// "x" and "y" for the two sides of add, as TensorFlow has it; else the input's own name.
std::string_view input_name(const OpDef& op, size_t i, size_t count) {
  const OpEntry& entry = entry_of(op);
  if (count == 2 && entry.inputs.size() == 2) return i == 0 ? "x" : "y";
  return i < entry.inputs.size() ? entry.inputs[i].name : "value";
}

// What a node is called that was given no name: MatMul, Add, ReduceSum.
std::string shown_name(const OpDef& op) {
  std::string out;
  bool is_start = true;
  for (const char c : op.name) {
    if (c == '_') {
      is_start = true;
      continue;
    }
    out += is_start ? static_cast<char>(toupper(static_cast<unsigned char>(c))) : c;
    is_start = c == '.';
  }
  return out;
}

// Memory that others may write is copied when it becomes part of a graph.
Tensor kept_copy(const Tensor& t) {
  if (!t.is_foreign()) return t;
  Tensor out = Tensor::empty(t.dtype(), t.shape());
  native::copy(out, t);
  return out;
}

// Is the op's attribute a callable of the program that traces?
bool is_host_call(const OpDef& op, const void* attrs) {
  return op.attrs->fields.empty() &&
         (custom_call_of(op, attrs) != nullptr || checkpointed_call_of(op, attrs) != nullptr);
}

const void* resource_of(const OpDef& op, const void* attrs) {
  static const char kGenerator = 0, kOutside = 0;
  switch (op.effect) {
    case Effect::kNone: return nullptr;
    case Effect::kReads:
    case Effect::kWrites: return static_cast<const VariableAttrs*>(attrs)->variable.id();
    case Effect::kDraws: return &kGenerator;
    case Effect::kOutside: return &kOutside;
  }
  return nullptr;
}

// Values of a tape that has ended are plain again.
Tensor without_ended_tapes(Tensor t) {
  while (t.level() > kTapeLevel && is_tape_level(t.level()) && find_level(t.level()) == nullptr) {
    t = outside_of_tape(t);
  }
  return t;
}

// The node that made a value, casts aside; null if it is not of a graph.
const ir::Node* maker_behind(const Tensor& value) {
  const Symbolic* const s = symbolic(value);
  if (s == nullptr) return nullptr;
  const ir::Graph& graph = s->staging->graph();
  ir::NodeId maker = graph.value(s->id).maker;
  while (maker != ir::kNone && graph.node(maker).op->kernel.kind == KernelKind::kCast) {
    maker = graph.value(graph.node(maker).inputs[0]).maker;
  }
  return maker == ir::kNone ? nullptr : &graph.node(maker);
}

// Of a value that is a size as a number, in whatever dtype.
std::optional<Dim> size_behind(const Tensor& value) {
  const ir::Node* const maker = maker_behind(value);
  if (maker == nullptr || maker->op != &kSizeValue) return {};
  return static_cast<const SizeValueAttrs*>(maker->attributes())->size[0];
}

// Of a weak value: what language scalar it would be in a call of these sizes.
std::optional<Tensor> number_behind(const Tensor& value) {
  const ir::Node* const maker = value.is_weak() ? maker_behind(value) : nullptr;
  const bool is_float = maker != nullptr && maker->op == &kSizeFloat;
  if (maker == nullptr || (!is_float && maker->op != &kSizeValue)) return {};
  const auto have_hints = [](const Shape& sizes) {
    return std::ranges::all_of(sizes, [](Dim size) { return hinted_value(size).has_value(); });
  };
  if (is_float) {
    const auto& attrs = *static_cast<const SizeFloatAttrs*>(maker->attributes());
    return have_hints(attrs.sizes) ? std::optional<Tensor>(value_of_size_float(attrs))
                                   : std::nullopt;
  }
  const Shape& size = static_cast<const SizeValueAttrs*>(maker->attributes())->size;
  return have_hints(size) ? std::optional<Tensor>(size[0].value()) : std::nullopt;
}

}  // namespace

Staging::Staging(Kind kind, Staging* outer)
    : Level(next_level_id(false)), kind_(kind), outer_(outer) {}
Staging::~Staging() = default;

Shared<Staging> Staging::open(Kind kind, bool stands_alone) {
  register_state_ops();
  static constexpr StagedSizes kSizes{size_behind, size_value, number_behind};
  set_staged_sizes(kSizes);
  const Shared<Staging> out(new Staging(kind, stands_alone ? nullptr : innermost_staging()),
                            [](void* staging) { delete static_cast<Staging*>(staging); });
  out->self_ = out;
  return out;
}

Shared<Staging> Staging::resume(ir::Graph graph, std::vector<ir::Assumption> assumptions) {
  const Shared<Staging> out = open(Kind::kGraph, /*stands_alone=*/true);
  out->found_sizes_ = static_cast<uint32_t>(graph.values().size());  // names that none has yet
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    const ir::Node& node = graph.node(id);
    const void* const resource = resource_of(*node.op, node.attributes());
    if (resource != nullptr) out->last_effect_[resource] = id;
    const ir::NodeId writer = writer_of(graph, node);
    if (writer != ir::kNone) out->writes_[writer].push_back(id);
    if (node.op == &kReadVariable || node.op == &kAssignVariable) {
      out->add_variable(static_cast<const VariableAttrs*>(node.attributes())->variable);
    }
  }
  out->graph_ = std::move(graph);
  out->assumptions_ = std::move(assumptions);
  return out;
}

Tensor Staging::tensor_of(ir::ValueId id) {
  return Tensor::adopt(new Symbolic(self_.lock(), id, graph_.value(id).type));
}

Tensor Staging::parameter(const Type& type, std::string_view name, Where where) {
  const auto id = [&] {
    const auto lock = still();
    return graph_.add_parameter(type, name, where);
  }();
  return tensor_of(id);
}

ir::NodeId Staging::append_node(const OpDef& op, const ir::ValueIds& in,
                                Shared<const AnyAttrs> attrs, const Types& out,
                                const ir::NodeOptions& options) {
  const auto lock = still();
  return graph_.add(op, in, std::move(attrs), out, options);
}

ir::ValueId Staging::value_of(const Tensor& given, std::string_view name) {
  if (!given.defined()) return ir::kNone;
  const Tensor t = without_ended_tapes(given);
  if (const ir::ValueId known = known_value(t); known != ir::kNone) return known;
  kept_.push_back(t);
  if (const ir::ValueId same = same_outside(t); same != ir::kNone) return known_[t.node()] = same;
  if (!t.is_concrete()) {
    if (kind_ == Kind::kGraph) {
      fail(Code::kInvalid, "graph", "outside", "a value (",
           static_cast<const Tracer*>(t.node())->type->describe(
               static_cast<const Tracer*>(t.node())),
           ") of another graph or transformation cannot be used in this graph; pass it in by a "
           "placeholder");
    }
    return known_[t.node()] = capture(Captured::Kind::kValue, t, {}).parameter;
  }
  const ConstantAttrs attrs{kept_copy(t)};
  const ir::NodeId node =
      append_node(kConstant, {}, ir::keep(*kConstant.attrs, &attrs), {t.type()},
                  {.name = name.empty() ? text(scope, "Const") : std::string(name),
                   .where = now_,
                   .device = device});
  return known_[t.node()] = graph_.node(node).outputs[0];
}

ir::ValueId Staging::known_value(const Tensor& t) const {
  const ir::ValueId own = staged_value(t, *this);
  if (own != ir::kNone) return own;
  const auto found = known_.find(t.node());
  return found == known_.end() ? ir::kNone : found->second;
}

ir::ValueId Staging::same_outside(const Tensor& t) const {
  if (outer_ == nullptr || t.is_concrete()) return ir::kNone;
  for (const auto& [outside, id] : standing_) {
    if (outer_->are_one(outside, t)) return id;
  }
  for (const Captured& one : captured_) {
    if (one.kind == Captured::Kind::kValue && outer_->are_one(one.value, t)) return one.parameter;
  }
  return ir::kNone;
}

bool Staging::are_one_outside(const Tensor& a, const Tensor& b) const {
  return a.node() == b.node() || (outer_ != nullptr && outer_->are_one(a, b));
}

bool Staging::are_one(const Tensor& a, const Tensor& b) const {
  if (a.node() == b.node()) return true;
  const auto edge_of = [&](const Tensor& t) {
    const ir::ValueId known = known_value(t);
    return known != ir::kNone ? known : same_outside(t);
  };
  const ir::ValueId id = edge_of(a);
  return id != ir::kNone && id == edge_of(b);
}

void Staging::let_stand_for(const Tensor& inside, const Tensor& outside) {
  kept_.push_back(without_ended_tapes(outside));
  const ir::ValueId id = value_of(inside);
  known_[kept_.back().node()] = id;
  standing_.push_back({kept_.back(), id});
}

Captured& Staging::capture(Captured::Kind kind, const Tensor& value, const Variable& variable) {
  static constexpr std::string_view kNames[] = {"captured", "variable", "seed", "draws"};
  const bool has_name = variable.defined() && !variable.name().empty();
  const auto lock = still();
  const ir::ValueId id = graph_.add_parameter(
      renamed(value.type()), has_name ? variable.name() : kNames[static_cast<size_t>(kind)], now_);
  captured_.push_back({kind, value, variable, id, id, false});
  return captured_.back();
}

// Sizes that values decide have a name of their own in every node.
void Staging::name_found_sizes(Types& out) {
  std::vector<Dim> symbols;
  for (const Type& type : out) {
    for (const Dim dim : type.shape) append_symbols(symbols, dim);
  }
  std::vector<DimBinding> names;
  for (const Dim symbol : symbols) {
    const std::string name = to_string(symbol);
    if (!name.starts_with('?') || name.find('.') != std::string::npos) continue;
    names.push_back({symbol, Dim::symbol(text(name, '.', found_sizes_++))});
  }
  if (names.empty()) return;
  for (Type& type : out) {
    for (Dim& dim : type.shape) dim = substituted(dim, names);
  }
}

ir::NodeId Staging::add_node(const OpDef& op, const ir::ValueIds& in, Shared<const AnyAttrs> attrs,
                             Types out, Where where) {
  name_found_sizes(out);
  const std::string name = text(scope, shown_name(op));
  ir::NodeOptions options{.name = name, .after = after, .where = where, .device = device};
  const void* const resource = resource_of(op, attrs->data());
  const auto last = last_effect_.find(resource);  // of no resource there is none
  if (last != last_effect_.end()) options.follows.push_back(last->second);
  const ir::NodeId node = append_node(op, in, attrs, out, options);
  if (resource != nullptr) last_effect_[resource] = node;
  return node;
}

Shared<const AnyAttrs> Staging::kept_attrs(const OpDef& op, const void* attrs) {
  const std::vector<DimBinding>& renames = outermost().renames_;
  if (renames.empty() || !has_symbols(*op.attrs, attrs)) return ir::keep(*op.attrs, attrs);
  return new_shared<const AnyAttrs>(substituted(*op.attrs, attrs, renames));
}

Tensors Staging::interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (is_host_call(op, attrs)) return staged_host_call(*this, op, in, attrs, where);
  const Where line = line_for_user(where);
  const LineIs here(now_, line);
  Types types;
  for (const Tensor& t : in) types.push_back(t.defined() ? renamed(t.type()) : Type());
  const DimOracleIs oracle(this);
  const Shared<const AnyAttrs> kept = kept_attrs(op, attrs);
  // Inference accepts a symbol where some size of it would do, and a result that is never read is
  // never checked again. So the laws are checked here with the sizes of the traced call.
  if (has_symbols(types)) check_laws(op, kept->data(), types);
  const Types out = op.infer(kept->data(), InferCtx{op.name}, types);
  ir::ValueIds ids;
  // Constants are named after the op they are made for: Add/x.
  std::string prefix;
  for (size_t i = 0; i < in.size(); ++i) {
    std::string name;
    if (in[i].defined() && in[i].is_concrete()) {
      if (prefix.empty()) prefix = graph_.unique_name(text(scope, shown_name(op)));
      name = text(prefix, '/', input_name(op, i, in.size()));
    }
    ids.push_back(value_of(in[i], name));
  }
  const ir::NodeId node = add_node(op, ids, kept, out, line);
  Tensors result;
  for (const ir::ValueId id : graph_.node(node).outputs) result.push_back(tensor_of(id));
  return result;
}

void Staging::extend_node(ir::NodeId id, Shared<const AnyAttrs> attrs, TypeSpan more) {
  Types types(more.begin(), more.end());
  name_found_sizes(types);
  const auto lock = still();
  graph_.extend_node(id, std::move(attrs), types);
}

void Staging::add_variable(const Variable& variable) {
  if (!variable_ids_.insert(variable.id()).second) return;
  variables_.push_back({variable, stored_value(variable)});
}

Tensor Staging::follow(const Variable& variable, const Tensor& value) {
  if (kind_ == Kind::kGraph) {
    add_variable(variable);
    // One read serves until the next write.
    if (const auto last = last_effect_.find(variable.id()); last != last_effect_.end()) {
      const ir::Node& earlier = graph_.node(last->second);
      const bool serves = earlier.op == &kReadVariable && earlier.device == device &&
                          std::ranges::equal(earlier.after, after);
      if (serves) return read_of(variable, earlier.outputs[0]);
    }
    const VariableAttrs attrs{variable};
    const ir::NodeId node = add_node(kReadVariable, {}, ir::keep(*kReadVariable.attrs, &attrs),
                                     {value.type()}, line_for_user(now_));
    return read_of(variable, graph_.node(node).outputs[0]);
  }
  for (Captured& one : captured_) {
    if (one.kind == Captured::Kind::kVariable && one.variable.same_place(variable)) {
      return read_of(variable, one.current);
    }
  }
  return read_of(variable, capture(Captured::Kind::kVariable, value, variable).current);
}

Tensor Staging::detached_value(const Variable& variable) {
  if (kind_ == Kind::kGraph) return {};  // a program that builds a graph may look at values
  return stop_gradient(follow(variable, stored_value(variable)));
}

Tensor Staging::read_of(const Variable& variable, ir::ValueId id) {
  Tensor& read = reads_[variable.id()];
  if (staged_value(read, *this) != id) read = tensor_of(id);
  return read;
}

// The value as this graph sees it: transformations inside of the scope are taken off.
Tensor Staging::below(Tensor value) const {
  while (value.defined() && value.level() > id) value = value_below(value);
  if (!value.defined()) {
    fail(Code::kInvalid, "assign", "batched",
         "the value is batched by vmap, and a Variable holds one value; reduce over the batch "
         "first, or return the value from the function");
  }
  return value;
}

bool Staging::assign(const Variable& variable, const Tensor& value, Where where) {
  assign(variable, value, /*with_maker=*/false, where);
  return true;
}

void Staging::store(const Variable& variable, const Tensor& value, Where where) {
  assign(variable, value, /*with_maker=*/kind_ == Kind::kGraph, where);
}

ir::NodeIds Staging::with_writes(std::span<const ir::NodeId> nodes) const {
  ir::NodeIds out;
  const auto put = [&](ir::NodeId id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  for (const ir::NodeId id : nodes) {
    put(id);
    const auto found = writes_.find(id);
    if (found == writes_.end()) continue;
    for (const ir::NodeId write : found->second) put(write);
  }
  return out;
}

void Staging::assign(const Variable& variable, const Tensor& given, bool with_maker, Where where) {
  const Tensor value = below(given);
  const Type place{variable.dtype(), variable.shape()};
  if (value.dtype() != place.dtype || same(value.shape(), place.shape) == Tri::kNo) {
    fail(Code::kType, "assign", "type", "the Variable ", variable.name(), " holds ", place,
         " but the value is ", value.type(), "; a Variable keeps its dtype and shape");
  }
  if (kind_ == Kind::kGraph) {
    add_variable(variable);
    const LineIs here(now_, line_for_user(where));
    const ir::ValueId id = value_of(value);
    const VariableAttrs attrs{variable, with_maker};
    const ir::NodeId node =
        add_node(kAssignVariable, {id}, ir::keep(*kAssignVariable.attrs, &attrs), {place}, now_);
    if (with_maker) writes_[graph_.value(id).maker].push_back(node);
    return;
  }
  follow(variable, stored_value(variable));
  // A Variable holds a value: history ends here, as it does now.
  const bool has_history = !value.is_concrete() && is_differentiable(value.dtype());
  const ir::ValueId id =
      value_of(has_history ? interpret(kStopGradient, {&value, 1}, &kNoAttrs, where)[0] : value);
  for (Captured& one : captured_) {
    if (one.kind != Captured::Kind::kVariable || !one.variable.same_place(variable)) continue;
    one.current = id;
    one.is_written = true;
  }
}

Tensor Staging::drawn_before() {
  if (kind_ == Kind::kGraph) {
    const ir::NodeId node = add_node(kNextKey, {}, ir::keep(*kNextKey.attrs, &kNoAttrs),
                                     {Type{DType::kU32, {2}}}, now_);
    return tensor_of(graph_.node(node).outputs[0]);
  }
  const ScopeIs own(this);  // whatever level inside asks
  const Tensor draws = generator_draws();
  const Tensor key = random::Key(generator_seed()).fold_in(draws).words();
  set_generator_draws(add(draws, Tensor(int64_t{1})));
  return key;
}

Tensor Staging::generator_seed() {
  read_generator();
  return tensor_of(find_captured(Captured::Kind::kSeed)->current);
}

Tensor Staging::generator_draws() {
  read_generator();
  return tensor_of(find_captured(Captured::Kind::kDraws)->current);
}

void Staging::set_captured(Captured::Kind kind, const Tensor& value) {
  const ir::ValueId id = value_of(below(value));
  Captured& one = *find_captured(kind);
  one.current = id;
  one.is_written = true;
}

void Staging::set_generator_seed(const Tensor& seed) { set_captured(Captured::Kind::kSeed, seed); }

void Staging::set_generator_draws(const Tensor& draws) {
  set_captured(Captured::Kind::kDraws, draws);
}

// A graph is written down, not run: there the process's generator starts again, now.
bool Staging::on_seed(const Tensor& key, uint64_t draws) {
  if (kind_ == Kind::kGraph) return false;
  if (outermost().kind_ == Kind::kGraph) {
    fail(Code::kInvalid, "seed", "graph",
         "the default generator cannot start again in a branch or loop of a graph, whose draws "
         "have keys of their own; draw from a Key");
  }
  const ScopeIs own(this);
  read_generator();
  set_generator_seed(key);
  set_generator_draws(Tensor(static_cast<int64_t>(draws)));
  return true;
}

Captured* Staging::find_captured(Captured::Kind kind) {
  for (Captured& one : captured_) {
    if (one.kind == kind) return &one;
  }
  return nullptr;
}

void Staging::read_generator() {
  if (find_captured(Captured::Kind::kSeed) != nullptr) return;
  const GeneratorTensors now = generator_outside(outer_);
  capture(Captured::Kind::kSeed, now.seed, {});
  capture(Captured::Kind::kDraws, now.draws, {});
}

void Staging::carrier_outside(Dim symbol) {
  const Tensor carrier = outer_ == nullptr ? Tensor() : outer_->carrier_of(symbol);
  if (!carrier.defined()) {
    fail(Code::kInvalid, "shape", "symbolic", "the size ", symbol,
         " belongs to a function or graph that has ended; return it from there, or compute with "
         "the size of a tensor that is used here");
  }
  value_of(carrier);
}

Tensor Staging::carrier_of(Dim symbol) {
  for (ir::ValueId id = 0; id < graph_.values().size(); ++id) {
    for (const Dim dim : graph_.value(id).type.shape) {
      if (dim == symbol) return tensor_of(id);
    }
  }
  if (outer_ == nullptr) return {};
  const Tensor outside = outer_->carrier_of(symbol);
  return outside.defined() ? tensor_of(value_of(outside)) : Tensor();
}

std::optional<int64_t> Staging::hinted(Dim dim) const {
  const Dim value = substituted(renamed(dim), hints_);
  return value.is_known() ? std::optional<int64_t>(value.value()) : std::nullopt;
}

// In a graph it is noted for each line: a run checks those of the lines that it runs. What the
// program itself compares, between two ops, may decide all that follows: it has no line, and every
// run checks it.
void Staging::assume(Dim a, ir::Assumption::Relation relation, Dim b) {
  const bool is_of_op = kind_ == Kind::kFunction || now_.known();
  const Where line = is_of_op ? line_for_user(now_) : Where{};
  for (const ir::Assumption& one : assumptions_) {
    const bool is_known = one.a == a && one.b == b && one.relation == relation;
    if (is_known && (kind_ == Kind::kFunction || ir::is_same_line(one.where, line))) return;
  }
  const auto lock = still();
  assumptions_.push_back({a, b, relation, line});
}

int64_t Staging::value_of(Dim given) {
  if (outer_ != nullptr) return outer_->value_of(given);
  const Dim dim = renamed(given);
  const std::optional<int64_t> value = hinted(dim);
  if (!value) {
    fail(Code::kInvalid, "shape", "symbolic", "the size ", dim,
         " is known only when the graph runs, and here its value is needed; give the placeholder "
         "that size, or compute without it");
  }
  assume(dim, ir::Assumption::Relation::kEqual, Dim(*value));
  return *value;
}

Tri Staging::is_same(Dim given_a, Dim given_b) {
  if (outer_ != nullptr) return outer_->is_same(given_a, given_b);
  const Dim a = renamed(given_a), b = renamed(given_b);
  if (const Tri known = same(a, b); known != Tri::kUnknown) return known;
  const std::optional<int64_t> x = hinted(a), y = hinted(b);
  // Of sizes that nothing is known of, what is needed is taken for granted.
  const bool are_same = !x || !y || *x == *y;
  assume(a, are_same ? ir::Assumption::Relation::kEqual : ir::Assumption::Relation::kNotEqual, b);
  return are_same ? Tri::kYes : Tri::kNo;
}

Tri Staging::is_less(Dim given_a, Dim given_b) {
  if (outer_ != nullptr) return outer_->is_less(given_a, given_b);
  const Dim a = renamed(given_a), b = renamed(given_b);
  if (const Dim gap = a - b; gap.is_known()) return gap.value() < 0 ? Tri::kYes : Tri::kNo;
  const std::optional<int64_t> x = hinted(a), y = hinted(b);
  if (!x || !y) return Tri::kUnknown;
  const bool is_less = *x < *y;
  assume(a, is_less ? ir::Assumption::Relation::kLess : ir::Assumption::Relation::kNotLess, b);
  return is_less ? Tri::kYes : Tri::kNo;
}

ir::ValueId staged_value(const Tensor& tensor, const Staging& staging) {
  const Symbolic* const s = symbolic(tensor);
  return s != nullptr && s->staging.get() == &staging ? s->id : ir::kNone;
}

Staging* innermost_staging() {
  const std::span<Level* const> levels = open_levels();
  for (size_t i = levels.size(); i-- > 0;) {
    if (levels[i]->stages()) return dynamic_cast<Staging*>(levels[i]);
  }
  return nullptr;
}

Staging* staging_of(const Tensor& tensor) {
  const Symbolic* const s = symbolic(tensor);
  return s == nullptr ? nullptr : s->staging.get();
}

}  // namespace weft
