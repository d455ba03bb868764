// The table behind the typed ids of native kernels.
#include "weft/core/native.h"

namespace weft {

constinit NativeFunction native_functions[kMaxNatives] = {};

void fail_unbound(const char* name) {
  fail(Code::kInternal, name, "",
       "the native kernel is not bound; call kernels::bind_native() at start-up");
}

}  // namespace weft
