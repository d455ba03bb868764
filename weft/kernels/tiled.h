// TiledRun: walks a loop in tiles, with operands that a kernel cannot read packed into buffers.
#pragma once

#include <optional>

#include "weft/kernels/loop.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {

inline constexpr int64_t kNoStrides[kMaxOperands] = {};
inline constexpr double kPackNs = 0.6;  // for one element of one operand

struct TiledRun {
  Loop loop;  // two dims or more
  Tiles tiles;
  int outputs = 1;             // the first operands; the others are inputs
  uint32_t packed = 0;         // bit k: operand k goes through a buffer
  bool whole = false;          // tiles are contiguous as a whole: one row for the kernel
  bool uses_position = false;  // operand 0 is contiguous

  int inner() const { return loop.rank - 1; }
  bool is_packed(int operand) const { return packed >> operand & 1; }
  int packed_count() const {
    int count = 0;
    for (uint32_t rest = packed; rest != 0; rest &= rest - 1) ++count;
    return count;
  }

  // Calls kernel(p, row_strides, n, rows, position), as a MapKernel, for tiles begin ... end - 1.
  template <class Kernel>
  void run(int64_t begin, int64_t end, Kernel&& kernel) const;

 private:
  struct Buffers {
    char* data;
    int64_t each;                    // bytes for one operand
    const char* last[kMaxOperands];  // what each was packed from
  };
  void pack(char* const* at, int64_t rows, int64_t cols, Buffers& buffers, void** p,
            int64_t* row_strides) const;
  void unpack(char* const* at, int64_t rows, int64_t cols, void* const* p,
              const int64_t* row_strides) const;
  int64_t buffer_bytes() const;
};

template <class Kernel>
void TiledRun::run(int64_t begin, int64_t end, Kernel&& kernel) const {
  alignas(64) char small[4096];
  std::optional<Scratch> scratch;
  Buffers buffers;
  if (packed != 0) {
    buffers.each = buffer_bytes();
    const int64_t bytes = buffers.each * packed_count();
    const bool fits = bytes <= static_cast<int64_t>(sizeof(small));
    buffers.data = fits ? small : scratch.emplace(bytes).data();
    for (int k = 0; k < loop.operands; ++k) buffers.last[k] = nullptr;
  }
  for_tiles(loop, tiles, begin, end, [&](char* const* at, int64_t rows, int64_t cols) {
    void* p[kMaxOperands];
    int64_t row_strides[kMaxOperands];
    for (int k = 0; k < loop.operands; ++k) {
      p[k] = at[k];
      row_strides[k] = loop.stride[inner() - 1][k];
    }
    if (packed != 0) pack(at, rows, cols, buffers, p, row_strides);
    uint64_t position = 0;
    if (uses_position) position = static_cast<uint64_t>((at[0] - loop.data[0]) / loop.item[0]);
    // A whole tile has one row, whose strides do not matter.
    kernel(p, row_strides, whole ? rows * cols : cols, whole ? int64_t{1} : rows, position);
    if (packed & ((1u << outputs) - 1)) unpack(at, rows, cols, p, row_strides);
  });
}

}  // namespace weft::kernels
