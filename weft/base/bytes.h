// ByteSource and ByteSink: where the readers of file formats get bytes from, and where their
// writers put them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft {

inline std::span<const std::byte> bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  // All of `to`, from `at` on. Raises Error{kIo} where the bytes end before.
  virtual void read(uint64_t at, std::span<std::byte> to) const = 0;
  // What errors call it: its path.
  virtual const std::string& name() const = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  void write(std::string_view text) { write(bytes_in(text)); }
};

// Bytes in memory, borrowed.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}
  uint64_t size() const override { return bytes_.size(); }
  void read(uint64_t at, std::span<std::byte> to) const override;
  const std::string& name() const override { return name_; }

 private:
  const std::span<const std::byte> bytes_;
  const std::string name_;
};

// A part of another source, as a source of its own; what lies beyond its end is not there.
class PartOfSource final : public ByteSource {
 public:
  PartOfSource(const ByteSource& whole, uint64_t at, uint64_t size, std::string name)
      : whole_(whole), at_(at), size_(size), name_(std::move(name)) {}
  uint64_t size() const override { return size_; }
  void read(uint64_t at, std::span<std::byte> to) const override;
  const std::string& name() const override { return name_; }

 private:
  const ByteSource& whole_;
  const uint64_t at_, size_;
  const std::string name_;
};

class StringSink final : public ByteSink {
 public:
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override { text_ += text_in(bytes); }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace weft
