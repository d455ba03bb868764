// StreamedRows: kernels whose results are too large for the caches, row by row through buffers.
//
// A kernel writes its row into a buffer in L1; from there it goes past the caches, which spares
// reading every line before it is overwritten, while what the next row reads is asked for. Only for
// kernels that wait for memory: others compute while their stores drain, and here they cannot.
#pragma once

#include "weft/core/kernel_abi.h"
#include "weft/kernels/loop.h"

namespace weft::kernels {

// Operands that together have more bytes do not stay in the last cache.
inline constexpr int64_t kStreamedBytes = int64_t{32} << 20;

struct StreamedRows {
  static constexpr int64_t kBufferBytes = 16384;  // for all outputs of a row: half of L1

  MapKernel kernel = nullptr;
  int64_t length = 0;  // elements of a row
  int64_t count = 0;   // elements of all rows: the last one may be shorter
  int outputs = 0, operands = 0;
  uint32_t in_place = 0;            // bit k: output k is written where it belongs
  void* p[kMaxOperands] = {};       // outputs, inputs, scratch
  int64_t step[kMaxOperands] = {};  // bytes from row to row
  int64_t item[kMaxOperands] = {};  // bytes of an element; 0 if rows are not read along

  // Whether the outputs of a row fit into the buffers.
  bool fits() const;
  // Rows begin ... end - 1.
  void run(int64_t begin, int64_t end) const;
};

}  // namespace weft::kernels
