// One node of an Expr applied to a block of elements: the exact meaning of every ExprOp.
#pragma once

#include "weft/expr/expr.h"

namespace weft::expr_internal {

// Applies a node that is not an input, a Call, a reduction or complex. Blocks are arrays of `n`
// elements in the dtype of their node (bool is a byte of 0 or 1, f16 and bf16 are their bits).
void evaluate_block(const ExprNode& node, const void* const args[3], void* out, int n);

// The two builds of it: any CPU, and AVX2 with FMA.
namespace portable {
void evaluate_block(const ExprNode& node, const void* const args[3], void* out, int n);
}
namespace avx2 {
void evaluate_block(const ExprNode& node, const void* const args[3], void* out, int n);
}

}  // namespace weft::expr_internal
