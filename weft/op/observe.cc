// The observers of this thread, the latest first.
#include "weft/op/observe.h"

#include <chrono>

#include "weft/base/error.h"
#include "weft/base/thread_local.h"
#include "weft/core/byte_count.h"
#include "weft/op/apply.h"
#include "weft/op/context.h"

namespace weft {
namespace {

WEFT_THREAD_LOCAL Observer* first = nullptr;
WEFT_THREAD_LOCAL uint32_t paused = 0;

void refresh() {
  context.is_observed = first != nullptr && paused == 0;
  refresh_special();
}

}  // namespace

Observer::~Observer() {
  WEFT_ASSERT(home_ == nullptr || home_ == &context, "an observer must end on its own thread");
  if (home_ == &context) end();
}

void Observer::begin() {
  if (home_ != nullptr) fail(Code::kInvalid, "observe", "twice", "the observer has begun already");
  home_ = &context;
  next_ = first;
  first = this;
  refresh();
}

void Observer::end() {
  if (home_ == nullptr) return;
  if (home_ != &context) {
    fail(Code::kInvalid, "observe", "thread",
         "the observer was begun on another thread; it must end there");
  }
  Observer** place = &first;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
  next_ = nullptr;
  home_ = nullptr;
  refresh();
}

Unobserved::Unobserved() {
  ++paused;
  refresh();
}

Unobserved::~Unobserved() {
  --paused;
  refresh();
}

Tensors compute_observed(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  const auto begin = std::chrono::steady_clock::now();
  Tensors out = eager_compute(op, in, attrs);
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin;
  const Observation seen{op,
                         attrs,
                         in,
                         out,
                         line_for_user(where),
                         time.count(),
                         sum_of_bytes(byte_count(in), byte_count(out))};
  const Unobserved unobserved;
  for (Observer* observer = first; observer != nullptr;) {
    Observer* const next = observer->next_;  // it may end itself
    observer->see(seen);
    observer = next;
  }
  return out;
}

}  // namespace weft
