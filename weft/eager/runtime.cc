// Looking up kernels, once per op.
#include "weft/eager/runtime.h"

#include <bit>
#include <mutex>

#include "weft/base/error.h"
#include "weft/kernels/bind.h"
#include "weft/op/registry.h"

namespace weft {
namespace {

std::string key_of(const OpDef& op, std::string_view dtype, std::string_view variant) {
  return text(op.name, '/', dtype, '/', variant);
}

// 'c' and 's' for every input, as the variants are named.
std::string variant_name(int inputs, unsigned scalars) {
  std::string out;
  for (int i = 0; i < inputs; ++i) out += (scalars >> i & 1) != 0 ? 's' : 'c';
  return out;
}

// The cost of an element decides when work is shared; math functions cost about three times an addition.
float cost_of(int inputs, DType dtype) {
  return 0.1f * static_cast<float>((inputs + 1) * std::max<int64_t>(1, size_of(dtype) / 4));
}

kernels::MapKernels find_map(const OpDef& op, int inputs, DType dtype) {
  kernels::MapKernels out;
  out.inputs = static_cast<uint8_t>(inputs);
  out.ns_per_element = cost_of(inputs, dtype);
  for (unsigned scalars = 0; scalars < 1u << inputs; ++scalars) {
    const std::string key = key_of(op, short_name_of(dtype), variant_name(inputs, scalars));
    out.variant[scalars] = reinterpret_cast<MapKernel>(const_cast<void*>(find_kernel(key)));
  }
  return out;
}

// The dtype an elementwise op gives for inputs of `dtype`.
DType result_of(const OpDef& op, const OpEntry& entry, DType dtype) {
  Types in;
  for (const ArgSpec& arg : entry.inputs) {
    const bool follows = arg.group >= 0 || entry.inputs.size() == 1;
    in.push_back({follows ? dtype : static_cast<DType>(std::countr_zero(arg.dtypes)), {}});
  }
  return op.infer(nullptr, InferCtx{op.name}, in)[0].dtype;
}

const OpRuntime* make_runtime(const OpDef& op) {
  ensure_kernels();
  auto* const out = new OpRuntime;
  if (op.kernel.kind != KernelKind::kElementwise) return out;
  const OpEntry& entry = entry_of(op);
  out->uniform = true;
  for (const ArgSpec& arg : entry.inputs) out->uniform &= arg.group == entry.inputs[0].group;
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (!contains(entry.inputs.back().dtypes, dtype)) continue;
    out->map[i] = find_map(op, op.kernel.arity, dtype);
    out->result[i] = result_of(op, entry, dtype);
  }
  return out;
}

}  // namespace

void ensure_kernels() {
  static const bool done = [] {
    kernels::bind_native();
    register_builtin_kernels();
    return true;
  }();
  (void)done;
}

const OpRuntime& runtime_of(const OpDef& op) {
  if (const OpRuntime* const runtime = op.runtime.load(std::memory_order_acquire)) return *runtime;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const OpRuntime* runtime = op.runtime.load(std::memory_order_acquire);
  if (runtime == nullptr) {
    runtime = make_runtime(op);  // kept for the process, as the op is
    op.runtime.store(runtime, std::memory_order_release);
  }
  return *runtime;
}

const void* kernel_or_fail(const OpDef& op, std::string_view dtype, std::string_view variant) {
  const std::string key = key_of(op, dtype, variant);
  const void* const kernel = find_kernel(key);
  if (kernel == nullptr) {
    fail(Code::kMissing, op.name, "kernel", "there is no kernel ", key, "; run kernelgen for the op's library");
  }
  return kernel;
}

}  // namespace weft
