// The reverse sweep: a heap of records by program order, no recursion, no discovery phase.
#include "weft/transform/sweep.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <unordered_map>

#include "weft/base/thread_pool.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/context.h"
#include "weft/op/grad_plan.h"
#include "weft/op/hooks.h"
#include "weft/transform/accumulate.h"

namespace weft {
namespace {

// One sweep of the process at a time may write GradNode::slot; others look slots up in a map.
std::atomic<bool> slots_in_nodes_taken{false};

[[noreturn]] void fail_freed(const GradNode* record) {
  fail(Code::kInvalid, "backward", "freed", "the record of ", record->op->name, ", called at ",
       to_string(record->where),
       ", was freed by an earlier backward; ask that one to retain the graph (its option "
       "retain_graph) to run a second");
}

// A Variable's gradient would lack what came through here.
[[noreturn]] void fail_taped(GradNode* record) {
  fail(Code::kInvalid, "backward", "taped", "a path from this value ends ", describe_stop(record),
       ": its gradient would be lost; take it with the tape's gradient, compute this outside of "
       "the tape, or take stop_gradient of it if it is meant as a constant");
}

// Lets go of a record's link when it ends, also by an exception.
struct Held {
  GradNode* record;
  ~Held() { unlink(record); }
};

// Lets one sweep at a time at the edges of a record. Whoever has the only link needs no lock.
void lock_edges(GradNode* record) {
  const bool is_alone = record->links.load_acquire() == 1;
  while (is_alone ? record->state.load_acquire() == kRecordFreed
                  : !record->state.replace(kRecordLive, kRecordLocked)) {
    if (record->state.load_acquire() == kRecordFreed) fail_freed(record);
  }
}

void drop(std::span<GradEdge> edges) noexcept {
  for (GradEdge& edge : edges) {
    if (GradNode* const node = std::exchange(edge.link, nullptr)) unlink(node);
    edge.saved = Tensor();
  }
}

// The edges of a record while its rule runs: the record's own, which are gone afterwards.
struct TakenEdges {
  std::span<GradEdge> list;

  explicit TakenEdges(GradNode* record) : list(record->edges()) {
    lock_edges(record);
    record->state.store_release(kRecordFreed);
  }
  ~TakenEdges() { drop(list); }
  TakenEdges(const TakenEdges&) = delete;
  TakenEdges& operator=(const TakenEdges&) = delete;
};

// The same for a record that stays.
struct CopiedEdges {
  InlineVector<GradEdge, 4> list;

  explicit CopiedEdges(GradNode* record) {
    lock_edges(record);
    for (const GradEdge& edge : record->edges()) {
      if (edge.link != nullptr) link(edge.link);
      list.push_back(edge);
    }
    record->state.store_release(kRecordLive);
  }
  ~CopiedEdges() { drop({list.data(), list.size()}); }
  CopiedEdges(const CopiedEdges&) = delete;
  CopiedEdges& operator=(const CopiedEdges&) = delete;
};

TensorSpan as_span(const InlineVector<TensorNode*, 8>& nodes) {
  return {reinterpret_cast<const Tensor*>(nodes.data()), nodes.size()};
}

}  // namespace

struct Sweep::Lookup {
  bool slots_in_nodes = false;
  std::unordered_map<GradNode*, uint32_t> slots;
  // Watched values that are not leaves, with their gradients.
  struct Watched {
    RecordOutput target;
    Tensor gradient;
  };
  std::vector<Watched> watched;
  bool is_planned = false;
  std::unordered_map<GradNode*, bool> leads;  // does this record lead to a watched one?

