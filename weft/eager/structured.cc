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

Tensors run_reduction(const OpDef& op, const Tensor& given, const void* attrs, const Type& out) {
  const Reduction& reduction = op.kernel.reduction;
  const Tensor x = in_wanted_dtype(op, given, attrs);
  const uint32_t axes = axes_mask(op, attrs, x.rank());
  if (x.numel() == 0) {
    const Tensor value = Tensor::scalar(out.dtype, reduction.empty);
    const Tensor filled = Tensor::empty(out.dtype, out.shape);
    native::fill(filled, value.data());
    return {filled};
  }
  const ReduceRuntime& runtime = runtime_of(op).reduce[static_cast<size_t>(x.dtype())];
  if (runtime.kernels.row == nullptr) {
    const DType dtypes[] = {x.dtype()};
    kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "row"));
  }
  Tensors memory;
  void* pointers[Reduction::kMaxStates] = {};
  for (int k = 0; k < reduction.states; ++k) {
    memory.push_back(Tensor::empty(runtime.states[k], out.shape));
    pointers[k] = memory[static_cast<size_t>(k)].writable_data();
  }
  kernels::reduce(runtime.kernels, pointers, kernels::operand_of(x), axes);
  return {cast(memory[static_cast<size_t>(reduction.result)], out.dtype)};
}

Tensors run_rows(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan types) {
  const FieldInfo* const field = op.attrs->find("axis");
  const int64_t rank = types[0].rank();
  const int64_t axis = field == nullptr
                           ? rank - 1
                           : normalized(*static_cast<const int64_t*>(field->in(attrs)), rank);
  Tensors along;
  for (const Tensor& x : in) along.push_back(x.rank() == rank ? with_axis_last(x, axis) : x);
  Tensors out, out_along;
  for (const Type& type : types) {
    out.push_back(Tensor::empty(type.dtype, type.shape));
    out_along.push_back(with_axis_last(out.back(), axis));
  }
  if (out[0].numel() == 0) return out;
  kernels::rows(row_kernel(op, in), out_along, along);
  return out;
}

Tensors run_scan(const OpDef& op, const Tensor& x, const void* attrs, const Type& type) {
  const kernels::ScanKernels& kernels = runtime_of(op).scan[static_cast<size_t>(x.dtype())];
  if (kernels.scan == nullptr) {
    const DType dtypes[] = {x.dtype()};
    kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "scan"));
  }
  const uint32_t axes = axes_mask(op, attrs, x.rank());
  const Tensor out = Tensor::empty(type.dtype, type.shape);
  if (x.numel() == 0) return {out};
  kernels::scan(kernels, kernels::operand_of(out), kernels::operand_of(x), std::countr_zero(axes));
  return {out};
}

}  // namespace weft
