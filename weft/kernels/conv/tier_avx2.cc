// The avx2 tier of convolution.
#define WEFT_TIER_BYTES 32
#define WEFT_TIER_ROWS 6
#define WEFT_TIER_INTEGER_ROWS 4
#define WEFT_TIER_UNROLL _Pragma("GCC unroll 4")
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/conv/tier.h"

namespace weft::kernels::avx2 {
#include "weft/kernels/conv/tier_rows.h"
}  // namespace weft::kernels::avx2
#endif
