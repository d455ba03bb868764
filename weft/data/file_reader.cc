// Files mapped into memory.
#include "weft/data/file_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weft::data {

MappedFile::MappedFile(const std::string& path, std::string_view who) : path_(path) {
  const auto refuse = [&](std::string_view why) {
    fail(Code::kIo, who, "file", "cannot read ", path, ": ", why);
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(std::strerror(errno));
  struct stat info{};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(file);
    refuse("it is no file");
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (data == MAP_FAILED) refuse(std::strerror(error));
  bytes_ = {static_cast<const char*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace weft::data