  Lookup() { slots_in_nodes = !slots_in_nodes_taken.exchange(true, std::memory_order_acquire); }
  ~Lookup() {
    if (slots_in_nodes) slots_in_nodes_taken.store(false, std::memory_order_release);
  }
  bool wants(GradNode* record) const {
    if (!is_planned) return true;
    const auto found = leads.find(record);
    return found != leads.end() && found->second;
  }
};

Sweep::Sweep(uint32_t level, Options options)
    : level_(level), options_(options), lookup_(std::make_unique<Lookup>()) {}

Sweep::~Sweep() {
  for (Slot& slot : slots_) {
    if (slot.node != nullptr) unlink(slot.node);
  }
  for (const Lookup::Watched& watched : lookup_->watched) unlink(watched.target.record);
}

inline uint32_t Sweep::find_slot(GradNode* record) const {
  if (lookup_->slots_in_nodes) {
    const uint32_t slot = record->slot;
    return slot < slots_.size() && slots_[slot].node == record ? slot : kNone;
  }
  const auto found = lookup_->slots.find(record);
  return found == lookup_->slots.end() ? kNone : found->second;
}

uint32_t Sweep::make_slot(GradNode* record, GradEdge& from) {
  if (record->kind() == GradRole::kTaped) [[unlikely]]
    fail_taped(record);
  uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  if (from.link == record) {
    from.link = nullptr;  // the slot has the edge's link now
  } else {
    link(record);
  }
  slots_[slot].node = record;
  if (lookup_->slots_in_nodes) {
    record->slot = slot;
  } else {
    lookup_->slots[record] = slot;
  }
  if (record->kind() != GradRole::kLeaf) {
    due_.push_back({record->order, slot});
    if (due_.size() > 1) std::push_heap(due_.begin(), due_.end());
  }
  return slot;
}

void Sweep::add(GradEdge& to, Tensor cotangent) {
  const RecordOutput target(to.link);
  if (!lookup_->wants(target.record)) return;
  uint32_t slot = find_slot(target.record);
  if (slot == kNone) slot = make_slot(target.record, to);
  Tensors& cotangents = slots_[slot].cotangents;
  // Rules look at the cotangents of all outputs.
  const size_t count = std::max<size_t>(target.output + 1, target.record->output_count);
  if (cotangents.size() < count) cotangents.resize(count);
  Tensor& sum = cotangents[target.output];
  if (sum.defined()) {
    accumulate(sum, std::move(cotangent));
  } else {
    sum = std::move(cotangent);
  }
}

void Sweep::start(const Tensor& target, const Tensor& cotangent) {
  const GradNode* const node = grad_node(target);
  WEFT_ASSERT(node != nullptr && node->level == level_, level_);
  starts_.emplace_back(target, cotangent);
}

void Sweep::watch(const Tensor& source) {
  const RecordOutput target(grad_node(source));
  link(target.record);
  lookup_->watched.push_back({target, Tensor()});
}

// Finds the records that lead to a watched one. Program order is a topological order, so one pass
// from early to late does it.
void Sweep::plan() {
  uint64_t earliest = UINT64_MAX;
  std::vector<GradNode*> found;
  for (const Lookup::Watched& watched : lookup_->watched) {
    earliest = std::min(earliest, watched.target.record->order);
    lookup_->leads[watched.target.record] = true;
  }
  std::unordered_map<GradNode*, bool> seen;
  const auto visit = [&](GradNode* node) {
    GradNode* const record = RecordOutput(node).record;
    if (record->order >= earliest && seen.emplace(record, true).second) found.push_back(record);
  };
  for (const auto& [target, cotangent] : starts_) visit(grad_node(target));
  for (size_t i = 0; i < found.size(); ++i) {
    for (const GradEdge& edge : found[i]->edges()) {
      if (edge.link != nullptr) visit(edge.link);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const GradNode* a, const GradNode* b) { return a->order < b->order; });
  for (GradNode* const record : found) {
    bool leads = lookup_->leads.contains(record) || record->kind() == GradRole::kTaped;
    for (const GradEdge& edge : record->edges()) {
      leads = leads || (edge.link != nullptr && lookup_->wants(RecordOutput(edge.link).record));
    }
    if (leads) lookup_->leads[record] = true;
  }
}

void Sweep::run() {
  if (!lookup_->watched.empty()) {
    lookup_->is_planned = true;
    plan();
  }
  for (auto& [target, cotangent] : starts_) {
    GradEdge edge{grad_node(target), Tensor()};
    link(edge.link);
    add(edge, std::move(cotangent));
    if (edge.link != nullptr) unlink(edge.link);
  }
  starts_.clear();
  for (uint32_t swept = 0; !due_.empty(); ++swept) {
    if (swept % 64 == 63) poll_interrupt();                        // small kernels do not
    if (due_.size() > 1) std::pop_heap(due_.begin(), due_.end());  // a chain has one at a time
    const uint32_t index = due_.back().slot;
    due_.pop_back();
    Slot& slot = slots_[index];
    GradNode* const record = std::exchange(slot.node, nullptr);
    Tensors cotangents = std::move(slot.cotangents);
    slot.cotangents = Tensors();
    free_slots_.push_back(index);
    if (!lookup_->slots_in_nodes) lookup_->slots.erase(record);
    const Held held{record};
    if (record->hooked.load_acquire() != 0) [[unlikely]]
      run_hooks(record, cotangents);
    for (Lookup::Watched& watched : lookup_->watched) {
      if (watched.target.record == record && watched.target.output < cotangents.size()) {
        watched.gradient = cotangents[watched.target.output];
      }
    }
    run_record(record, cotangents);
  }
  for (size_t i = 0; i < slots_.size(); ++i) {  // what is left are leaves
    GradNode* const leaf = slots_[i].node;
    if (leaf != nullptr && leaf->hooked.load_acquire() != 0) [[unlikely]]
      run_hooks(leaf, slots_[i].cotangents);
  }
}

namespace {

bool is_same(ShapeView a, ShapeView b) {
  return std::ranges::equal(a, b) || same(a, b) == Tri::kYes;
}

// The inputs that want a cotangent, a bit each; 0 if one has not the shape of the output.
uint32_t wanted_unbroadcast(std::span<const GradEdge> inputs, const Tensor& cotangent) {
  uint32_t wanted = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].link == nullptr) continue;
    if (!is_same(inputs[i].link->shape(), cotangent.shape())) return 0;
    wanted |= 1u << i;
  }
  return wanted;
}

}  // namespace

