// Loop: the nest of dims that several operands share, made as short as their strides allow; and the
// walk over its two inner dims in tiles.
#pragma once

#include <algorithm>
#include <span>

#include "weft/kernels/operand.h"

namespace weft::kernels {

inline constexpr int kMaxOperands = 16;

struct Loop {
  int rank = 0;
  int operands = 0;
  char* data[kMaxOperands];
  int64_t item[kMaxOperands];
  int64_t size[kMaxRank + 2];                  // outermost first, none is 1
  int64_t stride[kMaxRank + 2][kMaxOperands];  // in bytes

  // Operand 0 gives the shape, the others broadcast to it. Dims of size 1 are dropped, dims that
  // nest in every operand are merged, and the dims are turned and sorted so that operand 0 runs
  // forward with its smallest stride innermost. False if there are no elements.
  bool build(std::span<const Operand> all);

  void pad_to_two_dims();         // with outer dims of size 1
  void move_to_row_dim(int dim);  // makes `dim` the one before the innermost
  int64_t numel() const;
  // The dim other than the innermost along which `operand` has its smallest stride that is not 0;
  // the row dim if there is none.
  int row_dim_for(int operand) const;

 private:
  template <int kOperands>
  bool build_for(const Operand* all);
  template <int kOperands>
  void append(const int64_t* row, int64_t count);
  void sort_and_merge();
};

// A cut of the two inner dims into tiles, and of the whole loop into numbered tiles.
struct Tiles {
  int64_t rows = 1, cols = 1;  // extents of a tile
  int64_t row_tiles = 1, col_tiles = 1, total = 1;

  // The loop has two dims or more; tiles of at most rows x cols.
  static Tiles of(const Loop& loop, int64_t rows, int64_t cols);
  // Of about `area` elements: whole rows where that fits.
  static Tiles of_rows(const Loop& loop, int64_t area);
  // Of about `area` elements, as near to squares as the dims allow: for reading across.
  static Tiles of_squares(const Loop& loop, int64_t area);
};

// Calls body(pointers, rows, cols) for the tiles begin ... end - 1 of the loop.
template <class Body>
void for_tiles(const Loop& loop, const Tiles& tiles, int64_t begin, int64_t end, Body&& body) {
  const int row_dim = loop.rank - 2, col_dim = loop.rank - 1;
  int64_t at[kMaxRank + 2];
  int64_t col_tile = 0, row_tile = 0;
  char* base[kMaxOperands];
  for (int k = 0; k < loop.operands; ++k) base[k] = loop.data[k];
  for (int d = 0; d < row_dim; ++d) at[d] = 0;
  if (begin != 0) {  // small loops begin at 0 and are spared the divisions
    col_tile = begin % tiles.col_tiles;
    row_tile = begin / tiles.col_tiles % tiles.row_tiles;
    int64_t rest = begin / (tiles.col_tiles * tiles.row_tiles);
    for (int d = row_dim - 1; d >= 0; --d) {
      at[d] = rest % loop.size[d];
      rest /= loop.size[d];
      for (int k = 0; k < loop.operands; ++k) base[k] += at[d] * loop.stride[d][k];
    }
  }
  for (int64_t tile = begin; tile < end; ++tile) {
    const int64_t row = row_tile * tiles.rows, col = col_tile * tiles.cols;
    char* pointers[kMaxOperands];
    for (int k = 0; k < loop.operands; ++k) {
      pointers[k] = base[k] + row * loop.stride[row_dim][k] + col * loop.stride[col_dim][k];
    }
    body(pointers, std::min(tiles.rows, loop.size[row_dim] - row),
         std::min(tiles.cols, loop.size[col_dim] - col));
    if (++col_tile < tiles.col_tiles) continue;
    col_tile = 0;
    if (++row_tile < tiles.row_tiles) continue;
    row_tile = 0;
    for (int d = row_dim - 1; d >= 0; --d) {
      if (++at[d] < loop.size[d]) {
        for (int k = 0; k < loop.operands; ++k) base[k] += loop.stride[d][k];
        break;
      }
      for (int k = 0; k < loop.operands; ++k) base[k] -= (at[d] - 1) * loop.stride[d][k];
      at[d] = 0;
    }
  }
}

}  // namespace weft::kernels
