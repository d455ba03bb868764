// CRC-32C by instruction and by table.
#include "weft/base/crc32c.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace weft {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed

// kTables[k][b]: what byte b contributes when k more bytes follow it.
constexpr std::array<std::array<uint32_t, 256>, 8> make_tables() {
  std::array<std::array<uint32_t, 256>, 8> out{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    out[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) out[k][b] = (out[k - 1][b] >> 8) ^ out[0][out[k - 1][b] & 255];
  }
  return out;
}
constexpr auto kTables = make_tables();

uint64_t word_at(const std::byte* at) {
  uint64_t out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t instruction_crc32c(std::span<const std::byte> bytes,
                                                              uint32_t before) {
  uint64_t crc = ~before;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) crc = __builtin_ia32_crc32di(crc, word_at(at));
  auto tail = static_cast<uint32_t>(crc);
  for (; left > 0; ++at, --left) {
    tail = __builtin_ia32_crc32qi(tail, static_cast<unsigned char>(*at));
  }
  return ~tail;
}
bool has_instruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#else
uint32_t instruction_crc32c(std::span<const std::byte> bytes, uint32_t before) {
  return portable_crc32c(bytes, before);
}
bool has_instruction() { return false; }
#endif

}  // namespace

uint32_t portable_crc32c(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const uint64_t word = word_at(at) ^ crc;  // little-endian, as the machines we run on
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 255];
  }
  for (; left > 0; ++at, --left) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint32_t>(*at)) & 255];
  }
  return ~crc;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  return has_instruction() ? instruction_crc32c(bytes, before) : portable_crc32c(bytes, before);
}

uint32_t crc32c(const ByteSource& source) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  std::vector<std::byte> piece(std::min(kPiece, source.size()));
  uint32_t crc = 0;
  for (uint64_t at = 0; at < source.size();) {
    const uint64_t count = std::min(kPiece, source.size() - at);
    source.read(at, std::span(piece).first(count));
    crc = crc32c(std::span<const std::byte>(piece).first(count), crc);
    at += count;
  }
  return crc;
}

// In pieces, because the sink polls for Ctrl-C at each.
void ChecksumSink::write(std::span<const std::byte> bytes) {
  constexpr size_t kPiece = size_t{16} << 20;
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(kPiece, bytes.size()));
    to_.write(piece);
    crc_ = crc32c(piece, crc_);
    size_ += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

std::string crc_text(uint32_t crc) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(8, '0');
  for (size_t i = 0; i < 8; ++i) out[i] = kDigits[(crc >> (28 - 4 * i)) & 15];
  return out;
}

}  // namespace weft
