// Looking up kernels, once per op.
#include "weft/eager/runtime.h"

#include <bit>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/mutex.h"
#include "weft/kernels/bind.h"
#include "weft/op/kernel_key.h"
#include "weft/op/scan_order.h"
#include "weft/op/vjp_op.h"

void weft_register_builtin_kernels();  // written by kernelgen

namespace weft {
namespace {

// 'c' and 's' for every input, as the variants are named.
std::string variant_name(int inputs, unsigned scalars) {
  std::string out;
  for (int i = 0; i < inputs; ++i) out += (scalars >> i & 1) != 0 ? 's' : 'c';
  return out;
}

// The cost of an element decides when work is shared; math functions cost about three times an
// addition.
float cost_of(int inputs, DType dtype) {
  return 0.1f * static_cast<float>((inputs + 1) * std::max<int64_t>(1, size_of(dtype) / 4));
}

bool has_calls(const ExprNode* node, std::unordered_set<const ExprNode*>& seen) {
  if (!seen.insert(node).second) return false;
  if (node->op == ExprOp::kCall) return true;
  for (int i = 0; i < node->arity; ++i) {
    if (has_calls(node->args[i], seen)) return true;
  }
  return false;
}

// The results of the op's meaning for inputs of these dtypes.
std::vector<Expr> meaning_of(const KernelRule& rule, std::span<const DType> inputs) {
  std::vector<Expr> in;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.push_back(Expr::input(static_cast<uint32_t>(i), compute_of(inputs[i])));
  }
  if (rule.kind == KernelKind::kRow) {
    std::vector<Expr> out(static_cast<size_t>(rule.row_outputs), Expr(0.0));
    rule.row(in.data(), out.data());
    return out;
  }
  if (rule.arity == 1) return {rule.unary(in[0])};
  return {rule.arity == 2 ? rule.binary(in[0], in[1]) : rule.ternary(in[0], in[1], in[2])};
}

// Whether the op's meaning calls no math function: its kernels then wait for memory, if anything.
bool is_cheap(const OpDef& op, std::span<const DType> inputs) {
  std::unordered_set<const ExprNode*> seen;
  for (const Expr result : meaning_of(op.kernel, inputs)) {
    if (has_calls(result.node(), seen)) return false;
  }
  return true;
}

kernels::MapKernels find_map(const OpEntry& entry, std::span<const DType> dtypes, DType dtype) {
  const int inputs = static_cast<int>(dtypes.size());
  kernels::MapKernels out;
  out.inputs = static_cast<uint8_t>(inputs);
  out.ns_per_element = cost_of(inputs, dtype);
  for (unsigned scalars = 0; scalars < 1u << inputs; ++scalars) {
    const std::string key = kernel_key(entry, dtypes, variant_name(inputs, scalars));
    out.variant[scalars] = reinterpret_cast<MapKernel>(const_cast<void*>(find_kernel(key)));
  }
  return out;
}

bool is_open(const ArgSpec& arg) { return std::popcount(arg.dtypes) > 1; }

// The dtypes of the inputs when the open ones are `dtype`: a condition stays boolean.
InlineVector<DType, 4> input_dtypes(const OpEntry& entry, DType dtype) {
  InlineVector<DType, 4> out;
  for (const ArgSpec& arg : entry.inputs) {
    out.push_back(is_open(arg) ? dtype : static_cast<DType>(std::countr_zero(arg.dtypes)));
  }
  return out;
}

DType result_of(const OpDef& op, std::span<const DType> dtypes) {
  Types in;
  for (DType dtype : dtypes) in.push_back({dtype, {}});
  return op.infer(&kNoAttrs, InferCtx{op.name}, in)[0].dtype;
}

void find_fixed(const OpEntry& entry, OpRuntime& out) {
  out.regular = entry.inputs.size() <= std::size(out.fixed);
  for (size_t i = 0; out.regular && i < entry.inputs.size(); ++i) {
    const ArgSpec& arg = entry.inputs[i];
    if (is_open(arg)) {
      out.regular = is_open(entry.inputs.back()) && arg.group == entry.inputs.back().group;
    } else {
      out.fixed[i] = static_cast<uint8_t>(std::countr_zero(arg.dtypes));
    }
  }
}

void find_maps(const OpDef& op, const OpEntry& entry, OpRuntime& out) {
  find_fixed(entry, out);
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (!contains(entry.inputs.back().dtypes, dtype)) continue;
    const InlineVector<DType, 4> dtypes = input_dtypes(entry, dtype);
    out.map[i] = find_map(entry, dtypes, dtype);
    out.map[i].streams = out.map[i].variant[0] != nullptr && is_cheap(op, dtypes);
    out.result[i] = result_of(op, dtypes);
  }
}

