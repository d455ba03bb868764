// matmul: C = A B on raw strided memory, with every bit of the result fixed by the operands alone.
//
// The meaning. For each element of C, over k ascending in the accumulator type:
//     chain = +0;  chain = fma(a[i,k], b[k,j], chain)
// A new chain begins at every k that is a multiple of 512. The element is the first chain's end,
// then the ends of the others added to it in ascending order. K = 0 gives +0. So no tiling, thread
// count, vector width, layout, batch or tier can change a bit.
//   f32, f64    accumulate in themselves
//   bf16, f16   accumulate in f32 and are rounded once, to nearest even, at the end
//   c64, c128   a step k is two fmas for each part, in this order:
//               re = fma(a.re, b.re, re), re = fma(a.im, -b.im, re);
//               im = fma(a.re, b.im, im), im = fma(a.im, b.re, im)
//   integers    wrap modulo 2^bits
//   bool        c = any over k of (a and b)
// A NaN in the result is the one quiet NaN of its dtype (0x7fc00000, 0x7ff8000000000000, 0x7fc0,
// 0x7e00). Denormals are kept.
#pragma once

#include <cstdint>

#include "weft/core/dtype.h"
#include "weft/core/node.h"

namespace weft::kernels {

// Applied once to each part of C right after it is finished, while it is in cache: bias,
// activation, residual. C's elements are already rounded to the dtype, so that the result is the
// same as that of a pass over C afterwards. Called on any thread, for disjoint parts.
struct Epilogue {
  // Element (row0 + i, col0 + j) of matrix `batch` is at tile + (i * c_row + j), 0 <= i < rows,
  // 0 <= j < cols. `batch` counts the matrices in row-major order of the batch dims.
  void (*apply)(const void* context, void* tile, int64_t batch, int64_t row0, int64_t rows,
                int64_t col0, int64_t cols, int64_t c_row);
  const void* context;
};

// One batch dim; strides in elements, 0 where an operand is broadcast.
struct BatchDim {
  int64_t size = 1;
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

// A is [m, k], B is [k, n], C is [m, n]; strides in elements, of any sign, or 0 (A and B only).
struct MatmulArgs {
  DType dtype = DType::kF32;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const void* a = nullptr;
  int64_t a_row = 0;
  int64_t a_col = 1;
  const void* b = nullptr;
  int64_t b_row = 0;
  int64_t b_col = 1;
  void* c = nullptr;                // overlaps neither A nor B
  int64_t c_row = 0;                // the columns of C are contiguous
  const BatchDim* batch = nullptr;  // outermost first
  int64_t batch_rank = 0;
  const Epilogue* epilogue = nullptr;
  Buffer* b_keeper = nullptr;  // B's buffer, if a packed copy of B may be kept there (kept_copy.h)
};

// Raises kOutOfMemory if the room for packing cannot be had. Runs in the thread pool.
void matmul(const MatmulArgs& args);

}  // namespace weft::kernels
