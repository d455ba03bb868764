// The checksum of TFRecord files.
#pragma once

#include "weft/base/crc32c.h"

namespace weft::data {

// CRC-32C, rotated, so that a checksum of checksums is no special case.
inline uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace weft::data
