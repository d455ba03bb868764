// Reductions, row kernels and scans: attributes to drivers.
#include "weft/eager/structured.h"

#include <bit>

#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/eager/runtime.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/rows.h"
#include "weft/op/builtin.h"
#include "weft/op/kernel_key.h"
#include "weft/op/native_outputs.h"

namespace weft {
namespace {

// The axes that the attribute `axis` names, a bit each; all of them if it is left out.
uint32_t axes_mask(const OpDef& op, const void* attrs, int64_t rank) {
  const FieldInfo* const field = op.attrs->find("axis");
  WEFT_ASSERT(field != nullptr, op.name, " has no attribute axis");
  const uint32_t all = rank == 32 ? ~0u : (1u << rank) - 1;
  const auto bit_of = [&](int64_t axis) { return 1u << normalized(axis, rank); };
  const void* const value = field->in(attrs);
  switch (field->type) {
    case FieldType::kInt: return bit_of(*static_cast<const int64_t*>(value));
    case FieldType::kOptionalInt: {
      const auto& axis = *static_cast<const std::optional<int64_t>*>(value);
      return axis ? bit_of(*axis) : all;
    }
    case FieldType::kOptionalInts: {
      const auto& axes = *static_cast<const std::optional<Ints>*>(value);
      uint32_t mask = axes ? 0 : all;
      if (axes) {
        for (int64_t axis : *axes) mask |= bit_of(axis);
      }
      return mask;
    }
    default: WEFT_ASSERT(false, op.name, ": axis has an odd type");
  }
  return 0;
}

// The input in the dtype that the attribute `dtype` asks to compute in, unless the states have it
// anyway.
Tensor in_wanted_dtype(const OpDef& op, const Tensor& x, const void* attrs) {
  const FieldInfo* const field = op.attrs->find("dtype");
  if (field == nullptr || field->type != FieldType::kOptionalDType) return x;
  const auto& wanted = *static_cast<const std::optional<DType>*>(field->in(attrs));
  if (!wanted) return x;
  const ReduceRuntime& runtime = runtime_of(op).reduce[static_cast<size_t>(x.dtype())];
  const bool has_it =
      runtime.kernels.row != nullptr && runtime.states[op.kernel.reduction.result] == *wanted;
  return has_it ? x : cast(x, *wanted);
}

// The same elements with `axis` moved to the end: a view.
Tensor with_axis_last(const Tensor& x, int64_t axis) {
  if (axis == x.rank() - 1 || x.rank() == 0) return x;
  Shape shape(x.shape());
  Ints strides(x.strides());
  const auto at = static_cast<size_t>(axis);
  shape.push_back(shape[at]);
  strides.push_back(strides[at]);
  shape.erase(at);
  strides.erase(at);
  return x.view(shape, strides);
}

}  // namespace

void run_reduction(const OpDef& op, const Tensor& given, const void* attrs, const Tensor& out) {
  const Reduction& reduction = op.kernel.reduction;
  const Tensor x = in_wanted_dtype(op, given, attrs);
  const uint32_t axes = axes_mask(op, attrs, x.rank());
  if (x.numel() == 0) {
    return fill(out, reduction.empty);
  }
  const ReduceRuntime& runtime = runtime_of(op).reduce[static_cast<size_t>(x.dtype())];
  if (runtime.kernels.row == nullptr) {
    const DType dtypes[] = {x.dtype()};
    kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "row"));
  }
  Tensors states;
  void* pointers[Reduction::kMaxStates] = {};
  for (int k = 0; k < reduction.states; ++k) {
    states.push_back(k == reduction.result ? output_in(runtime.states[k], out)
                                           : Tensor::empty(runtime.states[k], out.shape()));
    pointers[k] = states.back().writable_data();
  }
  kernels::reduce(runtime.kernels, pointers, kernels::operand_of(x), axes);
  store(out, states[static_cast<size_t>(reduction.result)]);
}

void run_rows(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out) {
  const FieldInfo* const field = op.attrs->find("axis");
  const int64_t rank = out[0].rank();
  const int64_t axis = field == nullptr
                           ? rank - 1
                           : normalized(*static_cast<const int64_t*>(field->in(attrs)), rank);
  if (out[0].numel() == 0) return;
  Tensors in_along, out_along;
  for (const Tensor& x : in) in_along.push_back(x.rank() == rank ? with_axis_last(x, axis) : x);
  for (const Tensor& y : out) out_along.push_back(with_axis_last(y, axis));
  kernels::rows(row_kernel(op, in), out_along, in_along);
}

void run_scan(const OpDef& op, const Tensor& x, const void* attrs, const Tensor& out) {
  const kernels::ScanKernels& kernels = runtime_of(op).scan[static_cast<size_t>(x.dtype())];
  if (kernels.scan == nullptr) {
    const DType dtypes[] = {x.dtype()};
    kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "scan"));
  }
  if (x.numel() == 0) return;
  const uint32_t axes = axes_mask(op, attrs, x.rank());
  kernels::scan(kernels, kernels::operand_of(out), kernels::operand_of(x), std::countr_zero(axes));
}

}  // namespace weft
