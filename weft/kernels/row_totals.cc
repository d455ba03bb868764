// Blocks of rows as tasks of the pool, each with memory of its own for its sums.
#include "weft/kernels/row_totals.h"

#include <algorithm>

#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

// Row by row through one block: totals stay where they are.
void run_block(const RowKernel& kernel, const GroupedRows& work, int64_t group, int64_t block,
               char* scratch) {
  const int64_t each = rows_of_block(work.rows), blocks = (work.rows + each - 1) / each;
  const int64_t first = group * work.rows + block * each;
  const int operands = work.outputs + work.inputs;
  void* p[kMaxOperands + 1];
  int64_t strides[kMaxOperands + 1];
  int next = operands;
  for (int k = 0; k < operands; ++k) {
    const bool total = k < work.outputs && (work.totals >> k & 1) != 0;
    const int64_t step = total ? work.length * work.item[k] : work.row_strides[k];
    p[k] = static_cast<char*>(work.p[k]) + step * (total ? group * blocks + block : first);
    strides[k] = total ? 0 : step;
    if (!total) continue;
    // -0: what adding to changes nothing.
    if (work.item[k] == 4) std::fill_n(static_cast<float*>(p[k]), work.length, -0.0f);
    if (work.item[k] == 8) std::fill_n(static_cast<double*>(p[k]), work.length, -0.0);
    p[next] = p[k];
    strides[next++] = 0;
  }
  p[next] = scratch;
  strides[next] = 0;
  kernel.kernel(p, strides, work.length, std::min(each, work.rows - block * each), 0);
}

}  // namespace

int64_t rows_of_block(int64_t rows) { return std::clamp<int64_t>(rows / 16, 1, 64); }

void rows_with_totals(const RowKernel& kernel, const GroupedRows& work) {
  const int64_t each = rows_of_block(work.rows), blocks = (work.rows + each - 1) / each;
  const double ns = static_cast<double>(each * work.length) * kernel.ns_per_element;
  in_tasks(work.groups * blocks, ns, [&](int64_t begin, int64_t end) {
    const Scratch scratch(kernel.scratch * (work.length + 64));
    for (int64_t i = begin; i < end; ++i) {
      run_block(kernel, work, i / blocks, i % blocks, scratch.data());
    }
  });
}

}  // namespace weft::kernels
