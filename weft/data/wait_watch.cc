// Who is told, by thread.
#include "weft/data/wait_watch.h"

#include <utility>

namespace weft::data {
namespace {

constinit thread_local WaitWatch* newest = nullptr;

}  // namespace

WaitWatch::WaitWatch() : before_(std::exchange(newest, this)) {}
WaitWatch::~WaitWatch() {
  if (told_ != nullptr) {  // it ends within a wait
    told_->watch_ = nullptr;
    told_->next_ = before_;
  }
  if (newest == this) newest = before_;  // it may end on another thread, after its own
}

Wait::Wait() noexcept : watch_(std::exchange(newest, nullptr)), next_(watch_) {
  if (watch_ == nullptr) return;
  watch_->told_ = this;
  watch_->begins();
}
Wait::~Wait() {
  if (watch_ != nullptr) {
    watch_->ends();
    watch_->told_ = nullptr;
  }
  if (newest == nullptr) newest = next_;  // else one has begun within it
}

}  // namespace weft::data
