// Npy: one array in NumPy's format
// (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
//   \x93NUMPY, version, the length of the header
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//   the bytes
#pragma once

#include "weft/io/tensors.h"

namespace weft::io {

// Bytes that come one after the other, as from a file that is unpacked on the way.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual void read(std::span<std::byte> to) = 0;
  virtual uint64_t left() const = 0;            // never more than can come
  virtual const std::string& name() const = 0;  // what errors call it
};

// All of a source, from its beginning.
class SourceStream final : public ByteStream {
 public:
  explicit SourceStream(const ByteSource& source) : source_(source) {}
  void read(std::span<std::byte> to) override {
    source_.read(at_, to);
    at_ += to.size();
  }
  uint64_t left() const override { return source_.size() - at_; }
  const std::string& name() const override { return source_.name(); }

 private:
  const ByteSource& source_;
  uint64_t at_ = 0;
};

// What stands before the bytes of such a tensor. `name` is who is spoken of in [who.dtype]:
// bfloat16, which NumPy lacks.
std::string npy_header(const Tensor& tensor, std::string_view name, std::string_view who);
void write_npy(ByteSink& to, const Tensor& tensor, std::string_view who = "save");

// Any order of bytes and axes. Raises Error{kIo} [who.npy] for what is no such file, [who.dtype]
// for arrays of texts, records and objects, whose pickles are never run.
Tensor read_npy(ByteStream& from, std::string_view who = "load");
Tensor read_npy(const ByteSource& source, std::string_view who = "load");

}  // namespace weft::io
