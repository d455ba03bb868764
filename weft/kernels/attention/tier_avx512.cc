// The avx512 tier of attention.
#define WEFT_TIER_BYTES 64
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/attention/tier.h"

namespace weft::kernels::avx512 {
#include "weft/kernels/attention/tier_softmax.h"
}  // namespace weft::kernels::avx512
#endif
