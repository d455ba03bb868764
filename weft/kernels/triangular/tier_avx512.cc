// The avx512 tier of triangular solves.
#define WEFT_TIER_BYTES 64
#define WEFT_TIER_ROWS 8
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/triangular/tier.h"

namespace weft::kernels::triangular::avx512 {
#include "weft/kernels/triangular/tier_solve.h"
}  // namespace weft::kernels::triangular::avx512
#endif
