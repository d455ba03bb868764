// The avx512 tier of the Fourier transform.
#define WEFT_TIER_BYTES 64
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/fft/tier.h"

namespace weft::kernels::fft::avx512 {
#include "weft/kernels/fft/tier_run.h"
constinit const Tier kTier{kKernels<float>, kKernels<double>};
}  // namespace weft::kernels::fft::avx512
#endif
