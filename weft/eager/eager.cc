// Run now: concrete inputs, generated or native kernels.
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/run_apart.h"
#include "weft/core/native.h"
#include "weft/core/scalar.h"
#include "weft/eager/layout.h"
#include "weft/eager/runtime.h"
#include "weft/eager/structured.h"
#include "weft/eager/update.h"
#include "weft/op/apply.h"
#include "weft/op/concrete_value.h"
#include "weft/op/kernel_key.h"
#include "weft/op/native_outputs.h"
#include "weft/op/registry.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

// Below this many elements a kernel is called right away, without the driver.
constexpr int64_t kDirect = 4096;

bool same_layout(const Concrete& a, const Concrete& b) {
  if (&a == &b) return true;
  if (a.rank != b.rank || !b.contiguous) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (!(a.dims[i] == b.dims[i])) return false;
  }
  return true;
}

constexpr size_t kMaxInputs = kernels::MapKernels::kVariantInputs;
constexpr int64_t kNoStrides[2 * kMaxInputs + 1] = {};  // enough for a fused backward kernel

bool has_dtype(const OpRuntime& runtime, size_t input, const Concrete& node, DType open) {
  const uint8_t fixed = runtime.fixed[input];
  return node.dtype == (fixed == OpRuntime::kOpen ? open : static_cast<DType>(fixed));
}

// Whether every element of a result like `lead` meets one value of `node`: rank 0, or the same
// shape by strides of 0 (ones, full).
bool is_single(const Concrete& node, const Concrete& lead) {
  if (node.rank == 0) return true;
  if (node.rank != lead.rank) return false;
  for (int i = 0; i < node.rank; ++i) {
    if (!(node.dims[i] == lead.dims[i]) || (node.strides[i] != 0 && !(node.dims[i] == Dim(1)))) {
      return false;
    }
  }
  return true;
}

// The input whose layout and dtype the result and the others follow.
const Tensor* lead_of(const OpRuntime& runtime, TensorSpan in) {
  const Tensor* lead = nullptr;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(in[i].node());
    const bool may = node.contiguous && !node.weak && node.numel > 0;
    if (!may || runtime.fixed[i] != OpRuntime::kOpen) continue;
    if (node.rank > 0) return &in[i];
    if (lead == nullptr) lead = &in[i];  // if nothing else has axes
  }
  return lead;
}

// The fast path of `x + 1.0`: beside contiguous inputs there are single values.
Tensor scalar_fast(const OpRuntime& runtime, TensorSpan in) {
  const Tensor* const lead_tensor = lead_of(runtime, in);
  if (lead_tensor == nullptr) return {};
  const auto& lead = *static_cast<const Concrete*>(lead_tensor->node());
  const kernels::MapKernels& map = runtime.map[static_cast<size_t>(lead.dtype)];
  if (map.inputs != in.size() || lead.numel > kDirect) return {};
  alignas(16) char values[kMaxInputs][16];
  void* pointers[1 + kMaxInputs];
  unsigned singles = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(in[i].node());
    pointers[i + 1] = node.data;
    if (node.weak) {
      if (runtime.fixed[i] != OpRuntime::kOpen || kind_of(node.dtype) > kind_of(lead.dtype))
        return {};
      if (!store_scalar(in[i], lead.dtype, values[i])) return {};  // the slow path says why
      pointers[i + 1] = values[i];
      singles |= 1u << i;
    } else if (!has_dtype(runtime, i, node, lead.dtype)) {
      return {};
    } else if (!same_layout(lead, node)) {
      if (!is_single(node, lead)) return {};
      singles |= 1u << i;
    }
  }
  if (map.variant[singles] == nullptr) return {};
  Tensor out = Tensor::empty_like(*lead_tensor, runtime.result[static_cast<size_t>(lead.dtype)]);
  pointers[0] = out.writable_data();
  map.variant[singles](pointers, kNoStrides, lead.numel, 1, 0);
  return out;
}

