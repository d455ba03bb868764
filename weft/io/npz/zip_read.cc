// Reads the directory of a zip archive, and its members
// (pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
#include <zlib.h>

#include <algorithm>

#include "weft/base/error.h"
#include "weft/io/npz/little_endian.h"
#include "weft/io/npz/zip.h"

namespace weft::io {
namespace {

constexpr uint64_t kMostRatio = 1032;   // of deflating: 258 bytes of 2 bits
constexpr uint32_t kIn64 = 0xffffffff;  // the number is in the extra field of zip64

std::string read_text(const ByteSource& source, uint64_t at, uint64_t size) {
  std::string out(size, '\0');
  source.read(at, std::as_writable_bytes(std::span(out)));
  return out;
}

// What a member unpacks to, its checksum compared at the end.
class MemberStream : public ByteStream {
 public:
  MemberStream(const ByteSource& source, uint64_t at, const ZipMember& member, std::string_view who)
      : source_(source),
        at_(at),
        end_(at + member.packed),
        left_(member.size),
        crc_wanted_(member.crc),
        who_(who),
        name_(text(source.name(), ": ", member.name)) {}
  uint64_t left() const override { return left_; }
  const std::string& name() const override { return name_; }
  void read(std::span<std::byte> to) final {
    if (to.size() > left_) wrong(text("has ", left_, " bytes where ", to.size(), " are needed"));
    fill(to);
    for (size_t at = 0; at < to.size();) {
      const size_t count = std::min<size_t>(to.size() - at, size_t{1} << 30);
      crc_ = static_cast<uint32_t>(
          ::crc32(crc_, reinterpret_cast<const Bytef*>(to.data() + at), static_cast<uInt>(count)));
      at += count;
    }
    left_ -= to.size();
    if (left_ == 0 && crc_ != crc_wanted_) {
      wrong(text("has the checksum ", crc_, " where ", crc_wanted_, " was written"));
    }
  }

 protected:
  virtual void fill(std::span<std::byte> to) = 0;
  [[noreturn]] void wrong(std::string_view what) const {
    fail(Code::kIo, who_, "npz", "'", name_, "' ", what, "; it is damaged");
  }
  const ByteSource& source_;
  uint64_t at_;
  const uint64_t end_;

 private:
  uint64_t left_;
  const uint32_t crc_wanted_;
  uint32_t crc_ = 0;
  const std::string who_, name_;
};

class StoredStream final : public MemberStream {
 public:
  using MemberStream::MemberStream;

 private:
  void fill(std::span<std::byte> to) override {
    source_.read(at_, to);
    at_ += to.size();
  }
};

class InflatedStream final : public MemberStream {
 public:
  InflatedStream(const ByteSource& source, uint64_t at, const ZipMember& member,
                 std::string_view who)
      : MemberStream(source, at, member, who), packed_(std::min<uint64_t>(kPiece, member.packed)) {
    if (inflateInit2(&state_, -MAX_WBITS) != Z_OK) {
      fail(Code::kOutOfMemory, who, "npz", "there is no memory left to unpack with");
    }
  }
  ~InflatedStream() override { inflateEnd(&state_); }

 private:
  static constexpr uint64_t kPiece = uint64_t{1} << 16;

  void fill(std::span<std::byte> to) override {
    while (!to.empty()) {
      if (state_.avail_in == 0) next_piece();
      const auto room = static_cast<uInt>(std::min<size_t>(to.size(), size_t{1} << 30));
      state_.next_out = reinterpret_cast<Bytef*>(to.data());
      state_.avail_out = room;
      const int status = inflate(&state_, Z_NO_FLUSH);
      const size_t made = room - state_.avail_out;
      to = to.subspan(made);
      const bool is_stuck = made == 0 && state_.avail_in == 0 && at_ == end_;
      if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) ||
          (status == Z_STREAM_END && !to.empty()) || is_stuck) {
        wrong("cannot be unpacked");
      }
    }
  }

  void next_piece() {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kPiece, end_ - at_));
    source_.read(at_, std::span(packed_).first(count));
    at_ += count;
    state_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    state_.avail_in = static_cast<uInt>(count);
  }

  std::vector<std::byte> packed_;
  z_stream state_{};
};

struct Directory {
  uint64_t at = 0, size = 0, count = 0;
};