template <class Function>
Function found(const OpEntry& entry, DType dtype, std::string_view variant) {
  const DType dtypes[] = {dtype};
  return reinterpret_cast<Function>(
      const_cast<void*>(find_kernel(kernel_key(entry, dtypes, variant))));
}

void find_reductions(const OpDef& op, const OpEntry& entry, OpRuntime& out) {
  const Reduction& reduction = op.kernel.reduction;
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    kernels::ReduceKernels& kernels = out.reduce[i].kernels;
    kernels.row = found<RowReduceKernel>(entry, dtype, "row");
    if (kernels.row == nullptr) continue;
    kernels.column = found<ColumnReduceKernel>(entry, dtype, "column");
    kernels.combine = found<CombineKernel>(entry, dtype, "combine");
    kernels.states = static_cast<uint8_t>(reduction.states);
    Expr states[Reduction::kMaxStates] = {0.0, 0.0};
    reduction.map(Expr::input(0, compute_of(dtype)), Expr::constant(DType::kI64, 0), states);
    for (int k = 0; k < reduction.states; ++k) {
      out.reduce[i].states[k] = states[k].dtype();
      kernels.state_item[k] = static_cast<uint8_t>(size_of(states[k].dtype()));
    }
  }
}

// Steps that call math functions have a higher cost estimate, so the scan is cut into more tasks.
void find_scans(const OpDef& op, const OpEntry& entry, OpRuntime& out) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    kernels::ScanKernels& kernels = out.scan[i];
    kernels.scan = found<ScanKernel>(entry, dtype, "scan");
    if (kernels.scan == nullptr) continue;
    const ArgSpec& result = entry.outputs[0];
    const DType stored =
        is_open(result) ? dtype : static_cast<DType>(std::countr_zero(result.dtypes));
    const DType total = scan_total_of(stored);
    const Tensor identity = Tensor::scalar(total, op.kernel.identity);
    kernels.total_item = size_of(total);
    std::memcpy(kernels.identity, identity.data(), static_cast<size_t>(kernels.total_item));
    const Expr a = Expr::input(0, total), b = Expr::input(1, total);
    std::unordered_set<const ExprNode*> seen;
    kernels.ns_per_element = has_calls(op.kernel.combine(a, b).node(), seen) ? 20 : 1;
    kernels.step = found<MapKernel>(entry, dtype, "step");
    if (!scans_in_blocks(op.kernel)) continue;
    kernels.totals = total == stored ? kernels.scan : found<ScanKernel>(entry, dtype, "totals");
    kernels.offset = found<MapKernel>(entry, dtype, "offset");
    kernels.carry = found<MapKernel>(entry, dtype, "carry");
    kernels.offset_step = found<MapKernel>(entry, dtype, "offset_step");
  }
}

kernels::RowKernel row_kernel(const OpDef& op, const KernelEntry& entry,
                              std::span<const DType> dtypes) {
  kernels::RowKernel out;
  out.kernel = function_of<MapKernel>(entry);
  out.scratch = entry.scratch;
  const KernelEntry* const past = find_kernel_entry(text(entry.key, "_past"));
  if (past != nullptr) {
    out.past = function_of<MapKernel>(*past);
    out.past_scratch = past->scratch;
  }
  out.scalars = op.kernel.row_scalars;
  out.streams = is_cheap(op, dtypes);
  return out;
}

void find_rows(const OpDef& op, const OpEntry& entry, OpRuntime& out) {
  for (const ArgSpec& arg : entry.inputs) {
    if (is_open(arg) && arg.group != entry.inputs[0].group) return;
  }
  for (int i = 0; i < kNumDTypes; ++i) {
    const InlineVector<DType, 4> dtypes = input_dtypes(entry, static_cast<DType>(i));
    const KernelEntry* const found = find_kernel_entry(kernel_key(entry, dtypes, "row"));
    if (found != nullptr) out.row[i] = row_kernel(op, *found, dtypes);
  }
}

