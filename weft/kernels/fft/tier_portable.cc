// The portable tier of the Fourier transform, and long doubles for the tables of every tier.
#define WEFT_TIER_BYTES 16
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/fft/tier.h"

namespace weft::kernels::fft::portable {
#include "weft/kernels/fft/tier_run.h"
constinit const Tier kTier{kKernels<float>, kKernels<double>};
constinit const Kernels<long double> kWide = kKernels<long double>;
}  // namespace weft::kernels::fft::portable
