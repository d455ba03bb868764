// Files read in pieces.
#include "weft/data/file_reader.h"

#include <algorithm>

#include "weft/data/gzip.h"

namespace weft::data {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 16;

}  // namespace

std::string file_bytes(const std::string& path, std::string_view who) {
  const InputFile file(path, who);
  std::string out(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(out)));
  return out;
}

FileReader::FileReader(const std::string& path, std::string_view who, Packed packed)
    : file_(std::make_unique<const InputFile>(path, who)), who_(who) {
  if (packed == kPlain || !next_is(kGzipBegins)) return;
  unpacked_ = gunzipped(file_bytes(path, who), who, path);
  file_ = std::make_unique<const MemorySource>(std::as_bytes(std::span(unpacked_)), path);
  seek(0);
}

void FileReader::seek(int64_t offset) {
  if (offset < 0 || offset > size()) fail_file("offset", "is shorter than it was");
  begins_at_ = static_cast<uint64_t>(offset);
  begin_ = end_ = 0;
}

void FileReader::pass_to_end() { seek(size()); }

// What cannot be read is passed over, with all behind it.
void FileReader::read_at(uint64_t at, void* to, size_t count) {
  try {
    file_->read(at, std::span(static_cast<std::byte*>(to), count));
  } catch (const Error& error) {
    if (error.code != Code::kInterrupted) pass_to_end();
    throw;
  }
}

bool FileReader::read_on() {
  const uint64_t at = begins_at_ + end_, left = file_->size() - at;
  if (left == 0) return false;
  const size_t held = end_ - begin_;
  if (held == capacity_) {  // what is taken at once is longer: twice as much, for few copies
    const uint64_t more = std::min(std::max(kPiece, uint64_t{2} * capacity_), held + left);
    auto larger = std::make_unique_for_overwrite<char[]>(more);
    if (held > 0) std::memcpy(larger.get(), buffer_.get() + begin_, held);
    buffer_ = std::move(larger);
    capacity_ = more;
  } else if (held > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
  }
  begins_at_ += begin_;
  begin_ = 0;
  end_ = held;
  const auto count = static_cast<size_t>(std::min<uint64_t>(left, capacity_ - held));
  read_at(at, buffer_.get() + held, count);
  end_ += count;
  return true;
}

void FileReader::require(uint64_t count) {
  const int64_t at = offset(), left = size() - at;
  if (count <= static_cast<uint64_t>(left)) return;
  pass_to_end();
  fail(Code::kIo, who_, "end", path(), ", offset ", at, ", needs ", count,
       " bytes but the file ends after ", left);
}

std::string_view FileReader::take(uint64_t count) {
  require(count);
  while (end_ - begin_ < count) read_on();
  const std::string_view out(buffer_.get() + begin_, count);
  begin_ += count;
  return out;
}

Tensor FileReader::take_tensor(uint64_t count) {
  require(count);
  Tensor out = Tensor::empty(DType::kU8, Shape{static_cast<int64_t>(count)});
  auto* const to = static_cast<char*>(out.writable_data());
  if (count < kPiece) {
    const std::string_view bytes = take(count);
    if (count > 0) std::memcpy(to, bytes.data(), count);
    return out;
  }
  const size_t held = std::min<uint64_t>(count, end_ - begin_);
  if (held > 0) std::memcpy(to, buffer_.get() + begin_, held);
  const int64_t after = offset() + static_cast<int64_t>(count);
  if (held == count) {
    begin_ += count;
  } else {  // straight to its place
    read_at(begins_at_ + end_, to + held, count - held);
    seek(after);
  }
  return out;
}

std::string_view FileReader::take_line() {
  size_t searched = 0;
  while (true) {
    const std::string_view bytes = near();
    const size_t end = bytes.find('\n', searched);
    if (end != std::string_view::npos) {
      begin_ += end + 1;
      return bytes.substr(0, end);
    }
    searched = bytes.size();
    if (read_on()) continue;
    begin_ = end_;
    return bytes;
  }
}

}  // namespace weft::data