// The common cases, without a context for the rule: nothing to compute, or plain values of one
// shape and partials in one fused kernel. False, and nothing done, if it is neither.
bool Sweep::run_directly(GradNode* record, std::span<GradEdge> edges, Tensor& cotangent) {
  const OpDef& op = *record->op;
  const bool is_partials = op.grad.kind == GradKind::kPartials && !options_.create_graph &&
                           !lookup_->is_planned && cotangent.is_concrete();
  if ((!is_partials && op.grad.passes == 0) || context.is_special) return false;
  const std::span<GradEdge> inputs = edges.first(edges.size() - record->kept);
  const uint32_t wanted = wanted_unbroadcast(inputs, cotangent);
  if (wanted == 0) return false;
  if ((wanted & ~op.grad.passes) == 0) {
    const auto first = static_cast<size_t>(std::countr_zero(wanted));
    for (size_t i = inputs.size() - 1; i > first; --i) {
      if (inputs[i].link != nullptr) add(inputs[i], cotangent);
    }
    add(inputs[first], std::move(cotangent));
    return true;
  }
  if (!is_partials) return false;
  TensorNode* in[GradRule::kMaxPartials + 2] = {cotangent.node()};
  size_t used = 1;
  for (const GradEdge& edge : edges) {
    if (!edge.saved.defined()) continue;
    if (!edge.saved.is_concrete()) return false;
    in[used++] = edge.saved.node();
  }
  Tensors gradients;
  const TensorSpan span(reinterpret_cast<const Tensor*>(in), used);
  const OpDef& backward = *grad_plan(op).wanted[wanted].op;
  if (!eager_backward_fast(backward, span, gradients, &cotangent)) return false;
  size_t next = gradients.size();
  for (size_t i = inputs.size(); i-- > 0;) {
    if (inputs[i].link != nullptr) add(inputs[i], std::move(gradients[--next]));
  }
  return true;
}

