// ReducePlan: a reduction as kept and reduced dims, cut into units for the pool.
#pragma once

#include "weft/kernels/reduce.h"

namespace weft::kernels {

struct ReducePlan {
  struct Kept {
    int64_t size, in;  // bytes between neighbours in the input
    int64_t out;       // outputs between neighbours
  };
  struct Reduced {
    int64_t size, in;
  };
  enum class Path : uint8_t { kRows, kColumns, kPackedRows };

  int kept_rank = 0, reduced_rank = 0;
  Kept kept[kMaxRank + 1];        // in the order of the outputs; at least one
  Reduced reduced[kMaxRank + 1];  // in logical order; at least one
  int64_t item = 0;
  int64_t outputs = 1, length = 1, blocks = 1, block = 0;

  Path path = Path::kRows;
  int unit_dim = 0;       // the kept dim that units are cut from: rows or columns
  int64_t unit_size = 1;  // how many of it are in one unit
  int64_t unit_tiles = 1, units = 1;

  ReducePlan(const ReduceKernels& kernels, const Operand& in, uint32_t axes);

  bool empty() const { return outputs == 0 || length == 0; }
  int64_t block_length(int64_t b) const { return std::min(block, length - b * block); }

 private:
  void split_dims(const Operand& in, uint32_t axes);
  void choose_path(const ReduceKernels& kernels);
  void cut(const ReduceKernels& kernels);
};

// Elements [first, first + count) of the reduced index of `rows` neighbouring rows, packed so that
// each row is contiguous. `in` is element 0 of the first row, `row_step` the bytes to the next.
void pack_rows(const ReducePlan& plan, char* to, const char* in, int64_t rows, int64_t row_step,
               int64_t first, int64_t count);

}  // namespace weft::kernels
