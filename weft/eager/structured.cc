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

// The dtypes of a reduction's states for inputs of `dtype`.
InlineVector<DType, 2> state_dtypes(const Reduction& reduction, DType dtype) {
  Expr states[Reduction::kMaxStates] = {0.0, 0.0};
  reduction.map(Expr::input(0, compute_of(dtype)), Expr::constant(DType::kI64, 0), states);
  InlineVector<DType, 2> out;
  for (int k = 0; k < reduction.states; ++k) out.push_back(states[k].dtype());
  return out;
}

// The input in the dtype that the attribute `dtype` asks to compute in, unless the states have it
// anyway.
Tensor in_wanted_dtype(const OpDef& op, const Tensor& x, const void* attrs) {
  const FieldInfo* const field = op.attrs->find("dtype");
  if (field == nullptr || field->type != FieldType::kOptionalDType) return x;
  const auto& wanted = *static_cast<const std::optional<DType>*>(field->in(attrs));
  const Reduction& reduction = op.kernel.reduction;
  if (!wanted ||
      state_dtypes(reduction, x.dtype())[static_cast<size_t>(reduction.result)] == *wanted)
    return x;
  return cast(x, *wanted);
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
  const InlineVector<DType, 2> states = state_dtypes(reduction, x.dtype());
  const OpEntry& entry = entry_of(op);
  const DType dtypes[] = {x.dtype()};
  const auto key = [&](std::string_view variant) { return kernel_key(entry, dtypes, variant); };
  kernels::ReduceKernels kernels;
  kernels.row = function_of<RowReduceKernel>(kernel_or_fail(op, key("row")));
  kernels.column = function_of<ColumnReduceKernel>(kernel_or_fail(op, key("column")));
  kernels.combine = function_of<CombineKernel>(kernel_or_fail(op, key("combine")));
  kernels.states = static_cast<uint8_t>(reduction.states);
  Tensors memory;
  void* pointers[Reduction::kMaxStates] = {};
  for (int k = 0; k < reduction.states; ++k) {
    kernels.state_item[k] = static_cast<uint8_t>(size_of(states[static_cast<size_t>(k)]));
    memory.push_back(Tensor::empty(states[static_cast<size_t>(k)], out.shape));
    pointers[k] = memory[static_cast<size_t>(k)].writable_data();
  }
  kernels::reduce(kernels, pointers, kernels::operand_of(x), axes);
  return {cast(memory[static_cast<size_t>(reduction.result)], out.dtype)};
}

Tensors run_rows(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan types) {
  const FieldInfo* const field = op.attrs->find("axis");
  const int64_t rank = types[0].rank();
  const int64_t axis = field == nullptr
                           ? rank - 1
                           : normalized(*static_cast<const int64_t*>(field->in(attrs)), rank);
  InlineVector<DType, 4> dtypes;
  Tensors along;
  for (const Tensor& x : in) {
    dtypes.push_back(x.dtype());
    along.push_back(x.rank() == rank ? with_axis_last(x, axis) : x);
  }
  const KernelEntry& entry = kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "row"));
  Tensors out, out_along;
  for (const Type& type : types) {
    out.push_back(Tensor::empty(type.dtype, type.shape));
    out_along.push_back(with_axis_last(out.back(), axis));
  }
  if (out[0].numel() == 0) return out;
  kernels::RowKernel kernel;
  kernel.kernel = function_of<MapKernel>(entry);
  kernel.scratch = entry.scratch;
  kernel.scalars = op.kernel.row_scalars;
  kernels::rows(kernel, out_along, along);
  return out;
}

Tensors run_scan(const OpDef& op, const Tensor& x, const void* attrs, const Type& type) {
  const uint32_t axes = axes_mask(op, attrs, x.rank());
  const DType dtypes[] = {x.dtype()};
  kernels::ScanKernels kernels;
  kernels.scan =
      function_of<ScanKernel>(kernel_or_fail(op, kernel_key(entry_of(op), dtypes, "scan")));
  const Tensor out = Tensor::empty(type.dtype, type.shape);
  if (x.numel() == 0) return {out};
  kernels::scan(kernels, kernels::operand_of(out), kernels::operand_of(x), std::countr_zero(axes));
  return {out};
}

}  // namespace weft
