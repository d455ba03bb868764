// What apply asks of the thread it runs on.
#pragma once

#include <cstdint>

namespace weft {

class Level;

struct Context {
  Level* scope = nullptr;       // the innermost open graph scope: it takes every op
  uint32_t recording_from = 0;  // no_grad: levels below this one do not record
};
// Defined in levels.cc; constant initialisation spares the guard on every access.
extern thread_local constinit Context context;

}  // namespace weft
