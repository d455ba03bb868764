// MapEpilogue: a generated elementwise kernel, so any Expr, run on the finished tiles of C.
#pragma once

#include <cstdint>

#include "weft/core/kernel_abi.h"
#include "weft/kernels/matmul/matmul.h"

namespace weft::kernels {

// What the Expr reads beside C: a bias, a residual, a mask, a scale. Strides count elements, may
// have any sign, and are 0 where the input is broadcast.
struct EpilogueInput {
  const void* data = nullptr;
  int64_t item = 0;  // bytes of an element: 1, 2, 4, 8 or 16
  int64_t row = 0;
  int64_t col = 0;
  const int64_t* batch = nullptr;  // a stride for each batch dim; null: the same for all matrices
  bool one_value = false;  // the kernel's variant takes one value along a row; then col is 0
};

// out = Expr(C, inputs...): the kernel has one output of C's dtype, and input 0 is C; its variant
// is 'c' for C. The kernel must not use Expr::position, since tiles come in any order. Whatever
// lies at neither stride 1 nor where the variant says is packed beside the tile.
struct MapEpilogue {
  static constexpr int64_t kMaxInputs = 6;

  MapKernel kernel = nullptr;
  int64_t item = 0;  // bytes of an element of C
  const EpilogueInput* inputs = nullptr;
  int64_t count = 0;                // of inputs
  const BatchDim* batch = nullptr;  // as in MatmulArgs
  int64_t batch_rank = 0;

  // For MatmulArgs::epilogue; valid as long as this object stays where it is.
  Epilogue hook() const { return {&MapEpilogue::apply, this}; }

 private:
  static void apply(const void* self, void* tile, int64_t batch, int64_t row0, int64_t rows,
                    int64_t col0, int64_t cols, int64_t c_row);
};

}  // namespace weft::kernels
