// Writes zip archives: each member, then the directory. Times are left out, so that the same
// tensors give the same bytes.
#include <zlib.h>

#include <algorithm>

#include "weft/base/error.h"
#include "weft/io/npz/little_endian.h"
#include "weft/io/npz/zip.h"

namespace weft::io {
namespace {

constexpr uint64_t kMost32 = 0xffffffff;
constexpr size_t kPiece = size_t{1} << 20;
constexpr uint16_t kUtf8 = 1 << 11, kFirstDay = 0x21;  // 1 January 1980

uint32_t in_32(uint64_t number) { return static_cast<uint32_t>(std::min(number, kMost32)); }

uint32_t crc_of(std::span<const std::span<const std::byte>> pieces) {
  uLong crc = 0;
  for (std::span<const std::byte> piece : pieces) {
    while (!piece.empty()) {
      const size_t count = std::min(piece.size(), kPiece);
      crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(count));
      piece = piece.subspan(count);
    }
  }
  return static_cast<uint32_t>(crc);
}

class Deflater {
 public:
  Deflater() {
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      fail(Code::kOutOfMemory, "save", "npz", "there is no memory left to pack with");
    }
  }
  ~Deflater() { deflateEnd(&state_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(std::span<const std::byte> piece) {
    while (!piece.empty()) {
      const size_t count = std::min(piece.size(), kPiece);
      state_.next_in =
          const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));  // it only reads
      state_.avail_in = static_cast<uInt>(count);
      run(Z_NO_FLUSH);
      piece = piece.subspan(count);
    }
  }
  std::string finish() {
    run(Z_FINISH);
    return std::move(out_);
  }

 private:
  void run(int flush) {
    char buffer[1 << 14];
    int status = Z_OK;
    do {
      state_.next_out = reinterpret_cast<Bytef*>(buffer);
      state_.avail_out = sizeof buffer;
      status = deflate(&state_, flush);
      out_.append(buffer, sizeof buffer - state_.avail_out);
    } while (state_.avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
  }
  z_stream state_{};
  std::string out_;
};

// What the heads in front of a member and in the directory share.
void append_common(std::string& out, const ZipMember& member, bool is_64) {
  append_number<uint16_t>(out, is_64 ? 45 : 20);  // the version of zip that reads it
  append_number<uint16_t>(out, kUtf8);
  append_number<uint16_t>(out, member.method);
  append_number<uint16_t>(out, 0);  // the time
  append_number<uint16_t>(out, kFirstDay);
  append_number<uint32_t>(out, member.crc);
}

// The numbers that take more than 32 bits; in front of a member both sizes are there, or none.
std::string extra_of(std::span<const uint64_t> numbers) {
  std::string out;
  if (numbers.empty()) return out;
  append_number<uint16_t>(out, 1);
  append_number<uint16_t>(out, static_cast<uint16_t>(8 * numbers.size()));
  for (const uint64_t number : numbers) append_number<uint64_t>(out, number);
  return out;
}

std::string local_head(const ZipMember& member) {
  const bool is_64 = member.size >= kMost32 || member.packed >= kMost32;
  const uint64_t sizes[] = {member.size, member.packed};
  const std::string extra = extra_of(std::span(sizes).first(is_64 ? 2 : 0));
  std::string out = "PK\x03\x04";
  append_common(out, member, is_64);
  append_number<uint32_t>(out, is_64 ? in_32(kMost32) : in_32(member.packed));
  append_number<uint32_t>(out, is_64 ? in_32(kMost32) : in_32(member.size));
  append_number<uint16_t>(out, static_cast<uint16_t>(member.name.size()));
  append_number<uint16_t>(out, static_cast<uint16_t>(extra.size()));
  return out + member.name + extra;
}

std::string directory_entry(const ZipMember& member) {
  std::vector<uint64_t> large;
  for (const uint64_t number : {member.size, member.packed, member.at}) {
    if (number >= kMost32) large.push_back(number);
  }
  const std::string extra = extra_of(large);
  std::string out = "PK\x01\x02";
  append_number<uint16_t>(out, large.empty() ? 20 : 45);
  append_common(out, member, !large.empty());
  append_number<uint32_t>(out, in_32(member.packed));
  append_number<uint32_t>(out, in_32(member.size));
  append_number<uint16_t>(out, static_cast<uint16_t>(member.name.size()));
  append_number<uint16_t>(out, static_cast<uint16_t>(extra.size()));
  append_number<uint16_t>(out, 0);  // comment
  append_number<uint16_t>(out, 0);  // disk
  append_number<uint16_t>(out, 0);  // attributes
  append_number<uint32_t>(out, 0);
  append_number<uint32_t>(out, in_32(member.at));
  return out + member.name + extra;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  to_.write(bytes);
  at_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::span<const std::byte>> pieces,
                    bool is_compressed) {
  if (name.size() > 0xffff) {
    fail(Code::kInvalid, "save", "names", "a name has ", name.size(),
         " bytes; those of a zip archive have at most 65535");
  }
  ZipMember member{.name = name, .method = kStored, .at = at_, .crc = crc_of(pieces)};
  for (const auto& piece : pieces) member.size += piece.size();
  member.packed = member.size;
  if (!is_compressed) {
    write(local_head(member));
    for (const auto& piece : pieces) write(text_in(piece));
  } else {
    Deflater deflater;
    for (const auto& piece : pieces) deflater.add(piece);
    const std::string packed = deflater.finish();
    member.method = kDeflated;
    member.packed = packed.size();
    write(local_head(member));
    write(packed);
  }
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const uint64_t begin = at_;
  for (const ZipMember& member : members_) write(directory_entry(member));
  const uint64_t size = at_ - begin, count = members_.size();
  std::string end;
  if (begin >= kMost32 || size >= kMost32 || count >= 0xffff) {
    const uint64_t end64_at = at_;
    end += "PK\x06\x06";
    append_number<uint64_t>(end, 44);
    append_number<uint16_t>(end, 45);
    append_number<uint16_t>(end, 45);
    append_number<uint64_t>(end, 0);  // disks
    append_number<uint64_t>(end, count);
    append_number<uint64_t>(end, count);
    append_number<uint64_t>(end, size);
    append_number<uint64_t>(end, begin);
    end += "PK\x06\x07";
    append_number<uint32_t>(end, 0);
    append_number<uint64_t>(end, end64_at);
    append_number<uint32_t>(end, 1);
  }
  const auto shown = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  end += "PK\x05\x06";
  append_number<uint32_t>(end, 0);  // disks
  append_number<uint16_t>(end, shown);
  append_number<uint16_t>(end, shown);
  append_number<uint32_t>(end, in_32(size));
  append_number<uint32_t>(end, in_32(begin));
  append_number<uint16_t>(end, 0);  // comment
  write(end);
}

}  // namespace weft::io
