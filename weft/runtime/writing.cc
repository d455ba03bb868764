// Turns: 64 locks, always taken in one order.
#include "weft/runtime/writing.h"

#include <bit>
#include <mutex>

namespace weft {
namespace {

std::recursive_mutex* turns() {
  static auto* const all = new std::recursive_mutex[64];  // for threads that outlive main
  return all;
}

}  // namespace

WrittenSet written_bit(const void* variable) {
  const auto mixed = reinterpret_cast<uintptr_t>(variable) * 0x9E3779B97F4A7C15u;
  return WrittenSet{1} << (mixed >> 58);
}

Writing::Writing(WrittenSet set) : set_(set) {
  for (WrittenSet left = set_; left != 0; left &= left - 1) turns()[std::countr_zero(left)].lock();
}

Writing::~Writing() {
  for (WrittenSet left = set_; left != 0; left &= left - 1) {
    turns()[std::countr_zero(left)].unlock();
  }
}

}  // namespace weft
