// Who is told, by thread.
#include "weft/data/wait_watch.h"

#include <utility>

namespace weft::data {
namespace {

constinit thread_local WaitWatch* newest = nullptr;

}  // namespace

WaitWatch::WaitWatch() : before_(std::exchange(newest, this)) {}
WaitWatch::~WaitWatch() {
  if (newest == this) newest = before_;  // it may end on another thread, after its own
}

Wait::Wait() noexcept : watch_(std::exchange(newest, nullptr)) {
  if (watch_ != nullptr) watch_->begins();
}
Wait::~Wait() {
  if (watch_ == nullptr) return;
  watch_->ends();
  newest = watch_;
}

}  // namespace weft::data