// The end of the archive says where its directory is. A comment may follow it.
std::optional<Directory> find_directory(const ByteSource& source) {
  constexpr uint64_t kEnd = 22, kLocator = 20, kEnd64 = 56, kMostComment = 65535;
  const uint64_t tail_size = std::min(source.size(), kEnd + kMostComment);
  const uint64_t tail_at = source.size() - tail_size;
  const std::string tail = read_text(source, tail_at, tail_size);
  const size_t found = tail.rfind("PK\x05\x06");
  if (found == std::string::npos || tail.size() - found < kEnd) return std::nullopt;
  Directory out{number_at<uint32_t>(tail, found + 16), number_at<uint32_t>(tail, found + 12),
                number_at<uint16_t>(tail, found + 10)};
  const uint64_t end_at = tail_at + found;
  if ((out.at == kIn64 || out.size == kIn64 || out.count == 0xffff) && end_at >= kLocator) {
    const std::string locator = read_text(source, end_at - kLocator, kLocator);
    if (locator.starts_with("PK\x06\x07")) {
      const auto at = number_at<uint64_t>(locator, 8);
      if (at > source.size() || source.size() - at < kEnd64) return std::nullopt;
      const std::string end = read_text(source, at, kEnd64);
      if (!end.starts_with("PK\x06\x06")) return std::nullopt;
      out = {number_at<uint64_t>(end, 48), number_at<uint64_t>(end, 40),
             number_at<uint64_t>(end, 32)};
    }
  }
  if (out.at > source.size() || out.size > source.size() - out.at) return std::nullopt;
  return out;
}

// Numbers that did not fit are in the extra field 1, in this order, those that fit left out.
bool read_zip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = number_at<uint16_t>(extra, 0);
    const size_t size = number_at<uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return false;
    if (id == 1) {
      std::string_view field = extra.substr(0, size);
      for (uint64_t* const number : {&member.size, &member.packed, &member.at}) {
        if (*number != kIn64) continue;
        if (field.size() < 8) return false;
        *number = number_at<uint64_t>(field, 0);
        field.remove_prefix(8);
      }
      return true;
    }
    extra.remove_prefix(size);
  }
  return true;
}

}  // namespace

void ZipReader::wrong(std::string_view what) const {
  fail(Code::kIo, who_, "npz", "'", source_.name(), "' ", what, "; it is damaged, or no npz file");
}

ZipReader::ZipReader(const ByteSource& source, std::string_view who) : source_(source), who_(who) {
  const std::optional<Directory> directory = find_directory(source);
  if (!directory) wrong("has no directory of its members");
  read_directory(read_text(source, directory->at, directory->size), directory->count);
  check_sizes();
}

void ZipReader::read_directory(std::string_view directory, uint64_t count) {
  constexpr size_t kHead = 46;
  while (directory.size() >= kHead && directory.starts_with("PK\x01\x02")) {
    const size_t name = number_at<uint16_t>(directory, 28);
    const size_t extra = number_at<uint16_t>(directory, 30);
    const size_t comment = number_at<uint16_t>(directory, 32);
    if (directory.size() - kHead < name + extra + comment) break;
    ZipMember member{
        std::string(directory.substr(kHead, name)),  number_at<uint16_t>(directory, 10),
        number_at<uint32_t>(directory, 42),          number_at<uint32_t>(directory, 20),
        number_at<uint32_t>(directory, 24),          number_at<uint32_t>(directory, 16),
        (number_at<uint16_t>(directory, 8) & 1) != 0};
    if (!read_zip64(directory.substr(kHead + name, extra), member)) break;
    members_.push_back(std::move(member));
    directory.remove_prefix(kHead + name + extra + comment);
  }
  if (members_.size() != count) {
    wrong(text("has ", members_.size(), " members in its directory, which says ", count));
  }
}

void ZipReader::check_sizes() const {
  uint64_t total = 0;
  for (const ZipMember& member : members_) {
    if (member.packed > source_.size() - total) {
      wrong(text("has members of more bytes than its own ", source_.size()));
    }
    total += member.packed;
    const bool is_stored = member.method == kStored;
    if (is_stored ? member.size != member.packed : member.size / kMostRatio > member.packed) {
      wrong(text("says that '", member.name, "' unpacks from ", member.packed, " to ", member.size,
                 " bytes"));
    }
  }
}

std::unique_ptr<ByteStream> ZipReader::open(const ZipMember& member) const {
  constexpr uint64_t kHead = 30;
  if (member.is_encrypted || (member.method != kStored && member.method != kDeflated)) {
    wrong(text("has '", member.name, "' packed in another way than stored or deflated"));
  }
  if (member.at > source_.size() || source_.size() - member.at < kHead) {
    wrong(text("has no '", member.name, "' at byte ", member.at));
  }
  const std::string head = read_text(source_, member.at, kHead);
  const uint64_t at =
      member.at + kHead + number_at<uint16_t>(head, 26) + uint64_t{number_at<uint16_t>(head, 28)};
  if (!head.starts_with("PK\x03\x04") || at > source_.size() ||
      member.packed > source_.size() - at) {
    wrong(text("has no '", member.name, "' at byte ", member.at));
  }
  if (member.method == kStored) {
    return std::make_unique<StoredStream>(source_, at, member, who_);
  }
  return std::make_unique<InflatedStream>(source_, at, member, who_);
}

}  // namespace weft::io
