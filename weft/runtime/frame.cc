// Running a plan: instruction after instruction, in memory that is there already.
#include "weft/runtime/frame.h"

#include <algorithm>

#include "weft/base/fail_at.h"
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"
#include "weft/core/arena_memory.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/eager/runtime.h"
#include "weft/op/apply.h"
#include "weft/runtime/check_plan.h"
#include "weft/runtime/interpret.h"
#include "weft/runtime/timed_part.h"

namespace weft {
namespace {

constexpr int64_t kLargeArena = int64_t{16} << 20;

// Memory for an arena; it goes back to the allocator with the last tensor over it.
Tensor make_arena(int64_t bytes) {
  // Freed blocks are too small for it, and what made them is often over: drawing weights, say.
  if (bytes >= kLargeArena) trim_memory();
  auto* const block = new MemoryBlock(allocate(bytes));
  const auto release = [](void* context) {
    auto* const held = static_cast<MemoryBlock*>(context);
    deallocate(*held);
    delete held;
  };
  const int64_t stride = 1;
  Tensor out = Tensor::borrow(block->data, DType::kU8, Shape{bytes}, {&stride, 1}, release, block,
                              /*foreign=*/false);
  static_cast<Concrete*>(out.node())->owner->state.store_release(kArenaMemory);
  return out;
}

}  // namespace

Frame::Frame(Shared<const RunPlan> plan, Tensor arena)
    : plan_(std::move(plan)),
      arena_(std::move(arena)),
      data_(plan_->values.size(), nullptr),
      nodes_(plan_->values.size(), nullptr),
      owned_(plan_->values.size()) {
  if (!arena_.defined() && plan_->arena.bytes > 0) arena_ = make_arena(plan_->arena.bytes);
  for (ir::ValueId id = 0; id < plan_->values.size(); ++id) {
    const PlannedValue& v = plan_->values[id];
    if (v.root == ir::kNone || v.home != Home::kArena) continue;
    const int64_t offset = v.offset + v.shift;
    data_[id] = static_cast<char*>(arena_.writable_data()) + offset;
    if (!v.has_handle) continue;
    owned_[id] = arena_.view(v.type.shape, v.strides, offset);
    nodes_[id] = owned_[id].node();
    nodes_[id]->dtype = v.type.dtype;
  }
  for (const auto& [id, tensor] : plan_->constants) {
    data_[id] = static_cast<char*>(tensor.writable_data());
    nodes_[id] = tensor.node();
  }
}

// A value in memory that this run brought along, and the views of it.
void Frame::set_root(ir::ValueId id, char* data, TensorNode* node) {
  const PlannedValue& root = plan_->values[id];
  data_[id] = data;
  nodes_[id] = node;
  for (uint32_t i = root.first_view; i < root.first_view + root.views; ++i) {
    const ir::ValueId view = plan_->views[i];
    const PlannedValue& v = plan_->values[view];
    data_[view] = data + v.shift;
    if (v.is_whole) nodes_[view] = node;
    if (v.is_whole || !v.has_handle) continue;
    const Tensor& base = reinterpret_cast<const Tensor&>(nodes_[id]);
    owned_[view] = base.view(v.type.shape, v.strides, v.shift / size_of(v.type.dtype));
    nodes_[view] = owned_[view].node();
  }
}

void Frame::keep(ir::ValueId id, Tensor value) {
  TensorNode* const node = value.node();
  owned_[id] = std::move(value);
  set_root(id, static_cast<Concrete*>(node)->data, node);
}

void Frame::make_fresh(const Instruction& it) {
  for (uint32_t i = it.first; i < it.first + it.outputs; ++i) {
    const ir::ValueId id = plan_->operands[i];
    const PlannedValue& v = plan_->values[id];
    if (v.home != Home::kFresh || (stretch_ != nullptr && owned_[id].defined())) continue;
    if (!destinations_.empty() && destinations_[id] != nullptr) {
      set_root(id, destinations_[id], nullptr);
      continue;
    }
    keep(id, v.contiguous
                 ? Tensor::empty(v.type.dtype, v.type.shape)
                 : Tensor::empty(v.type.dtype, Shape{v.numel}).view(v.type.shape, v.strides));
    if (!plan_->dead_blocks.empty()) poison(data_[id], v.bytes());
  }
}

Tensors Frame::run(TensorSpan arguments, const Donor* donor) {
  struct Ended {
    Frame& frame;
    ~Ended() {
      frame.end_stretch();
      frame.let_go();
      frame.donor_ = nullptr;
    }
  } const ended{*this};
  donor_ = plan_->stretches.empty() ? nullptr : donor;
  next_stretch_ = 0;
  const ir::Function& function = *plan_->function;
  const std::vector<ir::ValueId>& parameters = function.graph.parameters();
  for (size_t i = 0; i < arguments.size(); ++i) {
    TensorNode* const node = arguments[i].node();
    set_root(parameters[i], static_cast<Concrete*>(node)->data, node);
  }
  execute();
  Tensors results;
  results.reserve(function.results.size());
  for (const ir::ValueId id : function.results) {
    results.push_back(reinterpret_cast<const Tensor&>(nodes_[id]));
  }
  return results;
}

void Frame::let_go() {
  for (const ir::ValueId id : plan_->fresh) owned_[id] = Tensor();
}

Tensors Frame::run_timed(TensorSpan arguments, InstructionTime& whole) {
  const TimedPart now(whole);
  return run(arguments);
}

void Frame::execute() {
  if (plan_->has_open) bindings_ = plan_->bindings;
  poll_interrupt();
  const bool is_checked = !plan_->dead_blocks.empty();
  if (is_checked) poison(arena_data(), plan_->arena.bytes);
  const bool is_watched = is_checked || TimedPart::is_running();
  try {
    for (const Instruction& it : plan_->instructions) {
      now_ = &it;
      // To ask takes as long as a small kernel.
      if (it.kind != Instruction::Kind::kCall) poll_interrupt();
      if (donor_ != nullptr) before(index_of(it));
      if (is_watched) [[unlikely]] {
        execute_watched(it);
      } else {
        execute(it);
      }
    }
  } catch (Error& error) {
    throw note_line(error, plan_->function->graph.node(now_->node).where);
  }
}

// Times the instruction, or in tests poisons the memory of values that are dead after it.
void Frame::execute_watched(const Instruction& it) {
  if (TimedPart::is_running()) {
    const TimedPart now(plan_->function->graph.node(it.node));
    execute(it);
  } else {
    execute(it);
  }
  if (plan_->dead_blocks.empty()) return;
  for (const ArenaBlock& block : plan_->dead_blocks[index_of(it)]) {
    poison(arena_data() + block.begin, block.end - block.begin);
  }
}

inline void Frame::execute(const Instruction& it) {
  switch (it.kind) {
    case Instruction::Kind::kCall: {
      if (it.makes_fresh) make_fresh(it);
      const kernels::MapCall& call = plan_->calls[it.detail];
      const ir::ValueId* const ids = plan_->operands.data() + it.first;
      void* pointers[sizeof(call.strides) / sizeof(int64_t)];
      for (size_t k = 0; k < it.operands; ++k) pointers[k] = data_[ids[k]];
      return call.kernel(pointers, call.strides, call.n, call.rows, 0);
    }
    case Instruction::Kind::kMap: return run_map(it);
    case Instruction::Kind::kProduct: return run_product(it);
    case Instruction::Kind::kCompute: return compute(it);
    case Instruction::Kind::kOpen: return compute_open(it);
  }
}

void Frame::run_map(const Instruction& it) {
  if (it.makes_fresh) make_fresh(it);
  InlineVector<kernels::Operand, 8> all;
  for (uint32_t i = it.first; i < it.first + it.operands; ++i) {
    const PlannedValue& v = plan_->values[plan_->operands[i]];
    all.push_back({data_[plan_->operands[i]], v.type.shape.data(), v.strides.data(), v.numel,
                   static_cast<uint8_t>(v.strides.size()),
                   static_cast<uint8_t>(size_of(v.type.dtype)), v.contiguous});
  }
  kernels::map(plan_->maps[it.detail], std::span<const kernels::Operand>(all));
}

void Frame::run_product(const Instruction& it) {
  if (it.makes_fresh) make_fresh(it);
  kernels::MatmulArgs args = plan_->products[it.detail];
  const ir::ValueId* const ids = plan_->operands.data() + it.first;
  args.c = data_[ids[0]];
  args.a = data_[ids[1]];
  args.b = data_[ids[2]];
  if (args.b_row == 1 && args.b_col != 1) args.b_keeper = keeper_at(ids[2]);
  kernels::matmul(args);
}

// The buffer of a value that outlives the run, where kernels may keep copies of it; else null.
Buffer* Frame::keeper_at(ir::ValueId id) const {
  const PlannedValue& v = plan_->values[id];
  if (v.home == Home::kArena || v.home == Home::kFresh) return nullptr;
  const Tensor& holder =
      reinterpret_cast<const Tensor&>(nodes_[v.home == Home::kConstant ? id : v.root]);
  return holder.defined() ? keeper_of(holder) : nullptr;
}

void Frame::compute(const Instruction& it) {
  const Computation& what = plan_->computations[it.detail];
  const OpDef& op = *plan_->function->graph.node(it.node).op;
  if (stretch_ != nullptr && op.kernel.kind == KernelKind::kUpdate) return update(it);
  const std::span<const ir::ValueId> ids = plan_->operands_of(it);
  const bool is_host = op.kernel.kind == KernelKind::kHost;
  if (!is_host && it.makes_fresh) make_fresh(it);
  InlineVector<TensorNode*, 8> nodes;  // the inputs, then the outputs
  for (const ir::ValueId id : ids.subspan(it.outputs)) nodes.push_back(nodes_[id]);
  for (const ir::ValueId id : ids.first(it.outputs)) nodes.push_back(nodes_[id]);
  const TensorSpan all(reinterpret_cast<const Tensor*>(nodes.data()), nodes.size());
  const TensorSpan in = all.first(ids.size() - it.outputs);
  if (!is_host) return eager_run_into(op, in, what.attrs->data(), all.subspan(in.size()));
  Tensors out = eager_run(op, in, what.attrs->data(), what.out);
  for (size_t k = 0; k < out.size(); ++k) store_output(ids[k], std::move(out[k]));
}

// A result that the op has allocated, or handed on from an input.
void Frame::store_output(ir::ValueId id, Tensor value) {
  if (plan_->values[id].home == Home::kArena) return native::copy(owned_[id], value);
  // What goes out is no part of an arena, and of the layout that others were told.
  value = copied_out_of_arena(value);
  if (!value.is_contiguous()) {
    const Tensor packed = Tensor::empty(value.dtype(), value.shape());
    native::copy(packed, value);
    value = packed;
  }
  keep(id, std::move(value));
}

void Frame::compute_open(const Instruction& it) {
  const ir::Graph& graph = plan_->function->graph;
  const ir::Node& node = graph.node(it.node);
  InlineVector<TensorNode*, 8> in;
  for (const ir::ValueId id : node.inputs) in.push_back(nodes_[id]);
  const TensorSpan span(reinterpret_cast<const Tensor*>(in.data()), in.size());
  Tensors out = computed(node, span, bindings_);
  ir::bind_found(graph, node, out, bindings_);
  for (size_t k = 0; k < out.size(); ++k) {
    Tensor value = copied_out_of_arena(out[k]);
    nodes_[node.outputs[k]] = value.node();
    owned_[node.outputs[k]] = std::move(value);
  }
}

}  // namespace weft
