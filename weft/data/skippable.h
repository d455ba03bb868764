// Skippable: numbers of elements that can be left out without reading them one by one.
#pragma once

#include "weft/base/thread_pool.h"
#include "weft/data/node.h"

namespace weft::data {

// What Indices may be besides.
class Skippable {
 public:
  virtual ~Skippable() = default;
  // Leaves out the next `count` numbers, or as many as there are; returns how many it left out.
  virtual int64_t skip(int64_t count) = 0;
};

// The same for any input.
inline int64_t skip_of(Indices& input, int64_t count) {
  if (auto* const skippable = dynamic_cast<Skippable*>(&input)) return skippable->skip(count);
  constexpr int64_t kBetweenPolls = 1 << 16;
  int64_t skipped = 0;
  for (int64_t index = 0; skipped < count && input.next(index); ++skipped) {
    if (skipped % kBetweenPolls == 0) poll_interrupt();
  }
  return skipped;
}
inline int64_t skip_of(Cursor& input, int64_t count) {
  Element element;
  int64_t skipped = 0;
  for (; skipped < count && input.next(element); ++skipped) poll_interrupt();
  return skipped;
}

}  // namespace weft::data
