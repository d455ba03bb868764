// Recording at a grad level: what to keep of an op, and letting go of it without recursion.
#include "weft/op/record.h"

#include <algorithm>
#include <cstring>

#include "weft/base/thread_local.h"
#include "weft/core/scalar.h"
#include "weft/op/apply.h"
#include "weft/op/grad_plan.h"
#include "weft/op/hooks.h"
#include "weft/op/saving.h"
#include "weft/op/vjp_op.h"

namespace weft {

GradNode::GradNode(uint32_t at_level, GradRole as, const OpDef* op, Where where)
    : Tracer(&kGradTracer), op(op), where(line_for_user(where)) {
  level = at_level;
  role = static_cast<uint8_t>(as);
}

namespace {

static_assert(sizeof(GradNode) <= 88, "a taped scalar op must fit into 128 bytes");

// Program order on this thread; never behind what it builds on.
WEFT_THREAD_LOCAL uint64_t latest_order = 0;

constexpr size_t bytes_of(size_t edges, size_t rank, size_t attrs) {
  return sizeof(GradNode) + edges * sizeof(GradEdge) + rank * sizeof(Dim) + attrs;
}

GradNode* new_node(uint32_t level, GradRole role, const OpDef* op, Where where, size_t edges,
                   const Tensor* like, const void* attrs = nullptr) {
  const size_t rank = like != nullptr ? static_cast<size_t>(like->rank()) : 0;
  const bool has_attrs = attrs != nullptr && op->attrs != attrs_type<NoAttrs>();
  const size_t attrs_size = has_attrs ? op->attrs->size : 0;
  uint8_t size_class;
  const size_t bytes = bytes_of(edges, rank, attrs_size);
  void* const memory = allocate_node_memory(static_cast<int64_t>(bytes), &size_class);
  GradNode* const node = new (memory) GradNode(level, role, op, where);
  node->size_class = size_class;
  node->edge_count = static_cast<uint32_t>(edges);
  for (GradEdge& edge : node->edges()) new (&edge) GradEdge;
  Dim* const dims = reinterpret_cast<Dim*>(node->edges().data() + edges);
  node->dims = dims;
  if (like != nullptr) {
    node->dtype = like->dtype();
    node->rank = static_cast<uint8_t>(rank);
    for (size_t i = 0; i < rank; ++i) dims[i] = like->shape()[i];
  }
  if (attrs_size > 0) op->attrs->copy(dims + rank, attrs);
  return node;
}

bool has_attrs(const GradNode& node) {
  return node.kind() == GradRole::kOp && node.op->attrs != attrs_type<NoAttrs>();
}

// Records whose last link is gone; freeing one may add others.
WEFT_THREAD_LOCAL GradNode* dead_records = nullptr;
WEFT_THREAD_LOCAL bool is_freeing = false;

GradNode* next_dead(GradNode* node) { return reinterpret_cast<GradNode*>(node->order); }

void free_record(GradNode* node) noexcept {
  for (GradEdge& edge : node->edges()) {
    if (edge.link != nullptr) unlink(edge.link);
    edge.~GradEdge();
  }
  if (node->hooked.load_acquire() != 0) [[unlikely]]
    drop_hooks(node);
  if (has_attrs(*node)) node->op->attrs->destroy(const_cast<void*>(node->attrs()));
  const uint8_t size_class = node->size_class;
  node->~GradNode();
  free_node_memory(node, size_class);
}

void forget_value(Tracer* tracer) noexcept {
  GradNode* const node = static_cast<GradNode*>(tracer);
  // A rule may take a handle to a node that serves it as a type only, after the value has gone.
  if (!node->inner.defined()) return;
  node->inner = Tensor();
  unlink(node);
}

std::string describe(const Tracer* tracer) {
  GradNode* const node = static_cast<GradNode*>(const_cast<Tracer*>(tracer));
  if (node->level == kTapeLevel) {
    if (node->is_taped()) return "";
    return node->op == nullptr ? "from a Variable" : text("from=", node->op->name);
  }
  // Values of a tape that has ended are plain again.
  if (is_tape_level(node->level) && find_level(node->level) == nullptr) return "";
  return describe_tracer("grad", node->level, node->op, node->where);
}

// The record that takes the cotangent of input i, or null.
GradNode* link_of(const OpDef& op, const Tensor& in, size_t i, uint32_t level) {
  if (in.level() != level || !is_differentiable(in.dtype())) return nullptr;
  GradNode* const node = static_cast<GradNode*>(in.node());
  if (may_stop(op) && !no_gradient_reason(op, i).empty()) return nullptr;
  if (node->kind() == GradRole::kOp || node->kind() == GradRole::kLeaf) [[likely]]
    return node;
  if (node->is_taped()) return node->record();
  if (node->is_stop()) return nullptr;
  return node->kind() == GradRole::kAlias ? node->record() : node;
}

// Leads this link to something that a sweep can reach?
bool leads_on(const GradNode* link) { return link != nullptr && link->kind() != GradRole::kTaped; }

// No gradient reaches any input: the value remembers where its path ended, for the message of
// whoever asks for the gradient.
Tensor make_stop(uint32_t level, const OpDef& op, TensorSpan in, std::span<GradNode* const> links,
                 const Tensor& value, Where where) {
  GradNode* earlier = nullptr;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].level() != level || !static_cast<GradNode*>(in[i].node())->is_stop()) continue;
    GradNode* const record = static_cast<GradNode*>(in[i].node())->record();
    const bool is_taped = record->kind() == GradRole::kTaped;
    if (is_taped && (links[i] == nullptr || !is_differentiable(value.dtype()))) continue;
    if (earlier == nullptr || is_taped) earlier = record;
  }
  const GradRole role = earlier != nullptr ? GradRole::kAlias : GradRole::kStop;
  GradNode* const node = new_node(level, role, &op, where, earlier != nullptr ? 1 : 0, &value);
  node->inner = value;
  if (earlier != nullptr) link(node->edges()[0].link = earlier);
  return Tensor::adopt(node);
}

