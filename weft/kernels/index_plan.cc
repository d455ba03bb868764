// Merging of dims around an axis, and the error for an index out of range.
#include "weft/kernels/index_plan.h"

#include "weft/kernels/copy.h"

namespace weft::kernels {

bool merge(const Operand& operand, const Dim* sizes, int64_t first, int64_t last, int64_t* stride) {
  int64_t span = 0, count = 1;  // bytes from an element of the merged dim to the next, elements
  for (int64_t d = last - 1; d >= first; --d) {
    const int64_t size = sizes[d].value(), step = operand.strides[d] * operand.item;
    if (size == 1) continue;
    if (count == 1) span = step;
    if (count > 1 && step != span * count) return false;
    count *= size;
  }
  *stride = span;
  return true;
}

ThreeLoops three_loops(const Operand& operand, int64_t first, int64_t last, const Dim* sizes,
                       Packed& packed) {
  if (sizes == nullptr) sizes = operand.dims;
  ThreeLoops loops{.data = operand.data};
  if (merge(operand, sizes, 0, first, &loops.outer) &&
      merge(operand, sizes, first, last, &loops.along) &&
      merge(operand, sizes, last, operand.rank, &loops.inner)) {
    return loops;
  }
  Operand wanted = operand;
  wanted.dims = sizes;
  wanted.contiguous = false;
  const ShapeView shape{sizes, operand.rank};
  const Ints strides = contiguous_strides(shape);
  wanted.numel = num_elements(shape).value();
  packed.block = allocate(wanted.numel * operand.item);
  Operand target = wanted;
  target.data = static_cast<char*>(packed.block.data);
  target.strides = strides.data();
  target.contiguous = true;
  copy(target, wanted);
  return three_loops(target, first, last, sizes, packed);
}

IndexPlan plan_take(const Tensor& indices, ShapeView shape, int64_t axis, Packed& packed) {
  IndexPlan plan;
  for (int64_t d = 0; d < axis; ++d) plan.outer *= shape[d].value();
  for (int64_t d = axis + 1; d < rank_of(shape); ++d) plan.inner *= shape[d].value();
  plan.axis_size = shape[axis].value();
  const Operand all = operand_of(indices);
  plan.along = all.numel;
  plan.indices = three_loops(all, 0, all.rank, nullptr, packed);
  plan.indices.outer = plan.indices.inner = 0;
  return plan;
}

IndexPlan plan_gather(const Tensor& indices, int64_t axis_size, int64_t axis, Packed& packed) {
  IndexPlan plan;
  const ShapeView shape = indices.shape();
  for (int64_t d = 0; d < axis; ++d) plan.outer *= shape[d].value();
  for (int64_t d = axis + 1; d < rank_of(shape); ++d) plan.inner *= shape[d].value();
  plan.along = shape[axis].value();
  plan.axis_size = axis_size;
  plan.indices = three_loops(operand_of(indices), axis, axis + 1, nullptr, packed);
  return plan;
}

void fail_index(const Tensor& indices, int64_t axis, int64_t size, Blame blame) {
  const Operand all = operand_of(indices);
  Ints position(static_cast<size_t>(all.rank), 0);
  for (int64_t i = 0; i < all.numel; ++i) {
    int64_t rest = i, offset = 0;
    for (int d = all.rank - 1; d >= 0; --d) {
      const int64_t extent = all.dims[d].value();
      position[static_cast<size_t>(d)] = rest % extent;
      offset += rest % extent * all.strides[d];
      rest /= extent;
    }
    const char* const at = all.data + offset * all.item;
    const int64_t index = indices.dtype() == DType::kI32 ? *reinterpret_cast<const int32_t*>(at)
                                                         : *reinterpret_cast<const int64_t*>(at);
    if (wrapped(index, size) < static_cast<uint64_t>(size)) continue;
    fail(Code::kIndex, blame.op, blame.law, "index ", index, " at position ", position,
         " is out of range for axis ", axis, " with size ", size);
  }
  fail(Code::kInternal, blame.op, "", "an index changed while it was read");
}

}  // namespace weft::kernels
