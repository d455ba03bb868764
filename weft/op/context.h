// What apply asks of the thread it runs on.
#pragma once

#include <cstdint>

#include "weft/base/thread_local.h"

namespace weft {

class Level;

struct Context {
  Level* scope = nullptr;       // the innermost open graph scope: it takes every op
  uint32_t recording_from = 0;  // no_grad: levels below this one do not record
  uint32_t tapes = 0;           // open levels that follow Variables
};
// Defined in levels.cc; constant initialisation spares the guard on every access.
extern WEFT_THREAD_LOCAL Context context;

}  // namespace weft
