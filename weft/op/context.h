// What apply asks of the thread it runs on.
#pragma once

#include <cstdint>

#include "weft/base/thread_local.h"
#include "weft/base/where.h"

namespace weft {

class Level;
struct Followed;

struct ThreadContext {
  Level* scope = nullptr;        // the innermost open graph scope: it takes every op
  uint32_t recording_from = 0;   // no_grad: levels below this one do not record
  uint32_t tapes = 0;            // open levels that follow Variables
  Where caller;                  // inside a composite or a backward rule: the user's line
  bool is_observed = false;      // an observer sees every op
  Followed* followed = nullptr;  // what is read and drawn, while a graph of layers is made
  bool is_special = false;       // one of these is there: no short cuts
};
// Defined in levels.cc; constant initialisation spares the guard on every access.
extern WEFT_THREAD_LOCAL ThreadContext context;

// After a change of what makes it special.
inline void refresh_special() {
  context.is_special =
      context.scope != nullptr || context.is_observed || context.followed != nullptr;
}

// Ops that run while it lives were called from that line, as far as the user can see.
class CalledFrom {
 public:
  explicit CalledFrom(Where where) : outer_(context.caller) {
    if (!outer_.known()) context.caller = where;
  }
  ~CalledFrom() { context.caller = outer_; }
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;

 private:
  Where outer_;
};
inline Where line_for_user(Where where) { return context.caller.known() ? context.caller : where; }

}  // namespace weft
