// The avx512 tier of sums over differences.
#define WEFT_TIER_BYTES 64
#define WEFT_TIER_POINTS 3
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/distance/tier.h"

namespace weft::kernels::distance::avx512 {
#include "weft/kernels/distance/tier_sums.h"
}  // namespace weft::kernels::distance::avx512
#endif
