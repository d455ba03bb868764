// Run now: concrete inputs, generated or native kernels.
#include <bit>
#include <cstring>

#include "weft/base/error.h"
#include "weft/eager/runtime.h"
#include "weft/eager/structured.h"
#include "weft/op/apply.h"
#include "weft/op/registry.h"

namespace weft {
namespace {

// Below this many elements a kernel is called right away, without the driver.
constexpr int64_t kDirect = 4096;

bool same_layout(const Concrete& a, const Concrete& b) {
  return a.rank == b.rank && a.contiguous && b.contiguous && a.numel == b.numel &&
         std::memcmp(a.dims, b.dims, a.rank * sizeof(Dim)) == 0;
}

Tensors elementwise(const OpDef& op, TensorSpan in, TypeSpan types) {
  const OpRuntime& runtime = runtime_of(op);
  const kernels::MapKernels& map = runtime.map[static_cast<size_t>(in.back().dtype())];
  if (map.variant[0] == nullptr) kernel_or_fail(op, short_name_of(in.back().dtype()), "c");
  const Tensor out = Tensor::empty(types[0].dtype, types[0].shape);
  kernels::map(map, {&out, 1}, in);
  return {out};
}

Tensors run_cast(const OpDef& op, TensorSpan in, TypeSpan types) {
  const Tensor& x = in[0];
  if (x.dtype() == types[0].dtype) return {x};
  const std::string dtypes = text(short_name_of(x.dtype()), '>', short_name_of(types[0].dtype));
  kernels::MapKernels map;
  map.inputs = 1;
  map.variant[0] = reinterpret_cast<MapKernel>(const_cast<void*>(kernel_or_fail(op, dtypes, "c")));
  const Tensor out = Tensor::empty(types[0].dtype, types[0].shape);
  kernels::map(map, {&out, 1}, in);
  return {out};
}

Tensors run_vjp(const OpDef& op, TensorSpan in, TypeSpan types) {
  const OpDef& of = *op.kernel.vjp_of;
  const std::string key = text(of.name, ".vjp/", short_name_of(in[0].dtype()), "/w", op.kernel.vjp_wanted);
  const void* const kernel = find_kernel(key);
  if (kernel == nullptr) fail(Code::kMissing, op.name, "kernel", "there is no kernel ", key);
  kernels::MapKernels map;
  map.inputs = static_cast<uint8_t>(in.size());
  map.outputs = static_cast<uint8_t>(types.size());
  map.variant[0] = reinterpret_cast<MapKernel>(const_cast<void*>(kernel));
  Tensors out;
  for (const Type& type : types) out.push_back(Tensor::empty(type.dtype, type.shape));
  kernels::map(map, out, in);
  return out;
}

Tensors run_fill(const OpDef& op, TensorSpan in, TypeSpan types) {
  kernels::MapKernels map;
  map.inputs = static_cast<uint8_t>(in.size());
  map.uses_position = true;
  map.ns_per_element = 2;
  const void* const kernel = kernel_or_fail(op, short_name_of(types[0].dtype), "fill");
  map.variant[(1u << in.size()) - 1] = map.variant[0] = reinterpret_cast<MapKernel>(const_cast<void*>(kernel));
  const Tensor out = Tensor::empty(types[0].dtype, types[0].shape);
  kernels::map(map, {&out, 1}, in);
  return {out};
}

}  // namespace

Tensor eager_fast(const OpDef& op, TensorSpan in) {
  const OpRuntime* const runtime = op.runtime.load(std::memory_order_acquire);
  if (runtime == nullptr || !runtime->uniform || in.empty()) return {};
  const DType dtype = in[0].dtype();
  const kernels::MapKernels& map = runtime->map[static_cast<size_t>(dtype)];
  if (map.variant[0] == nullptr || map.inputs != in.size()) return {};
  const auto& first = *static_cast<const Concrete*>(in[0].node());
  void* pointers[4];
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(in[i].node());
    if (node.dtype != dtype || node.weak || !same_layout(first, node)) return {};
    pointers[i + 1] = node.data;
  }
  if (first.numel == 0) return {};
  Tensor out = Tensor::empty_like(in[0], runtime->result[static_cast<size_t>(dtype)]);
  if (first.numel > kDirect) {
    kernels::map(map, {&out, 1}, in);
    return out;
  }
  pointers[0] = out.writable_data();
  constexpr int64_t kNoStrides[4] = {};
  map.variant[0](pointers, kNoStrides, first.numel, 1, 0);
  return out;
}

Tensors eager_compute(const OpDef& op, TensorSpan in, const void* attrs) {
  ensure_kernels();
  Types types;
  for (const Tensor& t : in) types.push_back(t.type());
  const Types out = op.infer(attrs, InferCtx{op.name}, types);
  switch (op.kernel.kind) {
    case KernelKind::kElementwise: return elementwise(op, in, out);
    case KernelKind::kCast: return run_cast(op, in, out);
    case KernelKind::kVjp: return run_vjp(op, in, out);
    case KernelKind::kFill: return run_fill(op, in, out);
    case KernelKind::kReduction: return run_reduction(op, in[0], attrs, out[0]);
    case KernelKind::kRow: return run_rows(op, in, attrs, out);
    case KernelKind::kScan: return run_scan(op, in[0], attrs, out[0]);
    case KernelKind::kRun: return op.kernel.run(attrs, in, out);
  }
  __builtin_unreachable();
}

}  // namespace weft
