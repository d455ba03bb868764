// Random changes of texts, the same for the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::fuzz {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(next() % n); }

 private:
  uint64_t state_;
};

// A text made of those in `corpus`: changed a little, spliced, nested deep, or made up.
std::string made_text(const std::vector<std::string>& corpus, Random& random);

// A file made of those in `corpus`: bits, bytes, numbers and pieces changed, cut off or made up.
std::string changed_file(const std::vector<std::string>& corpus, Random& random);

}  // namespace weft::fuzz
