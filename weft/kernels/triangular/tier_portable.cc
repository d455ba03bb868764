// The portable tier of triangular solves.
#define WEFT_TIER_BYTES 16
#define WEFT_TIER_ROWS 4
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/kernels/triangular/tier.h"

namespace weft::kernels::triangular::portable {
#include "weft/kernels/triangular/tier_solve.h"
}  // namespace weft::kernels::triangular::portable
