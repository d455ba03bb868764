// FileReader: a file that may be anything, read from front to back; nothing is allocated on its
// word.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "weft/base/error.h"
#include "weft/data/element.h"

namespace weft::data {

// The bytes of a file, mapped into memory.
class MappedFile {
 public:
  MappedFile(const std::string& path, std::string_view who);  // raises [who.file]
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  std::string_view bytes_;
};

class FileReader {
 public:
  FileReader(const std::string& path, std::string_view who)
      : file_(std::make_shared<MappedFile>(path, who)), who_(who) {}
  FileReader(std::shared_ptr<const MappedFile> file, std::string_view who)
      : file_(std::move(file)), who_(who) {}

  int64_t offset() const { return static_cast<int64_t>(offset_); }
  int64_t size() const { return static_cast<int64_t>(file_->bytes().size()); }
  bool done() const { return offset_ == file_->bytes().size(); }
  std::string_view rest() const { return file_->bytes().substr(offset_); }
  const std::string& path() const { return file_->path(); }
  // The file for those who keep views of its bytes.
  const std::shared_ptr<const MappedFile>& file() const { return file_; }

  void seek(int64_t offset) {
    if (offset < 0 || offset > size()) fail_file("offset", "is shorter than it was");
    offset_ = static_cast<size_t>(offset);
  }
  // The next bytes, and the end of the file if there are not so many: [who.end].
  std::string_view take(uint64_t count) {
    if (count > file_->bytes().size() - offset_) {
      const int64_t at = offset();
      offset_ = file_->bytes().size();
      fail(Code::kIo, who_, "end", path(), ", offset ", at, ", needs ", count,
           " bytes but the file ends after ", size() - at);
    }
    const std::string_view out = file_->bytes().substr(offset_, count);
    offset_ += count;
    return out;
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
  std::shared_ptr<const MappedFile> file_;
  std::string_view who_;
  size_t offset_ = 0;
};

}  // namespace weft::data
