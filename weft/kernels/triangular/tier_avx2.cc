// The avx2 tier of triangular solves.
#define WEFT_TIER_BYTES 32
#define WEFT_TIER_ROWS 4
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/triangular/tier.h"

namespace weft::kernels::triangular::avx2 {
#include "weft/kernels/triangular/tier_solve.h"
}  // namespace weft::kernels::triangular::avx2
#endif
