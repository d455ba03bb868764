// rows_with_totals: row kernels that also sum over the rows, as the cotangent of a weight is.
#pragma once

#include "weft/kernels/loop.h"
#include "weft/kernels/rows.h"

namespace weft::kernels {

// Rows in `groups` of `rows` each, one after the other, all operands contiguous along the row.
struct GroupedRows {
  int64_t groups, rows, length;
  int outputs, inputs;
  uint32_t totals;                    // bit k: output k is a sum over rows
  void* p[kMaxOperands];              // outputs, inputs
  int64_t row_strides[kMaxOperands];  // bytes; 0 where all rows read the same
  int64_t item[kMaxOperands];         // bytes of an element
};

// How many rows of a group are summed one after the other; their totals are left to the caller.
int64_t rows_of_block(int64_t rows);

// Runs a row kernel some of whose outputs are sums. Output k of those has, for every group and
// block of its rows, a row of floats or doubles: the block's sum, in the order of its rows. The
// kernel's inputs end with as many more as there are totals: what they were a row before.
void rows_with_totals(const RowKernel& kernel, const GroupedRows& work);

}  // namespace weft::kernels
