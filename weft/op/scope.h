// Which scope takes the ops of this thread, for levels that take them all and compute below.
#pragma once

#include "weft/op/context.h"

namespace weft {

// `scope` (null: none) takes every op for as long as it lives.
class ScopeIs {
 public:
  explicit ScopeIs(Level* scope) : outer_(context.scope) {
    context.scope = scope;
    refresh_special();
  }
  ~ScopeIs() {
    context.scope = outer_;
    refresh_special();
  }
  ScopeIs(const ScopeIs&) = delete;
  ScopeIs& operator=(const ScopeIs&) = delete;

 private:
  Level* const outer_;
};

}  // namespace weft
