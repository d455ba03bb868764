// The portable tier of attention.
#define WEFT_TIER_BYTES 16
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/attention/tier.h"

namespace weft::kernels::portable {
#include "weft/kernels/attention/tier_softmax.h"
}  // namespace weft::kernels::portable
