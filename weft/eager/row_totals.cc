// Row kernels with totals: operands laid out row by row, block sums added up by the op sum.
#include "weft/kernels/row_totals.h"
#include "weft/core/native.h"
#include "weft/eager/runtime.h"
#include "weft/eager/structured.h"
#include "weft/op/builtin.h"
#include "weft/op/native_outputs.h"

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
void store_total(const Tensor& out, const Tensor& partial) {
  const Tensor total = partial.dim(1) == Dim(1) ? partial : sum(partial, Ints{1});
  store(out, reshape(total, Shape(out.shape())));
}

// Without elements the totals are 0, and nothing else has to be written.
void store_empty_totals(const OpDef& op, TensorSpan out) {
  for (size_t k = 0; k < out.size(); ++k) {
    if (op.kernel.row_totals >> k & 1) {
      fill(out[k], 0);
    }
  }
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

// What the kernel writes: totals of the blocks of rows, or the output itself.
Tensor written_output(const kernels::GroupedRows& work, size_t k, const Tensor& out) {
  if ((work.totals >> k & 1) == 0) return out;
  return Tensor::empty(compute_of(out.dtype()), Shape{work.groups, blocks_of(work), work.length});
}

void add_operand(kernels::GroupedRows& work, size_t k, const Tensor& t) {
  const int64_t along = t.rank() > 0 ? t.dim(-1).value() : 1;
  work.p[k] = t.writable_data();
  work.item[k] = size_of(t.dtype());
  const bool shared = t.numel() == along && work.groups * work.rows > 1;
  work.row_strides[k] = shared ? 0 : along * work.item[k];
}

}  // namespace

void run_row_totals(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out) {
  const Shape full(out[0].shape());
  if (num_elements(full) == Dim(0)) return store_empty_totals(op, out);
  kernels::GroupedRows work = rows_of(op, attrs, full);
  work.outputs = static_cast<int>(out.size());
  work.inputs = static_cast<int>(in.size());
  Tensors operands;
  for (size_t k = 0; k < out.size(); ++k) operands.push_back(written_output(work, k, out[k]));
  for (size_t i = 0; i < in.size(); ++i) {
    operands.push_back(as_rows(in[i], full, op.kernel.row_scalars >> i & 1));
  }
  for (size_t k = 0; k < operands.size(); ++k) add_operand(work, k, operands[k]);
  kernels::rows_with_totals(row_kernel(op, in), work);
  for (size_t k = 0; k < out.size(); ++k) {
    if (work.totals >> k & 1) store_total(out[k], operands[k]);
  }
}

}  // namespace weft
