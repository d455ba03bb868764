// How a reduction is cut, and how rows are packed that no kernel can read.
#include "weft/kernels/reduce_plan.h"

#include <algorithm>
#include <cstdlib>

#include "weft/base/sizes.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

constexpr int64_t kPackedBytes = 512 << 10;  // of one packed unit: half of it stays in L2
constexpr int64_t kFewColumns = 4;           // so few are better packed as rows
// Of a block that caches hold few columns are taken at a time, and their 64 partial sums stay in
// L1; memory wants to be read in long pieces.
constexpr int64_t kCachedBytes = 4 << 20;
constexpr int64_t kCachedColumns = 128;

}  // namespace

ReducePlan::ReducePlan(const ReduceKernels& kernels, const Operand& in, uint32_t axes)
    : item(in.item), block(kernels.block) {
  split_dims(in, axes);
  if (empty()) return;
  blocks = ceil_div(length, block);
  choose_path(kernels);
  cut(kernels);
}

// Neighbouring dims that nest are merged; the order of both lists is kept.
void ReducePlan::split_dims(const Operand& in, uint32_t axes) {
  for (int d = 0; d < in.rank; ++d) {
    const int64_t size = in.dims[d].value(), step = in.strides[d] * item;
    const bool is_reduced = axes >> d & 1;
    (is_reduced ? length : outputs) *= size;
    if (size == 1) continue;
    if (is_reduced) {
      Reduced* const last = reduced_rank > 0 ? &reduced[reduced_rank - 1] : nullptr;
      if (last && last->in == step * size) {
        *last = {last->size * size, step};
      } else {
        reduced[reduced_rank++] = {size, step};
      }
    } else {
      Kept* const last = kept_rank > 0 ? &kept[kept_rank - 1] : nullptr;
      if (last && last->in == step * size) {
        *last = {last->size * size, step, 1};
      } else {
        kept[kept_rank++] = {size, step, 1};
      }
    }
  }
  if (kept_rank == 0) kept[kept_rank++] = {1, 0, 1};
  if (reduced_rank == 0) reduced[reduced_rank++] = {1, item};
  for (int d = kept_rank - 2; d >= 0; --d) kept[d].out = kept[d + 1].out * kept[d + 1].size;
}

void ReducePlan::choose_path(const ReduceKernels& kernels) {
  unit_dim = kept_rank - 1;
  path = Path::kPackedRows;
  if (reduced_rank > 1) return;
  if (reduced[0].in == item) {
    path = Path::kRows;
    return;
  }
  if (kernels.column == nullptr) return;
  for (int d = kept_rank - 1; d >= 0; --d) {
    if (kept[d].in != item || kept[d].size < kFewColumns) continue;
    unit_dim = d;
    path = Path::kColumns;
    return;
  }
}

// Units are a few rows or columns of one block, by the shape alone.
void ReducePlan::cut(const ReduceKernels& kernels) {
  const int64_t size = kept[unit_dim].size, count = std::min(length, block);
  switch (path) {
    case Path::kRows: {
      const double row_ns = static_cast<double>(count) * kernels.ns_per_element;
      const auto rows = static_cast<int64_t>(kTaskNs / std::max(row_ns, 1e-3));
      unit_size = blocks > 1 ? 1 : std::clamp<int64_t>(rows, 1, size);
      break;
    }
    case Path::kPackedRows:
      unit_size = std::min(size, std::clamp<int64_t>(kPackedBytes / (count * item), 8, 1024));
      break;
    case Path::kColumns: {
      const bool is_cached = count * size * item <= kCachedBytes;
      unit_size = std::min(size, is_cached ? kCachedColumns : kReduceColumns);
      // A narrow matrix is cut finer, so that the pool has something to share.
      while (unit_size > 64 && outputs * blocks < 4 * unit_size) unit_size /= 2;
      break;
    }
  }
  unit_tiles = ceil_div(size, unit_size);
  units = outputs / size * unit_tiles * blocks;
}

namespace {

// A place in the reduced index.
struct Place {
  const ReducePlan& plan;
  int64_t at[kMaxRank + 1];
  int64_t offset = 0;

  Place(const ReducePlan& plan, int64_t index) : plan(plan) {
    for (int d = plan.reduced_rank - 1; d >= 0; --d) {
      at[d] = index % plan.reduced[d].size;
      index /= plan.reduced[d].size;
      offset += at[d] * plan.reduced[d].in;
    }
  }
  // `steps` further along dim d, which may end there.
  void advance(int d, int64_t steps) {
    at[d] += steps;
    offset += steps * plan.reduced[d].in;
    for (; d > 0 && at[d] == plan.reduced[d].size; --d) {
      offset += plan.reduced[d - 1].in - at[d] * plan.reduced[d].in;
      at[d] = 0;
      ++at[d - 1];
    }
  }
};

}  // namespace

void pack_rows(const ReducePlan& plan, char* to, const char* in, int64_t rows, int64_t row_step,
               int64_t first, int64_t count) {
  const int64_t item = plan.item, pitch = count * item;
  const int inner = plan.reduced_rank - 1;
  const int64_t size = plan.reduced[inner].size, step = plan.reduced[inner].in;
  const int64_t outer_step = inner > 0 ? plan.reduced[inner - 1].in : 0;
  // Tiles of rows and the inner dim, or of the two inner dims of one row: whichever has the dim
  // with the smaller step beside the inner one, so that a transpose reads along it.
  const bool by_row = inner > 0 && (rows == 1 || std::abs(outer_step) < std::abs(row_step));
  const int64_t together = by_row ? 1 : rows;
  for (int64_t r = 0; r < rows; r += together) {
    Place place(plan, first);
    const char* const row = in + r * row_step;
    for (int64_t done = 0; done < count;) {
      char* const here = to + r * pitch + done * item;
      const int64_t left = count - done;
      if (by_row && place.at[inner] == 0 && left >= size) {
        const int64_t whole =
            std::min(plan.reduced[inner - 1].size - place.at[inner - 1], left / size);
        copy_tile({here, size * item, item}, {row + place.offset, outer_step, step}, whole, size,
                  item);
        place.advance(inner - 1, whole);
        done += whole * size;
      } else {
        const int64_t part = std::min(size - place.at[inner], left);
        copy_tile({here, pitch, item}, {row + place.offset, row_step, step}, together, part, item);
        place.advance(inner, part);
        done += part;
      }
    }
  }
}

}  // namespace weft::kernels
