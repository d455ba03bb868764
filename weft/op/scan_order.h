// The order in which a scan combines the elements of a row; codegen, drivers and tests read it.
#pragma once

#include "weft/core/dtype.h"
#include "weft/op/kernel.h"

namespace weft {

// The dtype in which running totals are kept: wider than the result for f32 and c64, so that a
// result of a long row is the exact total, rounded once.
inline DType scan_total_of(DType result) {
  if (result == DType::kF32) return DType::kF64;
  if (result == DType::kC64) return DType::kC128;
  return compute_of(result);
}

// Rows longer than kScanBlock are cut into blocks of that length. Each block is scanned from the
// identity; its offset, the running total of the blocks before it, is then combined with each of
// its totals. Products are the exception, and go strictly from left to right: the product of a
// block may overflow where the running product is 0 or small.
inline bool scans_in_blocks(const KernelRule& rule) {
  const Expr a = Expr::input(0, DType::kF64), b = Expr::input(1, DType::kF64);
  return rule.combine(a, b)->op != ExprOp::kMul;
}

}  // namespace weft