// `x * 0.5` in a loop saves one 0.5: the scalar made last is kept.
Tensor strong_scalar(const Tensor& value, DType dtype) {
  static thread_local Tensor latest;
  Complex128 number{};
  store_scalar(value, dtype, &number);
  const size_t size = static_cast<size_t>(size_of(dtype));
  if (latest.defined() && latest.dtype() == dtype && memcmp(latest.data(), &number, size) == 0) {
    return latest;
  }
  latest = Tensor::empty(dtype, {});
  memcpy(latest.writable_data(), &number, size);
  return latest;
}

// A language scalar in the dtype it was computed in, which is that of the inputs beside it.
Tensor strong(const Tensor& value, std::span<GradNode* const> links) {
  if (!value.is_weak() || !value.is_concrete()) return value;
  for (const GradNode* link : links) {
    if (link != nullptr) return strong_scalar(value, link->dtype);
  }
  return value;
}

void fill_edges(GradNode* node, const Savings& saves, TensorSpan inner,
                std::span<GradNode* const> links, TensorSpan out) {
  uint64_t order = latest_order;
  GradEdge* const edges = node->edges().data();
  for (size_t i = 0; i < inner.size(); ++i) {
    GradEdge& edge = edges[i];
    if (links[i] != nullptr) {
      link(edge.link = links[i]);
      const uint64_t earlier = links[i]->record()->order;
      order = earlier > order ? earlier : order;
    }
    if (saves.input(i)) {
      edge.saved = strong(inner[i], links);
    } else if (links[i] == nullptr && saves.needs_types()) {
      edge.saved = type_only(inner[i]);
    }
  }
  for (size_t k = 0; k < node->kept; ++k) edges[inner.size() + k].saved = out[k];
  node->order = latest_order = order + 1;
}

// One record, and a node for each of several outputs.
Tensors record_all(uint32_t level, const OpDef& op, TensorSpan in, TensorSpan inner,
                   std::span<GradNode* const> links, Tensors out, const void* attrs, Where where) {
  const Savings saves(op, links);
  const size_t kept = saves.outputs() ? out.size() : 0;
  const bool single = out.size() == 1;
  GradNode* const node = new_node(level, GradRole::kOp, &op, where, in.size() + kept,
                                  single ? &out[0] : nullptr, attrs);
  node->kept = static_cast<uint8_t>(kept);
  node->output_count = static_cast<uint16_t>(std::min<size_t>(out.size(), UINT16_MAX));
  fill_edges(node, saves, inner, links, out);
  for (GradNode* link : links) node->of_variable |= link != nullptr && link->record()->of_variable;
  if (single) {
    node->inner = std::move(out[0]);
    return {Tensor::adopt(node)};
  }
  for (size_t k = 0; k < out.size(); ++k) {
    GradNode* const output = new_node(level, GradRole::kOutput, &op, where, 1, &out[k]);
    link(output->edges()[0].link = node);
    output->order = k;
    output->inner = std::move(out[k]);
    out[k] = Tensor::adopt(output);
  }
  unlink(node);  // it has no value of its own: only its outputs hold it
  return out;
}

