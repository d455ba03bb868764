// Runs that write the same Variable take turns: what one reads and writes back, no other writes in
// between.
#pragma once

#include <cstdint>

namespace weft {

// Variables as bits, one of 64 each; two may share one.
using WrittenSet = uint64_t;
WrittenSet written_bit(const void* variable);

// Holds the turns of the set. A run inside of a run on the same thread does not wait for itself.
class Writing {
 public:
  explicit Writing(WrittenSet set);
  ~Writing();
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  const WrittenSet set_;
};

}  // namespace weft
