// evaluate_block for CPUs with AVX2 and FMA (CMake sets the flags of this file).
#if defined(__x86_64__)
#define WEFT_BLOCK_BUILD avx2
#include "weft/expr/evaluate_block.inc"
#endif