void run_elementwise(const OpDef& op, TensorSpan in, TensorSpan out) {
  const kernels::MapKernels& map = runtime_of(op).map[static_cast<size_t>(in.back().dtype())];
  if (map.variant[0] == nullptr)
    kernel_or_fail(op, text(op.name, '/', short_name_of(in.back().dtype()), "/c"));
  kernels::map(map, out, in);
}

void run_cast(const OpDef& op, TensorSpan in, TensorSpan out) {
  const DType from = in[0].dtype(), to = out[0].dtype();
  if (from == to) return native::copy(out[0], in[0]);
  const kernels::MapKernels map = cast_kernels(op, from, to);
  if (map.variant[0] == nullptr) kernel_or_fail(op, cast_key(entry_of(op), from, to, "c"));
  kernels::map(map, out, in);
}

void run_vjp(const OpDef& op, TensorSpan in, TensorSpan out) {
  const DType dtype = in[0].dtype();
  const kernels::MapKernels& map = runtime_of(op).map[static_cast<size_t>(dtype)];
  if (map.variant[0] == nullptr) {
    kernel_or_fail(op, vjp_key(entry_of(*op.kernel.vjp_of), dtype, op.kernel.vjp_wanted));
  }
  kernels::map(map, out, in);
}

// Inputs are scalars, read once per row; the position counts the elements of the output.
void run_fill(const OpDef& op, TensorSpan in, TensorSpan out) {
  kernels::MapKernels map;
  map.inputs = static_cast<uint8_t>(in.size());
  map.uses_position = true;
  map.ns_per_element = 2;
  const std::string key = text(entry_of(op).qualified_name(), '/', short_name_of(out[0].dtype()),
                               '/', std::string(in.size(), 's'));
  const auto kernel = function_of<MapKernel>(kernel_or_fail(op, key));
  map.variant[0] = map.variant[(1u << in.size()) - 1] = kernel;
  kernels::map(map, out, in);
}

// The input's elements in row-major order, under the shape of the only output.
void run_copied_view(TensorSpan out, const Tensor& x) {
  WEFT_ASSERT(out.size() == 1, "a view of ", out.size(), " outputs cannot be a copy");
  native::copy(out[0].view(x.shape(), contiguous_strides(x.shape())), x);
}

// The results of an op of KernelKind::kView; empty: the elements have to move.
Tensors views_of(const OpDef& op, const Tensor& x, const void* attrs, TypeSpan types) {
  if (!op.kernel.view) return {x};
  const ViewLayouts views = op.kernel.view(attrs, {x.shape(), x.strides()}, types);
  Tensors out;
  for (size_t k = 0; k < views.size(); ++k) {
    out.push_back(x.view(types[k].shape, views[k].strides, views[k].offset));
  }
  return out;
}

}  // namespace

Tensor eager_fast(const OpDef& op, TensorSpan in) {
  const OpRuntime* const runtime = op.runtime.load_acquire();
  if (runtime == nullptr || !runtime->regular || in.empty() || in.size() > kMaxInputs) return {};
  const auto& last = *static_cast<const Concrete*>(in.back().node());
  const kernels::MapKernels& map = runtime->map[static_cast<size_t>(last.dtype)];
  if (last.weak || !last.contiguous) return scalar_fast(*runtime, in);
  if (map.variant[0] == nullptr || map.inputs != in.size() || last.numel == 0) return {};
  void* pointers[1 + kMaxInputs];
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(in[i].node());
    if (!has_dtype(*runtime, i, node, last.dtype) || node.weak || !same_layout(last, node)) {
      return scalar_fast(*runtime, in);
    }
    pointers[i + 1] = node.data;
  }
  Tensor out = Tensor::empty_like(in.back(), runtime->result[static_cast<size_t>(last.dtype)]);
  if (last.numel > kDirect) {
    kernels::map(map, {&out, 1}, in);
    return out;
  }
  pointers[0] = out.writable_data();
  map.variant[0](pointers, kNoStrides, last.numel, 1, 0);
  return out;
}