struct Stripped {
  InlineVector<TensorNode*, 8> nodes;
  Tensors marked;  // keeps what `mark_taped` made
  TensorSpan span() const { return {reinterpret_cast<const Tensor*>(nodes.data()), nodes.size()}; }
  Stripped(TensorSpan in, uint32_t level) {
    for (const Tensor& t : in) {
      nodes.push_back(t.level() == level ? static_cast<GradNode*>(t.node())->inner.node()
                                         : t.node());
    }
  }

  // At a GradientTape: beside an input that the ambient tape follows, what came from a Variable of
  // this one is marked, so that a backward raises where it would leave its part out.
  void mark_taped(TensorSpan in, uint32_t level) {
    bool is_mixed = false;
    for (const Tensor& t : span()) {
      is_mixed |= t.level() == kTapeLevel && !static_cast<GradNode*>(t.node())->is_stop();
    }
    for (size_t i = 0; is_mixed && i < in.size(); ++i) {
      if (in[i].level() != level) continue;
      marked.push_back(outside_of_tape(in[i]));
      nodes[i] = marked[marked.size() - 1].node();
    }
  }
};

}  // namespace

const TracerType kGradTracer{"grad", forget_value,
                             [](const Tracer* t) -> const TensorNode* {
                               return static_cast<const GradNode*>(t)->inner.node();
                             },
                             describe};

const void* GradNode::attrs() const { return dims + rank; }

Tensor make_leaf(uint32_t level, const Tensor& value, Where where) {
  GradNode* const node = new_node(level, GradRole::kLeaf, nullptr, where, 1, &value);
  node->inner = value;
  node->order = latest_order;
  return Tensor::adopt(node);
}

Tensor make_alias(const Tensor& value, GradNode* record) {
  GradNode* const node =
      new_node(record->level, GradRole::kAlias, record->op, record->where, 1, &value);
  link(node->edges()[0].link = record);
  node->inner = value;
  return Tensor::adopt(node);
}

Tensor outside_of_tape(const Tensor& recorded) {
  GradNode* const node = grad_node(recorded);
  const bool matters = node->record()->of_variable && !node->is_stop();
  return matters ? made_by_tape(node->inner, node->op, node->where) : node->inner;
}

Tensor made_by_tape(const Tensor& value, const OpDef* op, Where where) {
  if (!value.is_concrete() || !is_recording(kTapeLevel)) return value;
  GradNode* const node = new_node(kTapeLevel, GradRole::kTaped, op, where, 0, &value);
  node->inner = value;
  node->order = latest_order;
  return Tensor::adopt(node);
}

Tensor value_below(const Tensor& t) {
  if (t.is_concrete()) return t;
  const Tracer* const tracer = static_cast<const Tracer*>(t.node());
  const TensorNode* const value = tracer->type->value(tracer);
  if (value == nullptr) return Tensor();
  retain(const_cast<TensorNode*>(value));
  return Tensor::adopt(const_cast<TensorNode*>(value));
}

Tensor value_under(Tensor t) {
  while (t.defined() && !t.is_concrete()) t = value_below(t);
  return t;
}

void unlink(GradNode* node) noexcept {
  // As in release(): whoever has the only link needs no atomic read-modify-write.
  if (node->links.load_acquire() != 1 && node->links.subtract_acq_rel(1) != 1) return;
  node->order = reinterpret_cast<uint64_t>(dead_records);
  dead_records = node;
  if (is_freeing) return;
  is_freeing = true;
  while (dead_records != nullptr) {
    GradNode* const dead = dead_records;
    dead_records = next_dead(dead);
    free_record(dead);
  }
  is_freeing = false;
}

namespace {

// A backward op (exp.vjp) has the value of its one kernel and the derivative of its formula.
Tensors composed_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs,
                      Tensors out, Where where) {
  const Tensors formula = composed_formula(op, in, attrs, where);
  for (size_t k = 0; k < out.size(); ++k) {
    GradNode* const node = formula[k].level() == level ? grad_node(formula[k]) : nullptr;
    if (node != nullptr) {
      out[k] = make_alias(out[k], node->kind() == GradRole::kAlias ? node->record() : node);
    }
  }
  return out;
}

