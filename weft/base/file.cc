// Reading and atomic writing of whole files by POSIX calls, which name the reason of a failure.
#include "weft/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>

#include "weft/base/error.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/run_apart.h"
#include "weft/base/thread_pool.h"

namespace weft {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// The most bytes of one system call: Ctrl-C is polled between calls. When memory is full of what a
// slow disk has yet to write, a call takes as long as the disk needs for as many bytes.
constexpr size_t kPiece = size_t{1} << 20;

bool read_all(int fd, std::string& out) {
  struct stat about{};
  // Files under /proc say they have no bytes, so the size is only a hint.
  if (fstat(fd, &about) == 0 && about.st_size > 0) out.reserve(about.st_size + 1);
  for (;;) {
    poll_interrupt();
    const size_t old_size = out.size();
    const size_t room = out.capacity() - old_size;
    out.resize(old_size + (room > 0 ? std::min(room, kPiece) : 4096));
    const ssize_t count = read(fd, out.data() + old_size, out.size() - old_size);
    out.resize(old_size + (count > 0 ? count : 0));
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    poll_interrupt();
    const ssize_t count = write(fd, bytes.data(), std::min(bytes.size(), kPiece));
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(count);
  }
  return true;
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

[[noreturn]] void fail_to_write(const std::string& path, std::string_view who, int error) {
  fail(Code::kIo, who, "", "cannot write '", path, "': ", reason(error),
       "; give a path in a folder that exists, can be written to and has room");
}

[[noreturn]] void fail_to_read(const std::string& path, std::string_view who, int error) {
  fail(Code::kIo, who, "file", "cannot read '", path, "': ", reason(error),
       "; give the path of a file that can be read");
}

// Pipes and terminals are no files that another could take the place of. Disks and sockets are
// neither.
bool is_stream(const std::string& path, std::string_view who) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return false;
  if (S_ISBLK(about.st_mode) || S_ISSOCK(about.st_mode)) {
    fail(Code::kIo, who, "", "cannot write '", path, "': it is a ",
         S_ISBLK(about.st_mode) ? "disk" : "socket", "; give the path of a file");
  }
  return S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode);
}

}  // namespace

Descriptor::Descriptor(const std::string& path, int flags, unsigned mode)
    : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}

bool Descriptor::close_now() {
  if (fd_ < 0) return true;
  const int fd = fd_;
  fd_ = -1;
  return close(fd) == 0;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string without_links(std::string path, std::string_view who) {
  const std::string given = path;
  for (int left = 40; left > 0; --left) {  // as many as the kernel follows
    char to[4096];
    const ssize_t size = readlink(path.c_str(), to, sizeof to);
    if (size < 0) return path;
    const std::string next(to, static_cast<size_t>(size));
    path = next.starts_with('/') ? next : text(folder_of(path), "/", next);
  }
  fail_to_write(given, who, ELOOP);
}

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
    fail_to_read(path, "read_file", errno);
  }
  return bytes;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path, "write_file");
  file.write(bytes);
  file.commit();
}

InputFile::InputFile(std::string path, std::string_view who)
    : path_(std::move(path)), who_(who), file_(path_, O_RDONLY) {
  struct stat about{};
  if (!file_.is_open() || fstat(file_.get(), &about) != 0) fail_to_read(path_, who_, errno);
  if (!S_ISREG(about.st_mode)) fail_to_read(path_, who_, S_ISDIR(about.st_mode) ? EISDIR : ESPIPE);
  size_ = static_cast<uint64_t>(about.st_size);
}

void InputFile::read(uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    poll_interrupt();
    const ssize_t count =
        at > INT64_MAX
            ? 0
            : pread(file_.get(), to.data(), std::min(to.size(), kPiece), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path_, who_, errno);
    if (count == 0) {
      const bool had_them = to.size() <= size_ && at <= size_ - to.size();
      fail(Code::kIo, who_, "end", "'", path_, "' ends ", to.size(),
           " bytes before what was to be read at ", at,
           had_them ? "; it was shortened while it was read" : "; it is cut off or damaged");
    }
    at += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

OutputFile::OutputFile(std::string path, std::string_view who) : OutputFile(path, who, path) {}

OutputFile::OutputFile(std::string path, std::string_view who, std::string shown, Kind kind)
    : path_(std::move(path)),
      who_(who),
      shown_(std::move(shown)),
      kind_(kind),
      file_(path_, kind == kNew ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY | O_NOCTTY,
            mode_for(shown_)) {
  if (!file_.is_open()) {
    is_finished_ = true;  // what is there is not ours to remove
    fail_now();
  }
}

OutputFile::~OutputFile() {
  if (!is_finished_ && kind_ == kNew) unlink(path_.c_str());
}

void OutputFile::fail_now() const { fail_to_write(shown_, who_, errno); }

void OutputFile::write(std::span<const std::byte> bytes) {
  if (!write_all(file_.get(), text_in(bytes))) fail_now();
}

// Flushing gigabytes to a disk takes seconds in one system call: it runs apart, so that Ctrl-C can
// interrupt the wait.
bool OutputFile::sync() const {
  const int own = is_interruptible() ? fcntl(file_.get(), F_DUPFD_CLOEXEC, 0) : -1;
  if (own < 0) return fsync(file_.get()) == 0;
  const auto error = std::make_shared<int>(0);
  run_apart([=] {
    if (fsync(own) != 0) *error = errno;
    close(own);
  });
  errno = *error;
  return *error == 0;
}

void OutputFile::finish() {
  if ((kind_ == kNew && !sync()) || !file_.close_now()) fail_now();
  is_finished_ = true;
}

AtomicFile::AtomicFile(std::string path, std::string_view who)
    : is_stream_(is_stream(path, who)),
      path_(is_stream_ ? path : without_links(path, who)),
      temporary_(temporary_name(path_)),
      file_(is_stream_ ? path_ : temporary_, who, std::move(path),
            is_stream_ ? OutputFile::kStream : OutputFile::kNew) {}

AtomicFile::~AtomicFile() {
  if (file_.is_finished_ && !is_in_place_) unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  file_.finish();
  is_in_place_ = is_stream_;
  if (is_stream_) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) file_.fail_now();
  is_in_place_ = true;
  sync_folder(folder_of(path_), file_.who_);
}

void sync_folder(const std::string& folder, std::string_view who) {
  Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.is_open() && fsync(opened.get()) != 0 && errno != EINVAL) {
    fail_to_write(folder, who, errno);
  }
}

}  // namespace weft
