// Blocks of rows as tasks of the pool, each with memory of its own for its sums.
#include "weft/kernels/row_totals.h"

#include <algorithm>

#include "weft/kernels/scratch.h"
#include "weft/kernels/stream.h"
#include "weft/kernels/streamed.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

int64_t blocks_of(int64_t rows) {
  const int64_t each = rows_of_block(rows);
  return (rows + each - 1) / each;
}

bool is_total(const GroupedRows& work, int operand) {
  return operand < work.outputs && (work.totals >> operand & 1) != 0;
}

// -0: what adding to changes nothing.
void start_total(void* row, int64_t item, int64_t length) {
  if (item == 4) std::fill_n(static_cast<float*>(row), length, -0.0f);
  if (item == 8) std::fill_n(static_cast<double*>(row), length, -0.0);
}

// Whether lines of the caches begin where rows of results do.
bool lines_begin(const GroupedRows& work) {
  uint64_t bits = 0;
  for (int k = 0; k < work.outputs; ++k) {
    if (is_total(work, k)) continue;
    bits |= reinterpret_cast<uintptr_t>(work.p[k]) | static_cast<uint64_t>(work.row_strides[k]);
  }
  return bits % kLineBytes == 0;
}

// Row by row through one block: totals stay where they are.
void run_block(const RowKernel& kernel, const GroupedRows& work, int64_t group, int64_t block,
               char* scratch, bool streamed) {
  const int64_t each = rows_of_block(work.rows);
  const int64_t first = group * work.rows + block * each;
  const int64_t rows = std::min(each, work.rows - block * each);
  StreamedRows run;
  run.kernel = kernel.kernel;
  run.length = work.length;
  run.count = rows * work.length;
  run.outputs = work.outputs;
  run.operands = work.outputs + work.inputs;
  for (int k = 0, operands = run.operands; k < operands; ++k) {
    const bool total = is_total(work, k);
    const int64_t step = total ? work.length * work.item[k] : work.row_strides[k];
    const int64_t at = total ? group * blocks_of(work.rows) + block : first;
    run.p[k] = static_cast<char*>(work.p[k]) + step * at;
    run.step[k] = total ? 0 : step;
    run.item[k] = work.item[k];
    if (!total) continue;
    start_total(run.p[k], work.item[k], work.length);
    run.in_place |= 1u << k;
    run.p[run.operands++] = run.p[k];
  }
  run.p[run.operands++] = scratch;
  if (streamed && kernel.past != nullptr && lines_begin(work)) {
    kernel.past(run.p, run.step, work.length, rows, 0);
    return finish_bypass();
  }
  if (streamed && kernel.streams && run.fits()) return run.run(0, rows);
  kernel.kernel(run.p, run.step, work.length, rows, 0);
}

}  // namespace

int64_t rows_of_block(int64_t rows) { return std::clamp<int64_t>(rows / 16, 1, 64); }

void rows_with_totals(const RowKernel& kernel, const GroupedRows& work) {
  const int64_t blocks = blocks_of(work.rows), each = rows_of_block(work.rows);
  const double ns = static_cast<double>(each * work.length) * kernel.ns_per_element;
  int64_t bytes = 0;
  for (int k = 0; k < work.outputs + work.inputs; ++k) {
    if (!is_total(work, k)) bytes += work.groups * work.rows * work.row_strides[k];
  }
  const bool streamed = bytes > kStreamedBytes;
  in_tasks(work.groups * blocks, ns, [&](int64_t begin, int64_t end) {
    const Scratch scratch(std::max(kernel.scratch, kernel.past_scratch) * (work.length + 64));
    for (int64_t i = begin; i < end; ++i) {
      run_block(kernel, work, i / blocks, i % blocks, scratch.data(), streamed);
    }
  });
}

}  // namespace weft::kernels