Tensors plain_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs, Where where);

// The op in the form that gives what its VJP needs as further outputs, which callers do not see.
// Empty if it has no such form, or nobody will ask for its VJP.
Tensors saving_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs,
                    Where where) {
  InlineVector<bool, 8> wanted;
  Types types;
  bool any = false;
  for (size_t i = 0; i < in.size(); ++i) {
    wanted.push_back(leads_on(link_of(op, in[i], i, level)));
    types.push_back(in[i].type());
    any |= wanted[i];
  }
  if (!any) return {};
  const size_t seen = op.infer(attrs, InferCtx{op.name}, types).size();
  if (seen == 0) return {};  // it is run for its effects
  const std::optional<AnyAttrs> saving = saving_attrs(op, {attrs, wanted, types});
  if (!saving) return {};
  const Tensors all = plain_step(level, op, in, saving->data(), where);
  return Tensors(TensorSpan(all).first(seen));
}

// Computes the op as it is and records it.
Tensors plain_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  Stripped inner(in, level);
  if (is_tape_level(level) && level != kTapeLevel) inner.mark_taped(in, level);
  Tensors out = apply_prepared(op, inner.span(), attrs, where);
  if (!is_recording(level)) return out;
  if (op.grad.kind == GradKind::kComposed) {
    return composed_step(level, op, in, attrs, std::move(out), where);
  }
  InlineVector<GradNode*, 8> links(in.size(), nullptr);
  bool any = false;
  for (size_t i = 0; i < in.size(); ++i) {
    links[i] = link_of(op, in[i], i, level);
    any |= leads_on(links[i]);
  }
  bool differentiable = false;
  for (const Tensor& t : out) differentiable |= is_differentiable(t.dtype());
  if (any && differentiable) {
    return record_all(level, op, in, inner.span(), links, std::move(out), attrs, where);
  }
  for (Tensor& t : out) t = make_stop(level, op, in, links, t, where);
  return out;
}

}  // namespace

Tensors grad_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (op.grad.saving != nullptr && is_recording(level)) {
    Tensors out = saving_step(level, op, in, attrs, where);
    if (!out.empty()) return out;
  }
  return plain_step(level, op, in, attrs, where);
}

Tensor tape_fast(const OpDef& op, TensorSpan in, Where where) {
  constexpr size_t kMostInputs = 4;  // as many as eager_fast takes
  if (in.size() > kMostInputs) return {};
  TensorNode* values[kMostInputs];
  GradNode* links[kMostInputs];
  bool any = false;
  for (size_t i = 0; i < in.size(); ++i) {
    TensorNode* const node = in[i].node();
    values[i] = node->level == kTapeLevel ? static_cast<GradNode*>(node)->inner.node() : node;
    links[i] = link_of(op, in[i], i, kTapeLevel);
    any |= leads_on(links[i]);
  }
  const TensorSpan inner(reinterpret_cast<const Tensor*>(values), in.size());
  Tensor out = eager_fast(op, inner);
  if (!out.defined() || !is_recording(kTapeLevel)) return out;
  const std::span<GradNode* const> used(links, in.size());
  if (!any || !is_differentiable(out.dtype())) {
    return make_stop(kTapeLevel, op, in, used, out, where);
  }
  const Savings saves(op, used);
  const size_t kept = saves.outputs() ? 1 : 0;
  GradNode* const node = new_node(kTapeLevel, GradRole::kOp, &op, where, in.size() + kept, &out);
  node->kept = static_cast<uint8_t>(kept);
  fill_edges(node, saves, inner, used, {&out, 1});
  node->inner = std::move(out);
  return Tensor::adopt(node);
}

std::string describe_stop(GradNode* stop) {
  if (stop->kind() == GradRole::kTaped) {
    const std::string_view what = stop->op == nullptr ? "its gradient" : stop->op->name;
    return text("in a GradientTape, which alone recorded ", what, ", called at ",
                to_string(stop->where));
  }
  const OpDef& op = *stop->op;
  const std::string reason(op.grad.reason);
  return text("at ", op.name, reason.empty() ? "" : text(" (", reason, ")"), ", called at ",
              to_string(stop->where));
}

}  // namespace weft
