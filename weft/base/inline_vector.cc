// The error for an index out of bounds, in builds that check indices.
#include "weft/base/inline_vector.h"

#include "weft/base/error.h"

namespace weft {

void fail_bounds(size_t index, size_t size) {
  fail(Code::kInternal, "list", "bounds", "element ", index, " of a list of ", size,
       " was asked for");
}

}  // namespace weft
