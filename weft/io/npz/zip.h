// Zip archives as far as npz needs them: members stored or deflated, of any size (zip64).
#pragma once

#include <memory>

#include "weft/io/npy/npy.h"

namespace weft::io {

struct ZipMember {
  std::string name;
  uint16_t method = 0;  // kStored or kDeflated
  uint64_t at = 0;      // of its own header
  uint64_t packed = 0;  // bytes in the archive
  uint64_t size = 0;    // bytes when unpacked
  uint32_t crc = 0;     // of those, as zlib computes it
  bool is_encrypted = false;
};
inline constexpr uint16_t kStored = 0, kDeflated = 8;

// The directory of an archive, read and checked: what its members take does not exceed the file,
// nor what they unpack to the 1032 fold of that, which is the most that deflating gives.
class ZipReader {
 public:
  // Raises Error{kIo} [who.npz]. The source must outlive the reader and its streams.
  ZipReader(const ByteSource& source, std::string_view who);
  const std::vector<ZipMember>& members() const { return members_; }
  // The bytes of a member. Reading its last one raises if the checksum is another.
  std::unique_ptr<ByteStream> open(const ZipMember& member) const;

 private:
  [[noreturn]] void wrong(std::string_view what) const;
  void read_directory(std::string_view directory, uint64_t count);
  void check_sizes() const;
  const ByteSource& source_;
  const std::string who_;
  std::vector<ZipMember> members_;
};

class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& to) : to_(to) {}
  // A member whose bytes are these pieces, one after the other.
  void add(const std::string& name, std::span<const std::span<const std::byte>> pieces,
           bool is_compressed);
  void finish();  // writes the directory

 private:
  void write(std::string_view bytes);
  ByteSink& to_;
  uint64_t at_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace weft::io
