// Which scope takes the ops of this thread, for levels that take them all and compute below.
#pragma once

#include "weft/core/dim.h"
#include "weft/op/followed.h"
#include "weft/op/levels.h"

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

// While it lives, hides the levels that are open on this thread (graphs, tapes, transformations):
// ops compute eagerly, Variables are read and written, and keys are drawn, as on a thread without
// open levels. For a session's run and a dataset's function.
class OutsideLevels {
 public:
  OutsideLevels();
  ~OutsideLevels();
  OutsideLevels(const OutsideLevels&) = delete;
  OutsideLevels& operator=(const OutsideLevels&) = delete;

 private:
  const size_t outer_hidden_;
  const uint32_t outer_tapes_;
  const ScopeIs no_scope_{nullptr};
  const Unfollowed unfollowed_;
  const NoGrad not_recorded_;
  const DimOracleIs no_oracle_{nullptr};
};

}  // namespace weft