void Sweep::run_record(GradNode* record, Tensors& cotangents) {
  if (options_.keep_records) {
    CopiedEdges edges(record);
    run_edges(record, {edges.list.data(), edges.list.size()}, cotangents);
  } else {
    const TakenEdges edges(record);
    run_edges(record, edges.list, cotangents);
  }
}

void Sweep::run_edges(GradNode* record, std::span<GradEdge> edges, Tensors& cotangents) {
  if (!run_directly(record, edges, cotangents[0])) run_rule(record, edges, cotangents);
}

void Sweep::run_rule(GradNode* record, std::span<GradEdge> edges, TensorSpan cotangents) {
  const size_t count = edges.size() - record->kept;
  InlineVector<bool, 8> wanted;
  InlineVector<TensorNode*, 8> inputs, outputs;
  Tensors tied;  // keeps the aliases
  bool any = false;
  for (size_t i = 0; i < edges.size(); ++i) {
    const GradEdge& edge = edges[i];
    const bool is_wanted = edge.link != nullptr && lookup_->wants(RecordOutput(edge.link).record);
    const Tensor* value = &edge.saved;
    if (options_.create_graph && value->defined()) {
      GradNode* const origin = i < count ? edge.link : record;
      if (origin != nullptr) tied.push_back(make_alias(edge.saved, origin)), value = nullptr;
    }
    TensorNode* const node = value == nullptr   ? tied[tied.size() - 1].node()
                             : value->defined() ? value->node()
                                                : edge.link;
    (i < count ? inputs : outputs).push_back(node);
    if (i < count) wanted.push_back(is_wanted);
    any |= is_wanted;
  }
  if (!any) return;
  if (outputs.empty()) outputs.push_back(record);  // for its type
  const CalledFrom line(record->where);
  const Tensors sums =
      record->op->grad.goes_on ? sums_so_far(edges.first(count), wanted) : Tensors();
  const GradCtx cx{as_span(inputs), as_span(outputs), wanted, record->where, sums};
  Tensors gradients = call_vjp(*record->op, record->attrs(), cx, cotangents);
  for (size_t i = count; i-- > 0;) {
    if (!wanted[i] || !gradients[i].defined()) continue;
    if (i < sums.size() && sums[i].defined()) {
      *sum_at(RecordOutput(edges[i].link)) = std::move(gradients[i]);
    } else {
      add(edges[i], std::move(gradients[i]));
    }
  }
}

Tensor* Sweep::sum_at(const RecordOutput& target) {
  const uint32_t slot = find_slot(target.record);
  if (slot == kNone || target.output >= slots_[slot].cotangents.size()) return nullptr;
  return &slots_[slot].cotangents[target.output];
}

Tensors Sweep::sums_so_far(std::span<const GradEdge> inputs, std::span<const bool> wanted) {
  Tensors out(inputs.size());
  InlineVector<const Tensor*, 8> taken;
  for (size_t i = inputs.size(); i-- > 0;) {
    if (!wanted[i]) continue;
    const Tensor* const sum = sum_at(RecordOutput(inputs[i].link));
    // Of one value that is given twice, the last one has the sum.
    if (sum == nullptr || std::ranges::find(taken, sum) != taken.end()) continue;
    taken.push_back(sum);
    out[i] = *sum;
  }
  return out;
}

Tensor Sweep::gradient_of(const Tensor& source) const {
  const RecordOutput target(grad_node(source));
  const uint32_t slot = find_slot(target.record);
  if (slot != kNone) return slots_[slot].cotangents[target.output];
  for (const Lookup::Watched& watched : lookup_->watched) {
    if (watched.target.record == target.record && watched.target.output == target.output) {
      return watched.gradient;
    }
  }
  return Tensor();
}

}  // namespace weft
