// The avx2 tier of attention.
#define WEFT_TIER_BYTES 32
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/attention/tier.h"

namespace weft::kernels::avx2 {
#include "weft/kernels/attention/tier_softmax.h"
}  // namespace weft::kernels::avx2
#endif
