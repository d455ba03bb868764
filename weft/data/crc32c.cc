// CRC-32C by tables of eight bytes at once, and by the CPU's own instruction where it has one.
#include "weft/data/crc32c.h"

#include <array>
#include <cstring>

namespace weft::data {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78u;  // reflected

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables out{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? kPolynomial : 0);
    out[0][i] = value;
  }
  for (size_t t = 1; t < 8; ++t) {
    for (size_t i = 0; i < 256; ++i) {
      out[t][i] = out[t - 1][i] >> 8 ^ out[0][out[t - 1][i] & 255];
    }
  }
  return out;
}
constexpr Tables kTables = make_tables();

uint32_t by_tables(uint32_t crc, const char* at, size_t count) {
  for (; count >= 8; count -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][word >> 8 * i & 255];
  }
  for (; count > 0; --count, ++at) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 255];
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const char* at,
                                                          size_t count) {
  uint64_t wide = crc;
  for (; count >= 8; count -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; count > 0; --count, ++at) {
    crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(*at));
  }
  return crc;
}
#endif

}  // namespace

uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~by_instruction(~0u, bytes.data(), bytes.size());
#endif
  return ~by_tables(~0u, bytes.data(), bytes.size());
}

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

}  // namespace weft::data
