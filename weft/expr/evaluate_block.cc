// evaluate_block for any CPU, and the choice between the builds.
#define WEFT_BLOCK_BUILD portable
#include "weft/expr/evaluate_block.inc"

namespace weft::expr_internal {

void evaluate_block(const ExprNode& node, const void* const args[3], void* out, int n) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return avx2::evaluate_block(node, args, out, n);
#endif
  portable::evaluate_block(node, args, out, n);
}

}  // namespace weft::expr_internal
