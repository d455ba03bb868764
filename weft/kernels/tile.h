// Copies of one two-dimensional tile, on one thread: rows, transposes, spreads and any strides.
#pragma once

#include <cstdint>

namespace weft::kernels {

// Where a tile lies: element (r, c) is at data + r * row + c * col bytes.
struct TileTarget {
  char* data;
  int64_t row, col;
};
struct TileSource {
  const char* data;
  int64_t row, col;
};

// item is 1, 2, 4, 8 or 16 bytes; the two do not overlap.
void copy_tile(TileTarget to, TileSource from, int64_t rows, int64_t cols, int64_t item);

// Fills `count` items with the one at `value`.
void fill_items(char* to, const char* value, int64_t count, int64_t item);

}  // namespace weft::kernels
