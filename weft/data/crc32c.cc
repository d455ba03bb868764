// The checksums of data files, over that of base.
#include "weft/data/crc32c.h"

#include "weft/base/crc32c.h"

namespace weft::data {

uint32_t crc32c(std::string_view bytes) {
  return weft::crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace weft::data
