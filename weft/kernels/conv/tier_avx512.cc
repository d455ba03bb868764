// The avx512 tier of convolution.
#define WEFT_TIER_BYTES 64
#define WEFT_TIER_ROWS 14
#define WEFT_TIER_INTEGER_ROWS 8
#define WEFT_TIER_UNROLL _Pragma("GCC unroll 2")
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/conv/tier.h"

namespace weft::kernels::avx512 {
#include "weft/kernels/conv/tier_rows.h"
}  // namespace weft::kernels::avx512
#endif
