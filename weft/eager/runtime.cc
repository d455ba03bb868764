// Looking up kernels, once per op.
#include "weft/eager/runtime.h"

#include <bit>
#include <deque>
#include <mutex>

#include "weft/base/error.h"
#include "weft/kernels/bind.h"
#include "weft/op/kernel_key.h"

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

// The dtypes of the inputs when the open ones are `dtype`: a condition stays boolean.
InlineVector<DType, 4> input_dtypes(const OpEntry& entry, DType dtype) {
  InlineVector<DType, 4> out;
  for (const ArgSpec& arg : entry.inputs) {
    const bool open = std::popcount(arg.dtypes) > 1;
    out.push_back(open ? dtype : static_cast<DType>(std::countr_zero(arg.dtypes)));
  }
  return out;
}

DType result_of(const OpDef& op, std::span<const DType> dtypes) {
  Types in;
  for (DType dtype : dtypes) in.push_back({dtype, {}});
  return op.infer(&kNoAttrs, InferCtx{op.name}, in)[0].dtype;
}

const OpRuntime* make_runtime(const OpDef& op) {
  ensure_kernels();
  // Kept for the process, as ops are; reachable, so that leak checkers see it is meant.
  static auto* const runtimes = new std::deque<OpRuntime>;
  OpRuntime* const out = &runtimes->emplace_back();
  if (op.kernel.kind != KernelKind::kElementwise) return out;
  const OpEntry& entry = entry_of(op);
  out->uniform = true;
  for (const ArgSpec& arg : entry.inputs) out->uniform &= arg.group == entry.inputs[0].group;
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (!contains(entry.inputs.back().dtypes, dtype)) continue;
    const InlineVector<DType, 4> dtypes = input_dtypes(entry, dtype);
    out->map[i] = find_map(entry, dtypes, dtype);
    out->result[i] = result_of(op, dtypes);
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
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const OpRuntime* runtime = op.runtime.load_acquire();
  if (runtime == nullptr) {
    runtime = make_runtime(op);
    op.runtime.store_release(runtime);
  }
  return *runtime;
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
}

}  // namespace weft
