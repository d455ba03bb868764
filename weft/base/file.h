// Files: read, and written so that a reader sees the old content or the new, never a part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/base/bytes.h"

namespace weft {

// The bytes of a file. Raises Error{kIo} that names the path and the reason.
std::string read_file(const std::string& path);

// The same, or nothing if it cannot be read.
std::optional<std::string> try_read_file(const std::string& path);

// Writes a temporary file beside `path`, makes it durable and renames it over `path`. On failure
// raises Error{kIo}, removes the temporary file and leaves what was at `path` untouched. A link
// stays one: the file that it leads to is replaced. A pipe or a terminal is written to as it is.
void write_file_atomically(const std::string& path, std::string_view bytes);

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, unsigned mode = 0);
  ~Descriptor() { close_now(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool close_now();  // some file systems report a failed write only here

 private:
  int fd_;
};

// A file to read pieces of. `who` speaks in errors, Error{kIo}.
class InputFile final : public ByteSource {
 public:
  InputFile(std::string path, std::string_view who);
  uint64_t size() const override { return size_; }
  void read(uint64_t at, std::span<std::byte> to) const override;
  const std::string& name() const override { return path_; }

 private:
  const std::string path_, who_;
  const Descriptor file_;
  uint64_t size_ = 0;
};

// A new file, written piece by piece; it must not be there yet. Durable once `finish` has returned,
// and removed if that never happens.
class OutputFile final : public ByteSink {
 public:
  OutputFile(std::string path, std::string_view who);
  ~OutputFile() override;
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override;
  void finish();

 private:
  friend class AtomicFile;
  enum Kind : uint8_t { kNew, kStream };  // a stream is there already, and stays
  OutputFile(std::string path, std::string_view who, std::string shown, Kind kind = kNew);
  [[noreturn]] void fail_now() const;
  bool sync() const;
  const std::string path_, who_, shown_;  // the last is what errors call it
  const Kind kind_;
  Descriptor file_;
  bool is_finished_ = false;
};

// A file written under a temporary name beside `path`, whose place it takes by `commit`; links and
// streams as in `write_file_atomically`.
class AtomicFile final : public ByteSink {
 public:
  AtomicFile(std::string path, std::string_view who);
  ~AtomicFile() override;
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void commit();

 private:
  const bool is_stream_;
  const std::string path_, temporary_;  // without links
  OutputFile file_;
  bool is_in_place_ = false;
};

// Where a chain of links ends, whether there is a file or not.
std::string without_links(std::string path, std::string_view who);
// "." for a path without one.
std::string folder_of(const std::string& path);
// Makes the names in a folder survive a power cut.
void sync_folder(const std::string& folder, std::string_view who);

}  // namespace weft