// The fused backward kernels: one for each dtype, all operands of one shape.
void find_backward(const OpDef& op, OpRuntime& out) {
  const OpEntry& of = entry_of(*op.kernel.vjp_of);
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    kernels::MapKernels& map = out.map[i];
    map.inputs = static_cast<uint8_t>(entry_of(op).inputs.size());
    map.outputs = static_cast<uint8_t>(std::popcount(op.kernel.vjp_wanted));
    map.ns_per_element = 1;
    map.variant[0] = reinterpret_cast<MapKernel>(
        const_cast<void*>(find_kernel(vjp_key(of, dtype, op.kernel.vjp_wanted))));
  }
}

// Updates: one for each dtype.
void find_updates(const OpDef& op, const OpEntry& entry, OpRuntime& out) {
  for (int i = 0; i < kNumDTypes; ++i) {
    kernels::MapKernels& map = out.map[i];
    map.inputs = static_cast<uint8_t>(op.kernel.arity);
    map.outputs = static_cast<uint8_t>(op.kernel.row_outputs);
    map.variant[0] = found<MapKernel>(entry, static_cast<DType>(i), "update");
  }
}

const OpRuntime* make_runtime(const OpDef& op) {
  ensure_kernels();
  // Kept for the process, as ops are; reachable, so that leak checkers see it is meant.
  static auto* const runtimes = new std::deque<OpRuntime>;
  OpRuntime* const out = &runtimes->emplace_back();
  const OpEntry& entry = entry_of(op);
  switch (op.kernel.kind) {
    case KernelKind::kElementwise: find_maps(op, entry, *out); break;
    case KernelKind::kReduction: find_reductions(op, entry, *out); break;
    case KernelKind::kRow: find_rows(op, entry, *out); break;
    case KernelKind::kScan: find_scans(op, entry, *out); break;
    case KernelKind::kVjp: find_backward(op, *out); break;
    case KernelKind::kUpdate: find_updates(op, entry, *out); break;
    default: break;
  }
  return out;
}

}  // namespace

void ensure_kernels() {
  static const bool done = [] {
    kernels::bind_native();
    weft_register_builtin_kernels();
    return true;
  }();
  (void)done;
}

const OpRuntime& runtime_of(const OpDef& op) {
  if (const OpRuntime* const runtime = op.runtime.load_acquire()) return *runtime;
  static Mutex mutex;
  std::lock_guard lock(mutex);
  const OpRuntime* runtime = op.runtime.load_acquire();
  if (runtime == nullptr) {
    runtime = make_runtime(op);
    op.runtime.store_release(runtime);
  }
  return *runtime;
}

kernels::RowKernel row_kernel(const OpDef& op, TensorSpan in) {
  const kernels::RowKernel& known = runtime_of(op).row[static_cast<size_t>(in[0].dtype())];
  if (known.kernel != nullptr) return known;
  InlineVector<DType, 4> dtypes;
  for (const Tensor& x : in) dtypes.push_back(x.dtype());
  return row_kernel(op, kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "row")), dtypes);
}

kernels::MapKernels cast_kernels(const OpDef& op, DType from, DType to) {
  kernels::MapKernels map;
  map.inputs = 1;
  map.ns_per_element = 0.2f;
  map.streams = true;
  const KernelEntry* const entry = find_kernel_entry(cast_key(entry_of(op), from, to, "c"));
  if (entry != nullptr) map.variant[0] = function_of<MapKernel>(*entry);
  return map;
}

const KernelEntry& kernel_or_fail(const OpDef& op, const std::string& key) {
  const KernelEntry* const entry = find_kernel_entry(key);
  if (entry == nullptr) {
    fail(Code::kMissing, op.name, "kernel", "there is no kernel ", key,
         "; run kernelgen for the op's library");
  }
  return *entry;
}

void use_isa_for_testing(Isa isa) {
  set_isa_for_testing(isa);
  // Forget the kernels of the tier before.
  for (const OpEntry* entry : registered_ops()) {
    if (entry->op != nullptr) entry->op->runtime.store_release(nullptr);
  }
  for_each_vjp_op([](const OpDef& op) { op.runtime.store_release(nullptr); });
}

}  // namespace weft
