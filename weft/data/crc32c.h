// CRC-32C (Castagnoli), the checksum of TFRecord files.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::data {

uint32_t crc32c(std::string_view bytes);
// As TFRecord stores it: rotated, so that a checksum of checksums is no special case.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace weft::data
