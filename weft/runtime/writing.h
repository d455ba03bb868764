// Runs that write the same Variable take turns: what one reads and writes back, no other writes in
// between.
#pragma once

#include <cstdint>
#include <mutex>

namespace weft {

// A set of written state, as bits: one for the default generator, and 63 that Variables are hashed
// to.
using WrittenSet = uint64_t;
inline constexpr WrittenSet kGeneratorBit = 1;
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
  std::recursive_mutex* const turns_;
};

}  // namespace weft
