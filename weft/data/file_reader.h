// FileReader: a file that may be anything, read from front to back; nothing is allocated on its
// word. It is read in pieces and not mapped: a mapped file that another program shortens would end
// the process.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/data/element.h"

namespace weft::data {

// All bytes of a file. Raises [who.file].
std::string file_bytes(const std::string& path, std::string_view who);

class FileReader {
 public:
  // A file that may be packed by gzip is unpacked if it is; offsets are then of what it holds.
  enum Packed : bool { kPlain, kMayBePacked };
  FileReader(const std::string& path, std::string_view who, Packed packed = kPlain);

  int64_t offset() const { return static_cast<int64_t>(begins_at_ + begin_); }
  int64_t size() const { return static_cast<int64_t>(file_->size()); }
  bool done() const { return offset() == size(); }
  const std::string& path() const { return file_->name(); }

  void seek(int64_t offset);

  // Views are valid until the next call.

  // The next bytes that are in memory: some, unless the file is done.
  std::string_view near() {
    if (begin_ == end_) read_on();
    return {buffer_.get() + begin_, end_ - begin_};
  }
  // Brings more of them into memory; false if `near` has the last.
  bool read_on();
  // The next bytes, and the end of the file if there are not so many: [who.end].
  std::string_view take(uint64_t count);
  // The same as a uint8 tensor.
  Tensor take_tensor(uint64_t count);
  // The bytes up to the next end of a line or of the file, which is passed over.
  std::string_view take_line();
  bool next_is(std::string_view bytes) {
    while (end_ - begin_ < bytes.size() && read_on()) {
    }
    return near().starts_with(bytes);
  }
  // In the machine's order of bytes.
  template <class T>
  T number() {
    T out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }
  Shared<const Origin> origin(int64_t offset, int64_t line = -1) const {
    return new_shared<const Origin>(Origin{path(), line, offset});
  }
  [[noreturn]] void fail_file(std::string_view law, std::string_view wrong) const {
    fail(Code::kIo, who_, law, path(), ", offset ", offset(), ", ", wrong);
  }

 private:
  void require(uint64_t count);
  void pass_to_end();
  void read_at(uint64_t at, void* to, size_t count);

  std::string unpacked_;  // if it was packed
  std::unique_ptr<const ByteSource> file_;
  const std::string_view who_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0, end_ = 0;  // of what is not taken yet, in the buffer
  uint64_t begins_at_ = 0;      // where the buffer's first byte lies in the file
};

}  // namespace weft::data
