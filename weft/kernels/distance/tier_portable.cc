// The portable tier of sums over differences.
#define WEFT_TIER_BYTES 16
#define WEFT_TIER_POINTS 1
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/distance/tier.h"

namespace weft::kernels::distance::portable {
#include "weft/kernels/distance/tier_sums.h"
}  // namespace weft::kernels::distance::portable