bool eager_backward_fast(const OpDef& op, TensorSpan in, Tensors& out, Tensor* spare) {
  const OpRuntime* const runtime = op.runtime.load_acquire();
  if (runtime == nullptr) return false;
  const auto& first = *static_cast<const Concrete*>(in[0].node());
  const kernels::MapKernels& map = runtime->map[static_cast<size_t>(first.dtype)];
  if (map.variant[0] == nullptr || !first.contiguous || first.numel == 0) return false;
  void* pointers[2 * kMaxInputs + 1];
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(in[i].node());
    if (!same_layout(first, node)) return false;
    pointers[map.outputs + i] = node.data;
  }
  const bool in_place = spare != nullptr && map.outputs == 1 && may_write(first);
  for (size_t k = 0; k < map.outputs; ++k) {
    out.push_back(in_place ? std::move(*spare) : Tensor::empty_like(in[0], first.dtype));
    pointers[k] = static_cast<Concrete*>(out[k].node())->data;
  }
  if (first.numel > kDirect) {
    kernels::map(map, out, in);
  } else {
    map.variant[0](pointers, kNoStrides, first.numel, 1, 0);
  }
  return true;
}

bool eager_add_to(const Tensor& sum, const Tensor& term) {
  if (!sum.is_concrete() || !term.is_concrete() || sum.dtype() != term.dtype()) return false;
  const auto& node = *static_cast<const Concrete*>(sum.node());
  const auto& other = *static_cast<const Concrete*>(term.node());
  if (!node.contiguous || !same_layout(node, other)) return false;
  const kernels::MapKernels& map = runtime_of(kAdd).map[static_cast<size_t>(sum.dtype())];
  if (map.variant[0] == nullptr || node.numel == 0 || !may_write(node)) return false;
  const Tensor in[2] = {sum, term};
  kernels::map(map, {&sum, 1}, in);
  return true;
}

Tensors eager_compute(const OpDef& op, TensorSpan in, const void* attrs) {
  ensure_kernels();
  require_concrete(op.name, in);
  Types types;
  for (const Tensor& t : in) types.push_back(t.type());
  return eager_run(op, in, attrs, op.infer(attrs, InferCtx{op.name}, types));
}

void store(const Tensor& out, const Tensor& value) {
  if (value.node() != out.node()) run_cast(kCast, {&value, 1}, {&out, 1});
}

void eager_compute_into(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out) {
  ensure_kernels();
  require_concrete(op.name, in);
  eager_run_into(op, in, attrs, out);
}

