// Rows in tiles: direct where an operand is contiguous along the axis, packed where it is not.
#include "weft/kernels/rows.h"

#include <algorithm>

#include "weft/kernels/scratch.h"
#include "weft/kernels/stream.h"
#include "weft/kernels/streamed.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tiled.h"

namespace weft::kernels {
namespace {

constexpr int64_t kBufferBytes = 64 << 10;  // of one packed operand, if a row is short enough

// Bytes from element to element along an axis of `count` elements.
int64_t step_along(const Operand& operand, int axis, int64_t count) {
  const bool here = axis >= 0 && operand.dims[axis] == Dim(count);
  return here ? operand.strides[axis] * operand.item : 0;
}

// The loop over `rest`, operands without the axis, with the axis put back as the inner dim. False
// if there are no elements.
bool build_around(Loop& loop, std::span<const Operand> rest, int64_t count, const int64_t* steps) {
  if (count == 0 || !loop.build(rest)) return false;
  loop.size[loop.rank] = count;
  std::copy(steps, steps + rest.size(), loop.stride[loop.rank++]);
  loop.pad_to_two_dims();
  return true;
}

// Tiles of whole rows; operands that are not contiguous along the axis are packed.
void choose_tiles(TiledRun& run, const RowKernel& kernel) {
  Loop& loop = run.loop;
  const int inner = run.inner();
  const int64_t length = loop.size[inner];
  int64_t item = 1;
  int across = -1;
  for (int k = loop.operands - 1; k >= 0; --k) {
    const int64_t step = loop.stride[inner][k];
    // Stored, or read, once per row.
    const bool once = k < run.outputs || (kernel.scalars >> (k - run.outputs) & 1) != 0;
    const bool row_value = once && step == 0;
    if (step == loop.item[k] || length == 1 || row_value) continue;
    run.packed |= 1u << k;
    item = std::max(item, loop.item[k]);
    if (step != 0) across = k;
  }
  if (across >= 0) loop.move_to_row_dim(loop.row_dim_for(across));
  const double row_ns = static_cast<double>(length) * kernel.ns_per_element;
  int64_t rows = std::max(kernel.rows_together, 1 + static_cast<int64_t>(kTaskNs / row_ns));
  // Several rows at a time: a row that lies across shares its cache lines with its neighbours.
  if (run.packed != 0) rows = std::clamp<int64_t>(kBufferBytes / (length * item), 16, 1024);
  run.tiles = Tiles::of(loop, rows, length);
}

template <class Kernel>
void run_tiles(const TiledRun& run, double ns_per_element, Kernel&& kernel,
               bool past_caches = false) {
  const double ns = ns_per_element + kPackNs * run.packed_count();
  in_tasks(run.tiles.total, ns * static_cast<double>(run.tiles.rows * run.tiles.cols),
           [&](int64_t begin, int64_t end) {
             run.run(begin, end, kernel);
             if (past_caches) finish_bypass();
           });
}

// Calls the kernel with scratch rows, if it needs them.
void run_with_scratch(const TiledRun& run, double ns_per_element, MapKernel kernel,
                      int64_t scratch_bytes, bool past_caches) {
  if (scratch_bytes == 0) return run_tiles(run, ns_per_element, kernel, past_caches);
  const int64_t bytes = scratch_bytes * (run.loop.size[run.inner()] + 64);
  const int operands = run.loop.operands;
  run_tiles(
      run, ns_per_element,
      [&](void** p, int64_t* row_strides, int64_t n, int64_t rows, uint64_t position) {
        const Scratch scratch(bytes);
        p[operands] = scratch.data();
        row_strides[operands] = 0;
        kernel(p, row_strides, n, rows, position);
      },
      past_caches);
}

// Bytes of all operands, as often as they are read or written from memory.
int64_t bytes_of(const TiledRun& run) {
  const Loop& loop = run.loop;
  int64_t bytes = 0;
  for (int k = 0; k < loop.operands; ++k) {
    int64_t mine = loop.item[k];
    for (int d = 0; d < loop.rank; ++d) {
      if (loop.stride[d][k] != 0) mine *= loop.size[d];
    }
    bytes += mine;
  }
  return bytes;
}

// Results too large for the caches, stored past them by the kernel itself: their rows must begin
// where lines do.
bool run_past(const TiledRun& run, const RowKernel& kernel) {
  const Loop& loop = run.loop;
  if (run.packed != 0 || bytes_of(run) <= kStreamedBytes) return false;
  for (int k = 0; k < run.outputs; ++k) {
    if (loop.stride[run.inner()][k] == 0) continue;  // one value for each row
    uint64_t bits = reinterpret_cast<uintptr_t>(loop.data[k]);
    for (int d = 0; d < run.inner(); ++d) bits |= static_cast<uint64_t>(loop.stride[d][k]);
    if (bits % kLineBytes != 0) return false;
  }
  run_with_scratch(run, kernel.ns_per_element, kernel.past, kernel.past_scratch, true);
  return true;
}

// Rows of whole tensors too large for the caches, one after the other, go past them.
bool run_streamed(const TiledRun& run, const RowKernel& kernel) {
  const Loop& loop = run.loop;
  StreamedRows rows;
  rows.kernel = kernel.kernel;
  rows.length = loop.size[1];
  rows.count = loop.size[0] * loop.size[1];
  rows.outputs = run.outputs;
  rows.operands = loop.operands;
  int64_t bytes = 0;
  for (int k = 0; k < loop.operands; ++k) {
    rows.p[k] = loop.data[k];
    rows.step[k] = loop.stride[0][k];
    rows.item[k] = loop.stride[1][k];
    if (k < run.outputs && rows.item[k] == 0) rows.in_place |= 1u << k;
    if (rows.step[k] != 0) bytes += rows.count * rows.item[k];
  }
  if (loop.rank != 2 || run.packed != 0 || bytes <= kStreamedBytes || !rows.fits()) return false;
  in_tasks(loop.size[0], kernel.ns_per_element * static_cast<double>(rows.length),
           [&](int64_t begin, int64_t end) {
             const Scratch scratch(kernel.scratch * (rows.length + 64));
             StreamedRows mine = rows;
             if (kernel.scratch > 0) mine.p[mine.operands++] = scratch.data();
             mine.run(begin, end);
           });
  return true;
}

// Rows without elements: the kernel reads nothing, and stores the per-row results, which are those
// of empty sums and maxima.
void empty_rows(const RowKernel& kernel, std::span<const Operand> rest) {
  Loop loop;
  if (!loop.build(rest)) return;
  loop.pad_to_two_dims();
  const Tiles tiles = Tiles::of(loop, 1, 1);
  const Scratch scratch(kernel.scratch * 64);
  const int64_t row_strides[kMaxOperands + 1] = {};
  for_tiles(loop, tiles, 0, tiles.total, [&](char* const* at, int64_t, int64_t) {
    void* p[kMaxOperands + 1];
    std::copy(at, at + loop.operands, p);
    p[loop.operands] = scratch.data();
    kernel.kernel(p, row_strides, 0, 1, 0);
  });
}

}  // namespace

void rows(const RowKernel& kernel, TensorSpan outputs, TensorSpan inputs) {
  Operand rest[kMaxOperands];
  int64_t steps[kMaxOperands];
  size_t operands = 0;
  const int64_t count = inputs[0].dim(-1).value();
  for (const TensorSpan tensors : {outputs, inputs}) {
    for (const Tensor& tensor : tensors) {
      Operand operand = operand_of(tensor);
      steps[operands] = step_along(operand, operand.rank - 1, count);
      if (operand.rank > 0) --operand.rank;
      rest[operands++] = operand;
    }
  }
  if (count == 0) return empty_rows(kernel, {rest, operands});
  TiledRun run;
  run.outputs = static_cast<int>(outputs.size());
  if (!build_around(run.loop, {rest, operands}, count, steps)) return;
  choose_tiles(run, kernel);
  if (kernel.past != nullptr && run_past(run, kernel)) return;
  if (kernel.streams && run_streamed(run, kernel)) return;
  run_with_scratch(run, kernel.ns_per_element, kernel.kernel, kernel.scratch, false);
}

}  // namespace weft::kernels
