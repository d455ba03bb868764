// CRC-32C (Castagnoli), the checksum of iSCSI and ext4: by the CPU's own instruction where it has
// one.
#pragma once

#include "weft/base/bytes.h"

namespace weft {

// Of one piece after another: crc32c(b, crc32c(a)) is that of both.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
// By table, as on CPUs without the instruction.
uint32_t portable_crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
// Of all of a source.
uint32_t crc32c(const ByteSource& source);

// Eight hexadecimal digits.
std::string crc_text(uint32_t crc);

// Hands bytes on and keeps their count and checksum.
class ChecksumSink final : public ByteSink {
 public:
  explicit ChecksumSink(ByteSink& to) : to_(to) {}
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override;
  uint32_t crc() const { return crc_; }
  uint64_t size() const { return size_; }

 private:
  ByteSink& to_;
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

}  // namespace weft