namespace {

void run_now(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out) {
  switch (op.kernel.kind) {
    case KernelKind::kElementwise: return run_elementwise(op, in, out);
    case KernelKind::kCast: return run_cast(op, in, out);
    case KernelKind::kVjp: return run_vjp(op, in, out);
    case KernelKind::kFill: return run_fill(op, in, out);
    case KernelKind::kUpdate: return run_update(op, in, out);
    case KernelKind::kReduction: return run_reduction(op, in[0], attrs, out[0]);
    case KernelKind::kRow:
      return op.kernel.row_totals != 0 ? run_row_totals(op, in, attrs, out)
                                       : run_rows(op, in, attrs, out);
    case KernelKind::kScan: return run_scan(op, in[0], attrs, out[0]);
    case KernelKind::kView: return run_copied_view(out, in[0]);
    case KernelKind::kNative: return op.kernel.native(attrs, in, out);
    case KernelKind::kHost: break;
  }
  WEFT_ASSERT(false, op.name, " allocates its results itself");
}

// Allocates the outputs. Elementwise ops keep the layout of their inputs, updates that of the
// tensors they update.
Tensors empty_outputs(const OpDef& op, TensorSpan in, TypeSpan types) {
  const KernelKind kind = op.kernel.kind;
  const bool keeps_layout =
      kind == KernelKind::kElementwise || kind == KernelKind::kCast || kind == KernelKind::kVjp;
  const size_t lists = static_cast<size_t>(op.kernel.row_outputs);
  Tensors out;
  for (size_t k = 0; k < types.size(); ++k) {
    if (kind == KernelKind::kUpdate) {
      const size_t tensor = op.kernel.row_scalars + k % (types.size() / lists);
      out.push_back(empty_for(types[k], in.subspan(tensor, 1)));
    } else {
      out.push_back(keeps_layout ? empty_for(types[k], in)
                                 : Tensor::empty(types[k].dtype, types[k].shape));
    }
  }
  return out;
}

// Whether an op reads and writes nothing but its operands. User-defined ops, ops of graphs and ops
// that call functions may depend on the thread that calls them.
bool is_of_library(const OpDef& op) {
  static const auto* const ops = [] {
    auto* const all = new std::unordered_set<const OpDef*>;
    for (const Family* const family : builtin_families()) {
      for (const OpDef* const one : family->ops) {
        const bool has_function = std::ranges::any_of(one->attrs->fields, [](const FieldInfo& f) {
          return f.type == FieldType::kFunction || f.type == FieldType::kFunctions ||
                 f.type == FieldType::kVariable;
        });
        if (!has_function && one->effect == Effect::kNone) all->insert(one);
      }
    }
    return all;
  }();
  return ops->contains(&op);
}

// Sizes whose kernels take some tenths of a second: elements to sort or transform, and elements
// times the shorter matrix side for LAPACK's cubic algorithms.
constexpr int64_t kManyElements = int64_t{1} << 22, kManySteps = int64_t{1} << 29;

bool is_large(ShapeView shape) {
  int64_t elements = 1;
  for (const Dim extent : shape) {
    if (!extent.is_known() || __builtin_mul_overflow(elements, extent.value(), &elements)) {
      return false;
    }
  }
  if (elements >= kManyElements) return true;
  if (shape.size() < 2) return false;
  const int64_t side = std::min(shape[shape.size() - 1].value(), shape[shape.size() - 2].value());
  return elements >= kManySteps / std::max<int64_t>(side, 1);
}

bool has_large(TensorSpan tensors) {
  return std::ranges::any_of(tensors,
                             [](const Tensor& t) { return t.defined() && is_large(t.shape()); });
}

// Owns everything that a kernel on its own thread reads and writes, also after the caller has been
// interrupted. It may write to the arena of a plan, because an interrupted plan does not reuse its
// memory.
struct RunApart {
  RunApart(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out)
      : op(op), in(in), attrs(op.attrs, attrs), out(out) {}

  const OpDef& op;
  const Tensors in;
  const AnyAttrs attrs;
  const Tensors out;
};

}  // namespace

// Elementwise kernels and reductions poll for Ctrl-C between tiles. Other kernels may run for
// seconds without a poll, so large ones run on their own thread (run_apart).
void eager_run_into(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out) {
  const KernelKind kind = op.kernel.kind;
  const bool may_be_long =
      kind == KernelKind::kNative || kind == KernelKind::kScan || kind == KernelKind::kRow;
  if (!may_be_long || !(has_large(in) || has_large(out)) || !is_interruptible() ||
      !is_of_library(op)) [[likely]] {
    return run_now(op, in, attrs, out);
  }
  const auto run = std::make_shared<RunApart>(op, in, attrs, out);
  run_apart([run] { run_now(run->op, run->in, run->attrs.data(), run->out); });
}

Tensors eager_run(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan types) {
  const KernelKind kind = op.kernel.kind;
  if (kind == KernelKind::kHost) return op.kernel.host(attrs, in, types);
  if (kind == KernelKind::kCast && in[0].dtype() == types[0].dtype) return {in[0]};
  if (kind == KernelKind::kView) {
    if (Tensors views = views_of(op, in[0], attrs, types); !views.empty()) return views;
  }
  Tensors out = empty_outputs(op, in, types);
  eager_run_into(op, in, attrs, out);
  return out;
}

}  // namespace weft
