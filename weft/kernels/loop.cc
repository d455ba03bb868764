// Building, sorting and merging of loop nests.
#include "weft/kernels/loop.h"

#include <cstdlib>

namespace weft::kernels {

bool Loop::build(std::span<const Operand> all) {
  operands = static_cast<int>(all.size());
  switch (operands) {
    case 2: return build_for<2>(all.data());
    case 3: return build_for<3>(all.data());
    default: return build_for<0>(all.data());
  }
}

// With a fixed number of operands (0: any) the loops over them are unrolled: small tensors feel it.
template <int kOperands>
bool Loop::build_for(const Operand* all) {
  const int count = kOperands > 0 ? kOperands : operands;
  const Operand& shape = all[0];
  int missing[kMaxOperands];  // leading axes that an operand lacks
  for (int k = 0; k < count; ++k) {
    data[k] = all[k].data;
    item[k] = all[k].item;
    missing[k] = shape.rank - all[k].rank;
  }
  rank = 0;
  bool sorted = true;
  for (int d = 0; d < shape.rank; ++d) {
    const int64_t extent = shape.dims[d].value();
    if (extent == 1) continue;
    if (extent == 0) return false;
    int64_t row[kMaxOperands];
    for (int k = 0; k < count; ++k) {
      const int own = d - missing[k];
      const bool here = own >= 0 && all[k].dims[own] == Dim(extent);
      row[k] = here ? all[k].strides[own] * item[k] : 0;
    }
    if (row[0] < 0) {
      for (int k = 0; k < count; ++k) {
        data[k] += row[k] * (extent - 1);
        row[k] = -row[k];
      }
    }
    append<kOperands>(row, extent);
    sorted = sorted && (rank < 2 || stride[rank - 2][0] >= stride[rank - 1][0]);
  }
  if (!sorted) sort_and_merge();
  return true;
}

// Adds an inner dim, into the innermost one if all strides nest.
template <int kOperands>
void Loop::append(const int64_t* row, int64_t extent) {
  const int count = kOperands > 0 ? kOperands : operands;
  bool nests = rank > 0;
  for (int k = 0; k < count && nests; ++k) nests = stride[rank - 1][k] == row[k] * extent;
  if (nests) {
    size[rank - 1] *= extent;
  } else {
    size[rank++] = extent;
  }
  for (int k = 0; k < count; ++k) stride[rank - 1][k] = row[k];
}

void Loop::sort_and_merge() {
  for (int i = 1; i < rank; ++i) {
    for (int j = i; j > 0 && stride[j - 1][0] < stride[j][0]; --j) {
      std::swap(size[j - 1], size[j]);
      std::swap_ranges(stride[j - 1], stride[j - 1] + operands, stride[j]);
    }
  }
  const int dims = rank;
  rank = 0;
  for (int d = 0; d < dims; ++d) {
    int64_t row[kMaxOperands];
    std::copy(stride[d], stride[d] + operands, row);
    append<0>(row, size[d]);
  }
}

void Loop::pad_to_two_dims() {
  for (; rank < 2; ++rank) {
    for (int d = rank; d > 0; --d) {
      size[d] = size[d - 1];
      std::copy(stride[d - 1], stride[d - 1] + operands, stride[d]);
    }
    size[0] = 1;
    std::fill(stride[0], stride[0] + operands, 0);
    // A loop of one element: its inner dim is contiguous, so that no driver thinks of packing it.
    if (rank == 0) std::copy(item, item + operands, stride[0]);
  }
}

void Loop::move_to_row_dim(int dim) {
  for (; dim < rank - 2; ++dim) {
    std::swap(size[dim], size[dim + 1]);
    std::swap_ranges(stride[dim], stride[dim] + operands, stride[dim + 1]);
  }
}

int64_t Loop::numel() const {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= size[d];
  return count;
}

int Loop::row_dim_for(int operand) const {
  int best = rank - 2;
  for (int d = rank - 2; d >= 0; --d) {
    const int64_t step = std::abs(stride[d][operand]), least = std::abs(stride[best][operand]);
    if (step != 0 && (least == 0 || step < least)) best = d;
  }
  return best;
}

Tiles Tiles::of(const Loop& loop, int64_t rows, int64_t cols) {
  Tiles t;
  const int64_t all_rows = loop.size[loop.rank - 2], all_cols = loop.size[loop.rank - 1];
  t.rows = std::min(rows, all_rows);
  t.cols = std::min(cols, all_cols);
  // One tile is the common case of small loops, which are spared the divisions.
  t.row_tiles = t.rows == all_rows ? 1 : (all_rows + t.rows - 1) / t.rows;
  t.col_tiles = t.cols == all_cols ? 1 : (all_cols + t.cols - 1) / t.cols;
  t.total = t.row_tiles * t.col_tiles;
  for (int d = 0; d < loop.rank - 2; ++d) t.total *= loop.size[d];
  return t;
}

Tiles Tiles::of_rows(const Loop& loop, int64_t area) {
  const int64_t rows = loop.size[loop.rank - 2], cols = loop.size[loop.rank - 1];
  if (rows * cols <= area) return of(loop, rows, cols);
  const int64_t width = std::min(cols, area);
  return of(loop, std::max<int64_t>(1, area / width), width);
}

Tiles Tiles::of_squares(const Loop& loop, int64_t area) {
  constexpr int64_t kSide = 64;
  const int64_t rows = loop.size[loop.rank - 2], cols = loop.size[loop.rank - 1];
  if (rows * cols <= area) return of(loop, rows, cols);
  const int64_t height = std::min(rows, std::max(kSide, area / std::min(cols, kSide)));
  return of(loop, height, std::max(kSide, area / height));
}

}  // namespace weft::kernels
