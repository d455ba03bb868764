// Reading and atomic writing of whole files by POSIX calls, which name the reason of a failure.
#include "weft/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "weft/base/error.h"

namespace weft {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode = 0)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() { close_now(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool close_now() {  // some file systems report a failed write only here
    if (fd_ < 0) return true;
    const int fd = fd_;
    fd_ = -1;
    return close(fd) == 0;
  }

 private:
  int fd_;
};

std::string reason(int error) { return std::generic_category().message(error); }

bool read_all(int fd, std::string& out) {
  struct stat about{};
  // Files under /proc say they have no bytes, so the size is only a hint.
  if (fstat(fd, &about) == 0 && about.st_size > 0) out.reserve(about.st_size + 1);
  for (;;) {
    const size_t old_size = out.size();
    out.resize(std::max(out.capacity(), old_size + 4096));
    const ssize_t count = read(fd, out.data() + old_size, out.size() - old_size);
    out.resize(old_size + (count > 0 ? count : 0));
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(count);
  }
  return true;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Unique among the threads and processes that may write beside it.
std::string temporary_name(const std::string& path) {
  static constinit std::atomic<uint64_t> counter{0};
  return text(path, ".tmp-", int64_t{getpid()}, "-", counter.fetch_add(1));
}

// The temporary file must get the mode that a plain write would leave.
mode_t mode_for(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? about.st_mode & 0777 : 0666;
}

// Writes a new file and makes it durable; false with errno set.
bool write_new_file(const std::string& path, std::string_view bytes, mode_t mode) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  return file.is_open() && write_all(file.get(), bytes) && fsync(file.get()) == 0 &&
         file.close_now();
}

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail(Code::kIo, "write_file", "", "cannot write '", path, "': ", reason(error),
       "; give a path in a folder that exists, can be written to and has room");
}

}  // namespace

std::optional<std::string> try_read_file(const std::string& path) {
  Descriptor file(path, O_RDONLY);
  std::string bytes;
  if (!file.is_open() || !read_all(file.get(), bytes)) return std::nullopt;
  return bytes;
}

std::string read_file(const std::string& path) {
  Descriptor file(path, O_RDONLY);
  std::string bytes;
  if (!file.is_open() || !read_all(file.get(), bytes)) {
    const int error = errno;
    fail(Code::kIo, "read_file", "", "cannot read '", path, "': ", reason(error),
         "; give the path of a file that can be read");
  }
  return bytes;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_name(path);
  if (!write_new_file(temporary, bytes, mode_for(path)) ||
      rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    fail_to_write(path, error);
  }
  // The new name lives in the folder: only its fsync makes the rename survive a power cut.
  Descriptor folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (folder.is_open() && fsync(folder.get()) != 0 && errno != EINVAL) fail_to_write(path, errno);
}

}  // namespace weft
