// The portable tier of convolution.
#define WEFT_TIER_BYTES 16
#define WEFT_TIER_ROWS 4
#define WEFT_TIER_INTEGER_ROWS 4
#define WEFT_TIER_UNROLL _Pragma("GCC unroll 1")
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/conv/tier.h"

namespace weft::kernels::portable {
#include "weft/kernels/conv/tier_rows.h"
}  // namespace weft::kernels::portable
