// Which scope takes the ops of this thread, for levels that take them all and compute below.
#pragma once

#include "weft/op/context.h"

namespace weft {

// `scope` (null: none) takes every op for as long as it lives.
class ScopeIs {
 public:
  explicit ScopeIs(Level* scope) : outer_(context.scope), was_special_(context.is_special) {
    context.scope = scope;
    context.is_special = scope != nullptr || context.is_observed;
  }
  ~ScopeIs() {
    context.scope = outer_;
    context.is_special = was_special_;
  }
  ScopeIs(const ScopeIs&) = delete;
  ScopeIs& operator=(const ScopeIs&) = delete;

 private:
  Level* const outer_;
  const bool was_special_;
};

}  // namespace weft
