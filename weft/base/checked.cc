// The error of checked arithmetic.
#include "weft/base/checked.h"

namespace weft {

void fail_overflow(int64_t a, char sign, int64_t b) {
  fail(Code::kOverflow, "size", "overflow", a, " ", sign, " ", b,
       " does not fit in 64 bits; use smaller sizes");
}

}  // namespace weft
