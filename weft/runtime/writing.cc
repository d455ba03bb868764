// Turns: 64 locks, always taken in one order.
#include "weft/runtime/writing.h"

#include <atomic>
#include <bit>
#include <mutex>

#include "weft/base/forks.h"
#include "weft/ops/random/key.h"

namespace weft {
namespace {

// Never destroyed, because threads may outlive main. A forked child gets new mutexes: the threads
// that held the old ones exist only in the parent.
std::atomic<std::recursive_mutex*> current_turns{nullptr};
std::recursive_mutex* turns() {
  [[maybe_unused]] static const bool once = [] {
    const auto renew = [] { current_turns.store(new std::recursive_mutex[64]); };
    renew();
    renew_in_children(renew);
    return true;
  }();
  return current_turns.load(std::memory_order_acquire);
}

}  // namespace

WrittenSet written_bit(const void* variable) {
  const auto mixed = reinterpret_cast<uintptr_t>(variable) * 0x9E3779B97F4A7C15u;
  return kGeneratorBit << (1 + (mixed >> 32) % 63);
}

// A thread with its own generator (random::DrawsFrom), such as a map of a dataset, does not take
// the lock of the default generator.
Writing::Writing(WrittenSet set)
    : set_(random::has_own_generator() ? set & ~kGeneratorBit : set), turns_(turns()) {
  for (WrittenSet left = set_; left != 0; left &= left - 1) turns_[std::countr_zero(left)].lock();
}

Writing::~Writing() {
  for (WrittenSet left = set_; left != 0; left &= left - 1) turns_[std::countr_zero(left)].unlock();
}

}  // namespace weft
