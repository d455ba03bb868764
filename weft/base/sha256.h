// SHA-256 (FIPS 180-4): a hash of bytes that is the same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

class Sha256 {
 public:
  void add(const void* data, size_t bytes);
  std::string hex();  // 64 digits; the last thing to be asked for

 private:
  void add_block(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_ = {};  // an unfinished block
  size_t pending_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace weft
