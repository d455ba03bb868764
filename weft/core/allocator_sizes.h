// Size classes of the allocator: multiples of 64 bytes to 256, then four to each power of two.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::allocator {

inline constexpr int64_t kAlignment = 64;
inline constexpr int64_t kSlabBytes = int64_t{1} << 21;  // a huge page
inline constexpr int64_t kMostBytes = int64_t{1} << 46;  // of one block; more than any machine has

// The class whose blocks hold `bytes`, 0 <= bytes <= kMostBytes; at most a fifth of the block is
// left over beyond 256 bytes.
constexpr int size_class(int64_t bytes) {
  if (bytes <= 256) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / kAlignment);
  const auto last = static_cast<uint64_t>(bytes - 1);
  const int power = std::bit_width(last) - 1;                     // 2^power < bytes <= 2^(power+1)
  const int quarter = static_cast<int>(last >> (power - 2)) - 4;  // which of its four
  return 4 + (power - 8) * 4 + quarter;
}

constexpr int64_t class_bytes(int size_class) {
  if (size_class < 4) return (size_class + 1) * kAlignment;
  const int power = (size_class - 4) / 4 + 8;
  return int64_t{(size_class - 4) % 4 + 5} << (power - 2);
}

inline constexpr int kNumClasses = size_class(kMostBytes) + 1;
inline constexpr int kFirstLargeClass =
    size_class(kSlabBytes);  // from here each block is a mapping
inline constexpr int kNumThreadClasses = size_class(32 << 10) + 1;  // kept by threads

}  // namespace weft::allocator
