// Packing and unpacking of tiles.
#include "weft/kernels/tiled.h"

namespace weft::kernels {

int64_t TiledRun::buffer_bytes() const {
  int64_t item = 1;
  for (int k = 0; k < loop.operands; ++k) {
    if (is_packed(k)) item = std::max(item, loop.item[k]);
  }
  return (tiles.rows * tiles.cols + 63) / 64 * 64 * item;
}

// An input broadcast over the outer dims is packed once: the buffer remembers what it was packed
// from. Only tiles of full size are remembered.
void TiledRun::pack(char* const* at, int64_t rows, int64_t cols, Buffers& buffers, void** p,
                    int64_t* row_strides) const {
  const bool full = rows == tiles.rows && cols == tiles.cols;
  char* next = buffers.data;
  for (int k = 0; k < loop.operands; ++k) {
    if (!is_packed(k)) continue;
    char* const buffer = next;
    next += buffers.each;
    const int64_t item = loop.item[k];
    p[k] = buffer;
    row_strides[k] = cols * item;
    if (k < outputs || (full && buffers.last[k] == at[k])) continue;
    copy_tile({buffer, row_strides[k], item},
              {at[k], loop.stride[inner() - 1][k], loop.stride[inner()][k]}, rows, cols, item);
    buffers.last[k] = full ? at[k] : nullptr;
  }
}

void TiledRun::unpack(char* const* at, int64_t rows, int64_t cols, void* const* p,
                      const int64_t* row_strides) const {
  for (int k = 0; k < outputs; ++k) {
    if (!is_packed(k)) continue;
    const int64_t item = loop.item[k];
    copy_tile({at[k], loop.stride[inner() - 1][k], loop.stride[inner()][k]},
              {static_cast<const char*>(p[k]), row_strides[k], item}, rows, cols, item);
  }
}

}  // namespace weft::kernels
