// Row kernels with totals: operands laid out row by row, block sums added up by the op sum.
#include "weft/kernels/row_totals.h"
#include "weft/core/native.h"
#include "weft/eager/runtime.h"
#include "weft/eager/structured.h"
#include "weft/op/builtin.h"

namespace weft {
namespace {

Tensor copy_as(const Tensor& x, const Shape& shape) {
  Tensor out = Tensor::empty(x.dtype(), shape);
  native::copy(out, x);
  return out;
}

// The operand so that the kernel can walk it: a row after the other, or one row (or value) for all.
// Rows are summed in their logical order whatever the strides are, so others are copied.
Tensor as_rows(const Tensor& x, const Shape& full, bool one_value) {
  const Dim length = one_value ? Dim(1) : full.back();
  const bool ends_so = x.rank() > 0 ? x.dim(-1) == length : length == Dim(1);
  const int64_t count = x.numel();
  if (ends_so && x.is_contiguous()) {
    if (count == length.value() || (!one_value && Dim(count) == num_elements(full))) return x;
  }
  if (count == 1) return copy_as(x, Shape{length});
  Shape shape = full;
  shape.back() = length;
  return copy_as(x, shape);
}

// The blocks of each group, added up.
Tensor finished(const Tensor& partial, const Type& type) {
  const Tensor total = partial.dim(1) == Dim(1) ? partial : sum(partial, Ints{1});
  return reshape(cast(total, type.dtype), type.shape);
}

Tensors of_no_elements(const OpDef& op, TypeSpan types) {
  Tensors out;
  for (size_t k = 0; k < types.size(); ++k) {
    const bool total = op.kernel.row_totals >> k & 1;
    out.push_back(total ? zeros(types[k].shape, types[k].dtype)
                        : Tensor::empty(types[k].dtype, types[k].shape));
  }
  return out;
}

int64_t blocks_of(const kernels::GroupedRows& work) {
  const int64_t each = kernels::rows_of_block(work.rows);
  return (work.rows + each - 1) / each;
}

kernels::GroupedRows rows_of(const OpDef& op, const void* attrs, const Shape& full) {
  const int64_t keep = *static_cast<const int64_t*>(op.attrs->find("keep")->in(attrs));
  kernels::GroupedRows work{};
  work.totals = op.kernel.row_totals;
  work.length = full.back().value();
  work.groups = 1;
  for (int64_t d = 0; d < keep; ++d) work.groups *= full[static_cast<size_t>(d)].value();
  work.rows = num_elements(full).value() / work.length / work.groups;
  return work;
}

Tensor empty_output(const kernels::GroupedRows& work, size_t k, const Type& type) {
  if ((work.totals >> k & 1) == 0) return Tensor::empty(type.dtype, type.shape);
  return Tensor::empty(compute_of(type.dtype), Shape{work.groups, blocks_of(work), work.length});
}

void add_operand(kernels::GroupedRows& work, size_t k, const Tensor& t) {
  const int64_t along = t.rank() > 0 ? t.dim(-1).value() : 1;
  work.p[k] = t.writable_data();
  work.item[k] = size_of(t.dtype());
  const bool shared = t.numel() == along && work.groups * work.rows > 1;
  work.row_strides[k] = shared ? 0 : along * work.item[k];
}

}  // namespace

Tensors run_row_totals(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan types) {
  const Shape& full = types[0].shape;
  if (num_elements(full) == Dim(0)) return of_no_elements(op, types);
  kernels::GroupedRows work = rows_of(op, attrs, full);
  work.outputs = static_cast<int>(types.size());
  work.inputs = static_cast<int>(in.size());
  Tensors operands;
  for (size_t k = 0; k < types.size(); ++k) operands.push_back(empty_output(work, k, types[k]));
  for (size_t i = 0; i < in.size(); ++i) {
    operands.push_back(as_rows(in[i], full, op.kernel.row_scalars >> i & 1));
  }
  for (size_t k = 0; k < operands.size(); ++k) add_operand(work, k, operands[k]);
  kernels::rows_with_totals(row_kernel(op, in), work);
  Tensors out;
  for (size_t k = 0; k < types.size(); ++k) {
    const bool total = work.totals >> k & 1;
    out.push_back(total ? finished(operands[k], types[k]) : operands[k]);
  }
  return out;
}

}  // namespace weft
