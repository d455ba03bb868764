// A sort key and an index in one number, the index in the low bits.
#pragma once

#include <hwy/base.h>

#include <bit>
#include <cstdint>

namespace weft::kernels {

using Item128 = hwy::uint128_t;

template <class Item, class Bits>
Item packed_item(Bits key, int64_t index, int index_bits) {
  if constexpr (sizeof(Item) == 16) {
    return {static_cast<uint64_t>(index), static_cast<uint64_t>(key)};
  } else {
    return static_cast<Item>(static_cast<Item>(key) << index_bits | static_cast<Item>(index));
  }
}
template <class Item>
int64_t index_of(const Item& item, int index_bits) {
  if constexpr (sizeof(Item) == 16) {
    return static_cast<int64_t>(item.lo);
  } else {
    return static_cast<int64_t>(item & ((Item{1} << index_bits) - 1));
  }
}

// Calls body(Item(), index_bits) with the narrowest Item for keys of type Bits and n indices.
template <class Bits, class Body>
void with_packed_item(int64_t n, Body&& body) {
  const int index_bits = std::bit_width(static_cast<uint64_t>(n - 1));
  const int bits = index_bits + static_cast<int>(8 * sizeof(Bits));
  if constexpr (sizeof(Bits) < 4) {
    if (bits <= 32) return body(uint32_t{}, index_bits);
  }
  if constexpr (sizeof(Bits) < 8) {
    if (bits <= 64) return body(uint64_t{}, index_bits);
  }
  body(Item128{}, index_bits);
}

}  // namespace weft::kernels
